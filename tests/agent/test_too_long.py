"""A conversation that has become too long for the model: what is left out, what is recorded, and where it ends."""

import hashlib
import json
from contextlib import asynccontextmanager, contextmanager
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_server import chat_reply, chat_server, message_reply, messages_server
from fakes import FakeTool
from gaia_harness import protocol
from gaia_harness.agent import Limits, run_agent
from gaia_harness.agent.conversation import CUT_NOTE, LEAST_SHOWN, Conversation
from gaia_harness.agent.loop import MOST_SHORTENINGS
from gaia_harness.evidence import LlmCall, Prompt, ToolResultStep, Trajectory
from gaia_harness.models.messages import Image, System, ToolResult, User
from gaia_harness.models.registry import open_model
from gaia_harness.records.trajectories import decode, encode
from gaia_harness.tools.base import ToolOutput
from loopback import Answer

ROOM = 20_000
PAGE = "A page about the lights of Grümmel harbour. " * 150
REPLIES = {"openai": chat_reply, "anthropic": message_reply}


def refusal(status, **error):
    return Answer.json({"error": error}, status=status)


OPENAI = refusal(
    400,
    message="This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    type="invalid_request_error",
    code="context_length_exceeded",
)
REFUSALS = {
    "openai, by its code": ("openai", OPENAI),
    "openai, a code and other words": ("openai", refusal(400, message="no", code="context_length_exceeded")),
    "llama.cpp": (
        "openai",
        refusal(
            400,
            code=400,
            message="request (5031 tokens) exceeds the available context size (2048 tokens), try increasing it",
            type="exceed_context_size_error",
            n_prompt_tokens=5031,
            n_ctx=2048,
        ),
    ),
    "vLLM": (
        "openai",
        Answer.json(
            {
                "object": "error",
                "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
                "type": "BadRequestError",
                "code": 400,
            },
            status=400,
        ),
    ),
    "vLLM, which speaks of images": (
        "openai",
        refusal(
            400,
            message="The decoder prompt (length 5000) is longer than the maximum model length of 4096. For image "
            "inputs, the number of image tokens depends on the number of images and their aspect ratios.",
            type="BadRequestError",
        ),
    ),
    "litellm": (
        "openai",
        refusal(
            400,
            message="litellm.ContextWindowExceededError: litellm.BadRequestError: too much",
            type=None,
            code="400",
        ),
    ),
    "openrouter, with status 200": (
        "openai",
        Answer.json(
            {
                "error": {
                    "code": 400,
                    "message": "Provider returned error",
                    "metadata": {
                        "raw": '{"error": {"message": "This endpoint\'s maximum context length is 9 tokens"}}'
                    },
                }
            }
        ),
    ),
    "a gateway with a status of its own": ("openai", Answer(413, b"<h1>413 Request Entity Too Large</h1>")),
    "anthropic": (
        "anthropic",
        refusal(400, type="invalid_request_error", message="prompt is too long: 207889 tokens > 200000 maximum"),
    ),
    "anthropic, with the room for the reply": (
        "anthropic",
        refusal(
            400,
            type="invalid_request_error",
            message="input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000, decrease input",
        ),
    ),
    "anthropic, by bytes": ("anthropic", refusal(413, type="request_too_large", message="Request exceeds the size")),
}


def said(request):
    """How often the model has spoken in a request."""
    return sum(message["role"] == "assistant" for message in request["messages"])


@contextmanager
def small_server(provider, refuse, answer, room=ROOM):
    """A server with a model that has room for so many bytes."""

    def reply(request):
        return refuse if len(json.dumps(request["messages"], ensure_ascii=False)) > room else answer(request)

    with (chat_server if provider == "openai" else messages_server)(reply) as server:
        yield server


@asynccontextmanager
async def model_at(server, provider):
    model = open_model(f"{provider}/test-model", base_url=server.base_url, env={}, max_retries=2)
    try:
        yield model
    finally:
        await model.aclose()


async def run_with(provider, refuse, answer, tools=(), room=ROOM, **limits):
    with small_server(provider, refuse, answer, room) as server:
        async with model_at(server, provider) as model:
            run = await run_agent("How many lights?", model, list(tools), limits=Limits(**limits))
    check_record(run, server)
    return run, server


