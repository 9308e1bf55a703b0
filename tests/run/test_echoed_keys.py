"""A server that says the key back in every field that it can: the key is in no file, and in nothing that is printed."""

import base64
import json
import subprocess
from pathlib import Path
from urllib.parse import quote

import pytest
import zstandard

from chat_server import chat_reply, chat_server, message_reply, messages_server
from gaia_command import gaia, lines
from gaia_harness.signing.keys import KeyFolder
from gaia_layout import json_lines, row, write_layout
from loopback import Answer

KEY = "Zq7-private/key+value=91%25&c\\"
ADA = "ada@example.org"


@pytest.fixture
def place(tmp_path):
    write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines([row(n) for n in range(4)])})
    KeyFolder(tmp_path / "keys").create("submit", ADA)
    return tmp_path


def echoing(request):
    """Model and judge in one: a tool call, then an answer; every name, id and word has the key in it."""
    text = json.dumps(request["messages"])
    if "You are the judge" in text:
        return chat_reply(json.dumps({"correct": False, "reason": f"{KEY} said so"}), model=KEY)
    if "in room 3?" in text:
        return Answer.json({"error": {"message": f"no such key: {KEY} (or {quote(KEY, safe='')})"}}, status=400)
    if request["messages"][-1]["role"] == "user":
        calls = [
            (KEY, {KEY: KEY}), ("web_fetch", {"url": f"http://127.0.0.1:9/{KEY}"}), ("python", KEY),
            ("web_search", {"query": f"{KEY} {base64.b64encode(KEY.encode()).decode()}"}),
            ("python", {"code": f"print({KEY!r})\nprint({KEY.encode().hex()!r}, {quote(KEY)!r})"}),
        ]  # fmt: skip
        reply = chat_reply(f"I was given {KEY}.", calls, model=KEY)
        for number, call in enumerate(reply["choices"][0]["message"]["tool_calls"]):
            call["id"] = f"{KEY}{number}"
        reply["choices"][0]["message"]["reasoning_content"] = f"hm, {KEY}"
    else:
        reply = chat_reply(f"It is {KEY}.\nFINAL ANSWER: {KEY}", model=KEY)
    reply["id"] = f"chatcmpl-{KEY}"
    reply["choices"][0]["finish_reason"] = KEY
    return reply


def forms(key: str) -> list[bytes]:
    written = [
        key, json.dumps(key)[1:-1], json.dumps(json.dumps(key))[3:-3], quote(key), quote(key, safe=""),
        key.replace("&", "&amp;"), base64.b64encode(key.encode()).decode()[:-4], key.encode().hex(),
    ]  # fmt: skip
    return [form.encode() for form in written]


def with_the_key(*roots: Path, key: str = KEY) -> list[str]:
    found = []
    for path in (path for root in roots for path in root.rglob("*") if path.is_file()):
        data = path.read_bytes()
        if path.suffix == ".zst":
            data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
        if path.name.endswith((".dsse.json", ".json")):  # what is signed stands there in base64
            data += b"".join(base64.b64decode(part) for part in _payloads(json.loads(data)) if isinstance(part, str))
        found += [f"{path}: {form!r}" for form in forms(key) if form in data or form in str(path).encode()]
    return found


def _payloads(value):
    if isinstance(value, dict):
        for name, item in value.items():
            yield from [item] if name == "payload" else _payloads(item)


