"""What recording one tool result costs, and where the time goes. Prints one JSON line."""

import hashlib
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from workload import pages, questions

from gaia_harness.evidence.fingerprint import Fingerprint
from gaia_harness.evidence.recorder import Recorder, RecorderSettings
from gaia_harness.evidence.scan import scan
from gaia_harness.files import LineFile

ROUNDS = 3
"""The round with the lowest p99 counts: a busy machine only ever adds."""

SIZES = {"1 KB": 1_000, "20 KB": 20_000, "200 KB": 200_000, "5 MB": 5_000_000}


def accented(text: str) -> str:
    """The same text as much of the web is: here and there a letter or a mark beyond ASCII."""
    return text.replace("ka", "ké", len(text) // 200).replace(" the ", " “the” ", len(text) // 400)


def timed(work: Callable[[], object], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    return sorted(taken)


def at(taken: list[float], share: float) -> float:
    return taken[min(len(taken) - 1, int(len(taken) * share))]


def timed_steps(
    fingerprint: Fingerprint, task_id: str, texts: list[str], times: int
) -> tuple[list[float], list[float]]:
    """How long each of so many recordings took, and how long it kept the processor busy; sorted."""
    whole, busy = [], []
    for number in range(times):
        text = texts[number % len(texts)]
        began, worked = time.perf_counter(), time.thread_time()
        taken = recorded(fingerprint, task_id, text)
        busy.append((time.thread_time() - worked) * 1000)
        whole.append((time.perf_counter() - began) * 1000)
        del taken
    return sorted(whole), sorted(busy)


def main() -> None:
    asked = questions(165)
    fingerprint = Fingerprint(asked)
    task_id = next(iter(asked))
    figures = {}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        lines = LineFile(Path(place) / "lines")
        for name, size in SIZES.items():
            for kind, change in (("", str), (" accented", accented)):
                texts = [change(text) for text in pages(4, size)]
                times = max(20, min(2000, 40_000_000 // size))
                step = recorded(fingerprint, task_id, texts[0])
                line = msgspec.json.encode(step) + b"\n"
                data = texts[0].encode()
                rounds = [timed_steps(fingerprint, task_id, texts, times) for _ in range(ROUNDS)]
                whole, busy = min(rounds, key=lambda taken: at(taken[0], 0.99))
                parts = {
                    "sha256": statistics.median(timed(lambda data=data: hashlib.sha256(data).hexdigest(), times)),
                    "scan": statistics.median(
                        timed(lambda text=texts[0]: scan(text, fingerprint, task_id), max(20, times // 4))
                    ),
                    "json": statistics.median(timed(lambda step=step: msgspec.json.encode(step), times)),
                    "write": statistics.median(timed(lambda line=line: lines.append(line), 50)),
                }
                figures[name + kind] = {
                    "p50_ms": at(whole, 0.5),
                    "p99_ms": at(whole, 0.99),
                    "cpu_p99_ms": at(busy, 0.99),
                    "parts_ms": parts,
                }
    print(json.dumps(figures))


def recorded(fingerprint: Fingerprint, task_id: str, text: str) -> object:
    recorder = Recorder(task_id=task_id, settings=RecorderSettings(fingerprint=fingerprint))
    recorder.tool_result(1, "c", "look", text)
    assert not recorder.failures, recorder.failures
    return recorder.steps[0]


if __name__ == "__main__":
    main()
