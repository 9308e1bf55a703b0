"""The forms in which a secret may stand in a text: encoded as a whole, or with any of its characters escaped."""

import base64
import re
from collections.abc import Iterator
from html.entities import html5
from urllib.parse import unquote

from gaia_harness.evidence.views import from_html, from_json
from gaia_harness.records.excerpt import to_bytes

ROUNDS = 3
"""So often an escaped text is taken to be escaped again."""

LONGEST = 256
"""Characters of a secret that is looked for with its characters escaped one by one."""

_ENTITIES: dict[str, list[str]] = {}
for _name, _sign in html5.items():
    if _name.endswith(";"):
        _ENTITIES.setdefault(_sign, []).append(_name[:-1])
_IN_JSON = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", '"': '"', "/": "/", "'": "'"}
_BACKSLASHES = r"\\{1,16}"  # each time that JSON is put into JSON doubles them


def encoded(secret: str) -> Iterator[str]:
    """A secret in base64, wherever it stands in what was encoded, and in hex."""
    data = to_bytes(secret)
    for before in range(3):
        coded = base64.b64encode(bytes(before) + data).decode().rstrip("=")
        # the first and the last characters depend on what stands beside the secret
        core = coded[-(-before * 4 // 3) : (before + len(data)) * 4 // 3]
        yield core
        yield core.replace("+", "-").replace("/", "_")
    yield data.hex()
    yield data.hex().upper()


def unescaped(text: str) -> Iterator[str]:
    """What a text says once its escapes are undone, step by step."""
    for _ in range(ROUNDS):
        before = text
        for undo in (from_html, _from_url, from_json):
            undone = undo(text)
            if undone != text:
                text = undone
                yield text
        if text == before:
            return


def _from_url(text: str) -> str:
    return unquote(text, errors="replace") if "%" in text else text


def escaped(secret: str) -> re.Pattern[str]:
    """A secret with any of its characters as they may stand in JSON, in an address or in HTML; nothing for a long one,
    of which the pattern would be longer than it is worth."""
    signs = re.findall(r"\\+|.", secret, re.DOTALL)
    return re.compile("".join(map(_forms, signs)) if len(signs) <= LONGEST else r"\Z(?!\Z)")


def _forms(sign: str) -> str:
    """One character, or several backslashes: a run of those may always be longer than it was."""
    if sign[0] == "\\":
        count = len(sign)
        return rf"(?:\\{{{count},{16 * count}}}|(?:{'|'.join(_escapes(sign[0]))}){{{count}}})"
    return f"(?:{'|'.join([re.escape(sign), *_escapes(sign)])})"


def _escapes(sign: str) -> list[str]:
    code = ord(sign)
    units = sign.encode("utf-16-be", "surrogatepass").hex()
    forms = [
        "".join(f"{_BACKSLASHES}u(?i:{units[at : at + 4]})" for at in range(0, len(units), 4)),
        "".join(f"%(?:25)*(?i:{byte:02x})" for byte in to_bytes(sign)),
        f"&(?:amp;)*(?:#0*{code}|#[xX]0*(?i:{code:x}));?",
    ]
    if code < 256:
        forms.append(f"{_BACKSLASHES}x(?i:{code:02x})")
    if sign in _IN_JSON:
        forms.append(_BACKSLASHES + re.escape(_IN_JSON[sign]))
    if names := _ENTITIES.get(sign):
        forms.append(f"&(?:amp;)*(?:{'|'.join(map(re.escape, names))});")
    return forms
