"""Recomputes the cost of a trajectory from the tokens in its steps and our price table."""

import math
from collections.abc import Sequence

import msgspec

from gaia_harness.prices import OUR_PRICES, Tokens, cost_usd, price_of, stated_prices
from gaia_harness.records.claims import all_counted
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.steps import LlmCall

CLOSE = 1e-9
"""How far a cost that another program added up may be off."""


class Costs(msgspec.Struct, frozen=True):
    """US dollars. `least` is what it may have cost where steps do not say how much of the input came from a cache."""

    exact: float
    least: float


class CostFaults(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with the cost of a task. Each is None where nothing is."""

    impossible: str | None = None
    """Whatever the prices are."""
    not_ours: str | None = None
    """If this very version of the program computed it."""
    unlike: str | None = None
    """If another version did, which may have had other prices."""


_FINE = CostFaults()


def costs_of(model: str, calls: Sequence[LlmCall]) -> Costs | None:
    """What these calls cost together; None where the model has no price, or a call's tokens are not known."""
    price = price_of(OUR_PRICES, model)
    if price is None:
        return None
    exact, least = [], []
    for call in calls:
        said = call.tokens_cached is not msgspec.UNSET
        cost = cost_usd(OUR_PRICES, model, _tokens(call, call.tokens_cached if said else None))
        if cost is None:
            return None
        exact.append(cost)
        cached = (
            None if said or price.cached_input is None else cost_usd(OUR_PRICES, model, _tokens(call, call.tokens_in))
        )
        least.append(cost if cached is None else min(cost, cached))
    return Costs(math.fsum(exact), math.fsum(least))


def stated_fault(
    facts: TaskFacts, run: RunFacts, input_tokens: int | None, output_tokens: int | None
) -> CostFaults | None:
    """The same by prices that the submitter states, which give the cost whatever the version; None without them."""
    if run.price_in is msgspec.UNSET or run.price_out is msgspec.UNSET:
        return None
    stated, exact = facts.cost_usd, all_counted(facts)
    if stated is None:
        return _FINE
    cost = cost_usd(stated_prices("", run.price_in, run.price_out), "", Tokens(input_tokens, output_tokens))
    if cost is None:
        return CostFaults(impossible=f"cost_usd is {stated:g}, where the tokens of a call are not known")
    if stated > cost * (1 + CLOSE) or (exact and stated < cost * (1 - CLOSE)):
        return CostFaults(
            impossible=f"cost_usd is {stated:g}, where its tokens cost {cost:g} by the prices that the submitter states"
        )
    return _FINE


def cost_faults(facts: TaskFacts, found: Costs | None, *, tokens_known: bool) -> CostFaults:
    """Hold the cost of a task against what its steps come to. A cost of None claims nothing.

    As with other sums, an attempt that failed by a defect is in the steps and not in the cost.
    """
    stated, exact = facts.cost_usd, all_counted(facts)
    if stated is None or (found is None and not exact):
        return _FINE
    if not tokens_known and exact:
        return CostFaults(impossible=f"cost_usd is {stated:g}, where the tokens of a call are not known")
    if found is None:
        return CostFaults(not_ours=f"cost_usd is {stated:g}, where we know no price of {facts.model[:80]!a}")
    said = f"cost_usd is {stated:g}, where its tokens cost {found.exact:g}"
    if found.least != found.exact:
        said += f", or as little as {found.least:g} if they were cached,"
    too_much = stated > found.exact * (1 + CLOSE)
    too_little = exact and stated < found.least * (1 - CLOSE)
    return CostFaults(
        not_ours=f"{said} by our prices" if stated > found.exact or (exact and stated != found.exact) else None,
        unlike=f"{said} by our prices" if too_much or too_little else None,
    )


def _tokens(call: LlmCall, cached: int | msgspec.UnsetType | None) -> Tokens:
    return Tokens(call.tokens_in, call.tokens_out, cached if isinstance(cached, int) else None)
