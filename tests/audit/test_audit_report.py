"""The report as a whole: what it says of an honest run and of a bad one, the same bytes every time, offline."""

import json
import random
import shutil
import socket
import subprocess
import sys

import msgspec
import pytest

from gaia_command import gaia, lines
from gaia_harness.audit.evidence import open_run
from gaia_harness.audit.report import audit, encode_report
from gaia_harness.run.audit_input import load_dataset_facts
from redteam.making import RunMaker
from redteam.script import RunScript
from redteam.solving import closing, fetch, honest_script, script_of, turn
from redteam.world import Page, tasks

AT = "2026-01-02T03:04:05Z"


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory):
    """A submission-bound run of some of the demo with the LLM judge on, as a person makes it."""
    folder = tmp_path_factory.mktemp("audited") / "run"
    ran = gaia(
        *("run", "--dataset", "demo", "--level", "1", "--limit", "5", "--model", "scripted/demo"),
        *("--judge-model", "scripted/judge"),
        *("--judge-all", "--submit-intent", "--out", folder),
    )
    assert ran.code == 0, ran.said
    return folder


@pytest.fixture(scope="session")
def leaked_run(tmp_path_factory):
    """Eight tasks; the first met a leaked copy."""
    maker = RunMaker(tmp_path_factory.mktemp("leaked"), "report")
    first, *others = tasks("report", 8)
    page = Page(url="https://a.example/p", title="p", text=f"{first.question} Final answer: {first.gold}")
    leaked = script_of(first, turn("I look.", fetch(page)), closing(random.Random(1), first.gold))
    maker.write(RunScript(tasks=(leaked, *(honest_script(task, random.Random(2)) for task in others))))
    return maker


def report_of(maker):
    ids = [line["task_id"] for line in lines(maker.path / "results.jsonl")]
    return audit(
        open_run(maker.path, load_dataset_facts(str(maker.dataset), "validation", None, ids, {})), audited_at=AT
    )


def test_a_submission_bound_run_of_ours_has_no_gaps_and_nothing_skipped(demo_run):
    ran = gaia("audit", demo_run, "--json", "--audited-at", AT)
    report = json.loads(ran.out)
    assert ran.code == 0, ran.said
    assert report["attestation"]["harness_gaps"] == []
    assert report["attestation"]["skipped"] == []
    assert report["attestation"]["clean"] is True
    assert [check["id"] for check in report["checks"]] == [f"AUD-{number}" for number in range(1, 11)]
    assert report["totals"]["raw"] == report["totals"]["audited"]
    assert report["coverage"]["tool_results"] == report["coverage"]["tool_results_scanned"] > 0
    assert report["audited_at"] == AT


def test_a_clean_run_reads_as_a_table(demo_run):
    ran = gaia("audit", demo_run)
    assert ran.code == 0
    assert "AUD-9 AUD-10" in ran.out
    assert "5 of 5" in ran.out
    assert "verdict    clean" in ran.out


def test_a_leak_fails_the_audit_and_counts_as_wrong(leaked_run):
    report = report_of(leaked_run)
    first = tasks("report", 8)[0].task_id
    assert report.attestation.critical_failures == ("AUD-1",)
    assert not report.attestation.clean
    assert report.totals.tasks_not_counted == (first,)
    assert report.totals.audited.passed == report.totals.raw.passed - 1


def test_a_leak_is_shown_under_its_task_with_its_place(leaked_run):
    ran = gaia("audit", leaked_run.path)
    assert ran.code == 1
    shown = " ".join(ran.out[ran.out.index(f"task {tasks('report', 8)[0].task_id}") :].split())
    assert "critical AUD-1 copy-with-answer" in shown
    assert "attempt 1, step 5, output byte 0, source 0" in shown
    assert "NOT CLEAN: AUD-1" in ran.out


def test_the_same_run_gives_the_same_bytes_in_any_process(leaked_run):
    """Hashes of texts are other ones here, or there."""
    given = {gaia("audit", leaked_run.path, "--json", "--audited-at", AT, PYTHONHASHSEED="1").out.encode()}
    assert given == {encode_report(report_of(leaked_run))}


def test_the_order_of_lines_changes_nothing_but_the_hash_of_the_file(leaked_run, tmp_path):
    turned = shutil.copytree(leaked_run.path, tmp_path / "run")
    for name in ("results.jsonl", "trajectories.jsonl"):
        rows = (turned / name).read_bytes().splitlines(keepends=True)
        (turned / name).write_bytes(b"".join(reversed(rows)))
    reports = [
        json.loads(gaia("audit", folder, "--json", "--audited-at", AT).out) for folder in (leaked_run.path, turned)
    ]
    for report in reports:
        del report["inputs"]["trajectories_sha256"]
    assert reports[0] == reports[1]


