"""The `file_read` tool: reads the task's attachment, under a name that does not reveal the task."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gaia_harness import protocol
from gaia_harness.errors import ToolError
from gaia_harness.tools.arguments import PARTS, find_argument, offset_argument, schema, text_argument
from gaia_harness.tools.base import Attachment, ToolOutput
from gaia_harness.tools.parts import WINDOW, shown
from gaia_harness.tools.reading import FileReader

_BYTES = 200 << 20


def neutral_name(path: Path) -> str:
    """`attachment` with the file's extension, if that is a plain one: data sets name files after the task's id."""
    name = f"attachment{path.suffix.lower()}"
    return name if re.fullmatch(protocol.ATTACHMENT_NAME, name) else "attachment"


class FileRead:
    """The `file_read` tool."""

    name = protocol.FILE_READ

    def __init__(self, attachment: Attachment, readers: FileReader, *, hears: bool = False) -> None:
        """`hears` says that audio is transcribed."""
        self._attachment = attachment
        self._readers = readers
        self._hears = hears

    @property
    def description(self) -> str:
        """What the model is told."""
        return (
            f'Read the file that {protocol.FILE_OFFERED} "{self._attachment.name}". Spreadsheets (with formulas and '
            "cell colours), PDF, Word and PowerPoint documents, HTML and text come as text, pictures as an image"
            f"{', audio as a transcript' if self._hears else ''}. A zip "
            'file is listed; read what is in it by a path such as "attachment.zip/folder/a.txt". '
            f"At most {WINDOW:,} characters a call: read on with offset, or search in it with find."
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return schema("path", f'"{self._attachment.name}", or a file inside it if it is a zip file.', parts=True)

    async def call(self, args: Mapping[str, Any]) -> ToolOutput:
        """Read the attachment, or a member of it."""
        path = text_argument(args, "path", at_most=1_000, optional=PARTS)
        offset, find = offset_argument(args), find_argument(args)
        name = self._attachment.name
        asked = path.strip().removeprefix("./").removeprefix(f"{protocol.WORKING_FOLDER}/")  # where code finds it
        if asked != name and not asked.startswith(f"{name}/"):
            raise ToolError(f'There is no such file. The only one is "{name}".')
        data = await asyncio.to_thread(self._bytes)
        reply = await self._readers.read(data, name, member=asked[len(name) + 1 :], offset=offset, find=find)
        text = shown(reply.part, offset=offset, find=find, tool=self.name)
        return ToolOutput(text=text, images=reply.images)

    def _bytes(self) -> bytes:
        try:
            with self._attachment.path.open("rb") as file:
                data = file.read(_BYTES + 1)
        except OSError as error:
            raise ToolError(f"{self._attachment.name} cannot be opened: {error.strerror}.") from None
        if len(data) > _BYTES:
            raise ToolError(f"{self._attachment.name} is larger than {_BYTES >> 20} MiB, which cannot be read here.")
        return data
