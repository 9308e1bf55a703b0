"""Every command that README and docs/ show is run as it stands there, and says what they say it says.

Providers and the hub are servers on loopback that speak their protocols; the places in which a person puts something
of their own are filled in by PLACES. What cannot be run here is in NOT_RUN, with the reason.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from handbook import PAGES, README, ROOT, Shown, fenced, matches, name_of, shown_commands

from chat_server import chat_reply, chat_server, message_reply, messages_server
from gaia_command import environment
from gaia_layout import parquet, row
from hub_server import fake_hub
from loopback import Answer, loopback

ADA = "ada@example.org"
NOT_RUN = {
    "make test": "is what runs this test",
    "make bench": "measures for minutes; tests/docs/test_performance_page.py holds its page",
    "make redteam": "measures for minutes; tests/docs/test_audit_page.py holds its page",
    "make fuzz": "runs for a given time; docs/fuzzing.md has what came of an hour",
    "pip install 'gaia-harness[run]'": "needs a package index",
    "apt install bubblewrap": "needs root and an archive of packages",
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
FINAL = "I have counted them.\nFINAL ANSWER: 3 lanterns"


@dataclass
class World:
    """A folder with runs, a package and a key of Ada's, and an environment in which commands find everything."""

    root: Path
    env: dict[str, str]
    local_model: str

    def run(self, command: str, cwd: Path | None = None) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", command], cwd=cwd or self.root, env=self.env, text=True, check=False, timeout=120,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert "Traceback" not in done.stdout, done.stdout
        return done.returncode, done.stdout

    def must(self, command: str) -> str:
        code, said = self.run(command)
        assert code == 0, said
        return said

    def copy(self, place: Path) -> "World":
        """The same in another folder, which a page may change."""
        shutil.copytree(self.root, place, symlinks=True)
        return World(place, self.env | {"GAIA_KEYS_DIR": str(place / "keys")}, self.local_model)


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Iterator[World]:
    root = tmp_path_factory.mktemp("documented")
    home = tmp_path_factory.mktemp("home")
    tasks = [row(number, level=1 + number % 3) for number in range(1, 7)]
    files = {"2023/validation/metadata.parquet": parquet(tasks)}
    files |= {
        f"2023/validation/metadata.level{level}.parquet": parquet([t for t in tasks if t["Level"] == str(level)])
        for level in (1, 2, 3)
    }
    hits = {"results": [{"url": "https://a.example/", "title": "A lighthouse", "content": "It is tall."}]}
    victims: list[subprocess.Popen[bytes]] = []

    def answer(request: dict) -> dict:
        if victims and request["model"] == "doomed":
            victims[0].send_signal(signal.SIGKILL)
        return chat_reply(FINAL)

    with ExitStack() as stack:
        chat = stack.enter_context(chat_server(answer))
        messages = stack.enter_context(messages_server(lambda request: message_reply(FINAL)))
        search = stack.enter_context(loopback(lambda seen: Answer.json(hits)))
        hub = stack.enter_context(fake_hub(files))
        (home / "bin").mkdir()
        gaia = home / "bin" / "gaia"
        gaia.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m gaia_harness "$@"\n')
        gaia.chmod(0o755)
        (home / "passphrase").touch(mode=0o600)
        (home / "passphrase").write_text("a passphrase of the tests\n")
        env = environment(
            PATH=f"{home / 'bin'}:{os.environ['PATH']}",
            GAIA_KEYS_DIR=str(root / "keys"),
            GAIA_CACHE_DIR=str(home / "cache"),
            GAIA_KEY_PASSPHRASE_FILE=str(home / "passphrase"),
            GAIA_VALIDATE_SEARCH_URL=search.url,
            OPENAI_API_KEY="sk-of-nobody",
            OPENAI_BASE_URL=chat.base_url,
            ANTHROPIC_API_KEY="sk-of-nobody",
            ANTHROPIC_BASE_URL=messages.base_url,
            **hub.env(home / "hub"),
        )
        made = World(root, env, chat.base_url)
        made.must(f"gaia keys new --identity {ADA} --no-passphrase && cp keys/submit_ed25519.pub ada.pub")
        made.must("gaia keys show --allowed-signers > allowed_signers")
        made.must("gaia run --model scripted/demo --dataset demo --submit-intent --out runs/declared --concurrency 8")
        made.must("gaia submit runs/declared --out package --archive")
        (root / "waivers.json").write_text("[]")
        for name, options in {"killed": "", "open": "--submit-intent"}.items():
            line = f"exec gaia run --model openai/doomed --concurrency 1 --out runs/{name} {options}"
            victims.append(subprocess.Popen(["bash", "-c", line], cwd=root, env=env, stderr=subprocess.DEVNULL))
            assert victims[0].wait(timeout=60) == -signal.SIGKILL
            victims.clear()
        yield made


def filled_in(shown: Shown, world: World) -> str:
    command = INSTEAD.get(shown.command, shown.command)
    for place, ours in {**PLACES, "http://localhost:11434/v1": world.local_model}.items():
        command = command.replace(place, ours)
    return command


@pytest.mark.parametrize("page", [page for page in PAGES if SHOWN[page]], ids=name_of)
def test_every_command_that_is_shown_works_and_says_what_is_shown(world, tmp_path, page):
    place = world.copy(tmp_path / "copy")
    if page == README:  # which makes the package itself
        shutil.rmtree(place.root / "package")
        (place.root / "package.tar.gz").unlink()
    cwd, block = place.root, -1
    for shown in SHOWN[page]:
        if shown.block != block:
            cwd, block = place.root, shown.block
        if any(f"{shown.command} ".startswith(f"{command} ") for command in NOT_RUN):
            continue
        if shown.command.startswith("cd "):
            cwd /= shown.command.removeprefix("cd ")
            continue
        code, said = place.run(filled_in(shown, place), cwd)
        assert code == 0, f"{name_of(page)}: {shown.command}\n{said}"
        if shown.output is not None:
            assert matches(shown.output, said), f"{name_of(page)}: {shown.command} says\n{said}"


def test_what_is_not_run_or_run_otherwise_is_still_shown():
    shown = {each.command for page in PAGES for each in SHOWN[page]}
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    for command in (*NOT_RUN, *INSTEAD):
        assert command in shown or f"`{command}`" in text, command
    for place in PLACES:
        assert any(place in command for command in shown), place


def test_every_make_target_that_is_named_is_there_and_does_what_is_said():
    recipes = {}
    for target in ("demo", "test", "bench", "redteam", "format"):
        done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        recipes[target] = done.stdout
    assert ".venv/bin/gaia demo" in recipes["demo"]
    for tool in ("ruff format --check", "ruff check", "mypy", "lint-imports", "pytest"):
        assert tool in recipes["test"]
    assert "gaia redteam --out docs/redteam.json --page docs/audit.md" in recipes["redteam"]


def test_what_is_to_be_installed_is_what_the_project_is_called():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == "gaia-harness"
    assert "run" in project["optional-dependencies"]


def test_the_package_itself_shows_the_same_stock_commands(world):
    (ours,) = [block for block in fenced((world.root / "package" / "README.md").read_text(), "sh") if "ssh-keygen" in block]
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
