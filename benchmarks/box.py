"""What the glass box costs: time for each model call and each page, its start, memory, bytes of evidence.

The same client does the same work twice in each round, once in the box and once without it. Prints one JSON line.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from gaia_harness.box.authority import Authority
from gaia_harness.box.boxing import Box, BoxLimits, Mounts, find_bwrap, standard_environment
from gaia_harness.box.doors import Doors
from gaia_harness.box.gateway import Gateway
from gaia_harness.box.names import Names
from gaia_harness.box.requests import Incoming, Outgoing

ROOT = Path(__file__).parents[1]
ROUNDS = 3
"""The round with the lowest p99 counts: a busy machine only ever adds."""
STARTS = 15
TASKS = 5

CLIENT = """
import http.client, json, os, sys, time
from urllib.parse import urlsplit
base, page = urlsplit(os.environ["OPENAI_BASE_URL"]), urlsplit(os.environ.get("PAGE") or sys.argv[1])
model, pages = (http.client.HTTPConnection(each.hostname, each.port) for each in (base, page))
def asked(connection, *request):
    began = time.perf_counter()
    connection.request(*request)
    connection.getresponse().read()
    return (time.perf_counter() - began) * 1000
def at(taken, share):
    return sorted(taken)[min(len(taken) - 1, int(len(taken) * share))]
calls, read = [], []
for talk in range(3):
    messages = [{"role": "user", "content": f"Talk {talk}. " + "The lamp is lit at dusk. " * 780}]
    for turn in range(100):
        body = json.dumps({"model": "tester", "messages": messages})
        calls.append(asked(model, "POST", base.path + "/chat/completions", body, {"content-type": "application/json"}))
        messages += [{"role": "assistant", "content": "Noted."}, {"role": "user", "content": f"And {turn}?"}]
        read.append(asked(pages, "GET", f"/{talk}/{turn}"))
