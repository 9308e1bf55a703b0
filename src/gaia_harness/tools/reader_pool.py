"""A pool of worker processes that parse untrusted files; one that hangs is replaced."""

import asyncio
import subprocess
import sys
from contextlib import suppress
from typing import Self

import msgspec

from gaia_harness.errors import ToolError
from gaia_harness.tools.parts import WINDOW
from gaia_harness.tools.reader_worker import MESSAGE, ReadReply, ReadRequest

__all__ = ["WINDOW", "ReaderPool"]

_WORKER = (sys.executable, "-I", "-m", "gaia_harness.tools.reader_worker")


class ReaderPool:
    """Reads files in worker processes. `read` raises ToolError for whatever is wrong with a file."""

    def __init__(self, workers: int = 2, *, seconds: int = 30, command: tuple[str, ...] = _WORKER) -> None:
        self._seconds = seconds
        self._command = command
        self._idle: list[asyncio.subprocess.Process] = []
        self._places = asyncio.Semaphore(workers)
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def read(
        self,
        data: bytes,
        name: str,
        *,
        member: str = "",
        charset: str | None = None,
        offset: int = 0,
        find: str = "",
        hand_back: bool = False,
        for_ocr: bool = False,
        window: int = WINDOW,
    ) -> ReadReply:
        """A part of what the file says: `window` characters from `offset` on, or what is around `find`."""
        request = ReadRequest(
            data=data,
            name=name,
            member=member,
            charset=charset,
            offset=offset,
            find=find,
            hand_back=hand_back,
            for_ocr=for_ocr,
            seconds=self._seconds,
            window=window,
        )
        async with self._places:
            if self._closed:
                raise ToolError("The run is ending; no more files are read.")
            worker = self._idle.pop() if self._idle else await self._start()
            try:
                async with asyncio.timeout(self._seconds):
                    reply = await _exchange(worker, request)
            except TimeoutError:
                await _end(worker)
                raise ToolError(f"{name} takes more than {self._seconds} seconds to read.") from None
            except (OSError, EOFError, msgspec.MsgspecError):
                await _end(worker)
                raise ToolError(f"{name} cannot be read: its reader crashed, probably for lack of memory.") from None
            except BaseException:
                await _end(worker)  # it may be in the middle of a reply
                raise
            if self._closed:
                await _end(worker)
            else:
                self._idle.append(worker)
        if reply.error is not None:
            raise ToolError(reply.error)
        return reply

    async def aclose(self) -> None:
        """End the workers."""
        self._closed = True
        while self._idle:
            await _end(self._idle.pop())

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={"LANG": "C.UTF-8"},  # no keys where foreign files are parsed
                start_new_session=True,
                limit=1 << 20,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise ToolError(f"The file reader could not be started: {error}") from None


async def _exchange(worker: asyncio.subprocess.Process, request: ReadRequest) -> ReadReply:
    if worker.stdin is None or worker.stdout is None:
        raise EOFError
    encoded = msgspec.msgpack.encode(request)
    worker.stdin.write(len(encoded).to_bytes(4, "big"))
    worker.stdin.write(encoded)
    await worker.stdin.drain()
    size = int.from_bytes(await worker.stdout.readexactly(4), "big")
    if size > MESSAGE:
        raise EOFError
    return msgspec.msgpack.decode(await worker.stdout.readexactly(size), type=ReadReply)


async def _end(worker: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        worker.kill()
    if worker.stdout is not None:
        with suppress(OSError):
            await worker.stdout.read()  # asyncio's wait() also waits for the pipe to be emptied
    await worker.wait()
