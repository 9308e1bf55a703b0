"""The signed ledger of a key: adds entries, and verifies them against the signed heads."""

import fcntl
import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.files import LineFile, cut_file, read_lines
from gaia_harness.records.ledger import CHECKPOINTS, FILE_NAME, AnyEntry, Head, LedgerEntry
from gaia_harness.signing.checkpoints import Checkpoints, read_checkpoints
from gaia_harness.signing.merkle import Tree, root_of
from gaia_harness.signing.signers import PublicKey, Signer
from gaia_harness.timestamps import later_of

_decoder = msgspec.json.Decoder(AnyEntry)


def origin(key: PublicKey) -> str:
    """The name of a ledger in its checkpoints."""
    return f"gaia-harness/ledger/{key.key_id}"


class Ledger:
    """The ledger of one signing key, in a folder of its own; open only while it is written."""

    def __init__(self, folder: Path, signer: Signer, clock: Callable[[], str]) -> None:
        self.folder = folder
        self._signer = signer
        self._clock = clock
        self._held = False

    @property
    def path(self) -> Path:
        """The file of entries."""
        return self.folder / FILE_NAME

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let no other process read or write it: for what is decided by what it says. May be nested."""
        if self._held:
            yield
            return
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _locked(self.folder, fcntl.LOCK_EX):
            self._held = True
            try:
                yield
            finally:
                self._held = False

    def entries(self) -> list[AnyEntry]:
        """What it says, checked against its signed checkpoints."""
        return self._read()[1]

    def head(self) -> Head:
        """How long it is, and the head of its tree; checked against its signed checkpoints."""
        tree, _ = self._read()
        return Head(size=tree.size, root=tree.root().hex())

    def _read(self) -> tuple[Tree, list[AnyEntry]]:
        if self._held:
            tree, entries, _ = _read(self.folder, self._signer.public, heal=True)
            return tree, entries
        return read_ledger(self.folder, self._signer.public)

    def add(self, entry: LedgerEntry) -> None:
        """Add an entry and sign the new head; several processes may do so at once."""
        with self.held():
            tree, entries, signed = _read(self.folder, self._signer.public, heal=True)
            checkpoints = Checkpoints(self.folder / CHECKPOINTS, origin(self._signer.public), tree, signer=self._signer)
            file = LineFile(self.path)
            try:
                if signed < tree.size:  # somebody was killed before they could sign their entry
                    checkpoints.now()
                # older versions wrote times as they came
                time = functools.reduce(later_of, [entry.time for entry in entries], "")
                line = msgspec.json.encode(
                    msgspec.structs.replace(entry, seq=tree.size, time=later_of(time, self._clock()))
                )
                before = self.path.stat().st_size
                file.append(line + b"\n")
                tree.append(line)
                try:
                    checkpoints.now()
                except BaseException:
                    cut_file(self.path, before)
                    raise
            finally:
                file.close()
                checkpoints.close()


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)


def read_ledger(folder: Path, key: PublicKey) -> tuple[Tree, list[AnyEntry]]:
    """The tree and the entries of a ledger whose heads this key has signed; empty where there is none."""
    if not folder.exists():
        return Tree(), []
    with _locked(folder, fcntl.LOCK_SH):
        tree, entries, _ = _read(folder, key)
    return tree, entries


def snapshot(folder: Path) -> tuple[bytes, bytes]:
    """Entries and checkpoints as they stand, both of the same moment; nothing is checked."""
    if not folder.exists():
        return b"", b""
    with _locked(folder, fcntl.LOCK_SH):
        return (folder / FILE_NAME).read_bytes(), (folder / CHECKPOINTS).read_bytes()


def head_at(entries: list[AnyEntry], size: int) -> str | None:
    """The head of the tree over the first `size` entries; None where there are not so many."""
    return root_of(map(msgspec.json.encode, entries[:size])).hex() if size <= len(entries) else None


def _read(folder: Path, key: PublicKey, *, heal: bool = False) -> tuple[Tree, list[AnyEntry], int]:
    """Tree, entries, and how many of them a signed head has seen.

    An entry that no signed head has seen may be the last one of a process that was killed before it could sign;
    there is at most one.
    """
    path = folder / FILE_NAME
    points = read_checkpoints(folder / CHECKPOINTS, origin(key), key=key, heal=heal)
    roots = {point.size: point.root for point in points}
    tree = Tree()
    entries: list[AnyEntry] = []
    for line in read_lines(path):
        where = f"{path}:{line.number}"
        if line.torn:
            if heal:
                with path.open("r+b") as file:
                    file.truncate(line.offset)
                break
            raise EvidenceError(f"{where}: the line is cut short")
        try:
            entry = _decoder.decode(line.data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise EvidenceError(f"{where}: not an entry of a ledger: {error}") from error
        if entry.seq != tree.size or msgspec.json.encode(entry) + b"\n" != line.data:
            raise EvidenceError(f"{where}: not written as a ledger is written")
        tree.append(line.data[:-1])
        entries.append(entry)
        if tree.size in roots and roots[tree.size] != tree.root():
            raise EvidenceError(f"{where}: the ledger was changed at or before this line: its signed head is another")
    signed = points[-1].size if points else 0
    if signed > tree.size:
        raise EvidenceError(f"{path}:{tree.size + 1}: lines are missing: a signed head has seen {signed}")
    if tree.size > signed + 1:
        raise EvidenceError(f"{path}:{signed + 2}: entries that no signed head has seen")
    return tree, entries, signed
