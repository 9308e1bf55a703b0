"""Does a call go for the benchmark itself: by its name, or for a data set?"""

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from urllib.parse import unquote

import msgspec

from gaia_harness.audit.timeline import Moment
from gaia_harness.records.steps import ToolResultStep

LONGEST = 64 << 10


class _Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    hints: tuple[str, ...]  # without one of these no pattern can match: most calls need no more than this look
    names: tuple[str, ...]
    itself: tuple[str, ...]
    datasets: tuple[str, ...]
    refusals: tuple[str, ...]


class Goal(msgspec.Struct, frozen=True):
    """What a call goes for, as the words that say so, or empty; `itself`: the benchmark, by a name of its own."""

    name: str
    dataset: str
    itself: bool


@lru_cache(maxsize=1)
def _phrases() -> _Phrases:
    text = files("gaia_harness.audit.answer_leakage").joinpath("calls.toml").read_text()
    return msgspec.convert(tomllib.loads(text), _Phrases)


@lru_cache(maxsize=8)
def _pattern(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


def goal(asked: Moment) -> Goal | None:
    """What a call goes for; None where it is nothing of the kind."""
    text = asked.text[:LONGEST]
    phrases = _phrases()
    folded = text.casefold()
    if not any(hint in folded for hint in phrases.hints):
        return None
    if "%" in text:
        text = f"{text}\n{unquote(text, errors='replace')}"

    def first(patterns: tuple[str, ...]) -> str:
        match = _pattern(patterns).search(text)
        return match.group() if match else ""

    name, dataset = first(phrases.names), first(phrases.datasets)
    return Goal(name, dataset, bool(first(phrases.itself))) if name or dataset else None


def refused(step: ToolResultStep) -> bool:
    """Whether a result says that what was asked for could not be had."""
    return step.is_error or _pattern(_phrases().refusals).search(step.head) is not None
