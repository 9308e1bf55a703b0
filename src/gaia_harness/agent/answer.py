"""Pulls the answer out of what the model said."""

import re

LONGEST = 10_000
"""An answer is cut here: GAIA's are a few words, and what is longer is wrong whatever it says."""

_MARKER = re.compile(r"FINAL\s+ANSWER\s*(?:\*\*|__)?\s*[:：]", re.IGNORECASE)
_WRAPPING = "*_` \t\r\n"


def final_answer(text: str) -> str | None:
    """What stands behind the last `FINAL ANSWER:`, on its line or the next; None where there is nothing."""
    markers = list(_MARKER.finditer(text))
    if not markers:
        return None
    for line in text[markers[-1].end() :].splitlines():
        answer = line.strip(_WRAPPING)
        if answer:
            return answer[:LONGEST]
    return None
