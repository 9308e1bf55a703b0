"""Reading and checking trajectories, beside bare `json.loads` of the same lines. Prints one JSON line."""

import json
import tempfile
import time
from pathlib import Path

from workload import pages, questions

from gaia_harness.evidence.recording import Recording
from gaia_harness.records.trajectories import read_trajectories

TASKS, RESULTS, ROUNDS = 200, 20, 5


def main() -> None:
    asked, bodies = questions(TASKS), pages(40)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        folder = Path(place)
        with Recording(folder, asked) as recording:
            for task_id, question in asked.items():
                task = recording.task(task_id, model="bench/model")
                attempt = task.attempt()
                attempt.prompt(1, "user", question, context_sha256=None)
                for turn in range(1, RESULTS + 1):
                    attempt.llm_call(turn, "I look.", model="bench/model", tokens_in=1, tokens_out=1)
                    attempt.tool_call(turn, f"c{turn}", "look", {"text": f"page {turn}"})
                    attempt.tool_result(turn, f"c{turn}", "look", bodies[turn % len(bodies)])
                task.finish("3")
        path = folder / "trajectories.jsonl"
        size = path.stat().st_size
        ours, bare = [], []
        for _ in range(ROUNDS):  # turn about, so that a busy moment hits both
            began = time.perf_counter()
            count = sum(1 for _ in read_trajectories(path))
            ours.append(time.perf_counter() - began)
            assert count == TASKS
            began = time.perf_counter()
            with path.open("rb") as file:
                for line in file:
                    json.loads(line)
            bare.append(time.perf_counter() - began)
    mb = size / 1e6
    print(json.dumps({"mb": mb, "ours_mb_s": mb / min(ours), "json_loads_mb_s": mb / min(bare)}))


if __name__ == "__main__":
    main()
