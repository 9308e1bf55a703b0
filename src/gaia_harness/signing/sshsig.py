"""SSH signature files, and the bytes that their signatures cover (OpenSSH, PROTOCOL.sshsig)."""

import base64
import hashlib
import struct

import msgspec

from gaia_harness.signing.wire import SignatureError, SshReader, base64_exactly, ssh_string

MAGIC = b"SSHSIG"
BEGIN = "-----BEGIN SSH SIGNATURE-----\n"
END = "-----END SSH SIGNATURE-----\n"
LINE = 70  # as ssh-keygen breaks them
LARGEST = 64 * 1024
HASHES = {"sha512": hashlib.sha512, "sha256": hashlib.sha256}
LONGEST_NAMESPACE = 200


class SshSignature(msgspec.Struct, frozen=True):
    """A signature and its key, both as SSH writes them, and what the signature is for."""

    key: bytes
    namespace: str
    signature: bytes
    hash_name: str = "sha512"


def signed_bytes(namespace: str, hash_name: str, data: bytes) -> bytes:
    """The bytes to sign: the namespace is among them, so that a signature for git is none for us."""
    digest = HASHES[hash_name](data).digest()
    return MAGIC + b"".join(map(ssh_string, (_checked(namespace).encode(), b"", hash_name.encode(), digest)))


def write_armored(signature: SshSignature) -> str:
    """The signature as `ssh-keygen -Y sign` writes it."""
    parts = (signature.key, signature.namespace.encode(), b"", signature.hash_name.encode(), signature.signature)
    text = base64.b64encode(MAGIC + struct.pack(">I", 1) + b"".join(map(ssh_string, parts))).decode()
    lines = (text[at : at + LINE] + "\n" for at in range(0, len(text), LINE))
    return BEGIN + "".join(lines) + END


def read_armored(text: str) -> SshSignature:
    """The signature in text that is, to the last byte, as `ssh-keygen` writes it."""
    if len(text) > LARGEST:
        raise SignatureError(f"an SSH signature of more than {LARGEST} characters")
    if not (text.startswith(BEGIN) and text.endswith(END)):
        raise SignatureError("not an SSH signature")
    blob = base64_exactly(text[len(BEGIN) : -len(END)].replace("\n", ""), "the SSH signature")
    reader = SshReader(blob, "the SSH signature")
    if reader.take(len(MAGIC)) != MAGIC or reader.number() != 1:
        raise SignatureError("not an SSH signature of version 1")
    key, namespace, reserved, hash_name, signature = (reader.string() for _ in range(5))
    reader.end()
    if reserved:
        raise SignatureError("the SSH signature has something in its reserved field")
    found = SshSignature(key, _text(namespace), signature, _text(hash_name))
    if found.hash_name not in HASHES:
        raise SignatureError("the SSH signature is over an unknown kind of hash")
    if write_armored(found) != text:
        raise SignatureError("the SSH signature has its lines broken in an unusual way")
    return found


def _checked(namespace: str) -> str:
    if not (namespace.isascii() and namespace.isprintable() and 0 < len(namespace) <= LONGEST_NAMESPACE):
        raise SignatureError(f"not a namespace: {namespace[:80]!a}")
    return namespace


def _text(data: bytes) -> str:
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        raise SignatureError("the SSH signature has a name that is not ASCII") from None
