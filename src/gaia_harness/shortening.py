"""Shortens a text to fit a line: cut between two words, with an ellipsis."""

LONGEST_WORD = 60
"""Characters without a space that may be a word; more are cut where they must be."""


def shorten(text: str, longest: int) -> str:
    """A text of at most so many characters: cut between two words if it has several, with "…" for what is missing."""
    if len(text) <= longest:
        return text
    kept = text[: longest - 1]
    if not text[longest - 1].isspace() and len(kept.split()) > 1:
        whole = kept.rsplit(maxsplit=1)[0]
        kept = whole if len(kept) - len(whole) <= LONGEST_WORD else kept
    return f"{kept.rstrip()}…"
