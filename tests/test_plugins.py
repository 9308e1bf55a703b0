"""Models, tools and checks of other packages: the examples are installed as anybody would, and used."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gaia_command import gaia, lines, python
from gaia_harness.audit.findings import Finding
from gaia_harness.audit.report import ThirdPartyCheck

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
CHECK = """
class Check:
    def __init__(self, run): self.run = run
    def look(self, task): pass
    def conclude(self):
        import gaia_harness as gaia
        return gaia.Check(id='AUD-1', name='answer-leakage', status='pass', findings=self.found(gaia))
    def found(self, gaia): return ()
"""
BROKEN = {
    "raises": ("    def look(self, task): raise RuntimeError('no such moon')", "RuntimeError: no such moon"),
    "leaves": ("    def look(self, task): raise SystemExit(0)", "SystemExit: 0"),
    "dies": ("    def look(self, task): import os; os._exit(0)", "its process ended without a result (exit code 0)"),
    "strange": ("    def look(self, task): raise type('Moon', (BaseException,), {})('new')", "Moon: new"),
    "mute": (
        "    def look(self, task):\n        def no(self): raise ValueError\n"
        "        raise type('Mute', (Exception,), {'__str__': no})()",
        "Mute: no text",
    ),
    "odd": ("    def conclude(self): return 'pass'", "conclude() gave a str where a Check is due"),
    "no_text": (
        "    def found(self, gaia): return (gaia.Finding(severity='low', rule='moon', summary='\\ud800'),)",
        "UnicodeEncodeError",
    ),
}
"""Checks that do what none should: their source behind CHECK, and what is said of them."""
OTHERS = {
    "prints": "    def look(self, task): print('this is no JSON')",
    # changes what it is shown, and every report of ours that it finds in memory
    "meddles": "    def look(self, task): task.trajectory = None; task.correct = True\n"
    "    def found(self, gaia):\n        import gc, msgspec\n"
    "        for report in [it for it in gc.get_objects() if isinstance(it, gaia.Report)]:\n"
    "            msgspec.structs.force_setattr(report, 'checks', ())\n"
    "        return (gaia.Finding(severity='critical', rule='moon', summary='It is not full.'),)",
}
MODELS = """
import gaia_harness as gaia

class Model:
    def __init__(self, kind):
        self.kind = kind
        self.name = f"broken/{kind}"
        self.address = "https://ada:secret-password@models.example.org/v1?key=secret-key"

    async def reply(self, request):
        if self.kind == "exit":
            raise SystemExit(0)
        text = None if self.kind == "no-text" else "FINAL ANSWER: 1"
        return gaia.Reply(text=text, usage=gaia.Usage(output_tokens=-5), request_sha256="0" * 64)

    async def aclose(self):
        raise RuntimeError("it does not close")

def open_model(name, *, base_url, env):
    return Model(name)
