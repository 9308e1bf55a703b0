"""DSSE envelopes: the specification's example, openssl's opinion, and every way to write one wrongly."""

import base64
import json
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.signing import dsse
from gaia_harness.signing.signers import LocalSigner, SignatureError, open_dsse, sign_dsse

TYPE = "application/vnd.example+json"
SIGNER = LocalSigner(bytes(range(32)))
STRANGER = LocalSigner(bytes(range(1, 33)))
PAYLOAD = b'{"verdict":true,"key":"6f"}'
ENVELOPE = sign_dsse(SIGNER, TYPE, PAYLOAD)


def refused(envelope: bytes, *, because: str | None = None) -> None:
    with pytest.raises(SignatureError, match=because):
        open_dsse(envelope, TYPE, [SIGNER.public])


def changed(**fields: object) -> bytes:
    return json.dumps(json.loads(ENVELOPE) | fields, separators=(",", ":")).encode()


def with_signature(**fields: object) -> bytes:
    (signature,) = json.loads(ENVELOPE)["signatures"]
    return changed(signatures=[signature | fields])


def test_the_example_of_the_specification():
    assert dsse.pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
    assert dsse.pae("a", b"") == b"DSSEv1 1 a 0 "


def test_an_envelope_opens_and_tells_which_key_signed():
    keys = [STRANGER.public, SIGNER.public]
    assert open_dsse(ENVELOPE, TYPE, keys) == (PAYLOAD, SIGNER.public)
    assert open_dsse(ENVELOPE, TYPE, iter(keys)) == (PAYLOAD, SIGNER.public)


def test_an_envelope_is_compact_json_with_the_names_of_the_specification():
    value = json.loads(ENVELOPE)
    assert json.dumps(value, separators=(",", ":")).encode() == ENVELOPE
    assert value["payloadType"] == TYPE
    assert base64.b64decode(value["payload"]) == PAYLOAD
    (signature,) = value["signatures"]
    assert signature["keyid"] == SIGNER.public.key_id
    assert set(value) == {"payload", "payloadType", "signatures"}


def test_openssl_verifies_the_signature(tmp_path):
    (signature,) = json.loads(ENVELOPE)["signatures"]
    (tmp_path / "signature").write_bytes(base64.b64decode(signature["sig"]))
    (tmp_path / "key.der").write_bytes(bytes.fromhex("302a300506032b6570032100") + SIGNER.public.raw)
    check = [
        "openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", tmp_path / "key.der", "-keyform", "DER",
        "-sigfile", tmp_path / "signature", "-in",
    ]  # fmt: skip
    (tmp_path / "signed").write_bytes(b"DSSEv1 28 application/vnd.example+json 27 " + PAYLOAD)
    subprocess.run([*check, tmp_path / "signed"], check=True, capture_output=True)
    (tmp_path / "other").write_bytes(b"DSSEv1 28 application/vnd.example+json 27 " + PAYLOAD.replace(b"6f", b"6e"))
    assert subprocess.run([*check, tmp_path / "other"], check=False, capture_output=True).returncode != 0


def test_a_signature_for_another_purpose_is_refused():
    with pytest.raises(SignatureError, match=r"holds 'application/vnd\.example"):
        open_dsse(ENVELOPE, "application/vnd.other+json", [SIGNER.public])
    refused(changed(payloadType="application/vnd.other+json"), because="holds")
    with pytest.raises(SignatureError, match="does not fit"):
        open_dsse(changed(payloadType="application/vnd.other+json"), "application/vnd.other+json", [SIGNER.public])


def test_a_strangers_signature_is_refused():
    refused(sign_dsse(STRANGER, TYPE, PAYLOAD), because="unknown key")
    forged = json.loads(sign_dsse(STRANGER, TYPE, PAYLOAD))["signatures"][0]["sig"]
    refused(with_signature(sig=forged), because="does not fit")
    with pytest.raises(SignatureError, match="unknown key"):
        open_dsse(ENVELOPE, TYPE, [])


def test_the_signature_of_another_payload_is_refused():
    other = json.loads(sign_dsse(SIGNER, TYPE, b"{}"))
    refused(changed(signatures=other["signatures"]), because="does not fit")


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


