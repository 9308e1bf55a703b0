"""Where the model was asked and by which options stands in clear in every place that a stranger looks at."""

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from forging import Package, copy_of
from submitter import ADA, AT, World

from chat_server import ChatServer, chat_reply, chat_server
from gaia_command import Ran, gaia
from gaia_harness.records.intent import options_sha256
from gaia_harness.signing.intent import PAYLOAD_TYPE
from gaia_harness.signing.keys import KeyFolder
from gaia_harness.signing.signers import sign_dsse
from gaia_layout import json_lines, row, write_layout

MODEL = "openai/gpt-4o"
SERVED = "llama-3-8b-instruct"


def right(request):
    number = request["messages"][1]["content"].split("room ")[1].rstrip("?")
    return chat_reply(f"FINAL ANSWER: {number} lanterns", model=SERVED)


def run(world: World, out: Path, *options: str | Path, **env: str) -> Ran:
    return gaia(
        "run", "--dataset", world.root / "ada-lovelace" / "tasks", "--model", MODEL, "--submit-intent",
        "--out", out, "--max-retries", "0", "--call-timeout", "7.5", *options, **world.env, **env,
    )  # fmt: skip


@contextmanager
def elsewhere(world: World, out: Path, *options: str | Path) -> Iterator[tuple[ChatServer, Ran]]:
    """A run as openai/gpt-4o that another server answers, named by the environment alone."""
    with chat_server(right) as server:
        yield server, run(world, out, *options, OPENAI_BASE_URL=server.base_url)


def host(server: ChatServer) -> str:
    return server.base_url.removeprefix("http://").removesuffix("/v1")


def payload(path: Path) -> dict:
    return json.loads(base64.b64decode(json.loads(path.read_text())["payload"]))


class Asked:
    """A run, what it said, its package, and the server that answered."""

    def __init__(self, root: Path) -> None:
        KeyFolder(root / "keys").create("submit", ADA)
        self.world = World(root, KeyFolder(root / "keys"))
        rows = [row(n) for n in range(2)]
        layout = {"2023/validation/metadata.jsonl": json_lines(rows)}
        write_layout(root / "ada-lovelace" / "tasks", layout)
        self.run, self.package = root / "run", root / "package"
        with elsewhere(self.world, self.run) as (server, self.ran):
            self.host, self.address = host(server), server.base_url
        assert self.ran.code == 0, self.ran.said
        self.submitted = gaia(
            "submit", self.run, "--out", self.package, "--submitted-at", AT, "--allow-dirty", **self.world.env
        )
        assert self.submitted.code == 0, self.submitted.said

    def verify(self, *options: str) -> Ran:
        return gaia(
            "verify", self.package, "--allowed-signers", self.world.allowed, "--accept-dirty", *options,
            **self.world.env,
        )  # fmt: skip

    @property
    def said(self) -> str:
        return f"{MODEL} at {self.host}, which is not OpenAI's own address"


@pytest.fixture(scope="module")
def asked(tmp_path_factory) -> Asked:
    return Asked(tmp_path_factory.mktemp("asked"))


@pytest.fixture
def forged(asked, tmp_path) -> Package:
    return copy_of(asked.package, tmp_path / "copy", asked.world.signer)


def test_the_first_line_of_a_run_names_another_host(asked):
    first = asked.ran.err.splitlines()[0]
    assert first.startswith(f"2 tasks · {MODEL} at {asked.host} (not the provider's own address) · "), first


def test_a_dry_run_names_the_host_also_without_a_key(asked):
    there = run(asked.world, asked.world.root / "none", "--dry-run", OPENAI_BASE_URL=asked.address)
    assert f"model     {MODEL} at {asked.host} (not the provider's own address), 1 attempt" in there.out
    assert f"model     {MODEL} at api.openai.com, 1 attempt" in run(asked.world, "none", "--dry-run").out


