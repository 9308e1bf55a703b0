"""Audio through a real server on loopback that takes apart what it is sent."""

import email
import email.policy
import io
import wave

import pytest

from gaia_harness.attempts.budget import Budget, MeteredTranscription
from gaia_harness.errors import ModelError, UsageError
from gaia_harness.models.transcription import MOST_BYTES, open_transcription
from gaia_harness.prices import transcription_usd
from loopback import Answer, loopback

KEY = "sk-of-the-tests-0123456789abcdef"


def tone(seconds: float = 0.1) -> bytes:
    """A WAV file with nothing to hear in it."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", "not compressed"))
        file.writeframes(bytes(2 * int(8000 * seconds)))
    return out.getvalue()


def form(seen) -> dict[str, tuple[str | None, bytes]]:
    """The fields of a multipart request, each with its file name and its content."""
    head = f"content-type: {seen.headers['content-type']}\r\n\r\n".encode()
    message = email.message_from_bytes(head + seen.body, policy=email.policy.HTTP)
    return {
        part.get_param("name", header="content-disposition"): (part.get_filename(), part.get_payload(decode=True))
        for part in message.iter_parts()
    }


async def no_pause(seconds: float) -> None:
    pass


def listening(url: str, **env: str):
    return open_transcription("openai/tiny-ear", base_url=f"{url}/v1", env=env, max_retries=2, sleep=no_pause)


async def test_audio_is_sent_as_a_form_with_the_model_s_name_and_the_key():
    with loopback(lambda seen: Answer.json({"text": "Nine \ud800 herons."})) as server:
        model = listening(server.url, OPENAI_API_KEY=KEY)
        said = await model.transcribe(tone(), "wav")
        await model.aclose()
    (seen,) = server.seen
    assert said.text == "Nine \ufffd herons." and model.name == f"openai/tiny-ear at {server.url}/v1"
    assert (seen.method, seen.path) == ("POST", "/v1/audio/transcriptions")
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert form(seen) == {
        "model": (None, b"tiny-ear"),
        "response_format": (None, b"json"),
        "file": ("audio.wav", tone()),
    }


async def test_server_that_stumbles_is_asked_again_and_one_that_refuses_is_not(caplog):
    answers = iter([Answer.json({"error": {"message": "busy"}}, 503), Answer(body=b"?"), Answer.json({"text": "yes"})])
    with loopback(lambda seen: next(answers)) as server:
        model = listening(server.url)
        assert (await model.transcribe(tone(), "wav")).text == "yes" and len(server.seen) == 3
        await model.aclose()
    assert "HTTP 503: busy; retry 1 of 2 in " in caplog.text and "; retry 2 of 2 in " in caplog.text
    with loopback(lambda seen: Answer.json({"error": {"message": f"no such key: {KEY}"}}, 401)) as server:
        model = listening(server.url, OPENAI_API_KEY=KEY)
        with pytest.raises(ModelError, match=r"HTTP 401: no such key: \[key\]"):
            await model.transcribe(tone(), "wav")
        await model.aclose()
    assert len(server.seen) == 1


async def test_reply_without_text_is_no_transcript():
    for reply in ({"text": None}, {"segments": []}, {"error": {"message": "too noisy"}}):
        with loopback(lambda seen, reply=reply: Answer.json(reply)) as server:
            model = listening(server.url)
            with pytest.raises(ModelError, match=r"no text in it|too noisy"):
                await model.transcribe(tone(), "wav")
            await model.aclose()


async def test_audio_that_is_too_large_is_not_sent():
    with loopback(lambda seen: Answer.json({"text": "x"})) as server:
        model = listening(server.url)
        with pytest.raises(ModelError, match="at most 25,000,000 are sent"):
            await model.transcribe(bytes(MOST_BYTES + 1), "wav")
        await model.aclose()
    assert server.seen == []


@pytest.mark.parametrize("name", ["anthropic/claude-sonnet-4-5", "scripted/demo"])
def test_provider_without_such_an_endpoint_is_refused(name):
    with pytest.raises(UsageError, match="cannot transcribe") as refused:
        open_transcription(name, base_url=None, env={"ANTHROPIC_API_KEY": "k"})
    assert "openai/whisper-1" in (refused.value.hint or "")


def test_key_that_is_missing_is_said_before_anything_is_sent():
    with pytest.raises(ModelError, match="OPENAI_API_KEY is not set"):
        open_transcription("openai/whisper-1", base_url=None, env={})


def test_recorded_name_has_no_password_in_it():
    model = open_transcription("openai/x", base_url="http://localhost/v1?key=hidden", env={})
    assert model.name == "openai/x at http://localhost/v1"


@pytest.mark.parametrize(
    ("usage", "seconds"),
    [
        ({"type": "duration", "seconds": 90}, 90.0),
        ({"type": "tokens", "input_tokens": 5}, None),
        ({"seconds": -1}, None),
        ({"seconds": True}, None),
        ({"seconds": 1e300}, None),
        (7, None),
    ],
)
async def test_the_length_that_is_charged_is_taken_where_it_can_be_one(usage, seconds):
    with loopback(lambda seen: Answer.json({"text": "x", "usage": usage})) as server:
        model = listening(server.url)
        assert (await model.transcribe(tone(), "wav")).seconds == seconds
        await model.aclose()


def test_a_minute_has_a_price_where_we_know_one():
    assert transcription_usd("openai/whisper-1", 90.0) == pytest.approx(0.009)
    assert transcription_usd("openai/whisper-1", None) is None
    assert transcription_usd("openai/tiny-ear", 90.0) is None


async def test_a_transcript_counts_for_the_limit_of_cost_and_none_is_made_beyond_it():
    budget = Budget(0.01)
    with loopback(lambda seen: Answer.json({"text": "x", "usage": {"seconds": 90}})) as server:
        model = listening(server.url)
        metered = MeteredTranscription(model, lambda seconds: (seconds or 0) * 0.0001, lambda: budget)
        assert (await metered.transcribe(tone(), "wav")).cost_usd == pytest.approx(0.009)
        await metered.transcribe(tone(), "wav")
        with pytest.raises(ModelError, match=r"--max-cost 0\.01 is spent"):
            await metered.transcribe(tone(), "wav")
        await model.aclose()
    assert len(server.seen) == 2
