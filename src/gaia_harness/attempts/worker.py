"""Makes attempts for a run whose driver is another process, perhaps on another machine, one at a time.

It writes nothing of the run: every step goes to the driver at once. Each method takes and gives small values, so that
any way of calling it from afar will do.
"""

import asyncio
import contextlib
import logging
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from gaia_harness.attempts.messages import (
    PIECE,
    Asked,
    Assignment,
    Broken,
    Ended,
    Frames,
    Heard,
    Hello,
    Opened,
    Paid,
    Report,
    Said,
    Setup,
    StepTaken,
    TextKept,
    Used,
    Waits,
    framed,
)
from gaia_harness.attempts.opening import open_run_model, open_run_transcription, open_workshop
from gaia_harness.attempts.sealing import Seal
from gaia_harness.attempts.versions import versions
from gaia_harness.attempts.workshop import Job, Workshop
from gaia_harness.errors import GaiaError
from gaia_harness.evidence.fingerprint import Fingerprint
from gaia_harness.evidence.recorder import Recorder, RecorderSettings
from gaia_harness.evidence.redaction import Redactor, secrets_in
from gaia_harness.models.endpoint import PROVIDERS
from gaia_harness.models.messages import Transcript
from gaia_harness.models.retry import on_wait
from gaia_harness.protocol import NOT_OFFERED, PYTHON
from gaia_harness.records.sources import source_sha256
from gaia_harness.records.steps import Step
from gaia_harness.records.tool_use import ToolUse
from gaia_harness.tools.base import Attachment

MOST_WAITING = 4 << 20
"""Bytes of reports that may wait for the driver before a model is asked again."""

PREFIX = "gaia-worker-"


class Worker:
    """A worker. The driver calls `hello`, `put` and `open` once; `put`, `begin` and `reports` for each attempt."""

    def __init__(self) -> None:
        self._seal = Seal()
        self._inbox = Frames()
        self._came: list[tuple[bytes, bytes]] = []
        self._outbox = _Outbox()
        self._open_things = contextlib.AsyncExitStack()
        self._workshop: Workshop | None = None
        self._settings = RecorderSettings()
        self._folder = Path(tempfile.gettempdir())
        self._attempt: asyncio.Task[None] | None = None

    def take_over_logs(self) -> None:
        """Log lines go to the driver alone, and nothing of a run into this machine's own logs."""
        logger = logging.getLogger("gaia_harness")
        logger.handlers = [_LogLines(self)]
        logger.propagate = False

    def node(self) -> str:
        """What names this machine to whoever assigns work to it."""
        return ""

    async def hello(self) -> bytes:
        """Who this is."""
        return msgspec.json.encode(
            Hello(
                machine=socket.gethostname(),
                node=self.node(),
                pid=os.getpid(),
                versions=versions(),
                source_sha256=source_sha256(),
                seal=self._seal.public,
            )
        )

    async def put(self, piece: bytes) -> None:
        """Take a piece of what `open` or `begin` needs."""
        self._came += self._inbox.feed(piece)

    async def open(self) -> bytes:
        """Get ready to make attempts, as the `Setup` says that has come."""
        try:
            ((header, _),), self._came = self._came, []
            setup = msgspec.json.decode(header, type=Setup)
            given = msgspec.json.decode(self._seal.open(setup.environment), type=dict[str, str | None])
            opened = await self._open(setup, _with_given(given))
        except GaiaError as error:
            opened = Opened(refusal=error.message, hint=error.hint)
        except Exception as bug:  # the driver says it, with the name of this machine
            opened = Opened(refusal=f"{type(bug).__name__}: {bug}")
        return msgspec.json.encode(self._settings.redactor.hide(opened))

    async def _open(self, setup: Setup, env: Mapping[str, str]) -> Opened:
        config = setup.config
        redactor = Redactor((*secrets_in(env), *secrets_in(os.environ)))
        self._settings = RecorderSettings(redactor=redactor)
        self._folder = self._open_things.enter_context(_private_folder())
        self._outbox.limited = setup.limited
        hidden = (*map(Path, setup.hidden), self._folder)
        self._workshop = workshop = await self._open_things.enter_async_context(
            open_workshop(
                config,
                env,
                model=open_run_model(config, env),
                transcription=open_run_transcription(config, env),
                budget=lambda: self._outbox,
                hidden=hidden,
                system_prompt=setup.system_prompt,
            )
        )
        isolation = workshop.kit.isolation
        if isolation[PYTHON] == NOT_OFFERED:
            return Opened(
                refusal=f"has no sandbox for the python tool: {isolation.get('reason', 'no bubblewrap')}",
                hint="apt install bubblewrap on every machine of the cluster, or give --unsandboxed-python",
            )
        if setup.questions is not None:
            self._settings = RecorderSettings(
                prompts=_Sent(self._outbox, "prompts"),
                bodies=_Sent(self._outbox, "bodies"),
                every_body=config.evidence_full_bodies,
                fingerprint=Fingerprint(setup.questions),
                redactor=redactor,
            )
        return Opened(isolation=isolation)

    async def begin(self) -> None:
        """Begin the attempt whose `Assignment` has come."""
        ((header, body),), self._came = self._came, []
        assignment = msgspec.json.decode(header, type=Assignment)
        self._attempt = asyncio.ensure_future(self._make(assignment, body))

    async def reports(self, spent: str | None) -> bytes:
        """The next piece of what has happened, once there is one; all pieces before it have arrived.

        `spent` is why the run may ask no model any more.
        """
        return await self._outbox.take(spent)

    async def close(self) -> None:
        """End what is under way, and close all that was opened."""
        if self._attempt is not None:
            self._attempt.cancel()
        await self._open_things.aclose()

    async def _make(self, assignment: Assignment, body: bytes) -> None:
        on_wait.set(self.waits)
        try:
            if self._workshop is None:
                raise RuntimeError("a worker was given an attempt before it was opened")
            recorder = Recorder(
                task_id=assignment.task_id,
                attempt=assignment.attempt,
                first_seq=assignment.first_seq,
                settings=self._settings,
                on_step=self._step,
            )
            with self._file(assignment.file_name, body) as attachment:
                job = Job(
                    task_id=assignment.task_id,
                    question=assignment.question,
                    attachment=attachment,
                    seed=assignment.seed,
                    seconds=assignment.seconds,
                )
                run = await self._workshop.attempt(job, recorder, self)
            self._send(Ended(self._settings.redactor.hide(run.result), tuple(recorder.failures)))
        except Exception as bug:
            self._send(Broken(type(bug).__name__, self._settings.redactor.hide(str(bug))))

    @contextlib.contextmanager
    def _file(self, name: str | None, data: bytes) -> Iterator[Attachment | None]:
        if name is None:
            yield None
            return
        path = self._folder / Path(name).name
        path.write_bytes(data)
        try:
            yield Attachment(path=path, name=name)
        finally:
            path.unlink()

    def heard(self, transcript: Transcript) -> None:
        """See `Listener`."""
        self._send(Heard(transcript))

    def used(self, name: str, use: ToolUse) -> None:
        """See `Listener`."""
        self._send(Used(name, self._settings.redactor.hide(use)))

    def asked(self, error: str | None) -> None:
        """See `Listener`."""
        self._send(Asked(self._settings.redactor.hide(error)))

    def waits(self, reason: str | None) -> None:
        """A call of the model waits before it is tried again."""
        self._send(Waits(self._settings.redactor.hide(reason)))

    def said(self, level: int, text: str) -> None:
        """A line was logged."""
        self._send(Said(level, self._settings.redactor.hide(text)))

    def _step(self, step: Step) -> None:
        msgspec.json.encode(step)  # it is a failure here, as at home, if JSON cannot hold it
        self._send(StepTaken(step))

    def _send(self, report: Report) -> None:
        self._outbox.send(report)


