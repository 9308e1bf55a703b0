"""The door: help, version, validate, demo, and what a defect looks like."""

import re
import shlex
import subprocess
import sys

import pytest

from gaia_command import environment, gaia, lines, ready_command, summary
from gaia_harness.cli import COMMANDS

BELIEVED = (
    "4833cc8d-04fe-51d6-ab72-b34f42387c6b", "1c5952f3-7ec0-536f-9ee4-552c399981bf",
    "28a399b7-25af-5319-b1eb-d55e0e9b1520",
)  # fmt: skip
"""The tasks of the demo that are answered wrongly, and so are judged."""


def test_help_names_every_command():
    ran = gaia("--help")
    assert ran.code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in ran.out


def test_help_imports_nothing_heavy():
    probe = (
        "import sys; sys.argv = ['gaia', '--help']\n"
        "from gaia_harness.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & "
        "{'rich', 'openai', 'anthropic', 'httpx2', 'pyarrow', 'huggingface_hub', 'msgspec', 'asyncio', 'trafilatura'}))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_its_exit_codes_or_purpose(name):
    ran = gaia(name, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: python -m gaia_harness {name}")


def test_an_unknown_command_or_option_is_a_usage_error():
    assert gaia("runn").code == 2
    ran = gaia("run", "--modle", "x")
    assert ran.code == 2
    assert "--model" in ran.err


def test_validate_has_a_line_per_item_and_says_what_to_do():
    ran = gaia("validate", "--dataset", "demo", "--model", "openai/x")
    assert ran.code == 1
    marks = [line.split()[:2] for line in ran.out.splitlines() if line[:4] in ("ok  ", "FAIL")]
    assert marks == [
        ["ok", "python"], ["ok", "packages"], ["ok", "disk"], ["ok", "sandbox"], ["ok", "box"], ["ok", "readers"],
        ["ok", "browser"], ["ok", "dataset"], ["ok", "search"], ["FAIL", "model"],
    ]  # fmt: skip
    assert "next: Set OPENAI_API_KEY" in ran.out


def test_validate_finds_a_missing_sandbox(tmp_path):
    ran = gaia("validate", "--dataset", "demo", PATH=str(tmp_path))
    assert ran.code == 1
    assert "FAIL  sandbox" in ran.out
    assert "apt install bubblewrap" in ran.out


def test_validate_finds_an_unreachable_hub_and_model():
    dead = "http://127.0.0.1:9"
    ran = gaia(
        "validate", "--model", "openai/x", "--base-url", f"{dead}/v1", "--search-url", dead, HF_ENDPOINT=dead
    )  # fmt: skip
    assert ran.code == 1
    failed = [line.split()[1] for line in ran.out.splitlines() if line.startswith("FAIL")]
    assert failed == ["dataset", "search", "model"]


def test_the_demo_scores_what_it_should_and_its_package_verifies_and_a_tampered_copy_does_not(
    tmp_path,
):
    out = tmp_path / "a demo"
    own = {"GAIA_KEYS_DIR": str(tmp_path / "keys"), "GAIA_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    ran = gaia("demo", "--out", out, **own)
    assert ran.code == 0, ran.said
    assert "26 of 29 = 89.7%" in ran.out
    assert summary(out / "run")["passed"] == 26
    assert len(lines(out / "run" / "trajectories.jsonl")) == 29
    assert len(lines(out / "run" / "log.jsonl")) == 2 + 3 * 29 + 3  # three answers were judged
    said = [line.strip() for line in ran.out.splitlines()]
    assert "audit      clean" in said
    assert "verify     verified: 8 of 8 checks hold, signed by demo@example.org" in said
    assert "tampered   one letter of a step in line 15 of a copy's trajectories.jsonl changed: failed" in said
    assert any(
        re.match(r"trajectories.jsonl:15: not the line that the log binds \(log.jsonl:\d+\)", line) for line in said
    )
    assert sorted(path.name for path in out.iterdir()) == ["allowed_signers", "package", "report.html", "run"]
    page = out / "report.html"
    assert f"page       {page}: the run to look at, {page.stat().st_size:,} bytes" in said
    assert [path.name for path in tmp_path.iterdir()] == [
        "a demo"
    ]  # neither its key nor the copy stays, none of ours made
    words = shlex.split(said[-1])
    assert words[:3] == ["next:", "gaia", "verify"]
    again = gaia(*words[2:], **own)
    assert again.code == 0, again.said
    assert gaia("demo", "--out", out).code == 2


def test_judgments_are_found_again_and_an_edited_one_does_not_pass(tmp_path):
    own = {"GAIA_KEYS_DIR": str(tmp_path / "keys"), "GAIA_CACHE_DIR": str(tmp_path / "cache")}
    tasks = [word for task_id in BELIEVED for word in ("--task-id", task_id)]
    run = ("run", "--dataset", "demo", "--model", "scripted/demo", "--judge-model", "scripted/judge", *tasks, "--out")
    assert (
        "3 asked, 0 said to be correct, 0 without a verdict; 0 from the cache" in gaia(*run, tmp_path / "1", **own).out
    )
    assert "; 3 from the cache" in gaia(*run, tmp_path / "2", **own).out
    entry = next((tmp_path / "cache" / "judgments").rglob("*.json"))
    entry.write_text(entry.read_text().replace('"verdict": false', '"verdict": true'))
    ran = gaia(*run, tmp_path / "3", **own)
    assert "; 2 from the cache" in ran.out
    assert "1 entry was not as it was signed" in ran.out
    assert "WARNING: an entry of the judge cache is not as it was signed" in ran.err


def test_a_defect_is_one_sentence_not_a_traceback():
    probe = (
        "import sys; sys.argv = ['gaia', 'validate']\n"
        "import gaia_harness.cli.validate as validate\n"
        "def broken(checks): raise ZeroDivisionError('planted')\n"
        "validate._all = broken\n"
        "from gaia_harness.cli import main\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "ZeroDivisionError: planted" in done.stderr
    assert "GAIA_DEBUG=1" in done.stderr


def test_progress_on_a_terminal_shows_the_figures(tmp_path):
    run = ready_command("run", "--dataset", "demo", "--model", "scripted/demo", "--limit", "3")
    done = subprocess.run(
        ["script", "-qec", f"{shlex.join(run)} --out {tmp_path / 'out'}", "/dev/null"],
        capture_output=True, text=True, env=environment(TERM="xterm", COLUMNS="120"), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "3/3" in done.stdout
    assert "3 correct" in done.stdout
    assert "tokens" in done.stdout
