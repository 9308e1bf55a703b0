"""GAIA's normalisation of answers. It knows no gold answer, so agents may vote with it."""

import re
import string

_WHITESPACE = re.compile(r"\s")
_SEPARATORS = re.compile(r"[,;]")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_NO_UNITS = str.maketrans("", "", "$%,")
_GROUPED = re.compile(r"[$\s]*[+-]?\d{1,3}(,\d{3})+(\.\d+)?[%\s]*")


def is_number(text: str) -> bool:
    """Whether Python's `float` takes the text as it stands."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def number(text: str) -> float:
    """The text as a number without `$`, `%` and `,`; infinity where it is none."""
    try:
        return float(text.translate(_NO_UNITS))
    except ValueError:
        return float("inf")


def elements(text: str) -> list[str] | None:
    """The parts between `,` and `;`, unstripped, or None where the text is not a list."""
    parts = _SEPARATORS.split(text)
    return parts if len(parts) > 1 else None


def words(text: str, *, keep_punctuation: bool) -> str:
    """The text without white space, in lower case, and without ASCII punctuation unless that is kept."""
    squeezed = _WHITESPACE.sub("", text).lower()
    return squeezed if keep_punctuation else squeezed.translate(_NO_PUNCTUATION)


def ballot(answer: str) -> tuple[str, ...]:
    """What an answer counts as in a vote: equal ballots are answers that the scorer would treat alike.

    The scorer takes its rule from the gold. A vote has no gold, so the answer's own form picks the rule:
    "1,250" is a number, "1,2" a list of two.
    """
    if is_number(answer.replace("$", "").replace("%", "")) or _GROUPED.fullmatch(answer):
        return ("number", repr(number(answer)))
    parts = elements(answer)
    if parts is not None:
        return (
            "list",
            *(repr(number(p)) if is_number(p) else words(p, keep_punctuation=True) for p in parts),
        )
    return ("text", words(answer, keep_punctuation=False))
