"""What is known of calls and places: calls.toml and places.toml, read once."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

_PYTHON = re.compile(r"python[\d.]*")


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    texts = [files(__package__).joinpath(file).read_text("utf-8") for file in ("calls.toml", "places.toml")]
    return tomllib.loads("\n".join(texts))


def table(name: str) -> Mapping[str, Any]:
    """One of the tables in the two files."""
    return _tables()[name]


@cache
def names(of: str, name: str) -> frozenset[str]:
    """The names of a list in a table."""
    return frozenset(table(of)[name])


@cache
def pattern(of: str, name: str) -> re.Pattern[str]:
    """A pattern of a table, or one of all patterns in a list of it."""
    known = table(of)[name]
    return re.compile(known if isinstance(known, str) else "|".join(known))


def says(text: str, of: str, name: str) -> bool:
    """Whether a text has what a pattern of a table looks for."""
    return pattern(of, name).search(text) is not None


@cache
def _kinds(of: str) -> dict[str, str]:
    return {name: kind for kind, known in table(of).items() for name in known}


@cache
def argument(name: str) -> str:
    """What an argument of a tool call is, by the last word of its name; empty for one that is not known."""
    return _kinds("fields").get(re.split(r"[^a-z]+", name.lower().strip("_"))[-1], "")


def program(name: str) -> str:
    """What a program does with the files that it is given; empty for one that is not known: it reads them."""
    return "code" if _PYTHON.fullmatch(name) else _kinds("programs").get(name, "")


@lru_cache(maxsize=4096)
def function(name: str) -> str:
    """What a call by this dotted name does with the texts that it is given; empty for one that is not known.

    The table has it by its name, by how it begins, or by its last part; a bare name may be the program's own.
    """
    known = _kinds("functions")
    begins = (f"{name[:end]}*" for end in range(len(name), 1, -1))
    found = next((known[each] for each in (name, *begins) if each in known), "")
    last = known.get(f"*.{name.rpartition('.')[2]}", "")
    if last == "write":  # whatever it is called on, as a table that was read
        return last
    return found or (last if "." in name or last != "nothing" else "")
