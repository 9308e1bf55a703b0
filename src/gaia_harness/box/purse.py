"""How much one attempt of a boxed agent may ask of models, and what it has asked for."""

import asyncio
from collections.abc import Callable
from typing import Protocol

import msgspec

from gaia_harness.box.model_gate import ModelCall
from gaia_harness.models.messages import Usage


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """How often a model may be asked in one attempt, and for how many tokens in all."""

    calls: int | None = None
    tokens: int | None = None


class Meter(Protocol):
    """Whoever counts what the run as a whole costs."""

    def spent(self) -> str | None:
        """Why no model may be asked any more; None while one may."""
        ...

    def room(self) -> bool:
        """Whether one more call beside those under way is within the budget, by what calls cost so far."""
        ...

    def begun(self) -> None:
        """A model is asked."""
        ...

    def ended(self, usage: Usage | None, *, cut: bool = False) -> None:
        """Such a call has ended, and that is what it took, if the model has answered; or we have `cut` it off."""
        ...

    async def settled(self) -> None:
        """Come back when all calls that have ended are counted."""
        ...


class Purse:
    """What an attempt has spent.

    One call may always be under way, as with our own loop. Others wait while it is not known that those under way
    leave something of the budget: what a call takes is told at its end.
    """

    def __init__(
        self, allowance: Allowance, meter: Meter, on_failure: Callable[[str | None], None] = lambda error: None
    ) -> None:
        """`on_failure` is told of each call how it failed; None where it did not."""
        self._on_failure = on_failure
        self._allowance = allowance
        self._meter = meter
        self._under_way = self._tokens = self._most_tokens = 0
        self._untold = False
        self._one_ended = asyncio.Event()
        self.usages: list[Usage] = []
        self.calls = 0
        self.failed: str | None = None
        self.over: str | None = None
        self.run_over: str | None = None

    async def settled(self) -> None:
        """Come back when a call may begin, or is refused, by what is known of the others."""
        await self._meter.settled()
        while self._under_way and self._meter.spent() is None and not self._room():
            self._one_ended.clear()
            await self._one_ended.wait()
            await self._meter.settled()

    def _room(self) -> bool:
        if self._allowance.tokens is not None:
            most = self._most_tokens or self._allowance.tokens  # nobody knows before the first has ended
            if self._tokens + (self._under_way + 1) * most > self._allowance.tokens:
                return False
        return self._meter.room()

    def refusal(self) -> str | None:
        """Why no model may be asked any more; None where one may, and that call is counted."""
        self.run_over = self._meter.spent()
        if self.run_over is not None:
            return self.run_over
        if self._allowance.calls is not None and self.calls >= self._allowance.calls:
            self.over = f"--max-calls {self._allowance.calls} is used up"
        elif self._allowance.tokens is not None and self._tokens >= self._allowance.tokens:
            self.over = f"--max-tokens {self._allowance.tokens} is used up"
        elif self._allowance.tokens is not None and self._untold:
            self.over = (
                f"--max-tokens {self._allowance.tokens} cannot be kept: the model answered, and how many tokens that "
                'took is not known (for a stream, the agent asks for it by "stream_options": {"include_usage": true})'
            )
        else:
            self.calls += 1  # now, and not when it has its reply: others may be under way
            self._under_way += 1
            self._meter.begun()
        return self.over

    def called(self, call: ModelCall) -> None:
        """A model was asked."""
        self._under_way -= 1
        self._one_ended.set()
        self.failed = call.error
        if call.error is None or call.status is None:
            self._on_failure(call.error)
        else:
            self._on_failure(f"status {call.status}: {call.error}")
        usage = None if call.reply is None else call.reply.usage
        if call.reply is not None and usage is not None:
            self.usages.append(usage)
            if call.reply.finished:  # one that was cut off is no doing of the agent's
                self._untold |= usage.input_tokens is None and usage.output_tokens is None
            took = (usage.input_tokens or 0) + (usage.output_tokens or 0)
            self._tokens += took
            self._most_tokens = max(took, self._most_tokens)
        self._meter.ended(usage, cut=call.cut)
