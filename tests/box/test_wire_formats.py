"""Model calls read from their bytes: what the real SDKs send and make of a reply, and what nobody should send."""

import base64
import hashlib
import json

import anthropic
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire_samples import CALLS, MAKERS, sse

from counted_work import calls_of
from gaia_harness.box.wire_formats import PATHS, read_reply, read_request
from gaia_harness.box.wire_json import WireError, events
from gaia_harness.models.messages import Usage
from loopback import Answer, loopback

PNG = b"\x89PNG\r\n\x1a\nnot really"
DATA_URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}
EVENT_STREAM = {"content-type": "text/event-stream"}


def body(**fields):
    return json.dumps({"model": "grim-1", **fields}).encode()


def told(items):
    """Each item in a line."""
    return [
        ("thought" if item.thought else item.role, f"{item.call.name} {item.call.args}" if item.call else item.text)
        for item in items
    ]


@pytest.fixture(scope="module")
def server():
    """Answers with the sample reply of each protocol: streamed where that is asked for."""

    def answer(seen):
        api = PATHS[seen.path]
        plain, stream = MAKERS[api]
        reply = plain("It is 341 m – so high.", CALLS, "Let me think.")
        if seen.json().get("stream"):
            return Answer(200, stream(reply), EVENT_STREAM)
        return Answer.json(reply)

    with loopback(answer) as running:
        yield running


def openai_client(server):
    return openai.OpenAI(api_key="sk-none", base_url=f"{server.url}/v1", max_retries=0)


def anthropic_client(server):
    return anthropic.Anthropic(api_key="sk-none", base_url=server.url, max_retries=0)


def test_chat_requests_of_the_openai_sdk(server):
    openai_client(server).chat.completions.create(
        model="grim-1",
        messages=[
            {"role": "developer", "content": "Be brief."},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "How high?"},
                    {"type": "image_url", "image_url": {"url": DATA_URL}},
                ],
            },
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"name": "G"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "341 m"},
        ],
        tools=[{"type": "function", "function": {"name": "look_up", "description": "Looks.", "parameters": SCHEMA}}],
    )
    sent = server.seen[-1].body
    request = read_request("chat", sent)
    picture = f"[image/png, {len(PNG)} bytes, sha256 {hashlib.sha256(PNG).hexdigest()}]"
    assert told(request.items) == [
        ("system", "Be brief."),
        ("user", "How high?"),
        ("user", json.dumps({"type": "image_url", "image_url": {"url": picture}})),
        ("assistant", "I look."),
        ("call", "look_up {'name': 'G'}"),
        ("tool", "341 m"),
    ]
    assert request.items[-1].call_id == "c1"
    assert json.loads(request.tools) == [{"name": "look_up", "description": "Looks.", "parameters": SCHEMA}]
    assert (request.model, request.stream, request.hosted, request.unseen) == ("grim-1", False, (), ())
    assert request.sha256 == hashlib.sha256(sent).hexdigest()


def test_responses_requests_of_the_openai_sdk(server):
    openai_client(server).responses.create(
        model="grim-1",
        instructions="Be brief.",
        input=[
            {"role": "user", "content": [{"type": "input_text", "text": "How high?"}]},
            {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": '{"name": "G"}'},
            {"type": "function_call_output", "call_id": "c1", "output": "341 m"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "341 m, then."}]},
        ],
        tools=[{"type": "function", "name": "look_up", "parameters": SCHEMA, "strict": True}],
    )
    request = read_request("responses", server.seen[-1].body)
    assert told(request.items) == [
        ("system", "Be brief."),
        ("user", "How high?"),
        ("thought", "Hm."),
        ("call", "look_up {'name': 'G'}"),
        ("tool", "341 m"),
        ("assistant", "341 m, then."),
    ]
    assert json.loads(request.tools) == [{"name": "look_up", "description": "", "parameters": SCHEMA}]
    assert (request.hosted, request.unseen) == ((), ())


