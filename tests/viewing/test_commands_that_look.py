"""`gaia view` and `gaia show` as a person types them, and the commands that others print to get there."""

import fcntl
import os
import pty
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from looked_at import HOSTILE, MARKUP, QUESTION, write_hostile, write_three

from gaia_command import command, environment, gaia, own_folders
from gaia_harness.cli.plain import plain
from gaia_harness.cli.view import EVERY, _write_live
from gaia_harness.offline import submit_run
from gaia_harness.signing.keys import KeyFolder


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("typed")
    run = write_three(place, own_folders(), declare=True)
    submit_run(run, place / "package", allow_dirty=True, dataset=str(place / "data"), env=own_folders())
    write_hostile(place / "hostile", own_folders())
    return place


def on_a_terminal(*args: str | Path, columns: int = 100) -> str:
    """What a command prints on a terminal of so many columns."""
    main, child = pty.openpty()
    env = environment(COLUMNS=str(columns), TERM="xterm-256color")
    started = subprocess.Popen(command(*args), stdin=child, stdout=child, stderr=child, env=env)
    os.close(child)
    said = b""
    while True:
        try:
            piece = os.read(main, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        said += piece
    assert started.wait() == 0, said
    os.close(main)
    return said.decode()


def test_view_writes_into_the_folder_of_a_run_and_beside_a_package(place):
    ran = gaia("view", place / "run", "--no-open")
    page = place / "run" / "report.html"
    assert (ran.code, ran.out) == (0, f"{page}: 3 tasks, {page.stat().st_size:,} bytes\n")
    before = sorted((place / "package").rglob("*"))
    assert gaia("view", place / "package", "--no-open").code == 0
    assert sorted((place / "package").rglob("*")) == before
    assert (place / "package.report.html").is_file()


def test_view_says_what_is_wrong_with_what_it_was_asked_for(place, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "run.json").write_bytes(b"\xff")
    for args, said in (
        ([place / "run", "--task", "pier"], "there is no task 'pier' here"),
        ([place / "run", "--task", ""], "the task is named by nothing"),
        ([place / "run", "--finding", "99"], "there is no finding 99"),
        ([place / "run", "--finding", "1", "--task", "quay-1"], "--finding names the task"),
        ([tmp_path], "neither a run nor a package"),
        ([tmp_path / "none"], "there is no such run or package"),
        ([broken], f"{broken}: cannot be shown: run.json: "),
    ):
        ran = gaia("view", *args, "--no-open")
        assert ran.code == 2
        assert said in ran.err
    assert "there is no screen here" in gaia("view", place / "run", "--out", tmp_path / "p.html").err


def test_a_page_takes_the_place_of_a_page_alone(place, tmp_path):
    pipe, notes, long = tmp_path / "pipe", tmp_path / "notes.txt", tmp_path / ("n" * 250)
    os.mkfifo(pipe)
    notes.write_text("to keep")
    results = (place / "run" / "results.jsonl").read_bytes()
    for out, said in (
        (pipe, "is not a plain file"),
        (tmp_path, "Is a directory"),
        (notes, "is there already, and is no page"),
        (place / "run" / "results.jsonl", "is there already, and is no page"),
        (place / "package" / "prompts" / "page.html", "would be in a package"),
        (long, "cannot be written: File name too long"),
    ):
        for words in (("view", place / "run", "--no-open"), ("compare", place / "run", place / "package")):
            ran = gaia(*words, "--out", out)
            assert ran.code == 2 and said in ran.err and "next:  choose another --out" in ran.err
    assert pipe.is_fifo() and notes.read_text() == "to keep"
    assert (place / "run" / "results.jsonl").read_bytes() == results
    assert {found.name for found in tmp_path.iterdir()} == {"pipe", "notes.txt"}
    page = tmp_path / "page.html"
    page.touch()
    for _ in range(2):
        assert gaia("view", place / "run", "--no-open", "--out", page).code == 0
    assert "is not a plain file" in gaia("audit", place / "run", "--out", pipe).err and pipe.is_fifo()


def test_a_closed_output_is_no_defect(place):
    for closing in (">&-", ">&- 2>&-"):
        line = f"{shlex.join(command('show', place / 'run'))} {closing}"
        ran = subprocess.run(["/bin/sh", "-c", line], env=environment(), capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, "")


def test_what_to_do_next_is_escaped_too(tmp_path):
    ran = gaia("show", tmp_path / "quay\x1b[2J\u202e", "--full")
    assert ran.code == 2 and "\\x1b[2J\\u202e' TASK" in ran.err
    assert "\x1b" not in ran.err and "\u202e" not in ran.err


def test_live_ends_when_nobody_is_at_work(place, tmp_path):
    ran = gaia("view", place / "run", "--live", "--no-open", "--out", tmp_path / "live.html")
    assert ran.code == 0
    assert "nobody is at work in this folder" in ran.err


def test_ctrl_c_leaves_a_page_that_does_not_reload_itself(tmp_path, capsys):
    written = []

    def write(every):
        written.append(every)
        if every:
            raise KeyboardInterrupt
        return "the page"

    lock = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert _write_live(tmp_path, write, opening=False) == "the page"
    finally:
        os.close(lock)
    assert written == [EVERY, 0] and capsys.readouterr().err == ""


def test_audit_and_verify_print_the_commands_that_open_what_they_found(place):
    audit = gaia("audit", place / "run", "--dataset", place / "data")
    assert audit.code == 1
    look = f"gaia view {place / 'run'} --finding 1 --dataset {place / 'data'}"
    assert f"             look: {look}\n" in audit.out
    assert audit.out.endswith(f"next:  {look}\n")
    assert gaia(*shlex.split(look)[1:], "--no-open").code == 0
    alone = gaia("audit", place / "run", "--dataset", place / "data", "--task", "quay-2")
    assert look in alone.out
    every = gaia("audit", place / "run", "--all").out
    of_the_run = every.partition("the run as a whole")[2].partition("\n  task ")[0]
    whole = re.findall(r"look: (gaia view .* --finding \d+)$", of_the_run, re.M)
    assert whole and gaia(*shlex.split(whole[0])[1:], "--no-open", "--out", place / "whole.html").code == 0
    verify = gaia("verify", place / "package")
    assert verify.err.endswith(f"next:  gaia view {place / 'package'}\n")
    signers = place / "allowed_signers"
    signers.write_text(KeyFolder(Path(own_folders()["GAIA_KEYS_DIR"])).existing("submit").allowed_signer().line())
    sound = gaia("verify", place / "package", "--allowed-signers", signers, "--accept-dirty")
    assert (sound.code, sound.err) == (0, f"next:  gaia view {place / 'package'} --allowed-signers {signers}\n")


def test_a_failed_verification_opens_at_the_line_that_was_changed(place, tmp_path):
    package = Path(shutil.copytree(place / "package", tmp_path / "package"))
    path = package / "trajectories.jsonl"
    changed = path.read_bytes().replace(b"FINAL ANSWER", b"FINAL answer").replace(b"no such page", b"no such cage")
    path.write_bytes(changed)
    ran = gaia("verify", package, "--identity", "tester@example.org")
    assert ran.code == 1
    look, other = (f"gaia view {package} --task trajectories.jsonl:{n} --identity tester@example.org" for n in (2, 3))
    assert ran.err.endswith(f"next:  {look}\nnext:  {other}\n")
    table = gaia("verify", place / "package", package, "--identity", "tester@example.org")
    assert table.code == 1 and table.err.endswith(f"next:  {look}\nnext:  {other}\n")
    assert f"gaia view {place / 'package'}" not in table.err
    assert gaia(*shlex.split(look)[1:], "--no-open").code == 0


def test_show_lists_tasks_with_tabs_in_a_pipe_and_a_table_on_a_terminal(place):
    rows = [line.split("\t") for line in gaia("show", place / "run").out.splitlines()]
    assert rows[0] == ["outcome", "level", "task", "turns", "time", "cost", "findings", "answer"]
    assert [(row[0], row[2]) for row in rows[1:]] == [
        ("right", "quay-1"), ("right, not counted", "quay-2"), ("error", "quay-3"),
    ]  # fmt: skip
    said = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal("show", place / "run"))
    assert said.startswith("acme/agent-7, folder, validation split, agent acme-loop 1.2: finished\r\n")
    assert "as made    2 of 3, 66.7%" in said and "redacted" not in said
    assert "\r\nredacted: no question, page text or answer is shown\r\n" in on_a_terminal(
        "show", place / "run", "--redacted"
    )
    assert re.search(r"^right, not counted +2 +quay-2 .* critical", said, re.M)
    assert f"next:  gaia show {place / 'run'} TASK" in said