def test_no_connection_is_opened(leaked_run, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert report_of(leaked_run).attestation.critical_failures == ("AUD-1",)


def test_nothing_that_can_connect_is_even_imported(leaked_run):
    code = (
        "import sys; from pathlib import Path; from gaia_harness.audit.report import audit; "
        "from gaia_harness.audit.evidence import open_run; "
        f"audit(open_run(Path({str(leaked_run.path)!r}), None), audited_at='x'); "
        "bad = {'httpx2', 'openai', 'anthropic', 'huggingface_hub', 'gaia_harness.models', 'gaia_harness.tools'}; "
        "print(sorted(bad & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_the_data_set_the_checks_that_need_it_are_skipped(tmp_path):
    maker = RunMaker(tmp_path, "alone")
    maker.write(RunScript(tasks=tuple(honest_script(task, random.Random(2)) for task in tasks("alone", 4))))
    elsewhere = maker.dataset.rename(tmp_path / "elsewhere")
    ran = gaia("audit", maker.path, "--json")
    report = json.loads(ran.out)
    assert "the data set is not at hand" in ran.err
    assert {"AUD-3", "AUD-7"} <= set(report["attestation"]["skipped"])
    assert all(check["status"] != "pass" for check in report["checks"] if check.get("harness_gap"))
    named = gaia("audit", maker.path, "--json", "--dataset", elsewhere)
    assert json.loads(named.out)["attestation"]["skipped"] == []
    missing = gaia("audit", maker.path, "--dataset", tmp_path / "nowhere")
    assert missing.code == 2
    assert "nowhere" in missing.err


def test_strict_is_one_more_than_clean(tmp_path):
    maker = RunMaker(tmp_path, "strict")
    first, *others = tasks("strict", 6)
    copied = Page(url="https://a.example/p", title="p", text=f"{first.question} Does anybody know?")
    script = script_of(first, turn("I look.", fetch(copied)), closing(random.Random(1), first.gold))
    maker.write(RunScript(tasks=(script, *(honest_script(task, random.Random(2)) for task in others))))
    assert gaia("audit", maker.path).code == 0
    ran = gaia("audit", maker.path, "--strict")
    assert ran.code == 1
    assert "not strictly: AUD-1" in ran.out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("audit", "nowhere"), "not a folder"),
        (("audit", "."), "neither a run nor a package"),
        (("audit",), "DIR is missing"),
        (("audit", ".", "--audited-at", ""), "--audited-at"),
    ],
)
def test_wrong_use_is_exit_2_and_says_what_to_do(tmp_path, args, said):
    ran = gaia(*args, cwd=tmp_path)
    assert ran.code == 2
    assert said in ran.err


def test_the_report_is_written_to_a_file_too(demo_run, tmp_path):
    ran = gaia("audit", demo_run, "--json", "--audited-at", AT, "--out", tmp_path / "report.json")
    assert (tmp_path / "report.json").read_text() == ran.out


def test_a_run_without_evidence_is_no_clean_run(tmp_path):
    ran = gaia(
        *("run", "--dataset", "demo", "--level", "1", "--limit", "1", "--model", "scripted/demo"),
        *("--record-evidence=false", "--out", tmp_path / "run"),
    )
    assert ran.code == 0, ran.said
    audited = gaia("audit", tmp_path / "run", "--json")
    report = json.loads(audited.out)
    assert audited.code == 1
    assert "AUD-2" in report["attestation"]["critical_failures"]
    assert {"AUD-1", "AUD-3"} <= set(report["attestation"]["skipped"])


def test_findings_hold_no_gold_of_a_task_that_was_not_solved(tmp_path):
    """The report goes into a public package."""
    maker = RunMaker(tmp_path, "secret")
    chosen = [
        msgspec.structs.replace(task, gold=f"zq{n}xkjw vorplast", attachment=None)
        for n, task in enumerate(tasks("s", 6))
    ]
    page = Page(url="https://a.example/p", title="p", text="Nothing of note here.")
    scripts = [script_of(task, turn("I look.", fetch(page)), closing(random.Random(1), "blue")) for task in chosen]
    maker.write(RunScript(tasks=tuple(scripts)))
    report = encode_report(report_of(maker)).decode()
    assert not [task.gold for task in chosen if task.gold in report]


def test_environment_names_the_options():
    ran = gaia("audit", "x", GAIA_AUDIT_JSON="maybe")
    assert ran.code == 2
    assert "maybe" in ran.err
