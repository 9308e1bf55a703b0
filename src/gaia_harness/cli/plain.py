"""How does a command print what a stranger wrote? With nothing in it that a terminal would obey, in one line."""


def plain(text: str) -> str:
    """A text with what cannot be seen as escapes: control signs, line ends, marks that turn the writing round."""
    return text if text.isprintable() else "".join(map(_sign, text))


def _sign(sign: str) -> str:
    return sign if sign.isprintable() else sign.encode("unicode_escape").decode()
