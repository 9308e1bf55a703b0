"""Models of other packages: opened by their entry point, held to what a `Model` promises."""

import asyncio
from collections.abc import Mapping

from gaia_harness.errors import ModelError
from gaia_harness.models.base import Model
from gaia_harness.models.messages import Reply, Request
from gaia_harness.plugins import Plugin, find_plugin


def open_third_party(provider: str, name: str, *, base_url: str | None, env: Mapping[str, str]) -> Model:
    """The model `PROVIDER/NAME` of the package that offers this provider."""
    plugin = find_plugin("models", provider)
    factory = plugin.load()
    try:
        return _ThirdPartyModel(plugin, f"{provider}/{name}", factory(name, base_url=base_url, env=env))
    except ModelError:
        raise
    except Exception as error:
        raise _failed(plugin, error) from error


class _ThirdPartyModel:
    """Somebody else's model. Whatever it raises becomes a `ModelError` that names the package."""

    def __init__(self, plugin: Plugin, name: str, model: Model) -> None:
        self.name = name
        self._plugin = plugin
        self._model = model
        self.address = str(model.address)

    async def reply(self, request: Request) -> Reply:
        try:
            reply = await self._model.reply(request)
        except (ModelError, asyncio.CancelledError):
            raise
        except Exception as error:
            raise _failed(self._plugin, error) from error
        if not isinstance(reply, Reply):
            raise ModelError(f"the model {self._plugin} gave a {type(reply).__name__} where a Reply is due")
        return reply

    async def aclose(self) -> None:
        await self._model.aclose()


def _failed(plugin: Plugin, error: Exception) -> ModelError:
    return ModelError(
        f"the model {plugin} failed: {type(error).__name__}: {error}",
        hint=f"report it to the authors of {plugin.package}",
    )
