"""A system prompt and prices of the submitter's own: what they give must be what the steps show."""

import re

import pytest
from forging import copy_of
from submitter import AT

from chat_server import chat_reply, chat_server
from gaia_command import gaia
from gaia_layout import json_lines, row, write_layout

PROMPT = "You are a patient librarian. Think, then write a last line:\nFINAL ANSWER: what you found\n"


@pytest.fixture(scope="module")
def made(world, tmp_path_factory):
    """The package of a run with both."""
    root = tmp_path_factory.mktemp("stated")
    (root / "prompt").write_text(PROMPT)
    data = write_layout(root / "data", {"2023/validation/metadata.jsonl": json_lines([row(n) for n in range(3)])})

    def right(request):
        number = re.search(r"in room (\d+)\?", str(request["messages"]))[1]
        return chat_reply(f"FINAL ANSWER: {number} lanterns", cached_tokens=4)

    with chat_server(right) as server:
        ran = gaia(
            "run", "--dataset", data, "--model", "openai/gpt-4o", "--base-url", server.base_url, "--out", root / "run",
            "--submit-intent", "--system-prompt", root / "prompt", "--price-in", "0.3", "--price-out", "1.1",
            **world.env,
        )  # fmt: skip
    assert ran.code == 0, ran.said
    ran = gaia("submit", root / "run", "--out", root / "package", "--submitted-at", AT, **world.env)
    assert ran.code == 0, ran.said
    return root / "package"


@pytest.fixture
def package(made, world, tmp_path):
    return copy_of(made, tmp_path / "copy", world.signer)


def test_costs_by_stated_prices_hold_whatever_our_table_says_of_the_model(package):
    verdict = package.verify()
    assert verdict.exit_code == 3
    assert any(note.startswith("costs are by prices that the submitter states: $0.3") for note in verdict.notes)
    assert package.json("metadata.json")["est_cost_usd"] == pytest.approx(3 * (10 * 0.3 + 5 * 1.1) / 1e6)


@pytest.mark.parametrize("factor", [0.5, 2])
def test_a_cost_that_stated_prices_do_not_give(package, factor):
    cost = package.json("metadata.json")["facts"]["tasks"][0]["cost_usd"]
    package.edit_facts(0, cost_usd=cost * factor)
    package.forge("log")
    verdict = package.verify()
    assert verdict.exit_code == 1
    assert "by the prices that the submitter states" in verdict.checks[4].said


@pytest.mark.parametrize("claim", [None, "0" * 64])
def test_a_system_prompt_that_is_not_the_one_that_is_named(package, claim):
    value = package.json("metadata.json")
    if claim is None:
        del value["facts"]["system_prompt_sha256"]
    else:
        value["facts"]["system_prompt_sha256"] = claim
    package.set_json("metadata.json", value)
    package.forge("metadata")
    verdict = package.verify()
    assert verdict.exit_code == 1
    assert "a system prompt that is not" in verdict.checks[4].said
