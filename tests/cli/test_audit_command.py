"""`gaia audit` as a person uses it: nothing that a stranger wrote is obeyed by the terminal, and 1 means a finding."""

import json
import os
import random
import subprocess

import msgspec
import pytest

from gaia_command import environment, gaia, ready_command
from gaia_harness.audit.findings import Check, Finding
from gaia_harness.audit.waivers import Waiver, apply
from gaia_harness.cli.plain import plain
from redteam.making import RunMaker
from redteam.script import RunScript
from redteam.solving import closing, fetch, honest_script, script_of, turn
from redteam.world import Page, tasks

EVIL = "id\x1b]0;pwned\x07\x1b[2J\u202e\x9b31m"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run whose first task has an id that a terminal would obey, and met a copy when it had answered."""
    maker = RunMaker(tmp_path_factory.mktemp("strange"), "strange")
    first, *others = tasks("strange", 6)
    first = msgspec.structs.replace(first, task_id=EVIL)
    page = Page(url="https://a.example/p", title="p", text=f"{first.question} Final answer: {first.gold}")
    said = f"FINAL ANSWER: {first.gold}\nI check once more."
    met = script_of(first, turn(said, fetch(page)), closing(random.Random(1), first.gold))
    maker.write(RunScript(tasks=(met, *(honest_script(task, random.Random(2)) for task in others))))
    return maker.path


def on_a_terminal(*args):
    """What a terminal gets to see, as bytes."""
    ours, theirs = os.openpty()
    with subprocess.Popen(
        ready_command("audit", *args), stdout=theirs, stderr=subprocess.DEVNULL, env=environment(TERM="xterm")
    ) as process:
        os.close(theirs)
        seen = b""
        try:
            while data := os.read(ours, 65536):
                seen += data
        except OSError:  # the other side is closed
            pass
    os.close(ours)
    return seen, process.returncode


def test_nothing_that_a_stranger_wrote_reaches_the_terminal_as_it_is(run, tmp_path):
    waivers = tmp_path / "w.json"
    waived = {
        "task_id": EVIL,
        "rule": "copy-with-answer",
        "reason": "r\x1b[2J\u202e",
        "who": "me\r\n  verdict    clean",
    }
    waivers.write_text(json.dumps([waived]))
    seen, code = on_a_terminal(run, "--waivers", waivers)
    assert b"\x1b[31m" in seen or b"\x1b[33m" in seen  # it is a terminal: what is ours has its colours
    said = seen.decode()
    assert r"on id\x1b]0;pwned\x07\x1b[2J\u202e\x9b31m" in said
    for sign in ("\x1b]", "\x1b[2J", "\x07", "\u202e", "\x9b"):
        assert sign not in said
    assert sum(line.strip().startswith("verdict") for line in said.splitlines()) == 1
    assert r"me\r\n  verdict    clean" in said
    assert code == 0


def test_text_that_can_be_seen_stays_as_it_is():
    assert plain("Größe 3 × 4, 港") == "Größe 3 × 4, 港"
    assert plain("a\x1b[2J\r\n\u202eb\ud800") == r"a\x1b[2J\r\n\u202eb\ud800"


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"run_id": 3}', "\x00"])
def test_a_broken_record_is_no_finding(tmp_path, content):
    (tmp_path / "run.json").write_text(content)
    ran = gaia("audit", tmp_path)
    assert ran.code == 2
    assert "run.json" in ran.err


def test_a_package_that_cannot_be_read_is_no_finding(tmp_path):
    (tmp_path / "metadata.json").write_text('{"facts": {}}')
    ran = gaia("audit", tmp_path)
    assert ran.code == 2
    assert "metadata.json" in ran.err


@pytest.mark.parametrize("out", ["missing/report.json", "", "/"])
def test_a_report_that_cannot_be_written_names_the_file_that_was_asked_for(run, tmp_path, out):
    asked = tmp_path / out
    ran = gaia("audit", run, "--out", asked)
    assert ran.code == 2
    assert f"{asked}: cannot be written" in ran.err
    assert ".tmp" not in ran.err
    assert not ran.out


def test_a_data_set_that_is_not_there_is_no_finding(run, tmp_path):
    ran = gaia("audit", run, "--dataset", tmp_path / "none")
    assert ran.code == 2
    assert "none" in ran.err


def test_a_finding_is_1_and_its_report_is_written(run, tmp_path):
    ran = gaia("audit", run, "--out", tmp_path / "report.json")
    assert ran.code == 1
    assert json.loads((tmp_path / "report.json").read_bytes())["attestation"]["clean"] is False


def test_a_waiver_that_lowers_one_finding_and_not_another_says_both():
    waiver = Waiver(task_id="a", rule="copy", reason="seen", who="M. Lanternkeeper")
    found = tuple(Finding(severity=s, rule="copy", summary="", task_id="a") for s in ("critical", "high"))
    (check,), (use,) = apply((Check(id="AUD-1", name="n", status="fail", findings=found),), (waiver,))
    assert use.outcome == "lowered and refused"
    assert [finding.severity for finding in check.findings] == ["critical", "medium"]


def test_an_error_shows_no_escape_of_somebody_else_s(tmp_path):
    odd = tmp_path / "run\x1b]0;owned\x07"
    ran = gaia("audit", odd)
    assert ran.code == 2
    assert "\x1b" not in ran.err
    assert r"run\x1b]0;owned\x07" in ran.err


def test_a_rule_can_be_asked_for_without_a_run():
    ran = gaia("audit", "--explain", "copy-with-answr")
    assert ran.code == 2
    assert "there is no rule 'copy-with-answr'" in ran.err
    assert gaia("audit", "--explain", "list").code == 0
    missing = gaia("audit")
    assert (missing.code, "DIR is missing" in missing.err) == (2, True)


def test_the_findings_of_one_task_are_opened_by_the_command_that_the_report_names(run):
    shown = gaia("audit", run, "--task", EVIL)
    assert shown.code == 1
    assert "copy-with-answer" in shown.out
    assert "verdict" not in shown.out


def test_of_several_runs_each_is_said_in_a_line_and_the_worst_decides(run, tmp_path):
    (tmp_path / EVIL[:8]).mkdir()
    ran = gaia("audit", run, tmp_path / EVIL[:8])
    found, missing = ran.out.splitlines()
    assert ran.code == 2 and "\x1b" not in ran.out
    assert found.startswith("NOT clean    ") and "6 tasks, 1 high, " in found
    assert missing.startswith("unreadable   ")
    for option in ("--all", "--task=x", f"--out={tmp_path}/r.json"):
        ran = gaia("audit", run, run, option)
        assert ran.code == 2 and "of one run" in ran.err
