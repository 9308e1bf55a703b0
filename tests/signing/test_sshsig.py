"""SSH signatures: ssh-keygen makes the same bytes and each verifies the other's; nothing is read in two ways."""

import base64
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.signing import sshsig
from gaia_harness.signing.signers import LocalSigner, SignatureError, check_ssh, sign_ssh
from gaia_harness.signing.wire import ssh_string

NAMESPACE = "gaia-submission-v1"
SIGNER = LocalSigner(bytes(range(32)))
STRANGER = LocalSigner(bytes(range(1, 33)))
DATA = b"5e88  results.jsonl\n"
ARMORED = sign_ssh(SIGNER, NAMESPACE, DATA)


def refused(armored: str, *, because: str | None = None, namespace: str = NAMESPACE, data: bytes = DATA) -> None:
    with pytest.raises(SignatureError, match=because):
        check_ssh(armored, namespace, data, [SIGNER.public])


def blob() -> bytes:
    return base64.b64decode("".join(ARMORED.splitlines()[1:-1]))


def armor(data: bytes) -> str:
    text = base64.b64encode(data).decode()
    return sshsig.BEGIN + "".join(text[at : at + 70] + "\n" for at in range(0, len(text), 70)) + sshsig.END


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key"
    path.touch(0o600)
    path.write_bytes(SIGNER.private_openssh(None))
    return path


def keygen_sign(key, data: bytes, *options: str) -> str:
    return subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-f", key, *options], input=data, capture_output=True, check=True
    ).stdout.decode()


@pytest.mark.parametrize("data", [b"", DATA, bytes(range(256)) * 40])
@pytest.mark.parametrize("namespace", [NAMESPACE, "git", "a"])
def test_ssh_keygen_makes_the_same_bytes(key, data, namespace):
    theirs = keygen_sign(key, data, "-n", namespace)
    assert sign_ssh(SIGNER, namespace, data) == theirs
    assert check_ssh(theirs, namespace, data, [STRANGER.public, SIGNER.public]) == SIGNER.public


def test_ssh_keygen_verifies_ours_and_not_over_other_data(tmp_path):
    (tmp_path / "signers").write_text(f"ada {SIGNER.public.openssh()}\n")
    (tmp_path / "sig").write_text(ARMORED)
    check = ["ssh-keygen", "-Y", "verify", "-f", tmp_path / "signers", "-I", "ada", "-s", tmp_path / "sig", "-n"]
    done = subprocess.run([*check, NAMESPACE], input=DATA, capture_output=True, check=True)
    assert SIGNER.public.fingerprint in done.stdout.decode()
    assert subprocess.run([*check, NAMESPACE], input=DATA + b"x", capture_output=True, check=False).returncode
    assert subprocess.run([*check, "git"], input=DATA, capture_output=True, check=False).returncode


def test_a_signature_over_a_sha256_hash_is_good_too(key):
    assert check_ssh(keygen_sign(key, DATA, "-n", "git", "-O", "hashalg=sha256"), "git", DATA, [SIGNER.public])


def test_another_namespace_other_data_another_key_are_refused():
    refused(ARMORED, namespace="git", because="is for 'gaia-submission-v1'")
    refused(ARMORED, data=DATA + b"x", because="does not fit")
    refused(sign_ssh(STRANGER, NAMESPACE, DATA), because="unknown key")
    with pytest.raises(SignatureError, match="unknown key"):
        check_ssh(ARMORED, NAMESPACE, DATA, [])


def test_the_namespace_is_signed():
    parts = blob().replace(ssh_string(NAMESPACE.encode()), ssh_string(b"git"))
    refused(armor(parts), namespace="git", because="does not fit")


def part(old: bytes, new: bytes) -> str:
    assert old in blob()
    return armor(blob().replace(old, new, 1))


@pytest.mark.parametrize(
    ("armored", "because"),
    [
        ("", "not an SSH signature"),
        (sshsig.BEGIN + sshsig.END, "cut short"),
        (ARMORED + ARMORED, "base64"),
        (ARMORED + "\n", "not an SSH signature"),
        ("\n" + ARMORED, "not an SSH signature"),
        (ARMORED.replace("\n", "\r\n"), "not an SSH signature"),
        (ARMORED[: len(sshsig.BEGIN)] + "\n" + ARMORED[len(sshsig.BEGIN) :], "unusual way"),
        (ARMORED[: len(sshsig.BEGIN)] + " " + ARMORED[len(sshsig.BEGIN) :], "base64"),
        (armor(blob() + b"x"), "behind its end"),
        (armor(blob()[:-1]), "cut short"),
        (part(b"SSHSIG\0\0\0\1", b"SSHSIG\0\0\0\2"), "version 1"),
        (part(b"SSHSIG", b"sshsig"), "version 1"),
        (part(b"\0\0\0\0\0\0\0\6sha512", b"\0\0\0\1x\0\0\0\6sha512"), "reserved field"),
        (part(b"\0\0\0\6sha512", b"\0\0\0\4sha1"), "unknown kind of hash"),
        (part(b"sha512", b"sha25\xb6"), "not ASCII"),
        (armor(blob()[:-83] + ssh_string(ssh_string(b"ssh-rsa") + ssh_string(bytes(64)))), "not an Ed25519 signature"),
        (armor(blob()[:-87] + ssh_string(ssh_string(b"ssh-ed25519") + ssh_string(bytes(63)))), "64 bytes, not 63"),
        (armor(blob()[:-87] + ssh_string(blob()[-83:] + b"x")), "behind its end"),
        ("x" * 70_000, "more than"),
    ],
)
def test_a_malformed_signature_is_refused(armored, because):
    refused(armored, because=because)


def test_a_key_of_small_order_in_the_signature_is_just_unknown():
    refused(part(SIGNER.public.raw, (1).to_bytes(32, "little")), because="unknown key")


@pytest.mark.parametrize("namespace", ["", "ü", "a\n", "x" * 201])
def test_a_namespace_that_is_none_is_refused(namespace):
    with pytest.raises(SignatureError, match="not a namespace"):
        sign_ssh(SIGNER, namespace, DATA)


def test_every_flipped_bit_is_seen():
    for bit in range(len(ARMORED) * 8):
        flipped = bytearray(ARMORED.encode())
        flipped[bit // 8] ^= 1 << bit % 8
        refused(flipped.decode("latin-1"))


@given(st.text(max_size=200), st.binary(max_size=200))
def test_anything_else_is_an_error_of_ours(text, data):
    refused(text)
    refused(sshsig.BEGIN + text + sshsig.END)
    refused(armor(data))
    refused(armor(b"SSHSIG\0\0\0\1" + data))
