"""What recording costs an eval of Inspect: `python inspect_hook.py SAMPLES`. Prints one JSON line.

The same eval with the hook and without, turn about in one process; of each the best of three, in seconds of wall clock
and of processor. Model and tools answer at once: of a real eval, which waits for its model, the share is far smaller.
"""

import importlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import inspect_ai
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_loop import answer, look
from workload import questions

ROUNDS = 3
SWITCH = "GAIA_INSPECT_DATASET"


def data_set(folder: Path, samples: int) -> Path:
    split = folder / "2023" / "validation"
    split.mkdir(parents=True)
    rows = (
        {"task_id": name, "Question": text, "Level": 1, "Final answer": "3", "file_name": ""}
        for name, text in questions(samples).items()
    )
    (split / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def once(samples: int, logs: Path) -> tuple[float, float]:
    dataset = MemoryDataset([Sample(id=name, input=text, target="3") for name, text in questions(samples).items()])
    task = Task(dataset=dataset, solver=[use_tools(look()), generate()], scorer=includes())
    model = get_model("mockllm/model", custom_outputs=answer)
    began, cpu = time.perf_counter(), time.process_time()
    log = eval(task, model=model, display="none", log_dir=str(logs), max_samples=8)[0]
    took = time.perf_counter() - began, time.process_time() - cpu
    assert log.status == "success", log.error
    return took


def main() -> None:
    samples = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = data_set(folder / "data", samples)
        importlib.import_module("gaia_harness.exchange.inspect_hooks")
        os.environ.pop(SWITCH, None)
        once(2, folder / "first")  # what Inspect imports and compiles when it is first used
        off, on = [], []
        for number in range(ROUNDS):
            off.append(once(samples, folder / f"off-{number}"))
            os.environ[SWITCH] = str(source)
            on.append(once(samples, folder / f"on-{number}"))
            del os.environ[SWITCH]
            [run] = (folder / f"on-{number}").glob("*.gaia")
            assert json.loads((run / "summary.json").read_text())["passed"] == samples
    seconds_off, cpu_off = map(min, zip(*off, strict=True))
    seconds_on, cpu_on = map(min, zip(*on, strict=True))
    print(
        json.dumps(
            {
                "version": inspect_ai.__version__,
                "samples": samples,
                "seconds_without": seconds_off,
                "seconds_with": seconds_on,
                "ratio": seconds_on / seconds_off,
                "cpu_without": cpu_off,
                "cpu_with": cpu_on,
                "cpu_ratio": cpu_on / cpu_off,
                "ms_per_sample": (seconds_on - seconds_off) / samples * 1000,
            }
        )
    )


if __name__ == "__main__":
    main()
