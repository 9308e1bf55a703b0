"""Makes attempts: a model, tools and perhaps a box, opened once and used for one attempt after another."""

from typing import TYPE_CHECKING, Protocol

import msgspec

from gaia_harness.agent import AgentRun, Settings, run_agent
from gaia_harness.attempts.budget import Metered
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.models.messages import Transcript
from gaia_harness.records.config import Limits
from gaia_harness.records.tool_use import ToolUse
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.kit import ToolKit

if TYPE_CHECKING:
    from gaia_harness.box.attempt import BoxedAgent


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt that is to be made: a question, its file, and what holds for this attempt alone."""

    task_id: str
    question: str
    attachment: Attachment | None = None
    seed: int | None = None
    seconds: float | None = None


class Listener(Protocol):
    """Who is told what happens in an attempt, beside what the recorder takes down and the budget counts."""

    def heard(self, transcript: Transcript) -> None:
        """An audio file was transcribed."""
        ...

    def used(self, name: str, use: ToolUse) -> None:
        """A call of a tool has ended."""
        ...

    def asked(self, error: str | None) -> None:
        """A call of a boxed agent to the model has ended, with this error or with a reply."""
        ...


class Workshop:
    """What attempts are made with. Several may be under way at once."""

    def __init__(
        self,
        model: Metered,
        kit: ToolKit,
        *,
        limits: Limits = Limits(),
        settings: Settings = Settings(),
        boxed: "BoxedAgent | None" = None,
    ) -> None:
        """`boxed` is an agent that answers in place of our own loop."""
        self.model = model
        self.kit = kit
        self._limits = limits
        self._settings = settings
        self._boxed = boxed

    async def attempt(self, job: Job, recorder: Recorder, listener: Listener) -> AgentRun:
        """Make one attempt."""
        file = job.attachment
        tools = self.kit.for_task(None if file is None else file.path, listener.heard)
        if self._boxed is not None:
            return await self._boxed.attempt(
                job.question,
                file,
                recorder,
                seconds=job.seconds,
                meter=self.model,
                on_failure=listener.asked,
                on_tool=listener.used,
                tools=tools,
            )
        return await run_agent(
            job.question,
            self.model,
            tools,
            attachment_name=None if file is None else file.name,
            limits=self._limits,
            settings=self._settings,
            seed=job.seed,
            recorder=recorder,
            seconds=job.seconds,
            on_tool=listener.used,
        )
