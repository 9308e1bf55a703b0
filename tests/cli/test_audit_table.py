"""What `gaia audit` prints: the verdict, what gates, one line for every other rule, and what was not seen."""

from pathlib import Path

import msgspec
import pytest

from gaia_harness.audit.explanations import Explanation, Rule
from gaia_harness.audit.findings import Finding, Findings
from gaia_harness.audit.report import Report
from gaia_harness.cli.audit_table import MOST_GATING, WIDTH, explain_rules, list_rules, show, show_task
from gaia_harness.errors import UsageError

PACKAGE = Path(__file__).parents[2] / "conformance" / "plain_pass" / "package"
FOLDER = Path("runs/of mine")


def task_id(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-000000000000"


def found(severity, rule, number=None, **more) -> Finding:
    summary = f"What {rule} has to say of it, in a sentence that is longer than one line of a terminal can be."
    return Finding(
        severity=severity, rule=rule, summary=summary, task_id=None if number is None else task_id(number), **more
    )


def report_of(*findings: Finding) -> Report:
    """A sound report with other findings in its first check."""
    report = msgspec.json.decode((PACKAGE / "audit-report.json").read_bytes(), type=Report)
    first, *others = report.checks
    collected = Findings()
    for finding in findings:
        collected.add(finding)
    return msgspec.structs.replace(report, checks=(collected.check(first.id, first.name), *others))


def said(capsys, report, **options) -> list[str]:
    show(report, FOLDER, **options)
    return capsys.readouterr().out.splitlines()


def test_the_headline_comes_first_and_counts(capsys):
    report = report_of(
        found("info", "closed-book", 1), found("info", "closed-book", 2), found("info", "closed-book", 2)
    )
    report.coverage.attachments_unopened = [task_id(3)]
    lines = said(capsys, report)
    assert lines[0] == "audit of runs/of mine"
    assert [line.split()[0] for line in lines[2:4]] == ["verdict", "score"]
    assert "             2 right without the use of any tool" in lines[:9]
    assert "             1 without opening the attached file" in lines[:9]
    assert any(line.startswith("  gaps ") for line in lines[:9])


def test_what_gates_is_shown_with_its_place_and_the_commands_that_show_more(capsys):
    gating = found("critical", "copy", 1, attempt=1, seq=4, field="output", offset=12, excerpt="the copy " * 20)
    lines = said(capsys, report_of(gating, found("medium", "part", 1)))
    at = lines.index(f"  task {task_id(1)}")
    assert lines[at + 1] == "    critical AUD-1 copy"
    assert "[attempt 1, step 4, output byte 12]" in " ".join(line.strip() for line in lines[at + 2 : at + 5])
    assert f"    all of it: gaia audit 'runs/of mine' --task {task_id(1)}" in lines
    assert f"             look: gaia view 'runs/of mine' --task {task_id(1)} --step 4" in lines
    assert lines[-1] == f"next:  gaia view 'runs/of mine' --task {task_id(1)} --step 4"
    assert "  what it means: gaia audit --explain copy" in lines
    assert not any("part" in line for line in lines[at : lines.index("  what it means: gaia audit --explain copy")])


def test_every_other_rule_has_one_line_with_how_many_tasks_and_one_of_them(capsys):
    lines = said(
        capsys,
        report_of(
            *(found("medium", "copy-without-answer", number) for number in (7, 7, 8, 9)),
            found("low", "known-page", 8),
            found("info", "partial"),
        ),
    )
    assert [
        line.split() for line in lines if " AUD-1 " in line and line.startswith(("  medium", "  low", "  info"))
    ] == [
        ["medium", "AUD-1", "copy-without-answer", "3", "tasks,", "e.g.", "00000007"],
        ["low", "AUD-1", "known-page", "1", "task,", "e.g.", "00000008"],
        ["info", "AUD-1", "partial", "the", "run"],
    ]
    assert not any(line.startswith("  task ") for line in lines)


def test_with_all_every_finding_is_printed_by_task(capsys):
    lines = said(
        capsys, report_of(found("medium", "copy", 7), found("low", "page", 8), found("high", "file")), every=True
    )
    places = [line for line in lines if line.startswith(("  task ", "  the run"))]
    assert places == ["  the run as a whole", f"  task {task_id(7)}", f"  task {task_id(8)}"]


def test_of_very_many_tasks_that_gate_only_some_are_printed(capsys):
    lines = said(capsys, report_of(*(found("high", "copy", number) for number in range(MOST_GATING + 5))))
    assert sum(line.startswith("  task ") for line in lines) == MOST_GATING
    assert "  and 5 more tasks: gaia audit 'runs/of mine' --all" in lines


def test_no_line_is_wider_than_a_terminal_but_an_excerpt_or_a_command(capsys):
    report = report_of(
        found("critical", "copy", 1, excerpt="x " * 100), found("medium", "copy-without-answer-of-any-kind", 2)
    )
    gaps = ("AUD-4: how the agent's code was contained is not known, and nobody wrote it down " * 3,)
    attestation = msgspec.structs.replace(report.attestation, harness_gaps=gaps)
    report.coverage.attachments_unopened = [task_id(number) for number in range(30)]
    lines = said(capsys, msgspec.structs.replace(report, attestation=attestation))
    wide = [line for line in lines if len(line) > WIDTH]
    assert [line for line in wide if "> x x" not in line and "gaia " not in line] == []
    assert any("> x x" in line for line in lines)


def test_one_task_is_shown_by_the_beginning_of_its_id_with_all_of_its_findings(capsys):
    report = report_of(
        found("high", "copy", 1, excerpt="here"), found("info", "closed-book", 1), found("low", "page", 2)
    )
    show_task(report, "00000001", FOLDER)
    printed = capsys.readouterr().out
    assert task_id(1) in printed and "copy" in printed and "closed-book" in printed and "> here" in printed
    assert "page" not in printed
    with pytest.raises(UsageError, match="2 tasks have an id that begins with '0000'"):
        show_task(report, "0000", FOLDER)
    show_task(report, "ff", FOLDER)
    assert "no finding on a task ff" in capsys.readouterr().out


def test_a_rule_is_explained_in_lines_that_fit(capsys):
    sentence = "A sentence that says something of a rule and is quite long. " * 3
    rule = Rule("AUD-1", "copy", Explanation(severities=("high",), means=sentence, sign=sentence, honest=sentence))
    explain_rules([rule])
    list_rules([rule, rule])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "AUD-1 copy: high"
    assert max(map(len, lines)) <= WIDTH
    assert lines[-1].startswith("AUD-1  copy  A sentence") and lines[-1].endswith("…")
