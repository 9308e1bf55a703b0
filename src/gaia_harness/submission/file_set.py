"""The files that a package may contain: exactly these names, plain files only, and their hashes."""

import contextlib
import io
import os
import re
import stat
import unicodedata
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import LARGEST as LARGEST_BODY
from gaia_harness.files import LARGEST_DOCUMENT, open_plain, read_whole

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
LARGEST_LOG = 1 << 30
MOST_BYTES = 16 << 30
"""Of all files together; trajectories and results have no limit of their own."""
MOST_FILES = 50_000
"""The attestation names them all, and an envelope has its limit too."""
MOST_FAULTS = 20
BUFFER = 1 << 20

_STORED = re.compile(r"prompts/[0-9a-f]{64}|bodies/[0-9a-f]{64}\.zst")
_SUM = re.compile(r"([0-9a-f]{64})  (.+)")


class FileSet(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a folder by name, with their sizes, and what is wrong with their being there."""

    folder: Path
    sizes: Mapping[str, int]
    faults: tuple[str, ...]
    refused: frozenset[str] = frozenset()
    """Names that are there and have a fault, such as a link or a file too large: none is ever opened."""

    @property
    def prompts(self) -> frozenset[str]:
        """The hashes that prompts/ has texts for."""
        return frozenset(name.removeprefix("prompts/") for name in self.sizes if name.startswith("prompts/"))

    @property
    def bodies(self) -> frozenset[str]:
        """The hashes that bodies/ has texts for."""
        return frozenset(name[len("bodies/") : -len(".zst")] for name in self.sizes if name.startswith("bodies/"))

    def require(self, name: str) -> None:
        """There must be such a file, and no fault with its being there."""
        if name not in self.sizes:
            raise EvidenceError(f"{name}: {'is refused, and not read' if name in self.refused else 'is missing'}")

    def open(self, name: str) -> io.BufferedReader:
        """A file of the package; never what a link points to, no pipe, and none that was exchanged for a larger one."""
        self.require(name)
        try:
            file = open_plain(self.folder / name, called=name, follow=False)
        except FileNotFoundError as error:
            raise EvidenceError(f"{name}: cannot be read: {error.strerror}") from error
        if os.fstat(file.fileno()).st_size != self.sizes[name]:
            file.close()
            raise EvidenceError(f"{name}: was changed while the package was read")
        return file

    def read(self, name: str) -> bytes:
        """The whole of a document, which is never large."""
        with self.open(name) as file:
            return read_whole(file, name, largest=LARGEST_DOCUMENT)


def is_package_name(name: str) -> bool:
    """Whether a package may have a file of this name."""
    return name in REQUIRED or _STORED.fullmatch(name) is not None


def is_package(names: Iterable[str]) -> bool:
    """Whether there is a file of a package among these; a README alone is none, for everybody has one."""
    return any(name != README and is_package_name(name) for name in names)


def largest_size(name: str) -> int:
    """How many bytes a file of this name may have."""
    if name in (TRAJECTORIES, RESULTS):
        return MOST_BYTES
    if name == LOG:
        return LARGEST_LOG
    return LARGEST_BODY if name.startswith("bodies/") else LARGEST_DOCUMENT


def list_files(folder: Path) -> FileSet:
    """What is in the folder, to the last name. Nothing is opened."""
    sizes: dict[str, int] = {}
    faults: list[str] = []
    missing: list[str] = []
    refused: set[str] = set()
    empty: set[str] = set()
    with contextlib.closing(_walk(folder)) as found:
        for name, status in found:
            empty.discard(name.partition("/")[0])
            fault = _fault(name, status)
            if fault is not None:
                faults.append(fault)
                refused.add(name)
            elif name in FOLDERS:
                empty.add(name)
            else:
                sizes[name] = status.st_size
            if len(faults) >= MOST_FAULTS:
                break
            if len(sizes) > MOST_FILES:
                faults.append(f"more than {MOST_FILES} files")
                break
        else:
            faults += [f"{name}/: a folder with nothing in it" for name in empty]
            missing = [f"{name}: is missing" for name in REQUIRED if name not in sizes and name not in refused]
    if sum(sizes.values()) > MOST_BYTES:
        faults.append(f"more than {MOST_BYTES} bytes in all")
        refused |= {name for name in sizes if name not in REQUIRED or largest_size(name) > LARGEST_DOCUMENT}
    return FileSet(
        folder=folder,
        sizes={name: sizes[name] for name in sorted(sizes.keys() - refused)},
        faults=(*sorted(faults), *missing),
        refused=frozenset(refused),
    )


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
    if not is_package_name(name):
        return name_fault(name)
    largest = largest_size(name)
    return f"{name}: larger than {largest} bytes" if status.st_size > largest else None


def name_fault(name: str) -> str:
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
            raise EvidenceError(f"{SUMS}:{number}: {name_fault(name)}")
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
    missing = sums.keys() - there - files.refused  # what is refused has its fault already
    return faults + [f"{name}: is listed in {SUMS}, and missing" for name in sorted(missing)]
