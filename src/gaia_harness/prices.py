"""The cost of calls by a dated price table; null if unknown, never a guess."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Protocol

import msgspec

from gaia_harness.errors import ModelError


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars per million tokens, as the named source had them on that day.

    `cached_input` is None where it was not found; `up_to_input_tokens` is set where longer calls cost more.
    """

    name: str
    input: float
    output: float
    cached_input: float | None = None
    up_to_input_tokens: int | None = None
    aliases: tuple[str, ...] = ()
    as_of: str
    source: str


PriceTable = Mapping[str, Price]


class MinutePrice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars per minute of audio."""

    name: str
    minute: float
    as_of: str
    source: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    models: tuple[Price, ...]
    transcription: tuple[MinutePrice, ...] = ()


def load_prices(data: bytes | None = None) -> PriceTable:
    """The bundled table, or the one in `data`: prices by `PROVIDER/NAME`, aliases included."""
    entries = _read(data).models
    table: dict[str, Price] = {}
    for price in entries:
        for name in (price.name, *price.aliases):
            if name in table:
                raise ModelError(f"the price table has two prices for {name}")
            table[name] = price
    return table


def transcription_usd(model_name: str, seconds: float | None) -> float | None:
    """What a transcript of so many seconds costs at the provider's own address; None if that is not known."""
    price = next((price for price in _read(None).transcription if price.name == model_name), None)
    return None if price is None or seconds is None else seconds / 60 * price.minute


def _read(data: bytes | None) -> _File:
    if data is None:
        data = (files("gaia_harness") / "prices.json").read_bytes()
    try:
        return msgspec.json.decode(data, type=_File)
    except msgspec.DecodeError as error:
        raise ModelError(f"the price table cannot be read: {error}") from error


def stated_prices(model_name: str, price_in: float, price_out: float) -> PriceTable:
    """Prices that the person who runs the model states, for this model alone; cached input costs what input costs."""
    price = Price(
        name=model_name,
        input=price_in,
        output=price_out,
        cached_input=price_in,
        as_of="",
        source="--price-in, --price-out",
    )
    return {model_name: price}


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
    price = table.get(model_name)
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = usage.cached_input_tokens or 0
    if cached > usage.input_tokens or (cached and price.cached_input is None):
        return None
    if price.up_to_input_tokens is not None and usage.input_tokens > price.up_to_input_tokens:
        return None
    fresh = (usage.input_tokens - cached) * price.input
    return (fresh + cached * (price.cached_input or 0.0) + usage.output_tokens * price.output) / 1_000_000
