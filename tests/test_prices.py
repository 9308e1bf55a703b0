"""The price table: dated, sourced, and never guessed from."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.errors import ModelError
from gaia_harness.models.messages import Usage
from gaia_harness.prices import cost_usd, load_prices

TABLE = load_prices()


def table(**price):
    entry = {"name": "p/m", "input": 2.0, "output": 8.0, "as_of": "2026-01-01", "source": "test", **price}
    return load_prices(json.dumps({"about": "", "models": [entry]}).encode())


def test_every_price_has_a_date_and_a_source_and_makes_sense():
    assert len(TABLE) > 20
    for name, price in TABLE.items():
        assert re.fullmatch(r"20\d\d-\d\d(-\d\d)?", price.as_of), name
        assert price.source, name
        assert re.match(r"(openai|anthropic|scripted)/.", name)
        assert 0 <= (price.cached_input or 0) <= price.input <= price.output


def test_the_cost_is_of_fresh_cached_and_written_tokens():
    usage = Usage(input_tokens=1_000_000, output_tokens=500_000, cached_input_tokens=400_000)
    assert cost_usd(table(cached_input=0.5), "p/m", usage) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.5 * 8)


def test_a_model_that_is_not_listed_has_no_cost_not_even_a_snapshot_of_a_listed_one():
    usage = Usage(input_tokens=10, output_tokens=10)
    assert cost_usd(TABLE, "openai/gpt-4o", usage) is not None
    for name in ("openai/gpt-4o-2024-08-06", "gpt-4o", "openai/GPT-4o", "anthropic/gpt-4o", "openai/unheard-of", ""):
        assert cost_usd(TABLE, name, usage) is None


def test_a_listed_alias_has_the_price_of_its_model():
    assert TABLE["anthropic/claude-haiku-4-5-20251001"] is TABLE["anthropic/claude-haiku-4-5"]


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
    assert cost_usd(TABLE, "scripted/demo", Usage(input_tokens=999, output_tokens=9, cached_input_tokens=3)) == 0


def test_a_name_listed_twice_is_refused():
    with pytest.raises(ModelError, match="two prices for p/m"):
        table(aliases=["p/m"])


@pytest.mark.parametrize("data", [b"", b"[]", b'{"about": "", "models": [{"name": "x"}]}'])
def test_a_broken_table_is_an_error_in_words(data):
    with pytest.raises(ModelError, match="price table"):
        load_prices(data)


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_cost_is_never_negative_and_caching_never_makes_it_higher(fresh, cached, output):
    prices = table(cached_input=0.5)
    with_cache = cost_usd(
        prices, "p/m", Usage(input_tokens=fresh + cached, output_tokens=output, cached_input_tokens=cached)
    )
    without = cost_usd(prices, "p/m", Usage(input_tokens=fresh + cached, output_tokens=output))
    assert 0 <= with_cache <= without
