"""Anthropic's protocol by the real SDK: what is sent, and what is made of what comes back."""

import base64
import hashlib
import json
import logging
from contextlib import asynccontextmanager

import pytest

from chat_server import message_reply, messages_server
from gaia_harness.errors import ModelError
from gaia_harness.models.messages import (
    Assistant,
    Image,
    Request,
    System,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
    User,
)
from gaia_harness.models.registry import open_model
from loopback import Answer

SEARCH = ToolSpec("web_search", "Search.", {"type": "object", "properties": {"query": {"type": "string"}}})
ASK = Request(messages=(System("Be brief."), User("How tall is the Grimble Tower?")), tools=(SEARCH,))
NOTE = "[image not shown: this model does not take images; call the tool again for the text in it]"


async def no_sleep(_):
    pass


@asynccontextmanager
async def model_at(server, **options):
    options = {"env": {}, "sleep": no_sleep, "call_timeout": 5, **options}
    model = open_model("anthropic/test-model", base_url=server.base_url, **options)
    try:
        yield model
    finally:
        await model.aclose()


async def ask(answer, request=ASK, **options):
    """One call of a fresh model: its reply, and the server with what it saw."""
    with messages_server(answer) as server:
        async with model_at(server, **options) as model:
            return await model.reply(request), server


def conversation(*results, calls=None, text="", thoughts="", after=()):
    calls = calls or tuple(ToolCall(result.call_id, result.name, "{}", {}) for result in results)
    return Request(messages=(User("Look."), Assistant(text, calls, thoughts), *results, *after), tools=(SEARCH,))


async def test_words_usage_and_the_rest_come_through_and_cached_input_is_part_of_the_input():
    reply, _ = await ask(lambda _: message_reply("341 m", input_tokens=120, output_tokens=7, cached_tokens=64))
    assert (reply.text, reply.tool_calls, reply.stop_reason) == ("341 m", (), "end_turn")
    assert reply.usage == Usage(input_tokens=120, output_tokens=7, cached_input_tokens=64)
    assert (reply.model, reply.retries) == ("test-model", 0)
    assert reply.response_id.startswith("msg_")


async def test_the_request_is_written_as_the_api_wants_it_and_its_hash_is_of_the_bytes_received():
    request = Request(messages=ASK.messages, tools=(SEARCH,), seed=7)
    reply, server = await ask(lambda _: message_reply("ok"), request, env={"ANTHROPIC_API_KEY": "k-1"})
    assert server.requests[0] == {
        "model": "test-model",
        "max_tokens": 8192,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "How tall is the Grimble Tower?"}]}],
        "tools": [{"name": "web_search", "description": "Search.", "input_schema": SEARCH.parameters}],
    }
    assert server.seen[0].headers["authorization"] == "Bearer k-1"
    assert server.seen[0].headers["x-api-key"] == "k-1"
    assert reply.request_sha256 == hashlib.sha256(server.seen[0].body).hexdigest()


async def test_a_long_answer_is_not_refused_before_it_is_asked_for():
    request = Request(messages=ASK.messages, max_output_tokens=120_000)
    reply, server = await ask(lambda _: message_reply("long"), request, call_timeout=600)
    assert (reply.text, server.requests[0]["max_tokens"]) == ("long", 120_000)


async def test_the_last_call_names_the_tools_but_bars_them():
    request = Request(messages=ASK.messages, tools=(SEARCH,), may_call=False)
    _, server = await ask(lambda _: message_reply("ok"), request)
    assert server.requests[0]["tool_choice"] == {"type": "none"} and server.requests[0]["tools"]


