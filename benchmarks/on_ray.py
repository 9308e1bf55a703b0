"""What a Ray cluster costs and gives: `python benchmarks/on_ray.py [ATTEMPTS]`. Prints a table, and its figures as JSON.

Each figure is of a run in a process of its own, over the time from the first attempt that was begun to the last task
that was finished, so that starting a cluster is not part of it (it is a column of its own).
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from gaia_harness.records.config import RunConfig
from gaia_harness.run.ray_executor import RayOptions
from gaia_harness.run.runner import Stop
from gaia_harness.run.session import Session

CALL_SECONDS = 0.05
ROUNDS = 3
SCRIPT = {
    "when": "lanterns",
    "turns": [
        {"calls": [{"tool": "web_fetch", "args": {"url": "http://127.0.0.1:9/"}}]},  # which is refused at once
        {"take": {"count": {"from": "web_fetch", "pattern": "(\\d+) lanterns"}}, "answer": "{count}"},
    ],
}


class Quiet:
    def finished(self, result: Any, tally: Any) -> None:
        pass

    def waiting(self, running: int, longest: float) -> None:
        pass


class Slow(BaseHTTPRequestHandler):
    """A model that takes its time, and always says the same."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        time.sleep(CALL_SECONDS)
        message = {"role": "assistant", "content": "FINAL ANSWER: 1 lanterns"}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        reply = {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "slow",
            "choices": choices,
            "usage": usage,
        }
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


def dataset(folder: Path, count: int) -> Path:
    rows = [
        {
            "task_id": f"task-{n}",
            "Question": f"How many lanterns hang in room {n}?",
            "Level": "1",
            "Final answer": "1 lanterns",
            "file_name": "",
            "file_path": "",
            "Annotator Metadata": {"Steps": ""},
        }
        for n in range(count)
    ]
    path = folder / "data/2023/validation"
    path.mkdir(parents=True)
    (path / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "data"


def one(executor: str, count: int, workers: int, model: str) -> None:
    """One run in this process."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        folder = Path(place)
        (folder / "scripts").mkdir()
        (folder / "scripts/one.json").write_text(json.dumps(SCRIPT))
        config = RunConfig(
            model=f"scripted/{folder}/scripts" if model == "scripted" else "openai/slow",
            base_url=None if model == "scripted" else model,
            dataset=str(dataset(folder, count)),
            concurrency=workers,
            search_url="http://127.0.0.1:9",
        )
        session = Session(config, {}, ray=RayOptions() if executor == "ray" else None)
        began = time.perf_counter()
        summary = asyncio.run(session.start(folder / "run", Quiet(), Stop()))
        whole = time.perf_counter() - began
        assert summary.finished == count
        times = [
            datetime.fromisoformat(event["time"])
            for event in map(json.loads, (folder / "run/log.jsonl").read_text().splitlines())
            if event["event"] in ("attempt_started", "task_finished")
        ]
        seconds = (max(times) - min(times)).total_seconds()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "around": whole - seconds, "peak_mb": peak}))


def measured(*args: object) -> dict[str, float]:
    ran = subprocess.run([sys.executable, __file__, "one", *map(str, args)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return found


def best(count: int, workers: int, model: str) -> tuple[dict[str, float], dict[str, float]]:
    """The fastest of interleaved runs of both executors."""
    both: dict[str, list[dict[str, float]]] = {"local": [], "ray": []}
    for _ in range(ROUNDS):
        for executor, runs in both.items():
            runs.append(measured(executor, count, workers, model))
    local, ray = (min(runs, key=lambda run: run["seconds"]) for runs in both.values())
    return local, ray


def main(most: int) -> None:
    figures: dict[str, Any] = {"measured_at": datetime.now(UTC).date().isoformat(), "load": os.getloadavg()[0]}
    local, ray = best(200, 1, "scripted")
    figures["attempt_ms"] = {"local": 5 * local["seconds"], "ray": 5 * ray["seconds"]}
    figures["start_and_stop_s"] = ray["around"]
    print(
        f"one attempt after another, scripted: {5 * local['seconds']:.1f} ms local, {5 * ray['seconds']:.1f} ms by Ray"
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    for workers in (1, 2, 4):
        local, ray = best(60 * workers, workers, url)
        rates = {name: 60 * workers / run["seconds"] for name, run in (("local", local), ("ray", ray))}
        figures.setdefault("per_second", {})[str(workers)] = rates
        print(
            f"{workers} at once, 50 ms a call: {rates['local']:.1f} attempts a second local, {rates['ray']:.1f} by Ray"
        )
    server.shutdown()
    for count in (most // 10, most):
        run = measured("ray", count, 2, "scripted")
        figures.setdefault("driver_mb", {})[str(count)] = run["peak_mb"]
        print(f"{count:,} attempts by Ray: {run['peak_mb']:.0f} MB of the driver at most, {run['seconds']:.0f} s")
    print(json.dumps(figures))


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        one(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
