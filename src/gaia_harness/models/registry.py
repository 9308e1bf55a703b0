"""Opens the model that `PROVIDER/NAME` names."""

import asyncio
import random
import shlex
from collections.abc import Awaitable, Callable, Mapping

from gaia_harness.disclosure import DisclosedEndpoint, disclosed_endpoint, same_origin
from gaia_harness.errors import ModelError, UsageError
from gaia_harness.models.base import Model
from gaia_harness.models.endpoint import PROVIDERS, address_of, find_endpoint, is_own_endpoint
from gaia_harness.models.retry import RetryPolicy
from gaia_harness.models.third_party import open_third_party
from gaia_harness.plugins import find_plugins
from gaia_harness.urls import shown_address

_FORMS = "openai/NAME, anthropic/NAME or scripted/NAME"

_ANTHROPIC_EFFORTS = ("low", "medium", "high", "xhigh", "max")


def split_name(name: str) -> tuple[str, str]:
    """`PROVIDER/NAME` as a pair; the name itself may have slashes in it."""
    provider, slash, rest = name.strip().partition("/")
    if not slash or not rest:
        raise UsageError(f"{name!r} does not name a model", hint=f"Give --model as {_FORMS}.")
    if provider not in PROVIDERS and provider != "scripted" and provider not in find_plugins("models"):
        raise UsageError(
            f"there is no provider {provider!r} for the model {name!r}",
            hint=f"Give --model as {_FORMS}; for another server, openai/NAME with --base-url; for a model of another "
            "package, install it.",
        )
    return provider, rest


def open_model(
    name: str,
    *,
    base_url: str | None,
    env: Mapping[str, str],
    call_timeout: float = 300.0,
    max_retries: int = 5,
    rng: random.Random | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Model:
    """The model called `PROVIDER/NAME`, ready to answer; close it with `aclose`. Nothing is sent yet."""
    provider, rest = split_name(name)
    if provider == "scripted":
        if base_url:
            raise UsageError(
                "a scripted model is bundled and has no address",
                hint="Leave out --base-url, or give another --model.",
            )
        if rest == "judge":
            from gaia_harness.models.scripted_judge import ScriptedJudge

            return ScriptedJudge()
        from gaia_harness.models.scripted import open_scripted

        return open_scripted(rest)
    if provider not in PROVIDERS:
        return open_third_party(provider, rest, base_url=base_url, env=env)
    if call_timeout <= 0 or max_retries < 0:
        raise UsageError("the time limit of a call must be above 0, and the number of retries not below 0")
    if provider == "google":
        raise UsageError(
            f"{name}: models of Google are asked by agents of your own (--agent) alone",
            hint=f"Give --agent, or openai/{rest} with Google's address for OpenAI's protocol: "
            "--base-url https://generativelanguage.googleapis.com/v1beta/openai, and its key in OPENAI_API_KEY.",
        )
    endpoint = find_endpoint(provider, base_url, env)
    retry_policy = RetryPolicy(
        call_timeout=call_timeout,
        max_retries=max_retries,
        sleep=sleep,
        rng=rng or random.Random(),  # noqa: S311 (jitter is no secret)
    )
    if provider == "anthropic":
        from gaia_harness.models.anthropic_messages import AnthropicMessages

        return AnthropicMessages(f"{provider}/{rest}", endpoint, retry_policy)
    from gaia_harness.models.openai_chat import OpenAIChat

    return OpenAIChat(f"{provider}/{rest}", endpoint, retry_policy)


def check_settings(name: str, *, temperature: bool, effort: str | None) -> None:
    """Refuse a temperature or a reasoning effort that this provider's protocol cannot carry."""
    if not temperature and effort is None:
        return
    provider = name.strip().partition("/")[0]
    if provider == "scripted":
        raise UsageError(
            "a scripted model has neither temperature nor reasoning effort",
            hint="Leave out --temperature and --reasoning-effort, or give another --model.",
        )
    if provider == "anthropic" and effort is not None and effort not in _ANTHROPIC_EFFORTS:
        raise UsageError(
            f"--reasoning-effort {effort} is not known to Anthropic's protocol",
            hint=f"Give one of {', '.join(_ANTHROPIC_EFFORTS)}.",
        )


def is_provider_endpoint(name: str, base_url: str | None, env: Mapping[str, str]) -> bool:
    """Whether this model would be called at its provider's own address. `price_table.py` holds only there."""
    provider = name.strip().partition("/")[0]
    return provider == "scripted" or (provider in PROVIDERS and is_own_endpoint(provider, base_url, env))


def endpoint_for(name: str, base_url: str | None, env: Mapping[str, str]) -> DisclosedEndpoint:
    """The endpoint of this model, even if it cannot be opened without a key."""
    provider, rest = split_name(name)
    if provider == "scripted":
        return disclosed_endpoint(name, "")
    if provider in PROVIDERS:
        return disclosed_endpoint(name, shown_address(address_of(provider, base_url, env)).rstrip("/"))
    try:
        return disclosed_endpoint(name, open_third_party(provider, rest, base_url=base_url, env=env).address)
    except ModelError:
        return disclosed_endpoint(name, "")


def address_hint(name: str, address: str) -> str:
    """How a run is resumed whose model was asked at this address: only the environment can have changed it."""
    known = PROVIDERS.get(name.partition("/")[0])
    if known is None:
        return "start a new run"
    if same_origin(address, known.url):
        return f"unset {known.url_variable} and resume again, or start a new run"
    return f"set {known.url_variable}={shlex.quote(address)} and resume again, or start a new run"
