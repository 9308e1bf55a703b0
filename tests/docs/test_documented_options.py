"""Options, commands, variables and exit codes in README and docs/ are those of the program, and the other way round."""

import json
import re
import shlex
from pathlib import Path

import click
import pytest
from handbook import DOCS, PAGES, README, ROOT, name_of, rows, shown_commands, spans, text_of

from gaia_harness.cli import COMMANDS, gaia
from gaia_harness.demo.pages import read_web
from gaia_harness.submission.verdict import CHECKS, FAILED, NOT_AUTHENTICATED, NOT_CLEAN, UNREADABLE, VERIFIED, WORDS
from redteam.__main__ import command as redteam

OF_OTHER_TOOLS = {
    "--check": "sha256sum, ruff", "--quiet": "sha256sum", "--strict": "sha256sum, mypy",
    "--acp": "gemini", "--user": "systemd-run", "--scope": "systemd-run", "--declare": "the examples of recording",
    "--max-tool-output": "inspect", "--retry-on-error": "inspect", "--sample-id": "inspect",
    "--head": "ray", "--port": "ray", "--num-cpus": "ray", "--address": "ray", "--generate": "ray",
}  # fmt: skip
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_CODES = re.compile(r"Exit\s+codes:\s+(.*?)\.(?:\s|$)", re.DOTALL)


def all_commands() -> dict[tuple[str, ...], click.Command]:
    """By the words that call them, subcommands too."""
    found: dict[tuple[str, ...], click.Command] = {}
    context = click.Context(gaia)
    for name in COMMANDS:
        command = gaia.get_command(context, name)
        assert command is not None
        found[(name,)] = command
        if isinstance(command, click.Group):
            found |= {(name, inner): sub for inner, sub in command.commands.items()}
    return found


ALL = all_commands()


def options_of(command: click.Command) -> set[str]:
    names = {name for param in command.params for name in (*param.opts, *param.secondary_opts) if name.startswith("--")}
    return names | {"--help"}


EVERY_OPTION = {name for command in (*ALL.values(), redteam) for name in options_of(command)}


def calls(text: str, page: Path | None = None) -> list[list[str]]:
    """Every `gaia …` in backticks or in a console block, as words."""
    said = [span for span in spans(text) if span.startswith("gaia ")]
    if page is not None:
        said += [shown.command for shown in shown_commands(page) if shown.command.startswith("gaia ")]
    return [shlex.split(call)[1:] for call in said]


def faults(text: str, page: Path | None = None) -> list[str]:
    """Options that the command at hand does not have, and options that no command has."""
    wrong = []
    for words in calls(text, page):
        if words[0].startswith("-"):
            continue
        command = ALL.get(tuple(words[:2])) or ALL.get((words[0],))
        if command is None:
            wrong.append(f"gaia {words[0]}")
            continue
        used = {found for word in words if (found := word.partition("=")[0]).startswith("--")}
        wrong += [
            f"gaia {words[0]} {name}" for name in sorted(used) if name.partition("[")[0] not in options_of(command)
        ]
    wrong += [name for name in _OPTION.findall(text) if name not in EVERY_OPTION and name not in OF_OTHER_TOOLS]
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_option_that_is_named_is_one_of_its_command(page):
    assert faults(text_of(page), page) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Say `gaia verify PKG --dataset demo`.", []),
        ("Say `gaia verify PKG --strict-audit`.", ["gaia verify --strict-audit"]),
        ("Say `gaia verfiy PKG`.", ["gaia verfiy"]),
        ("Say `gaia keys show --retire`.", ["gaia keys --retire"]),
        ("The option `--datset` does it.", ["--datset"]),
    ],
)
def test_an_option_that_is_not_there_would_be_noticed(text, found):
    assert faults(text) == found