class _Outbox:
    """What waits to be fetched by the driver; also the budget of the run, as far as the driver has told."""

    def __init__(self) -> None:
        self.limited = False
        self.reason: str | None = None
        self._data = bytearray()
        self._sent = self._taken = self._arrived = 0
        self._changed = asyncio.Condition()

    def send(self, report: Report, body: bytes = b"") -> None:
        frame = framed(report, body)
        self._data += frame
        self._sent += len(frame)
        self._wake()

    def _wake(self) -> None:
        asyncio.ensure_future(self._notify())  # noqa: RUF006 - it ends at once

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def take(self, spent: str | None) -> bytes:
        self.reason, self._arrived = spent, self._taken
        async with self._changed:
            self._changed.notify_all()
            await self._changed.wait_for(lambda: self._data)
        piece = bytes(self._data[:PIECE])
        del self._data[:PIECE]
        self._taken += len(piece)
        return piece

    @property
    def left(self) -> float | None:
        """See `Allowance`. What others spend meanwhile is not known here."""
        return 0.0 if self.limited else None

    def add(self, cost: float | None, model: str) -> None:
        """See `Allowance`."""
        self.send(Paid(cost, model))

    async def settled(self) -> None:
        """Wait until the driver has all that was sent, where it counts the cost; else until it has most of it."""
        most = 0 if self.limited else MOST_WAITING
        if self._sent - self._arrived > most:
            async with self._changed:
                await self._changed.wait_for(lambda: self._sent - self._arrived <= most)


class _Sent:
    """Keeps full texts by sending them to the driver."""

    def __init__(self, outbox: _Outbox, kind: Literal["prompts", "bodies"]) -> None:
        self._outbox = outbox
        self._kind: Literal["prompts", "bodies"] = kind

    def put(self, sha256: str, data: bytes) -> None:
        self._outbox.send(TextKept(self._kind, sha256), data)


class _LogLines(logging.Handler):
    """Hands log lines to the driver, which shows them."""

    def __init__(self, worker: Worker) -> None:
        super().__init__(logging.WARNING)
        self._worker = worker

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(RuntimeError):  # from a thread without a loop
            self._worker.said(record.levelno, record.getMessage())


def _with_given(given: Mapping[str, str | None]) -> dict[str, str]:
    """This machine's variables, but the driver's where it has given some; None is one that is not set there."""
    for name in {name for provider in PROVIDERS.values() for name in provider.sdk_variables} & given.keys():
        if (value := given[name]) is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value  # an SDK looks nowhere else; it is no key
    return {name: value for name, value in {**os.environ, **given}.items() if value is not None}


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    """A folder for the files of tasks. Those that killed workers of this user have left are taken away first."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        pid = left.name.removeprefix(PREFIX).partition("-")[0]
        if pid.isdigit() and not Path("/proc", pid).exists():
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
