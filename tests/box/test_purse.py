"""How many calls of an attempt are let through at once, where a budget holds."""

import asyncio

import pytest

from gaia_harness.attempts.budget import Budget, Metered
from gaia_harness.box.model_gate import ModelCall
from gaia_harness.box.purse import Allowance, Purse
from gaia_harness.box.wire_formats import WireReply, WireRequest
from gaia_harness.models.messages import Usage
from gaia_harness.models.of_agent import ModelOfAgent


class Asked:
    """Calls that were let through and wait for their replies."""

    def __init__(self, purse: Purse) -> None:
        self.purse = purse
        self.open: list[asyncio.Event] = []
        self.refused: list[str] = []
        self.reply_usage: Usage | None = None

    async def ask(self, tokens: int | None) -> None:
        await self.purse.settled()
        refusal = self.purse.refusal()
        if refusal is not None:
            self.refused.append(refusal)
            return
        answered = asyncio.Event()
        self.open.append(answered)
        await answered.wait()
        self.open.remove(answered)
        usage = self.reply_usage or Usage(input_tokens=tokens, output_tokens=0)
        reply = None if tokens is None else WireReply(usage=usage)
        request = WireRequest(api="chat", model="m", stream=False, sha256="")
        error = "gone" if reply is None else None
        self.purse.called(ModelCall(request=request, reply=reply, status=None, error=error, seconds=1.0))

    async def rounds(self, *tokens: int | None) -> list[int]:
        """Ask for so many at once, and answer what is under way, all at a time; how many that was each time."""
        tasks = [asyncio.ensure_future(self.ask(each)) for each in tokens]
        counted = []
        while not all(task.done() for task in tasks):
            for _ in range(5):
                await asyncio.sleep(0)
            if self.open:
                counted.append(len(self.open))
            for each in tuple(self.open):
                each.set()
        return counted


def purse(limit: float | None = None, allowance: Allowance | None = None) -> Purse:
    budget = Budget(limit)
    model = ModelOfAgent("openai/m", "http://127.0.0.1:1/v1", {})
    meter = Metered(model, lambda usage: float(usage.input_tokens or 0), lambda: budget)
    return Purse(allowance or Allowance(), meter)


@pytest.mark.parametrize(
    ("allowance", "limit"), [(Allowance(), 100.0), (Allowance(tokens=100), None)], ids=["max-cost", "max-tokens"]
)
async def test_calls_at_once_keep_within_the_budget_as_far_as_is_known(allowance, limit):
    """The first alone, since nobody knows what it takes; then as many as are paid for, each as dear as any before."""
    asked = Asked(purse(limit, allowance))
    assert await asked.rounds(*[10] * 5) == [1, 4]
    assert await asked.rounds(30) == [1]
    assert await asked.rounds(*[10] * 5) == [1, 1]  # 20 are left, and a call may take 30
    assert len(asked.refused) == 3
    assert sum(usage.input_tokens for usage in asked.purse.usages) == 100


async def test_a_call_that_failed_makes_room_and_tells_nothing():
    asked = Asked(purse(100.0))
    assert await asked.rounds(None, None, 10, 10, 10) == [1, 1, 1, 2]


async def test_a_reply_that_does_not_say_its_tokens_ends_an_attempt_that_has_a_limit_of_them():
    """Or an agent that streams without asking for the usage would have no limit."""
    limited, free = Asked(purse(allowance=Allowance(tokens=100))), Asked(purse())
    for asked in (limited, free):
        asked.reply_usage = Usage()
        await asked.rounds(10, 10, 10)
    assert len(limited.purse.usages) == 1 and limited.purse.over == limited.refused[0]
    assert [refusal.partition(":")[0] for refusal in limited.refused] == ["--max-tokens 100 cannot be kept"] * 2
    assert len(free.purse.usages) == 3 and not free.refused


async def test_without_a_budget_no_call_waits():
    assert await Asked(purse()).rounds(*[10] * 9) == [9]


async def test_calls_of_other_attempts_under_way_count_as_well():
    first = purse(100.0)
    one, other = Asked(first), Asked(Purse(Allowance(), first._meter))
    assert await one.rounds(30) == [1]
    waiting = [asyncio.ensure_future(each.ask(30)) for each in (one, other, one, other)]
    await asyncio.sleep(0)
    assert (len(one.open), len(other.open)) == (1, 1)  # a third would be within the 70 only without the other's
    for each in waiting:
        each.cancel()
