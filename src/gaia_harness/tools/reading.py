"""Reads a file for one attempt: by the workers, or by external programs and models for audio and pictures."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from gaia_harness.errors import GaiaError, ToolError
from gaia_harness.models.messages import Image, Transcript
from gaia_harness.tools.parts import part_of
from gaia_harness.tools.programs import Programs
from gaia_harness.tools.reader_pool import ReaderPool
from gaia_harness.tools.reader_worker import HandedBack, ReadReply

NO_TRANSCRIPTION = (
    "Audio is not read in this run: that needs a transcription model, such as gaia run --transcription-model "
    "openai/whisper-1 (OpenAI's or a compatible server; Anthropic has none)."
)
_REMEMBERED = 16  # texts of an attempt that were dear to make


class Transcriber(Protocol):
    """Transcribes audio files. Raises only `GaiaError`."""

    @property
    def name(self) -> str:
        """Which model, at which address."""
        ...

    async def transcribe(self, data: bytes, extension: str) -> Transcript:
        """The transcript."""
        ...


class FileReader(Protocol):
    """Reads files: `ReaderPool`, or `AttemptReader`."""

    async def read(
        self,
        data: bytes,
        name: str,
        *,
        member: str = "",
        charset: str | None = None,
        offset: int = 0,
        find: str = "",
    ) -> ReadReply:
        """A part of what the file says: from character `offset` on, or around what `find` says."""
        ...


class AttemptReader:
    """Reads the files of one attempt, and makes no transcript twice."""

    def __init__(
        self,
        pool: ReaderPool,
        programs: Programs,
        *,
        transcriber: Transcriber | None = None,
        sees_images: Callable[[], bool] = lambda: True,
        on_transcript: Callable[[Transcript], None] = lambda _: None,
    ) -> None:
        """`sees_images` says whether the model takes images, as far as is known when a picture comes.

        `on_transcript` is told of every transcript that was made.
        """
        self._on_transcript = on_transcript
        self._pool = pool
        self._programs = programs
        self._transcriber = transcriber
        self._sees_images = sees_images
        self._made: dict[str, str] = {}
        self._making = asyncio.Lock()  # the same file asked for twice at once is read once

    async def read(
        self,
        data: bytes,
        name: str,
        *,
        member: str = "",
        charset: str | None = None,
        offset: int = 0,
        find: str = "",
    ) -> ReadReply:
        """A part of what the file says: from character `offset` on, or around what `find` says."""
        blind = not self._sees_images()
        reply = await self._pool.read(
            data, name, member=member, charset=charset, offset=offset, find=find, hand_back=True, for_ocr=blind
        )
        if reply.handed_back is not None:
            text = await self._other(reply.handed_back)
            return ReadReply(part=part_of(text, offset=offset, find=find))
        if reply.images and blind:
            (image,) = reply.images
            text = await self._once(image.data, lambda digest: self._picture(image, digest))
            return msgspec.structs.replace(reply, part=part_of(text, offset=offset, find=find), images=())
        return reply

    async def _other(self, file: HandedBack) -> str:
        make = self._transcript if file.kind == "audio" else self._document
        try:
            return await self._once(file.data, lambda digest: make(file, digest))
        except GaiaError as error:
            raise ToolError(f"{file.what}. {error.message}") from None

    async def _once(self, data: bytes, make: Callable[[str], Awaitable[str]]) -> str:
        digest = hashlib.sha256(data).hexdigest()
        async with self._making:
            if digest not in self._made:
                text = await make(digest)
                while len(self._made) >= _REMEMBERED:
                    del self._made[next(iter(self._made))]
                self._made[digest] = text
            return self._made[digest]

    async def _transcript(self, file: HandedBack, digest: str) -> str:
        if self._transcriber is None:
            raise ToolError(NO_TRANSCRIPTION)
        made = await self._transcriber.transcribe(file.data, file.extension)
        self._on_transcript(made)
        said = made.text.strip()
        audio = f"audio of {len(file.data):,} bytes, sha256 {digest}"
        return (
            f"[transcript by {self._transcriber.name}, which may mishear; {audio}]\n{said or '(no words were heard)'}"
        )

    async def _document(self, file: HandedBack, _: str) -> str:
        text, program = await self._programs.document_text(file.data)
        return f"[the document's text, as {program} reads it]\n{text}"

    async def _picture(self, image: Image, digest: str) -> str:
        try:
            text, program = await self._programs.picture_text(image.data)
        except ToolError as error:
            blind = "This is a picture, and this model takes no images. The text in it was not read either."
            raise ToolError(f"{blind} {error.message}") from None
        found = text or "(no text was found)"
        line = f"[picture, sha256 {digest}: this model takes no images."
        return f"{line} Below is the text in it by OCR ({program}), which makes mistakes]\n{found}"
