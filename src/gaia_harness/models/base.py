"""The protocol that every model implements."""

from typing import Protocol

from gaia_harness.models.messages import Reply, Request


class Model(Protocol):
    """A model that takes a conversation and answers. Raises `ModelError`, and nothing else, when it cannot."""

    @property
    def name(self) -> str:
        """`PROVIDER/NAME`, as given on the command line."""
        ...

    @property
    def address(self) -> str:
        """Where it is asked, without a user name, password or query; empty for one that is bundled."""
        ...

    async def reply(self, request: Request) -> Reply:
        """Answer the conversation, retrying what is worth retrying."""
        ...

    async def aclose(self) -> None:
        """Give back connections."""
        ...