def test_every_command_and_every_option_is_documented():
    text = "\n".join(map(text_of, PAGES))
    called = {f"gaia {' '.join(words)}": command for words, command in ALL.items()}
    for call, command in (called | {"python -m redteam": redteam}).items():
        assert call in text, call
        for name in options_of(command) - {"--help"}:
            assert re.search(rf"(?<![\w-]){name}(?![\w-])", text), f"{call} {name}"


def test_every_variable_that_is_named_is_read_by_the_program():
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    by_option = {
        f"GAIA_{'_'.join(words)}_{name.removeprefix('--')}".replace("-", "_").upper()
        for words, command in ALL.items()
        for name in options_of(command)
    }
    for page in PAGES:
        for name in re.findall(r"\b(?:GAIA|HF|OPENAI|ANTHROPIC|BRAVE|TAVILY)_[A-Z_]+\b", text_of(page)):
            assert name in by_option or f'"{name}"' in sources, f"{name_of(page)}: {name}"


def codes(sentence: str) -> dict[int, str]:
    """Exit codes by number, as a sentence lists them."""
    plain = " ".join(re.sub(r"\([^)]*\)", "", sentence).split()).replace(" ,", ",")
    parts = re.split("; ?" if ";" in plain else "[,.] ?", plain)
    return {int(found[1]): found[2] for part in parts if (found := re.fullmatch(r" ?(\d+):? (.+?)\.?", part))}


def codes_in_help() -> dict[str, dict[int, str]]:
    """What each command says of its own exit codes."""
    found = {}
    for words, command in ALL.items():
        said = re.search(r"Exit\s+codes:(.*?)\.(?:\s|$)|Exit (0:.*)", command.help or "", re.DOTALL)
        if said is not None:
            found[" ".join(words)] = codes(said[1] or said[2])
    return found


def test_exit_codes_are_those_that_the_commands_say():
    known = codes_in_help()
    assert known.keys() == {"demo", "run", "agent check", "audit", "submit", "verify", "validate"}
    said = [codes(sentence) for page in PAGES for sentence in _CODES.findall(text_of(page))]
    for sentence in said:
        assert sentence in known.values()
    for name, table in known.items():
        assert table in said, f"the exit codes of gaia {name} are not documented"


def test_the_table_of_verdicts_is_that_of_the_program():
    numbered = [row for row in rows(text_of(DOCS / "verifying.md")) if row[0].isdigit()]
    table = {row[0]: row[1] for row in numbered if row[1] not in CHECK_NAMES}
    constants = {VERIFIED, FAILED, UNREADABLE, NOT_AUTHENTICATED, NOT_CLEAN}
    assert constants == WORDS.keys()
    assert table == {str(code): words for code, words in WORDS.items()}
    assert set(map(str, codes_in_help()["verify"])) == table.keys()


CHECK_NAMES = (
    "file set", "signatures", "intent", "run log", "trajectories", "ledger", "metadata", "data set",
)  # fmt: skip


def test_the_eight_checks_are_named_in_their_order():
    named = [row[1] for row in rows(text_of(DOCS / "verifying.md")) if row[0].isdigit() and row[1] in CHECK_NAMES]
    assert named == [*(name for name, _ in CHECKS), "data set"] == list(CHECK_NAMES)


def test_the_demo_is_as_large_as_is_said():
    (said,) = re.findall(r"its (\d+) web pages", text_of(README))
    assert len(read_web().pages) == int(said)


def test_the_figures_in_the_readme_hold_for_what_was_measured():
    measured = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    figures = {row[0]: row[1] for row in rows(text_of(README)) if len(row) == 3}
    limits = {name: float(found[0]) for name, said in figures.items() if (found := re.findall(r"\d+", said))}
    step, speed, disk = limits.values()
    assert max(measured["steps"][size]["p99_ms"] for size in ("20 KB", "20 KB accented")) < step
    assert measured["whole_loop"]["times_faster_than_inspect_ai"] >= speed
    assert measured["disk"]["mb_on_disk"] < disk
    assert (measured["disk"]["mb_seen"], len(limits)) == (330.0, 3)
