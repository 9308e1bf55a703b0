"""Strict decoding of base64 (RFC 4648) and SSH strings (RFC 4251)."""

import base64
import struct

from gaia_harness.errors import GaiaError


class SignatureError(GaiaError):
    """A signature, a key or something signed is not as it must be."""


def base64_exactly(text: str, what: str) -> bytes:
    """The bytes behind base64 that is written as we would write it: padded, standard alphabet, no spare bits set."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise SignatureError(f"{what} is not base64") from None
    if base64.b64encode(data).decode() != text:
        raise SignatureError(f"{what} is base64 written in an unusual way")
    return data


def ssh_string(data: bytes) -> bytes:
    """A string as SSH writes it: four bytes of length, then the bytes."""
    return struct.pack(">I", len(data)) + data


class SshReader:
    """Takes apart what SSH wrote. Whatever is cut short or left over is an error that names `what`."""

    def __init__(self, data: bytes, what: str) -> None:
        self._data = data
        self._at = 0
        self._what = what

    def take(self, count: int) -> bytes:
        """The next bytes."""
        part = self._data[self._at : self._at + count]
        if len(part) != count:
            raise SignatureError(f"{self._what} is cut short")
        self._at += count
        return part

    def number(self) -> int:
        """The next number of four bytes."""
        return int.from_bytes(self.take(4), "big")

    def string(self) -> bytes:
        """The next string."""
        return self.take(self.number())

    def end(self) -> None:
        """Nothing may follow."""
        if self._at != len(self._data):
            raise SignatureError(f"{self._what} has something behind its end")
