"""What is known of calls and places: calls.toml and places.toml, read once and checked."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

import msgspec

Lists = Mapping[str, tuple[str, ...]]


class Calls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What calls, commands and fields of arguments do with a text."""

    functions: Lists
    ports: Mapping[str, str]
    names: Mapping[str, str]
    constants: Mapping[str, str]
    programs: Lists
    fields: Lists
    results: Lists


class Places(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names and patterns by which places are known: lists of names, and patterns."""

    grader: Mapping[str, str | tuple[str, ...]]
    folders: Lists
    benchmark: Mapping[str, str | tuple[str, ...]]
    hub: Mapping[str, str | tuple[str, ...]]
    local: Mapping[str, str]


@cache
def calls() -> Calls:
    """The table of calls."""
    return msgspec.toml.decode(_text("calls.toml"), type=Calls)


@cache
def places() -> Places:
    """The table of places."""
    return msgspec.toml.decode(_text("places.toml"), type=Places)


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


@cache
def pattern(group: str, name: str) -> re.Pattern[str]:
    """A pattern of places.toml."""
    text = getattr(places(), group)[name]
    return re.compile(text)


@cache
def names(group: str, name: str) -> frozenset[str]:
    """The names of a list in places.toml."""
    return frozenset(getattr(places(), group)[name])


@lru_cache(maxsize=4096)
def program(name: str) -> str:
    """What a program does with the files that it is given; empty for one that is not known: it reads them."""
    return next((kind for kind, known in calls().programs.items() if name in known), "")


@cache
def _functions() -> tuple[dict[str, str], dict[str, str], tuple[tuple[str, str], ...]]:
    exact: dict[str, str] = {}
    last: dict[str, str] = {}
    begin: list[tuple[str, str]] = []
    for kind, known in calls().functions.items():
        for name in known:
            if name.startswith("*."):
                last.setdefault(name[2:], kind)
            elif name.endswith("*"):
                begin.append((name[:-1], kind))
            else:
                exact[name] = kind
    return exact, last, tuple(begin)


@lru_cache(maxsize=4096)
def function(name: str) -> str:
    """What a call by this dotted name does with the texts that it is given; empty for one that is not known."""
    exact, last, begin = _functions()
    found = exact.get(name) or next((kind for start, kind in begin if name.startswith(start)), "")
    ending = "" if found else last.get(name.rpartition(".")[2], "")
    # a bare name may be that of a function of the program's own
    return found or (ending if "." in name or ending != "nothing" else "")
