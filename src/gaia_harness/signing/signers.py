"""The one place where signatures are made and checked (Ed25519, RFC 8032).

Keys and signatures that one fixed signature could fit to every message, or that verifiers are known to
disagree about, are refused: see `_point`.
"""

import base64
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import msgspec
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_ssh_private_key,
)

from gaia_harness.signing import agent_socket, dsse, notes, sshsig
from gaia_harness.signing.wire import SignatureError, SshReader, base64_exactly, ssh_string

__all__ = [
    "AgentSigner",
    "LocalSigner",
    "PassphraseError",
    "PublicKey",
    "SignatureError",
    "Signer",
    "check_ssh",
    "generate_signer",
    "load_private",
    "open_dsse",
    "open_note",
    "public_of_private",
    "sign_dsse",
    "sign_note",
    "sign_ssh",
    "verifier_key",
    "verify",
]

KEY_TYPE = b"ssh-ed25519"
LONGEST_PASSPHRASE = 1023
LARGEST_PRIVATE = 64 * 1024

_SPKI = bytes.fromhex("302a300506032b6570032100")  # what stands before the key in DER (RFC 8410)
_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P
_EIGHTH = int("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16)
_SMALL_ORDER = frozenset({0, 1, _P - 1, _EIGHTH, _P - _EIGHTH})  # the y of the eight points whose order divides 8


class PassphraseError(SignatureError):
    """The private key needs a passphrase, or another one."""


class PublicKey(msgspec.Struct, frozen=True):
    """An Ed25519 public key. There is none that is of small order, written unusually, or no point at all."""

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != 32:
            raise SignatureError(f"a public key has 32 bytes, not {len(self.raw)}")
        y = _point(self.raw, "the public key")
        if pow((y * y - 1) * (_D * y * y + 1), (_P - 1) // 2, _P) != 1:
            raise SignatureError("the public key is no point of the curve")

    @classmethod
    def from_openssh(cls, line: str) -> "PublicKey":
        """The key in a line such as `ssh-ed25519 AAAA… comment`."""
        kind, _, rest = line.removesuffix("\n").partition(" ")
        if "\n" in rest or kind != "ssh-ed25519":
            raise SignatureError("not one line that begins with ssh-ed25519")
        return _from_blob(base64_exactly(rest.partition(" ")[0], "the public key"))

    @property
    def key_id(self) -> str:
        """What `openssl pkey -pubin -outform DER | sha256sum` prints."""
        return hashlib.sha256(_SPKI + self.raw).hexdigest()

    @property
    def fingerprint(self) -> str:
        """What `ssh-keygen -l` prints."""
        return "SHA256:" + base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")

    @property
    def blob(self) -> bytes:
        """The key as SSH writes it."""
        return ssh_string(KEY_TYPE) + ssh_string(self.raw)

    def openssh(self, comment: str = "") -> str:
        """The line for a `.pub` file, without its newline."""
        return f"ssh-ed25519 {base64.b64encode(self.blob).decode()} {comment}".rstrip()


class Signer(Protocol):
    """Signs with the private key of `public`."""

    @property
    def public(self) -> PublicKey:
        """The key by which others check."""

    def sign(self, data: bytes) -> bytes:
        """The 64 bytes of a signature over the data."""


class LocalSigner:
    """Signs with a private key in memory."""

    def __init__(self, seed: bytes) -> None:
        if len(seed) != 32:
            raise SignatureError(f"a private key has 32 bytes, not {len(seed)}")
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = PublicKey(self._private.public_key().public_bytes_raw())

    def sign(self, data: bytes) -> bytes:
        """The 64 bytes of a signature over the data."""
        return self._private.sign(data)

    def private_openssh(self, passphrase: bytes | None) -> bytes:
        """The private key as OpenSSH keeps it in a file."""
        if passphrase is None:
            return self._private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
        if not 0 < len(passphrase) <= LONGEST_PASSPHRASE:
            raise PassphraseError(f"a passphrase has from 1 to {LONGEST_PASSPHRASE} bytes")
        return self._private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, BestAvailableEncryption(passphrase))


class AgentSigner:
    """Signs with a private key that only an ssh-agent holds."""

    def __init__(self, agent: Path, public: PublicKey) -> None:
        self._agent = agent
        self.public = public

    def sign(self, data: bytes) -> bytes:
        """The 64 bytes of a signature over the data, checked before anybody sees them."""
        signature = _from_ssh_signature(agent_socket.signature_by(self._agent, self.public.blob, data))
        verify(self.public, signature, data)
        return signature

    def ready(self) -> bool:
        """Whether the agent holds the key now."""
        return self.public.blob in agent_socket.held_keys(self._agent)


def generate_signer() -> LocalSigner:
    """A new key, from the operating system's randomness."""
    return LocalSigner(Ed25519PrivateKey.generate().private_bytes_raw())


def load_private(data: bytes, passphrase: bytes | None) -> LocalSigner:
    """The signer in the contents of an OpenSSH private key file. A passphrase that is not needed is not looked at."""
    encrypted, public = _private_header(data)
    if encrypted and not passphrase:
        raise PassphraseError("the private key needs a passphrase")
    try:
        key = load_ssh_private_key(data, passphrase if encrypted else None)
    except (ValueError, TypeError, UnsupportedAlgorithm, OverflowError):
        if encrypted:
            raise PassphraseError("the passphrase does not open the private key") from None
        raise SignatureError("the private key is damaged") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise SignatureError("the private key is not an Ed25519 key")
    signer = LocalSigner(key.private_bytes_raw())
    if signer.public.blob != public:  # the library does not look
        raise SignatureError("the private key is damaged")
    return signer


def public_of_private(data: bytes) -> PublicKey:
    """The public half of an OpenSSH private key file, which needs no passphrase."""
    return _from_blob(_private_header(data)[1])


def verify(public: PublicKey, signature: bytes, data: bytes) -> None:
    """Returns if the signature is the key's over exactly this data, and raises `SignatureError` otherwise."""
    if len(signature) != 64:
        raise SignatureError(f"a signature has 64 bytes, not {len(signature)}")
    _point(signature[:32], "the signature")
    try:
        # The library refuses an S that is not canonical; the vectors in the tests keep watch over it.
        Ed25519PublicKey.from_public_bytes(public.raw).verify(signature, data)
    except InvalidSignature:
        raise SignatureError("the signature does not fit") from None


def sign_dsse(signer: Signer, payload_type: str, payload: bytes) -> bytes:
    """A DSSE envelope around the payload, as compact JSON."""
    signature = signer.sign(dsse.pae(payload_type, payload))
    return dsse.write_envelope(dsse.Envelope(payload_type, payload, signer.public.key_id, signature))


def open_dsse(envelope: bytes, payload_type: str, keys: Iterable[PublicKey]) -> tuple[bytes, PublicKey]:
    """The payload of an envelope of this type, and which of the keys signed it."""
    found = dsse.read_envelope(envelope)
    if found.payload_type != payload_type:
        raise SignatureError(f"the envelope holds {found.payload_type[:80]!a}, not {payload_type!a}")
    key = next((key for key in keys if key.key_id == found.key_id), None)
    if key is None:
        raise SignatureError(f"the envelope is signed by an unknown key, {found.key_id[:64]!a}")
    verify(key, found.signature, dsse.pae(payload_type, found.payload))
    return found.payload, key


def sign_ssh(signer: Signer, namespace: str, data: bytes) -> str:
    """The signature file that `ssh-keygen -Y sign -n NAMESPACE` writes for the same key and data."""
    signature = signer.sign(sshsig.signed_bytes(namespace, "sha512", data))
    blob = ssh_string(KEY_TYPE) + ssh_string(signature)
    return sshsig.write_armored(sshsig.SshSignature(signer.public.blob, namespace, blob))


def check_ssh(armored: str, namespace: str, data: bytes, keys: Iterable[PublicKey]) -> PublicKey:
    """Which of the keys made this SSH signature, for this namespace, over this data."""
    found = sshsig.read_armored(armored)
    if found.namespace != namespace:
        raise SignatureError(f"the SSH signature is for {found.namespace[:80]!a}, not {namespace!a}")
    key = next((key for key in keys if key.blob == found.key), None)
    if key is None:
        raise SignatureError("the SSH signature is by an unknown key")
    verify(key, _from_ssh_signature(found.signature), sshsig.signed_bytes(namespace, found.hash_name, data))
    return key


def sign_note(signer: Signer, name: str, text: str) -> str:
    """A signed note: the text, a blank line, the signature under this name."""
    signature = signer.sign(notes.checked_text(text))
    key_hash = notes.key_hash(name, signer.public.raw)
    return notes.write_note(text, notes.NoteSignature(name, key_hash, signature))


def open_note(note: str, name: str, key: PublicKey) -> str:
    """The text of a note that this key signed under this name. Others may have signed it too."""
    text, signatures = notes.read_note(note)
    key_hash = notes.key_hash(name, key.raw)
    ours = [each.signature for each in signatures if (each.name, each.key_hash) == (name, key_hash)]
    if len(ours) != 1:
        raise SignatureError(f"the note has {len(ours)} signatures by {name[:80]!a}, not one")
    verify(key, ours[0], notes.checked_text(text))
    return text


def verifier_key(name: str, key: PublicKey) -> str:
    """The line by which witnesses elsewhere know who signs notes under this name."""
    return notes.verifier_key(name, key.raw)


def _point(encoded: bytes, what: str) -> int:
    """The y of a point, which must be of large order and below the field's prime (RFC 8032, section 5.1.3)."""
    y = int.from_bytes(encoded, "little") & (1 << 255) - 1
    if y >= _P:
        raise SignatureError(f"{what} has a point that is not canonical")
    if y in _SMALL_ORDER:
        raise SignatureError(f"{what} has a point of small order")
    return y


def _from_blob(blob: bytes) -> PublicKey:
    reader = SshReader(blob, "the public key")
    if reader.string() != KEY_TYPE:
        raise SignatureError("the public key is not an Ed25519 key")
    raw = reader.string()
    reader.end()
    return PublicKey(raw)


def _from_ssh_signature(blob: bytes) -> bytes:
    reader = SshReader(blob, "the signature")
    if reader.string() != KEY_TYPE:
        raise SignatureError("the signature is not an Ed25519 signature")
    signature = reader.string()
    reader.end()
    return signature


def _private_header(data: bytes) -> tuple[bool, bytes]:
    """What stands in the clear in a private key file: whether it is encrypted, and the public key (PROTOCOL.key)."""
    begin, end = b"-----BEGIN OPENSSH PRIVATE KEY-----", b"-----END OPENSSH PRIVATE KEY-----"
    text = data.strip()
    if len(data) > LARGEST_PRIVATE or not (text.startswith(begin) and text.endswith(end)):
        raise SignatureError("not an OpenSSH private key")
    try:
        blob = base64.b64decode(text[len(begin) : -len(end)])
    except ValueError:
        raise SignatureError("the private key is damaged") from None
    reader = SshReader(blob, "the private key")
    if reader.take(15) != b"openssh-key-v1\0":
        raise SignatureError("not an OpenSSH private key")
    cipher, _, _ = reader.string(), reader.string(), reader.string()
    if reader.number() != 1:
        raise SignatureError("a private key file must hold one key")
    return cipher != b"none", reader.string()
