"""Every package of conformance/ gets the verdict that it is there for, in the words that stand beside it."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from gaia_harness.cli.verify import command
from gaia_harness.signing.intent import source_sha256

FOLDER = Path(__file__).parents[2] / "conformance"
CASES = sorted(path.parent.name for path in FOLDER.glob("*/expected.json"))


def expected(case: str) -> dict:
    return json.loads((FOLDER / case / "expected.json").read_text())


def options(case: str) -> list[str]:
    return [str(FOLDER / word) if word == "allowed_signers" else word for word in expected(case)["options"]]


@pytest.mark.parametrize("case", CASES)
def test_the_verdict(case, tmp_path):
    want = expected(case)
    package = (FOLDER / case / want["package"]).resolve()
    env = {"GAIA_KEYS_DIR": str(tmp_path / "keys")}
    ran = CliRunner().invoke(command, [str(package), *options(case)], env=env)  # which starts no program for each
    said = ran.stdout
    assert ran.exit_code == want["exit_code"], ran.output
    lines = said.splitlines()
    assert any(want["says"] in line for line in lines), said
    failed = [int(line[0]) for line in lines if re.match(r"\d .{13} FAILED", line)]
    assert (failed[0] if failed else None) == want["check"], said
    assert (want["exit_code"] == 0) is case.endswith("_pass")
    if want["validly_signed"] and (want["check"] or 9) > 2:  # who looks at hashes and signatures alone sees nothing
        assert re.search(r"^1 file set +ok", said, re.M), said
        assert re.search(r"^2 signatures +ok", said, re.M), said


def test_there_are_enough_and_no_more_than_fit():
    assert len(CASES) >= 30
    assert sum(expected(case)["exit_code"] == 1 and expected(case)["validly_signed"] for case in CASES) >= 15
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 4_000_000
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir() and not path.name.startswith("__")}
    assert sorted(folders - {"frozen"}) == CASES


def test_they_are_of_no_version_of_the_program():
    """Else they would be good only until the next change of the sources."""
    report = json.loads((FOLDER / "plain_pass" / "package" / "audit-report.json").read_text())
    metadata = json.loads((FOLDER / "plain_pass" / "package" / "metadata.json").read_text())
    assert report["inputs"]["harness_source_sha256"] == metadata["harness"]["source_sha256"] != source_sha256()


def test_they_can_be_built_again_to_the_same_bytes(tmp_path):
    spec = importlib.util.spec_from_file_location("conformance_build", FOLDER / "build.py")
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)

    def content(folder: Path) -> dict[str, bytes]:
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    build.build(tmp_path / "one")
    build.build(tmp_path / "two")
    assert content(tmp_path / "one") == content(tmp_path / "two")
    assert sorted(path.name for path in (tmp_path / "one").glob("*_*l")) == [c for c in CASES if c.endswith("fail")]
    assert (tmp_path / "one" / "allowed_signers").read_bytes() == (FOLDER / "allowed_signers").read_bytes()
