"""Import of runs from elsewhere, against `json.loads` of the same files, and its memory.

    python benchmarks/importing.py --dataset D FILE…     speed on files of your own, per format, in one run
    python benchmarks/importing.py --memory 100 1000     peak memory on made files of so many MB, in one process each

Seconds are CPU seconds of this process, as machines are shared.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gaia_harness.exchange.formats import importer_of
from gaia_harness.exchange.importing import import_runs
from gaia_harness.tasks.loading import load_tasks


def seconds(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def sizes(paths: list[Path]) -> list[Path]:
    return [
        file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*"))) if file.is_file()
    ]


def parse_all(files: list[Path]) -> None:
    for file in files:
        data = file.read_bytes()
        try:
            json.loads(data)
        except ValueError:
            for line in data.splitlines():
                try:
                    json.loads(line)
                except ValueError:
                    line.decode("utf-8", "replace")  # a log, not JSON


def speed(paths: list[Path], dataset: str) -> None:
    for path in paths:
        measure(path, dataset)


def measure(path: Path, dataset: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "out"
        began = time.perf_counter()
        cpu = time.process_time()
        result = import_runs([path], out, dataset=dataset, keep_going=True)
        whole, wall = time.process_time() - cpu, time.perf_counter() - began
    importer = importer_of(result.format)
    files = [file.path for file in importer.inputs(path)]
    read = seconds(lambda: [list(importer.read(file, lambda error: None)) for file in importer.inputs(path)])
    plain = seconds(lambda: parse_all(files))
    size = sum(file.stat().st_size for file in files) / 1e6
    print(
        f"{result.format:14} {size:7.1f} MB  json.loads {size / plain:6.1f} MB/s  "
        f"read {size / read:6.1f} MB/s ({plain / read:.2f} of it)  "
        f"import {size / whole:6.1f} MB/s ({plain / whole:.2f} of it)  {wall:.1f} s in all"
    )


def make(path: Path, megabytes: int) -> None:
    """A file of the neutral form: the demo's tasks again and again, each as a run of its own."""
    tasks = load_tasks("demo", env={}).tasks
    page = "The keeper of the light wrote down the hour of each ferry that passed. " * 400
    with path.open("w", encoding="utf-8") as file:
        number = 0
        while file.tell() < megabytes * 1_000_000:
            for task in tasks:
                steps: list[dict[str, Any]] = [{"type": "prompt", "role": "user", "text": task.question}]
                for turn in range(8):
                    steps += [
                        {"type": "llm_call", "text": f"I look at page {turn}."},
                        {"type": "tool_call", "name": "open", "call_id": str(turn), "args": {"page": turn}},
                        {"type": "tool_result", "name": "open", "call_id": str(turn), "text": page},
                    ]
                row = {"task_id": task.task_id, "run": f"run {number}", "answer": "4", "steps": steps}
                file.write(json.dumps(row) + "\n")
            number += 1


def memory(megabytes: list[int]) -> None:
    for size in megabytes:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "runs.jsonl"
            make(path, size)
            code = (
                "import resource, sys\nfrom gaia_harness.exchange.importing import import_runs\n"
                "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
                "import_runs([sys.argv[1]], sys.argv[2], dataset='demo')\n"
                "print(before // 1024, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)\n"
            )
            began = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-c", code, path, Path(place) / "out"], capture_output=True, text=True, check=True
            )
            before, peak = done.stdout.split()
            print(f"{size:5} MB: peak {peak} MB ({before} MB after imports), {time.perf_counter() - began:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--dataset", default="demo")
    parser.add_argument("--memory", nargs="*", type=int, default=[])
    given = parser.parse_args()
    if given.files:
        speed(given.files, given.dataset)
    if given.memory:
        memory(given.memory)
    print(f"peak of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
