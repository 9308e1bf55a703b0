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