def check_record(run, server):
    """Every request that left is on record by its hash, in order, and the steps make a good line."""
    sent = [hashlib.sha256(seen.body).hexdigest() for seen in server.seen]
    recorded = [step.context_sha256 for step in run.steps if isinstance(step, Prompt)]
    assert list(dict.fromkeys(recorded)) == sent
    calls = [step for step in run.steps if isinstance(step, LlmCall)]
    line = encode(
        Trajectory(
            task_id="t",
            model="m",
            turns=run.result.turns,
            final_answer=run.result.answer,
            input_tokens=sum(call.tokens_in for call in calls),
            output_tokens=sum(call.tokens_out for call in calls),
            voting_attempts=1,
            selected_attempt=1,
            tools_used=run.result.tools_used,
            steps=run.steps,
        )
    )
    assert decode(line, where="line").steps == run.steps


def reading(turns, provider):
    """A model that reads so many pages, one in each turn, and then answers."""
    reply = REPLIES[provider]

    def answer(request):
        if said(request) < turns:
            return reply("", calls=[("read", {"text": str(said(request))})])
        return reply("I counted.\nFINAL ANSWER: 42")

    return answer


READ = FakeTool("read", lambda args: f"Page {args['text']}: {PAGE}")


def results_in(request):
    """The tool results of a request, by call id, whoever's protocol it is in."""
    found = {}
    for message in request["messages"]:
        if message["role"] == "tool":
            found[message["tool_call_id"]] = message["content"]
        elif isinstance(message["content"], list):
            for block in message["content"]:
                if block["type"] == "tool_result":
                    found[block["tool_use_id"]] = block["content"][0]["text"]
    return found


@pytest.mark.parametrize("name", REFUSALS)
async def test_the_oldest_results_are_shortened_and_the_work_goes_on(name):
    provider, refuse = REFUSALS[name]
    run, server = await run_with(provider, refuse, reading(6, provider), [READ])
    assert run.result.answer == "42", run.result.error
    assert run.result.turns == 7
    assert len(server.seen) < 7 + 2 * MOST_SHORTENINGS  # no refusal was tried again as it was

    texts = list(results_in(server.requests[-1]).values())
    assert [text.endswith(CUT_NOTE) for text in texts] == sorted([t.endswith(CUT_NOTE) for t in texts], reverse=True)
    assert texts[0].endswith(CUT_NOTE)
    assert texts[-1] == f"Page 5: {PAGE}"


@pytest.mark.parametrize("provider", REPLIES)
async def test_what_the_model_saw_follows_from_the_steps(provider):
    """By the steps and the outputs alone, every tool result of every request can be told, byte for byte."""
    refuse = OPENAI if provider == "openai" else REFUSALS["anthropic"][1]
    run, server = await run_with(provider, refuse, reading(6, provider), [READ])
    outputs = {hashlib.sha256(text.encode()).hexdigest(): text for text in (f"Page {n}: {PAGE}" for n in range(6))}
    by_hash = {hashlib.sha256(seen.body).hexdigest(): seen.json() for seen in server.seen}
    shown, compared = {}, 0
    for step in run.steps:
        if isinstance(step, ToolResultStep):
            shown[step.call_id] = outputs[step.output_sha256]
        elif isinstance(step, Prompt):
            if step.role == "shortened":
                assert step.content_sha256 == hashlib.sha256(CUT_NOTE.encode()).hexdigest()
                for result in step.shortened.results:
                    text = shown[result.call_id].removesuffix(step.head).encode()
                    assert result.bytes < len(text)
                    shown[result.call_id] = text[: result.bytes].decode() + step.head
            compared += 1
            assert results_in(by_hash[step.context_sha256]) == shown
    assert compared > 7


async def test_a_model_that_only_talks_is_asked_for_its_answer_when_there_is_no_more_room():
    def answer(request):
        done = "no longer shown" in json.dumps(request["messages"][-1])
        return chat_reply("FINAL ANSWER: seven" if done else "Let me think. " * 500)

    run, server = await run_with("openai", OPENAI, answer)
    assert run.result.answer == "seven"
    assert run.result.error is None
    opening, last = server.requests[0]["messages"], server.requests[-1]["messages"]
    assert last[0] == opening[0]
    assert last[1]["content"].startswith(opening[1]["content"])
    assert last[-1]["content"].endswith(protocol.NO_ROOM)
    roles = [message["role"] for message in last]
    assert all(one != two for one, two in pairwise(roles))  # as many chat templates want
    left_out = [step for step in run.steps if isinstance(step, Prompt) and step.role == "shortened"]
    assert [(step.bytes, step.shortened.results) for step in left_out] == [(0, ())]
    assert 1 <= left_out[0].shortened.turns < run.result.turns
    assert said(server.requests[-1]) == run.result.turns - 1 - left_out[0].shortened.turns


