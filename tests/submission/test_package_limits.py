"""What a verifier opens is a plain file, and there is an end to how large and how many they may be."""

import os

import pytest

from gaia_harness.errors import EvidenceError
from gaia_harness.submission import archive, examination, file_set
from gaia_harness.submission.file_set import MOST_FAULTS, list_files


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


def test_an_archive_never_takes_the_place_of_a_file(package, tmp_path):
    out = tmp_path / "p.tar.gz"
    out.write_text("mine")
    with pytest.raises(FileExistsError):
        archive.write_archive(package.folder, "0" * 32, out)
    assert out.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "p.tar.gz"]
