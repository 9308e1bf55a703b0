"""Timestamps as logs, intents, ledgers and packages write them."""

import re
from datetime import datetime

_FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z", re.ASCII)


def parse_timestamp(text: str) -> datetime | None:
    """The time of a timestamp; None if it is not written as ours are, or is no date."""
    if not _FORM.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def later_of(before: str, now: str) -> str:
    """The later of two timestamps, so that a clock that was set back never makes times run backwards."""
    then, at = parse_timestamp(before), parse_timestamp(now)
    return before if then is not None and at is not None and then > at else now
