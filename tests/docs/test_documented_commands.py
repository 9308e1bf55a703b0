"""Every command that README and docs/ show is run as it stands there, and says what they say it says.

Providers and the hub are servers on loopback that speak their protocols; the places in which a person puts something
of their own are filled in by PLACES. What cannot be run here is in NOT_RUN, with the reason.
"""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from ada import World
from handbook import DOCS, PAGES, README, ROOT, Shown, fenced, matches, name_of, shown_commands, text_of

NOT_RUN = {
    "make test": "is what runs this test",
    "make test-all": "is what runs this test",
    "make format": "changes the sources",
    "make facts": "changes the sources; tests/test_source_facts.py holds what it writes",
    "make picture": "changes a file of the documentation; tests/viewing/test_picture.py holds it",
    "make conformance": "signs the packages anew; tests/conformance holds them",
    "make bench": "measures for minutes; tests/docs/test_performance_page.py holds its page",
    "make redteam": "measures for minutes; tests/docs/test_audit_page.py holds its page",
    "make real-model": "installs a model and runs it for minutes",
    "make fuzz": "runs for a given time; docs/fuzzing.md has what came of an hour",
    "pip install 'gaia-harness[run]'": "needs a package index",
    **dict.fromkeys(
        (
            "gaia run --agent ./my-agent --model openai/gpt-4o --limit 10",
            "gaia run --agent 'python main.py' --agent-dir ./my-agent --model openai/gpt-4o",
            "gaia run --agent claude-code --model anthropic/claude-sonnet-4-5",
            "gaia run --agent acp:'gemini --acp --model {model}' --model google/gemini-2.5-pro",
            "gaia run --agent hal:main.run --agent-dir ./hal_generalist_agent --model openai/gpt-4o",
            "gaia agent check ./my-agent --model openai/gpt-4o",
            "gaia agent check claude-code --model anthropic/claude-sonnet-4-5",
            "gaia agent check codex --model openai/gpt-5",
            "gaia run --agent codex --model openai/gpt-5 --max-calls 60 --submit-intent",
        ),
        "needs an agent and a model of your own; tests/box runs such agents",
    ),
    "apt install bubblewrap": "needs root and an archive of packages",
    "apt install catdoc tesseract-ocr": "needs root and an archive of packages",
}
INSTEAD = {
    "make demo": "gaia demo",  # without building an environment first
    "gaia keys new --identity ada@example.org": "GAIA_KEYS_DIR=new gaia keys new --identity ada@example.org",
    "gaia run --abandon runs/…": "gaia run --abandon runs/open",
}
PLACES = {
    "runs/…": "runs/declared",
    "runs/20260102-030405-openai-gpt-4o": "runs/killed",
}
SHOWN = {page: shown_commands(page) for page in PAGES}


def filled_in(shown: Shown, world: World) -> str:
    command = INSTEAD.get(shown.command, shown.command)
    for place, ours in {**PLACES, "http://localhost:11434/v1": world.local_model}.items():
        command = command.replace(place, ours)
    return command


def test_every_command_that_is_shown_works_and_says_what_is_shown(world, tmp_path):
    for page in PAGES:
        run_all(page, world.copy(tmp_path / name_of(page).replace("/", "-")))


def run_all(page: Path, place: World) -> None:
    if page in (README, DOCS / "submitting.md"):  # which make the package themselves
        shutil.rmtree(place.root / "package")
        (place.root / "package.tar.gz").unlink()
    cwd, block = place.root, -1
    for shown in SHOWN[page]:
        if shown.block != block:
            cwd, block = place.root, shown.block
        if any(f"{shown.command} ".startswith(f"{command} ") for command in NOT_RUN):
            continue
        if page != README and shown.command == "make demo" and shown.output is None:
            continue  # README shows it with what it says
        if shown.command.startswith("cd "):
            cwd /= shown.command.removeprefix("cd ")
            continue
        code, said = place.run(filled_in(shown, place), cwd)
        assert code == 0, f"{name_of(page)}: {shown.command}\n{said}"
        if shown.output is not None:
            assert matches(shown.output, said), f"{name_of(page)}: {shown.command} says\n{said}"


def test_what_is_filled_in_or_run_otherwise_is_still_shown():
    shown = {each.command for page in PAGES for each in SHOWN[page]}
    assert INSTEAD.keys() - shown == set()
    assert {command for command in NOT_RUN if not command.startswith("make ")} - shown == set()
    for place in PLACES:
        assert any(place in command for command in shown), place


def test_every_make_target_that_is_named_is_there_and_does_what_is_said():
    named = {word for page in PAGES for word in re.findall(r"(?:`|^\$ )make ([a-z-]+)", text_of(page), re.MULTILINE)}
    assert {"demo", "test", "bench", "redteam", "format"} <= named
    recipes = {}
    for target in sorted(named):
        done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        recipes[target] = done.stdout
    assert ".venv/bin/gaia demo" in recipes["demo"]
    for tool in ("ruff format --check", "ruff check", "mypy", "lint-imports", "pytest"):
        assert tool in recipes["test"]
    assert "python -m redteam --out docs/redteam.json --page docs/audit-figures.md" in recipes["redteam"]


def test_what_is_to_be_installed_is_what_the_project_is_called():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == "gaia-harness"
    assert "run" in project["optional-dependencies"]


def test_the_package_itself_shows_the_same_stock_commands(world):
    (ours,) = [
        block for block in fenced((world.root / "package" / "README.md").read_text(), "sh") if "ssh-keygen" in block
    ]
    theirs = [" ".join(line.split()) for line in ours.replace("\\\n", " ").splitlines()]
    for page in (README, ROOT / "docs" / "verifying.md"):
        block = next(b for b in fenced(page.read_text("utf-8"), "console") if "ssh-keygen" in b)
        commands = [each.command for each in shown_commands(page) if each.command.split()[0] in block]
        assert [c for c in commands if c.split()[0] in ("ssh-keygen", "sha256sum", "openssl")] == theirs


@pytest.mark.parametrize(
    ("shown", "said", "same"),
    [
        (("a …", "…", "z"), "a 1\nb\nc\nz\n", True),
        (("a …", "…", "z"), "a 1\nz\n", True),
        (("a", "z"), "a\nb\nz\n", False),
        (("a",), "a\nb\n", False),
        (("a … c",), "a b d\n", False),
    ],
)
def test_output_that_differs_from_what_is_shown_is_noticed(shown, said, same):
    assert matches(shown, said) is same
