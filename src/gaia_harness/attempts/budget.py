"""The cost limit of a run (`--max-cost`): no model is called once it is spent."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from gaia_harness.errors import ModelError
from gaia_harness.models.base import Model
from gaia_harness.models.messages import Reply, Request, Transcript, Usage
from gaia_harness.models.transcription import Transcription

Cost = Callable[[Usage], float | None]
MinuteCost = Callable[[float | None], float | None]
"""What a transcript of so many seconds costs."""

HINT = "give a higher limit beside --resume, as in --max-cost 10, or --max-cost none for no limit"


class Allowance(Protocol):
    """What says whether models may still be asked: the run's budget, or what another machine is told of it."""

    @property
    def reason(self) -> str | None:
        """Why no model may be asked any more; None while one may."""
        ...

    @property
    def left(self) -> float | None:
        """US dollars that may still be spent, as far as is known; None without a limit."""
        ...

    def add(self, cost: float | None, model: str) -> None:
        """A model was asked, and that is what the call cost, if it is known."""
        ...

    async def settled(self) -> None:
        """Come back when all that was added is counted, so that `reason` is true."""
        ...


class Budget:
    """What a run has cost so far, as far as that is known, and whether it may go on."""

    def __init__(self, limit: float | None = None, spent: float = 0.0) -> None:
        """Without a `limit`, it may always go on."""
        self._limit = limit
        self.spent = spent
        self._unknown: str | None = None

    def add(self, cost: float | None, model: str) -> None:
        """A model was asked. A call of which nobody knows the cost ends a run that has a limit."""
        self.spent += cost or 0.0
        if cost is None and self._unknown is None:
            self._unknown = model

    @property
    def reason(self) -> str | None:
        """Why no model may be asked any more; None while one may."""
        if self._limit is None:
            return None
        if self.spent >= self._limit:
            return f"--max-cost {self._limit:.2f} is spent (${self.spent:.2f})"
        if self._unknown is not None:
            return (
                f"--max-cost {self._limit:.2f} cannot be kept: {self._unknown} answered, and what that call cost is "
                "not known (the server reports no tokens or seconds, or there is no price for a call of that length)"
            )
        return None

    @property
    def left(self) -> float | None:
        """See `Allowance`."""
        return None if self._limit is None else max(0.0, self._limit - self.spent)

    async def settled(self) -> None:
        """It is counted at once."""


class Metered:
    """A model that counts what it costs, and is not asked any more when the budget is spent.

    The budget is asked for when it is needed: a run makes it later.
    """

    def __init__(self, model: Model, cost: Cost, budget: Callable[[], Allowance]) -> None:
        self._model = model
        self._cost = cost
        self._budget = budget
        self.answered = False
        """Whether the model has ever replied."""
        self._under_way = 0
        self._dearest: float | None = None

    @property
    def name(self) -> str:
        """That of the model."""
        return self._model.name

    @property
    def address(self) -> str:
        """That of the model."""
        return self._model.address

    async def reply(self, request: Request) -> Reply:
        """The model's reply, unless the budget is spent."""
        budget = self._budget()
        await budget.settled()
        if (reason := budget.reason) is not None:
            raise ModelError(reason, hint=HINT, fault="max_cost")
        reply = await self._model.reply(request)
        self._paid(reply.usage)
        return reply

    def _paid(self, usage: Usage) -> None:
        self.answered = True
        cost = at_most(self._cost, usage)
        self._dearest = max(cost or 0.0, self._dearest or 0.0)
        self._budget().add(cost, self.name)

    def spent(self) -> str | None:
        """Why it may not be asked any more, as far as is known now."""
        return self._budget().reason

    def room(self) -> bool:
        """Whether one more call beside those of agents under way is within the budget, each as dear as any so far."""
        left = self._budget().left
        return left is None or (self._dearest is not None and (self._under_way + 1) * self._dearest <= left)

    def begun(self) -> None:
        """An agent asks the model by itself."""
        self._under_way += 1

    def ended(self, usage: Usage | None, *, cut: bool = False) -> None:
        """Such a call has ended, and that is what it took, if the model has answered.

        What one took that we have `cut` off is never told: it counts as the dearest so far, if there is one.
        """
        self._under_way -= 1
        unknown = usage is None or at_most(self._cost, usage) is None
        if cut and unknown and self._dearest is not None:
            self._budget().add(self._dearest, self.name)
        elif usage is not None:
            self._paid(usage)

    async def settled(self) -> None:
        """Come back when all that it was paid is counted."""
        await self._budget().settled()

    async def aclose(self) -> None:
        """Give back connections."""
        await self._model.aclose()


class MeteredTranscription:
    """The same of a transcription model."""

    def __init__(self, model: Transcription, cost: MinuteCost, budget: Callable[[], Allowance]) -> None:
        self._model = model
        self._cost = cost
        self._budget = budget

    @property
    def name(self) -> str:
        """That of the model, with its address."""
        return self._model.name

    async def transcribe(self, data: bytes, extension: str) -> Transcript:
        """What is said and what that cost, unless the budget is spent."""
        budget = self._budget()
        await budget.settled()
        if (reason := budget.reason) is not None:
            raise ModelError(reason, hint=HINT, fault="max_cost")
        made = await self._model.transcribe(data, extension)
        cost = self._cost(made.seconds)
        budget.add(cost, self._model.model)
        return msgspec.structs.replace(made, cost_usd=cost)


def at_most(cost: Cost, usage: Usage) -> float | None:
    """What a call cost; cached input counts in full where it has no price of its own."""
    known = cost(usage)
    return cost(msgspec.structs.replace(usage, cached_input_tokens=None)) if known is None else known
