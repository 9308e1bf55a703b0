"""What may be in a package: exactly these names, all of them plain files, and a list of their hashes."""

import contextlib
import hashlib
import os
import re
import stat
import unicodedata
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

from gaia_harness.errors import EvidenceError

SUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.sig"
ATTESTATION = "attestation.dsse.json"
METADATA = "metadata.json"
REPORT = "audit-report.json"
README = "README.md"
RESULTS = "results.jsonl"
TRAJECTORIES = "trajectories.jsonl"
LOG = "log.jsonl"
CHECKPOINTS = "checkpoints"
INTENT = "intent.dsse.json"
LEDGER = "ledger.jsonl"
LEDGER_CHECKPOINTS = "ledger.checkpoints"

REQUIRED = (
    README, SUMS, SIGNATURE, ATTESTATION, REPORT, CHECKPOINTS, INTENT, LEDGER_CHECKPOINTS, LEDGER, LOG, METADATA,
    RESULTS, TRAJECTORIES,
)  # fmt: skip
UNLISTED = (SUMS, SIGNATURE, ATTESTATION)
"""These three say what the others are."""

FOLDERS = ("prompts", "bodies")
LARGEST_DOCUMENT = 64 << 20
MOST_FILES = 200_000
MOST_FAULTS = 20
BUFFER = 1 << 20

_STORED = re.compile(r"prompts/[0-9a-f]{64}|bodies/[0-9a-f]{64}\.zst")
_SUM = re.compile(r"([0-9a-f]{64})  (.+)")


