"""`gaia run` on tasks with a sound, an old Office file or a picture, from the command line to the evidence."""

import email
import email.policy
import io
import json
import shutil
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chat_server import chat_reply
from gaia_command import Ran, gaia, lines
from gaia_layout import json_lines, row, write_layout
from loopback import Answer, Loopback, Seen, loopback

KEY = "sk-of-the-tests-0123456789abcdef"
FILES = Path(__file__).parent.parent / "tools" / "files"


def spoken() -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", "not compressed"))
        file.writeframes(bytes(1600))
    return out.getvalue()


def drawn(text: str) -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (900, 160), "white")
    ImageDraw.Draw(image).text((40, 40), text, fill="black", font=ImageFont.load_default(40))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def with_file(tmp_path: Path, name: str, data: bytes) -> Path:
    rows = [row(1, file_name=name, Final_answer="nine")]
    files = {"2023/validation/metadata.jsonl": json_lines(rows), f"2023/validation/{name}": data}
    return write_layout(tmp_path / "data", files)


def reads_the_file(request: dict, *, times: int = 1) -> dict:
    """A model that opens the task's file so often, then answers with the last word it was shown."""
    results = [message for message in request["messages"] if message["role"] == "tool"]
    if len(results) < times:
        (catalogue,) = [tool for tool in request["tools"] if tool["function"]["name"] == "file_read"]
        path = catalogue["function"]["description"].split('"')[1]
        return chat_reply("I open it.", [("file_read", {"path": path})])
    return chat_reply(f"FINAL ANSWER: {results[-1]['content'].split()[-1].strip('.')}")


@contextmanager
def provider(model=reads_the_file) -> Iterator[Loopback]:
    """A server with both endpoints, as OpenAI has."""

    def answer(seen: Seen) -> Answer:
        if seen.path == "/v1/audio/transcriptions":
            head = f"content-type: {seen.headers['content-type']}\r\n\r\n".encode()
            parts = email.message_from_bytes(head + seen.body, policy=email.policy.HTTP).iter_parts()
            sent = {part.get_param("name", header="content-disposition"): part for part in parts}
            assert sent["model"].get_payload(decode=True) == b"tiny-ear"
            assert sent["file"].get_payload(decode=True) == spoken()
            text = f"The herons were nine. My key is {KEY}, and they were nine."
            return Answer.json({"text": text, "usage": {"type": "duration", "seconds": 90}})
        reply = model(seen.json())
        return reply if isinstance(reply, Answer) else Answer.json(reply)

    with loopback(answer) as server:
        yield server


def run(server: Loopback, dataset: Path, out: Path, *more: str, **env: str) -> Ran:
    base = ("--dataset", dataset, "--model", "openai/test-model", "--base-url", f"{server.url}/v1", "--out", out)
    return gaia("run", *base, *more, **{"OPENAI_API_KEY": KEY, **env})


def results_of(out: Path) -> list[dict]:
    (trajectory,) = lines(out / "trajectories.jsonl")
    return [step for step in trajectory["steps"] if step["type"] == "tool_result"]


def test_sound_is_transcribed_by_the_provider_and_the_record_says_so(tmp_path):
    dataset = with_file(tmp_path, "3b1-task.wav", spoken())
    with provider() as server:
        ran = run(server, dataset, tmp_path / "run", "--transcription-model", "openai/tiny-ear")
    assert ran.code == 0 and "1 of 1 = 100.0%" in ran.said
    (heard,) = [seen for seen in server.seen if seen.path == "/v1/audio/transcriptions"]
    assert heard.headers["authorization"] == f"Bearer {KEY}" and b"3b1-task" not in heard.body
    (result,) = results_of(tmp_path / "run")
    assert not result["is_error"]
    assert result["head"].startswith(f"[transcript by openai/tiny-ear at {server.url}/v1, which may mishear; audio of ")
    assert "The herons were nine. My key is [masked key], and" in result["head"]
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["config"]["transcription_model"] == "openai/tiny-ear"
    assert record["isolation"]["transcription"] == f"openai/tiny-ear at {server.url}/v1"
    heard = {"files": 1, "seconds": 90.0, "cost_usd": None}  # another's server has no price that we know
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["transcription"] == heard
    assert lines(tmp_path / "run" / "results.jsonl")[0]["transcription"] == heard
    assert "  audio      1 file of 90 s transcribed, cost unknown\n" in ran.out
    files = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert files and not any(KEY.encode() in data for data in files)


