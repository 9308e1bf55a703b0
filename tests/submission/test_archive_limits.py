"""A hostile archive ends in time and in words that fit; a verifier's own trouble is not the package's."""

import gzip
import io
import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from gaia_command import environment, gaia
from gaia_harness.errors import EvidenceError
from gaia_harness.submission import archive
from gaia_harness.submission.archive import GZIP_HEADER, LARGEST_ENTRY, _header, unpacked, write_archive
from gaia_harness.submission.attestation import open_attestation, sign_attestation
from gaia_harness.submission.file_set import MOST_FILES, REQUIRED
from gaia_harness.submission.metadata import read_metadata

P = "gaia-0123456789ab"


def zipped(path: Path, *parts: bytes) -> Path:
    tar = b"".join(parts) + bytes(1024)
    tar += bytes(-len(tar) % 10240)
    path.write_bytes(GZIP_HEADER + gzip.compress(tar, 1, mtime=0)[10:])
    return path


def tarred(path: Path, form: int, name: str) -> Path:
    """As Python's own tar writes a file in this form."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=form) as tar:
        info = tarfile.TarInfo(name)
        info.pax_headers = {"comment": "x"}
        tar.addfile(info)
    path.write_bytes(GZIP_HEADER + gzip.compress(raw.getvalue(), mtime=0)[10:])
    return path


def test_many_entries_take_time_in_proportion(tmp_path, monkeypatch):
    """Each entry is compared with the one before it alone; the disk is left out, for it takes most of the time."""
    path = zipped(tmp_path / "many.tar.gz", *(_header(f"{P}/prompts/{n:064x}", 0) for n in range(40_000)))
    copied = []
    monkeypatch.setattr(archive, "_copy", lambda stream, path, size, name: copied.append(path))
    start = time.process_time()
    with unpacked(path):
        assert len(copied) == 40_000
    assert time.process_time() - start < 15


def test_more_files_than_a_package_may_have(tmp_path, monkeypatch):
    path = zipped(tmp_path / "many.tar.gz", *(_header(f"{P}/prompts/{n:064x}", 0) for n in range(MOST_FILES + 1)))
    monkeypatch.setattr(archive, "_copy", lambda stream, path, size, name: None)
    with pytest.raises(EvidenceError, match=f"more than {MOST_FILES} files"), unpacked(path):
        pass


def test_an_attestation_of_as_many_files_as_there_may_be_can_be_read(whole, world):
    metadata = read_metadata((whole / "metadata.json").read_bytes())
    count = MOST_FILES - len(REQUIRED)
    subjects = {f"bodies/{n:064x}.zst": f"{n:064x}" for n in range(count)} | dict.fromkeys(REQUIRED, "0" * 64)
    envelope = sign_attestation(world.signer, metadata, subjects)
    assert open_attestation(envelope, world.signer.public).count(b"bodies/") == count


@pytest.mark.parametrize(
    ("form", "name", "words"),
    [
        (tarfile.PAX_FORMAT, f"{P}/log.jsonl", "is not a file (a pax header, of an extended form of tar)"),
        (tarfile.GNU_FORMAT, f"{P}/{'x' * 150}", "is not a file (a long name, in GNU's form of tar)"),
    ],
)
def test_a_header_of_another_form_of_tar_is_called_that(tmp_path, form, name, words):
    ran = gaia("verify", tarred(tmp_path / "p.tar.gz", form, name))
    assert ran.code == 1
    assert words in ran.out
    assert "leads out" not in ran.out
    assert "unpack it yourself and verify the folder" in ran.err


@pytest.mark.parametrize("size", [b"170000000000", b"\x80" + bytes(6) + b"\x03" + bytes(4)])
def test_a_size_that_runs_over_is_called_that(tmp_path, size):
    """Twelve digits, which shift what stands behind them; and GNU's way to write a large number."""
    header = _header(f"{P}/README.md", 0)
    ran = gaia("verify", zipped(tmp_path / "p.tar.gz", (header[:124] + size + header[135:])[:512]))
    assert ran.code == 1
    assert f"README.md: says that it is larger than {LARGEST_ENTRY} bytes" in ran.out


@pytest.mark.parametrize("size", [b"-0000000001", b"     005431", b"0_000005431"])
def test_a_size_written_otherwise_is_called_that(tmp_path, size):
    header = _header(f"{P}/README.md", 0)
    ran = gaia("verify", zipped(tmp_path / "p.tar.gz", header[:124] + size + header[135:]))
    assert ran.code == 1
    assert "README.md: its size is not written as we write it" in ran.out


def test_a_file_that_is_larger_than_its_name_may_be_is_not_unpacked(tmp_path):
    path = zipped(tmp_path / "p.tar.gz", _header(f"{P}/README.md", 1 << 30))
    with pytest.raises(EvidenceError, match=r"README\.md is larger than 67108864 bytes"), unpacked(path):
        pass


def test_a_file_that_no_header_can_name_the_size_of_is_not_packed(package, tmp_path):
    os.truncate(package.path("trajectories.jsonl"), LARGEST_ENTRY + 1)
    with pytest.raises(EvidenceError, match=r"trajectories\.jsonl: larger than 8589934591 bytes"):
        write_archive(package.folder, "0" * 12, tmp_path / "p.tar.gz")
    assert not (tmp_path / "p.tar.gz").exists()


def test_no_room_to_unpack_is_the_verifier_s_trouble(whole, tmp_path):
    program = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        f"sys.argv = ['gaia', 'verify', {f'{whole}.tar.gz'!r}]\n"
        "from gaia_harness.cli import main\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program], capture_output=True, text=True, check=False,
        env=environment(TMPDIR=str(tmp_path)),
    )  # fmt: skip
    assert done.returncode == 2, done.stdout + done.stderr
    assert f"error: {tmp_path}: package.tar.gz cannot be unpacked there: File too large" in done.stderr
    assert "TMPDIR" in done.stderr
    assert "FAILED" not in done.stdout
    assert list(tmp_path.iterdir()) == []
