"""Models of other packages and of calling programs, held to what a `Model` promises."""

import asyncio
import logging
from collections.abc import Mapping

import msgspec

from gaia_harness.errors import ModelError
from gaia_harness.models.base import Model
from gaia_harness.models.messages import Reply, Request
from gaia_harness.plugins import IN_PROCESS, Plugin, describe_error, find_plugin
from gaia_harness.strict_json import MAX_INTEGER
from gaia_harness.urls import shown_address

log = logging.getLogger("gaia_harness")


def open_third_party(provider: str, name: str, *, base_url: str | None, env: Mapping[str, str]) -> Model:
    """The model `PROVIDER/NAME` of the package that offers this provider."""
    plugin = find_plugin("models", provider)
    try:
        opened = plugin.load()(name, base_url=base_url, env=env)
        return GuardedModel(opened, name=f"{provider}/{name}", origin=plugin)
    except (asyncio.CancelledError, KeyboardInterrupt, ModelError):
        raise
    except BaseException as error:
        raise _failed(plugin, error) from error


class GuardedModel:
    """Somebody else's model. Whatever it raises becomes a `ModelError` that names where it comes from."""

    def __init__(self, model: Model, *, name: str, origin: Plugin | None = None) -> None:
        """`origin` is the package that offers the model; None for a model that the calling program made."""
        self._model = model
        self._origin = origin
        self.name = name
        self.address = shown_address(str(model.address))  # it is recorded, and must not hold a password

    @property
    def provenance(self) -> str:
        """Where its code comes from, for the run's record."""
        return f"the program that ran the tasks, {IN_PROCESS}" if self._origin is None else self._origin.provenance()

    @property
    def takes_images(self) -> bool:
        """Whether it takes images, as far as is known."""
        return bool(getattr(self._model, "takes_images", True))

    async def reply(self, request: Request) -> Reply:
        """Its reply, if that is one."""
        try:
            reply = await self._model.reply(request)
        except (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit, ModelError):
            raise
        except BaseException as error:
            raise _failed(self._origin or self.name, error) from error
        return _checked(reply, self._origin or self.name)

    async def aclose(self) -> None:
        """Close it. A failure is a warning: what the run has recorded stands."""
        try:
            await self._model.aclose()
        except Exception as error:
            log.warning("the model %s could not be closed: %s", self._origin or self.name, describe_error(error))


def model_provenance(*models: Model | None) -> dict[str, str]:
    """Where the code of those of these models comes from that are not ours, as `isolation` in run.json has it."""
    return {
        f"model {model.name.partition('/')[0]}": model.provenance for model in models if isinstance(model, GuardedModel)
    }


def _checked(reply: object, origin: Plugin | str) -> Reply:
    if not isinstance(reply, Reply):
        raise ModelError(f"the model {origin} gave a {type(reply).__name__} where a Reply is due")
    try:
        checked = msgspec.convert(msgspec.to_builtins(reply), Reply)  # holds the fields to their types
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelError(f"the model {origin} gave a Reply that is not one: {describe_error(error)}") from error
    counts = (*msgspec.structs.astuple(checked.usage), checked.latency_ms, checked.retries)
    if any(count is not None and not 0 <= count <= MAX_INTEGER for count in counts):
        raise ModelError(f"the model {origin} gave a Reply with a count that is below 0 or too large")
    return checked


def _failed(origin: Plugin | str, error: BaseException) -> ModelError:
    return ModelError(
        f"the model {origin} failed: {describe_error(error)}",
        hint=f"report it to the authors of {origin.package if isinstance(origin, Plugin) else 'that model'}",
    )
