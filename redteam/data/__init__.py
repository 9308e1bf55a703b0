"""Words, phrases and questions of the invented world: TOML files, each read once."""

import functools
import tomllib
from importlib import resources
from typing import Any


@functools.cache
def load(name: str) -> dict[str, Any]:
    """The content of `name`.toml in this folder."""
    return tomllib.loads(resources.files(__name__).joinpath(f"{name}.toml").read_text("utf-8"))


def phrases(name: str, group: str) -> tuple[str, ...]:
    """One list of phrases in `name`.toml."""
    return tuple(load(name)[group])
