"""What a verifier opens is a plain file, and there is an end to how large and how many they may be."""

import os
import zlib
from pathlib import Path

import pytest

from gaia_harness.errors import EvidenceError
from gaia_harness.submission import archive, examination, file_set
from gaia_harness.submission.archive import GZIP_HEADER, _header, unpacked
from gaia_harness.submission.file_set import MOST_FAULTS, list_files

FOLDER = "gaia-0123456789ab"
STRETCH = 1 << 16
"""Bytes of an archive that are read at once."""


def limit(monkeypatch, name: str, value: int) -> None:
    """Lowers a limit wherever it is looked up."""
    for module in (file_set, examination):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize(
    "put", [lambda path: path.symlink_to("/etc/hostname"), os.mkfifo, os.mkdir], ids=["link", "pipe", "folder"]
)
def test_what_takes_a_file_s_place_after_the_listing_is_not_read(package, put):
    files = list_files(package.folder)
    package.path("log.jsonl").unlink()
    put(package.path("log.jsonl"))
    with pytest.raises(EvidenceError, match=r"^log.jsonl: "):
        files.read("log.jsonl")


def test_a_document_has_an_end(package, monkeypatch):
    size = package.path("metadata.json").stat().st_size
    limit(monkeypatch, "LARGEST_DOCUMENT", size)
    assert len(list_files(package.folder).read("metadata.json")) == size
    limit(monkeypatch, "LARGEST_DOCUMENT", size - 1)
    with pytest.raises(EvidenceError, match=r"^metadata.json: (larger than|is refused)"):
        list_files(package.folder).read("metadata.json")


@pytest.mark.parametrize("name", ["ledger.jsonl", "ledger.checkpoints", "checkpoints", "log.jsonl"])
def test_a_log_has_an_end(package, monkeypatch, name):
    documents = [path for path in package.folder.iterdir() if path.is_file() and path.suffix != ".jsonl"]
    largest = max(path.stat().st_size for path in [*documents, package.path("ledger.jsonl")])
    limit(monkeypatch, "LARGEST_DOCUMENT", largest)
    limit(monkeypatch, "LARGEST_LOG", package.path("log.jsonl").stat().st_size)
    assert package.verify().exit_code == 3
    path = package.path(name)
    path.write_bytes(path.read_bytes() + b"x" * (max(largest, path.stat().st_size) + 1))
    faults = [fault for line in package.verify().checks for fault in line.faults]
    assert any(fault.startswith(f"{name}: ") and "larger than" in fault for fault in faults), faults


def test_a_package_has_no_more_files_than_anybody_needs(package, monkeypatch):
    count = len(list_files(package.folder).sizes)
    monkeypatch.setattr(file_set, "MOST_FILES", count)
    assert list_files(package.folder).faults == ()
    monkeypatch.setattr(file_set, "MOST_FILES", count - 1)
    assert f"more than {count - 1} files" in list_files(package.folder).faults


def test_a_folder_that_is_a_link_is_not_gone_into(package, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "private").write_text("x")
    package.path("bodies").symlink_to(tmp_path / "elsewhere")
    assert list_files(package.folder).faults == ("bodies: is a link",)


def test_no_more_faults_are_listed_than_anybody_reads(package):
    for number in range(3 * MOST_FAULTS):
        package.path(f"note-{number}").write_text("x")
    strange = [fault for fault in list_files(package.folder).faults if "does not belong here" in fault]
    assert 0 < len(strange) <= MOST_FAULTS


def tar(*files: tuple[str, bytes], folder: str = FOLDER, padding: bytes = b"\0", more: int = 0) -> bytes:
    """What is inside of an archive of ours, but for what is told otherwise."""
    inside = b"".join(
        _header(f"{folder}/{name}", len(data)) + data + padding * (-len(data) % 512) for name, data in files
    )
    return inside + bytes(1024 + -(len(inside) + 1024) % 10240 + more)


