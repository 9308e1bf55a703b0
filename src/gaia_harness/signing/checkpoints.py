"""Signed checkpoints of a log: its length and the head of its tree at several times (C2SP tlog-checkpoint)."""

import base64
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.files import LineFile, cut_file, open_plain, read_whole
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import PublicKey, SignatureError, Signer, open_note, sign_note

EVERY_SECONDS = 2.0
LARGEST_FILE = 64 * 1024 * 1024


class Checkpoint(msgspec.Struct, frozen=True):
    """The log called `origin` had `size` lines, over which the tree's head was `root`."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """The three lines that a checkpoint is."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


class Checkpoints:
    """The file of checkpoints beside a log that is being written: signed notes where there is a key to sign with.

    A blank line ends each of them.
    """

    def __init__(
        self,
        path: Path,
        origin: str,
        tree: Tree,
        *,
        signer: Signer | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._origin = origin
        self._tree = tree
        self._signer = signer
        self._monotonic = monotonic
        self._last = -EVERY_SECONDS
        self._file = LineFile(path)

    def now(self) -> None:
        """Add a checkpoint."""
        text = Checkpoint(self._origin, self._tree.size, self._tree.root()).text()
        note = text if self._signer is None else sign_note(self._signer, self._origin, text)
        self._file.append(note.encode() + b"\n")
        self._last = self._monotonic()

    def maybe(self) -> None:
        """Add a checkpoint unless the last one is younger than a few seconds."""
        if self._monotonic() - self._last >= EVERY_SECONDS:
            self.now()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def read_checkpoints(path: Path, origin: str, *, key: PublicKey | None = None, heal: bool = False) -> list[Checkpoint]:
    """The checkpoints in a file, which must grow; all of them signed by `key`, or none signed where there is none.

    With `heal`, one that a crash cut short is taken away.
    """
    try:
        with open_plain(path) as file:
            data = read_whole(file, str(path), largest=LARGEST_FILE)
    except FileNotFoundError:
        return []
    parts = 1 if key is None else 2  # a signed note has a blank line of its own, before the signature
    *blocks, rest = data.split(b"\n\n")
    unfinished = blocks[len(blocks) - len(blocks) % parts :]
    if rest or unfinished:
        if not heal:
            raise EvidenceError(f"{path}: the last checkpoint is cut short")
        torn = len(rest) + sum(len(block) + 2 for block in unfinished)
        cut_file(path, len(data) - torn)
        blocks = blocks[: len(blocks) - len(unfinished)]
    points: list[Checkpoint] = []
    for number in range(len(blocks) // parts):
        where = f"{path}: checkpoint {number + 1}"
        note = b"\n\n".join(blocks[number * parts : (number + 1) * parts]) + b"\n"
        point = _parse(note if key is None else _opened(note, origin, key, where), where)
        if point.origin != origin:
            raise EvidenceError(f"{where} is of another log, {point.origin!r}")
        if points and point.size < points[-1].size:
            raise EvidenceError(f"{where} is of a shorter log than the one before")
        if points and point.size == points[-1].size and point.root != points[-1].root:
            raise EvidenceError(f"{where} is of another log of the same length as the one before")
        points.append(point)
    return points


def _opened(note: bytes, origin: str, key: PublicKey, where: str) -> bytes:
    try:
        return open_note(note.decode(), origin, key).encode()
    except UnicodeDecodeError as error:
        raise EvidenceError(f"{where}: not a note") from error
    except SignatureError as error:
        raise EvidenceError(f"{where}: {error.message}") from error


def _parse(text: bytes, where: str) -> Checkpoint:
    try:
        origin, size, root = text.decode().splitlines()
        point = Checkpoint(origin, int(size), base64.b64decode(root, validate=True))
    except ValueError as error:
        raise EvidenceError(f"{where}: not a checkpoint") from error
    if point.size < 0 or len(point.root) != 32 or point.text().encode() != text:
        raise EvidenceError(f"{where}: not a checkpoint as it must be written")
    return point