class FileSet(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a folder by name, with their sizes, and what is wrong with their being there."""

    folder: Path
    sizes: Mapping[str, int]
    faults: tuple[str, ...]

    @property
    def prompts(self) -> frozenset[str]:
        """The hashes that prompts/ has texts for."""
        return frozenset(name.removeprefix("prompts/") for name in self.sizes if name.startswith("prompts/"))

    @property
    def bodies(self) -> frozenset[str]:
        """The hashes that bodies/ has texts for."""
        return frozenset(name[len("bodies/") : -len(".zst")] for name in self.sizes if name.startswith("bodies/"))

    def open(self, name: str) -> BinaryIO:
        """A file of the package; never what a link points to, and no pipe."""
        try:
            descriptor = os.open(self.folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise EvidenceError(f"{name}: cannot be read: {error.strerror}") from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise EvidenceError(f"{name}: is not a plain file")
        return os.fdopen(descriptor, "rb", buffering=0)

    def read(self, name: str) -> bytes:
        """The whole of a document, which is never large."""
        if name not in self.sizes:
            raise EvidenceError(f"{name}: is missing")
        with self.open(name) as file:
            try:
                with contextlib.closing(os.fdopen(os.dup(file.fileno()), "rb")) as whole:
                    data = whole.read(LARGEST_DOCUMENT + 1)
            except OSError as error:
                raise EvidenceError(f"{name}: cannot be read: {error.strerror}") from error
        if len(data) > LARGEST_DOCUMENT:
            raise EvidenceError(f"{name}: larger than {LARGEST_DOCUMENT} bytes")
        return data

    def sha256(self, name: str, buffer: memoryview) -> str:
        """The hash of a file of any size, read into the buffer; other threads go on meanwhile."""
        hasher = hashlib.sha256()
        with self.open(name) as file:
            try:
                while count := file.readinto(buffer):  # type: ignore[attr-defined]
                    hasher.update(buffer[:count])
            except OSError as error:
                raise EvidenceError(f"{name}: cannot be read: {error.strerror}") from error
        return hasher.hexdigest()


def is_package_name(name: str) -> bool:
    """Whether a package may have a file of this name."""
    return name in REQUIRED or _STORED.fullmatch(name) is not None


def list_files(folder: Path) -> FileSet:
    """What is in the folder, to the last name. Nothing is opened."""
    sizes: dict[str, int] = {}
    faults: list[str] = []
    with contextlib.closing(_walk(folder)) as found:
        for name, status in found:
            fault = _fault(name, status)
            if fault is None and name not in FOLDERS:
                sizes[name] = status.st_size
            elif fault is not None:
                faults.append(fault)
            if len(faults) >= MOST_FAULTS:
                break
            if len(sizes) > MOST_FILES:
                faults.append(f"more than {MOST_FILES} files")
                break
    faults.sort()
    faults += [f"{name}: is missing" for name in REQUIRED if name not in sizes]
    return FileSet(folder=folder, sizes=dict(sorted(sizes.items())), faults=tuple(faults))


def _walk(folder: Path) -> Generator[tuple[str, os.stat_result], None, None]:
    """Every name in the folder and in its two folders; no deeper, for anything deeper is a fault already."""
    for place in ("", *FOLDERS):
        inside = folder / place
        if place and (inside.is_symlink() or not inside.is_dir()):
            continue
        try:
            with os.scandir(inside) as entries:
                for entry in entries:
                    yield f"{place}/{entry.name}" if place else entry.name, entry.stat(follow_symlinks=False)
        except OSError as error:
            raise EvidenceError(f"{place or 'the package'}: cannot be read: {error.strerror}") from error


def _fault(name: str, status: os.stat_result) -> str | None:
    """What is wrong with a name, or with what stands there."""
    mode = status.st_mode
    if stat.S_ISLNK(mode):
        return f"{shown(name)}: is a link"
    if name in FOLDERS:
        return None if stat.S_ISDIR(mode) else f"{name}: is not a folder"
    if stat.S_ISDIR(mode):
        return f"{shown(name)}: a folder that does not belong here"
    if not stat.S_ISREG(mode):
        return f"{shown(name)}: is not a plain file (a device, pipe or socket)"
    return None if is_package_name(name) else strange(name)


def strange(name: str) -> str:
    """Why a package cannot have a file of this name."""
    if name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in name.split("/")):
        return f"{shown(name)}: a name that leads out of the package"
    folded = unicodedata.normalize("NFKC", name).casefold()
    for known in REQUIRED:
        if folded == known.casefold():
            return f"{shown(name)}: a double of {known}, written otherwise"
    return f"{shown(name)}: a file that does not belong here"


def shown(name: str) -> str:
    """A name as a terminal can show it."""
    plain = name.isascii() and name.isprintable() and len(name) <= 200
    return name if plain else ascii(name[:200])


def write_sums(sums: Mapping[str, str]) -> bytes:
    """SHA256SUMS: a line for each file, as `sha256sum` writes it, sorted by name."""
    return "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(sums.items())).encode()


def read_sums(data: bytes) -> dict[str, str]:
    """The hashes by name; anything that we would not write is an error."""
    try:
        lines = data.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise EvidenceError(f"{SUMS}: has a character that no name here has") from None
    if lines.pop() != "":
        raise EvidenceError(f"{SUMS}:{len(lines) + 1}: the line is cut short")
    sums: dict[str, str] = {}
    last = ""
    for number, line in enumerate(lines, start=1):
        parts = _SUM.fullmatch(line)
        if parts is None:
            raise EvidenceError(f"{SUMS}:{number}: not a line of sha256sum")
        sha256, name = parts[1], parts[2]
        if not is_package_name(name):
            raise EvidenceError(f"{SUMS}:{number}: {strange(name)}")
        if name in UNLISTED:
            raise EvidenceError(f"{SUMS}:{number}: {name} cannot be in the list that it vouches for")
        if name <= last:
            raise EvidenceError(f"{SUMS}:{number}: {name} stands twice, or not in order")
        sums[name], last = sha256, name
    return sums


def listing_faults(files: FileSet, sums: Mapping[str, str]) -> list[str]:
    """Where the list and the folder differ in names."""
    there = files.sizes.keys() - set(UNLISTED)
    faults = [f"{name}: is not listed in {SUMS}" for name in sorted(there - sums.keys())]
    return faults + [f"{name}: is listed in {SUMS}, and missing" for name in sorted(sums.keys() - there)]
