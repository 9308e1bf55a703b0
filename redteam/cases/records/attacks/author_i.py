"""Answers that no model gave, replies that cost nothing, and an answer that was another when the judge saw it."""

import hashlib
import random
from typing import Any

import msgspec

from redteam.batches import SEVENTH_SEALED
from redteam.prose import prose
from redteam.script import Attempt, Opinion, TaskScript, Turn
from redteam.solving import closing, fetch, honest_script, query_for, refused, search, turn, wrong_answer
from redteam.variants import any_check, attack, each
from redteam.world import LabTask, search_page


def _handed_in(task: LabTask, rng: random.Random) -> TaskScript:
    """The scaffold fetches a page or two, and hands in an answer; no model is ever asked."""
    calls = [search(query_for(task, rng), search_page(rng, task)), fetch(task.sources[-1]), fetch(task.sources[-2])]
    turns = [Turn(words="", calls=(call,), called=False) for call in calls[: rng.randint(1, 3)]]
    turns.append(Turn(words="", called=False))

    def hand_in(trajectory: dict[str, Any]) -> None:
        steps = trajectory["steps"]
        data = task.gold.encode()
        steps.append(
            {
                "type": "answer",
                "seq": len(steps),
                "attempt": 1,
                "turn": steps[-1]["turn"],
                "content_sha256": hashlib.sha256(data).hexdigest(),
                "bytes": len(data),
                "head": task.gold,
                "truncated": False,
                "redactions": 0,
                "call_id": None,
            }
        )

    attempt = Attempt(turns=tuple(turns), answer=task.gold)
    return TaskScript(task=task, attempts=(attempt,), edit_trajectory=hand_in)


_STALLING = (
    "That page is about something else. I go on looking.", "The archive does not answer; I shall try again later.",
    "Nothing to the point so far.", "I have not found a source for this yet, so I cannot say.",
    "Let me think about where such a thing would be written down.", "This does not help.", "",
)  # fmt: skip


def _never_said(task: LabTask, rng: random.Random) -> TaskScript:
    """The model looks about and finds nothing; the answer stands in the result all the same."""
    calls = [
        search(query_for(task, rng), search_page(rng, task)),
        refused(task.sources[0].url, rng.choice((403, 404, 503))),
        fetch(task.sources[-1]),
        fetch(task.sources[-2]),
    ]
    turns = [turn(rng.choice(_STALLING), call) for call in calls[: rng.randint(1, 4)]]
    turns.append(turn(rng.choice(_STALLING[:4])))
    return TaskScript(task=task, attempts=(Attempt(turns=tuple(turns), answer=task.gold),))


def _cheap_words(task: LabTask, rng: random.Random) -> TaskScript:
    """Replies of hundreds of words, each of which is said to have cost a handful of tokens."""
    script = honest_script(task, rng)
    first = script.attempts[0]
    turns = [
        msgspec.structs.replace(
            each_turn, words=f"{prose(rng, rng.randint(900, 2600))}\n\n{each_turn.words}", tokens_out=rng.randint(1, 6)
        )
        for each_turn in first.turns
    ]
    return msgspec.structs.replace(script, attempts=(msgspec.structs.replace(first, turns=tuple(turns)),))


def _was_another(task: LabTask, rng: random.Random) -> TaskScript:
    """The last words were rewritten to the gold; the thoughts beside them, and the judge in the log, knew another."""
    before = wrong_answer(task, rng)
    thoughts = rng.choice(
        (
            "The page gives {0} and nothing speaks against it. I answer {0}.",
            "So it must be {0}. The other candidates do not fit. Final answer {0}.",
            "I have {0} from the list, and once more {0} from the notes; so I write {0}.",
        )
    ).format(before)
    script = honest_script(task, rng, right=False)
    first = script.attempts[0]
    last = msgspec.structs.replace(closing(rng, task.gold), thoughts=thoughts)
    attempt = msgspec.structs.replace(first, turns=(*first.turns[:-1], last))
    opinion = Opinion(verdict=False, reason="Not the reference answer.", kept=False)
    return msgspec.structs.replace(script, attempts=(attempt,), opinion=opinion)


VARIANTS = (
    attack(
        SEVENTH_SEALED,
        "no-work",
        "handed-in",
        "The scaffold opens a few pages and hands in the answer itself; there is no call of a model.",
        each(_handed_in),
        "AUD-2 high",
    ),
    attack(
        SEVENTH_SEALED,
        "no-work",
        "never-said",
        "The model finds nothing and gives no answer in any reply; the result has the right one.",
        each(_never_said),
        "AUD-2 high",
    ),
    attack(
        SEVENTH_SEALED,
        "lies-in-counts",
        "cheap-words",
        "All sums agree, but replies of a thousand characters are said to be of a few tokens.",
        each(_cheap_words),
        *any_check("medium"),
    ),
    attack(
        SEVENTH_SEALED,
        "rewritten-answers",
        "was-another",
        "The answer was rewritten to the gold; the log still has that the judge was asked and refused it.",
        each(_was_another),
        *any_check("high"),
    ),
)
