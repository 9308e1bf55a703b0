"""OpenAI's protocol by the real SDK: what is sent, and what is made of what comes back."""

import asyncio
import base64
import hashlib
import json
import logging
from contextlib import asynccontextmanager

import pytest

from chat_server import chat_reply, chat_server
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
    model = open_model("openai/test-model", base_url=server.base_url, **options)
    try:
        yield model
    finally:
        await model.aclose()


async def ask(answer, request=ASK, **options):
    """One call of a fresh model: its reply, and the server with what it saw."""
    with chat_server(answer) as server:
        async with model_at(server, **options) as model:
            return await model.reply(request), server


def conversation(*results, calls=None, thoughts="", after=()):
    calls = calls or tuple(ToolCall(result.call_id, result.name, "{}", {}) for result in results)
    return Request(messages=(User("Look."), Assistant("", calls, thoughts), *results, *after), tools=(SEARCH,))


async def test_words_usage_and_the_rest_come_through():
    reply, _ = await ask(lambda _: chat_reply("341 m", prompt_tokens=120, completion_tokens=7, cached_tokens=64))
    assert (reply.text, reply.tool_calls, reply.stop_reason) == ("341 m", (), "stop")
    assert reply.usage == Usage(input_tokens=120, output_tokens=7, cached_input_tokens=64)
    assert (reply.model, reply.retries) == ("test-model", 0)
    assert reply.response_id.startswith("chatcmpl-")


async def test_the_hash_is_of_the_bytes_that_the_server_received():
    request = Request(messages=(User("Grüße, 東京 \u2028"),), tools=(SEARCH,))
    reply, server = await ask(lambda _: chat_reply("ok"), request)
    assert reply.request_sha256 == hashlib.sha256(server.seen[0].body).hexdigest()


async def test_concurrent_calls_keep_their_hashes_apart():
    with chat_server(lambda request: chat_reply(request["messages"][0]["content"])) as server:
        async with model_at(server) as model:
            requests = [Request(messages=(User(f"number {n}"),)) for n in range(12)]
            replies = await asyncio.gather(*map(model.reply, requests))
    received = {seen.json()["messages"][0]["content"]: seen.body for seen in server.seen}
    assert [reply.text for reply in replies] == [f"number {n}" for n in range(12)]
    for reply in replies:
        assert reply.request_sha256 == hashlib.sha256(received[reply.text]).hexdigest()


async def test_the_request_names_model_tools_and_seed_and_nothing_that_was_not_asked_for():
    request = Request(messages=ASK.messages, tools=(SEARCH,), seed=7, max_output_tokens=99)
    _, server = await ask(lambda _: chat_reply("ok"), request)
    sent = server.requests[0]
    assert sent == {
        "model": "test-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How tall is the Grimble Tower?"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "web_search",
                    "description": "Search.",
                    "parameters": SEARCH.parameters,
                },
            }
        ],
        "seed": 7,
        "max_tokens": 99,
    }
    _, server = await ask(lambda _: chat_reply("ok"), Request(messages=ASK.messages))
    assert set(server.requests[0]) == {"model", "messages"}


async def test_the_last_call_names_the_tools_but_bars_them():
    request = Request(messages=ASK.messages, tools=(SEARCH,), may_call=False)
    _, server = await ask(lambda _: chat_reply("ok"), request)
    assert server.requests[0]["tool_choice"] == "none" and len(server.requests[0]["tools"]) == 1


async def test_several_calls_in_one_turn_go_out_and_come_back():
    answers = iter(
        [
            chat_reply("Two things.", [("web_search", {"query": "a"}), ("python", {"code": "1"})]),
            chat_reply("done"),
        ]
    )
    with chat_server(lambda _: next(answers)) as server:
        async with model_at(server) as model:
            reply = await model.reply(ASK)
            assert [(call.name, call.args) for call in reply.tool_calls] == [
                ("web_search", {"query": "a"}),
                ("python", {"code": "1"}),
            ]
            first, second = reply.tool_calls
            results = (
                ToolResult(first.call_id, "web_search", "hit"),
                ToolResult(second.call_id, "python", "boom", is_error=True),
            )
            turn = (*ASK.messages, Assistant(reply.text, reply.tool_calls), *results)
            await model.reply(Request(messages=turn, tools=(SEARCH,)))
    sent = server.requests[1]["messages"][2:]
    assert sent[0]["content"] == "Two things."
    assert [call["id"] for call in sent[0]["tool_calls"]] == [first.call_id, second.call_id]
    assert json.loads(sent[0]["tool_calls"][0]["function"]["arguments"]) == {"query": "a"}
    assert sent[1:] == [
        {"role": "tool", "tool_call_id": first.call_id, "content": "hit"},
        {"role": "tool", "tool_call_id": second.call_id, "content": "boom"},
    ]


