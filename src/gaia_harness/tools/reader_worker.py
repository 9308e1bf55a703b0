"""The worker process that parses untrusted files, with little memory.

Requests and replies are msgpack with a length of four bytes before each, on standard input and output. The end of the
input is the end of the worker, so that a killed harness leaves none behind.
"""

import os
import resource
import signal
import sys
from typing import BinaryIO

import msgspec

from gaia_harness.models.messages import Image
from gaia_harness.tools.parts import WINDOW, Part, part_of

MEMORY = 2 << 30
MESSAGE = 256 << 20


class ReadRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A file to read, and which part of its text is wanted.

    `hand_back` asks for the bytes of what is not read here; `for_ocr`, for pictures large enough to read text in.
    """

    data: bytes
    name: str
    member: str = ""
    charset: str | None = None
    offset: int = 0
    find: str = ""
    hand_back: bool = False
    for_ocr: bool = False
    seconds: int
    window: int = WINDOW


class HandedBack(msgspec.Struct, frozen=True, kw_only=True):
    """A file, or a file in an archive, that somebody else is to read: `kind` is `audio` or `doc`."""

    what: str
    kind: str
    extension: str
    data: bytes


class ReadReply(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a file's text; or what is to be read elsewhere; or what is wrong with it."""

    part: Part = Part(passages=(), total=0)
    title: str = ""
    images: tuple[Image, ...] = ()
    handed_back: HandedBack | None = None
    error: str | None = None

    @property
    def text(self) -> str:
        """The text of the part, without the lines that say which part it is."""
        return "\n".join(passage.text for passage in self.part.passages)


def main() -> None:
    """Answer requests until there are no more."""
    requests = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a parser that prints must not get between the replies
    for kind, value in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
    while (message := receive(requests)) is not None:
        request = msgspec.msgpack.decode(message, type=ReadRequest)
        # The harness kills a worker that takes too long; this is for when there is no harness any more.
        signal.alarm(request.seconds + 5)
        reply = answer(request)
        signal.alarm(0)
        encoded = msgspec.msgpack.encode(reply)
        replies.write(len(encoded).to_bytes(4, "big") + encoded)
        replies.flush()


def answer(request: ReadRequest) -> ReadReply:
    """Read the file. What is wrong with it is part of the reply."""
    from gaia_harness.errors import ToolError
    from gaia_harness.tools.readers import Unread, clean, read

    try:
        document = read(
            request.data, request.name, charset=request.charset, member=request.member, for_ocr=request.for_ocr
        )
        part = part_of(clean(document.text), offset=request.offset, find=request.find, size=request.window)
        return ReadReply(part=part, title=clean(document.title), images=document.images)
    except Unread as error:
        if not request.hand_back:
            return ReadReply(error=clean(error.message))
        file = HandedBack(what=clean(error.what), kind=error.kind, extension=error.extension, data=error.data)
        return ReadReply(handed_back=file)
    except ToolError as error:
        return ReadReply(error=clean(error.message))
    except MemoryError:
        return ReadReply(error="The file needs more memory to read than there is.")
    except RecursionError:
        return ReadReply(error="The file is nested too deeply to be read.")


def receive(stream: BinaryIO) -> bytes | None:
    """The next message, or None at the end of the stream."""
    size = stream.read(4)
    if len(size) < 4:
        return None
    message = stream.read(int.from_bytes(size, "big"))
    return message if len(message) == int.from_bytes(size, "big") else None


if __name__ == "__main__":
    main()
