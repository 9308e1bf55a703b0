"""Where audio was sent for a transcript stands beside where the model was asked, and a run goes on only there."""

import base64
import io
import json
import wave
from pathlib import Path

import pytest
from forging import Package, copy_of
from submitter import AT

from chat_server import chat_reply
from gaia_command import Ran, gaia
from gaia_harness.records.intent import options_sha256
from gaia_layout import json_lines, row, write_layout
from loopback import Answer, Loopback, Seen, loopback

EAR = "openai/tiny-ear"


def spoken() -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", "not compressed"))
        file.writeframes(bytes(1600))
    return out.getvalue()


def chat(seen: Seen) -> Answer:
    """A model that opens the file, then repeats the last word that it was shown."""
    results = [message["content"] for message in seen.json()["messages"] if message["role"] == "tool"]
    if not results:
        return Answer.json(chat_reply("I open it.", [("file_read", {"path": "attachment.wav"})]))
    return Answer.json(chat_reply(f"FINAL ANSWER: {results[-1].split()[-1]}"))


def ear(_: Seen) -> Answer:
    return Answer.json({"text": "The herons were nine"})


def no_credit(_: Seen) -> Answer:
    return Answer.json({"error": {"code": "insufficient_quota"}}, status=429)


def dataset(root: Path) -> Path:
    rows = [row(1, file_name="t.wav", Final_answer="nine")]
    files = {"2023/validation/metadata.jsonl": json_lines(rows), "2023/validation/t.wav": spoken()}
    return write_layout(root / "data", files)


def run(world, root: Path, model: Loopback, *more: str | Path, **env: str) -> Ran:
    return gaia(
        "run", "--dataset", dataset(root), "--model", "openai/test-model", "--base-url", f"{model.url}/v1",
        "--transcription-model", EAR, "--submit-intent", "--out", root / "run", "--max-retries", "0", *more,
        **world.env, **env,
    )  # fmt: skip


def payload(path: Path) -> dict:
    return json.loads(base64.b64decode(json.loads(path.read_text())["payload"]))


class Heard:
    """A run whose audio went to a server of its own, and its package."""

    def __init__(self, world, root: Path) -> None:
        self.run, self.package = root / "run", root / "package"
        with loopback(chat) as model, loopback(ear) as listener:
            self.address = f"{listener.url}/v1"
            self.ran = run(world, root, model, "--transcription-base-url", self.address)
        assert self.ran.code == 0, self.ran.said
        self.submitted = gaia("submit", self.run, "--out", self.package, "--submitted-at", AT, **world.env)
        assert self.submitted.code == 0, self.submitted.said

    @property
    def said(self) -> str:
        host = self.address.removeprefix("http://").removesuffix("/v1")
        return f"{EAR} at {host}, which is not OpenAI's own address"


@pytest.fixture(scope="module")
def heard(world, tmp_path_factory) -> Heard:
    return Heard(world, tmp_path_factory.mktemp("heard"))


@pytest.fixture
def forged(heard, world, tmp_path) -> Package:
    return copy_of(heard.package, tmp_path / "copy", world.signer)


def test_every_place_that_names_the_model_s_address_names_this_one(heard, world):
    endpoint = {"address": heard.address, "own": False}
    assert json.loads((heard.run / "run.json").read_text())["transcription_endpoint"] == endpoint
    assert payload(heard.package / "intent.dsse.json")["transcription_endpoint"] == endpoint
    assert json.loads((heard.package / "metadata.json").read_text())["transcription_endpoint"] == endpoint
    assert payload(heard.package / "attestation.dsse.json")["predicate"]["transcription_endpoint"] == endpoint
    assert f"| audio transcribed by | {heard.said} |" in (heard.package / "README.md").read_text()
    assert f"  audio      {heard.said}" in heard.submitted.out
    assert f"audio: {EAR} at {heard.address.split('/')[2]} (not the provider's own address)" in heard.ran.err
    verify = ("verify", heard.package, "--allowed-signers", world.allowed)
    assert f"  audio      {heard.said}" in gaia(*verify, **world.env).out
    assert json.loads(gaia(*verify, "--json", **world.env).out)["transcription_endpoint"] == endpoint


@pytest.mark.parametrize("own", [True, False])
def test_an_address_that_is_not_what_it_is_said_to_be_fails(forged, own):
    address = "https://api.openai.com/v1" if not own else "http://127.0.0.1:9/v1"
    forged.set_intent(forged.intent() | {"transcription_endpoint": {"address": address, "own": own}})
    assert_check_3(forged, "the own address of 'openai/tiny-ear'")


def test_an_intent_without_the_address_fails(forged):
    intent = forged.intent()
    del intent["transcription_endpoint"]
    forged.set_intent(intent)
    assert_check_3(forged, "transcription_endpoint does not fit the model 'openai/tiny-ear'")


def test_an_address_without_a_model_fails(forged):
    intent = forged.intent()
    del intent["options"]["transcription_model"]
    forged.set_intent(intent | {"config_sha256": options_sha256(intent["options"])})
    assert_check_3(forged, "transcription_endpoint does not fit the model None")


def test_an_address_that_the_options_do_not_give_fails(forged):
    own = {"address": "https://api.openai.com/v1", "own": True}
    forged.set_intent(forged.intent() | {"transcription_endpoint": own})
    assert_check_3(forged, "transcription_base_url is ")


def test_facts_that_name_another_listener_fail(forged):
    metadata = forged.json("metadata.json")
    metadata["facts"]["isolation"]["transcription"] = f"{EAR} at https://api.openai.com/v1"
    forged.set_json("metadata.json", metadata)
    assert_check_3(forged, "transcription is ")


def assert_check_3(package: Package, says: str) -> None:
    package.forge("log")
    verdict = package.verify()
    assert verdict.exit_code == 1
    assert verdict.checks[2].status == "FAILED", verdict.checks
    assert says in verdict.checks[2].said


def test_a_resume_that_would_send_audio_elsewhere_is_refused(world, tmp_path):
    out = tmp_path / "run"
    with loopback(no_credit) as model, loopback(ear) as listener, loopback(ear) as other:
        ran = gaia(
            "run", "--dataset", dataset(tmp_path), "--model", "anthropic/test-model", "--base-url", model.url,
            "--transcription-model", EAR, "--submit-intent", "--out", out, "--max-retries", "0",
            **world.env, OPENAI_BASE_URL=f"{listener.url}/v1",
        )  # fmt: skip
        assert ran.code == 4, ran.said
        ran = gaia("run", "--resume", out, **world.env, OPENAI_BASE_URL=f"{other.url}/v1")
        assert ran.code == 1, ran.said
        assert f"this run asks {EAR} at {listener.url}/v1; now it would be asked at {other.url}/v1" in ran.err
        assert f"set OPENAI_BASE_URL={listener.url}/v1 and resume again" in ran.err
        record = json.loads((out / "run.json").read_text())
        record["transcription_endpoint"]["address"] = f"{other.url}/v1"
        (out / "run.json").write_text(json.dumps(record))
        ran = gaia("run", "--resume", out, **world.env, OPENAI_BASE_URL=f"{other.url}/v1")
        assert ran.code == 1, ran.said
        assert "the transcription_endpoint is not the one that was declared" in ran.err
        gaia("run", "--abandon", out, **world.env)
