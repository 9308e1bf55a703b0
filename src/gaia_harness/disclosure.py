"""What a run discloses in clear: the endpoints of its models, and its options."""

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

import msgspec

from gaia_harness.strict_json import MAX_INTEGER

OWN_ADDRESSES: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
}
NAMES = {"openai": "OpenAI", "anthropic": "Anthropic", "google": "Google"}
BUNDLED = "scripted"
"""The provider whose models come with the program, and are asked nowhere."""
NAMED_DATASETS = ("hub", "demo")
"""Data sets that are no folder of the user's."""
THIRD_PARTIES = ("model ", "tool ")
"""So begin the names in `isolation` of models and tools that are not ours; the provider or the tool's name follows."""
NOT_DISCLOSED = "not disclosed (version 0.1)"


class DisclosedEndpoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The endpoint of a model: an address without credentials or query, empty for a bundled model.

    `own` says whether it is that of the provider in the model's name.
    """

    address: str
    own: bool

    @property
    def host(self) -> str:
        """The host and port of the address, or as much of it as can be read; letters that look like others show."""
        try:
            host = urlsplit(self.address).netloc.rpartition("@")[2] or self.address
        except ValueError:
            host = self.address
        return host.encode("ascii", "backslashreplace").decode()

    def describe(self, model: str) -> str:
        """The model and its endpoint, in words."""
        provider = model.partition("/")[0]
        if not self.address:
            return f"{model}, which is bundled" if self.own else f"{model}, at an address that is not known"
        if self.own:
            return f"{model} at {self.host}"
        return f"{model} at {self.host}, which is not {NAMES.get(provider, 'the provider')}'s own address"


def disclosed_endpoint(model: str, address: str) -> DisclosedEndpoint:
    """The endpoint of the model `PROVIDER/NAME`, and whether it is its provider's own address."""
    provider = model.strip().partition("/")[0]
    if provider == BUNDLED:
        return DisclosedEndpoint(address=address, own=not address)
    own = OWN_ADDRESSES.get(provider)
    return DisclosedEndpoint(address=address, own=own is not None and same_origin(address, own))


def same_origin(url: str, other: str) -> bool:
    """Whether two addresses have the same scheme, host and port."""
    try:
        one, two = urlsplit(url), urlsplit(other)
        return (one.scheme, one.hostname, one.port or 443) == (two.scheme, two.hostname, two.port or 443)
    except ValueError:
        return False


def transcription_model(options: Mapping[str, Any] | msgspec.UnsetType | None) -> str | None:
    """Who transcribed audio, by a run's options."""
    model = (options or {}).get("transcription_model")
    return None if model is None else str(model)


def transcription_base_url(options: Mapping[str, Any]) -> str | None:
    """The address in the options at which audio is transcribed; None if the environment or the provider names it."""
    given = options.get("transcription_base_url") or None
    beside = options.get("base_url") if str(options.get("model")).strip().startswith("openai/") else None
    return given or beside


def third_parties(isolation: Mapping[str, Any]) -> dict[str, str]:
    """Which package and version each model or tool that is not ours comes from, by a run's `isolation`."""
    return {name: str(isolation[name]) for name in sorted(isolation) if name.startswith(THIRD_PARTIES)}


def third_parties_of(options: Mapping[str, Any]) -> set[str]:
    """The names in `isolation` of the models and tools that a run with these options needs from others."""
    tools = options.get("tools")
    models = [str(options[name]).strip() for name in ("model", "judge_model") if options.get(name)]
    providers = {model.partition("/")[0] for model in models} - {*OWN_ADDRESSES, BUNDLED}
    return {f"model {name}" for name in providers} | {f"tool {n}" for n in (tools if isinstance(tools, list) else ())}


def describe_endpoint(model: str, endpoint: DisclosedEndpoint | msgspec.UnsetType | None) -> str:
    """A model and its endpoint in words, also for runs of version 0.1, which do not disclose it."""
    return endpoint.describe(model) if endpoint else f"{model}; where it was asked is {NOT_DISCLOSED}"


def disclosed_dataset(dataset: str) -> str:
    """A data set as it may be published: of a folder the name alone, for its path may have the name of a user in it."""
    return dataset if dataset in NAMED_DATASETS else f"folder:{PurePath(dataset).name or '.'}"


def disclosed_options(config: object) -> dict[str, Any]:
    """The options of a run as they may be published and signed: a `RunConfig`, or what run.json has in its place.

    Numbers that are not whole, or too large for every JSON reader, are text: there is no float in a signed document.
    """
    built: Any = msgspec.to_builtins(config)
    if not isinstance(built, dict):
        return {}
    options: dict[str, Any] = _exact(built)
    if isinstance(options.get("dataset"), str):
        options["dataset"] = disclosed_dataset(options["dataset"])
    if isinstance(agent := options.get("agent"), dict):
        options["agent"] = _disclosed_agent(agent)
    return options


def _disclosed_agent(agent: dict[str, Any]) -> dict[str, Any]:
    """The same of an agent's folder, by which the agent may also be named."""
    folder, given = agent.get("folder"), agent.get("given")
    if not isinstance(folder, str):
        return agent
    name = f"folder:{PurePath(folder).name}"
    same = isinstance(given, str) and PurePath(given).name in (PurePath(folder).name, "")
    return {**agent, "folder": name, "given": name if same else given}


def is_exact(options: Mapping[str, Any]) -> bool:
    """Whether every number in options is written as `disclosed_options` writes it."""
    return not any(isinstance(value, float) for _, value in flat(options))


def flat(options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every option by its whole name, such as `limits.max_turns`."""
    for name, value in options.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", item) for inner, item in flat(value))
        elif isinstance(value, list) and any(isinstance(item, dict | list | float) for item in value):
            yield from (
                (f"{name}.{inner}", item) for inner, item in flat({str(n): item for n, item in enumerate(value)})
            )
        else:
            yield name, value


def describe_options(options: Mapping[str, Any]) -> list[str]:
    """Each option that has a value, for people; what is empty, off or not given is left out."""
    return [
        f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in flat(options)
        if value is not None and value is not False and value != []
    ]


def _exact(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _exact(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(item) for item in value]
    if isinstance(value, float) or (type(value) is int and abs(value) > MAX_INTEGER):
        return repr(value)
    return value
