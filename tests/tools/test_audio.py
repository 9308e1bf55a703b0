"""Audio files as a task's file: who hears them, and what is said where nobody does."""

import asyncio
import hashlib
import zipfile
from pathlib import Path

import pytest

from gaia_harness.errors import ModelError, ToolError
from gaia_harness.models.messages import Transcript
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.files import FileRead
from gaia_harness.tools.programs import Programs
from gaia_harness.tools.reader_pool import ReaderPool
from gaia_harness.tools.reading import AttemptReader

FILES = Path(__file__).with_name("files")
KINDS = ("mp3", "m4a", "flac", "ogg")


class Ear:
    """Hears what it is told to, and remembers the files it was given."""

    name = "openai/tiny-ear at http://ear.example/v1"

    def __init__(self, said="Nine herons stood in the water."):
        self.said = said
        self.given = []

    async def transcribe(self, data, extension):
        self.given.append((extension, hashlib.sha256(data).hexdigest()))
        await asyncio.sleep(0)
        if isinstance(self.said, Exception):
            raise self.said
        return Transcript(text=self.said, seconds=1.5)


def reader(pool, ear=None):
    return AttemptReader(pool, Programs(None), transcriber=ear)


@pytest.mark.parametrize("kind", KINDS)
async def test_audio_comes_as_a_transcript_that_says_who_made_it(kind):
    path, ear = FILES / f"tone.{kind}", Ear()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    async with ReaderPool() as pool:
        tool = FileRead(Attachment(path=path, name=f"attachment.{kind}"), reader(pool, ear), hears=True)
        output = await tool.call({"path": f"attachment.{kind}"})
    assert output.text == (
        f"[transcript by openai/tiny-ear at http://ear.example/v1, which may mishear; "
        f"audio of {path.stat().st_size:,} bytes, sha256 {digest}]\nNine herons stood in the water."
    )
    assert ear.given == [(kind, digest)] and "audio as a transcript" in tool.description


async def test_long_transcript_is_made_once_and_read_in_parts(tmp_path):
    ear = Ear("word " * 20_000 + "the end")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(FILES / "tone.mp3", "voice/message.mp3")
    async with ReaderPool() as pool:
        tool = FileRead(Attachment(path=tmp_path / "a.zip", name="attachment.zip"), reader(pool, ear))
        asked = {"path": "attachment.zip/voice/message.mp3"}
        parts = await asyncio.gather(*(tool.call({**asked, **more}) for more in ({}, {"offset": 40_000})))
        found = await tool.call({**asked, "find": "the end"})
    assert parts[0].text.splitlines()[-1].startswith("[characters 0 to 40,000 of 100,")
    assert parts[1].text.splitlines()[-1].startswith("[characters 40,000 to 80,000 of 100,")
    assert found.text.startswith("[1 match") and len(ear.given) == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_audio_that_nobody_hears_says_how_to_change_that(kind):
    async with ReaderPool() as pool:
        tool = FileRead(Attachment(path=FILES / f"tone.{kind}", name=f"attachment.{kind}"), reader(pool))
        with pytest.raises(ToolError, match=r"audio file\. Audio is not read in this run: .*--transcription-model"):
            await tool.call({"path": f"attachment.{kind}"})
        assert "transcript" not in tool.description


async def test_server_that_fails_is_a_failed_call_and_is_asked_again_next_time():
    ear = Ear(ModelError("openai/tiny-ear at http://ear.example/v1: HTTP 500: oh (tried once)"))
    async with ReaderPool() as pool:
        tool = FileRead(Attachment(path=FILES / "tone.mp3", name="attachment.mp3"), reader(pool, ear))
        with pytest.raises(ToolError, match=r"is an MP3 audio file\. openai/tiny-ear at .*HTTP 500"):
            await tool.call({"path": "attachment.mp3"})
        ear.said = "Nine."
        assert (await tool.call({"path": "attachment.mp3"})).text.endswith("\nNine.")
