"""What a report counts: what is clean, which tasks count, how much was looked at, what was waived."""

import msgspec
import pytest
from audit_samples import SampleRun, task_id
from tool_samples import Sample

from gaia_harness.audit import report, waivers
from gaia_harness.audit.coverage import Coverage
from gaia_harness.audit.findings import MOST_OF_A_RULE, Finding, Findings
from gaia_harness.audit.waivers import Waiver
from gaia_harness.errors import UsageError
from gaia_harness.records.steps import ToolResultStep, Window

AT = "2026-01-02T03:04:05Z"
FIRST, SECOND, THIRD = task_id(0), task_id(1), task_id(2)


def finding(severity, rule="a-rule", of=FIRST, **more):
    return Finding(severity=severity, rule=rule, summary="Something.", task_id=of, **more)


def reported(tmp_path, monkeypatch, found=(), *, gaps=None, waived=(), **opened):
    """The report on three tasks, of which the third is wrong, if the checks said this, by their numbers."""

    class Saying:
        def __init__(self, number):
            self.number = number

        def look(self, task):
            pass

        def conclude(self, notes):
            findings = Findings()
            for number, each in found:
                if number == self.number:
                    findings.add(each)
            return findings.check(f"AUD-{self.number}", "a-name", harness_gap=(gaps or {}).get(self.number))

    monkeypatch.setattr(report, "CHECKS", tuple(lambda run, n=n: Saying(n) for n in range(1, 11)))
    run = SampleRun(tmp_path).add(0).add(1).add(2, gold="17").open(**opened)
    return report.audit(run, audited_at=AT, waivers=waived)


@pytest.mark.parametrize(
    ("severity", "gap", "clean", "strictly"),
    [
        ("critical", None, False, False),
        ("high", None, False, False),
        ("medium", None, True, False),
        ("low", None, True, True),
        ("info", None, True, True),
        ("low", "not at hand", True, False),
    ],
)
def test_what_is_clean_and_what_is_so_strictly(tmp_path, monkeypatch, severity, gap, clean, strictly):
    said = reported(tmp_path, monkeypatch, [(5, finding(severity))], gaps={5: gap}).attestation
    assert (said.clean, said.strict_clean) == (clean, strictly)
    assert said.critical_failures == (() if clean else ("AUD-5",))
    assert said.warn_failures == (("AUD-5",) if severity == "medium" else ())
    assert said.skipped == (("AUD-5",) if gap else ())


def test_a_gap_is_named_even_where_the_check_fails_already(tmp_path, monkeypatch):
    said = reported(tmp_path, monkeypatch, [(5, finding("high"))], gaps={5: "a half", 6: "all"})
    assert said.attestation.harness_gaps == ("AUD-5: a half", "AUD-6: all")
    assert [check.status for check in said.checks[4:6]] == ["fail", "skip"]
    assert said.attestation.skipped == ("AUD-6",)


@pytest.mark.parametrize("check", range(1, 11))
def test_a_leak_takes_its_task_out_of_the_score(tmp_path, monkeypatch, check):
    totals = reported(tmp_path, monkeypatch, [(check, finding("high"))]).totals
    leak = check in (1, 3, 4, 8)
    assert (totals.raw.passed, totals.raw.total, totals.audited.passed) == (2, 3, 1 if leak else 2)
    assert totals.tasks_not_counted == ((FIRST,) if leak else ())


def test_only_a_gating_finding_on_a_right_answer_takes_something_out(tmp_path, monkeypatch):
    found = [(1, finding("medium")), (1, finding("critical", of=THIRD)), (1, finding("critical", of=None))]
    totals = reported(tmp_path, monkeypatch, found).totals
    assert (totals.audited.passed, totals.tasks_not_counted) == (2, ())
    assert totals.findings == {"critical": 2, "high": 0, "medium": 1, "low": 0, "info": 0}


def test_a_task_without_a_result_counts_as_wrong(tmp_path, monkeypatch):
    sample = SampleRun(tmp_path).add(0).add(1)
    sample.results.pop()
    monkeypatch.setattr(report, "CHECKS", ())
    totals = report.audit(sample.open(), audited_at=AT).totals
    assert (totals.tasks, totals.finished, totals.raw.passed, totals.raw.total) == (2, 1, 1, 2)


def test_without_the_answers_nothing_is_claimed(tmp_path, monkeypatch):
    run = SampleRun(tmp_path).add(0).open()
    run.key = None
    monkeypatch.setattr(report, "CHECKS", ())
    totals = report.audit(run, audited_at=AT).totals
    assert (totals.raw, totals.audited) == (None, None)


def test_a_result_of_no_task_of_the_run_does_not_count(tmp_path, monkeypatch):
    sample = SampleRun(tmp_path).add(0).add(1)
    sample.run["dataset"]["task_ids"].pop()
    monkeypatch.setattr(report, "CHECKS", ())
    totals = report.audit(sample.open(), audited_at=AT).totals
    assert (totals.tasks, totals.finished, totals.raw.passed, totals.raw.total) == (1, 1, 1, 1)


