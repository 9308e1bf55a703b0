"""Write src/gaia_harness/price_table.py from the package genai-prices: `python -m scripts.price_table [YYYY-MM-DD]`.

To update: raise genai-prices in constraints.txt, run `make setup-dev` and this, look at the difference, `make facts`.
"""

import datetime
import sys
from collections.abc import Iterator
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

from genai_prices.data import providers
from genai_prices.types import ClauseEquals, ClauseOr, ModelInfo, ModelPrice, TieredPrices

FILE = Path(__file__).parents[1] / "src" / "gaia_harness" / "price_table.py"

COUNTED = {"input_mtok", "output_mtok", "cache_read_mtok"}
ONLY_ON_REQUEST = {"web_searches_kcount", "storage_searches_kcount"}
"""Prices of what this program never asks a provider for."""
WRITES = {"cache_write_mtok", "cache_write_1h_mtok"}
"""Asked for at Anthropic, and never by this program; OpenAI writes by itself, and our usage does not count that."""
NOT_TEXT_ALONE = ("audio", "image", "realtime", "search", "deep-research", "transcribe", "tts")
"""Names of models that are paid for more than text, though genai-prices does not give all of it."""
SECOND_HAND = "OpenRouter"
"""In the comment on a price that was not taken from the provider."""

Row = tuple[str, float, float, float | None, int | None, bool]

HEAD = '''\
"""Prices in US dollars. Written by `python -m scripts.price_table` from genai-prices (MIT): do not edit."""

GENAI_PRICES = "{version}"
DAY = "{day}"
"""The version of genai-prices, and the day for which it gave these prices."""

'''
MODELS = '''\
MODELS: tuple[tuple[str, float, float, float | None, int | None, bool], ...] = (
{rows})
"""Name; input, output, cached input per million tokens; for calls up to so many tokens; if snapshots cost the same."""

'''
MINUTES = '''\
TRANSCRIPTION: tuple[tuple[str, float], ...] = (
{rows})
"""Name, and the price of a minute of audio."""
'''


def table(day: str) -> str:
    """The module, with the prices of this day."""
    rows: list[Row] = []
    minutes: list[tuple[str, float]] = []
    for provider in providers:
        if provider.id in ("anthropic", "openai"):
            for model in provider.models:
                price = model.get_prices(datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00"))
                rows += _models(provider.id, model, price)
                minutes += _minutes(provider.id, model, price)
    return (
        HEAD.format(version=version("genai-prices"), day=day)
        + MODELS.format(rows="".join(f"    {_python(row)},\n" for row in sorted(rows)))
        + MINUTES.format(rows="".join(f"    {_python(row)},\n" for row in sorted(minutes)))
    )


def _models(provider: str, model: ModelInfo, price: ModelPrice) -> Iterator[Row]:
    given = {unit: value for unit, value in vars(price).items() if value is not None}
    known = COUNTED | ONLY_ON_REQUEST | (WRITES if provider == "anthropic" else set())
    if not {"input_mtok", "output_mtok"} <= given.keys() <= known or SECOND_HAND in (model.price_comments or ""):
        return
    steps = [step.start for value in given.values() if isinstance(value, TieredPrices) for step in value.tiers]
    cached = given.get("cache_read_mtok")
    for name in _names(model):
        if not any(word in name for word in NOT_TEXT_ALONE):
            yield (
                f"{provider}/{name}",
                _base(given["input_mtok"]),
                _base(given["output_mtok"]),
                None if cached is None else _base(cached),
                min(steps, default=None),
                model.is_match(f"{name}-20380119") or model.is_match(f"{name}-2038-01-19"),
            )


def _minutes(provider: str, model: ModelInfo, price: ModelPrice) -> Iterator[tuple[str, float]]:
    """Of models that are paid by the length of a recording and by nothing else."""
    given = {unit: value for unit, value in vars(price).items() if value is not None}
    if given.keys() == {"input_audio_hours", "audio_hours"} and isinstance(given["input_audio_hours"], Decimal):
        yield from ((f"{provider}/{name}", float(given["input_audio_hours"] / 60)) for name in _names(model))


def _names(model: ModelInfo) -> list[str]:
    """The names that are this model's alone: its own, and those that are given whole. Patterns are not followed."""
    clauses = model.match.or_ if isinstance(model.match, ClauseOr) else [model.match]
    names = {clause.equals for clause in clauses if isinstance(clause, ClauseEquals)}
    return sorted(name for name in {model.id, *names} if model.is_match(name) and not name.endswith("-"))


def _base(price: Decimal | TieredPrices) -> float:
    return float(price.base if isinstance(price, TieredPrices) else price)


def _python(row: tuple[object, ...]) -> str:
    return "(" + ", ".join(f'"{value}"' if isinstance(value, str) else repr(value) for value in row) + ")"


if __name__ == "__main__":
    FILE.write_text(table(sys.argv[1] if len(sys.argv) > 1 else datetime.date.today().isoformat()), "utf-8")
