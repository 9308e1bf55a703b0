"""Ada's folder, made once: providers and the hub are servers on loopback that speak their protocols."""

import os
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from ada import ADA, World
from handbook import DOCS, ROOT, fenced, text_of

from chat_server import chat_reply, chat_server, message_reply, messages_server
from gaia_command import Started, environment, ready_command, until
from gaia_layout import parquet, row
from hub_server import fake_hub
from loopback import Answer, loopback

FINAL = "I have counted them.\nFINAL ANSWER: 3 lanterns"


@pytest.fixture(scope="session")
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
    doomed: list[str] = []
    victims: list[Started] = []

    def answer(request: dict) -> dict:
        if doomed and request["model"] == "doomed":
            until(lambda: victims)
            victims[0].kill()
        return chat_reply(FINAL)

    with ExitStack() as stack:
        chat = stack.enter_context(chat_server(answer))
        messages = stack.enter_context(messages_server(lambda request: message_reply(FINAL)))
        search = stack.enter_context(loopback(lambda seen: Answer.json(hits)))
        hub = stack.enter_context(fake_hub(files))
        (home / "bin").mkdir()
        (home / "tmp").mkdir()  # the demo leaves its folder
        for name, command in {"gaia": ready_command(), "python": [sys.executable]}.items():
            program = home / "bin" / name
            program.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
            program.chmod(0o755)
        (home / "passphrase").touch(mode=0o600)
        (home / "passphrase").write_text("a passphrase of the tests\n")
        env = environment(
            PATH=f"{home / 'bin'}:{os.environ['PATH']}",
            TMPDIR=str(home / "tmp"),
            GAIA_KEYS_DIR=str(root / "keys"),
            GAIA_CACHE_DIR=str(root / "cache"),
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
        made.must(
            "gaia run --model scripted/demo --dataset demo --submit-intent --out runs/full --level 2 --limit 2"
            " --voting-attempts 2 --evidence-full-bodies --judge-model scripted/judge --judge-all"
        )
        made.must("gaia submit runs/full --out full")
        shutil.copy(ROOT / "examples" / "record_another_loop.py", root)
        made.must("python record_another_loop.py runs/recorded --declare && gaia submit runs/recorded --out recorded")
        (root / "waivers.json").write_text("[]")
        (root / "acme.jsonl").write_text(fenced(text_of(DOCS / "importing.md"), "jsonl")[0], "utf-8")
        for name, options in {"killed": [], "open": ["--submit-intent"]}.items():
            doomed.append(name)
            how = ("--model", "openai/doomed", "--concurrency", "1", "--out", f"runs/{name}", *options)
            victims.append(Started("-m", "gaia_harness", "run", *how, cwd=root, **env))
            assert victims[0].wait().code == -signal.SIGKILL
            doomed.clear()
            victims.clear()
        yield made
