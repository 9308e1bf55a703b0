"""The hooks that Inspect calls. It swallows what they raise, so each failure is written to the run's folder here."""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from inspect_ai.hooks import Hooks, hooks

from gaia_harness.errors import GaiaError
from gaia_harness.exchange.inspect_recording import LiveEval
from gaia_harness.exchange.inspect_settings import SWITCH, Settings, open_settings

try:
    from inspect_ai._util.error import PrerequisiteError  # which Inspect prints without a traceback
except ImportError:
    PrerequisiteError = RuntimeError


@hooks(name="record", description="writes a run folder of gaia-harness beside the log")
class RecordHooks(Hooks):  # type: ignore[misc]
    """One object for all evals of a process."""

    def __init__(self) -> None:
        self._settings: Settings | None = None
        self._refused = ""  # why an eval that has begun cannot be recorded: it stops when Inspect next asks for us
        self._evals: dict[str, LiveEval] = {}

    def enabled(self) -> bool:
        """Whether an eval is to be recorded. What was asked for and cannot be done stops Inspect before it begins."""
        if not os.environ.get(SWITCH):
            return False
        if self._refused:
            said, self._refused = self._refused, ""
            raise PrerequisiteError(f"gaia-harness cannot record this eval: {said}")
        if self._settings is None:
            try:
                self._settings = open_settings(os.environ)
            except GaiaError as error:
                hint = f" ({error.hint})" if error.hint else ""
                raise PrerequisiteError(f"gaia-harness cannot record this eval: {error.message}{hint}") from None
        return True

    async def on_task_start(self, data: Any) -> None:
        """An eval begins, of one task with one model."""
        if self._settings is not None and self._settings.env != dict(os.environ):
            self._settings = None  # of an eval before, in the same process
        if self.enabled() and self._settings is not None:
            self._evals[data.eval_id] = LiveEval(self._settings, data.run_id, data.spec)

    async def on_sample_init(self, data: Any) -> None:
        """Before the sandbox is made: epochs of a sample wait here for each other."""
        with self._noting(data.eval_id) as live:
            if live is not None:
                await live.admit(data.sample_id, data.summary)
        if live is not None and live.refused:
            self._refused = live.refused

    async def on_sample_attempt_start(self, data: Any) -> None:
        """Before the first model call."""
        with self._noting(data.eval_id) as live:
            if live is not None:
                await live.begin(data.sample_id, data.summary)

    async def on_sample_event(self, data: Any) -> None:
        """A model or a tool has answered, or something else happened."""
        with self._noting(data.eval_id) as live:
            if live is not None:
                live.event(data.sample_id, data.event)

    async def on_sample_scoring(self, data: Any) -> None:
        """The agent is done."""
        with self._noting(data.eval_id) as live:
            if live is not None:
                live.agent_is_done(data.sample_id)

    async def on_sample_attempt_end(self, data: Any) -> None:
        """The last attempt is ended by `on_sample_end`, which has the answer."""
        with self._noting(data.eval_id) as live:
            if live is not None and data.will_retry:
                live.retry(data.sample_id, data.error.message if data.error else "an error")

    async def on_sample_end(self, data: Any) -> None:
        """With all that came of it."""
        with self._noting(data.eval_id) as live:
            if live is not None:
                live.end(data.sample_id, data.sample)

    async def on_task_end(self, data: Any) -> None:
        """An eval that came to its end."""
        with self._noting(data.eval_id) as live:
            if live is not None:
                live.close()

    async def on_run_end(self, data: Any) -> None:
        """Also where an eval failed or was cancelled."""
        for eval_id, live in list(self._evals.items()):
            if live.run_id == data.run_id:
                del self._evals[eval_id]
                with live.noting():
                    live.close()
                print(live.said(), file=sys.stderr)

    @contextlib.contextmanager
    def _noting(self, eval_id: str) -> Iterator[LiveEval | None]:
        live = self._evals.get(eval_id)
        with contextlib.nullcontext() if live is None else live.noting():
            yield live
