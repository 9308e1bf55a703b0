"""Signed notes: Go's own example, cosigners, and every way to write one wrongly."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.signing import notes
from gaia_harness.signing.signers import LocalSigner, PublicKey, SignatureError, open_note, sign_note, verifier_key

# The example of golang.org/x/mod/sumdb/note
NAME = "PeterNeumann"
SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
VERIFIER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
NOTE = (
    TEXT + "\n— PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
SIGNER = LocalSigner(base64.b64decode(SECRET.split("+c74f20a3+")[1])[1:])
STRANGER = LocalSigner(bytes(range(32)))
LINE = NOTE.splitlines()[-1]


def refused(note: str, *, because: str | None = None, name: str = NAME, key: PublicKey = SIGNER.public) -> None:
    with pytest.raises(SignatureError, match=because):
        open_note(note, name, key)


def test_the_example_of_the_go_library():
    assert verifier_key(NAME, SIGNER.public) == VERIFIER
    assert sign_note(SIGNER, NAME, TEXT) == NOTE
    assert open_note(NOTE, NAME, SIGNER.public) == TEXT


def test_others_may_have_signed_too():
    theirs = sign_note(STRANGER, "witness.example", TEXT).splitlines()[-1]
    both = f"{TEXT}\n{theirs}\n{LINE}\n"
    assert open_note(both, NAME, SIGNER.public) == TEXT
    assert open_note(both, "witness.example", STRANGER.public) == TEXT


def test_another_name_or_key_is_refused():
    refused(NOTE, name="Somebody", because="0 signatures by 'Somebody'")
    refused(NOTE, key=STRANGER.public, because="0 signatures")


def test_a_signature_that_claims_to_be_ours_must_fit():
    other = sign_note(SIGNER, NAME, "something else\n").splitlines()[-1]
    refused(f"{TEXT}\n{other}\n", because="does not fit")
    refused(f"{TEXT}\n{LINE}\n{other}\n", because="2 signatures")


@pytest.mark.parametrize("text", ["a\n\nb\n", "a\n\n", "\n", "— x AAAA\n", "origin\n12\nq83v\n", "äöü 漢字\n"])
def test_odd_texts_come_back(text):
    assert open_note(sign_note(STRANGER, "log.example/run", text), "log.example/run", STRANGER.public) == text


@pytest.mark.parametrize(
    ("note", "because"),
    [
        ("", "end with a newline"),
        ("\n", "without a signature"),
        (TEXT, "without a signature"),
        (TEXT + "\n", "no signature"),
        (NOTE[:-1], "end with a newline"),
        (NOTE + "\n", "no signature"),
        (NOTE + "x\n", "no signature"),
        (NOTE.replace("— Peter", "- Peter"), "no signature"),
        (NOTE.replace("— Peter", "—  Peter"), "base64|not a name"),
        (NOTE.replace(" x08go", "  x08go"), "base64"),
        (NOTE.replace("AM=\n", "AM\n"), "base64"),
        (NOTE.replace("AM=\n", "AN=\n"), "unusual way"),
        (NOTE.replace("AM=\n", "AM==\n"), "base64"),
        (NOTE.replace("\n", "\r\n"), "control character"),
        (NOTE.replace("problem is", "problem\tis"), "control character"),
        (NOTE.replace("problem is", "problem\0is"), "control character"),
        (NOTE.replace("problem is", "problem \ud800"), "lone surrogate"),
        (NOTE.replace("problem is", "problem  is"), "does not fit"),
        (f"{TEXT}\n— {NAME} x08gowA=\n", "64 bytes, not 1"),
        (f"{TEXT}\n— {NAME} x08gow==\n", "too short"),
        (f"{TEXT}\n— {NAME}\n", "too short"),
        (f"{TEXT}\n— a+b AAAAAAAA\n{LINE}\n", "not a name"),
        (f"{TEXT}\n" + f"{LINE}\n" * 101, "more than 100 signatures"),
        ("x" * 1_000_000 + NOTE, "more than 1000000 bytes"),
    ],
)
def test_a_malformed_note_is_refused(note, because):
    refused(note, because=because)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\u2003b", "a\nb", "x" * 201, "\ud800"])
def test_a_name_that_cannot_stand_in_a_note_is_refused(name):
    with pytest.raises(SignatureError, match="not a name"):
        sign_note(SIGNER, name, TEXT)
    refused(NOTE, name=name, because="not a name")


@pytest.mark.parametrize("text", ["", "no newline", "a\tb\n", "\ud800\n", "x" * 999_950 + "\n"])
def test_a_text_that_cannot_be_a_note_is_not_signed(text):
    with pytest.raises(SignatureError):
        sign_note(SIGNER, NAME, text)


def test_every_flipped_bit_is_seen():
    data = NOTE.encode()
    for bit in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        refused(flipped.decode("utf-8", "surrogateescape"))


@given(st.text(max_size=100), st.text(max_size=100))
def test_any_note_is_an_error_of_ours_or_signed(text, below):
    refused(text)
    refused(f"{text}\n\n— {NAME} {below}\n")
    refused(f"{text}\n{notes.NoteSignature(NAME, notes.key_hash(NAME, SIGNER.public.raw), bytes(64)).line()}")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.just("\n"), max_size=80), st.integers(0, 10**6))
def test_any_text_comes_back_and_any_change_is_seen(text, place):
    note = sign_note(STRANGER, "x", text + "\n")
    assert open_note(note, "x", STRANGER.public) == text + "\n"
    at = place % len(note)
    refused(note[:at] + note[at + 1 :], name="x", key=STRANGER.public)
