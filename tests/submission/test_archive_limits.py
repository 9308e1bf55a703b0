"""A hostile archive ends in time and in words that fit; a verifier's own trouble is not the package's."""

import gzip
import os
from pathlib import Path

import pytest

from counted_work import calls_of, no_stall
from gaia_command import gaia
from gaia_harness.errors import EvidenceError
from gaia_harness.submission import unpacking
from gaia_harness.submission.archive import LARGEST_ENTRY, _header, unpacked, write_archive
from gaia_harness.submission.attestation import open_attestation, sign_attestation
from gaia_harness.submission.file_set import MOST_FILES, REQUIRED
from gaia_harness.submission.metadata import read_metadata

P = "gaia-0123456789ab"


def zipped(path: Path, *parts: bytes) -> Path:
    tar = b"".join(parts) + bytes(1024)
    tar += bytes(-len(tar) % 10240)
    path.write_bytes(gzip.compress(tar, 1))
    return path


def test_many_entries_are_work_in_proportion(tmp_path, monkeypatch):
    """No entry is compared with all the others; the disk is left out, for it takes most of the work."""
    copied = []
    monkeypatch.setattr(unpacking, "_copy", lambda entry, path, name: copied.append(path))

    def unpack(count: int) -> None:
        headers = (_header(f"{P}/prompts/{n:064x}", 0) for n in range(count))
        with unpacked(zipped(tmp_path / "many.tar.gz", *headers, _header(f"{P}/log.jsonl", 0))):
            assert len(copied) == count + 1
        copied.clear()

    assert calls_of(lambda: unpack(4000)) < 2.6 * calls_of(lambda: unpack(2000))
    with no_stall():
        unpack(10_000)


def test_more_files_than_a_package_may_have(tmp_path, monkeypatch):
    path = zipped(tmp_path / "many.tar.gz", *(_header(f"{P}/prompts/{n:064x}", 0) for n in range(301)))
    monkeypatch.setattr(unpacking, "MOST_FILES", 300)
    with pytest.raises(EvidenceError, match="more than 300 files"), unpacked(path):
        pass


def test_an_attestation_of_as_many_files_as_there_may_be_can_be_read(whole, world):
    metadata = read_metadata((whole / "metadata.json").read_bytes())
    count = MOST_FILES - len(REQUIRED)
    subjects = {f"bodies/{n:064x}.zst": f"{n:064x}" for n in range(count)} | dict.fromkeys(REQUIRED, "0" * 64)
    envelope = sign_attestation(world.signer, metadata, subjects)
    assert open_attestation(envelope, world.signer.public).count(b"bodies/") == count


@pytest.mark.parametrize("size", [b"-0000000001", b"0_000005431", b"\xff" * 11])
def test_a_size_that_is_no_number_is_called_that(tmp_path, size):
    header = bytearray(_header(f"{P}/README.md", 0))
    header[124:135], header[148:156] = size, b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    ran = gaia("verify", zipped(tmp_path / "p.tar.gz", bytes(header)))
    assert ran.code == 1
    assert "README.md: its size is not a number" in ran.out


def test_a_size_in_gnu_s_way_of_large_numbers_is_read(tmp_path):
    header = bytearray(_header(f"{P}/README.md", 0))
    header[124:136], header[148:156] = b"\x80" + (3 << 32).to_bytes(11, "big"), b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path = zipped(tmp_path / "p.tar.gz", bytes(header))
    with pytest.raises(EvidenceError, match=r"README\.md is larger than 67108864 bytes"), unpacked(path):
        pass


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
    ran = gaia("verify", f"{whole}.tar.gz", TMPDIR=str(tmp_path), limits={"RLIMIT_FSIZE": 20_000})
    assert ran.code == 2, ran.said
    assert f"error: {tmp_path}: package.tar.gz cannot be unpacked there: File too large" in ran.err
    assert "TMPDIR" in ran.err
    assert "FAILED" not in ran.out
    assert list(tmp_path.iterdir()) == []
