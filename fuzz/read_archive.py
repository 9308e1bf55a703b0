"""A .tar.gz: nothing may be written outside its folder, and what is accepted is packed as we pack it."""

import gzip
import io
import shutil

import samples

from gaia_harness.errors import GaiaError
from gaia_harness.submission.archive import GZIP_HEADER, unpacked, write_archive
from gaia_harness.submission.file_set import is_package_name

LONGEST = 65_536
PLACE = samples.place()
NAME = PLACE / "package.tar.gz"


def seeds() -> list[bytes]:
    """The bare tar file, which is packed again for each look, and as it is with a byte before it that says so."""
    packed = (samples.FOLDER / "archive_pass" / "package.tar.gz").read_bytes()
    small = PLACE / "small"
    small.mkdir()
    for name in ("checkpoints", "ledger.jsonl", "SHA256SUMS"):
        shutil.copy(samples.PLAIN / name, small / name)
    write_archive(small, "0" * 12, PLACE / "small.tar.gz")
    little = (PLACE / "small.tar.gz").read_bytes()
    return [gzip.decompress(little), gzip.decompress(packed), b"\x1f" + little, b"\x1f" + packed]


def read(data: bytes) -> None:
    NAME.write_bytes(data[1:] if data.startswith(b"\x1f") else _packed(data))
    before = set(PLACE.iterdir())
    try:
        with unpacked(NAME) as folder:
            found = [path for path in folder.rglob("*") if not path.is_dir()]
            assert all(path.is_file() and not path.is_symlink() for path in found)
            assert all(is_package_name(path.relative_to(folder).as_posix()) for path in found)
            assert not data.startswith(b"\x1f") or data[1:].startswith(GZIP_HEADER)
    except GaiaError:
        pass
    assert set(PLACE.iterdir()) == before


def _packed(data: bytes) -> bytes:
    raw = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as file:
        file.write(data)
    return raw.getvalue()
