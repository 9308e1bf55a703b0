"""Evaluates the calls of a program under analysis: its own functions and classes, and known library functions."""

import abc
import ast
from typing import Any

from gaia_harness.audit.constant_folding import (
    CONTAINERS,
    FUNCTIONS,
    HOLE,
    HOLLOW,
    UNKNOWN,
    Ref,
    Route,
    as_text,
    bounded,
    known,
    words,
)
from gaia_harness.audit.routines import Blueprint, Called, Program, Routine, call_key, plain_name

WORK = 20_000
"""Expressions worked out for one program beyond each of them once: about 20 ms."""

LOOP_WORK = 6_000
"""Of these, for one outermost loop, so that one loop does not leave what stands behind it unread."""

LONGEST_LOOP = 256
"""Longer loops are followed once: no path that is put together letter by letter is longer."""

DEEPEST = 60
DEEPEST_CALL = 6
MOST_CALLS = 4_000
"""Calls noted of one program; 8 KiB of text hold fewer, unless loops repeat them."""


CHARACTERS_A_UNIT, ITEMS_A_UNIT = 64, 8
"""Of a value that takes as long as a small expression."""

ENVIRONMENT = Ref("os.environ")
_ASKING = ("get", "pop", "startswith", "endswith")
"""Methods whose first text says what somebody is after."""
_STARTERS = words("submit apply apply_async to_thread start_new_thread partial call_soon run_sync spawn")
"""What takes a function first and then its arguments, by the last of its name."""


