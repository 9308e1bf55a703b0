"""`gaia verify A B C`: a line each, the worst exit code, a list as JSON; and what the audit counted."""

import json
from pathlib import Path

import msgspec
import pytest
from forging import Package

from gaia_command import gaia
from gaia_harness.submission.verdict import AuditCounts

CONFORMANCE = Path(__file__).parents[2] / "conformance"
TRUST = ("--allowed-signers", CONFORMANCE / "allowed_signers", "--identity", "conformance@example.org")
WHOLE = CONFORMANCE / "plain_pass" / "package"
VOTED = CONFORMANCE / "voted_pass" / "package"
DIRTY = CONFORMANCE / "dirty_accepted_pass" / "package"
BROKEN = CONFORMANCE / "bit_flipped_fail" / "package"
ARCHIVE = CONFORMANCE / "archive_pass" / "package.tar.gz"
OTHER = CONFORMANCE / "signer_by_another_name_fail" / "package"
NOWHERE = CONFORMANCE / "nowhere"
NOT_AUTHENTICATED = ("--allowed-signers", CONFORMANCE / "allowed_signers")


def test_a_line_for_each_of_several_packages(tmp_path):
    ran = gaia("verify", WHOLE, VOTED, ARCHIVE, DIRTY, BROKEN, NOWHERE, *TRUST)
    assert ran.code == 1, ran.said
    table = [line.split("  ") for line in ran.out.split("\n\n")[0].splitlines()]
    rows = [[cell.strip() for cell in line if cell.strip()] for line in table]
    name = "conformance@example.org"
    assert rows[0] == ["verdict", "score", "signer", "package", "standing"]
    assert rows[1] == ["verified", "3 of 3", name, str(WHOLE), "run 1 of 1 on this task list"]
    assert rows[2][3:] == [str(VOTED), "run 1 of 1 on this task list; 1 on other task lists"]
    assert rows[3][3:] == [str(ARCHIVE), "run 1 of 1 on this task list"]
    assert [row[0] for row in rows[4:]] == ["not clean", "failed", "unreadable"]
    assert rows[5] == ["failed", "-", "-", str(BROKEN), "-"]
    assert f"{DIRTY}: python ran without a sandbox" in ran.out
    assert f"{BROKEN}: 1 file set: trajectories.jsonl: its content is not what SHA256SUMS lists" in ran.out
    assert f"{NOWHERE}: there is no such package" in ran.out


@pytest.mark.parametrize(
    ("packages", "options", "code"),
    [
        ([WHOLE, ARCHIVE], TRUST, 0),
        ([WHOLE, DIRTY], TRUST, 4),
        ([WHOLE, DIRTY], (*TRUST, "--accept-dirty"), 0),
        ([DIRTY, OTHER, WHOLE], NOT_AUTHENTICATED, 3),
        ([DIRTY, OTHER, NOWHERE], NOT_AUTHENTICATED, 2),
        ([NOWHERE, BROKEN, WHOLE], TRUST, 1),
    ],
)
def test_the_worst_decides(packages, options, code):
    ran = gaia("verify", *packages, *options)
    assert ran.code == code, ran.said


def test_several_as_json():
    ran = gaia("verify", WHOLE, BROKEN, NOWHERE, *TRUST, "--json")
    whole, broken, nowhere = json.loads(ran.out)
    assert whole["package"] == str(WHOLE)
    one = json.loads(gaia("verify", WHOLE, *TRUST, "--json").out)
    assert {**one, "package": str(WHOLE)} == whole
    assert [said["exit_code"] for said in (whole, broken, nowhere)] == [0, 1, 2]
    assert nowhere == {
        "package": str(NOWHERE),
        "exit_code": 2,
        "verdict": "unreadable",
        "error": f"{NOWHERE}: there is no such package",
        "hint": "name a folder, or a tar or zip file",
    }


def test_the_counts_of_the_audit_are_shown(package: Package):
    findings = package.json("audit-report.json")["totals"]["findings"]
    said = ", ".join(f"{findings[severity]} {severity}" for severity in ("critical", "high", "medium", "low", "info"))
    assert f"  audit      clean: {said}\n" in gaia("verify", package.folder).out
    told = json.loads(gaia("verify", package.folder, "--json").out)
    assert told["audit"] == {"clean": True, "findings": findings, "waived": 0}


def test_waived_findings_are_said():
    counts = AuditCounts(clean=True, findings={"medium": 2, "critical": 0}, waived=1)
    assert str(counts) == "clean: 0 critical, 0 high, 2 medium, 0 low, 0 info; 1 waived"
    assert str(msgspec.structs.replace(counts, clean=False)).startswith("NOT clean: ")


def test_a_broken_package_s_audit_is_not_repeated():
    ran = gaia("verify", BROKEN, *TRUST)
    assert "  audit " not in ran.out