async def test_results_that_cannot_be_shortened_enough_end_in_one_last_call():
    """What fills the context are the model's own words in its calls."""

    def answer(request):
        if "tool_choice" in request:
            return chat_reply("From what I saw.\nFINAL ANSWER: 9")
        return chat_reply("", calls=[("read", {"text": "x" * 4000})])

    run, server = await run_with("openai", OPENAI, answer, [FakeTool("read", lambda args: "short")])
    assert run.result.answer == "9"
    assert sum("tool_choice" in request for request in server.requests) == 1
    assert server.requests[-1]["messages"][-1]["content"] == protocol.NO_ROOM
    assert results_in(server.requests[-1])  # the last turns are still there


async def test_a_server_that_refuses_everything_but_the_first_request_is_left_after_a_bounded_number():
    replies = iter([chat_reply("", calls=[("read", {"text": "1"})])])
    run, server = await run_with("openai", OPENAI, lambda _: next(replies, OPENAI), [READ], room=10**9)
    assert run.result.answer is None
    assert "maximum context length" in run.result.error
    assert "too long for this model" in run.result.hint
    assert len(server.seen) <= MOST_SHORTENINGS + 3
    assert run.result.turns == 2


async def test_a_question_that_does_not_fit_is_said_at_once():
    run, server = await run_with("openai", OPENAI, None, [READ], room=10)
    assert len(server.seen) == 1
    assert run.result.answer is None
    assert "larger context" in run.result.hint


async def test_a_last_call_without_an_answer_says_why():
    run, _ = await run_with("openai", OPENAI, lambda _: chat_reply("Let me think. " * 500))
    assert run.result.answer is None
    assert run.result.error == "the conversation became too long for the model, and its last reply has no answer"


async def test_the_last_turn_is_shortened_too():
    run, server = await run_with("openai", OPENAI, reading(3, "openai"), [READ], max_turns=4, room=12_000)
    assert run.result.answer == "42"
    assert run.result.turns == 4
    assert server.requests[-1]["tool_choice"] == "none"


@pytest.mark.parametrize(
    "other",
    [
        refusal(400, message="max_tokens must be at least 1", code="invalid_value"),
        refusal(401, message="prompt is too long, or so says a wrong key"),
        refusal(400, message="image is too long on one side", code="invalid_image"),
    ],
)
async def test_other_refusals_end_the_attempt_as_before(other):
    run, server = await run_with("openai", other, reading(6, "openai"), [READ])
    assert run.result.answer is None
    assert f"HTTP {other.status}" in run.result.error
    refused = len(json.dumps(server.requests[-1]["messages"], ensure_ascii=False))
    assert refused > ROOM
    assert len(server.seen) == run.result.turns


async def test_pictures_of_a_shortened_result_are_gone_and_those_of_the_last_are_there():
    tool = FakeTool("read", lambda args: ToolOutput(text=PAGE, images=(Image("image/png", b"p" * 3000),)))

    def answer(request):
        return reading(3, "openai")(request)

    run, server = await run_with("openai", REFUSALS["vLLM, which speaks of images"][1], answer, [tool], room=24_000)
    assert run.result.answer == "42"
    last = json.dumps(server.requests[-1]["messages"])
    assert last.count("data:image/png") == 1
    assert "image not shown" not in last


def conversation_of(texts):
    conversation = Conversation((System("s"), User("q")))
    conversation.add(1, [ToolResult(str(number), "read", text) for number, text in enumerate(texts)])
    return conversation


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30).map(lambda text: text * 60), max_size=6))
def test_shortening_comes_to_an_end_and_shows_what_it_says(texts):
    conversation = conversation_of(texts)
    shown = {str(number): len(text.encode()) for number, text in enumerate(texts)}
    while True:
        before = sum(shown.values())
        shortened = conversation.shorten()
        for result in shortened:
            assert result.bytes < shown[result.call_id]
            shown[result.call_id] = result.bytes
            full = texts[int(result.call_id)].encode()
            message = conversation.messages[2 + int(result.call_id)]
            assert message.text == full[: result.bytes].decode() + CUT_NOTE
        if not shortened:
            break
        longest = max(shown.values())
        assert sum(shown.values()) <= before - before // 2 or longest <= LEAST_SHOWN
    assert all(size <= LEAST_SHOWN for size in shown.values())


def test_the_newest_is_touched_last():
    conversation = conversation_of(["a" * 8000, "b" * 1000])
    assert [(result.call_id, result.bytes) for result in conversation.shorten()] == [("0", 3500)]