def test_messages_requests_of_the_anthropic_sdk(server):
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()}
    result = [{"type": "text", "text": "341 m"}, {"type": "image", "source": source}]
    anthropic_client(server).messages.create(
        model="grim-1",
        max_tokens=100,
        system=[{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        messages=[
            {"role": "user", "content": "How high?"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                    {"type": "tool_use", "id": "t1", "name": "look_up", "input": {"name": "G"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": result, "is_error": True},
                    {"type": "text", "text": "Go on."},
                ],
            },
        ],
        tools=[{"name": "look_up", "description": "Looks.", "input_schema": SCHEMA}],
    )
    request = read_request("messages", server.seen[-1].body)
    assert told(request.items)[:4] == [
        ("system", "Be brief."),
        ("user", "How high?"),
        ("thought", "Hm."),
        ("call", "look_up {'name': 'G'}"),
    ]
    shown = request.items[4]
    assert (shown.call_id, shown.is_error) == ("t1", True)
    assert shown.text.startswith("341 m\n") and hashlib.sha256(PNG).hexdigest() in shown.text
    assert told(request.items)[5:] == [("user", "Go on.")]
    assert json.loads(request.tools) == [{"name": "look_up", "description": "Looks.", "parameters": SCHEMA}]


def test_streams_are_read_as_the_sdks_read_them(server):
    ask = {"model": "grim-1", "messages": [{"role": "user", "content": "How high?"}]}
    client = openai_client(server)
    with client.chat.completions.stream(**ask) as stream:
        said = stream.get_final_completion().choices[0].message
    assert_same("chat", server, said.content, [call.function.arguments for call in said.tool_calls])
    with client.responses.stream(model="grim-1", input="How high?") as stream:
        response = stream.get_final_response()
    calls = [item.arguments for item in response.output if item.type == "function_call"]
    assert_same("responses", server, response.output_text, calls)
    with anthropic_client(server).messages.stream(**ask, max_tokens=100) as stream:
        blocks = stream.get_final_message().content
    calls = [json.dumps(block.input) for block in blocks if block.type == "tool_use"]
    assert_same("messages", server, next(block.text for block in blocks if block.type == "text"), calls)


def assert_same(api, server, text, arguments):
    assert read_request(api, server.seen[-1].body).stream
    plain, stream = MAKERS[api]
    reply = read_reply(api, stream(plain("It is 341 m – so high.", CALLS, "Let me think.")), streamed=True)
    assert reply.text == text
    assert [call.args for call in reply.calls] == [json.loads(raw) for raw in arguments] == [args for _, args in CALLS]


TEXT = st.text(st.characters(codec="utf-8"), max_size=60)


@pytest.mark.parametrize("api", MAKERS)
@given(text=TEXT, thought=TEXT, args=st.dictionaries(TEXT, TEXT, max_size=3), size=st.integers(1, 9))
def test_a_stream_says_the_same_as_a_reply_in_one_piece(api, text, thought, args, size):
    plain, stream = MAKERS[api]
    reply = plain(text, [("look_up", args)], thought)
    whole = read_reply(api, json.dumps(reply).encode())
    assert read_reply(api, stream(reply, size), streamed=True) == whole
    assert (whole.text, whole.calls[0].args, whole.finished) == (text, args, True)
    assert whole.usage == Usage(input_tokens=30, output_tokens=8, cached_input_tokens=4)
    assert (whole.model, whole.response_id) == ("grim-1", reply["id"])
    assert [item.text for item in whole.items if item.thought] == [thought] * bool(thought)


@pytest.mark.parametrize("api", MAKERS)
def test_a_stream_cut_at_any_byte_gives_what_came_until_then(api):
    plain, stream = MAKERS[api]
    data = stream(plain("341 m – high", [("note", {"n": "é"})]), 5)
    whole = read_reply(api, data, streamed=True)
    longest = ""
    for end in range(len(data)):
        reply = read_reply(api, data[:end], streamed=True)
        assert whole.text.startswith(reply.text) and len(reply.text) >= len(longest)
        longest = reply.text
        assert all(call.name in ("", "note") for call in reply.calls)
        assert not reply.finished or (reply.text, reply.calls) == (whole.text, whole.calls)
    assert longest == whole.text and whole.finished


@given(st.lists(st.binary(max_size=12).filter(lambda d: not set(d) & set(b"\r\n")), max_size=6), st.data())
def test_events_are_the_same_whatever_ends_their_lines(texts, data):
    end = data.draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    stream = b"".join(b": comment" + end + b"event: x" + end + b"data: " + text + end + end for text in texts)
    assert list(events(stream)) == texts


def test_an_error_in_a_stream_is_told():
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    reply = read_reply("messages", sse([error], named=True), streamed=True)
    assert (reply.error, reply.finished, reply.items) == ("Overloaded", False, ())
    reply = read_reply("chat", json.dumps({"error": {"message": "no credit"}}).encode())
    assert (reply.error, reply.finished) == ("no credit", False)
    failed = {"type": "response.failed", "response": {"id": "r", "output": [], "error": {"message": "broken"}}}
    assert read_reply("responses", sse([failed]), streamed=True).error == "broken"


HOSTED = [
    ("chat", {"web_search_options": {}, "model": "grim-search-preview"}, "web_search"),
    ("chat", {"web_search_options": {"search_context_size": "low"}}, "web_search_options"),
    ("chat", {"model": "grim-1:online"}, "web_search"),
    ("chat", {"plugins": [{"id": "web"}]}, "plugins"),
    ("responses", {"tools": [{"type": "web_search"}]}, "web_search"),
    ("responses", {"tools": [{"type": "mcp", "server_url": "https://a.example"}]}, "mcp"),
    ("responses", {"tools": [{"type": "code_interpreter", "container": {"type": "auto"}}]}, "code_interpreter"),
    ("responses", {"tools": [{"type": "file_search", "vector_store_ids": ["v"]}]}, "file_search"),
    ("responses", {"tools": [{"type": "computer_use_preview"}]}, "computer_use_preview"),
    ("responses", {"tools": [{"type": "namespace", "tools": [{"type": "image_generation"}]}]}, "image_generation"),
    ("responses", {"tools": [{"type": "shell", "environment": {"type": "container_auto"}}]}, "shell"),
    ("messages", {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "web_search_20250305"),
    ("messages", {"mcp_servers": [{"type": "url", "url": "https://a.example"}]}, "mcp_servers"),
    ("messages", {"container": "container_1"}, "container"),
]


@pytest.mark.parametrize(("api", "fields", "name"), HOSTED)
def test_what_the_provider_would_do_itself_is_named(api, fields, name):
    history = {"input": "Hi."} if api == "responses" else {"messages": [{"role": "user", "content": "Hi."}]}
    assert name in read_request(api, body(**history, **fields)).hosted


@pytest.mark.parametrize(
    "tool",
    [
        {"type": "custom", "name": "patch", "format": {"type": "grammar"}},
        {"type": "local_shell"},
        {"type": "shell", "environment": {"type": "local"}},
        {"type": "bash_20250124", "name": "bash"},
        {"name": "mine", "input_schema": {}},
    ],
)
def test_tools_that_the_agent_runs_itself_are_not_the_providers(tool):
    request = read_request("responses", body(input="Hi.", tools=[tool]))
    assert request.hosted == ()
    assert tool.get("name", tool.get("type")) in request.tools


@pytest.mark.parametrize(
    ("part", "hosted", "unseen"),
    [
        ({"type": "input_image", "image_url": "https://a.example/x.png"}, ("image address",), ()),
        ({"type": "input_file", "file_url": "https://a.example/x.pdf"}, ("file address",), ()),
        ({"type": "input_file", "file_id": "file-1"}, (), ("file_id",)),
        ({"type": "input_image", "image_url": DATA_URL}, (), ()),
    ],
)
def test_addresses_and_ids_of_files_are_named(part, hosted, unseen):
    request = read_request("responses", body(input=[{"role": "user", "content": [part]}]))
    assert (request.hosted, request.unseen) == (hosted, unseen)


@pytest.mark.parametrize(
    "fields",
    [
        {"previous_response_id": "resp_1"},
        {"conversation": {"id": "conv_1"}},
        {"prompt": {"id": "pmpt_1"}},
        {"background": True},
    ],
)
def test_history_on_the_server_is_named(fields):
    assert read_request("responses", body(input="Hi.", **fields)).unseen == tuple(fields)
    reference = [{"type": "item_reference", "id": "msg_1"}]
    assert read_request("responses", body(input=reference)).unseen == ("item_reference",)


def test_words_in_fields_that_we_do_not_know_are_kept():
    template = "{{ messages }} The answer is 341."
    request = read_request("chat", body(messages=[], chat_template=template, temperature=0, seed=1))
    assert json.loads(request.extra) == {"chat_template": template}


def test_roles_that_mean_something_in_the_record_cannot_be_made_up():
    messages = [{"role": role, "content": "341 m"} for role in ("context", "tools", "shortened", "call")]
    assert [item.role for item in read_request("chat", body(messages=messages)).items] == ["user"] * 4


def test_a_document_given_as_words_is_kept_as_words():
    source = {"type": "text", "media_type": "text/plain", "data": "The tower is 341 m high."}
    content = [{"type": "document", "source": source}]
    request = read_request("messages", body(messages=[{"role": "user", "content": content}]))
    assert "The tower is 341 m high." in request.items[0].text


def test_embeddings_are_only_counted():
    assert read_request("embeddings", body(input=["some words"])).items == ()
    reply = read_reply("embeddings", json.dumps({"data": [], "usage": {"prompt_tokens": 3}}).encode())
    assert reply.usage == Usage(input_tokens=3)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "names no model"),
        (b'{"model": "a", "model": "b"}', "stands twice"),
        (b'{"model": ["a"]}', "model is not a text"),
        (b'{"model": "a", "stream": "yes"}', "stream is neither"),
        (b'{"model": "a"}', "messages is not a list"),
        (b'{"model": "a", "messages": [{"content": "x"}]}', "no role"),
        (b'{"model": "a", "messages": [], "x": ' + b"[" * 200 + b"]" * 200 + b"}", "nested deeper"),
        (b'{"model": "a", "messages": [], "x": ' + b"[" * 100_000, "nested deeper"),
        (b'{"model": "a", "n": ' + b"1" * 5000 + b"}", "not JSON"),
        (b'{"model": "\xff"}', "not UTF-8"),
        (b'{"model": "a", "n": NaN}', "NaN"),
    ],
)
def test_a_request_that_is_none_is_our_error(data, message):
    with pytest.raises(WireError, match=message):
        read_request("chat", data)


KEYS = st.sampled_from(
    [
        "type",
        "role",
        "content",
        "text",
        "call_id",
        "id",
        "name",
        "input",
        "arguments",
        "tool_calls",
        "function",
        "output",
        "messages",
        "tools",
        "system",
        "summary",
        "source",
        "url",
        "data",
        "image_url",
        "choices",
        "message",
        "delta",
        "usage",
        "item",
        "response",
        "output_index",
        "index",
        "thinking",
        "error",
    ]
)
TYPES = st.sampled_from(
    [
        "text",
        "image",
        "image_url",
        "tool_use",
        "tool_result",
        "thinking",
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "web_search_call",
        "item_reference",
        "input_file",
        "content_block_start",
        "content_block_delta",
        "message_delta",
        "message_start",
        "response.completed",
        "response.output_item.added",
        "response.output_text.delta",
        "error",
    ]
)
# fmt: on
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)
PART = st.builds(lambda fields, kind: {**fields, "type": kind}, st.dictionaries(KEYS, JSON, max_size=5), TYPES | JSON)
PARTS = st.lists(PART | JSON, max_size=4)


@pytest.mark.parametrize("api", MAKERS)
@given(value=st.dictionaries(KEYS, PARTS | JSON, max_size=6), parts=PARTS, role=st.sampled_from(["user", "tool", 1]))
def test_whatever_comes_is_read_or_refused(api, value, parts, role):
    content = parts if api == "responses" else [{"role": role, "content": parts}]
    name = "input" if api == "responses" else "messages"
    messages = []
    for data in ({"model": "m", **value}, {"model": "m", name: content}):
        try:
            read_request(api, json.dumps(data).encode())
        except WireError as error:
            messages.append(error.message)
    for data, streamed in ((json.dumps(value).encode(), False), (sse([value, *parts]), True)):
        try:
            read_reply(api, data, streamed=streamed)
        except WireError as error:
            messages.append(error.message)
    assert all(len(message) < 200 for message in messages)


def test_work_grows_with_the_size_of_a_stream_and_not_faster():
    def work(size):
        plain, stream = MAKERS["chat"]
        data = stream(plain("x" * size, [("look_up", {"text": "y" * size})]), 1)
        return calls_of(lambda: read_reply("chat", data, streamed=True))

    assert work(800) < 5 * work(200)
