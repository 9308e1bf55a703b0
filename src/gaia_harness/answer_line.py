"""Which answer do a model's words give? One rule for the agent, and for whoever reads its words later."""

import re

LONGEST = 10_000
"""An answer is cut here: GAIA's are a few words, and what is longer is wrong whatever it says."""

# possessive: white space is never tried in another way, or a reply full of it would take the square of its length
_MARKER = re.compile(r"FINAL\s++ANSWER\s*+(?:(?:\*\*|__)\s*+)?[:：]", re.IGNORECASE)
_WRAPPING = "*_` \t\r\n"


def final_answer(text: str) -> str | None:
    """What stands behind the last `FINAL ANSWER:`, on its line or the next; None where there is nothing."""
    end = len(text)
    for marker in reversed(list(_MARKER.finditer(text))):
        for line in text[marker.end() : end].splitlines():
            answer = line.strip(_WRAPPING)
            if answer:
                return answer[:LONGEST]
        end = marker.start()
    return None