@pytest.mark.parametrize("attempts", ["1", "2"])
def test_a_key_that_is_said_back_in_every_field_is_stored_and_printed_nowhere(place, attempts):
    env = {
        "GAIA_KEYS_DIR": str(place / "keys"), "GAIA_CACHE_DIR": str(place / "cache"), "OPENAI_API_KEY": KEY,
    }  # fmt: skip
    with chat_server(echoing) as server:
        ran = gaia(
            "run", "--dataset", place / "data", "--model", "openai/agent", "--base-url", server.base_url,
            "--judge-model", "openai/judge", "--judge-base-url", server.base_url, "--search-url", "http://127.0.0.1:9",
            "--voting-attempts", attempts, "--submit-intent", "--evidence-full-bodies", "--out", place / "run", **env,
        )  # fmt: skip
        assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert ran.code == 0, ran.said
    submitted = gaia("submit", place / "run", "--out", place / "package", "--allow-dirty", "--archive", **env)
    assert submitted.code == 0, submitted.said
    unpacked = place / "unpacked"
    unpacked.mkdir()
    subprocess.run(["tar", "xzf", place / "package.tar.gz", "-C", unpacked], check=True)
    audited = gaia("audit", place / "run", "--out", place / "report.json", **env)

    assert with_the_key(place) == []
    for said in (ran.said, submitted.said, audited.said):
        assert not [form for form in forms(KEY) if form in said.encode()]

    (place / "signers").write_text(KeyFolder(place / "keys").existing("submit").allowed_signer().line() + "\n")
    checked = gaia(
        "verify", place / "package", "--allowed-signers", place / "signers", "--identity", ADA,
        "--dataset", place / "data",
    )  # fmt: skip
    assert checked.code in (0, 4), checked.said  # 4: what --allow-dirty let pass is disclosed
    steps = [step for line in lines(place / "run" / "trajectories.jsonl") for step in line["steps"]]
    assert {step["model"] for step in steps if step["type"] == "llm_call"} == {"[masked key]"}
    assert any(step.get("kept_sha256") for step in steps)
    results = {result["task_id"]: result for result in lines(place / "run" / "results.jsonl")}
    assert results["task-1"]["answer"] == "[masked key]"
    assert "[masked key]" in results["task-3"]["error"] or "[key]" in results["task-3"]["error"]


def mixed(key: str) -> str:
    """Each character in another way, some in two."""
    ways = (
        str, lambda c: f"\\u{ord(c):04X}", lambda c: f"%{ord(c):02x}", lambda c: f"&#{ord(c)};",
        lambda c: f"%5Cu{ord(c):04x}", lambda c: f"%25{ord(c):02X}", lambda c: f"\\\\x{ord(c):02x}",
    )  # fmt: skip
    return "".join(ways[number % len(ways)](c) for number, c in enumerate(key))


@pytest.mark.parametrize("status", [200, 400, 401, 404])
def test_a_key_that_is_said_back_in_mixed_escapes_is_stored_and_printed_nowhere(place, status):
    """By a server like Anthropic's, in what it answers and in what it says when it refuses."""
    key = 'Zq7-priv\\nate"key%41&lt;91'  # which looks escaped itself
    said = mixed(key)

    def echoing(request):
        if status != 200:
            error = {"type": said, "message": f"bad key {said} or {key}"}
            return Answer.json({"type": "error", "error": error, "request_id": said}, status=status)
        if request["messages"][-1]["role"] == "user" and isinstance(request["messages"][-1]["content"], str):
            reply = message_reply(said, [(said, {said: [said]}), ("python", {"code": f"# {said}"})], thinking=said)
        else:
            reply = message_reply(f"{said}\nFINAL ANSWER: {said}", thinking=said)
        return reply | {"model": said, "id": said, "stop_sequence": said}

    env = {
        "GAIA_KEYS_DIR": str(place / "keys"), "GAIA_CACHE_DIR": str(place / "cache"), "ANTHROPIC_API_KEY": key,
    }  # fmt: skip
    with messages_server(echoing) as server:
        ran = gaia(
            "run", "--dataset", place / "data", "--model", "anthropic/agent", "--base-url", server.base_url,
            "--submit-intent", "--evidence-full-bodies", "--out", place / "run", "--limit", "2", **env,
        )  # fmt: skip
        assert server.seen[0].headers["x-api-key"] == key
    assert with_the_key(place, key=key) == []
    kept = b"\0".join(path.read_bytes() for path in (place / "run").rglob("*") if path.is_file())
    for form in (*forms(key), said.encode(), json.dumps(said)[1:-1].encode(), said[40:90].encode()):
        assert form not in kept and form not in ran.said.encode()
    if status == 200:
        assert ran.code == 0, ran.said
        assert [result["answer"] for result in lines(place / "run" / "results.jsonl")] == ["[masked key]"] * 2


@pytest.mark.parametrize("command", ["run", "dry run", "validate"])
def test_a_key_that_is_too_short_to_be_masked_is_told_of_at_the_start(tmp_path, command):
    options = {
        "run": ("run", "--model", "scripted/demo", "--limit", "1", "--out", tmp_path / "run"),
        "dry run": ("run", "--model", "scripted/demo", "--dry-run"),
        "validate": ("validate",),
    }[command]
    said = gaia(*options, "--dataset", "demo", OPENAI_API_KEY="EMPTY", GAIA_CACHE_DIR=str(tmp_path / "cache"))
    told = [line for line in said.err.splitlines() if "not masked" in line]
    assert len(told) == 1
    assert "fewer than 8 characters" in told[0] and "OPENAI_API_KEY" in told[0] and "EMPTY" not in told[0]


