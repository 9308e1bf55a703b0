"""Where the attempts of a run are made: the one place that decides it. The driver writes, an executor works."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any, Protocol

from gaia_harness.agent import AgentResult
from gaia_harness.attempts.workshop import Job, Listener, Workshop
from gaia_harness.errors import RunError
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.records.tool_use import ToolUses


class WorkerLost(RunError):
    """What made an attempt is gone, and the attempt with it; what is known of its cost and tools is here."""

    def __init__(self, message: str, *, cost_usd: float | None = None, tools: ToolUses | None = None) -> None:
        super().__init__(message)
        self.cost_usd = cost_usd
        self.tools: ToolUses = tools or {}


class Place(Protocol):
    """Where attempts are made, one at a time."""

    async def ready(self) -> None:
        """Come back when an attempt can be made here. RunError where none ever can."""
        ...

    async def attempt(self, job: Job, recorder: Recorder, listener: Listener) -> AgentResult:
        """Make an attempt. WorkerLost where what makes it is gone."""
        ...


class Executor(Protocol):
    """Has as many places as are asked for. `isolation` says how foreign code is kept in, the same at all of them."""

    isolation: dict[str, Any]

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        ...

    @property
    def answered(self) -> bool:
        """Whether the model has ever replied."""
        ...

    def place(self) -> contextlib.AbstractAsyncContextManager[Place]:
        """A place of one's own."""
        ...


class Local:
    """Makes all attempts in this process."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        self.isolation = workshop.kit.isolation

    @property
    def model(self) -> str:
        """See `Executor`."""
        return self.workshop.model.name

    @property
    def answered(self) -> bool:
        """See `Executor`."""
        return self.workshop.model.answered

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[Place]:
        """See `Executor`."""
        yield self

    async def ready(self) -> None:
        """It always is."""

    async def attempt(self, job: Job, recorder: Recorder, listener: Listener) -> AgentResult:
        """See `Place`."""
        return (await self.workshop.attempt(job, recorder, listener)).result
