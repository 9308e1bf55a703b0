"""The `python` tool: runs the model's code, in a sandbox wherever there is one."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from gaia_harness import protocol
from gaia_harness.errors import ToolError
from gaia_harness.shortening import shorten
from gaia_harness.tools.arguments import schema, text_argument
from gaia_harness.tools.base import Attachment, ToolOutput
from gaia_harness.tools.containment import Ended, Limits, Outcome, contained

_SHOWN = 20_000  # characters the model sees
_CODE = 1_000_000
# Traces that a broken limit leaves in a program's output, and what they mean.
_EXPLAINED = (
    ("MemoryError", "The memory limit is {memory} in all."),
    ("can't start new thread", "The limit is {processes} processes and threads."),
    ("Resource temporarily unavailable", "The limit is {processes} processes and threads."),
    ("Errno 27", "A file may have at most {file_bytes}."),
    ("Errno 28", "There are {tmp_bytes} of disk space."),
)


class CodeRunner(Protocol):
    """Something that runs Python code within limits: `Sandbox`, or `Unsandboxed`."""

    async def run(self, code: str, attachment: Attachment | None, limits: Limits) -> Outcome:
        """Run the code to its end, or until it breaks a limit."""
        ...


class Unsandboxed:
    """A plain process with the same limits. It can read whatever its user can: only for those who ask for it."""

    description = protocol.UNSANDBOXED

    async def run(self, code: str, attachment: Attachment | None, limits: Limits) -> Outcome:
        """Run the code in a new temporary directory."""
        inside = Path(__file__).with_name("inside.py").read_text(encoding="utf-8")
        rlimits = limits.rlimits()
        del rlimits["NPROC"]  # it would count every process of this user, not only those of the code
        settings = json.dumps({"uid": None, "rlimits": rlimits, "packages": []})
        with tempfile.TemporaryDirectory(prefix="task-", ignore_cleanup_errors=True) as folder:
            if attachment is not None:
                copy = Path(folder, attachment.name)
                copy.write_bytes(attachment.path.read_bytes())
                copy.chmod(0o444)
            env = {"PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8"}
            argv = [sys.executable, "-I", "-B", "-c", inside, settings]
            try:
                return await contained(argv, code.encode(), limits, env=env, cwd=Path(folder))
            except OSError as error:
                raise ToolError(f"Python could not be started: {error.strerror}.") from None


class PythonTool:
    """The `python` tool."""

    name = protocol.PYTHON

    def __init__(
        self,
        runner: CodeRunner,
        attachment: Attachment | None = None,
        limits: Limits | None = None,
        *,
        at_once: asyncio.Semaphore | None = None,
    ) -> None:
        """`at_once` bounds how many programs run at the same time, over all tools that share it."""
        self._runner = runner
        self._attachment = attachment
        self._limits = limits or Limits()
        self._at_once = at_once or asyncio.Semaphore()

    @property
    def description(self) -> str:
        """What the model is told."""
        place = f" The task's file is ./{self._attachment.name} (read-only)." if self._attachment is not None else ""
        network = "" if isinstance(self._runner, Unsandboxed) else " No network."
        return (
            "Run Python code and see what it prints; the value of a last line that is an expression is printed too. "
            f"Each call is a new process: nothing stays from one call to the next.{place}{network} "
            f"At most {self._limits.seconds:g} seconds, {_size(self._limits.memory)} of memory, "
            f"{self._limits.processes} processes; {_SHOWN:,} characters of output are shown. "
            "Besides the standard library, openpyxl, xlrd, pypdf, python-docx, python-pptx, Pillow and lxml may be "
            "there."
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return schema("code", "Python source code, a whole program.")

    async def call(self, args: Mapping[str, Any]) -> ToolOutput:
        """Run the code. A traceback is a result like any other, marked as an error."""
        code = text_argument(args, "code", at_most=_CODE)
        async with self._at_once:
            outcome = await self._runner.run(code, self._attachment, self._limits)
        if outcome.ended is Ended.EXIT and outcome.status is None:
            said = shorten(" ".join(outcome.head.decode(errors="replace").split()), 300)
            raise ToolError(f"The sandbox could not run the code: {said or 'it ended without a word'}.")
        printed = _shortened(outcome)
        remark = self._remark(outcome, printed)
        text = "\n".join(part for part in (printed.rstrip("\n"), remark) if part)
        return ToolOutput(
            text=text or protocol.PRINTED_NOTHING,
            is_error=outcome.ended is not Ended.EXIT or outcome.status != 0,
        )

    def _remark(self, outcome: Outcome, printed: str) -> str:
        limits = self._limits
        if outcome.ended is Ended.TIME:
            return f"[Stopped after {limits.seconds:g} seconds: the time limit.]"
        if outcome.ended is Ended.MEMORY:
            return f"[Stopped: the code used more than {_size(limits.memory)} of memory.]"
        if outcome.ended is Ended.OUTPUT:
            return f"[Stopped: the code printed more than {_size(limits.output_bytes)}.]"
        if outcome.status == 0:
            return ""
        words = {
            "memory": _size(limits.memory),
            "processes": limits.processes,
            "file_bytes": _size(limits.file_bytes),
            "tmp_bytes": _size(limits.tmp_bytes),
        }
        for trace, meaning in _EXPLAINED:
            if trace in printed[-2000:]:
                return f"[{meaning.format(**words)}]"
        if outcome.status in (137, -9):
            return "[The process was killed, probably for its use of memory.]"
        if "Traceback" in printed or "Error" in printed:
            return ""
        return f"[The code ended with exit status {outcome.status}.]"


def _shortened(outcome: Outcome) -> str:
    """The beginning and the end of the output, with a note of what is left out."""
    if not outcome.dropped:
        text = (outcome.head + outcome.tail).decode(errors="replace")
        if len(text) <= _SHOWN:
            return text
        head, tail, left_out = text[: _SHOWN // 2], text[-_SHOWN // 2 :], f"{len(text) - _SHOWN:,} characters"
    else:
        head = outcome.head.decode(errors="replace")[: _SHOWN // 2]
        tail = outcome.tail.decode(errors="replace")[-_SHOWN // 2 :]
        left_out = f"more than {outcome.dropped:,} bytes"
    return f"{head}\n[… {left_out} of output left out …]\n{tail}"


def _size(count: int) -> str:
    return f"{count / (1 << 30):g} GiB" if count >= 1 << 30 else f"{count / (1 << 20):g} MiB"
