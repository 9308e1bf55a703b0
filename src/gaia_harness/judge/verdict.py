"""The verdict of the LLM judge: one JSON object of exactly this form; anything else is no verdict.

    {"correct": true, "reason": "at most 200 characters"}

A code fence around it is something else too: the prompt forbids it, and where the fence may stand, so may prose.
"""

from typing import NamedTuple

from gaia_harness import strict_json
from gaia_harness.errors import GaiaError

LONGEST_REASON = 200
LONGEST_REPLY = 10_000
"""Characters; a verdict needs a few hundred, even with every letter of its reason escaped."""


class NoVerdict(GaiaError):
    """The judge said something that is not a verdict."""


class JudgeVerdict(NamedTuple):
    """The judge's opinion, and why."""

    correct: bool
    reason: str


def read_verdict(text: str) -> JudgeVerdict:
    """The verdict that a reply consists of; raises `NoVerdict` if it is anything else."""
    if len(text) > LONGEST_REPLY:
        raise NoVerdict(f"the reply has {len(text)} characters")
    if not text.strip():
        raise NoVerdict("the reply is empty")
    try:
        value = strict_json.loads(text, where="the reply")
    except strict_json.JsonError as error:
        raise NoVerdict(f"{error.message}: {text[:80]!a}") from None
    if type(value) is not dict or value.keys() != {"correct", "reason"}:
        raise NoVerdict(f'the reply is not an object of "correct" and "reason" alone: {text[:80]!a}')
    if type(value["correct"]) is not bool:
        raise NoVerdict(f'"correct" is neither true nor false: {text[:80]!a}')
    if type(value["reason"]) is not str:
        raise NoVerdict(f'"reason" is not a text: {text[:80]!a}')
    if len(value["reason"]) > LONGEST_REASON:
        raise NoVerdict(f'"reason" has {len(value["reason"])} characters, more than {LONGEST_REASON}')
    return JudgeVerdict(value["correct"], value["reason"])
