"""Prints untrusted text without control characters or characters that a terminal does not show."""

import re

import click

_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""What Unicode lets a program ignore and Python calls printable all the same."""


def plain(text: str) -> str:
    """A text in one line, with what cannot be seen as escapes: control signs, line ends, marks that turn it round."""
    if _all_seen(text):
        return text
    return "".join(sign if _all_seen(sign) else sign.encode("unicode_escape").decode() for sign in text)


def plain_json(document: bytes) -> bytes:
    """The same JSON, with all of that as JSON's own escapes. Raw line ends in it are layout, and stay."""
    return b"\n".join(_plain_line(line) for line in document.split(b"\n"))


def print_json(value: object) -> None:
    """Print a value as JSON that a terminal can show. Half a character, as a folder's name can have, is spelled out."""
    import msgspec

    from gaia_harness.records.excerpt import sound

    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:
        data = msgspec.json.encode(sound(msgspec.to_builtins(value)))
    click.echo(plain_json(msgspec.json.format(data, indent=2) + b"\n"), nl=False)


def _plain_line(line: bytes) -> bytes:
    text = line.decode()
    return line if _all_seen(text) else "".join(map(_escaped, text)).encode()


def _escaped(sign: str) -> str:
    if _all_seen(sign):
        return sign
    units = sign.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _all_seen(text: str) -> bool:
    return text.isprintable() and (text.isascii() or not _UNSEEN.search(text))
