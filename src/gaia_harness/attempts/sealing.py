"""Seals what only one worker may read: keys of models on their way to it (X25519, HKDF, ChaCha20-Poly1305)."""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from gaia_harness.errors import RunError

_KEY_BYTES, _NONCE_BYTES = 32, 12


class Seal:
    """The key of one worker process. It is made there, lives as long as the process, and is sent nowhere."""

    def __init__(self) -> None:
        self._private = X25519PrivateKey.generate()

    @property
    def public(self) -> bytes:
        """What others seal for this process with."""
        return self._private.public_key().public_bytes_raw()

    def open(self, sealed: bytes) -> bytes:
        """What was sealed for this process."""
        sender, nonce = sealed[:_KEY_BYTES], sealed[_KEY_BYTES : _KEY_BYTES + _NONCE_BYTES]
        try:
            shared = self._private.exchange(X25519PublicKey.from_public_bytes(sender))
            cipher = ChaCha20Poly1305(_derived(shared, sender + self.public))
            return cipher.decrypt(nonce, sealed[_KEY_BYTES + _NONCE_BYTES :], sender)
        except (InvalidTag, ValueError) as error:
            raise RunError("what came sealed was not sealed for this worker") from error


def sealed_for(public: bytes, data: bytes) -> bytes:
    """Seal data so that only the process with this public key can read it."""
    ours = X25519PrivateKey.generate()
    sender = ours.public_key().public_bytes_raw()
    cipher = ChaCha20Poly1305(_derived(ours.exchange(X25519PublicKey.from_public_bytes(public)), sender + public))
    nonce = os.urandom(_NONCE_BYTES)
    return sender + nonce + cipher.encrypt(nonce, data, sender)


def _derived(shared: bytes, both: bytes) -> bytes:
    return HKDF(SHA256(), _KEY_BYTES, salt=None, info=b"gaia-harness worker environment\0" + both).derive(shared)
