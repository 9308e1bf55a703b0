"""Mechanisms inside a rule of the audit that can be switched off, to see what each of them earns.

A switch is a name and something that opens a context in which the mechanism is off, most often `patched`:

    SWITCHES["AUD-1: a copy must ask"] = lambda: patched("gaia_harness.audit.copies", "MUST_ASK", False)

What is patched must be read while the audit runs: what a module has worked out before and kept is not made anew.
"""

import contextlib
import importlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

SWITCHES: dict[str, Callable[[], AbstractContextManager[None]]] = {}


def switched(name: str) -> AbstractContextManager[None]:
    """A context in which the switch of this name is off; without a name, one in which all is as it is."""
    return SWITCHES[name]() if name else contextlib.nullcontext()


@contextlib.contextmanager
def patched(module: str, name: str, value: object) -> Iterator[None]:
    """Give a name in a module another value, for a while. It must be the module that uses it."""
    place = importlib.import_module(module)
    before = getattr(place, name)
    setattr(place, name, value)
    try:
        yield
    finally:
        setattr(place, name, before)