def test_a_run_with_an_old_key_in_it_is_not_packed(place):
    """What an older version stored, or another shell did not know to be a key."""
    env = {"GAIA_KEYS_DIR": str(place / "keys"), "GAIA_CACHE_DIR": str(place / "cache")}
    with chat_server(lambda request: chat_reply("FINAL ANSWER: not-recognised-91")) as server:
        ran = gaia(
            "run", "--dataset", place / "data", "--model", "openai/agent", "--base-url", server.base_url,
            "--submit-intent", "--out", place / "run", **env,
        )  # fmt: skip
    assert ran.code == 0, ran.said
    submitted = gaia(
        "submit", place / "run", "--out", place / "package", "--allow-dirty", OPENAI_API_KEY="not-recognised-91", **env
    )
    assert submitted.code == 1
    assert "trajectories.jsonl: has the value of OPENAI_API_KEY in it" in submitted.err
    assert not (place / "package").exists()


@pytest.mark.parametrize("option", ["--base-url", "--judge-base-url", "--search-url"])
@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("http://127.0.0.1:9/v1?api-key=0123456789", "a query"),
        ("http://127.0.0.1:9/v1?", "a query"),
        ("http://127.0.0.1:9/v1#0123456789", "a fragment"),
        ("http://ada:0123456789@127.0.0.1:9/v1", "a user name or a password"),
        ("http://0123456789@127.0.0.1:9/v1", "a user name or a password"),
    ],
)
def test_an_address_with_more_than_a_place_in_it_is_refused(tmp_path, option, address, what):
    ran = gaia(
        "run", "--dataset", "demo", "--model", "openai/agent", option, address, "--out", tmp_path / "run",
        OPENAI_API_KEY="sk-1",
    )  # fmt: skip
    assert (ran.code, ran.out) == (2, "")
    assert f"{option} has {what} in it" in ran.err and "next:" in ran.err
    assert "0123456789" not in ran.said
    assert not (tmp_path / "run").exists()


def test_addresses_in_the_environment_and_of_validate_are_refused_too(tmp_path):
    ran = gaia(
        "run", "--dataset", "demo", "--model", "openai/agent", "--out", tmp_path / "run",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1?key=0123456789", OPENAI_API_KEY="sk-1",
    )  # fmt: skip
    assert ran.code == 2
    assert "OPENAI_BASE_URL has a query in it" in ran.err and "OPENAI_API_KEY" in ran.err
    checked = gaia("validate", "--dataset", "demo", "--search-url", "http://127.0.0.1:9/?key=0123456789")
    assert checked.code == 2
    assert "0123456789" not in ran.said + checked.said


def test_a_key_in_any_other_option_is_refused_and_its_variable_is_named(tmp_path):
    ran = gaia(
        "run", "--dataset", "demo", "--model", "scripted/demo", "--search-url", f"http://127.0.0.1:9/{'k3y' * 5}",
        "--out", tmp_path / "run", SEARCH_TOKEN="k3y" * 5,
    )  # fmt: skip
    assert ran.code == 2
    assert "SEARCH_TOKEN" in ran.err and "k3yk3y" not in ran.said
    assert not (tmp_path / "run").exists()


def test_a_run_that_was_begun_with_a_query_in_its_address_is_still_resumed(place):
    env = {"GAIA_KEYS_DIR": str(place / "keys"), "GAIA_CACHE_DIR": str(place / "cache"), "OPENAI_API_KEY": "k" * 20}
    with chat_server(lambda request: chat_reply("FINAL ANSWER: 1 lanterns")) as server:
        ran = gaia(
            "run", "--dataset", place / "data", "--model", "openai/agent", "--base-url", server.base_url,
            "--out", place / "run", **env,
        )  # fmt: skip
        assert ran.code == 0, ran.said
        record = json.loads((place / "run" / "run.json").read_text())
        record["state"] = "interrupted"
        record["config"]["base_url"] += "?api-version=1"
        (place / "run" / "run.json").write_text(json.dumps(record))
        resumed = gaia("run", "--resume", place / "run", **env)
    assert resumed.code == 0, resumed.said
    assert json.loads((place / "run" / "run.json").read_text())["config"] == record["config"]