async def test_several_calls_in_one_turn_and_all_their_results_in_one_message():
    answers = iter(
        [
            message_reply("Two things.", [("web_search", {"query": "a"}), ("python", {"code": "1"})]),
            message_reply("done"),
        ]
    )
    with messages_server(lambda _: next(answers)) as server:
        async with model_at(server) as model:
            reply = await model.reply(ASK)
            first, second = reply.tool_calls
            assert (first.name, first.args, first.raw) == ("web_search", {"query": "a"}, '{"query": "a"}')
            results = (
                ToolResult(first.call_id, "web_search", "hit", images=(Image("image/png", b"\x89PNG"),)),
                ToolResult(second.call_id, "python", "", is_error=True),
            )
            turn = (*ASK.messages, Assistant(reply.text, reply.tool_calls), *results, User("Now answer."))
            await model.reply(Request(messages=turn, tools=(SEARCH,)))
    sent = server.requests[1]["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert [block["type"] for block in sent[1]["content"]] == ["text", "tool_use", "tool_use"]
    picture = {
        "type": "image",
        "source": {
            "type": "base64",
            "media_type": "image/png",
            "data": base64.b64encode(b"\x89PNG").decode(),
        },
    }
    assert sent[2]["content"] == [
        {
            "type": "tool_result",
            "tool_use_id": first.call_id,
            "content": [{"type": "text", "text": "hit"}, picture],
        },
        {
            "type": "tool_result",
            "tool_use_id": second.call_id,
            "content": [{"type": "text", "text": "(empty)"}],
            "is_error": True,
        },
        {"type": "text", "text": "Now answer."},
    ]


async def test_the_thoughts_of_a_turn_go_back_unchanged_with_its_results():
    first = message_reply("Looking.", [("web_search", {"query": "a"})], thinking="hm")
    answers = iter([first, message_reply("done")])
    with messages_server(lambda _: next(answers)) as server:
        async with model_at(server) as model:
            reply = await model.reply(ASK)
            assert reply.text == "Looking."
            result = ToolResult(reply.tool_calls[0].call_id, "web_search", "hit")
            await model.reply(conversation(result, calls=reply.tool_calls, text=reply.text, thoughts=reply.thoughts))
    assert server.requests[1]["messages"][1]["content"] == first["content"]


async def test_thoughts_that_the_api_refuses_are_left_out(caplog):
    def answer(request):
        if "signature" in json.dumps(request):
            message = "messages.1.content.0: Invalid `signature` in `thinking` block."
            return Answer.json({"type": "error", "error": {"message": message}}, status=400)
        if len(request["messages"]) == 1:
            return message_reply("", [("web_search", {"query": "a"})], thinking="hm")
        return message_reply("done")

    with messages_server(answer) as server, caplog.at_level(logging.WARNING, "gaia_harness"):
        async with model_at(server) as model:
            first = await model.reply(ASK)
            result = ToolResult(first.tool_calls[0].call_id, "web_search", "hit")
            turn = conversation(result, calls=first.tool_calls, thoughts=first.thoughts)
            assert (await model.reply(turn)).text == "done"
    assert len(server.requests) == 3
    assert "thoughts" in caplog.text


@pytest.mark.parametrize("value", ["{not json", ["list"], None, 7])
async def test_input_that_is_no_object_is_kept_as_it_came_and_can_be_sent_again(value):
    reply, _ = await ask(lambda _: message_reply("", [("web_search", value)]))
    call = reply.tool_calls[0]
    assert call.args is None
    assert call.raw == (value if isinstance(value, str) else json.dumps(value))
    result = ToolResult(call.call_id, call.name, "not an object", is_error=True)
    _, server = await ask(lambda _: message_reply("ok"), conversation(result, calls=(call,)))
    assert server.requests[0]["messages"][1]["content"][0]["input"] == {"INVALID_JSON": call.raw}


async def test_lone_surrogates_crash_no_later_request():
    reply, _ = await ask(lambda _: message_reply("half \ud83d emoji"))
    assert reply.text == "half \ufffd emoji"
    call = ToolCall("call_1", "odd name!", '{"query": "\udfff"}', {"query": "\udfff"})
    request = conversation(ToolResult("call_1", "odd name!", "\ud800 hit"), calls=(call,), text="\ud800")
    _, server = await ask(lambda _: message_reply("ok"), request)
    use = server.requests[0]["messages"][1]["content"][1]
    assert (use["name"], use["input"]) == ("odd_name_", {"query": "\ufffd"})


async def test_the_same_call_id_in_every_turn_becomes_unique():
    body = message_reply("", [("web_search", {"query": "a"}), ("web_search", {"query": "b"})])
    for block in body["content"]:
        block["id"] = "call_1"
    reply, _ = await ask(lambda _: body, conversation(ToolResult("call_1", "web_search", "hit")))
    assert len({"call_1", *(call.call_id for call in reply.tool_calls)}) == 3


async def test_empty_words_are_written_so_that_the_api_takes_them():
    request = Request(messages=(User("Hello"), Assistant(" \n"), User("")))
    _, server = await ask(lambda _: message_reply("ok"), request)
    texts = [message["content"][0]["text"] for message in server.requests[0]["messages"]]
    assert texts == ["Hello", "(empty)", "(empty)"]


async def test_an_empty_answer_is_an_answer_and_missing_usage_is_unknown():
    body = message_reply()
    del body["usage"]
    reply, _ = await ask(lambda _: body)
    assert (reply.text, reply.tool_calls, reply.usage) == ("", (), Usage())


async def test_a_model_without_eyes_gets_a_note():
    def answer(request):
        if '"image"' in json.dumps(request):
            error = {"type": "invalid_request_error", "message": "this model does not support vision"}
            return Answer.json({"type": "error", "error": error}, status=400)
        return message_reply("I see a note.")

    result = ToolResult("call_a", "file_read", "a picture", images=(Image("image/png", b"x"),))
    reply, server = await ask(answer, conversation(result))
    assert reply.text == "I see a note."
    block = server.requests[1]["messages"][2]["content"][0]
    assert block["content"] == [{"type": "text", "text": "a picture"}, {"type": "text", "text": NOTE}]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "content is not a list"),
        ({"content": "text"}, "content is not a list"),
        ({"content": [1]}, "content is not a list"),
        ({"type": "error", "error": {"message": "try another"}}, "try another"),
    ],
)
async def test_unexpected_shapes_are_errors_in_words(body, said):
    with pytest.raises(ModelError, match=said):
        await ask(lambda _: body, max_retries=1)


async def test_overload_529_is_tried_again():
    answers = iter([Answer.json({"error": {"message": "Overloaded"}}, status=529), message_reply("ok")])
    reply, server = await ask(lambda _: next(answers))
    assert (reply.text, reply.retries, len(server.seen)) == ("ok", 1, 2)


async def test_a_refused_key_names_its_variable_and_never_shows_the_key():
    error = {"error": {"type": "authentication_error", "message": "invalid x-api-key: k-very-secret-1"}}
    with pytest.raises(ModelError) as caught:
        await ask(lambda _: Answer.json(error, status=401), env={"ANTHROPIC_API_KEY": "k-very-secret-1"})
    assert "HTTP 401: invalid x-api-key: [key]" in caught.value.message
    assert "ANTHROPIC_API_KEY" in caught.value.hint
