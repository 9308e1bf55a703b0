"""The second opinion: what a verdict is, what is none, and what is kept of it, with models behind real servers."""

import json

import msgspec
import pytest

from chat_server import chat_reply, chat_server, message_reply, messages_server
from fakes import FakeModel
from gaia_harness.errors import ModelError
from gaia_harness.judge.llm import LlmJudge
from gaia_harness.judge.prompt import PROMPT_SHA256, PROMPT_VERSION
from gaia_harness.models.messages import Reply, Usage
from gaia_harness.models.registry import open_model
from gaia_harness.records.results import Judgment
from loopback import Answer

CASE = ("task-1", "Which island has the oldest lamp?", "the isle of Ostmar", "Ostmar")
YES = '{"correct": true, "reason": "The same island."}'


def judge_of(model, cache=None, **more):
    return LlmJudge(model, cache, on_integrity=lambda kind, detail: None, **more)


async def judged(*said, cost=lambda usage: None) -> Judgment:
    return await judge_of(FakeModel(*said), cost=cost).judge(*CASE)


@pytest.mark.parametrize(
    ("provider", "serve", "reply"),
    [("openai", chat_server, chat_reply), ("anthropic", messages_server, message_reply)],
)
async def test_a_model_of_either_provider_judges(provider, serve, reply):
    with serve(lambda request: reply(YES)) as server:
        model = open_model(f"{provider}/m", base_url=server.base_url, env={})
        judgment = await judge_of(model).judge(*CASE)
        await model.aclose()
    assert msgspec.to_builtins(judgment) == {
        "verdict": True, "reason": "The same island.", "error": None, "model": f"{provider}/m",
        "prompt_version": PROMPT_VERSION, "prompt_sha256": PROMPT_SHA256, "cached": False, "cache": "off",
        "calls": 1, "input_tokens": 10, "output_tokens": 5, "cost_usd": None,
    }  # fmt: skip
    assert len(server.requests) == 1
    assert "tools" not in server.requests[0]


@pytest.mark.parametrize(
    ("text", "verdict", "reason"),
    [
        ('{"correct": false, "reason": "Another island."}', False, "Another island."),
        ('\n {"reason": "", "correct": true}\n', True, ""),
        (json.dumps({"correct": True, "reason": "ö" * 200}), True, "ö" * 200),
        (json.dumps({"correct": True, "reason": "🏝" * 200}), True, "🏝" * 200),
    ],
)
async def test_exactly_one_object_of_verdict_and_reason_is_a_verdict(text, verdict, reason):
    judgment = await judged(text)
    assert (judgment.verdict, judgment.reason, judgment.error, judgment.calls) == (verdict, reason, None, 1)


MALFORMED = {
    "nothing": ("", "empty"),
    "spaces": (" \n ", "empty"),
    "prose": ("Yes, it is correct.", "not JSON"),
    "prose before": (f"My verdict: {YES}", "not JSON"),
    "prose behind": (f"{YES} I am sure.", "not JSON"),
    "two objects": (f"{YES}\n{YES}", "not JSON"),
    "a list of one": (f"[{YES}]", "not an object"),
    "a fence": (f"```json\n{YES}\n```", "not JSON"),
    "an extra name": ('{"correct": true, "reason": "", "confidence": 1}', "alone"),
    "no reason": ('{"correct": true}', "alone"),
    "a name twice": ('{"correct": false, "correct": true, "reason": ""}', "stands twice"),
    "a text for the verdict": ('{"correct": "true", "reason": ""}', "neither true nor false"),
    "a number for the verdict": ('{"correct": 1, "reason": ""}', "neither true nor false"),
    "null for the verdict": ('{"correct": null, "reason": ""}', "neither true nor false"),
    "no text for the reason": ('{"correct": true, "reason": null}', "not a text"),
    "a long reason": (json.dumps({"correct": True, "reason": "x" * 201}), "201 characters"),
    "a lone surrogate": ('{"correct": true, "reason": "\\ud800"}', "surrogate"),
    "not a number": ('{"correct": NaN, "reason": ""}', "NaN"),
    "a megabyte": (" " * 1_000_000 + YES, "characters"),
    "deep nesting": ("[" * 9_000, "the reply"),
    "cut short": (YES[:-3], "not JSON"),
}


@pytest.mark.parametrize("what", MALFORMED)
async def test_anything_else_is_no_verdict_after_one_more_try(what):
    text, why = MALFORMED[what]
    judgment = await judged(text, text, YES)
    assert judgment.verdict is None
    assert judgment.reason == ""
    assert judgment.error.startswith("no verdict in 2 replies: ")
    assert why in judgment.error
    assert len(judgment.error) <= 500
    assert judgment.calls == 2


async def test_a_call_of_a_tool_is_no_verdict():
    judgment = await judged([("python", {"code": "1"})])
    assert (judgment.verdict, judgment.calls) == (None, 2)
    assert "tool" in judgment.error


async def test_a_verdict_at_the_second_try_counts_and_both_calls_are_counted():
    model = FakeModel("Well.", YES)
    judgment = await judge_of(model, cost=lambda usage: usage.input_tokens / 100).judge(*CASE)
    assert (judgment.verdict, judgment.error, judgment.calls) == (True, None, 2)
    assert (judgment.input_tokens, judgment.output_tokens, judgment.cost_usd) == (20, 6, 0.2)
    assert model.requests[0] == model.requests[1]  # nothing that the judge said comes back to it


async def test_tokens_and_cost_that_are_not_known_are_null_and_not_zero():
    judgment = await judged(Reply(text=YES, usage=Usage(), request_sha256=""))
    assert (judgment.input_tokens, judgment.output_tokens, judgment.cost_usd) == (None, None, None)


async def test_a_model_that_fails_gives_no_verdict_and_says_why():
    judgment = await judged(ModelError("fake/model: HTTP 500: \ud800 out of lamp oil"))
    assert (judgment.verdict, judgment.calls) == (None, 1)
    assert "out of lamp oil" in judgment.error
    assert msgspec.json.encode(judgment)


async def test_a_model_that_fails_at_the_second_try_gives_no_verdict():
    judgment = await judged("Well.", ModelError("the server is gone"))
    assert (judgment.verdict, judgment.calls, judgment.error) == (None, 2, "the server is gone")
    assert judgment.input_tokens == 10


async def test_a_server_that_refuses_gives_no_verdict():
    with chat_server(lambda request: Answer.json({"error": {"message": "no such key"}}, status=401)) as server:
        model = open_model("openai/m", base_url=server.base_url, env={}, max_retries=0)
        judgment = await judge_of(model).judge(*CASE)
        await model.aclose()
    assert judgment.verdict is None
    assert "no such key" in judgment.error
