"""A run goes on only where it was begun: its answers are disclosed as those of one address."""

import base64
import json
import shutil
from pathlib import Path

import pytest

from chat_server import chat_reply, chat_server
from gaia_command import gaia
from gaia_harness.signing.keys import KeyFolder
from gaia_layout import json_lines, row, write_layout
from loopback import Answer


@pytest.fixture
def place(tmp_path):
    write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines([row(n) for n in range(2)])})
    KeyFolder(tmp_path / "keys").create("submit", "ada@example.org")
    return tmp_path


def env(place: Path) -> dict[str, str]:
    return {"GAIA_KEYS_DIR": str(place / "keys"), "GAIA_CACHE_DIR": str(place / "cache")}


def right(request):
    number = request["messages"][1]["content"].split("room ")[1].rstrip("?")
    return chat_reply(f"FINAL ANSWER: {number} lanterns")


def paused(place, out, *options):
    """A run that stopped for an empty account before its first answer; the address that it asked."""
    with chat_server(lambda _: Answer.json({"error": {"code": "insufficient_quota"}}, status=429)) as server:
        ran = gaia(
            "run", "--dataset", place / "data", "--model", "openai/gpt-4o", "--out", out, "--concurrency", "1",
            "--max-retries", "0", *options, **env(place), OPENAI_BASE_URL=server.base_url,
        )  # fmt: skip
    assert ran.code == 4, ran.said
    return server.base_url


def resume(place, out, **more):
    return gaia("run", "--resume", out, **env(place), **more)


@pytest.mark.parametrize("options", [["--submit-intent"], []], ids=["declared", "undeclared"])
def test_a_resume_at_another_address_is_refused_and_says_how_it_is_resumed(place, options):
    out = place / "out"
    address = paused(place, out, *options)
    before = (out / "log.jsonl").read_bytes()
    with chat_server(right) as other:
        ran = resume(place, out, OPENAI_BASE_URL=other.base_url)
        assert ran.code == 1, ran.said
        assert f"this run asks openai/gpt-4o at {address}; now it would be asked at {other.base_url}" in ran.err
        assert f"set OPENAI_BASE_URL={address} and resume again" in ran.err
        at_home = resume(place, out, OPENAI_API_KEY="sk-" + "a" * 40)
        assert at_home.code == 1, at_home.said
        assert "now it would be asked at https://api.openai.com/v1" in at_home.err
        assert other.seen == []
    assert (out / "log.jsonl").read_bytes() == before
    with chat_server(right, port=int(address.rpartition(":")[2].split("/")[0])):
        ran = resume(place, out, OPENAI_BASE_URL=f"{address}/")
    assert ran.code == 0, ran.said


def test_a_record_that_was_made_to_fit_is_not_what_was_declared(place):
    out = place / "out"
    paused(place, out, "--submit-intent")
    with chat_server(right) as other:
        edit(out, endpoint={"address": other.base_url, "own": False})
        ran = resume(place, out, OPENAI_BASE_URL=other.base_url)
        assert ran.code == 1, ran.said
        assert "the endpoint is not the one that was declared" in ran.err
        assert other.seen == []


def edit(out: Path, **changes: object) -> None:
    record = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps(record | changes))


@pytest.fixture
def finished(place):
    out = place / "out"
    address = paused(place, out, "--submit-intent")
    with chat_server(right, port=int(address.rpartition(":")[2].split("/")[0])):
        assert resume(place, out, OPENAI_BASE_URL=address).code == 0
    return out


def test_audit_and_submit_find_a_record_that_says_otherwise(place, finished):
    own = {"address": "https://api.openai.com/v1", "own": True}
    config = json.loads((finished / "run.json").read_text())["config"]
    for name, changes in {
        "endpoint": {"endpoint": own},
        "judge_endpoint": {"judge_endpoint": own},
        "configuration": {"config": config | {"call_timeout": 17.5}},
    }.items():
        copy = place / f"{name}-changed"
        shutil.copytree(finished, copy)
        edit(copy, **changes)
        report = json.loads(gaia("audit", copy, "--json", **env(place)).out)
        [found] = [f for check in report["checks"] for f in check["findings"] if f["rule"] == "declared-otherwise"]
        assert found["severity"] == "critical"
        assert name in json.dumps(found), found
        submitted = gaia("submit", copy, "--out", place / "package", "--allow-dirty", **env(place))
        assert submitted.code == 1, submitted.said
        assert f"run.json: the {name} is not the one that the intent declared" in submitted.err


def test_a_key_in_an_address_of_the_environment_is_not_declared(place):
    key = "sk-" + "7aB" * 14
    ran = gaia(
        "run", "--dataset", place / "data", "--model", "openai/gpt-4o", "--out", place / "out", "--submit-intent",
        **env(place), OPENAI_API_KEY=key, OPENAI_BASE_URL=f"http://127.0.0.1:9/{key}/v1",
    )  # fmt: skip
    assert ran.code == 2, ran.said
    assert "OPENAI_API_KEY in it, and would be recorded" in ran.err
    assert not (place / "out").exists()


def test_a_run_that_was_begun_and_not_declared_yet_discloses_where_it_goes_on(place):
    """Version 0.1 was killed between its record and its intent."""
    out = place / "out"
    address = paused(place, out, "--submit-intent")
    for name in ("intent.dsse.json", "log.jsonl", "checkpoints", "trajectories.jsonl", "results.jsonl"):
        (out / name).unlink(missing_ok=True)
    shutil.rmtree(place / "keys" / "ledgers")
    record = json.loads((out / "run.json").read_text())
    del record["endpoint"], record["judge_endpoint"]
    (out / "run.json").write_text(json.dumps(record))
    with chat_server(right, port=int(address.rpartition(":")[2].split("/")[0])):
        ran = resume(place, out, OPENAI_BASE_URL=address)
    assert ran.code == 0, ran.said
    intent = json.loads(base64.b64decode(json.loads((out / "intent.dsse.json").read_text())["payload"]))
    assert intent["endpoint"] == json.loads((out / "run.json").read_text())["endpoint"]
    assert intent["endpoint"] == {"address": address, "own": False}
