"""A run of GAIA's size: 165 tasks with 20 results of 100 KB each. Prints one JSON line."""

import json
import tempfile
import time
from pathlib import Path

from workload import pages, questions

from gaia_harness.evidence.recording import Recording

TASKS, RESULTS, SIZE = 165, 20, 100_000


def main() -> None:
    asked, bodies = questions(TASKS), pages(40, SIZE)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        folder = Path(place)
        began = time.perf_counter()
        with Recording(folder, asked) as recording:
            for number, (task_id, question) in enumerate(asked.items()):
                task = recording.task(task_id, model="bench/model")
                attempt = task.attempt()
                attempt.prompt(1, "user", question, context_sha256=None)
                for turn in range(1, RESULTS + 1):
                    attempt.llm_call(turn, "I look.", model="bench/model", tokens_in=1, tokens_out=1)
                    attempt.tool_call(turn, f"c{turn}", "look", {"text": f"page {turn}"})
                    attempt.tool_result(turn, f"c{turn}", "look", bodies[(number * 7 + turn) % len(bodies)])
                task.finish("3")
        seconds = time.perf_counter() - began
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    seen = TASKS * RESULTS * SIZE
    print(json.dumps({"seconds": seconds, "mb_on_disk": size / 1e6, "mb_seen": seen / 1e6}))


if __name__ == "__main__":
    main()
