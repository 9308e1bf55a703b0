"""What is known of calls and places: calls.toml and places.toml, read once and checked."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

import msgspec

Lists = Mapping[str, tuple[str, ...]]
Places = Mapping[str, Mapping[str, str | tuple[str, ...]]]
"""Lists of names, and patterns, by which places are known."""


class Calls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What calls, commands and fields of arguments do with a text."""

    functions: Lists
    ports: Mapping[str, int]
    names: Mapping[str, str]
    constants: Mapping[str, str]
    programs: Lists
    fields: Lists
    results: Lists


@cache
def calls() -> Calls:
    """The table of calls."""
    return msgspec.toml.decode(files(__package__).joinpath("calls.toml").read_bytes(), type=Calls)


@cache
def _places() -> Places:
    found: Places = msgspec.toml.decode(files(__package__).joinpath("places.toml").read_bytes(), type=Places)
    return found


@cache
def pattern(group: str, name: str) -> re.Pattern[str]:
    """A pattern of places.toml."""
    return re.compile(str(_places()[group][name]))


@cache
def names(group: str, name: str) -> frozenset[str]:
    """The names of a list in places.toml."""
    return frozenset(_places()[group][name])


@cache
def _kinds(of: str) -> dict[str, str]:
    return {name: kind for kind, known in getattr(calls(), of).items() for name in known}


def program(name: str) -> str:
    """What a program does with the files that it is given; empty for one that is not known: it reads them."""
    return _kinds("programs").get(name, "")


@lru_cache(maxsize=4096)
def function(name: str) -> str:
    """What a call by this dotted name does with the texts that it is given; empty for one that is not known.

    The table has it by its name, by how it begins, or by its last part; a bare name may be the program's own.
    """
    known = _kinds("functions")
    begins = (f"{name[:end]}*" for end in range(len(name), 1, -1))
    found = next((known[each] for each in (name, *begins) if each in known), "")
    last = known.get(f"*.{name.rpartition('.')[2]}", "")
    return found or (last if "." in name or last != "nothing" else "")
