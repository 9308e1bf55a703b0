"""The price table: written from genai-prices, and never guessed from."""

from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness import price_table
from gaia_harness.models.messages import Usage
from gaia_harness.prices import OUR_PRICES, Price, cost_usd, price_of
from scripts.price_table import FILE
from scripts.price_table import table as written


def table(**price):
    return {"p/m": Price(2.0, 8.0, **price)}


def test_the_table_is_what_genai_prices_says():
    if version("genai-prices") != price_table.GENAI_PRICES:
        pytest.skip(f"the table is of genai-prices {price_table.GENAI_PRICES}, as constraints.txt has it")
    assert FILE.read_text("utf-8") == written(price_table.DAY)


def test_every_price_makes_sense():
    assert len(OUR_PRICES) > 100
    for name, price in OUR_PRICES.items():
        assert name.startswith(("openai/", "anthropic/", "scripted/"))
        assert 0 <= (price.cached_input or 0) <= price.input <= price.output, name


@pytest.mark.parametrize("kind", ["audio", "search", "image", "realtime", "gpt-5.6", "gpt-oss"])
def test_models_that_cost_more_than_our_tokens_say_are_not_in_the_table(kind):
    assert not [name for name in OUR_PRICES if kind in name]


def test_the_cost_is_of_fresh_cached_and_written_tokens():
    usage = Usage(input_tokens=1_000_000, output_tokens=500_000, cached_input_tokens=400_000)
    assert cost_usd(table(cached_input=0.5), "p/m", usage) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.5 * 8)


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("openai/gpt-5-nano-2025-08-07", "openai/gpt-5-nano"),
        ("anthropic/claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5"),
        ("openai/gpt-4o-2031-08-06", None),  # snapshots of it had several prices
        ("anthropic/claude-haiku-4-5-2025-1001", None),
        ("anthropic/claude-haiku-4-5-20251001-20251001", None),
        ("anthropic/claude-haiku-4-5-fast", None),
        ("gpt-4o", None),
        ("openai/GPT-4o", None),
        ("anthropic/gpt-4o", None),
        ("openai/unheard-of", None),
        ("", None),
    ],
)
def test_a_name_has_a_price_as_it_is_written_or_with_a_date_where_all_snapshots_cost_the_same(name, listed):
    assert price_of(OUR_PRICES, name) is (None if listed is None else OUR_PRICES[listed])
    cost = cost_usd(OUR_PRICES, name, Usage(input_tokens=10, output_tokens=10))
    assert (cost is None) == (listed is None)


@pytest.mark.parametrize(
    "usage",
    [
        Usage(),
        Usage(input_tokens=1),
        Usage(output_tokens=1),
        Usage(input_tokens=5, output_tokens=5, cached_input_tokens=6),
    ],
)
def test_unknown_or_impossible_tokens_have_no_cost(usage):
    assert cost_usd(table(cached_input=0.5), "p/m", usage) is None


def test_cached_tokens_without_a_known_price_have_no_cost():
    assert cost_usd(table(), "p/m", Usage(input_tokens=5, output_tokens=5, cached_input_tokens=1)) is None
    assert cost_usd(table(), "p/m", Usage(input_tokens=5, output_tokens=5, cached_input_tokens=0)) is not None


def test_a_call_longer_than_the_price_holds_for_has_no_cost():
    prices = table(up_to_input_tokens=100)
    assert cost_usd(prices, "p/m", Usage(input_tokens=100, output_tokens=1)) is not None
    assert cost_usd(prices, "p/m", Usage(input_tokens=101, output_tokens=1)) is None


def test_the_demo_costs_nothing():
    assert cost_usd(OUR_PRICES, "scripted/demo", Usage(input_tokens=999, output_tokens=9, cached_input_tokens=3)) == 0


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_cost_is_never_negative_and_caching_never_makes_it_higher(fresh, cached, output):
    prices = table(cached_input=0.5)
    with_cache = cost_usd(
        prices, "p/m", Usage(input_tokens=fresh + cached, output_tokens=output, cached_input_tokens=cached)
    )
    without = cost_usd(prices, "p/m", Usage(input_tokens=fresh + cached, output_tokens=output))
    assert 0 <= with_cache <= without
