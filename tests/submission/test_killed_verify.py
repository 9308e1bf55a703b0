"""A verify that is killed leaves nothing among the temporary files, and disturbs no other that is at work."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import thoroughness
from gaia_command import SIGNAL_AT, environment, gaia, until

DEADLINE = 120


@pytest.fixture
def temporary(tmp_path) -> Path:
    (tmp_path / "tmp").mkdir()
    return tmp_path / "tmp"


@pytest.fixture
def halted(whole, temporary):
    """Verifies of an archive, each stopped while its folder is there; those that are left are ended."""
    started = []

    def start() -> tuple[subprocess.Popen, Path]:
        before = set(temporary.iterdir())
        at = (SIGNAL_AT, "SIGSTOP", "gaia_harness.submission.verdict:list_files", "1")
        process = subprocess.Popen(
            [sys.executable, *at, "-m", "gaia_harness", "verify", whole.with_name("package.tar.gz")],
            start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(TMPDIR=str(temporary)),
        )  # fmt: skip
        started.append(process)
        assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
        (folder,) = set(temporary.iterdir()) - before
        return process, folder

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("whom", "how"),
    thoroughness.crossed([os.kill, os.killpg], [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]),
)
def test_nothing_is_left(halted, temporary, how, whom):
    process, folder = halted()
    assert folder.stat().st_mode & 0o777 == 0o700
    whom(process.pid, how)
    process.send_signal(signal.SIGCONT)
    process.wait(DEADLINE)
    until(lambda: not any(temporary.iterdir()))


def test_what_was_left_all_the_same_is_taken_away_by_the_next(whole, temporary):
    """As after a power cut."""
    left = temporary / ".gaia-verify.0123abcd.tmp"
    (left / "prompts").mkdir(parents=True)
    (left / "prompts" / "x").write_text("private")
    theirs = temporary / ".gaia-verify.notes.tmp"
    theirs.mkdir()
    ran = gaia("verify", whole.with_name("package.tar.gz"), TMPDIR=str(temporary))
    assert ran.code == 3, ran.said
    assert list(temporary.iterdir()) == [theirs]


def test_the_folder_of_a_verify_that_is_at_work_stays(whole, halted, temporary):
    process, folder = halted()
    files = sorted(folder.rglob("*"))
    assert gaia("verify", whole.with_name("package.tar.gz"), TMPDIR=str(temporary)).code == 3
    assert sorted(folder.rglob("*")) == files
    process.send_signal(signal.SIGCONT)
    out, _ = process.communicate(timeout=DEADLINE)
    assert process.returncode == 3, out
    assert not any(temporary.iterdir())