figures = {"call": [at(calls, 0.5), at(calls, 0.99)], "page": [at(read, 0.5), at(read, 0.99)]}
print("FINAL ANSWER:", json.dumps(figures))
"""

SERVER = """
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
MESSAGE = {"role": "assistant", "content": "Noted."}
REPLY = {"id": "r", "object": "chat.completion", "created": 1, "model": "tester",
         "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}],
         "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
PAGE = "<p>" + "The keeper wrote it down. " * 780 + "</p>"
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    def answer(self, kind, text):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.answer("application/json", json.dumps(REPLY))
    def do_GET(self):
        self.answer("text/html", PAGE)
    def log_message(self, *args):
        pass
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def environment(**more: str) -> dict[str, str]:
    keys = {"OPENAI_API_KEY": "sk-of-nobody-0123456789", "PYTHONPATH": str(ROOT / "src")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | keys | {"PATH": path} | more


def run(out: Path, *options: str) -> tuple[dict, float]:
    """One run on the demo; its first result, and the most memory of the process with the gateway, in MB."""
    words = [sys.executable, "-m", "gaia_harness", "run", "--dataset", "demo", *options, "--out", str(out)]
    with subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    return json.loads((out / "results.jsonl").read_text().splitlines()[0]), used.ru_maxrss / 1024


def calls_and_pages(folder: Path, url: str) -> dict:
    """Each figure with the gateway and without it, from the same round."""
    agent = folder / "agent"
    agent.mkdir()
    (agent / "main.py").write_text(CLIENT)
    rounds = []
    for number in range(ROUNDS):
        alone = subprocess.run(
            [sys.executable, agent / "main.py", url],
            env=environment(OPENAI_BASE_URL=f"{url}/v1"),
            stdout=subprocess.PIPE,
            check=True,
        )
        reach = ("--search-url", f"{url}/search", "--allow-host", "127.0.0.1")
        which = ("--agent", f"python main.py {url}", "--agent-dir", str(agent), "--limit", "1")
        result, peak = run(
            folder / f"run-{number}", "--model", "openai/tester", "--base-url", f"{url}/v1", *reach, *which
        )
        without = json.loads(alone.stdout.split(b":", 1)[1])
        rounds.append((json.loads(result["answer"]), without, peak))
    figures: dict = {"gateway_peak_mb": min(peak for _, _, peak in rounds)}
    for name in ("call", "page"):
        within, without, _ = min(rounds, key=lambda each: each[0][name][1])
        figures[name] = {
            "p50_ms": within[name][0], "p99_ms": within[name][1],
            "alone_p50_ms": without[name][0], "alone_p99_ms": without[name][1],
            "added_p50_ms": within[name][0] - without[name][0], "added_p99_ms": within[name][1] - without[name][1],
        }  # fmt: skip
    return figures


def starts() -> dict:
    """A box with a small Python program that asks the gateway for a page, against the same Python that does nothing."""
    script = "import http.client as h; c = h.HTTPConnection('page.test'); c.request('GET', '/'); c.getresponse().read()"

    async def timed() -> tuple[list[float], list[float]]:
        bwrap = find_bwrap()
        if bwrap is None:
            raise SystemExit("bubblewrap is not installed")
        authority = Authority(datetime.now(UTC))
        box = Box(bwrap, Mounts(), authority.pem)

        async def answer(request: Incoming, back: Outgoing) -> None:
            await back.start(200, [(b"content-length", b"2")])
            await back.send(b"42")
            await back.end()

        @asynccontextmanager
        async def serve(doors: Doors) -> AsyncIterator[None]:
            async with Gateway(doors, Names(), authority, answer):
                yield

        words = [str(box.python), "-I", "-c", script]
        boxed, plain = [], []
        for _ in range(STARTS):  # turn about
            began = time.perf_counter()
            done = await box.run(words, standard_environment(("/usr/bin",)), None, BoxLimits(), serve, cwd="/")
            boxed.append((time.perf_counter() - began) * 1000)
            if done.status != 0:
                raise SystemExit(done.errors.head.decode())
            began = time.perf_counter()
            subprocess.run([*words[:2], "-c", "import http.client"], check=True)  # noqa: ASYNC221 - nothing else runs
            plain.append((time.perf_counter() - began) * 1000)
        return boxed, plain

    boxed, plain = asyncio.run(timed())
    return {"box_ms": statistics.median(boxed), "python_alone_ms": statistics.median(plain)}


def box_memory(folder: Path, url: str) -> float:
    """MB that the processes of a box hold (proportional), beside the agent: bubblewrap and our first program."""
    words = ["run", "--dataset", "demo", "--limit", "1", "--model", "openai/tester", "--base-url", f"{url}/v1"]
    words += ["--agent", "sleep 4", "--out", str(folder / "sleeping")]
    seen: list[float] = []
    with subprocess.Popen(
        [sys.executable, "-m", "gaia_harness", *words],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None:
            time.sleep(0.2)
            started = below(process.pid)
            if any(name_of(pid) == "sleep" for pid in started):
                seen.append(sum(held(pid) for pid in started if name_of(pid) != "sleep"))
    return statistics.median(seen)


def below(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    found = [int(each) for each in text.split()]
    return found + [inner for each in found for inner in below(each)]


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def held(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def evidence(folder: Path) -> dict:
    """Bytes of evidence for a task of the demo by an agent of smolagents, beside what went to the model and back."""
    sys.path.insert(0, str(ROOT / "tests"))
    from provider_server import Says, provider_server

    def answer(request: dict) -> Says:
        if "Observation" not in json.dumps(request["messages"][2:]):
            return Says("Thought: I look.\n<code>\nprint(sum(range(100)))\n</code>")
        return Says("Thought: That is it.\n<code>\nfinal_answer(4950)\n</code>")

    agent = ROOT / "examples" / "agents" / "smolagents"
    with provider_server(answer) as provider:
        model = ("--model", "openai/tester", "--base-url", f"{provider.url}/v1")
        run(folder / "smolagents", *model, "--agent", str(agent), "--limit", str(TASKS))
        sent = sum(len(seen.body) for seen in provider.seen)
    kept = sum(path.stat().st_size for path in (folder / "smolagents").rglob("*") if path.is_file())
    steps = (folder / "smolagents" / "trajectories.jsonl").stat().st_size
    return {
        "tasks": TASKS,
        "trajectory_bytes_per_task": steps / TASKS,
        "bytes_per_task": kept / TASKS,
        "sent_to_the_model_per_task": sent / TASKS,
        "evidence_per_byte_sent": steps / sent,
    }


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="bench-box-") as name,
        subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server,
    ):
        folder, url = Path(name), f"http://127.0.0.1:{server.stdout.readline().strip()}"
        try:
            figures = calls_and_pages(folder, url)
            figures["loop_peak_mb"] = run(folder / "own", "--model", "scripted/demo", "--limit", "1")[1]
            figures["box_mb"] = box_memory(folder, url)
        finally:
            server.terminate()
        print(json.dumps(figures | {"start": starts(), "evidence": evidence(folder)}))


if __name__ == "__main__":
    main()
