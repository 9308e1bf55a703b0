"""Google's generateContent: read from the wire, let through the gateway, and asked by Gemini CLI in a box."""

import json

import pytest
from agent_runs import KEY, needs_bwrap, needs_program, run_agent

from gaia_harness.box.wire_formats import read_reply, read_request
from gaia_harness.box.wire_json import WireError
from gaia_harness.errors import UsageError
from gaia_harness.models.registry import open_model
from provider_server import Says

PATH = "/v1beta/models/gemini-2.5-pro:generateContent"
CALL = {"functionCall": {"name": "read_file", "args": {"path": "log"}}}
PICTURE = {"inline_data": {"mime_type": "image/png", "data": "AAAA"}}
TOOLS = [{"functionDeclarations": [{"name": "read_file", "description": "Reads.", "parametersJsonSchema": {}}]}]


def read(body, path=PATH):
    return read_request("google", json.dumps(body).encode(), path=path)


def test_request_becomes_items_in_order():
    request = read(
        {
            "system_instruction": {"parts": [{"text": "Be careful."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "How long?"}, PICTURE]},
                {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"thoughtSignature": "x"}, CALL]},
                {"role": "user", "parts": [{"functionResponse": {"name": "read_file", "response": {"error": "gone"}}}]},
            ],
            "tools": TOOLS,
            "generationConfig": {"temperature": 0},
        }
    )  # fmt: skip
    assert (request.model, request.stream, request.hosted, request.unseen, request.extra) == (
        "gemini-2.5-pro", False, (), (), "",
    )  # fmt: skip
    shown = [(item.role, item.text, item.name, item.is_error, item.thought) for item in request.items]
    assert shown[0] == ("system", "Be careful.", "", False, False)
    assert shown[1] == ("user", "How long?", "", False, False)
    assert shown[2][0] == "user" and "image/png, 3 bytes" in shown[2][1] and "AAAA" not in shown[2][1]
    assert shown[3] == ("assistant", "Hm.", "", False, True)
    assert request.items[4].call.name == "read_file" and request.items[4].call.args == {"path": "log"}
    assert shown[5] == ("tool", "gone", "read_file", True, False)
    assert json.loads(request.tools) == [{"name": "read_file", "description": "Reads.", "parameters": {}}]


@pytest.mark.parametrize(
    ("more", "hosted", "unseen"),
    [
        ({"tools": [{"googleSearch": {}}]}, ("googleSearch",), ()),
        ({"tools": [{"google_search": {}, "function_declarations": []}]}, ("googleSearch",), ()),
        ({"tools": {"urlContext": {}}}, ("urlContext",), ()),
        ({"tools": [{"code_execution": {}}]}, ("codeExecution",), ()),
        ({"contents": [{"parts": [{"file_data": {"file_uri": "https://x"}}]}]}, ("file address",), ()),
        ({"cached_content": "cachedContents/1"}, (), ("cachedContent",)),
    ],
)
def test_what_the_provider_would_fetch_or_keep_is_noted(more, hosted, unseen):
    request = read({"contents": [], **more})
    assert (request.hosted, request.unseen) == (hosted, unseen)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"contents": [], "systemInstruction": {}, "system_instruction": {}}, "two spellings"),
        ({"contents": 1}, "contents"),
        ({"contents": [{"parts": [7]}]}, "a part"),
        ({"contents": [{"parts": [{"inlineData": 1, "inline_data": 2}]}]}, "two spellings"),
        ({"contents": [], "tools": [1]}, "tools"),
    ],
)
def test_request_that_nobody_can_read_one_way_is_refused(body, why):
    with pytest.raises(WireError, match=why):
        read(body)


def test_model_is_the_path_s_and_no_other_path_is_read():
    assert read({"contents": []}, "/v1/models/g:streamGenerateContent").stream
    for path in ("/v1beta/models/../x:generateContent", "/v1beta/models/a/b:generateContent", f"{PATH}/", "/v2{PATH}"):
        with pytest.raises(WireError):
            read({"contents": []}, path)


