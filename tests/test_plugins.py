"""Models, tools and checks of other packages: the examples are installed as anybody would, and used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gaia_command import gaia, lines, python

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
BROKEN = {
    "raises.py": "class Check:\n    def __init__(self, run): raise RuntimeError('no such moon')\n",
    "leaves.py": "import sys\nclass Check:\n    def __init__(self, run): sys.exit(0)\n",
    "odd.py": "class Check:\n    def __init__(self, run): pass\n    def look(self, task): pass\n"
    "    def conclude(self): return 'pass'\n",
    "meddles.py": "class Check:\n    def __init__(self, run): self.run = run\n"
    "    def look(self, task): task.trajectory = None; task.correct = True\n"
    "    def conclude(self):\n        from gaia_harness import Check, Finding\n"
    "        found = Finding(severity='critical', rule='moon', summary='It is not full.')\n"
    "        return Check(id='AUD-1', name='answer-leakage', status='pass', findings=(found,))\n",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> dict[str, str]:
    """The three examples, and a package of checks that do what none should; the variable that makes them importable."""
    place = tmp_path_factory.mktemp("installed")
    packages = [EXAMPLES / name for name in ("model_package", "tool_package", "check_package")]
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-build-isolation",
            "--target",
            place,
        ]
        + [str(package) for package in packages],
        check=True,
    )
    for name, source in BROKEN.items():
        (place / f"broken_{name}").write_text(source)
    info = place / "broken_checks-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-checks\nVersion: 0.1\n")
    points = [f"{Path(name).stem} = broken_{Path(name).stem}:Check" for name in BROKEN]
    (info / "entry_points.txt").write_text(
        "\n".join(["[gaia_harness.checks]", *points, "gone = broken_gone:Check"])
        + "\n[gaia_harness.tools]\nbad_tool = broken_raises:Check\nweb_search = broken_raises:Check\n"
    )
    return {"PYTHONPATH": os.pathsep.join([str(place)])}


@pytest.fixture(scope="module")
def run(installed, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    done = gaia(
        *("run", "--dataset", "demo", "--model", "parrot/polite", "--tool", "word_count", "--limit", "2"),
        *("--submit-intent", "--out", out),
        **installed,
    )
    assert done.code == 0, done.said
    assert "parrot/polite" in done.err
    return out


def test_a_model_and_a_tool_of_other_packages_are_used_and_disclosed(installed, run, tmp_path):
    record = json.loads((run / "run.json").read_text())
    assert record["config"]["tools"] == ["word_count"]
    assert record["isolation"]["tool word_count"] == "gaia-example-tool 1.0.0, in the harness's own process"
    assert {line["answer"] for line in lines(run / "results.jsonl")} == {"polite"}
    package = tmp_path / "package"
    done = gaia("submit", run, "--out", package, "--allow-dirty", **installed)
    assert done.code == 0, done.said
    verdict = json.loads(gaia("verify", package, "--json").out)  # by somebody who has none of these packages
    assert verdict["options"]["tools"] == ["word_count"]
    assert verdict["model"] == "parrot/polite"
    assert all(check["status"] != "FAILED" for check in verdict["checks"]), verdict


def test_a_tool_is_offered_to_the_model_and_answers(installed, tmp_path):
    code = (
        "import asyncio\nfrom gaia_harness.tools.third_party import ThirdPartyTool\n"
        "tool = ThirdPartyTool.find('word_count').for_task(None)\n"
        "print(asyncio.run(tool.call({'text': 'three small words'})).text)\n"
        "try:\n    asyncio.run(tool.call({}))\nexcept Exception as error:\n    print(type(error).__name__, error)\n"
    )
    done = python("-c", code, **installed)
    assert done.out.splitlines() == ["3 words", "ToolError give a text: there is no file with this question"]


def test_a_check_of_another_package_stands_beside_ours(installed, run):
    ours = json.loads(gaia("audit", run, "--audited-at", "2026-01-02T03:04:05Z", "--json", **installed).out)
    done = gaia("audit", run, "--audited-at", "2026-01-02T03:04:05Z", "--json", "--check", "long-answers", **installed)
    both = json.loads(done.out)
    (theirs,) = both.pop("third_party")
    assert both == ours
    assert theirs["status"] == "pass"
    assert (theirs["name"], theirs["package"], theirs["version"]) == ("long-answers", "gaia-example-check", "1.0.0")
    shown = gaia("audit", run, "--check", "long-answers", **installed)
    assert "long-answers of gaia-example-check 1.0.0, not one of ours: pass" in shown.out
    assert shown.code == done.code == gaia("audit", run, **installed).code


def test_a_broken_check_is_an_error_with_its_name_and_no_pass(installed, run):
    broken = {
        "raises": "RuntimeError: no such moon",
        "leaves": "SystemExit",
        "odd": "conclude() gave a str where a Check is due",
        "gone": "cannot be loaded: ModuleNotFoundError",
    }
    asked = [word for name in broken for word in ("--check", name)]
    done = gaia("audit", run, "--json", *asked, **installed)
    theirs = json.loads(done.out)["third_party"]
    assert [(each["name"], each["package"], each["status"]) for each in theirs] == [
        (name, "broken-checks", "error") for name in broken
    ]
    for each, said in zip(theirs, broken.values(), strict=True):
        assert said in each["error"]
    assert done.code == 1
    alone = gaia("audit", run, "--json", "--check", "leaves", **installed)  # which is not how the program ends
    assert (alone.code, json.loads(alone.out)["third_party"][0]["status"]) == (1, "error")
    shown = gaia("audit", run, *asked, **installed)
    for name in broken:
        assert f"{name} of broken-checks 0.1, not one of ours: error" in shown.out


def test_a_check_that_meddles_with_what_it_sees_changes_nothing_of_ours(installed, run):
    fixed = ("audit", run, "--audited-at", "2026-01-02T03:04:05Z", "--json")
    ours = json.loads(gaia(*fixed, **installed).out)
    done = gaia(*fixed, "--check", "meddles", "--check", "long-answers", **installed)
    both = json.loads(done.out)
    meddled, after = both.pop("third_party")
    assert both == ours
    assert meddled["status"] == "fail"  # by its finding, whatever it says itself
    assert after["status"] == "pass"
    assert done.code == 1


def test_names_that_nobody_offers_are_said_before_any_work(installed, run, tmp_path):
    done = gaia("audit", run, "--check", "long-answer", **installed)
    assert done.code == 2
    assert "long-answers" in done.err
    done = gaia("run", "--dataset", "demo", "--model", "perrot/polite", "--out", tmp_path / "run", **installed)
    assert done.code == 2
    assert "there is no provider 'perrot'" in done.err
    for tool, said in (("word-count", "installed: "), ("bad_tool", "cannot be made"), ("web_search", "of our own")):
        out = tmp_path / tool
        done = gaia(
            *("run", "--dataset", "demo", "--model", "scripted/demo", "--tool", tool, "--limit", "1", "--out", out),
            **installed,
        )
        assert done.code == 2, done.said
        assert said in done.err


def test_a_run_is_resumed_with_the_same_version_of_a_tool_alone(installed, run, tmp_path):
    import shutil

    copy = Path(shutil.copytree(run, tmp_path / "run"))
    record = json.loads((copy / "run.json").read_text())
    record["state"] = "interrupted"
    record["isolation"]["tool word_count"] = "gaia-example-tool 0.9.0, in the harness's own process"
    (copy / "run.json").write_text(json.dumps(record))
    done = gaia("run", "--resume", copy, **installed)
    assert done.code == 1
    assert "started with the tool word_count from gaia-example-tool 0.9.0" in done.err
