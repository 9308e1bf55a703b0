"""DSSE envelopes, and the bytes that their signatures cover (secure-systems-lab/dsse, version 1)."""

import base64
import json

import msgspec

from gaia_harness import strict_json
from gaia_harness.signing.wire import SignatureError, base64_exactly

LARGEST = 16 * 1024 * 1024
"""Bytes of an envelope. Nothing of ours comes near."""

LONGEST_TYPE = 200


class Envelope(msgspec.Struct, frozen=True):
    """A payload, what kind of thing it is, and one signature over both."""

    payload_type: str
    payload: bytes
    key_id: str
    signature: bytes


def pae(payload_type: str, payload: bytes) -> bytes:
    """The bytes to sign: type and payload with their lengths, so that neither can be taken for the other."""
    if not (payload_type.isascii() and payload_type.isprintable() and 0 < len(payload_type) <= LONGEST_TYPE):
        raise SignatureError(f"not a payload type: {payload_type[:80]!a}")
    return b"DSSEv1 %d %b %d %b" % (len(payload_type), payload_type.encode(), len(payload), payload)


def write_envelope(envelope: Envelope) -> bytes:
    """The envelope as compact JSON."""
    value = {
        "payloadType": envelope.payload_type,
        "payload": base64.b64encode(envelope.payload).decode(),
        "signatures": [{"keyid": envelope.key_id, "sig": base64.b64encode(envelope.signature).decode()}],
    }
    data = json.dumps(value, separators=(",", ":")).encode()
    if len(data) > LARGEST:
        raise SignatureError(f"an envelope of more than {LARGEST} bytes")
    return data


def read_envelope(data: bytes) -> Envelope:
    """The envelope in JSON with exactly an envelope's names and exactly one signature, which names its key."""
    if len(data) > LARGEST:
        raise SignatureError(f"an envelope of more than {LARGEST} bytes")
    try:
        value = strict_json.loads(data, where="the envelope")
    except strict_json.JsonError as error:
        raise SignatureError(error.message) from None
    payload_type, payload, signatures = _fields(value, "the envelope", ("payloadType", "payload", "signatures"))
    if not isinstance(signatures, list) or len(signatures) != 1:
        raise SignatureError("the envelope must have exactly one signature")
    key_id, signature = _fields(signatures[0], "the envelope's signature", ("keyid", "sig"))
    envelope = Envelope(
        payload_type=_text(payload_type, "the payload type"),
        payload=base64_exactly(_text(payload, "the payload"), "the payload"),
        key_id=_text(key_id, "the key id"),
        signature=base64_exactly(_text(signature, "the signature"), "the signature"),
    )
    if write_envelope(envelope) != data:  # else bytes could change that no signature covers
        raise SignatureError("the envelope is not written as it must be: compact JSON in this order, nothing around it")
    return envelope


def _fields(value: object, what: str, names: tuple[str, ...]) -> list[object]:
    if not isinstance(value, dict) or value.keys() != set(names):
        raise SignatureError(f"{what} must be an object with exactly the names {', '.join(names)}")
    return [value[name] for name in names]


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise SignatureError(f"{what} is not text")
    return value