def test_sound_can_go_to_another_server_than_the_model(tmp_path):
    dataset = with_file(tmp_path, "3b1-task.wav", spoken())
    with provider() as server, provider() as ear:
        more = ("--transcription-model", "openai/tiny-ear", "--transcription-base-url", f"{ear.url}/v1")
        assert run(server, dataset, tmp_path / "run", *more).code == 0
    assert len(ear.seen) == 1 and all("audio" not in seen.path for seen in server.seen)


def test_sound_without_a_transcription_model_is_a_clear_line_in_the_result(tmp_path):
    dataset = with_file(tmp_path, "3b1-task.mp3", (FILES / "tone.mp3").read_bytes())
    with provider() as server:
        dry = run(server, dataset, tmp_path / "run", "--dry-run")
        ran = run(server, dataset, tmp_path / "run")
    for said in (dry.err, ran.err):
        assert "WARNING: 1 task has an audio file, which is not read without --transcription-model, such as" in said
    never_opened = "1 task has a file that was never opened: task-1; the last error of file_read: attachment.mp3 is an"
    assert f"WARNING: {never_opened}" in ran.err
    (result,) = results_of(tmp_path / "run")
    assert result["is_error"] and result["head"] == (
        "attachment.mp3 is an MP3 audio file. Audio is not read in this run: that needs a transcription model, such as "
        "gaia run --transcription-model openai/whisper-1 (OpenAI's or a compatible server; Anthropic has none)."
    )
    assert "transcription" not in (tmp_path / "run" / "run.json").read_text()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--transcription-model", "anthropic/claude-sonnet-4-5"), "cannot transcribe"),
        (("--transcription-model", "whisper-1"), "does not name a model"),
        (("--transcription-base-url", "http://localhost:1/v1"), "--transcription-model is missing"),
        (("--transcription-model", "openai/x", "--transcription-base-url", "nowhere"), "is not an http or https"),
    ],
)
@pytest.mark.parametrize("dry", [(), ("--dry-run",)], ids=["run", "dry"])
def test_transcription_that_cannot_be_meant_is_refused_before_anything_is_written(tmp_path, more, words, dry):
    dataset = with_file(tmp_path, "3b1-task.wav", spoken())
    ran = gaia("run", "--dataset", dataset, "--model", "scripted/demo", "--out", tmp_path / "run", *more, *dry)
    assert ran.code == 2 and words in ran.err and not (tmp_path / "run").exists()


def test_a_dry_run_names_judge_and_listener_and_says_what_a_run_would_refuse():
    base = ("run", "--dataset", "demo", "--model", "openai/x", "--base-url", "http://localhost:1/v1", "--dry-run")
    ran = gaia(*base, "--judge-model", "anthropic/y", "--transcription-model", "openai/tiny-ear")
    assert ran.code == 0, ran.said
    assert "judge     anthropic/y at api.anthropic.com\n" in ran.out
    assert "audio     openai/tiny-ear at localhost:1 (not the provider's own address)\n" in ran.out
    assert "missing   ANTHROPIC_API_KEY is not set" in ran.out
    refused = gaia(*base, "--judge-model", "nobody/y")
    assert refused.code == 2, refused.said
    assert "there is no provider 'nobody'" in refused.err


def test_old_workbook_is_read(tmp_path):
    dataset = with_file(tmp_path, "3b1-task.xls", (FILES / "harvest.xls").read_bytes())
    with provider() as server:
        run(server, dataset, tmp_path / "run")
    (result,) = results_of(tmp_path / "run")
    assert not result["is_error"] and "A2: North\\nfield | B2: 41.5" in result["head"]


def blind(request: dict) -> dict | Answer:
    if "image_url" in json.dumps(request):
        return Answer.json({"error": {"message": "this model does not support image input"}}, status=400)
    return reads_the_file(request, times=2)


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed (apt install tesseract-ocr)")
def test_model_without_eyes_asks_again_and_gets_the_text_in_the_picture(tmp_path):
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    dataset = with_file(tmp_path, "3b1-task.png", drawn("The herons were nine"))
    with provider(blind) as server:
        ran = run(server, dataset, tmp_path / "run")
    assert "1 of 1 = 100.0%" in ran.said
    first, second = results_of(tmp_path / "run")
    assert first["head"].startswith("[image: image/png, ")
    assert "by OCR (tesseract), which makes mistakes]\nThe herons were nine" in second["head"]
    told = [message["content"] for message in server.seen[-1].json()["messages"] if message["role"] == "tool"]
    assert told[0].endswith("this model does not take images; call the tool again for the text in it]")
    assert told[1] == second["head"]
