"""An archive: nothing may be written outside its folder, and only plain files of a package's names."""

import gzip
import io
import shutil
import tarfile
import zipfile

import samples

from gaia_harness.errors import GaiaError
from gaia_harness.submission.archive import unpacked, write_archive
from gaia_harness.submission.file_set import is_package_name

LONGEST = 65_536
PLACE = samples.place()
NAME = PLACE / "package.tar.gz"


def seeds() -> list[bytes]:
    """Tar files by us, bare and as they are, one by another program with longer headers, and a zip file."""
    packed = (samples.FOLDER / "archive_pass" / "package.tar.gz").read_bytes()
    small = PLACE / "small"
    small.mkdir()
    for name in ("checkpoints", "ledger.jsonl", "SHA256SUMS"):
        shutil.copy(samples.PLAIN / name, small / name)
    write_archive(small, "0" * 12, PLACE / "small.tar.gz")
    little = (PLACE / "small.tar.gz").read_bytes()
    pax, zipped = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=pax, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.add(small, "d" * 120)
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(small.iterdir()):
            archive.write(path, path.name)
    return [gzip.decompress(little), gzip.decompress(packed), little, packed, pax.getvalue(), zipped.getvalue()]


def read(data: bytes) -> None:
    NAME.write_bytes(data)
    before = set(PLACE.iterdir())
    try:
        with unpacked(NAME) as folder:
            found = [path for path in folder.rglob("*") if not path.is_dir()]
            assert all(path.is_file() and not path.is_symlink() for path in found)
            assert all(is_package_name(path.relative_to(folder).as_posix()) for path in found)
    except GaiaError:
        pass
    assert set(PLACE.iterdir()) == before
