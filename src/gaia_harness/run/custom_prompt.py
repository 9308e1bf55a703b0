"""A user's own system prompt (`--system-prompt FILE`)."""

import hashlib
import logging
from pathlib import Path

from gaia_harness.errors import RunError, UsageError
from gaia_harness.files import write_atomic
from gaia_harness.protocol import MARKER

FILE_NAME = "system_prompt.txt"
"""Where a run folder keeps a text that is not ours: the user's own file may be gone when the run is resumed."""

LARGEST = 64 << 10

log = logging.getLogger("gaia_harness")


def read_system_prompt(path: Path) -> str:
    """The text of a user's file, as it is: nothing is added to it or taken away."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{path}: the system prompt cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise UsageError(f"{path}: a system prompt may have at most {LARGEST >> 10} KiB")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: the system prompt is not UTF-8 text (byte {error.start})") from error
    if not text.strip():
        raise UsageError(f"{path}: the system prompt is empty", hint="leave out --system-prompt to use ours")
    return text


def sha256_of(text: str) -> str:
    """The hash by which a run names its system prompt: that of the file."""
    return hashlib.sha256(text.encode()).hexdigest()


def warn(text: str) -> None:
    """Warn if the text does not mention the answer line."""
    if MARKER not in text.upper():
        log.warning(
            "the system prompt does not ask for a last line that begins with %s, without which no answer is found",
            MARKER,
        )


def store(folder: Path, text: str) -> None:
    """Store the text in the run's folder."""
    write_atomic(folder / FILE_NAME, text.encode())


def load_stored(folder: Path, sha256: str) -> str:
    """The text stored in a run's folder, checked against the hash that the run was started with."""
    path = folder / FILE_NAME
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise RunError(
            f"{path}: the system prompt of this run cannot be read: {error.strerror}",
            hint=f"put the text with the sha256 {sha256} back there",
        ) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise RunError(
            f"{path}: not the system prompt that this run was started with",
            hint=f"put the text with the sha256 {sha256} back there",
        )
    return data.decode()
