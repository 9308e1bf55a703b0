"""The parts of a program under analysis: calls, functions, classes."""

from typing import Any

import msgspec

from gaia_harness.audit.constant_folding import UNKNOWN, Route


class Called(msgspec.Struct, frozen=True):
    """A call: by which dotted name (`.name` for a method of something unknown), with what, on which line."""

    name: str
    args: tuple[Any, ...]
    keywords: dict[str, Any]
    line: int
    receiver: Any = None


class Program(msgspec.Struct):
    """What a program does, as far as its text tells."""

    calls: list[Called] = []
    imports: list[tuple[str, int]] = []
    names: set[str] = set()  # of variables, attributes and keys, and what something is compared with
    environment: dict[str, str] = {}  # variables that it sets
    guarded: bool = False  # errors are caught, so that nothing shows of them
    branching: bool = False  # a text depends on which branch is taken
    deep: bool = False  # a part is nested so deep that it was not followed
    work: int = 0


class Routine(msgspec.Struct, frozen=True):
    """A function of the program's own."""

    params: tuple[str, ...]
    body: Any
    value: Any  # of a lambda
    defaults: dict[str, Any] = {}
    rest: str = ""  # what takes the arguments beyond these
    others: str = ""  # and the named ones
    kind: str = ""  # `staticmethod`, `property`
    owner: Any = None  # the object of a method


class Blueprint:
    """A class of the program's own, which stands for each of its objects too: the last one made is the one seen."""

    __slots__ = ("came_to", "fields", "name", "parts")

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: dict[str, Any] = {}
        self.came_to: dict[int, Any] = {}  # methods that were followed without anything known, so that one is enough
        self.fields: list[str] = []  # in the order in which a class without a constructor of its own takes them

    def __repr__(self) -> str:
        return f"<{self.name}>"  # never its parts, among which it may be itself

    def set(self, name: str, value: Any) -> None:
        """Give it an attribute. With another text in it, its methods may come to something else."""
        if isinstance(value, str | bytes | Route) and self.parts.get(name) != value:
            self.came_to.clear()
        self.parts[name] = value

    def part(self, name: str) -> Any:
        """An attribute, or a method of this object."""
        found = self.parts.get(name, UNKNOWN)
        bound = isinstance(found, Routine) and found.kind != "staticmethod"
        return msgspec.structs.replace(found, owner=self) if bound else found


def call_key(name: str, args: tuple[Any, ...], line: int, receiver: Any) -> tuple[str, int, str]:
    """By what a call is the same as one that was noted before."""
    return name, line, repr((receiver, args))[:1000]


_BUILTIN = ("builtins.", "__builtins__.", "globals().", "locals().", "vars().", "__main__.")
_SAME = {
    "__builtins__": "builtins",
    "io.open": "open",
    "_io.open": "open",
    "posixpath": "os.path",
    "posix": "os",
    "random._os": "os",
    "os.environb": "os.environ",
}


def plain_name(name: str) -> str:
    """A dotted name by which a thing is known best."""
    for beginning in _BUILTIN:
        name = name.removeprefix(beginning)
    name = _SAME.get(name, name)
    if name.startswith("posixpath."):
        name = f"os.path.{name[10:]}"
    return name if len(name) < 200 else name[:200]
