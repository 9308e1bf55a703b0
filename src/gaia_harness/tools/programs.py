"""External programs that read what Python cannot: used if installed, and only where foreign code may run."""

import asyncio
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from gaia_harness.errors import ToolError
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.containment import Ended, Limits, Outcome, in_memory
from gaia_harness.tools.python import CodeRunner

PLACES = "/usr/bin:/bin:/usr/local/bin"
"""Where programs are looked for: what the sandbox shows too."""
# Each reads its standard input. catdoc comes first: antiword refuses short documents.
DOCUMENT_READERS = (("catdoc", "-d", "utf-8", "-w"), ("antiword", "-m", "UTF-8.txt", "-w", "0", "-"))
OCR = ("tesseract", "-", "stdout")
_LIMITS = Limits(seconds=60.0, memory=1 << 30, processes=16, file_bytes=64 << 20, tmp_bytes=64 << 20)
# The program takes the place of our interpreter, so that it has the limits and nothing of ours.
_CODE = """
import os
os.dup2(os.open({file!r}, os.O_RDONLY), 0)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
os.environ["OMP_THREAD_LIMIT"] = "1"
os.execv({program!r}, {argv!r})
"""


def installed(name: str, places: str = PLACES) -> str | None:
    """Where a program is, if it is in one of the places."""
    return shutil.which(name, path=places)


class Programs:
    """Runs them in `runner`, as the python tool runs code; without a runner none is run."""

    def __init__(
        self, runner: CodeRunner | None, *, at_once: asyncio.Semaphore | None = None, places: str = PLACES
    ) -> None:
        """`at_once` bounds how many run at the same time; `places` is a search path."""
        self._runner = runner
        self._at_once = at_once or asyncio.Semaphore()
        self._places = places

    async def document_text(self, data: bytes) -> tuple[str, str]:
        """What a Word document of the old kind says, and which program read it."""
        readers = [argv for argv in DOCUMENT_READERS if installed(argv[0], self._places)]
        if not readers:
            raise ToolError("Such files are read by catdoc or antiword: install one of them (apt install catdoc).")
        for argv in readers:
            text = await self._run(argv, "attachment.doc", data)
            if text.strip():
                return text, argv[0]
        raise ToolError(f"No text was found in it by {' or '.join(argv[0] for argv in readers)}.")

    async def picture_text(self, data: bytes) -> tuple[str, str]:
        """The text in a picture, and which program read it."""
        if not installed(OCR[0], self._places):
            raise ToolError("Text in pictures is read by tesseract: install it (apt install tesseract-ocr).")
        return await self._run(OCR, "picture", data), OCR[0]

    async def _run(self, argv: Sequence[str], name: str, data: bytes) -> str:
        if self._runner is None:
            raise ToolError(f"{argv[0]} runs only in the sandbox, and there is none here (apt install bubblewrap).")
        program = installed(argv[0], self._places)
        code = _CODE.format(file=name, program=program, argv=list(argv))
        fd = in_memory(data)
        try:
            file = Attachment(path=Path(f"/proc/self/fd/{fd}"), name=name)
            async with self._at_once:
                outcome = await self._runner.run(code, file, _LIMITS)
        finally:
            os.close(fd)
        return _printed(argv[0], outcome)


def _printed(program: str, outcome: Outcome) -> str:
    if outcome.ended is Ended.TIME:
        raise ToolError(f"{program} takes more than {_LIMITS.seconds:g} seconds to read it.")
    if outcome.ended is not Ended.EXIT:
        raise ToolError(f"{program} needs more than it may have to read it: {outcome.ended.value}.")
    if outcome.status is None or outcome.status < 0 or outcome.status >= 126:
        raise ToolError(f"{program} could not read it (exit status {outcome.status}).")
    head, tail = (end.decode(errors="replace").replace("\f", "\n") for end in (outcome.head, outcome.tail))
    gap = f"\n({outcome.dropped:,} bytes of its text are left out here)\n" if outcome.dropped else ""
    return f"{head}{gap}{tail}".strip()
