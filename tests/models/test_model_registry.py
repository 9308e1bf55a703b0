"""Names, addresses and keys of models, and what the user is told when they are wrong."""

import asyncio
import random
import subprocess
import sys

import pytest

from chat_server import chat_reply, chat_server, message_reply, messages_server
from gaia_harness.errors import GaiaError, ModelError, UsageError
from gaia_harness.models.anthropic_messages import AnthropicMessages
from gaia_harness.models.endpoint import Endpoint, find_endpoint
from gaia_harness.models.messages import Request, User
from gaia_harness.models.openai_chat import OpenAIChat
from gaia_harness.models.registry import is_provider_endpoint, open_model
from gaia_harness.models.retry import RetryPolicy

ASK = Request(messages=(User("Hello"),), max_output_tokens=5)
LOCAL = "http://localhost:8000/v1"


@pytest.mark.parametrize("name", ["", "gpt-4o", "/", "openai/", "/gpt-4o", "gemini/pro", "OpenAI/gpt-4o"])
def test_a_name_without_a_known_provider_is_a_usage_error_that_shows_the_form(name):
    with pytest.raises(UsageError) as caught:
        open_model(name, base_url=LOCAL, env={})
    assert "openai/NAME" in caught.value.hint


@pytest.mark.parametrize(("provider", "variable"), [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")])
@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_a_missing_key_names_the_variable_to_set(provider, variable, value):
    env = {} if value is None else {variable: value}
    with pytest.raises(ModelError, match=f"{variable} is not set") as caught:
        open_model(f"{provider}/some-model", base_url=None, env=env)
    assert variable in caught.value.hint and "--base-url" in caught.value.hint


def test_a_key_that_cannot_be_one_is_refused_without_showing_it():
    with pytest.raises(ModelError, match="OPENAI_API_KEY contains characters") as caught:
        open_model("openai/m", base_url=LOCAL, env={"OPENAI_API_KEY": "sk-geheim„"})
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    ["localhost:8000", "ftp://host/v1", "http://", "http://[::1", "http://host:99999", "http://a b/", "file:///x"],
)
def test_an_address_that_is_none_is_refused_and_its_origin_named(url):
    with pytest.raises(UsageError, match="--base-url is not an http"):
        open_model("openai/m", base_url=url, env={})
    with pytest.raises(UsageError, match="ANTHROPIC_BASE_URL is not an http"):
        open_model("anthropic/m", base_url=None, env={"ANTHROPIC_BASE_URL": url})


def test_an_address_with_the_path_of_the_call_in_it_is_refused_with_what_to_do():
    with pytest.raises(UsageError, match="ends in /chat/completions"):
        open_model("openai/m", base_url=f"{LOCAL}/chat/completions/", env={})


def test_a_scripted_model_has_no_address():
    with pytest.raises(UsageError, match="scripted"):
        open_model("scripted/demo", base_url=LOCAL, env={})


def test_limits_that_make_no_sense_are_refused():
    for limits in ({"call_timeout": 0}, {"max_retries": -1}):
        with pytest.raises(UsageError):
            open_model("openai/m", base_url=LOCAL, env={}, **limits)


async def test_names_may_have_slashes_and_the_variable_gives_the_address():
    with chat_server(lambda _: chat_reply("ok")) as server:
        model = open_model("openai/meta-llama/Llama-3-8B", base_url=None, env={"OPENAI_BASE_URL": server.base_url})
        assert model.name == "openai/meta-llama/Llama-3-8B"
        assert (await model.reply(ASK)).text == "ok"
        await model.aclose()
    assert server.requests[0]["model"] == "meta-llama/Llama-3-8B"
    assert "max_completion_tokens" not in server.requests[0]


async def test_the_option_goes_before_the_variable():
    with messages_server(lambda _: message_reply("ok")) as server:
        env = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9/"}
        model = open_model("anthropic/m", base_url=server.base_url, env=env)
        assert (await model.reply(ASK)).text == "ok"
        await model.aclose()


@pytest.mark.parametrize(
    ("name", "base_url", "env", "own"),
    [
        ("openai/m", None, {}, True),
        ("openai/m", "https://api.openai.com/v1/", {}, True),
        ("openai/m", "https://api.openai.com:443/v1", {}, True),
        ("openai/m", "http://api.openai.com/v1", {}, False),
        ("openai/m", "https://api.openai.com.evil.example/v1", {}, False),
        ("openai/m", "https://api.openai.com@evil.example/v1", {}, False),
        ("openai/m", LOCAL, {}, False),
        ("openai/m", None, {"OPENAI_BASE_URL": LOCAL}, False),
        ("openai/m", None, {"ANTHROPIC_BASE_URL": LOCAL}, True),
        ("anthropic/m", None, {}, True),
        ("anthropic/m", "https://api.openai.com/v1", {}, False),
        ("anthropic/m", "http://[", {}, False),
        ("scripted/demo", None, {}, True),
    ],
)
def test_prices_hold_only_at_the_providers_own_address(name, base_url, env, own):
    assert is_provider_endpoint(name, base_url, env) is own


def test_only_openai_itself_gets_the_new_name_of_the_token_limit():
    model = open_model("openai/m", base_url=None, env={"OPENAI_API_KEY": "k"})
    written = model._write(ASK, model_shape())
    assert written["max_completion_tokens"] == 5 and "max_tokens" not in written


def model_shape():
    from gaia_harness.models.remote import Shape

    return Shape(images=True, thoughts=True)


def test_a_key_is_in_no_representation():
    endpoint = find_endpoint("openai", LOCAL, {"OPENAI_API_KEY": "sk-hidden"})
    assert endpoint.key == "sk-hidden" and "hidden" not in repr(endpoint)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_without_the_sdk_the_user_learns_what_to_install(provider):
    code = f"""
import sys
sys.modules[{provider!r}] = None
from gaia_harness.errors import GaiaError
from gaia_harness.models.registry import open_model
try:
    open_model("{provider}/m", base_url="{LOCAL}", env={{}})
except GaiaError as error:
    print(error.message, "|", error.hint)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"{provider} package is not installed" in done.stdout
    assert "pip install 'gaia-harness[run]'" in done.stdout


def test_asking_for_a_model_by_name_loads_no_sdk():
    code = "import gaia_harness.models.registry, sys; print({'openai', 'anthropic', 'httpx2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_every_error_here_is_ours_and_says_what_to_do():
    for name, base_url in [("x", None), ("openai/m", None), ("openai/m", "nonsense")]:
        with pytest.raises(GaiaError) as caught:
            open_model(name, base_url=base_url, env={})
        assert caught.value.hint


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://judge.example/v1", "https://judge.example/v1"),
        ("https://judge.example/v1/", "https://judge.example/v1"),
        ("https://ada:secret@judge.example:8443/v1?api-key=secret#secret", "https://judge.example:8443/v1"),
    ],
)
async def test_a_model_says_where_it_is_asked_and_tells_no_secret(url, address):
    endpoint = Endpoint(provider="openai", url=url, own=False, key_variable="OPENAI_API_KEY", key="secret")
    retry_policy = RetryPolicy(call_timeout=1, max_retries=0, sleep=asyncio.sleep, rng=random.Random(1))
    for kind, name in ((OpenAIChat, "openai/a"), (AnthropicMessages, "anthropic/a")):
        model = kind(name, endpoint, retry_policy)
        assert model.address == address
        await model.aclose()
    assert open_model("scripted/judge", base_url=None, env={}).address == ""
