"""Opens what the attempts of a run are made with, and says what that costs."""

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from gaia_harness.agent import Settings
from gaia_harness.attempts.boxing import AGENT, open_box
from gaia_harness.attempts.budget import Allowance, Cost, Metered, MeteredTranscription, MinuteCost
from gaia_harness.attempts.workshop import Workshop
from gaia_harness.disclosure import transcription_base_url
from gaia_harness.models.base import Model
from gaia_harness.models.of_agent import ModelOfAgent
from gaia_harness.models.registry import is_provider_endpoint, open_model
from gaia_harness.models.transcription import Transcription, open_transcription
from gaia_harness.prices import OUR_PRICES, cost_usd, stated_prices, transcription_usd
from gaia_harness.protocol import SYSTEM
from gaia_harness.records.config import RunConfig
from gaia_harness.tools.kit import ToolConfig, ToolKit


@contextlib.asynccontextmanager
async def open_workshop(
    config: RunConfig,
    env: Mapping[str, str],
    *,
    model: Model,
    transcription: Transcription | None,
    budget: Callable[[], Allowance],
    hidden: Sequence[Path],
    system_prompt: str | None,
) -> AsyncIterator[Workshop]:
    """All that attempts are made with; it is closed at the end, the models too. `hidden` is what no code may read."""
    async with contextlib.AsyncExitStack() as open_things:
        open_things.push_async_callback(model.aclose)
        tools = open_things.enter_context(demo_web(config))
        tools = msgspec.structs.replace(tools, hidden=tuple(hidden))
        listener = None
        if transcription is not None:
            open_things.push_async_callback(transcription.aclose)
            listener = MeteredTranscription(transcription, transcription_pricing(config, env), budget)
        kit = await ToolKit.open(
            tools, env, transcriber=listener, sees_images=lambda: getattr(model, "takes_images", True)
        )
        open_things.push_async_callback(kit.aclose)
        boxed = await open_box(config, env, tools.hidden, tools.allow_hosts, tools.search_url)
        if boxed is not None:
            open_things.push_async_callback(boxed.aclose)
            kit.isolation[AGENT] = boxed.isolation
        yield Workshop(
            Metered(model, run_pricing(config, env), budget),
            kit,
            limits=config.limits,
            settings=Settings(
                system_prompt=SYSTEM if system_prompt is None else system_prompt,
                temperature=config.temperature,
                reasoning_effort=config.reasoning_effort,
            ),
            boxed=boxed,
        )


def open_run_model(config: RunConfig, env: Mapping[str, str]) -> Model:
    """The model that the configuration asks for."""
    if config.agent is not msgspec.UNSET:
        return ModelOfAgent(config.model, config.base_url, env)
    return open_named(config.model, config.base_url, config, env)


def open_run_transcription(config: RunConfig, env: Mapping[str, str]) -> Transcription | None:
    """The model that listens to audio, if there is to be one: by default at the address of an OpenAI model's server."""
    if config.transcription_model is msgspec.UNSET:
        return None
    return open_transcription(
        config.transcription_model,
        base_url=transcription_base_url(msgspec.structs.asdict(config)),
        env=env,
        call_timeout=config.call_timeout,
        max_retries=config.max_retries,
    )


def open_named(name: str, base_url: str | None, config: RunConfig, env: Mapping[str, str]) -> Model:
    """A model by its name, asked as the configuration says."""
    return open_model(
        name, base_url=base_url, env=env, call_timeout=config.call_timeout, max_retries=config.max_retries
    )


@contextlib.contextmanager
def demo_web(config: RunConfig) -> Iterator[ToolConfig]:
    """The tools' configuration. The demo's tasks come with their own small web, unless another is named."""
    tools = ToolConfig(
        search_url=config.search_url,
        allow_hosts=config.allow_hosts,
        unsandboxed_python=config.unsandboxed_python,
        third_party=() if config.tools is msgspec.UNSET else config.tools,
    )
    if config.dataset != "demo" or config.search_url is not None:
        yield tools
        return
    from gaia_harness.demo.server import DemoServer

    with DemoServer() as server:
        yield msgspec.structs.replace(
            tools, search_url=server.search_url, allow_hosts=(*tools.allow_hosts, server.allow_host)
        )


def run_pricing(config: RunConfig, env: Mapping[str, str]) -> Cost:
    """What usage of the run's model costs: by the prices that were stated, else by our own."""
    if config.price_in is msgspec.UNSET or config.price_out is msgspec.UNSET:
        return pricing(config.model, config.base_url, env)
    table = stated_prices(config.model, config.price_in, config.price_out)
    return lambda usage: cost_usd(table, config.model, usage)


def pricing(model: str, base_url: str | None, env: Mapping[str, str]) -> Cost:
    """What usage costs. Somebody else's server behind a provider's model name has no price that we know."""
    if not is_provider_endpoint(model, base_url, env):
        return lambda usage: None
    return lambda usage: cost_usd(OUR_PRICES, model, usage)


def transcription_pricing(config: RunConfig, env: Mapping[str, str]) -> MinuteCost:
    """What a transcript costs: known of OpenAI's own models at its own address alone."""
    model = "" if config.transcription_model is msgspec.UNSET else config.transcription_model.strip()
    base_url = transcription_base_url(msgspec.structs.asdict(config))
    if not model or not is_provider_endpoint(model, base_url, env):
        return lambda seconds: None
    return lambda seconds: transcription_usd(model, seconds)
