"""Files that grow by whole lines, whatever the disk does."""

import contextlib
import os
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.errors import EvidenceError
from gaia_harness.files import LineFile, cut_file, read_lines, write_atomic
from small_disk import mounted


@pytest.fixture
def small_disk(tmp_path):
    """A real disk of 64 KiB."""
    with mounted(tmp_path / "disk", "64k") as disk:
        yield disk


def test_a_line_that_a_full_disk_refuses_leaves_no_trace_and_shorter_ones_still_fit(small_disk):
    file = LineFile(small_disk / "log.jsonl")
    file.append(b"first\n")
    with pytest.raises(OSError, match="No space left"):
        file.append(b"x" * 100_000 + b"\n")
    assert (small_disk / "log.jsonl").read_bytes() == b"first\n"
    file.append(b"second\n")
    file.close()
    assert (small_disk / "log.jsonl").read_bytes() == b"first\nsecond\n"


def test_a_file_that_a_full_disk_refuses_leaves_the_old_one_and_no_other(small_disk):
    write_atomic(small_disk / "summary.json", b"old")
    with pytest.raises(OSError, match="No space left"):
        write_atomic(small_disk / "summary.json", b"x" * 100_000)
    assert [path.name for path in small_disk.iterdir()] == ["summary.json"]
    assert (small_disk / "summary.json").read_bytes() == b"old"


def test_a_line_beyond_the_size_that_files_may_have_leaves_no_trace(tmp_path):
    program = textwrap.dedent("""
        import resource, signal, sys
        from pathlib import Path
        from gaia_harness.files import LineFile
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        file = LineFile(Path(sys.argv[1]))
        file.append(b"first\\n")
        try:
            file.append(b"x" * 2000 + b"\\n")
        except OSError as error:
            print(error.strerror)
        file.append(b"second\\n")
    """)
    path = tmp_path / "log.jsonl"
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
    assert done.stdout == "File too large\n", done.stderr
    assert path.read_bytes() == b"first\nsecond\n"


def test_half_a_line_that_could_not_be_taken_away_is_taken_away_before_the_next(tmp_path, monkeypatch):
    file = LineFile(tmp_path / "log")
    file.append(b"first\n")
    with monkeypatch.context() as broken:
        broken.setattr(os, "fdatasync", lambda _: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        broken.setattr(os, "ftruncate", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        with pytest.raises(OSError, match="Input/output"):
            file.append(b"lost\n")
        with pytest.raises(OSError, match="Input/output"):
            file.append(b"lost too\n")
    file.append(b"second\n")
    assert (tmp_path / "log").read_bytes() == b"first\nsecond\n"


def test_an_interruption_in_the_middle_of_a_line_leaves_no_trace(tmp_path, monkeypatch):
    file = LineFile(tmp_path / "log")
    real_write = os.write
    writes = iter([lambda fd, data: real_write(fd, data[:3])])

    def write(fd, data):
        for one in writes:
            return one(fd, data)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(KeyboardInterrupt):
        file.append(b"interrupted\n")
    assert (tmp_path / "log").read_bytes() == b""


@given(
    lines=st.lists(st.binary(max_size=30).map(lambda data: data.replace(b"\n", b"")), max_size=8),
    rest=st.binary(max_size=9),
)
def test_lines_are_read_with_their_numbers_and_places(tmp_path_factory, lines, rest):
    path = tmp_path_factory.mktemp("lines") / "file"
    rest = rest.replace(b"\n", b"")
    file = LineFile(path)
    for line in lines:
        file.append(line + b"\n")
    file.close()
    with path.open("ab") as raw:
        raw.write(rest)
    data = path.read_bytes()
    read = list(read_lines(path))
    assert b"".join(line.data for line in read) == data
    assert [line.number for line in read] == list(range(1, len(read) + 1))
    assert all(data[line.offset :].startswith(line.data) for line in read)
    assert [line.torn for line in read] == [False] * len(lines) + [True] * bool(rest)
    if rest:
        cut_file(path, read[-1].offset)
        assert not any(line.torn for line in read_lines(path))


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"ok\n" + b"x" * 100 + b"\n")
    assert [line.number for line in read_lines(path, longest=101)] == [1, 2]
    read = read_lines(path, longest=100)
    next(read)
    with pytest.raises(EvidenceError, match=r"file:2: a line of more than 100 bytes"):
        next(read)


def test_no_file_has_no_lines_and_a_folder_is_refused(tmp_path):
    assert list(read_lines(tmp_path / "nothing")) == []
    with pytest.raises(EvidenceError, match="cannot be read: Is a directory"):
        list(read_lines(tmp_path))


def test_a_file_is_replaced_wholly_and_nothing_else_stays(tmp_path):
    write_atomic(tmp_path / "run.json", b"one", mode=0o600)
    write_atomic(tmp_path / "run.json", b"two")
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert (tmp_path / "run.json").read_bytes() == b"two"
    with contextlib.suppress(FileNotFoundError):
        write_atomic(tmp_path / "no folder" / "x", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
