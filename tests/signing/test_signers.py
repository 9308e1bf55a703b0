"""Keys and bare signatures: by RFC 8032, by Wycheproof, by ed25519-speccheck, by openssl, and by properties."""

import ast
import base64
import contextlib
import hashlib
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaia_harness
from gaia_harness.errors import GaiaError
from gaia_harness.signing import signers as signing
from gaia_harness.signing.signers import (
    LocalSigner,
    PassphraseError,
    PublicKey,
    SignatureError,
    generate_signer,
    load_private,
    public_of_private,
    verify,
)
from vectors import vectors

SIGNER = LocalSigner(bytes(range(32)))
PLAIN = SIGNER.private_openssh(None)
ENCRYPTED = SIGNER.private_openssh(b"open sesame")
P = 2**255 - 19

# RFC 8032, section 7.1: secret key, public key, message, signature
RFC_8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


def holds(key: bytes, signature: bytes, data: bytes) -> bool:
    try:
        verify(PublicKey(key), signature, data)
    except SignatureError:
        return False
    return True


@pytest.mark.parametrize(("secret", "public", "message", "signature"), RFC_8032)
def test_rfc_8032(secret, public, message, signature):
    signer = LocalSigner(bytes.fromhex(secret))
    assert signer.public.raw.hex() == public
    assert signer.sign(bytes.fromhex(message)).hex() == signature
    verify(signer.public, bytes.fromhex(signature), bytes.fromhex(message))


def test_the_thousand_signatures_that_came_with_ed25519():
    found = pytest.importorskip("cryptography_vectors", reason="the package cryptography-vectors is not installed")
    with found.open_vector_file("asymmetric/Ed25519/sign.input", "r") as file:
        cases = [[bytes.fromhex(part) for part in line.split(":")[:4]] for line in file]
    assert len(cases) == 1024
    for secret_and_public, public, message, signed in cases:
        signer = LocalSigner(secret_and_public[:32])
        assert signer.public.raw == public
        assert signer.sign(message) + message == signed
        verify(signer.public, signed[:64], message)


def test_every_verdict_of_wycheproof():
    data = vectors("ed25519_wycheproof.json")
    cases = [(group["publicKey"]["pk"], case) for group in data["testGroups"] for case in group["tests"]]
    assert len(cases) == 151
    for key, case in cases:
        verdict = holds(bytes.fromhex(key), bytes.fromhex(case["sig"]), bytes.fromhex(case["msg"]))
        assert verdict is (case["result"] == "valid"), case["comment"]


# What we say to ed25519-speccheck's cases. 0, 1, 10, 11: a key of small order. 2: R of small order. 4, 5: fit only
# when multiplied by the cofactor, which OpenSSH and OpenSSL do not. 6, 7: S not reduced. 8, 9: R not canonical.
# 3 holds: key and R have a part of small order each, but fit exactly, and every verifier says so.
SPECCHECK_HOLDS = {3}


def test_edge_cases_of_speccheck():
    cases = vectors("ed25519_speccheck.json")
    assert len(cases) == 12
    parts = [[bytes.fromhex(case[name]) for name in ("pub_key", "signature", "message")] for case in cases]
    assert {number for number, case in enumerate(parts) if holds(*case)} == SPECCHECK_HOLDS


def test_one_signature_for_every_message_is_refused():
    """Speccheck's case 0 as figures: with this key of order 8, S = 0 and R of small order, any message may fit."""
    key = bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa")
    with pytest.raises(SignatureError, match="small order"):
        PublicKey(key)
    with pytest.raises(SignatureError, match="small order"):
        verify(SIGNER.public, key + bytes(32), b"anything")


