"""A waiver excuses what it discloses, and nothing else: the verifier's own audit knows no waivers but these."""

import json

import msgspec
import pytest
from forging import Package

from gaia_command import gaia
from gaia_harness.audit.report import Report, encode_report, waive
from gaia_harness.audit.waivers import Waiver, WaiverUse
from gaia_harness.submission.package import build
from gaia_harness.submission.verdict import verify

CLAIMED = "0" * 64


@pytest.fixture
def leaky(met_a_leak, tmp_path) -> Package:
    """The package of a run with a high finding, as --allow-dirty makes it."""
    build(met_a_leak.evidence, tmp_path / "p", met_a_leak.submission(), allow_dirty=True)
    return Package(tmp_path / "p", met_a_leak.signer)


@pytest.fixture
def waived(met_a_leak, tmp_path) -> Package:
    """The package of the same run, its finding waived and disclosed."""
    build(met_a_leak.evidence, tmp_path / "p", met_a_leak.submission(met_a_leak.waiver))
    return Package(tmp_path / "p", met_a_leak.signer)


def rewrite(package: Package, change) -> None:
    """Another report, and metadata, README and signatures that go with it."""
    report = change(msgspec.json.decode(package.path("audit-report.json").read_bytes(), type=Report))
    package.path("audit-report.json").write_bytes(encode_report(report))
    package.make_metadata()
    package.sign_files()


def of_another_version(report: Report) -> Report:
    inputs = msgspec.structs.replace(report.inputs, harness_source_sha256=CLAIMED)
    return msgspec.structs.replace(report, inputs=inputs)


def without_findings(report: Report, uses: tuple[WaiverUse, ...], waivers: tuple[Waiver, ...]) -> Report:
    """What a forger writes who wants to seem clean: no findings, and waivers for those that a verifier will make."""
    silent = tuple(
        msgspec.structs.replace(check, findings=(), status="skip" if check.harness_gap else "pass")
        for check in report.checks
    )
    clean = waive(msgspec.structs.replace(report, checks=silent, totals=_all_counted(report)), waivers)
    return of_another_version(msgspec.structs.replace(clean, waivers=uses))


def _all_counted(report: Report):
    return msgspec.structs.replace(report.totals, audited=report.totals.raw, tasks_not_counted=())


def command(package: Package, leak, tmp_path, *options: str):
    (tmp_path / "allowed").write_text(leak.allowed)
    ran = gaia(
        "verify", package.folder, "--allowed-signers", tmp_path / "allowed", "--dataset", leak.dataset_folder,
        "--json", *options,
    )  # fmt: skip
    return ran.code, json.loads(ran.out)


@pytest.mark.parametrize("options", [(), ("--accept-dirty",)])
def test_a_waiver_that_the_package_does_not_disclose_excuses_nothing(leaky, met_a_leak, tmp_path, options):
    waiver = met_a_leak.waiver
    use = WaiverUse(**msgspec.structs.asdict(waiver), outcome="unused")
    rewrite(leaky, lambda report: without_findings(report, (use,), (waiver,)))
    assert leaky.json("metadata.json")["dirty"] is None
    code, verdict = command(leaky, met_a_leak, tmp_path, *options)
    assert (code, verdict["dirty"]) == (4, ["audit by this version: AUD-1 critical or high"])
    assert verdict["accepted_dirty"] is False


@pytest.mark.parametrize("outcome", ["lowered", "refused", "lowered and refused", "forgiven", ""])
def test_a_waiver_that_says_what_came_of_it_where_no_finding_does(leaky, met_a_leak, outcome):
    waiver = met_a_leak.waiver
    use = WaiverUse(**msgspec.structs.asdict(waiver), outcome=outcome)
    rewrite(leaky, lambda report: without_findings(report, (use,), (waiver,)))
    verdict = leaky.verify(trust=met_a_leak.trust, dataset=lambda facts: met_a_leak.dataset)
    assert verdict.exit_code == 1
    assert verdict.checks[6].said == "audit-report.json: waivers and waived findings do not agree"


def lowered_by_nobody(report: Report) -> Report:
    return msgspec.structs.replace(report, waivers=())


def said_to_be_unused(report: Report) -> Report:
    return msgspec.structs.replace(
        report, waivers=tuple(msgspec.structs.replace(use, outcome="unused") for use in report.waivers)
    )


def by_somebody_else(report: Report) -> Report:
    return msgspec.structs.replace(
        report, waivers=tuple(msgspec.structs.replace(use, who="Ada") for use in report.waivers)
    )


def twice(report: Report) -> Report:
    return msgspec.structs.replace(report, waivers=report.waivers * 2)


@pytest.mark.parametrize("change", [lowered_by_nobody, said_to_be_unused, by_somebody_else, twice])
@pytest.mark.parametrize("version", [lambda report: report, of_another_version], ids=["ours", "another"])
def test_waived_findings_and_waivers_belong_together(waived, met_a_leak, change, version):
    rewrite(waived, lambda report: version(change(report)))
    verdict = waived.verify(trust=met_a_leak.trust)
    assert verdict.checks[6].status == "FAILED"
    assert verdict.checks[6].said.startswith("audit-report.json: ")


def test_a_hash_of_other_waivers(waived, met_a_leak):
    def other(report: Report) -> Report:
        return msgspec.structs.replace(report, inputs=msgspec.structs.replace(report.inputs, waivers_sha256=CLAIMED))

    rewrite(waived, other)
    assert waived.verify().checks[6].said.startswith("audit-report.json: inputs.waivers_sha256 is not what")


def test_a_disclosed_waiver_is_accepted_by_whoever_accepts_it(waived, met_a_leak):
    """Of our own version the report is repeated byte for byte, waivers and all; of another, its waiver still counts."""
    options = {"trust": met_a_leak.trust, "dataset": lambda facts: met_a_leak.dataset}
    verdict = waived.verify(**options)
    assert verdict.checks[7].said == "4 answers scored again, the audit repeated, byte for byte"
    assert verdict.exit_code == 4
    assert verify(waived.folder, **options, accept_dirty=True).exit_code == 0
    rewrite(waived, of_another_version)
    verdict = waived.verify(**options)
    assert verdict.exit_code == 4
    assert verdict.checks[7].said.endswith("our own audit says clean but for what is waived")
    assert len(verdict.dirty) == 1 and verdict.dirty[0].startswith("waived by Bo: AUD-1")
    assert verify(waived.folder, **options, accept_dirty=True).exit_code == 0
