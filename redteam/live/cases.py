"""All live cases, and how they are played."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from redteam.live.answers_and_records import ANSWERS_AND_RECORDS
from redteam.live.case import LiveCase, LiveOutcome, examine, play, run_case
from redteam.live.copied_answers import COPIED_ANSWERS
from redteam.live.grader_access import GRADER_ACCESS
from redteam.live.honest import HONEST

__all__ = ["LIVE", "LiveCase", "LiveOutcome", "run_all", "run_case"]

LIVE: tuple[LiveCase, ...] = (*COPIED_ANSWERS, *GRADER_ACCESS, *ANSWERS_AND_RECORDS, *HONEST)


def run_all(folder: Path, cases: Sequence[LiveCase] = LIVE, *, at_once: int = 2) -> Iterator[LiveOutcome]:
    """Play the cases, some at a time, each in a folder of its own below this one; outcomes in the cases' order."""
    places = [folder / f"{number:03}" for number in range(len(cases))]
    for place in places:
        place.mkdir(parents=True)
    with ThreadPoolExecutor(at_once, thread_name_prefix="live") as threads:
        # playing is mostly waiting for sandboxes and processes; meanwhile this thread audits what is there
        for case, stage in zip(cases, threads.map(play, cases, places), strict=True):
            yield examine(case, stage)
