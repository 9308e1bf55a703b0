"""The page of `gaia view` in chromium: time to the first paint and to open a task. Prints one JSON line.

Runs of 165 tasks × 40 steps and of 2,000 tasks × 10 steps, with results of 20 KB; each page is opened three times, and
the best counts.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from workload import pages, questions

import gaia_harness as gaia
from gaia_harness.offline import view_run
from gaia_harness.run.live_origin import live
from gaia_harness.run.writer import RunWriter

ROUNDS = 3
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

OPEN = """
hash => new Promise(done => {
  const began = performance.now();
  const look = () => document.body.dataset.ready === hash ? requestAnimationFrame(() => setTimeout(() => done(performance.now() - began))) : setTimeout(look, 1);
  location.hash = hash;
  look();
})
"""


def write_run(folder: Path, tasks: int, turns: int) -> Path:
    """A run with so many tasks, of so many turns of a reply, a call and a result each."""
    data = folder / "data" / "2023" / "validation"
    data.mkdir(parents=True)
    with (data / "metadata.jsonl").open("w") as file:
        for number, (task_id, question) in enumerate(questions(tasks).items()):
            row = {
                "task_id": task_id,
                "Question": question,
                "Level": number % 3 + 1,
                "Final answer": "3",
                "file_name": "",
            }
            file.write(json.dumps(row) + "\n")
    bodies = pages(40)
    origin = live("bench 1", tools={"look": "fetch"}, unknown=["context_sha256"])
    loaded = gaia.load_tasks(str(folder / "data"), env={})
    with RunWriter(folder / "run", dataset=loaded, model="bench/model", origin=origin, env=dict(os.environ)) as run:
        for number, task in enumerate(run.tasks):
            with run.attempt(task) as attempt:
                attempt.prompt(task.question)
                for turn in range(turns):
                    attempt.llm_call(
                        "I look at the next page, for the answer may be there.", tokens_in=900, tokens_out=20
                    )
                    call = attempt.tool_call("look", {"url": f"https://pages.example/{turn}"})
                    attempt.tool_result(bodies[(number * 7 + turn) % len(bodies)], call_id=call)
                attempt.answer("3" if number % 2 else "4")
    return folder / "run"


def measure(browser: object, folder: Path, tasks: int, turns: int) -> dict[str, float]:
    run = write_run(folder, tasks, turns)
    evidence = sum(path.stat().st_size for path in run.rglob("*") if path.is_file())
    began = sum(os.times()[:4])
    page = view_run(run, folder / "page.html")
    wrote = sum(os.times()[:4]) - began  # of CPU, with the audit and its processes
    rounds = [opened(browser, page.path, f"bench-{tasks // 2:06d}-task") for _ in range(ROUNDS)]
    return {
        "tasks": tasks, "steps": tasks * (2 + 3 * turns), "write_cpu_s": wrote, "page_mb": page.bytes / 1e6,
        "evidence_mb": evidence / 1e6, "share_of_evidence": page.bytes / evidence,
        **{name: min(each[name] for each in rounds) for name in rounds[0]},
    }  # fmt: skip


def opened(browser: object, path: Path, task: str) -> dict[str, float]:
    tab = browser.new_page()  # type: ignore[attr-defined]
    tab.goto(path.as_uri())
    tab.wait_for_selector("body[data-ready]")
    paint = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    ready = tab.evaluate("performance.getEntriesByName('ready')[0].startTime")
    to_open = tab.evaluate(OPEN, f"#task={task}")
    tab.close()
    return {"first_paint_ms": paint, "table_ms": ready, "open_task_ms": to_open}


def main() -> None:
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        sys.exit("chromium is not installed: apt install chromium")
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        results = {
            "version": browser.version,
            "of_165": measure(browser, Path(place, "few"), 165, 13),
            "of_2000": measure(browser, Path(place, "many"), 2000, 3),
        }
        browser.close()
    print(json.dumps(results))


if __name__ == "__main__":
    main()