def test_streamed_reply_is_the_same_as_the_whole_one():
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 2, "cachedContentTokenCount": 4}
    head = {"modelVersion": "gemini-2.5-pro", "responseId": "r1"}
    pieces = [
        [{"text": "I ", "thought": True}, {"text": "think.", "thought": True}],
        [{"text": "So "}],
        [{"text": "it is."}, CALL],
    ]
    events = [{"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}], **head} for parts in pieces]
    events[-1]["candidates"][0]["finishReason"] = "STOP"
    events[-1]["usageMetadata"] = usage
    stream = b"".join(b"data: %b\r\n\r\n" % json.dumps(event).encode() for event in events)
    parts = [{"text": "I think.", "thought": True}, {"text": "So it is."}, CALL]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
    whole = json.dumps({"candidates": [candidate], "usageMetadata": usage, **head}).encode()
    reply = read_reply("google", stream, streamed=True)
    assert reply == read_reply("google", whole)
    assert (reply.text, reply.stop_reason, reply.model, reply.finished) == ("So it is.", "STOP", "gemini-2.5-pro", True)
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_input_tokens) == (10, 7, 4)
    assert [call.args for call in reply.calls] == [{"path": "log"}]
    assert not read_reply("google", stream[: len(stream) // 2], streamed=True).finished


def test_reply_that_was_blocked_has_a_reason_and_one_without_anything_is_none():
    assert read_reply("google", b'{"promptFeedback": {"blockReason": "SAFETY"}}').stop_reason == "SAFETY"
    with pytest.raises(WireError):
        read_reply("google", b"{}")


def test_our_own_loop_says_that_it_has_no_such_model():
    with pytest.raises(UsageError, match="--agent") as caught:
        open_model("google/gemini-2.5-pro", base_url=None, env={"GEMINI_API_KEY": KEY})
    assert "openai/gemini-2.5-pro" in caught.value.hint


AGENT = """\
import json
import os
import urllib.error
import urllib.request

OWN = "https://generativelanguage.googleapis.com/v1beta/models"
HERE = os.environ["GOOGLE_GEMINI_BASE_URL"] + "/v1beta/models"


def ask(url, tools=()):
    body = {"contents": [{"role": "user", "parts": [{"text": "?"}]}], "tools": tools}
    headers = {"content-type": "application/json", "x-goog-api-key": os.environ["GEMINI_API_KEY"]}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
            answer.read()
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


print("FINAL ANSWER:",
    ask(f"{OWN}/tester:generateContent"), ask(f"{HERE}/tester:streamGenerateContent?alt=sse&key=x"),
    ask(f"{OWN}/other:generateContent"), ask(f"{OWN}/tester:generateContent", [{"google_search": {}}]),
    ask(f"{OWN}/tester:streamGenerateContent"), ask(f"{OWN}/tester:countTokens"),
    ask("https://models.example/v1/chat/completions"))
"""


@needs_bwrap
def test_gateway_lets_the_run_s_model_through_and_nothing_else(tmp_path):
    agent = tmp_path / "agent"
    agent.mkdir()
    (agent / "main.py").write_text(AGENT)
    (agent / "agent.toml").write_text('command = "python main.py"')
    made = run_agent(tmp_path, agent, lambda request: Says("Yes."), model="google/tester")
    assert made.result["answer"] == "200 200 403 403 404 200 403", (made.ran.said, made.steps)
    assert {(seen.headers["x-goog-api-key"], seen.query.get("key") is None) for seen in made.provider.seen} == {
        (KEY, True)
    }
    assert [step["model"] for step in made.steps if step["type"] == "llm_call"] == ["gemini", "gemini"]
    assert len(made.results("agent.tokens")) == 1  # on record, and no call of a model
    refused = made.results("agent.refused")
    assert len(refused) == 4 and "another address than the run's" in refused[-1]


def worker(request):
    """Runs a command, searches with our tool, then answers."""
    said = json.dumps(request)
    if "functionDeclarations" not in said:
        return Says("{}")
    if "hello-from-the-shell" not in said:
        return Says("I try.", [("run_shell_command", {"command": "echo hello-from-the-''shell"})])
    if "lanternkeepers" not in said:
        return Says("I search.", [("mcp_gaia_web_search", {"query": "lighthouses"})])
    return Says("So it is.\nFINAL ANSWER: 12")


@pytest.mark.cases
@needs_bwrap
@pytest.mark.parametrize("agent", ["gemini-cli", "acp:gemini --acp --model {model}"])
def test_gemini_cli(tmp_path, agent):
    made = run_agent(tmp_path, agent, worker, model="google/gemini-2.5-pro", programs=[needs_program("gemini")])
    assert made.result["answer"] == "12", (made.ran.said, made.steps)
    seen = made.told()
    assert ("tool_result", "run_shell_command") in seen and ("tool_result", "web_search") in seen
    assert not made.results("agent.refused")
    asked = [step for step in made.steps if step["type"] == "llm_call" and not step.get("agent")]
    assert len(asked) == 3, seen