def test_a_narrow_terminal_has_whole_ids(place):
    said = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal("show", place / "run", columns=40))
    table = said[said.index("outcome") :]
    assert "findings" not in table and all(f"quay-{number} " in table for number in (1, 2, 3))


def test_show_says_what_is_wrong_with_a_run_also_into_a_pipe(place, tmp_path):
    shutil.copytree(place / "run", tmp_path / "run")
    (tmp_path / "run" / "results.jsonl").write_text("broken\n")
    ran = gaia("show", tmp_path / "run")
    assert ran.code == 0 and ran.err.startswith("fault: results.jsonl:1: ") and "fault" not in ran.out


def test_show_tells_one_task_step_by_step(place):
    said = gaia("show", place / "run", "quay-1").out
    assert "  question   How many lamps stand on the quay of Farrowby?\n" in said
    assert "  expected   covered: --expected shows it\n" in said
    assert "   3  call    search · one of 2 calls made at once\n" in said
    assert re.search(r"^ {4} +\d+  model   acme/agent-7 · by keeper", said, re.M)  # within the call that started it
    assert re.search(r"\[65,\d+ of 84,000 bytes kept; sha256 [0-9a-f]{64}; --full shows the whole\]", said)
    copied = gaia("show", place / "run", "quay-2", "--expected").out
    assert "        ! critical AUD-1 copy-with-answer: a copy of the question with the answer\n" in copied
    assert f"  question   {QUESTION}\n" in copied
    assert "not here" in gaia("show", place / "package", "quay-3", "--expected").out
    assert "Ottilie" not in gaia("show", place / "package", "quay-3", "--expected").out