async def test_an_unknown_tool_is_passed_through_and_its_odd_name_made_sendable():
    reply, _ = await ask(lambda _: chat_reply("", [("functions.magic wand", {"x": 1})]))
    call = reply.tool_calls[0]
    assert (call.name, call.args) == ("functions.magic wand", {"x": 1})
    _, server = await ask(
        lambda _: chat_reply("ok"), conversation(ToolResult(call.call_id, call.name, "?"), calls=(call,))
    )
    assert server.requests[0]["messages"][1]["tool_calls"][0]["function"]["name"] == "functions_magic_wand"


@pytest.mark.parametrize(
    "raw", ['{"query": ', "", "[1]", '"text"', "null", '{"a": NaN}', "[" * 100_000, '{"a":1,"a":2}', '{"a":"\\ud800"}']
)
async def test_malformed_arguments_are_kept_as_they_came_and_can_be_sent_again(raw):
    reply, _ = await ask(lambda _: chat_reply("", [("web_search", raw)]))
    call = reply.tool_calls[0]
    assert (call.raw, call.args) == (raw, None)
    result = ToolResult(call.call_id, call.name, "not JSON", is_error=True)
    _, server = await ask(lambda _: chat_reply("ok"), conversation(result, calls=(call,)))
    sent = server.requests[0]["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"INVALID_JSON": raw}


async def test_arguments_sent_as_an_object_are_taken():
    body = chat_reply("", [("web_search", {})])
    body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = {"query": "ü"}
    reply, _ = await ask(lambda _: body)
    assert reply.tool_calls[0].args == {"query": "ü"}
    assert reply.tool_calls[0].raw == '{"query": "ü"}'


async def test_lone_surrogates_in_what_the_model_wrote_crash_no_later_request():
    reply, _ = await ask(lambda _: chat_reply("half \ud83d emoji", [("web_search", {"query": "ok"})]))
    assert reply.text == "half \ufffd emoji"
    request = Request(
        messages=(
            User("\udcff from a file"),
            Assistant("\ud800", (ToolCall("call_1", "web_search", '{"query": "\udfff"}', {"query": "\udfff"}),)),
            ToolResult("call_1", "web_search", "\ud800 hit"),
        )
    )
    _, server = await ask(lambda _: chat_reply("ok"), request)
    assert server.requests[0]["messages"][0]["content"] == "\ufffd from a file"


@pytest.mark.parametrize("ids", [["", ""], [None, None], ["a", "a"], [7, {}], ["call_1", "call_1"]])
async def test_missing_and_double_call_ids_become_unique(ids):
    body = chat_reply("", [("web_search", {}), ("python", {})])
    for call, call_id in zip(body["choices"][0]["message"]["tool_calls"], ids, strict=True):
        call["id"] = call_id
    earlier = conversation(ToolResult("call_1", "web_search", "hit"))
    reply, _ = await ask(lambda _: body, earlier)
    got = [call.call_id for call in reply.tool_calls]
    assert len({*got, "call_1"}) == 3 and all(got)


async def test_images_of_tools_follow_all_results_of_the_turn():
    one, two = Image("image/png", b"\x89PNG one"), Image("image/jpeg", b"two")
    request = conversation(
        ToolResult("call_a", "file_read", "a picture", images=(one,)),
        ToolResult("call_b", "file_read", "another", images=(two,)),
        after=(User("So?"),),
    )
    _, server = await ask(lambda _: chat_reply("ok"), request)
    roles = [message["role"] for message in server.requests[0]["messages"]]
    assert roles == ["user", "assistant", "tool", "tool", "user"]
    parts = server.requests[0]["messages"][-1]["content"]
    assert [part["image_url"]["url"] for part in parts if part["type"] == "image_url"] == [
        "data:image/png;base64," + base64.b64encode(one.data).decode(),
        "data:image/jpeg;base64," + base64.b64encode(two.data).decode(),
    ]
    assert parts[-1] == {"type": "text", "text": "So?"}


def blind(status, message):
    def answer(request):
        if "image_url" in json.dumps(request):
            return Answer.json({"error": {"message": message}}, status=status)
        return chat_reply("I see a note.")

    return answer


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "At most 0 image(s) may be provided in one prompt."),
        (404, "No endpoints found that support image input"),
        (415, "unsupported content type"),
        (422, "model is not multimodal"),
        (500, "image input is not supported - hint: you may need to provide the mmproj"),
    ],
)
async def test_a_model_without_eyes_gets_a_note_and_is_remembered(status, message, caplog):
    request = conversation(
        ToolResult("call_a", "file_read", "a picture", images=(Image("image/png", b"x"), Image("image/png", b"y")))
    )
    with chat_server(blind(status, message)) as server, caplog.at_level(logging.WARNING, "gaia_harness"):
        async with model_at(server) as model:
            reply = await model.reply(request)
            await model.reply(request)
    assert (reply.text, reply.retries) == ("I see a note.", 1)
    assert len(server.requests) == 3, "the second call knows already"
    assert server.requests[1]["messages"][2]["content"] == f"a picture\n{NOTE}\n{NOTE}"
    assert server.requests[1]["messages"][-1]["role"] == "tool"
    assert reply.request_sha256 == hashlib.sha256(server.seen[1].body).hexdigest()
    assert "does not take images" in caplog.text


