"""What is too large is never hashed, what changes under the verifier never hangs it, and nothing is carried along."""

import hashlib
import os
import threading
from concurrent.futures import CancelledError

import pytest
import zstandard
from forging import Package
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import PIECE, NotOneFrame, TextStore, unpack
from gaia_harness.files import read_lines
from gaia_harness.records.line_work import Batch, Cut
from gaia_harness.signing.checkpoints import read_checkpoints
from gaia_harness.submission import hashing, verdict
from gaia_harness.submission.file_set import LARGEST_LOG, MOST_BYTES, list_files
from gaia_harness.submission.hashing import Hashing

SKIPPED = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
PATIENCE = 60


def in_time(work) -> list:
    """What came of it, if it ends: a thread that waits for a pipe would wait for ever."""
    came = []

    def do() -> None:
        try:
            came.append(work())
        except EvidenceError as error:
            came.append(error.message)

    thread = threading.Thread(target=do, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "it hangs"
    return came


# sizes


@pytest.mark.parametrize(
    ("name", "size", "largest"),
    [
        ("metadata.json", 100 << 30, 64 << 20),
        ("README.md", 3 << 40, 64 << 20),
        ("log.jsonl", 100 << 30, LARGEST_LOG),
        ("results.jsonl", 100 << 30, MOST_BYTES),
        ("trajectories.jsonl", 100 << 30, MOST_BYTES),
        (f"prompts/{'a' * 64}", 100 << 30, 64 << 20),
        (f"bodies/{'a' * 64}.zst", 100 << 30, 256 << 20),
    ],
)
def test_a_file_too_large_is_a_fault_of_the_file_set_and_not_read(package, name, size, largest):
    path = package.path(name)
    path.parent.mkdir(exist_ok=True)
    path.touch()
    os.truncate(path, size)
    (found,) = in_time(package.verify)
    assert found.exit_code == 1
    assert found.checks[0].faults == (f"{name}: larger than {largest} bytes",)


def test_many_files_too_large_together_are_a_fault_and_not_read(package):
    package.path("bodies").mkdir()
    for number in range(100):
        path = package.path(f"bodies/{number:064x}.zst")
        path.touch()
        os.truncate(path, 250 << 20)
    (found,) = in_time(package.verify)
    assert found.exit_code == 1
    assert found.checks[0].faults == (f"more than {MOST_BYTES} bytes in all",)
    assert found.checks[1].status == "ok"


def test_hashing_stops_when_nobody_waits_any_more(package):
    os.truncate(package.path("results.jsonl"), 15 << 30)
    threads = Hashing(list_files(package.folder))
    threads.close()
    with pytest.raises((EvidenceError, CancelledError)) as caught:  # it had begun, or it had not
        threads.of("results.jsonl")
    assert "was not read to its end" in str(caught.value) or isinstance(caught.value, CancelledError)


def test_texts_that_unpack_to_too_much_together_are_refused(voted, monkeypatch):
    """Each is small enough; all of them would be unpacked for hours."""
    monkeypatch.setattr(hashing, "MOST_BYTES", 1)
    found = voted.verify()
    assert found.exit_code == 1
    assert any("the texts in bodies/ unpack to more than 1 bytes in all" in fault for fault in found.checks[4].faults)


# a package that changes while it is verified


@pytest.mark.parametrize(
    "name",
    [
        "log.jsonl",
        "checkpoints",
        "ledger.jsonl",
        "ledger.checkpoints",
        "trajectories.jsonl",
        "results.jsonl",
        "README.md",
    ],
)
def test_a_file_that_becomes_a_pipe_is_a_failure_and_no_hang(package, monkeypatch, name):
    def list_and_exchange(folder):
        files = list_files(folder)
        package.path(name).unlink()
        os.mkfifo(package.path(name))
        return files

    monkeypatch.setattr(verdict, "list_files", list_and_exchange)
    (found,) = in_time(package.verify)
    assert found.exit_code == 1
    assert any(f"{name}: is not a plain file" in fault for check in found.checks for fault in check.faults)


def test_a_file_that_becomes_another_of_another_size_is_not_read(package):
    files = list_files(package.folder)
    os.truncate(package.path("README.md"), 3 << 40)
    with pytest.raises(EvidenceError, match=r"README\.md: was changed while the package was read"):
        files.open("README.md")


@pytest.mark.parametrize(
    "read",
    [
        lambda pipe: list(read_lines(pipe)),
        lambda pipe: list(Cut(pipe, longest=100)),
        lambda pipe: Batch(str(pipe), 0, 10, 1).read(),
        lambda pipe: read_checkpoints(pipe, "origin"),
        lambda pipe: TextStore(pipe.parent, compressed=False).get(pipe.name),
    ],
    ids=["read_lines", "Cut", "Batch", "read_checkpoints", "TextStore"],
)
def test_a_pipe_is_refused_wherever_files_are_opened_by_their_path(tmp_path, read):
    pipe = tmp_path / ("0" * 64)
    os.mkfifo(pipe)
    (said,) = in_time(lambda: read(pipe))
    assert said.endswith(f"{'0' * 64}: is not a plain file")


def test_a_link_to_a_file_is_read_as_that_file(tmp_path):
    """As the files of a data set are in the hub's cache."""
    (tmp_path / "file").write_bytes(b"one\n")
    (tmp_path / "link").symlink_to("file")
    assert [line.data for line in read_lines(tmp_path / "link")] == [b"one\n"]


# what could be carried along


@pytest.mark.parametrize("name", ["bodies", "prompts"])
def test_a_folder_with_nothing_in_it_is_a_thing_too_many(package, name):
    for path in package.path("prompts").iterdir() if name == "prompts" else ():
        path.unlink()
    package.path(name).mkdir(exist_ok=True)
    found = package.verify()
    assert found.exit_code == 1
    assert f"{name}/: a folder with nothing in it" in found.checks[0].faults


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda packed: packed + SKIPPED, "has something behind its end"),
        (lambda packed: packed + zstandard.compress(b"more"), "has something behind its end"),
        (lambda packed: packed + zstandard.compress(b""), "has something behind its end"),
        (lambda packed: packed + b"x", "has something behind its end"),
        (lambda packed: packed + bytes(PIECE * 3), "has something behind its end"),
        (lambda packed: SKIPPED + packed, "not a zstd file"),
        (lambda packed: packed[:-1], "it is cut short"),
        (lambda packed: b"", "is empty"),
    ],
)
def test_a_full_output_is_one_frame_and_nothing_else(voted: Package, change, words):
    path = min(voted.path("bodies").iterdir())
    path.write_bytes(change(path.read_bytes()))
    voted.sign_files()
    found = voted.verify()
    assert found.exit_code == 1
    assert found.checks[0].status == "ok"
    assert [words in fault for fault in found.checks[4].faults] == [True]
    store = TextStore(path.parent, compressed=True)
    with pytest.raises(EvidenceError, match=words):
        store.get(path.stem)


def test_a_frame_that_is_passed_over_is_not_the_empty_text(tmp_path):
    nothing = hashlib.sha256(b"").hexdigest()
    store = TextStore(tmp_path, compressed=True)
    store.path(nothing).write_bytes(SKIPPED)
    with pytest.raises(EvidenceError, match="not a zstd file"):
        store.get(nothing)


@given(st.binary(max_size=5000), st.integers(1, 3000), st.binary(max_size=3))
def test_one_frame_unpacks_in_any_blocks_and_with_nothing_behind_it(text, size, more):
    packed = zstandard.compress(text) + more
    blocks = [packed[start : start + size] for start in range(0, len(packed), size)]
    if more or len(blocks[0]) < 4:
        with pytest.raises(NotOneFrame):
            list(unpack(blocks))
    else:
        assert b"".join(unpack(blocks)) == text