def test_show_redacted_has_sizes_and_hashes_and_no_text(place):
    said = gaia("show", place / "run", "quay-1", "--redacted", "--full").out
    assert not any(text in said for text in ("lamps", "Lamps", "twelve", "keeper.", "FINAL"))
    assert re.search(r"^        \[7,\d\d\d bytes, left out; sha256 [0-9a-f]{64}\]$", said, re.M)
    assert "        query: left out\n" in said and "        [12 bytes, left out]\n" in said
    assert "[12 bytes, left out; sha256" not in said  # short: it could be found by trying


def test_show_prints_one_step_and_all_that_is_kept_of_it(place):
    listed = gaia("show", place / "run", "quay-1").out
    number = re.search(r"^ +(\d+)  model   acme/agent-7 · by keeper", listed, re.M)[1]
    whole = gaia("show", place / "run", "quay-1", "--step", number, "--full").out
    assert whole.count("I count them.") == 6000
    assert gaia("show", place / "run", "quay-1", "--step", "99").code == 2
    assert gaia("show", place / "run", "--full").code == 2


def test_show_escapes_what_a_terminal_would_obey(place):
    for said in (
        gaia("show", place / "hostile" / "run").out,
        gaia("show", place / "hostile" / "run", f"x{MARKUP}", "--full").out,
        gaia("show", place / "hostile" / "run", "second").out,
    ):
        assert not re.search(r"[\x00\x1b\u202e\u202c\u200b]", said)
    whole = gaia("show", place / "hostile" / "run", f"x{MARKUP}").out
    assert plain(f"O {HOSTILE}") in whole
