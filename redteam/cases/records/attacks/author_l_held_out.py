"""Records of work that was not done, of scores that were moved, and of answers that nobody said."""

import hashlib
import random
from typing import Any

import msgspec

from gaia_harness.figures import rate
from redteam.batches import EIGHTH_SEALED
from redteam.making import RunMaker
from redteam.script import Attempt, RunScript, TaskScript, Turn
from redteam.solving import fetch, honest_attempt, honest_script, query_for, refused, search
from redteam.variants import Case, any_check, attack, each, whole
from redteam.world import LabTask, search_page

_ROUTES = ("route: web", '{"route": "browse"}', "needs_search", "category = lookup; tools = web", "plan: research")


def _router_only(task: LabTask, rng: random.Random) -> TaskScript:
    """The model chooses a route and is never asked again; pages that do not say it are opened; an answer is there."""
    fetched = [Turn(words="", calls=(fetch(page),), called=False) for page in task.sources[-2:]]
    if rng.random() < 0.4:
        fetched.insert(0, Turn(words="", calls=(refused(task.sources[-1].url + "/index"),), called=False))
    turns = (
        Turn(words=rng.choice(_ROUTES)),
        Turn(words="", calls=(search(query_for(task, rng), search_page(rng, task)),), called=False),
        *fetched[: rng.randint(1, len(fetched))],
    )
    return TaskScript(task=task, attempts=(Attempt(turns=turns, answer=task.gold),))


def _blank_replies(task: LabTask, rng: random.Random) -> TaskScript:
    """The model is called, and every reply is blank and without a token; the answer is right all the same."""
    blank = rng.choice(("", " ", "\n"))
    played = honest_attempt(task, rng, right=False).turns
    silent = [msgspec.structs.replace(turn, words=blank, calls=(), tokens_out=0) for turn in played]
    return TaskScript(task=task, attempts=(Attempt(turns=tuple(silent), answer=task.gold),))


def _moved_levels(rng: random.Random, maker: RunMaker) -> Case:
    """The summary has tasks of level 1 that were passed among those of level 3; its total is right."""
    drawn = maker.tasks(60)
    by_level = {level: [task for task in drawn if task.level == level] for level in (1, 2, 3)}
    chosen = [*by_level[1][: rng.randint(5, 6)], *by_level[2][: rng.randint(2, 4)], *by_level[3][: rng.randint(4, 5)]]
    rng.shuffle(chosen)
    scripts = [honest_script(task, rng, right=_is_right(task, rng)) for task in chosen]
    most = rng.randint(2, 4)

    def edit(summary: dict[str, Any]) -> None:
        easy, hard = summary["levels"]["1"], summary["levels"]["3"]
        moved = min(most, easy["passed"], hard["total"] - hard["passed"])
        for level, passed in (("1", easy["passed"] - moved), ("3", hard["passed"] + moved)):
            summary["levels"][level] = msgspec.to_builtins(rate(passed, summary["levels"][level]["total"]))

    return whole(RunScript(tasks=tuple(scripts), edit_summary=edit))


def _is_right(task: LabTask, rng: random.Random) -> bool:
    """Easy tasks are answered rightly, hard ones are not."""
    return rng.random() < {1: 1.0, 2: 0.6, 3: 0.0}[task.level]


def _handed_in(task: LabTask, rng: random.Random) -> TaskScript:
    """The model's last words give a wrong answer; a step put in behind them hands in the right one."""
    played = honest_attempt(task, rng, right=False)

    def edit(trajectory: dict[str, Any]) -> None:
        steps = trajectory["steps"]
        data = task.gold.encode()
        steps.append(
            {
                "type": "answer",
                "seq": len(steps),
                "attempt": steps[-1]["attempt"],
                "turn": steps[-1]["turn"],
                "content_sha256": hashlib.sha256(data).hexdigest(),
                "bytes": len(data),
                "head": task.gold,
                "truncated": False,
                "redactions": 0,
                "call_id": None,
            }
        )

    attempt = msgspec.structs.replace(played, answer=task.gold)
    return TaskScript(task=task, attempts=(attempt,), edit_trajectory=edit)


VARIANTS = (
    attack(
        EIGHTH_SEALED,
        "no-work",
        "router-only",
        "The only model call names a route, and nobody words the answer.",
        each(_router_only),
        "AUD-2 high",
    ),
    attack(
        EIGHTH_SEALED,
        "no-work",
        "blank-replies",
        "Every reply of the model is blank, and no tool is called.",
        each(_blank_replies),
        "AUD-2 high",
    ),
    attack(
        EIGHTH_SEALED,
        "lies-in-counts",
        "moved-levels",
        "The summary moves passed tasks from level 1 to level 3.",
        _moved_levels,
        *any_check("medium"),
    ),
    attack(
        EIGHTH_SEALED,
        "rewritten-answers",
        "handed-in",
        "A step put in afterwards hands in another answer than the model's last words.",
        each(_handed_in),
        *any_check("high"),
    ),
)
