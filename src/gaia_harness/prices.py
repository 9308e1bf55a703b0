"""The cost of calls by the table in `price_table.py`; null if unknown, never a guess."""

import re
from collections.abc import Mapping
from typing import Protocol

import msgspec

from gaia_harness.price_table import MODELS, TRANSCRIPTION

_SNAPSHOT = re.compile(r"(.+)-20\d\d(-?)\d\d\2\d\d")


class Price(msgspec.Struct, frozen=True):
    """US dollars per million tokens.

    `cached_input` is None where it is not known; `up_to_input_tokens` is set where longer calls cost more. With
    `snapshots` the name followed by a date has the same price.
    """

    input: float
    output: float
    cached_input: float | None = None
    up_to_input_tokens: int | None = None
    snapshots: bool = False


PriceTable = Mapping[str, Price]

OUR_PRICES: PriceTable = {row[0]: Price(*row[1:]) for row in MODELS} | {
    "scripted/demo": Price(0, 0, 0),
    "scripted/judge": Price(0, 0, 0),
}
"""By `PROVIDER/NAME`: what it costs at the provider's own address, in the standard tier."""


def price_of(table: PriceTable, model_name: str) -> Price | None:
    """The price of a model, or of a dated snapshot of one that has a single price; None if that is not known."""
    price = table.get(model_name)
    if price is None and (snapshot := _SNAPSHOT.fullmatch(model_name)):
        price = table.get(snapshot[1])
        return price if price is not None and price.snapshots else None
    return price


def transcription_usd(model_name: str, seconds: float | None) -> float | None:
    """What a transcript of so many seconds costs at the provider's own address; None if that is not known."""
    minute = dict(TRANSCRIPTION).get(model_name)
    return None if minute is None or seconds is None else seconds / 60 * minute


def stated_prices(model_name: str, price_in: float, price_out: float) -> PriceTable:
    """Prices that the person who runs the model states, for this model alone; cached input costs what input costs."""
    return {model_name: Price(price_in, price_out, price_in)}


class Tokens(msgspec.Struct, frozen=True, gc=False):
    """The tokens of one call; cached input is part of the input. None where that is not known."""

    input_tokens: int | None
    output_tokens: int | None
    cached_input_tokens: int | None = None


class Used(Protocol):
    """Whatever says the tokens of one call like that."""

    @property
    def input_tokens(self) -> int | None: ...

    @property
    def output_tokens(self) -> int | None: ...

    @property
    def cached_input_tokens(self) -> int | None: ...


def cost_usd(table: PriceTable, model_name: str, usage: Used) -> float | None:
    """What one call of `PROVIDER/NAME` costs at the provider's own address; None if that is not known."""
    price = price_of(table, model_name)
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = usage.cached_input_tokens or 0
    if cached > usage.input_tokens or (cached and price.cached_input is None):
        return None
    if price.up_to_input_tokens is not None and usage.input_tokens > price.up_to_input_tokens:
        return None
    fresh = (usage.input_tokens - cached) * price.input
    return (fresh + cached * (price.cached_input or 0.0) + usage.output_tokens * price.output) / 1_000_000
