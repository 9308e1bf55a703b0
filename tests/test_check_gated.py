"""No text of the gated data set is in the repository, and the tool that says so would see it."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOL = ROOT / "scripts" / "check-gated"
SENTENCE = "the ferryman of lake orvell counted nine lanterns before dawn"


def check(*arguments):
    return subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout: git tells which files are ours")
def test_no_file_holds_gated_text():
    done = check(ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_eight_known_words_in_a_row_are_found_whatever_stands_between_them(tmp_path):
    words = SENTENCE.split()
    hashes = tmp_path / "hashes"
    hashes.write_bytes(b"".join(hashlib.sha256(" ".join(words[i : i + 8]).encode()).digest()[:8] for i in range(3)))
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "clean.md").write_text(" ".join(words[:7]) + "\n")
    (folder / "dirty.md").write_text("Title\n\n" + ", ".join(words).upper() + "!\n")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", folder, *command], check=True)
    done = check(folder, "--hashes", hashes)
    assert done.returncode == 1
    assert done.stdout == f"{folder}/dirty.md:3: 3 runs of 8 words are those of the gated data set\n"
