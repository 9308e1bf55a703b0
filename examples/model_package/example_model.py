"""A model of your own: it answers every question with its own name.

`gaia run --model parrot/polite` calls `open_parrot("polite", base_url=…, env=…)`.
"""

import hashlib
from collections.abc import Mapping

from gaia_harness import ModelError, Reply, Request, Usage


class Parrot:
    """What gaia-harness asks of a model: a name, an address, `reply` and `aclose`."""

    def __init__(self, name: str) -> None:
        self.name = f"parrot/{name}"
        self.address = ""  # where it is asked, for the record; a real one has an https:// address here

    async def reply(self, request: Request) -> Reply:
        """Answer the conversation so far."""
        if not request.messages:
            raise ModelError("the parrot was asked nothing")
        return Reply(
            text=f"FINAL ANSWER: {self.name.partition('/')[2]}",
            stop_reason="stop",
            usage=Usage(input_tokens=len(request.messages), output_tokens=3),
            model=self.name,
            # of the body as it was sent, so that others can see that nothing else was asked
            request_sha256=hashlib.sha256(repr(request).encode()).hexdigest(),
        )

    async def aclose(self) -> None:
        """Give back connections; there are none."""


def open_parrot(name: str, *, base_url: str | None, env: Mapping[str, str]) -> Parrot:
    """The entry point. Keys come from `env`; raise `ModelError` where one is missing."""
    return Parrot(name)
