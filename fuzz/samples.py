"""What do the readers start from? Real packages: those of conformance/ that are whole, and their throw-away key."""

import hashlib
import os
import tempfile
from pathlib import Path

from gaia_harness.signing.signers import LocalSigner

FOLDER = Path(__file__).resolve().parents[1] / "conformance"
SIGNER = LocalSigner(hashlib.sha256(b"gaia-harness conformance: a throw-away key that everybody knows").digest())
PLAIN = FOLDER / "plain_pass" / "package"
VOTED = FOLDER / "voted_pass" / "package"
WHOLE = (PLAIN, VOTED, FOLDER / "dirty_accepted_pass" / "package")
RUN_ID = "run"


def contents(name: str) -> list[bytes]:
    """The file of this name in each of the packages."""
    return [(package / name).read_bytes() for package in WHOLE]


def lines(name: str) -> list[bytes]:
    """Its lines, each once."""
    return sorted({line for data in contents(name) for line in data.splitlines()})


def place() -> Path:
    """A folder for files that have to be on disk, in memory where that can be had; gone when the process ends."""
    shared = Path("/dev/shm")  # noqa: S108 - a name of one's own is made in it
    folder = tempfile.mkdtemp(prefix="gaia-fuzz-", dir=shared if os.access(shared, os.W_OK) else None)
    return Path(folder)
