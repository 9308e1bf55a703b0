"""How is a text made to fit into a line? Cut between two words, with a sign for what is missing."""


def shorten(text: str, longest: int) -> str:
    """A text of at most so many characters: cut between two words if it has several, with "…" for what is missing."""
    if len(text) <= longest:
        return text
    kept = text[: longest - 1]
    if not text[longest - 1].isspace():
        kept = kept.rsplit(maxsplit=1)[0] if len(kept.split()) > 1 else kept
    return f"{kept.rstrip()}…"