def torsion() -> set[int]:
    """The y of all points of order 1, 2, 4 and 8, worked out from the curve's equation."""
    d = -121665 * pow(121666, -1, P) % P
    # Doubling to a point of order 4 (y = 0): y² = -x², so -d·y⁴ - 2y² + 1 = 0 (RFC 8032, section 5.1: a = -1).
    root = pow(1 + d, (P + 3) // 8, P)
    if root * root % P != (1 + d) % P:
        root = root * pow(2, (P - 1) // 4, P) % P
    ys = {0, 1, P - 1}
    for sign in (1, -1):
        square = (-1 + sign * root) * pow(d, -1, P) % P
        y = pow(square, (P + 3) // 8, P)
        for candidate in (y, y * pow(2, (P - 1) // 4, P) % P):
            if candidate * candidate % P == square:
                ys |= {candidate, P - candidate}
    return ys


def test_the_points_of_small_order_are_all_known():
    assert torsion() == signing._SMALL_ORDER
    assert len(signing._SMALL_ORDER) == 5  # eight points: three pairs share a y


@pytest.mark.parametrize("sign", [0, 1 << 255])
@pytest.mark.parametrize("y", [*sorted(signing._SMALL_ORDER), *range(P, 2**255)])
def test_a_key_of_small_order_or_written_unusually_is_refused(y, sign):
    with pytest.raises(SignatureError, match=r"small order|not canonical"):
        PublicKey((y | sign).to_bytes(32, "little"))


def test_about_half_of_all_numbers_are_no_keys():
    refused = 0
    for number in range(2, 202):
        try:
            PublicKey(number.to_bytes(32, "little"))
        except SignatureError:
            refused += 1
    assert 70 < refused < 130


def test_a_number_without_a_point_is_no_key():
    with pytest.raises(SignatureError, match="no point of the curve"):
        PublicKey((2).to_bytes(32, "little"))


def test_a_key_cannot_be_made_past_the_checks():
    with pytest.raises(SignatureError, match="small order"):
        PublicKey(raw=(1).to_bytes(32, "little"))
    with pytest.raises(SignatureError, match="32 bytes, not 31"):
        PublicKey(raw=bytes(31))


@given(st.binary(max_size=80))
def test_any_bytes_are_a_key_or_an_error_of_ours(data):
    with contextlib.suppress(SignatureError):
        assert PublicKey(data).raw == data


@given(st.binary(max_size=60), st.integers(0, 511))
def test_a_flipped_bit_of_a_signature_is_seen(data, bit):
    signature = bytearray(SIGNER.sign(data))
    verify(SIGNER.public, bytes(signature), data)
    signature[bit // 8] ^= 1 << bit % 8
    with pytest.raises(SignatureError):
        verify(SIGNER.public, bytes(signature), data)


@pytest.mark.parametrize("length", [0, 63, 65, 128])
def test_a_signature_of_another_length_is_refused(length):
    with pytest.raises(SignatureError, match=f"64 bytes, not {length}"):
        verify(SIGNER.public, bytes(length), b"")


def test_openssl_prints_the_key_id(tmp_path):
    private = subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519"], capture_output=True, check=True).stdout
    pem = subprocess.run(["openssl", "pkey", "-pubout"], input=private, capture_output=True, check=True).stdout
    der = subprocess.run(
        ["openssl", "pkey", "-pubin", "-outform", "DER"], input=pem, capture_output=True, check=True
    ).stdout
    assert PublicKey(der[-32:]).key_id == hashlib.sha256(der).hexdigest()


def test_ssh_keygen_prints_the_fingerprint(tmp_path):
    public = tmp_path / "key.pub"
    public.write_text(SIGNER.public.openssh("ada@example.org") + "\n")
    shown = subprocess.run(["ssh-keygen", "-l", "-f", public], capture_output=True, text=True, check=True).stdout
    assert shown.split()[:3] == ["256", SIGNER.public.fingerprint, "ada@example.org"]


def test_a_public_key_line_comes_back():
    line = SIGNER.public.openssh("a comment of words")
    assert PublicKey.from_openssh(line) == PublicKey.from_openssh(line + "\n") == SIGNER.public
    assert SIGNER.public.openssh().count(" ") == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace("ssh-ed25519", "ssh-rsa"),
        lambda line: line + "\n" + line,
        lambda line: line.replace("AAAAC3", "AAAA C3"),
        lambda line: line.replace("AAAAC3", "AAAAC4"),
        lambda line: line + "AAAA",
        lambda line: line[:-4],
        lambda line: line + "=",
        lambda line: " " + line,
        lambda line: "",
        lambda line: "ssh-ed25519",
        lambda line: "ssh-ed25519 \udc80",
    ],
)
def test_a_damaged_public_key_line_is_refused(change):
    with pytest.raises(SignatureError):
        PublicKey.from_openssh(change(SIGNER.public.openssh()))


@given(st.text(max_size=100))
def test_any_text_is_no_public_key_line_or_an_error_of_ours(text):
    for line in (text, f"ssh-ed25519 {text}"):
        with pytest.raises(SignatureError):
            PublicKey.from_openssh(line)


def test_private_keys_come_back_with_and_without_a_passphrase():
    assert load_private(PLAIN, None).sign(b"x") == SIGNER.sign(b"x")
    assert load_private(PLAIN, b"not needed").public == SIGNER.public
    assert load_private(ENCRYPTED, b"open sesame").public == SIGNER.public
    assert public_of_private(PLAIN) == public_of_private(ENCRYPTED) == SIGNER.public
    assert generate_signer().public != generate_signer().public


def test_ssh_keygen_reads_our_private_keys_and_we_read_its(tmp_path):
    for data, passphrase in ((PLAIN, ""), (ENCRYPTED, "open sesame")):
        ours = tmp_path / f"ours{len(passphrase)}"
        ours.touch(0o600)
        ours.write_bytes(data)
        shown = subprocess.run(
            ["ssh-keygen", "-y", "-P", passphrase, "-f", ours], capture_output=True, text=True, check=True
        ).stdout
        assert PublicKey.from_openssh(shown) == SIGNER.public
        theirs = tmp_path / f"theirs{len(passphrase)}"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", theirs], check=True)
        loaded = load_private(theirs.read_bytes(), passphrase.encode() or None)
        assert loaded.public == PublicKey.from_openssh((tmp_path / f"{theirs.name}.pub").read_text())


@pytest.mark.parametrize("passphrase", [None, b"", b"open sesame!"])
def test_a_missing_or_wrong_passphrase_is_said(passphrase):
    with pytest.raises(PassphraseError, match="passphrase"):
        load_private(ENCRYPTED, passphrase)


@pytest.mark.parametrize("passphrase", [b"", b"x" * 1024])
def test_a_passphrase_that_cannot_be_kept_is_refused(passphrase):
    with pytest.raises(PassphraseError, match="from 1 to 1023 bytes"):
        SIGNER.private_openssh(passphrase)


def test_a_private_key_of_another_kind_is_refused(tmp_path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-f", tmp_path / "key"], check=True)
    with pytest.raises(SignatureError, match="not an Ed25519 key"):
        load_private((tmp_path / "key").read_bytes(), None)


def test_a_private_key_that_does_not_fit_its_public_half_is_refused():
    text = PLAIN.splitlines()
    blob = bytearray(base64.b64decode(b"".join(text[1:-1])))
    blob[blob.rindex(bytes(range(32)))] ^= 1
    with pytest.raises(SignatureError, match="damaged"):
        load_private(b"\n".join([text[0], base64.b64encode(blob), text[-1]]), None)


@given(st.data())
def test_a_damaged_private_key_is_an_error_of_ours_or_the_same_key(data):
    damaged = bytearray(PLAIN)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(SignatureError):
        public_of_private(bytes(damaged))
    with contextlib.suppress(SignatureError):
        assert load_private(bytes(damaged), None).public == SIGNER.public


@given(st.binary(max_size=200))
def test_any_bytes_are_no_private_key(data):
    begin, end = PLAIN.splitlines()[0], PLAIN.splitlines()[-1]
    for text in (data, begin + data + end):
        with pytest.raises(SignatureError):
            load_private(text, None)


def test_errors_are_ours():
    assert issubclass(SignatureError, GaiaError)


def test_only_the_signing_module_imports_the_primitives():
    source = Path(gaia_harness.__file__).parent
    importers = set()
    libraries = {"cryptography", "nacl", "ed25519", "Crypto", "Cryptodome", "OpenSSL"}
    for path in source.rglob("*.py"):
        code = path.read_text("utf-8")
        for node in ast.walk(ast.parse(code)) if any(name in code for name in libraries) else ():
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            text = [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
            if any(name.split(".")[0] in libraries for name in names + text):
                importers.add(path.relative_to(source).as_posix())
    # the others make certificates, and seal keys for a worker: they sign no record
    assert importers == {"signing/signers.py", "box/authority.py", "attempts/sealing.py"}
