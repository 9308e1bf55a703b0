"""Signed notes (C2SP signed-note; Go's golang.org/x/mod/sumdb/note)."""

import base64
import hashlib

import msgspec

from gaia_harness.signing.wire import SignatureError, base64_exactly

LARGEST = 1_000_000
MOST_SIGNATURES = 100
LONGEST_NAME = 200
ED25519 = b"\x01"
DASH = "— "


class NoteSignature(msgspec.Struct, frozen=True):
    """A line below a note: the signer's name, four bytes that tell keys of one name apart, and the signature."""

    name: str
    key_hash: bytes
    signature: bytes

    def line(self) -> str:
        """The line as it stands in a note."""
        return f"{DASH}{self.name} {base64.b64encode(self.key_hash + self.signature).decode()}\n"


def key_hash(name: str, raw_key: bytes) -> bytes:
    """The four bytes for an Ed25519 key under this name."""
    return hashlib.sha256(_name(name).encode() + b"\n" + ED25519 + raw_key).digest()[:4]


def verifier_key(name: str, raw_key: bytes) -> str:
    """The line by which witnesses elsewhere know the key."""
    return f"{name}+{key_hash(name, raw_key).hex()}+{base64.b64encode(ED25519 + raw_key).decode()}"


def checked_text(text: str) -> bytes:
    """The bytes to sign: whole lines, without control characters."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise SignatureError("a note with a lone surrogate") from None
    if len(data) > LARGEST:
        raise SignatureError(f"a note of more than {LARGEST} bytes")
    if not text.endswith("\n"):
        raise SignatureError("a note's text must end with a newline")
    if any(character < " " and character != "\n" for character in set(text)):
        raise SignatureError("a note with a control character")
    return data


def write_note(text: str, signature: NoteSignature) -> str:
    """Text, blank line, signature."""
    note = f"{text}\n{signature.line()}"
    checked_text(note)
    return note


def read_note(note: str) -> tuple[str, list[NoteSignature]]:
    """The text of a note and all signatures below it, those of strangers too."""
    checked_text(note)
    border = note.rfind("\n\n")
    if border < 0:
        raise SignatureError("a note without a signature")
    text, below = note[: border + 1], note[border + 2 :]
    lines = below.removesuffix("\n").split("\n")
    if len(lines) > MOST_SIGNATURES:
        raise SignatureError(f"a note with more than {MOST_SIGNATURES} signatures")
    return text, [_signature(line) for line in lines]


def _signature(line: str) -> NoteSignature:
    name, _, encoded = line.removeprefix(DASH).partition(" ")
    if not line.startswith(DASH):
        raise SignatureError("a note with a line below it that is no signature")
    data = base64_exactly(encoded, "a note's signature")
    if len(data) <= 4:
        raise SignatureError("a note with a signature that is too short")
    return NoteSignature(_name(name), data[:4], data[4:])


def _name(name: str) -> str:
    # Any whitespace or plus sign would make a line, or a verifier key, that can be read in two ways.
    if not name or len(name) > LONGEST_NAME or "+" in name or not name.isprintable() or any(map(str.isspace, name)):
        raise SignatureError(f"not a name for a note's signature: {name[:80]!a}")
    return name
