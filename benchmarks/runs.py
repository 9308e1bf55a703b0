"""`gaia runs` on a thousand runs of 165 tasks, some interrupted, some packaged, some broken. Prints one JSON line."""

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gaia_harness.offline import create_key, submit_run
from gaia_harness.records.origin import Origin
from gaia_harness.run.live_origin import live
from gaia_harness.run.writer import RunWriter
from gaia_harness.tasks.loading import load_tasks

RUNS, TASKS, ROUNDS = 1000, 165, 3


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "runs")
        seen = lay_out(folder, Path(place))
        timed = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "gaia_harness", "runs", folder, "--json"], stdout=subprocess.PIPE, check=True
            )
            timed.append(time.perf_counter() - began)
        listed = json.loads(done.stdout)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    states = [run["state"] for run in listed]
    assert {state: states.count(state) for state in set(states)} == seen
    print(
        json.dumps(
            {
                "runs": RUNS,
                "tasks": TASKS,
                "seconds": min(timed),
                "cpu_seconds": (used.ru_utime + used.ru_stime) / ROUNDS,
                "states": seen,
            }
        )
    )


def lay_out(folder: Path, place: Path) -> dict[str, int]:
    """A thousand runs, copied from one that is real; how many there are of each state."""
    env = {"GAIA_KEYS_DIR": str(place / "keys"), "GAIA_CACHE_DIR": str(place / "cache")}
    create_key("bench@example.org", env=env)
    data = place / "data" / "2023" / "validation"
    data.mkdir(parents=True)
    rows = [
        {
            "task_id": f"task-{n:04}",
            "Question": f"How many lamps are in room {n}?",
            "Level": 1 + n % 3,
            "Final answer": str(n),
            "file_name": "",
        }
        for n in range(TASKS)
    ]
    (data / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    origin: Origin = live("bench 1", tools={})
    with RunWriter(
        place / "one",
        dataset=load_tasks(str(place / "data"), env={}),
        model="bench/model",
        origin=origin,
        declare=True,
        env=env,
    ) as run:
        for task in run.tasks:
            with run.attempt(task) as attempt:
                attempt.prompt(task.question)
                attempt.llm_call("FINAL ANSWER: 7", tokens_in=9, tokens_out=3)
                attempt.answer("7")
    submit_run(place / "one", place / "package", dataset=str(place / "data"), allow_dirty=True, env=env)
    seen = dict.fromkeys(("closed", "packaged", "interrupted", "unreadable"), 0)
    for number in range(RUNS):
        run_id, one = f"{number:032x}", folder / f"{number:04}"
        one.mkdir(parents=True)
        record = json.loads((place / "one" / "run.json").read_text())
        state = ("packaged", "interrupted", "unreadable", *["closed"] * 7)[number % 10]
        seen[state] += 1
        record |= {"run_id": run_id, "state": "running" if state == "interrupted" else "closed"}
        (one / "run.json").write_text(json.dumps(record)[: 1000 if state == "unreadable" else None])
        shutil.copy(place / "one" / "summary.json", one)
        if state == "interrupted":
            shutil.copy(place / "one" / "results.jsonl", one)
        if state == "packaged":
            package = folder / "packages" / f"{number:04}"
            package.mkdir(parents=True)
            metadata = (place / "package" / "metadata.json").read_text()
            (package / "metadata.json").write_text(metadata.replace(record_id(place), run_id))
            (package / "SHA256SUMS").write_text("")
    return seen


def record_id(place: Path) -> str:
    return json.loads((place / "one" / "run.json").read_text())["run_id"]


if __name__ == "__main__":
    main()