def test_intent_and_record_have_the_address_and_every_option(asked):
    intent, record = payload(asked.run / "intent.dsse.json"), json.loads((asked.run / "run.json").read_text())
    assert intent["endpoint"] == record["endpoint"] == {"address": asked.address, "own": False}
    assert intent["judge_endpoint"] is record["judge_endpoint"] is None
    assert intent["options"].keys() == record["config"].keys()
    assert intent["options"]["call_timeout"] == "7.5"
    assert intent["options"]["limits"] == record["config"]["limits"]
    assert intent["config_sha256"] == options_sha256(intent["options"])


def test_package_and_readme_and_attestation_have_them_too(asked):
    intent, metadata = (
        payload(asked.run / "intent.dsse.json"),
        json.loads((asked.package / "metadata.json").read_text()),
    )
    predicate = payload(asked.package / "attestation.dsse.json")["predicate"]
    for said in (metadata, predicate):
        assert said["endpoint"] == intent["endpoint"]
        assert said["options"] == intent["options"]
        assert said["served_models"] == {SERVED: 2}
    readme = (asked.package / "README.md").read_text()
    assert readme.splitlines()[2] == f"{asked.said}."
    assert f"| address | {asked.address} |" in readme
    assert f"| answered as | {SERVED} (2 replies) |" in readme
    assert "| option call_timeout | 7.5 |" in readme
    assert f"model      {asked.said}" in asked.submitted.out


def test_verify_says_it_in_the_first_line_below_the_checks(asked):
    ran = asked.verify()
    assert ran.code == 0, ran.said
    below = ran.out.split("\n\n")[1].splitlines()
    assert below[0] == f"  model      {asked.said}"
    assert re.search(r"^  options    .*call_timeout=7\.5, ", ran.out, re.M), ran.out
    verdict = json.loads(asked.verify("--json").out)
    assert (verdict["model"], verdict["endpoint"]) == (MODEL, {"address": asked.address, "own": False})
    assert verdict["options"] == payload(asked.run / "intent.dsse.json")["options"]
    assert verdict["served_models"] == {SERVED: 2}


def test_no_file_of_the_package_has_the_path_of_the_data_set(asked):
    assert payload(asked.package / "intent.dsse.json")["dataset"] == "folder:tasks"
    for path in asked.package.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        assert b"ada-lovelace" not in data, path
        if path.name.endswith(".dsse.json"):
            assert b"ada-lovelace" not in base64.b64decode(json.loads(data)["payload"]), path


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("endpoint", {"address": "https://api.openai.com/v1", "own": True}),
        ("judge_endpoint", {"address": "https://api.openai.com/v1", "own": True}),
        ("served_models", {"gpt-4o": 2}),
        ("options", {"model": MODEL}),
    ],
)
def test_metadata_that_say_otherwise_fail(forged, name, value):
    metadata = forged.json("metadata.json")
    metadata[name] = value
    forged.set_json("metadata.json", metadata)
    forged.sign_files()
    verdict = forged.verify()
    assert verdict.exit_code == 1
    assert verdict.endpoint is verdict.options is None
    assert verdict.checks[6].status == "FAILED"
    assert f"{name} is not what the files give" in verdict.checks[6].said


def test_options_of_another_type_fail(forged):
    metadata = forged.json("metadata.json")
    metadata["options"]["judge_all"] = 0  # which Python takes for false
    forged.set_json("metadata.json", metadata)
    forged.sign_files()
    assert "options are not written as in intent.dsse.json" in forged.verify().checks[6].said


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"options": {"model": MODEL}}, "config_sha256 is not that of the options"),
        ({"options": {"call_timeout": 7.5}}, "an option is a number that is not whole"),
        ({"options": {"call_timeout": [{"a": 7.5}]}}, "an option is a number that is not whole"),
        ({"options": ...}, "of endpoint, judge_endpoint and options one is missing"),
        ({"endpoint": ...}, "of endpoint, judge_endpoint and options one is missing"),
    ],
)
def test_an_intent_that_contradicts_itself_is_none(forged, changes, says):
    intent = forged.intent() | changes
    forged.set_intent({name: value for name, value in intent.items() if value is not ...})
    forged.sign_files()
    assert_check_3(forged, says)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"endpoint": {"address": "http://127.0.0.1:9/v1", "own": True}}, "is not the own address of 'openai/gpt-4o'"),
        ({"endpoint": {"address": "https://api.openai.com/", "own": False}}, "is the own address of 'openai/gpt-4o'"),
        ({"endpoint": {"address": "", "own": True}}, "is not the own address of 'openai/gpt-4o'"),
        ({"judge_endpoint": {"address": "", "own": True}}, "judge_endpoint does not fit the model None"),
    ],
)
def test_an_address_that_is_not_what_it_is_said_to_be_fails_however_it_is_signed(forged, changes, says):
    forged.set_intent(forged.intent() | changes)
    forged.forge("log")
    assert_check_3(forged, says)