def zipped(path: Path, *inside: bytes) -> Path:
    """Stored as it is, a block of its own for each part."""
    whole = b"".join(inside)
    blocks = []
    for number, part in enumerate(inside):
        last, size = number == len(inside) - 1, len(part)
        blocks.append(bytes([last]) + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little") + part)
    end = zlib.crc32(whole).to_bytes(4, "little") + len(whole).to_bytes(4, "little")
    path.write_bytes(GZIP_HEADER + b"".join(blocks) + end)
    return path


def opened(path: Path) -> list[str]:
    with unpacked(path) as folder:
        return sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())


def test_an_archive_made_by_hand_is_read(tmp_path):
    """So that what is refused below is refused for its one fault."""
    path = zipped(tmp_path / "p.tar.gz", tar(("README.md", b"x"), ("log.jsonl", b"y" * 700)))
    assert opened(path) == ["README.md", "log.jsonl"]


@pytest.mark.parametrize(
    ("inside", "pattern"),
    [
        (tar(("log.jsonl", b"x"), ("README.md", b"x")), "README.md stands twice, or not in order"),
        (tar(("log.jsonl", b"x"), folder="package"), "a file that does not belong here"),
        (tar(("README.md", b"x"))[:1024] + tar(("log.jsonl", b"x"), folder="gaia-" + "0" * 12), "does not belong here"),
        (tar(("log.jsonl", b"x"), padding=b"y"), "log.jsonl has something behind its end"),
        (tar(("log.jsonl", b"x"), more=512), "has something behind its end"),
        (tar(("log.jsonl", b"x"))[:-512] + b"y" * 512, "is cut short, or has no end"),
        (tar(("log.jsonl", b"x"))[:1024], "is cut short, or has no end"),
        (tar(("log.jsonl", b"x" * 900))[:1024], "log.jsonl is cut short"),
    ],
    ids=["order", "folder", "two folders", "padding", "longer", "no end", "no trailer", "cut"],
)
def test_an_archive_that_we_would_not_write(tmp_path, inside, pattern):
    with pytest.raises(EvidenceError, match=pattern):
        opened(zipped(tmp_path / "p.tar.gz", inside))


def test_what_stands_behind_an_archive_is_seen_wherever_it_begins(tmp_path):
    """Even where all before it was read to the last byte."""
    inside = tar(("log.jsonl", b"x" * (5 * 10240)))
    empty = next(n for n in range(STRETCH) if (len(inside) + 5 * (n + 1) + 8) % STRETCH == 0)
    path = zipped(tmp_path / "p.tar.gz", *[b""] * empty, inside)
    assert opened(path) == ["log.jsonl"]
    assert (path.stat().st_size - len(GZIP_HEADER)) % STRETCH == 0
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(EvidenceError, match="has something behind its end"):
        opened(path)


def test_an_archive_has_no_more_files_than_anybody_needs(tmp_path, monkeypatch):
    path = zipped(tmp_path / "p.tar.gz", tar(("README.md", b"x"), ("log.jsonl", b"x")))
    monkeypatch.setattr(archive, "MOST_FILES", 2)
    assert len(opened(path)) == 2
    monkeypatch.setattr(archive, "MOST_FILES", 1)
    with pytest.raises(EvidenceError, match="more than 1 files"):
        opened(path)


def test_an_archive_with_a_name_in_its_gzip_header_is_none_of_ours(tmp_path):
    path = zipped(tmp_path / "p.tar.gz", tar(("log.jsonl", b"x")))
    raw = path.read_bytes()
    path.write_bytes(raw[:3] + b"\x08" + raw[4:10] + b"name\0" + raw[10:])
    with pytest.raises(EvidenceError, match="not an archive as `gaia submit --archive` writes it"):
        opened(path)


def test_an_archive_never_takes_the_place_of_a_file(package, tmp_path):
    out = tmp_path / "p.tar.gz"
    out.write_text("mine")
    with pytest.raises(FileExistsError):
        archive.write_archive(package.folder, "0" * 32, out)
    assert out.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "p.tar.gz"]