"""


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
    sources = {name: source for name, (source, _) in BROKEN.items()} | OTHERS
    for name, source in sources.items():
        (place / f"broken_{name}.py").write_text(f"{CHECK}{source}\n")
    (place / "broken_models.py").write_text(MODELS)
    info = place / "broken_things-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-things\nVersion: 0.1\n")
    points = [f"{name} = broken_{name}:Check" for name in sources]
    (info / "entry_points.txt").write_text(
        "\n".join(["[gaia_harness.checks]", *points, "gone = broken_gone:Check"])
        + "\n[gaia_harness.tools]\nbad_tool = broken_raises:Check\nweb_search = broken_raises:Check\n"
        + "[gaia_harness.models]\nbroken = broken_models:open_model\n"
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
    origins = {
        "model parrot": "gaia-example-model 1.0.0, in the harness's own process",
        "tool word_count": "gaia-example-tool 1.0.0, in the harness's own process",
    }
    record = json.loads((run / "run.json").read_text())
    assert record["config"]["tools"] == ["word_count"]
    assert origins.items() <= record["isolation"].items()
    assert {line["answer"] for line in lines(run / "results.jsonl")} == {"polite"}
    package = tmp_path / "package"
    done = gaia("submit", run, "--out", package, "--allow-dirty", **installed)
    assert done.code == 0, done.said
    verdict = json.loads(gaia("verify", package, "--json").out)  # by somebody who has none of these packages
    assert verdict["options"]["tools"] == ["word_count"]
    assert verdict["model"] == "parrot/polite"
    assert verdict["third_parties"] == origins
    assert all(check["status"] != "FAILED" for check in verdict["checks"]), verdict
    shown, page = gaia("verify", package).out, (package / "README.md").read_text()
    for name, origin in origins.items():
        assert origin == json.loads((package / "metadata.json").read_text())["isolation"][name]
        assert f"not ours   {name}, from {origin}" in shown
        assert f"| {name} is from | {origin} |" in page


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
    said = {name: words for name, (_, words) in BROKEN.items()} | {"gone": "cannot be loaded: ModuleNotFoundError"}
    asked = [word for name in said for word in ("--check", name)]
    done = gaia("audit", run, "--json", *asked, **installed)
    assert done.code == 1
    assert [check["name"] for check in json.loads(done.out)["third_party"]] == list(said)
    for check in json.loads(done.out)["third_party"]:
        assert (check["package"], check["status"]) == ("broken-things", "error"), check
        assert said[check["name"]] in check["error"]
    shown = gaia("audit", run, "--check", "raises", **installed)
    assert shown.code == 1
    assert "raises of broken-things 0.1, not one of ours: error" in shown.out


def test_a_check_that_meddles_with_what_it_sees_changes_nothing_of_ours(installed, run):
    fixed = ("audit", run, "--audited-at", "2026-01-02T03:04:05Z", "--json")
    ours = json.loads(gaia(*fixed, **installed).out)
    done = gaia(*fixed, "--check", "meddles", "--check", "prints", "--check", "long-answers", **installed)
    both = json.loads(done.out)
    meddled, *after = both.pop("third_party")
    assert both == ours
    assert meddled["status"] == "fail"  # by its finding, whatever it says itself
    assert [check["status"] for check in after] == ["pass", "pass"]
    assert done.code == 1


@pytest.mark.parametrize(
    ("severity", "status", "lenient", "strict"),
    [("high", "fail", True, True), ("medium", "warn", False, True), ("low", "pass", False, False)],
)
def test_a_finding_of_theirs_counts_as_one_of_ours_does(severity, status, lenient, strict):
    found = Finding(severity=severity, rule="moon", summary="A cloud.")
    check = ThirdPartyCheck(name="moon", package="acme", version="1", status=status, findings=(found,))
    assert (check.gates(strict=False), check.gates(strict=True)) == (lenient, strict)


@pytest.mark.parametrize(
    ("kind", "said"),
    [("exit", "failed: SystemExit: 0"), ("no-text", "Expected `str`, got `null`"), ("counts", "a count that is below")],
)
def test_a_broken_model_ends_in_words_that_name_it(installed, tmp_path, kind, said):
    out = tmp_path / "run"
    done = gaia("run", "--dataset", "demo", "--model", f"broken/{kind}", "--limit", "1", "--out", out, **installed)
    assert done.code == 1, done.said
    assert f"the model broken of broken-things 0.1 {'failed' if kind == 'exit' else 'gave'}" in done.err
    assert said in done.err
    assert "could not be closed: RuntimeError: it does not close" in done.err
    record = (out / "run.json").read_text("utf-8")
    assert json.loads(record)["endpoint"]["address"] == "https://…@models.example.org/v1"
    assert "secret" not in record


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


@pytest.mark.parametrize("what", ["tool word_count", "model parrot"])
def test_a_run_is_resumed_with_the_same_version_alone(installed, run, tmp_path, what):
    copy = Path(shutil.copytree(run, tmp_path / "run"))
    record = json.loads((copy / "run.json").read_text())
    record["state"] = "interrupted"
    record["isolation"][what] = record["isolation"][what].replace("1.0.0", "0.9.0")
    (copy / "run.json").write_text(json.dumps(record))
    done = gaia("run", "--resume", copy, **installed)
    assert done.code == 1
    assert f"started with the {what} from gaia-example-{what.split()[0]} 0.9.0" in done.err
