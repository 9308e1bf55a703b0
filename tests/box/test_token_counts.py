"""Requests whose tokens an agent lets the provider count: by exact paths, on record, and no call of a model."""

import json

import pytest
from boxed import KEY, tried

from gaia_harness.box.purse import Allowance
from gaia_harness.records.steps import LlmCall
from loopback import Answer, loopback

HELLO = [{"role": "user", "content": "Hello"}]
COUNTS = {
    "openai": ("/v1/responses/input_tokens", {"input": "Hello"}, {"input": [{"role": "user", "content": "Hello"}]}),
    "anthropic": ("/v1/messages/count_tokens", {"messages": HELLO}, {"system": "Be kind.", "messages": HELLO}),
    "google": (
        "/v1beta/models/gpt-4o:countTokens",
        {"contents": [{"parts": [{"text": "Hello"}]}]},
        {"generateContentRequest": {"model": "models/gpt-4o", "contents": [{"parts": [{"text": "Hello"}]}]}},
    ),
}
IMAGE = {"type": "url", "url": "https://web.test/a.png"}
REFUSED = {
    "openai": {"input": "Hello", "tools": [{"type": "web_search"}]},
    "anthropic": {"messages": [{"role": "user", "content": [{"type": "image", "source": IMAGE}]}]},
    "google": {"generateContentRequest": {"model": "models/other", "contents": []}},
}

SCRIPT = """
import json, urllib.error, urllib.request
said = []
for path, body in ASKED:
    request = urllib.request.Request("http://127.0.0.1:8317" + path, json.dumps(body).encode())
    try:
        said.append(json.load(urllib.request.urlopen(request))["tokens"])
    except urllib.error.HTTPError as error:
        said.append(error.code)
print(json.dumps(said))
"""


@pytest.mark.parametrize("provider", COUNTS)
async def test_the_provider_counts_and_no_model_is_asked(tmp_path, provider):
    path, *bodies = COUNTS[provider]
    model = {} if provider == "google" else {"model": "gpt-4o"}
    asked = [(path, body | model) for body in (*bodies, REFUSED[provider])]
    asked += [(path + "/", asked[0][1]), (path + "?x=1", asked[0][1]), (path, {**asked[0][1], "model": "other"})]
    with loopback(lambda seen: Answer.json({"tokens": 7, "echo": KEY})) as server:
        base = f"{server.url}/v1" if provider == "openai" else server.url
        got = await tried(
            tmp_path,
            f"ASKED = {asked!r}\n{SCRIPT}",
            provider=provider,
            base_url=base,
            allowance=Allowance(calls=0),
        )
        seen = [(each.path, each.json()) for each in server.seen]
    named = provider != "google"  # whose paths name the model
    assert got.said[:4] == [7, 7, 403 if named else 400, 404]
    assert seen == [*asked[:2], *(() if named else [asked[-1]])]
    counted = got.results("agent.tokens")
    assert [json.loads(step.head) for step in counted] == [{"tokens": 7, "echo": "*" * len(KEY)}] * len(seen)
    assert [call.args["bytes"] for call in got.calls("agent.tokens")][:1] == [len(json.dumps(asked[0][1]))]
    assert not any(isinstance(step, LlmCall) for step in got.steps) and got.result.usages == ()
    assert len(got.refused) == len(asked) - len(seen)