def test_options_that_name_another_address_than_was_asked_fail(forged):
    intent = forged.intent()
    intent["options"]["base_url"] = "https://api.openai.com/v1"
    intent["config_sha256"] = options_sha256(intent["options"])
    forged.set_intent(intent)
    forged.forge("log")
    assert_check_3(forged, "base_url is ")


def test_a_host_in_letters_that_look_like_others_is_shown_as_what_it_is(asked, forged):
    address = "https://\u0430pi.openai.com/v1"  # a Cyrillic letter
    there = run(asked.world, asked.world.root / "none", "--dry-run", "--base-url", address)
    assert there.code == 2, there.said
    assert r"a host that is not written in plain letters: '\u0430pi.openai.com'" in there.err
    there = run(asked.world, asked.world.root / "none", OPENAI_BASE_URL=address)
    assert there.code == 2, there.said
    forged.set_intent(forged.intent() | {"endpoint": {"address": address, "own": False}})
    forged.forge("log")
    said = gaia("verify", forged.folder, "--accept-dirty", **asked.world.env).out
    assert r"openai/gpt-4o at \u0430pi.openai.com, which is not OpenAI's own address" in said
    assert "\u0430" not in said + forged.path("README.md").read_text()


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_headers_that_would_go_with_every_call_unrecorded_are_refused(asked, provider):
    name = f"{provider.upper()}_CUSTOM_HEADERS"
    ran = gaia(
        "run", "--dataset", "demo", "--model", f"{provider}/x", "--base-url", asked.address, "--out",
        asked.world.root / "none", **{name: "x-model: another"},
    )  # fmt: skip
    assert ran.code == 2, ran.said
    assert f"{name} is set: its headers would go with every call, and stand in no record" in ran.err


def test_options_of_another_model_fail(forged):
    intent = forged.intent()
    intent["options"]["model"] = "openai/o3"
    intent["config_sha256"] = options_sha256(intent["options"])
    forged.set_intent(intent)
    forged.forge("log")
    assert_check_3(forged, "model is 'openai/gpt-4o', and in its options 'openai/o3'")


@pytest.mark.parametrize("levels", [300, 2_000, 20_000])
def test_options_that_nest_without_end_are_no_traceback(forged, levels):
    intent = json.dumps(forged.intent() | {"options": "HERE"}).encode()
    body = intent.replace(b'"HERE"', b'{"a":' * levels + b"1" + b"}" * levels)
    forged.path("intent.dsse.json").write_bytes(sign_dsse(forged.signer, PAYLOAD_TYPE, body))
    forged.sign_files()
    assert_check_3(forged, "intent.dsse.json: ")


def assert_check_3(package: Package, says: str) -> None:
    verdict = package.verify()
    assert verdict.exit_code == 1
    assert verdict.checks[2].status == "FAILED", verdict.checks
    assert says in verdict.checks[2].said


def test_facts_that_deny_an_option_fail(forged):
    metadata = forged.json("metadata.json")
    metadata["facts"]["isolation"]["python"] = "unsandboxed"
    forged.set_json("metadata.json", metadata)
    forged.forge("log")
    assert_check_3(forged, "unsandboxed_python is False, and in facts in metadata.json True")


def test_facts_that_choose_tasks_otherwise_than_declared_fail(forged):
    metadata = forged.json("metadata.json")
    metadata["facts"]["selection"]["last"] = 2
    forged.set_json("metadata.json", metadata)
    forged.forge("log")
    assert_check_3(forged, "selection is {'first': None, ")
