"""How much one attempt of a boxed agent may ask of models, and what it has asked for."""

from collections.abc import Awaitable, Callable

import msgspec

from gaia_harness.box.model_gate import ModelCall
from gaia_harness.models.messages import Usage


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """How often a model may be asked in one attempt, and for how many tokens in all."""

    calls: int | None = None
    tokens: int | None = None


async def at_once() -> None:
    """What is paid is counted at once."""


class Purse:
    """What an attempt has spent. `spent` says why the run as a whole may spend no more."""

    def __init__(
        self,
        allowance: Allowance,
        spent: Callable[[], str | None],
        paid: Callable[[Usage], None],
        on_failure: Callable[[str | None], None] = lambda error: None,
        settled: Callable[[], Awaitable[None]] = at_once,
    ) -> None:
        """`on_failure` is told of each call how it failed; None where it did not.

        `settled` comes back when all that was paid is counted.
        """
        self.settled = settled
        self._on_failure = on_failure
        self._allowance = allowance
        self._spent = spent
        self._paid = paid
        self.usages: list[Usage] = []
        self.calls = 0
        self.failed: str | None = None
        self.over: str | None = None
        self.run_over: str | None = None

    def refusal(self) -> str | None:
        """Why no model may be asked any more; None where one may, and that call is counted."""
        self.run_over = self._spent()
        if self.run_over is not None:
            return self.run_over
        tokens = sum((usage.input_tokens or 0) + (usage.output_tokens or 0) for usage in self.usages)
        if self._allowance.calls is not None and self.calls >= self._allowance.calls:
            self.over = f"--max-calls {self._allowance.calls} is used up"
        elif self._allowance.tokens is not None and tokens >= self._allowance.tokens:
            self.over = f"--max-tokens {self._allowance.tokens} is used up"
        else:
            self.calls += 1  # now, and not when it has its reply: others may be under way
        return self.over

    def called(self, call: ModelCall) -> None:
        """A model was asked."""
        self.failed = call.error
        if call.error is None or call.status is None:
            self._on_failure(call.error)
        else:
            self._on_failure(f"status {call.status}: {call.error}")
        if call.reply is not None:
            self.usages.append(call.reply.usage)
            self._paid(call.reply.usage)
