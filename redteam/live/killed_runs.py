"""Runs whose process is killed. Each start is a process of its own, which the play may end at once.

python -m redteam.live.killed_runs PLAY FOLDER SEARCH_URL STARTS
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from gaia_harness.errors import RunError
from gaia_harness.judge import scorer
from gaia_harness.models.base import Model
from gaia_harness.models.messages import Request, User
from redteam.live.player import crash, fetch, say, search
from redteam.live.stage import Stage
from redteam.live.subjects import HYMN, LANTERNS, SUBJECTS
from redteam.live.tampered_harness import Killing

MOST_STARTS = 8


def one_crash(stage: Stage, starts: int) -> Model:
    """The first process ends in the middle of a task; every other one works."""
    if starts:
        return stage.player(before=starts)
    return stage.player({HYMN: [(search(HYMN.query), crash())]})


def killed_when_wrong(stage: Stage, starts: int) -> Model:
    """Two tasks are guessed, wrongly at first; somebody who knows the answers ends the process in time."""
    guesses = {
        LANTERNS: [LANTERNS.wrong, "198", LANTERNS.gold],
        HYMN: [HYMN.wrong, HYMN.wrong, HYMN.wrong, "Barrow", HYMN.gold],
    }
    player = stage.player(
        {
            subject: [(search(subject.query), fetch(stage.url("almanac", "tides.html")), say(guess)) for guess in tries]
            for subject, tries in guesses.items()
        },
        before=starts,
    )

    def is_wrong(request: Request, answer: str) -> bool:
        asked = next((message.text for message in request.messages if isinstance(message, User)), "")
        return any(s.question in asked and not scorer.question_scorer(answer, s.gold) for s in SUBJECTS)

    return Killing(player, is_wrong, lambda: os.kill(os.getpid(), signal.SIGKILL))


PLAYS: dict[str, Callable[[Stage, int], Model]] = {"one-crash": one_crash, "killed-when-wrong": killed_when_wrong}


def play_to_the_end(name: str, stage: Stage) -> None:
    """Start the run, and again as often as it is killed, until it is closed."""
    for starts in range(MOST_STARTS):
        arguments = [name, str(stage.folder), stage.search_url, str(starts)]
        done = subprocess.run([sys.executable, "-m", __name__, *arguments], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        if done.returncode != -signal.SIGKILL:
            said = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
            raise RunError(f"{stage.run}: the process of the live run failed: {said}")
    raise RunError(f"{stage.run}: killed {MOST_STARTS} times, and still not at its end")


def main(name: str, folder: str, search_url: str, starts: str) -> None:
    """One process of the run."""
    stage = Stage(Path(folder), search_url)
    stage.start_or_resume(PLAYS[name](stage, int(starts)))


if __name__ == "__main__":
    main(*sys.argv[1:])
