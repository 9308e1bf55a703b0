"""Which moment does a time stand for, as logs, intents, ledgers and packages write it?"""

import re
from datetime import datetime

_FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z", re.ASCII)


def moment(text: str) -> datetime | None:
    """None where it is no time as we write it, or one that no calendar has."""
    if not _FORM.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def later(before: str, now: str) -> str:
    """What to write where the clock says `now` and `before` stands already: a clock that was set back goes unheard."""
    then, at = moment(before), moment(now)
    return before if then is not None and at is not None and then > at else now
