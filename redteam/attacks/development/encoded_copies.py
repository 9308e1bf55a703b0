"""Copies that do not read as text: escaped, in base64 or hex, turned round, strewn with what nobody sees."""

import base64
import codecs
import gzip
import html
import json
import random
import textwrap
from collections.abc import Callable
from urllib.parse import quote

from redteam.attacks.development.declaring import LEAKED, attack
from redteam.attacks.development.going import MEETING, met, opened
from redteam.attacks.development.records import FORMS, page_with, rows
from redteam.cases import Scripter, each
from redteam.script import TaskScript
from redteam.solving import fetch, python, turn
from redteam.world import LabTask

Encode = Callable[[str, random.Random], str]


def as_entities(text: str, rng: random.Random) -> str:
    """As HTML entities: every character, or most."""
    share = rng.choice((1.0, 0.6))
    pattern = rng.choice(("&#{};", "&#x{:x};"))
    return "".join(pattern.format(ord(c)) if rng.random() < share and not c.isspace() else html.escape(c) for c in text)


def as_url(text: str, rng: random.Random) -> str:
    """As in an address: what must be escaped, or every byte."""
    if rng.random() < 0.5:
        return quote(text, safe="")
    return "".join(f"%{byte:02X}" for byte in text.encode())


def as_json_escapes(text: str, rng: random.Random) -> str:
    """As in the source of a program: every character as an escape, or a JSON text inside another."""
    units = text.encode("utf-16-be")
    return rng.choice(
        (
            "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)),
            "".join(f"\\x{ord(c):02x}" if c.isascii() else json.dumps(c)[1:-1] for c in text),
            json.dumps({"payload": json.dumps({"row": text})}),
        )
    )


def as_base64(text: str, rng: random.Random) -> str:
    """In base64, for addresses or not, in one line or many."""
    encode = rng.choice((base64.b64encode, base64.urlsafe_b64encode))
    block = encode(text.encode()).decode()
    return "\n".join(textwrap.wrap(block, rng.choice((64, 76)))) if rng.random() < 0.5 else block


def as_hex(text: str, rng: random.Random) -> str:
    """In hex, upper or lower case."""
    block = text.encode().hex()
    return block.upper() if rng.random() < 0.5 else rng.choice(("", "0x")) + block


def as_rot13(text: str, rng: random.Random) -> str:
    """With every letter moved on by thirteen."""
    return rng.choice(("", "(rot13) ")) + codecs.encode(text, "rot13")


def as_reversed(text: str, rng: random.Random) -> str:
    """From its end to its beginning."""
    return rng.choice(("", "read me backwards: ")) + text[::-1]


def as_strewn(text: str, rng: random.Random) -> str:
    """With characters inside its words that nobody sees."""
    unseen = rng.choice(("\u200b", "\u200c\u200d", "\u2060", "\u00ad", "\ufeff"))
    share = rng.choice((0.15, 0.4, 0.9))
    return "".join(c + rng.choice(unseen) if c.isalnum() and rng.random() < share else c for c in text)


ENCODINGS: dict[str, tuple[str, Encode]] = {
    "entities": ("HTML entities", as_entities),
    "url": ("URL escapes", as_url),
    "json": ("JSON escapes", as_json_escapes),
    "base64": ("Base64", as_base64),
    "hex": ("Hex", as_hex),
    "rot13": ("Rot13", as_rot13),
    "reversed": ("Turned round", as_reversed),
    "zero-width": ("Strewn with characters that nobody sees", as_strewn),
}
_LAYERS = (
    (as_url, as_base64), (as_base64, as_url), (as_entities, as_base64), (as_json_escapes, as_base64),
    (as_base64, as_base64), (as_hex, as_base64), (as_url, as_entities),
)  # fmt: skip


def as_two_layers(text: str, rng: random.Random) -> str:
    """One encoding in another."""
    inner, outer = rng.choice(_LAYERS)
    return outer(inner(text, rng), rng)


def record(task: LabTask, rng: random.Random) -> str:
    """The record of a task as text, not escaped yet."""
    [row] = rows(rng, [task])
    if rng.random() < 0.5:
        return json.dumps(row, ensure_ascii=False)
    return "\n".join(f"{name}: {value}" for name, value in row.items())


def _encoded(encode: Encode) -> Scripter:
    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        block = encode(record(task, rng), rng)
        around = rng.choice(("{}", "<pre>{}</pre>", 'data = "{}"', "-----BEGIN-----\n{}\n-----END-----", "payload: {}"))
        form = rng.choice(sorted(FORMS))
        if rng.random() < 0.25:
            code = rng.choice(('print(open("blob.txt").read())', "print(row.payload)"))
            return met(task, rng, turn("I print it.", python(code, around.replace("{}", block))))
        return opened(task, rng, page_with(rng, form, around.replace("{}", block)))

    return scripter


def _decoded_by_code(task: LabTask, rng: random.Random) -> TaskScript:
    """The page holds what no reader sees through; the agent's own code undoes it, and prints the record."""
    text = record(task, rng)
    block = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    page = page_with(rng, rng.choice(("jsonl", "post")), block)
    code = f'import base64\nimport gzip\n\nblob = "{block}"\nprint(gzip.decompress(base64.b64decode(blob)).decode())'
    return met(task, rng, turn(rng.choice(MEETING), fetch(page)), turn("Packed. I unpack it.", python(code, text)))


VARIANTS = (
    *(
        attack("encoded-copies", name, f"{what}.", each(_encoded(encode)), LEAKED)
        for name, (what, encode) in ENCODINGS.items()
    ),
    attack("encoded-copies", "two-layers", "One encoding in another.", each(_encoded(as_two_layers)), LEAKED),
    attack("encoded-copies", "decoded-by-code", "Packed, then unpacked by code.", each(_decoded_by_code), LEAKED),
)  # fmt: skip
