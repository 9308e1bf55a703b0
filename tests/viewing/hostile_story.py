"""A story with the same text in every field that can hold one."""

import types
import typing
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin
from urllib.parse import urlencode

import msgspec

from gaia_harness.viewing.story import RunTold, TaskTold


def filled(kind: Any, text: str) -> Any:
    """A value of this type: every text is this one, every number 1, every list of one element."""
    if kind is str or kind is Any:
        return text
    if kind is bool or kind is int or kind is float:
        return kind(1)
    if kind is types.NoneType:
        return None
    origin, of = get_origin(kind), get_args(kind)
    if origin is Literal:
        return of[0]
    if origin is typing.Annotated:
        return filled(of[0], text)
    if origin in (typing.Union, types.UnionType):
        return filled(next(each for each in of if each not in (types.NoneType, msgspec.UnsetType)), text)
    if origin is tuple:
        return (filled(of[0], text),)
    if origin is dict:
        return {filled(of[0], text): filled(of[1], text)}
    fields = typing.get_type_hints(kind, include_extras=True)
    return kind(**{name: filled(fields[name], text) for name in kind.__struct_fields__})


class HostileStory:
    def __init__(self, text: str) -> None:
        self.text = text.encode("utf-8", "backslashreplace").decode()
        self.run = msgspec.structs.replace(filled(RunTold, text), redacted=False)
        whole = filled(TaskTold, text)
        calls = tuple(
            msgspec.structs.replace(whole.steps[0], kind=kind, seq=seq)
            for seq, kind in enumerate(("prompt", "model", "call", "result", "answer"))
        )
        self.told = [msgspec.structs.replace(whole, steps=calls)]

    def tasks(self) -> Iterator[TaskTold]:
        return iter(self.told)

    def whole(self, name: str) -> str | None:
        return None

    def places(self) -> list[str]:
        """What stands behind the # of every place of the page."""
        found = [
            {"task": self.text},
            {"task": self.text, "step": "3"},
            {"task": self.text, "finding": "1"},
            {"list": "1"},
            {"q": self.text},
        ]
        return ["", *("#" + urlencode(each) for each in found)]
