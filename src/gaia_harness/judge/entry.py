"""The format of an entry of the judge's cache, and its signature.

    {"judgment": {"task_id": …, "question": …, "answer": …, "expected": …, "model": …, "address": …,
                  "prompt_version": …, "verdict": true, "reason": …, "cache_key": …},
     "envelope": {"payloadType": …, "payload": …, "signatures": [{"keyid": …, "sig": …}]}}

`envelope` is a DSSE envelope; its payload is the judgment as canonical JSON (RFC 8785), with the entry's own key in
it. `judgment` is the same for people to read; it must say the same, and nothing is ever taken from it.

Entries of version 0.1 have neither question nor address. They lie under other keys, so that nobody asks for them.
"""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import msgspec
import rfc8785

from gaia_harness import strict_json
from gaia_harness.errors import GaiaError
from gaia_harness.judge.verdict import LONGEST_REASON, JudgeVerdict
from gaia_harness.signing.signers import PublicKey, SignatureError, Signer, open_dsse, sign_dsse

PAYLOAD_TYPE = "application/vnd.gaia-harness.judgment.v2+json"

_PARTS = {"judgment", "envelope"}
# Whatever has one of these was once signed; entries of the old kind had none of them.
_SIGNED_FORMAT = _PARTS | {"payload", "payloadType", "signatures", "cache_key"}


class JudgeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The request to a judge: everything that its verdict may depend on.

    `address` is where the model is asked: behind the same name another server may have another model.
    """

    task_id: str
    question: str
    answer: str
    expected: str
    model: str
    address: str
    prompt_version: str

    def key(self) -> str | None:
        """The entry's key in lowercase hex; None for text with lone surrogates, which has no canonical JSON."""
        try:
            canonical = rfc8785.dumps(list(msgspec.structs.astuple(self)))
        except rfc8785.CanonicalizationError:
            return None
        return hashlib.sha256(canonical).hexdigest()


class EntryError(GaiaError):
    """An entry is not what it must be. `kind` is `format`, `signature` or `fields`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class UnsignedEntry(GaiaError):
    """An entry of the old kind: a plain object that nobody signed."""


def write_entry(asked: JudgeRequest, key: str, verdict: JudgeVerdict, signer: Signer) -> bytes:
    """The signed entry, as it stands in its file."""
    judgment = _judgment(asked, key, verdict.correct, verdict.reason)
    envelope = sign_dsse(signer, PAYLOAD_TYPE, rfc8785.dumps(judgment))
    entry = {"judgment": judgment, "envelope": strict_json.loads(envelope, where="envelope")}
    return json.dumps(entry, indent=2, ensure_ascii=False).encode() + b"\n"


def read_entry(data: bytes, asked: JudgeRequest, key: str, keys: Iterable[PublicKey]) -> tuple[JudgeVerdict, PublicKey]:
    """The verdict of an entry and whose signature it bears, if it is about exactly what was asked.

    Raises `UnsignedEntry` for one of the old kind and `EntryError` for anything else.
    """
    try:
        entry = strict_json.loads(data, where="entry")
    except strict_json.JsonError as error:
        raise EntryError("format", error.message) from None
    if type(entry) is dict and entry and not entry.keys() & _SIGNED_FORMAT:
        raise UnsignedEntry("not signed")
    if type(entry) is not dict or entry.keys() != _PARTS or type(entry["judgment"]) is not dict:
        raise EntryError("format", "not an object of judgment and envelope alone")
    try:
        payload, signed_by = open_dsse(msgspec.json.encode(entry["envelope"]), PAYLOAD_TYPE, keys)
        signed = strict_json.loads(payload, where="payload")
    except SignatureError as error:
        raise EntryError("signature", error.message) from None
    except strict_json.JsonError as error:
        raise EntryError("format", error.message) from None
    return _verdict(signed, entry["judgment"], asked, key), signed_by


def _verdict(signed: Any, shown: dict[str, Any], asked: JudgeRequest, key: str) -> JudgeVerdict:
    if type(signed) is not dict:
        raise EntryError("format", "the signed payload is not a judgment")
    verdict, reason = signed.get("verdict"), signed.get("reason")
    if type(verdict) is not bool or type(reason) is not str or len(reason) > LONGEST_REASON:
        raise EntryError("format", "the signed payload is not a judgment")
    wanted = _judgment(asked, key, verdict, reason)
    if signed != wanted:
        raise EntryError("fields", f"signed for something else: {_differing(signed, wanted)}")
    if shown != signed or shown["verdict"] is not verdict:  # 1 equals True
        raise EntryError("fields", f"changed after it was signed: {_differing(shown, signed)}")
    return JudgeVerdict(verdict, reason)


def _judgment(asked: JudgeRequest, key: str, verdict: bool, reason: str) -> dict[str, Any]:
    return {
        **msgspec.structs.asdict(asked),
        "verdict": verdict,
        "reason": reason,
        "cache_key": key,
    }


def _differing(one: dict[str, Any], other: dict[str, Any]) -> str:
    """The names under which `one` says something else than `other`; names that no judgment has only as `others`."""
    names = [
        name
        for name, value in other.items()
        if name not in one or type(one[name]) is not type(value) or one[name] != value
    ]
    return ", ".join([*names, "others"] if one.keys() - other.keys() else names)