async def test_one_refused_picture_does_not_blind_the_model_for_the_next():
    request = conversation(
        ToolResult("call_a", "file_read", "big", images=(Image("image/png", b"x"),)),
    )
    with chat_server(blind(400, "image exceeds 5 MB maximum")) as server:
        async with model_at(server) as model:
            await model.reply(request)
            await model.reply(request)
    assert ["image_url" in json.dumps(sent) for sent in server.requests] == [True, False, True, False]


async def test_a_refusal_that_is_not_about_images_is_an_error():
    request = conversation(ToolResult("call_a", "file_read", "p", images=(Image("image/png", b"x"),)))
    with pytest.raises(ModelError, match="HTTP 400: bad tool schema"):
        await ask(blind(400, "bad tool schema"), request)


async def test_thoughts_that_a_server_shows_go_back_to_it():
    first = chat_reply("", [("web_search", {"query": "a"})])
    first["choices"][0]["message"]["reasoning_content"] = "hm \ud800"
    answers = iter([first, chat_reply("done")])
    with chat_server(lambda _: next(answers)) as server:
        async with model_at(server) as model:
            reply = await model.reply(ASK)
            result = ToolResult(reply.tool_calls[0].call_id, "web_search", "hit")
            await model.reply(conversation(result, calls=reply.tool_calls, thoughts=reply.thoughts))
    assert server.requests[1]["messages"][1]["reasoning_content"] == "hm \ufffd"


@pytest.mark.parametrize(
    ("content", "text"), [(None, ""), ("", ""), ([{"type": "text", "text": "a"}, {"type": "x"}], "a")]
)
async def test_an_empty_answer_is_an_answer(content, text):
    body = chat_reply()
    body["choices"][0]["message"]["content"] = content
    reply, _ = await ask(lambda _: body)
    assert (reply.text, reply.tool_calls) == (text, ())


async def test_a_refusal_is_what_the_model_said():
    body = chat_reply(None)
    body["choices"][0]["message"]["refusal"] = "I would rather not."
    reply, _ = await ask(lambda _: body)
    assert reply.text == "I would rather not."


@pytest.mark.parametrize("usage", [None, "absent", [], {"prompt_tokens": "many", "completion_tokens": -1}, {}])
async def test_missing_or_odd_usage_is_unknown_not_zero(usage):
    body = chat_reply("ok")
    body["usage"] = usage
    if usage == "absent":
        del body["usage"]
    reply, _ = await ask(lambda _: body)
    assert reply.usage == Usage()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "no choices"),
        ({"choices": []}, "no choices"),
        ({"choices": ["x"]}, "no choices"),
        ({"choices": [{}]}, "no message"),
        ({"choices": [{"message": {"content": 7}}]}, "content is int"),
        ({"choices": [{"message": {"tool_calls": "x"}}]}, "tool_calls"),
        ([], "a JSON list"),
        ({"error": {"message": "model overloaded", "code": 503}}, "HTTP 503: model overloaded"),
        ({"error": "no such model"}, "reports an error: no such model"),
    ],
)
async def test_unexpected_shapes_are_errors_in_words(body, said):
    with pytest.raises(ModelError, match=said):
        await ask(lambda _: body, max_retries=1)


async def test_a_key_goes_into_the_header_and_a_missing_one_is_replaced():
    _, server = await ask(lambda _: chat_reply("ok"), env={"OPENAI_API_KEY": " sk-test-123456\n"})
    assert server.seen[0].headers["authorization"] == "Bearer sk-test-123456"
    _, server = await ask(lambda _: chat_reply("ok"))
    assert server.seen[0].headers["authorization"] == "Bearer no-key"
