"""The model of a run whose agent is a program: named and addressed here, and asked by that program."""

from collections.abc import Mapping
from typing import NoReturn

from gaia_harness.errors import ModelError, UsageError
from gaia_harness.models.endpoint import PROVIDERS, find_endpoint
from gaia_harness.models.messages import Request
from gaia_harness.models.registry import split_name


class ModelOfAgent:
    """Its name and address. Nobody asks it by us."""

    def __init__(self, name: str, base_url: str | None, env: Mapping[str, str]) -> None:
        """UsageError for a model that is not behind HTTP; ModelError where its key is missing."""
        provider, _ = split_name(name)
        if provider not in PROVIDERS:
            raise UsageError(
                f"--agent needs a model behind HTTP, and {name} is none",
                hint=f"one of {', '.join(f'{each}/NAME' for each in PROVIDERS)}, with --base-url for a server of your "
                "own",
            )
        self.name = name.strip()
        self.address = find_endpoint(provider, base_url, env).plain_url

    async def reply(self, request: Request) -> NoReturn:
        """See `Model`."""
        raise ModelError(f"{self.name} is asked by the run's agent alone")

    async def aclose(self) -> None:
        """See `Model`."""
