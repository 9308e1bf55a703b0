"""Masks API keys of the environment in everything a command prints."""

import sys
from collections.abc import Mapping
from typing import Any, TextIO

from gaia_harness.evidence.redaction import Redactor, secrets_in


class _Masked:
    """A stream that prints everything but secrets. It has no `buffer`, so that nobody writes past it."""

    def __init__(self, stream: TextIO, redactor: Redactor) -> None:
        self._stream = stream
        self._redactor = redactor

    def write(self, text: str | bytes) -> int:
        """Print, and say how much was to be printed. Bytes are given by those who looked for a `buffer`."""
        self._stream.write(self._redactor.hide(text if isinstance(text, str) else text.decode("utf-8", "replace")))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Print several."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self._stream, name)


def mask_output(env: Mapping[str, str]) -> None:
    """From now on, print no key of this environment; where it has none, nothing changes."""
    if secrets := secrets_in(env):
        redactor = Redactor(secrets)
        sys.stdout = _Masked(sys.stdout, redactor)
        sys.stderr = _Masked(sys.stderr, redactor)
