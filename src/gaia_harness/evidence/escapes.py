"""The encoded forms in which a whole secret may appear in a text."""

import base64
from collections.abc import Iterator
from urllib.parse import unquote

from gaia_harness.evidence.views import from_html, from_json
from gaia_harness.records.excerpt import to_bytes

ROUNDS = 3
"""So often an escaped text is taken to be escaped again."""


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


def readings(text: str) -> Iterator[str]:
    """What a secret says in a form of the web, and once its own escapes are undone, step by step."""
    if " " in text:
        yield text.replace(" ", "+")
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
