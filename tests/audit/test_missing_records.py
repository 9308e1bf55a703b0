"""Records that are gone or empty are a gap: a check that saw nothing of what it was to look at never passes."""

import pytest
from audit_samples import SampleRun, examine

from gaia_harness.audit.evidence import open_run
from gaia_harness.audit.grader_isolation import GraderIsolation
from gaia_harness.audit.judge_injection import JudgeInjection
from gaia_harness.audit.normalization_collision import NormalizationCollision


def emptied(tmp_path, name, *, gone):
    SampleRun(tmp_path).add(0).add(1).open()
    path = tmp_path / name
    path.unlink() if gone else path.write_bytes(b"")
    return open_run(tmp_path, None)


@pytest.mark.parametrize("gone", [True, False])
@pytest.mark.parametrize(
    ("name", "checks"),
    [
        ("results.jsonl", (NormalizationCollision, JudgeInjection)),
        ("log.jsonl", (GraderIsolation,)),
        ("trajectories.jsonl", (GraderIsolation,)),
    ],
)
def test_a_record_that_is_gone_or_empty_is_a_skip(tmp_path, name, checks, gone):
    for check in checks:
        examined = examine(check, emptied(tmp_path, name, gone=gone))
        assert (examined.status, bool(examined.harness_gap)) == ("skip", True)


def test_a_whole_run_passes(tmp_path):
    run = SampleRun(tmp_path).add(0).add(1).open()
    for check in (GraderIsolation, JudgeInjection, NormalizationCollision):
        assert examine(check, run).status == "pass"