SIG = json.loads(ENVELOPE)["signatures"][0]["sig"]


@pytest.mark.parametrize(
    ("envelope", "because"),
    [
        (b"", "not JSON"),
        (b"[]", "exactly the names"),
        (b"null", "exactly the names"),
        (ENVELOPE + b"x", "not JSON"),
        (ENVELOPE + ENVELOPE, "not JSON"),
        (ENVELOPE.replace(b"{", b'{"payload":"",', 1), "stands twice"),
        (ENVELOPE.replace(b'"keyid"', b'"sig":"","keyid"'), "stands twice"),
        (b"\xef\xbb\xbf" + ENVELOPE, "not JSON"),
        (changed(extra=1), "exactly the names"),
        (with_signature(cert="x"), "exactly the names"),
        (changed(signatures=[]), "exactly one signature"),
        (changed(signatures=json.loads(ENVELOPE)["signatures"] * 2), "exactly one signature"),
        (changed(signatures={"0": {}}), "exactly one signature"),
        (changed(signatures=[{"sig": SIG}]), "exactly the names"),
        (changed(signatures=[None]), "exactly the names"),
        (changed(payload=None), "the payload is not text"),
        (changed(payloadType=7), "the payload type is not text"),
        (with_signature(keyid=7), "the key id is not text"),
        (with_signature(keyid=""), "unknown key"),
        (with_signature(keyid=SIGNER.public.key_id.upper()), "unknown key"),
        (with_signature(sig=None), "the signature is not text"),
        (with_signature(sig=SIG.rstrip("=")), "not base64"),
        (with_signature(sig=SIG + "="), "base64"),
        (with_signature(sig=SIG + "\n"), "base64"),
        (with_signature(sig=" " + SIG), "base64"),
        (with_signature(sig="é" + SIG), "base64"),
        (with_signature(sig=SIG[:-3] + chr(ord(SIG[-3]) + 1) + "=="), "unusual way"),
        (with_signature(sig=""), "64 bytes, not 0"),
        (with_signature(sig=b64(bytes(65))), "64 bytes, not 65"),
        (changed(payload=base64.urlsafe_b64encode(b"\xff\xfe\xfd").decode()), "not base64"),
        (b"[" * 100_000, "nested deeper"),
        (b" " * (dsse.LARGEST + 1), "more than"),
    ],
)
def test_a_malformed_envelope_is_refused(envelope, because):
    refused(envelope, because=because)


@pytest.mark.parametrize("payload_type", ["", "x" * 201, "täxt", "a\nb"])
def test_a_payload_type_that_is_none_is_refused(payload_type):
    with pytest.raises(SignatureError, match="not a payload type"):
        sign_dsse(SIGNER, payload_type, b"")


def test_an_envelope_that_nobody_would_open_is_not_made():
    with pytest.raises(SignatureError, match="more than"):
        sign_dsse(SIGNER, TYPE, bytes(dsse.LARGEST))


def test_every_flipped_bit_is_seen():
    for bit in range(len(ENVELOPE) * 8):
        flipped = bytearray(ENVELOPE)
        flipped[bit // 8] ^= 1 << bit % 8
        refused(bytes(flipped))


@given(st.binary(max_size=300), st.binary(max_size=20))
def test_any_payload_comes_back_and_any_cut_or_addition_is_refused(payload, more):
    envelope = sign_dsse(SIGNER, TYPE, payload)
    assert open_dsse(envelope, TYPE, [SIGNER.public]) == (payload, SIGNER.public)
    refused(envelope[: -len(more) - 1])
    if more.strip(b" \t\r\n"):  # whitespace around JSON says nothing
        refused(envelope + more)


@given(st.integers(0, len(ENVELOPE) - 1), st.integers(0, 255))
def test_any_other_byte_at_any_place_is_refused(place, byte):
    other = ENVELOPE[:place] + bytes([byte]) + ENVELOPE[place + 1 :]
    if other != ENVELOPE:
        refused(other)


@given(
    st.binary(max_size=100)
    | st.recursive(st.none() | st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["payload", "payloadType", "signatures", "keyid", "sig"]), inner)).map(
        lambda value: json.dumps(value).encode())
)  # fmt: skip
def test_anything_else_is_an_error_of_ours(data):
    refused(data)