def test_every_input_is_in_its_hash(tmp_path, monkeypatch):
    def inputs(name, change=lambda sample: None, **more):
        (tmp_path / name).mkdir()
        sample = SampleRun(tmp_path / name).add(0)
        change(sample)
        monkeypatch.setattr(report, "CHECKS", ())
        return msgspec.structs.asdict(report.audit(sample.open(), audited_at=AT, **more).inputs)

    before = inputs("a")
    assert inputs("b") == before
    waived = (Waiver(task_id=None, rule="r", reason="why", who="w"),)
    for name, change, more in (
        ("questions_sha256", lambda sample: sample.questions.update({FIRST: "Another question?"}), {}),
        ("waivers_sha256", lambda sample: None, {"waivers": waived}),
    ):
        assert inputs(name, change, **more)[name] != before[name], name


def test_no_hash_of_the_inputs_says_anything_of_the_golds(tmp_path, monkeypatch):
    def inputs(name, gold):
        (tmp_path / name).mkdir()
        sample = SampleRun(tmp_path / name).add(0)
        sample.golds[FIRST] = gold
        monkeypatch.setattr(report, "CHECKS", ())
        return report.audit(sample.open(), audited_at=AT).inputs

    assert inputs("a", "42") == inputs("b", "an amber heron")


# how much was looked at


def test_what_is_covered_is_counted(tmp_path):
    sample = Sample(tmp_path)
    sample.begin()
    sample.recorder.llm_call(1, "I look.", model="m")
    sample.call("python", {"code": "x" * 20_000}, "a" * 5000)
    sample.call("python", {"code": "print(1)"}, "hf_" + "a1B2" * 8)
    sample.again()
    sample.begin()
    task = sample.evidence()
    long = next(step for step in task.trajectory.steps if isinstance(step, ToolResultStep))
    window = Window(offset=0, bytes=3, at=0, why="copy", view="", source=None, text="aaa")
    kept = msgspec.structs.replace(long, body=True, windows=(window, window))
    steps = tuple(kept if step is long else step for step in task.trajectory.steps)
    task.trajectory = msgspec.structs.replace(task.trajectory, steps=steps)
    coverage = Coverage()
    coverage.count(task)
    counted = msgspec.structs.asdict(coverage)
    assert counted == {
        "tasks": 1, "trajectories": 1, "trajectories_unsound": 0, "attempts": 2, "steps": 11, "prompts": 6,
        "model_calls": 1, "tool_calls": 2, "tool_calls_cut": 1, "tool_results": 2, "tool_results_scanned": 0,
        "tool_results_unscanned_cut": 1, "tool_output_bytes": 5035, "tool_output_bytes_kept": 4131, "bodies_kept": 1,
        "windows": 2, "redactions": 1, "words_cut": 0, "prompts_cut": 0, "attachments_unopened": msgspec.UNSET,
        "tool_outputs_cut": msgspec.UNSET, "texts_unread": msgspec.UNSET,
    }  # fmt: skip


def test_a_line_that_cannot_be_read_is_counted_as_such(tmp_path):
    broken, missing, nobody = Sample(tmp_path).evidence(), Sample(tmp_path).evidence(), Sample(tmp_path).evidence()
    broken.trajectory = missing.trajectory = nobody.trajectory = None
    broken.fault = nobody.fault = "not JSON"
    nobody.task_id = ""
    coverage = Coverage()
    for task in (broken, missing, nobody):
        coverage.count(task)
    assert (coverage.tasks, coverage.trajectories, coverage.trajectories_unsound) == (2, 0, 2)


# findings and waivers


@pytest.mark.parametrize("more", [0, 1, 5])
def test_of_one_rule_no_more_are_listed_than_anybody_reads(more):
    findings = Findings()
    for seq in range(MOST_OF_A_RULE + more):
        findings.add(finding("high", seq=seq))
    listed = findings.sorted()
    assert sum(each.seq is not None for each in listed) == MOST_OF_A_RULE
    assert [each.summary for each in listed if each.seq is None] == ([f"{more} more of this rule"] if more else [])


def waiver(of=FIRST, rule="a-rule"):
    return Waiver(task_id=of, rule=rule, reason="It was so.", who="M. Lanternkeeper")


@pytest.mark.parametrize(
    ("found", "of", "severities", "outcome"),
    [
        (["high"], FIRST, ["medium"], "lowered"),
        (["critical"], FIRST, ["critical"], "refused"),
        (["critical", "high"], FIRST, ["critical", "medium"], "refused"),
        (["medium", "low"], FIRST, ["medium", "low"], "unused"),
        (["high"], None, ["high"], "unused"),
        (["high"], SECOND, ["high"], "unused"),
    ],
)
def test_what_comes_of_a_waiver(tmp_path, monkeypatch, found, of, severities, outcome):
    said = reported(tmp_path, monkeypatch, [(5, finding(each)) for each in found], waived=(waiver(of),))
    assert [each.severity for each in said.checks[4].findings] == severities
    (use,) = said.waivers
    assert outcome in use.outcome


def test_a_waiver_fills_no_gap(tmp_path, monkeypatch):
    said = reported(tmp_path, monkeypatch, [(5, finding("high"))], gaps={5: "a half"}, waived=(waiver(),))
    assert (said.checks[4].status, said.checks[4].harness_gap) == ("skip", "a half")


def test_a_file_of_waivers_has_an_end(tmp_path, monkeypatch):
    path = tmp_path / "w.json"
    path.write_text("[]" + " " * 50)
    monkeypatch.setattr(waivers, "LARGEST_FILE", 52)
    assert waivers.read_waivers(path) == ()
    monkeypatch.setattr(waivers, "LARGEST_FILE", 51)
    with pytest.raises(UsageError, match="larger than 51 bytes"):
        waivers.read_waivers(path)