class Calls(abc.ABC):
    """Notes calls and follows them. Who works out expressions and statements says what these come to."""

    def __init__(self, program: Program, *, last_branch: bool) -> None:
        self.program = program
        self.last_branch = last_branch
        self.names: dict[str, Any] = {}
        self.depth = 0
        self.calls_deep = 0
        self.loop_left: int | None = None
        self.branches = 0
        self.line = 1
        self.returned: Any = UNKNOWN
        self.yielded: list[Any] = []
        self.owner: Blueprint | None = None  # the class whose body is followed
        self.noted = {call_key(c.name, c.args, c.line, c.receiver) for c in program.calls}

    @abc.abstractmethod
    def _value(self, node: ast.expr) -> Any:
        """Work out an expression."""

    @abc.abstractmethod
    def _items(self, value: Any) -> list[Any]:
        """What a loop goes over."""

    @abc.abstractmethod
    def _body(self, body: list[ast.stmt]) -> None:
        """Follow some statements."""

    def _spent(self) -> bool:
        return self.program.work > WORK or (self.loop_left is not None and self.loop_left < 0)

    def _charge(self, *values: Any) -> None:
        """Count what it takes to work on large values: a loop may go through thousands of items at each turn."""
        cost = sum(map(_weight, values))
        self.program.work += cost
        if self.loop_left is not None:
            self.loop_left -= cost

    def _set(self, name: Any, value: Any) -> None:
        """A variable of the environment is set; later code, and shells, see it."""
        text = as_text(value)
        if isinstance(name, str) and text is not None and len(self.program.environment) < LONGEST_LOOP:
            self.program.environment[name] = text

    def _import(self, module: str, line: int) -> None:
        if len(self.program.imports) < MOST_CALLS:
            self.program.imports.append((module, line))

    def _asked(self, method_name: str, args: list[Any]) -> None:
        if method_name in _ASKING and args and isinstance(args[0], str) and len(args[0]) < 100:
            self.program.names.add(args[0])

    def _attribute_of(self, receiver: Any, name: str) -> Any:
        if isinstance(receiver, Ref):
            return receiver if name == "__call__" else Ref(plain_name(f"{receiver.name}.{name}"))
        return receiver.part(name) if isinstance(receiver, Blueprint) else UNKNOWN  # a method

    def _known_call(self, name: str, args: list[Any], keywords: dict[str, Any], line: int) -> Any:
        if name in ("importlib.import_module", "__import__", "importlib.__import__"):
            module = as_text(args[0]) if args else None
            self._import(module or HOLE, line)
            return UNKNOWN if module is None else Ref(plain_name(module))
        if name == "getattr" and len(args) >= 2 and isinstance(args[1], str):
            self.program.names.add(args[1])
            return self._attribute_of(args[0], args[1]) if isinstance(args[0], Ref | Blueprint) else UNKNOWN
        if name in ("globals", "locals", "vars"):
            return args[0] if args else Ref("globals()")
        if name == "map" and len(args) == 2:
            return [self._apply(args[0], item, line) for item in self._items(args[1])]
        if name == "functools.reduce" and len(args) >= 2 and isinstance(args[0], Routine):
            items = self._items(args[1])
            value = args[2] if len(args) > 2 else items.pop(0)
            for item in items:
                value = self._enter(args[0], [value, item], {})
            return value
        work = FUNCTIONS.get(name)
        self._asked(name.rpartition(".")[2], args)
        if work is not None and ENVIRONMENT in args:
            self._items(ENVIRONMENT)
        if work is None:
            self._note(name, tuple(args), keywords, line)
            self._hand_over(name, args, keywords, line)
        if name in ("os.getenv", "os.environ.get", "os.environ.pop") and args:
            return self._variable(args[0])
        if name in ("os.putenv", "os.environ.setdefault", "os.environ.__setitem__") and len(args) == 2:
            self._set(*args)
        if name == "os.environ.update":
            for key, value in [*(args[0].items() if args and isinstance(args[0], dict) else ()), *keywords.items()]:
                self._set(key, value)
        if work is None or (name not in HOLLOW and not all(map(known, args))):
            return Ref(f"{name}()") if "." in name else UNKNOWN
        value = bounded(work(*args))
        self._charge(*args, value)
        return value

    def _apply(self, function: Any, item: Any, line: int) -> Any:
        if isinstance(function, Routine):
            return self._enter(function, [item], {})
        if isinstance(function, Ref):
            try:
                return self._known_call(function.name, [item], {}, line)
            except (TypeError, ValueError, LookupError, ArithmeticError):
                return UNKNOWN
        return UNKNOWN

    def _variable(self, name: Any) -> Any:
        if isinstance(name, str) and name in self.program.environment:
            return self.program.environment[name]
        return "~" if name == "HOME" else UNKNOWN

    def _hand_over(self, name: str, args: list[Any], keywords: dict[str, Any], line: int) -> None:
        """A function that is handed to something that runs it, as a thread does."""
        last = name.rpartition(".")[2]
        function, given = keywords.get("target"), keywords.get("args", ())
        if last in _STARTERS and args:
            function, given = args[0], args[1:]
        elif last == "Timer" and len(args) == 3:
            function, given = args[1:]
        elif last == "map" and len(args) == 2 and isinstance(args[0], Routine):
            for item in self._items(args[1]):
                self._apply(args[0], item, line)
        if not isinstance(given, list | tuple) or isinstance(given, Ref | Route):
            return
        if isinstance(function, Routine):
            self._enter(function, list(given), {})
        elif isinstance(function, Ref) and function.name != name and self.calls_deep < DEEPEST_CALL:
            self.calls_deep += 1
            try:
                self._known_call(function.name, list(given), {}, line)
            finally:
                self.calls_deep -= 1

    def _routine(self, given: ast.arguments, body: Any, value: Any, kind: str = "") -> Routine:
        names = [arg.arg for arg in [*given.posonlyargs, *given.args]]
        defaults = dict(zip(names[len(names) - len(given.defaults) :], map(self._value, given.defaults), strict=True))
        for arg, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
            defaults[arg.arg] = UNKNOWN if default is None else self._value(default)
        rest = "" if given.vararg is None else given.vararg.arg
        others = "" if given.kwarg is None else given.kwarg.arg
        return Routine(tuple(names), body, value, defaults, rest, others, kind)

    def _build(self, made: Blueprint, args: list[Any], keywords: dict[str, Any]) -> Blueprint:
        """An object of a class of the program's own."""
        made.came_to.clear()
        constructor = made.part("__init__")
        if isinstance(constructor, Routine):
            self._enter(constructor, args, keywords)
        else:
            made.parts.update(zip(made.fields, args, strict=False))
            made.parts |= {name: value for name, value in keywords.items() if name in made.fields}
        return made

    def _enter(self, routine: Routine, args: list[Any], keywords: dict[str, Any]) -> Any:
        if self.calls_deep >= DEEPEST_CALL or self._spent():
            return UNKNOWN
        owner = routine.owner
        if not isinstance(owner, Blueprint):
            return self._follow(routine, args, keywords)
        if any(map(known, args)) or any(map(known, keywords.values())):
            return self._follow(routine, [owner, *args], keywords)
        # methods call each other to and fro: of one that is given nothing known, all is seen at once
        key = id(routine.value if routine.body is None else routine.body)
        if key not in owner.came_to:
            owner.came_to[key] = UNKNOWN
            owner.came_to[key] = self._follow(routine, [owner, *args], keywords)
        return owner.came_to[key]

    def _follow(self, routine: Routine, args: list[Any], keywords: dict[str, Any]) -> Any:
        before, returned, yielded = self.names, self.returned, self.yielded
        self.names = {**before, **dict.fromkeys(routine.params, UNKNOWN), **routine.defaults, **keywords}
        self.names.update(zip(routine.params, args, strict=False))
        if routine.rest:
            self.names[routine.rest] = tuple(args[len(routine.params) :])
        if routine.others:
            self.names[routine.others] = {key: part for key, part in keywords.items() if key not in routine.params}
        self.returned, self.yielded = UNKNOWN, []
        self.calls_deep += 1
        try:
            if routine.body is None:
                return self._value(routine.value)
            self._body(routine.body)
            return self.yielded or self.returned
        finally:
            self.calls_deep -= 1
            self.names, self.returned, self.yielded = before, returned, yielded

    def _note(
        self, name: str, args: tuple[Any, ...], keywords: dict[str, Any], line: int, receiver: Any = None
    ) -> None:
        key = call_key(name, args, line, receiver)
        if key not in self.noted and len(self.program.calls) < MOST_CALLS:
            self.noted.add(key)
            kept = tuple(list(arg) if isinstance(arg, list) else arg for arg in args)
            self.program.calls.append(Called(name, kept, keywords, line, receiver))


def _weight(value: Any) -> int:
    """About how many small expressions take as long as going through a value once."""
    if isinstance(value, str | bytes):
        return len(value) // CHARACTERS_A_UNIT
    return len(value) // ITEMS_A_UNIT if isinstance(value, CONTAINERS) else 0
