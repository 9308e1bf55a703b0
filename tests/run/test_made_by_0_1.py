"""What version 0.1 wrote goes on: data/made_by_0.1.tar.gz has a package, the run it is of, and a run that was killed.

Made at commit 0a81c78 with a key that everybody may know:

    gaia run --dataset demo --model scripted/demo --limit 2 --submit-intent --out finished
    gaia submit finished --out package
    gaia run --dataset demo --model scripted/demo --limit 3 --concurrency 1 --submit-intent --out interrupted

the last of them killed in its second task.
"""

import base64
import json
import tarfile
from pathlib import Path

import msgspec
import pytest

from gaia_command import gaia, lines, summary
from gaia_harness.records.config import RunConfig, Selection
from gaia_harness.records.intent import config_sha256
from gaia_harness.signing.keys import KeyFolder

SAMPLE = Path(__file__).parent / "data" / "made_by_0.1.tar.gz"


@pytest.fixture
def place(tmp_path):
    with tarfile.open(SAMPLE) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "signers").write_text(KeyFolder(tmp_path / "keys").existing("submit").allowed_signer().line() + "\n")
    return tmp_path


def env(place):
    return {"GAIA_KEYS_DIR": str(place / "keys"), "GAIA_CACHE_DIR": str(place / "cache")}


def verify(place, package, *options):
    return gaia("verify", package, "--allowed-signers", place / "signers", "--dataset", "demo", *options)


def test_its_package_verifies(place):
    ran = verify(place, place / "package")
    assert ran.code == 0, ran.said
    assert "restarts   never resumed" in ran.out
    assert json.loads((place / "package/metadata.json").read_text())["schema"] == "gaia-harness/package/1"


def test_its_run_is_submitted(place):
    ran = gaia("submit", place / "finished", "--out", place / "again", **env(place))
    assert ran.code == 0, ran.said
    assert verify(place, place / "again").code == 0
    assert json.loads((place / "again/metadata.json").read_text())["schema"] == "gaia-harness/package/3"


def test_its_killed_run_is_resumed_closed_submitted_and_verified_and_says_by_whom(place):
    out = place / "interrupted"
    record = json.loads((out / "run.json").read_text())
    record["isolation"]["python"] = "bubblewrap 0.0.1"  # another version of it contains as well
    (out / "run.json").write_text(json.dumps(record))
    ran = gaia("run", "--resume", out, **env(place))
    assert ran.code == 0, ran.said
    said = "resumed 1 time, 1 attempt begun and not finished, resumed by another "
    assert said in ran.out
    [resumed] = [event for event in lines(out / "log.jsonl") if event["event"] == "run_resumed"]
    intent = json.loads(base64.b64decode(json.loads((out / "intent.dsse.json").read_text())["payload"]))
    assert resumed["source_sha256"] != intent["source_sha256"]
    assert summary(out)["interruptions"]["programs"] == [
        {"version": resumed["harness_version"], "source_sha256": resumed["source_sha256"]}
    ]
    old, *new = lines(out / "results.jsonl")
    assert "tools" not in old and all("tools" in result for result in new)  # what 0.1 wrote is not rewritten
    assert "calls of tools were counted in 2 of 3 tasks: version 0.1 did not count them" in summary(out)["warnings"]
    called = {name: use["calls"] for name, use in summary(out)["tools"].items()}
    assert called == {
        name: sum(result["tools"][name]["calls"] for result in new if name in result["tools"]) for name in called
    }
    packed = gaia("submit", out, "--out", place / "again", **env(place))
    assert packed.code == 0, packed.said
    assert said in packed.out
    verified = verify(place, place / "again")
    assert verified.code == 0, verified.said
    assert said in verified.out
    assert said in (place / "again/README.md").read_text()
    gaps = json.loads((place / "again/metadata.json").read_text())["audit"]["harness_gaps"]
    assert "AUD-9: the sources that ran are not at hand" in gaps


class Later(RunConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a version to come."""

    colour: str | msgspec.UnsetType = msgspec.UNSET


@pytest.mark.parametrize("kind", [RunConfig, Later])
def test_the_options_of_a_declared_run_have_the_hash_that_they_had(place, kind):
    """Fails when an option is added in another way than the docstring of `config_sha256` says."""
    config = kind(
        model="scripted/demo",
        dataset="demo",
        selection=Selection(first=1, last=3),
        concurrency=1,
        submit_intent=True,
    )
    intent = json.loads(base64.b64decode(json.loads((place / "interrupted/intent.dsse.json").read_text())["payload"]))
    assert config_sha256(config) == intent["config_sha256"]
    record = json.loads((place / "interrupted/run.json").read_text())
    assert config_sha256(record["config"]) == intent["config_sha256"]


def test_where_its_model_was_asked_is_said_not_to_be_disclosed(place):
    said = "scripted/demo; where it was asked is not disclosed (version 0.1)"
    assert gaia("submit", place / "finished", "--out", place / "again", **env(place)).code == 0
    for package in ("package", "again"):
        ran = verify(place, place / package)
        assert ran.out.split("\n\n")[1].splitlines()[0] == f"  model      {said}"
        assert "\n  options    not disclosed (version 0.1)\n" in ran.out
        verdict = json.loads(verify(place, place / package, "--json").out)
        assert (verdict["model"], verdict["endpoint"], verdict["options"]) == ("scripted/demo", None, None)
    readme = (place / "again/README.md").read_text()
    assert readme.splitlines()[2] == f"{said}."
    assert "| options | not disclosed (version 0.1) |" in readme
    metadata = json.loads((place / "again/metadata.json").read_text())
    assert not {"endpoint", "judge_endpoint", "options"} & metadata.keys()
    assert sum(metadata["served_models"].values()) > 0


def test_its_killed_run_keeps_a_record_without_an_address(place):
    out = place / "interrupted"
    ran = gaia("run", "--resume", out, **env(place))
    assert ran.code == 0, ran.said
    assert "endpoint" not in json.loads((out / "run.json").read_text())
