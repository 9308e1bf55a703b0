"""What only our own audit finds wrong is not the package's disclosed dirt: nobody can accept it beforehand."""

import msgspec
import pytest

from gaia_harness.audit.findings import Finding, Findings
from gaia_harness.audit.report import audit, waive
from gaia_harness.run.audit_input import load_dataset_facts
from gaia_harness.signing.allowed_signers import parse_allowed_signers
from gaia_harness.submission import data_check, verdict
from gaia_harness.submission.verdict import Trust, verify


def demo(facts):
    return load_dataset_facts("demo", facts.gaia_split, None, facts.task_ids, {})


@pytest.mark.parametrize("found", [(), ("audit by this version: AUD-1 critical or high",)])
def test_accept_dirty_is_for_what_the_package_says_itself(whole, world, monkeypatch, found):
    def check_dataset(package, dataset, unclean):
        unclean.extend(found)
        return "made by another version"

    monkeypatch.setattr(verdict, "check_dataset", check_dataset)
    trust = Trust(signers=parse_allowed_signers(world.allowed.read_text()))
    said = verify(whole, trust=trust, dataset=lambda facts: None, accept_dirty=True)
    assert said.exit_code == (4 if found else 0)
    assert said.accepted_dirty is False


def test_where_another_version_made_the_report_our_own_audit_is_believed(package, world, monkeypatch):
    report = package.json("audit-report.json")
    report["inputs"]["harness_source_sha256"] = "0" * 64
    package.set_json("audit-report.json", report)
    package.sign_files()
    trust = Trust(signers=parse_allowed_signers(world.allowed.read_text()))
    assert package.verify(trust=trust, dataset=demo).exit_code == 0

    def worse(*args, **options):
        found = audit(*args, **options)
        findings = Findings()
        findings.add(Finding(severity="high", rule="seen", summary="by this version alone"))
        checks = (findings.check("AUD-1", "answer-leakage"), *found.checks[1:])
        return waive(msgspec.structs.replace(found, checks=checks), ())

    monkeypatch.setattr(data_check, "audit", worse)
    said = package.verify(trust=trust, dataset=demo, accept_dirty=True)
    assert (said.exit_code, said.dirty) == (4, ("audit by this version: AUD-1 critical or high",))
