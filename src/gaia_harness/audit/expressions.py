"""What do the expressions of a program come to, and what do they call? The half of `program` that works out values."""

import abc
import ast
from typing import Any

import msgspec

from gaia_harness.audit.constants import (
    CONSTANTS,
    CONTAINERS,
    FUNCTIONS,
    HOLE,
    HOLLOW,
    UNKNOWN,
    Ref,
    Route,
    as_text,
    attribute,
    binary,
    bounded,
    known,
    method,
    shown,
)

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


ENVIRONMENT = Ref("os.environ")
_ASKING = ("get", "pop", "startswith", "endswith")
"""Methods whose first text says what somebody is after."""


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
    guarded: bool = False  # errors are caught, so that nothing shows of them
    branching: bool = False  # a text depends on which branch is taken
    deep: bool = False  # a part is nested so deep that it was not followed
    work: int = 0


class Routine(msgspec.Struct, frozen=True):
    """A function of the program's own."""

    params: tuple[str, ...]
    body: Any
    value: Any  # of a lambda


class Expressions(abc.ABC):
    """Works out expressions and notes calls. Who follows the statements says what a body of them does."""

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
        self.noted = {_key(c.name, c.args, c.line, c.receiver) for c in program.calls}

    @abc.abstractmethod
    def _body(self, body: list[ast.stmt]) -> None:
        """Follow some statements."""

    def _items(self, value: Any) -> list[Any]:
        """What a loop goes over; once over something unknown where that is not told."""
        if value == ENVIRONMENT:
            self._note(f"{ENVIRONMENT.name}.keys", (), {}, self.line)
        if not isinstance(value, (*CONTAINERS, str, bytes)) or isinstance(value, Ref | Route) or self._spent():
            return [UNKNOWN]
        return list(value) if 0 < len(value) <= LONGEST_LOOP else [UNKNOWN]

    def _spent(self) -> bool:
        return self.program.work > WORK or (self.loop_left is not None and self.loop_left < 0)

    def _bind(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name():
                self.names[target.id] = value
                if self.branches and isinstance(value, str | bytes | Route | Ref | list):
                    self.program.branching = True
            case ast.Tuple() | ast.List():
                fits = isinstance(value, list | tuple) and len(value) == len(target.elts)
                parts = list(value) if fits and not isinstance(value, Ref | Route) else [UNKNOWN] * len(target.elts)
                for each, part in zip(target.elts, parts, strict=True):
                    self._bind(each, part)
            case ast.Subscript():
                self._value(target)
                owner = self._value(target.value)
                key = self._value(target.slice)
                if isinstance(owner, dict) and isinstance(key, str | int):
                    owner[key] = value
            case ast.Starred():
                self._bind(target.value, UNKNOWN)
            case ast.Attribute():
                self._value(target)

    def _import(self, module: str, line: int) -> None:
        if len(self.program.imports) < MOST_CALLS:
            self.program.imports.append((module, line))

    # expressions

    def _value(self, node: ast.expr) -> Any:
        self.program.work += 1
        self.line = node.lineno
        if self.loop_left is not None:
            self.loop_left -= 1
        if self.depth > DEEPEST:
            self.program.deep = True
            return UNKNOWN
        self.depth += 1
        try:
            return self._expression(node)
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError, MemoryError):
            return UNKNOWN  # what would fail when run, or is not known here
        except Exception as error:
            if type(error).__module__ in ("zlib", "binascii"):
                return UNKNOWN
            raise
        finally:
            self.depth -= 1

    def _expression(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                self.program.names.add(node.id)
                return self.names[node.id] if node.id in self.names else Ref(plain_name(node.id))
            case ast.Attribute():
                return self._attribute(node)
            case ast.Call():
                return self._call(node)
            case ast.BinOp():
                return self._spine(node)
            case ast.JoinedStr():
                return bounded("".join(shown(self._value(part)) for part in node.values))
            case ast.FormattedValue():
                shown_value = self._value(node.value)
                return self._items(shown_value)[0] if shown_value == ENVIRONMENT else shown_value
            case ast.List() | ast.Set():
                return self._elements(node.elts)
            case ast.Tuple():
                return tuple(self._elements(node.elts))
            case ast.Dict():
                keys = [UNKNOWN if key is None else self._value(key) for key in node.keys]
                values = [self._value(value) for value in node.values]
                for key, value in zip(node.keys, values, strict=True):
                    if key is None:
                        self._items(value)
                return {k: v for k, v in zip(keys, values, strict=True) if isinstance(k, str | int)}
            case ast.Subscript():
                return self._subscript(node)
            case ast.IfExp():
                self._value(node.test)
                values = [self._value(node.body), self._value(node.orelse)]
                self.program.branching = self.program.branching or isinstance(values[0], str | Route | Ref)
                return values[0] if self.last_branch else values[1]
            case ast.NamedExpr():
                value = self._value(node.value)
                self._bind(node.target, value)
                return value
            case ast.Lambda():
                return Routine(tuple(arg.arg for arg in node.args.args), None, node.body)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                found: list[Any] = []
                self._comprehend(node.generators, node.elt, found)
                return found
            case ast.DictComp():
                self._comprehend(node.generators, ast.Tuple([node.key, node.value], ast.Load()), [])
                return UNKNOWN
            case ast.Starred() | ast.Await() | ast.YieldFrom():
                return self._value(node.value)
            case ast.UnaryOp(op=ast.USub()):
                value = self._value(node.operand)
                return -value if isinstance(value, int) else UNKNOWN
            case ast.Compare():
                for value in [self._value(part) for part in (node.left, *node.comparators)]:
                    if isinstance(value, str) and len(value) < 100:
                        self.program.names.add(value)
                return UNKNOWN
            case ast.Slice():
                ends = [None if part is None else self._value(part) for part in (node.lower, node.upper, node.step)]
                return slice(*ends)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._value(child)
                return UNKNOWN

    def _spine(self, node: ast.BinOp) -> Any:
        """`a + b + c + …` leans to the left as deep as it is long: it is gone through without going deep."""
        parts: list[ast.BinOp] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            parts.append(left)
            left = left.left
        value = self._value(left)
        for part in reversed(parts):
            value = self._binary(part.op, value, self._value(part.right))
        return value

    def _binary(self, operator: ast.operator, left: Any, right: Any) -> Any:
        try:
            return binary(type(operator).__name__, left, right)
        except (TypeError, ValueError, LookupError, ArithmeticError):
            return UNKNOWN

    def _elements(self, nodes: list[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            value = self._value(node)
            if isinstance(node, ast.Starred) and value == ENVIRONMENT:
                self._items(value)
            found += list(value) if isinstance(node, ast.Starred) and isinstance(value, list | tuple | str) else [value]
        return found

    def _comprehend(self, generators: list[ast.comprehension], element: ast.expr, found: list[Any]) -> None:
        first, rest = generators[0], generators[1:]
        for item in self._items(self._value(first.iter)):
            self._bind(first.target, item)
            for condition in first.ifs:
                self._value(condition)
            if rest:
                self._comprehend(rest, element, found)
            else:
                found.append(self._value(element))
            if self._spent():
                return

    def _attribute(self, node: ast.Attribute) -> Any:
        self.program.names.add(node.attr)
        owner = self._value(node.value)
        if isinstance(owner, Ref):
            if node.attr == "__dict__":
                return owner
            name = plain_name(f"{owner.name}.{node.attr}")
            return CONSTANTS.get(name, Ref(name))
        return attribute(owner, node.attr)

    def _subscript(self, node: ast.Subscript) -> Any:
        owner, key = self._value(node.value), self._value(node.slice)
        if isinstance(key, str) and len(key) < 100:
            self.program.names.add(key)
        if isinstance(owner, Ref):
            if owner.name in ("sys.modules", "globals()", "locals()", "vars()", "builtins") and isinstance(key, str):
                self._import(key, node.lineno)
                return Ref(plain_name(key))
            self._note(f"{owner.name}[]", (key,), {}, node.lineno)
            if owner.name == "os.environ":
                return "~" if key == "HOME" else UNKNOWN
            return Ref(plain_name(f"{owner.name}.{key}")) if isinstance(key, str) and key.isidentifier() else UNKNOWN
        if not known(owner) or isinstance(owner, Route):
            return UNKNOWN
        return owner[key]

    def _call(self, node: ast.Call) -> Any:
        receiver: Any = None
        if isinstance(node.func, ast.Attribute):
            receiver = self._value(node.func.value)
            self.program.names.add(node.func.attr)
        callee = self._attribute_of(receiver, node.func.attr) if isinstance(node.func, ast.Attribute) else None
        if callee is None:
            callee = self._value(node.func)
        args = self._elements(node.args)
        keywords = {word.arg or "**": self._value(word.value) for word in node.keywords}
        if isinstance(callee, Routine):
            return self._enter(callee, args, keywords)
        if isinstance(callee, Ref):
            return self._known_call(callee.name, args, keywords, node.lineno)
        if isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if isinstance(receiver, list) and name in ("append", "extend", "insert") and len(receiver) < LONGEST_LOOP:
                receiver[len(receiver) :] = list(args[0]) if name == "extend" else [args[-1]]
                return None
            if isinstance(receiver, Route):
                self._note(f"Path.{name}", tuple(args), keywords, node.lineno, receiver)
            elif not known(receiver):
                self._asked(name, args)
                self._note(f".{name}", tuple(args), keywords, node.lineno)
            return method(receiver, name, args, keywords) if known(receiver) else UNKNOWN
        self._note("?", tuple(args), keywords, node.lineno)
        return UNKNOWN

    def _asked(self, method_name: str, args: list[Any]) -> None:
        if method_name in _ASKING and args and isinstance(args[0], str) and len(args[0]) < 100:
            self.program.names.add(args[0])

    def _attribute_of(self, receiver: Any, name: str) -> Any:
        if isinstance(receiver, Ref):
            return receiver if name == "__call__" else Ref(plain_name(f"{receiver.name}.{name}"))
        return UNKNOWN  # a method

    def _known_call(self, name: str, args: list[Any], keywords: dict[str, Any], line: int) -> Any:
        if name in ("importlib.import_module", "__import__", "importlib.__import__"):
            module = as_text(args[0]) if args else None
            self._import(module or HOLE, line)
            return UNKNOWN if module is None else Ref(plain_name(module))
        if name == "getattr" and len(args) >= 2 and isinstance(args[1], str):
            self.program.names.add(args[1])
            return self._attribute_of(args[0], args[1]) if isinstance(args[0], Ref) else UNKNOWN
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
        if name in ("os.getenv", "os.environ.get") and args and args[0] == "HOME":
            return "~"
        if work is None or (name not in HOLLOW and not all(map(known, args))):
            return Ref(f"{name}()") if "." in name else UNKNOWN
        return bounded(work(*args))

    def _apply(self, function: Any, item: Any, line: int) -> Any:
        if isinstance(function, Routine):
            return self._enter(function, [item], {})
        if isinstance(function, Ref):
            try:
                return self._known_call(function.name, [item], {}, line)
            except (TypeError, ValueError, LookupError, ArithmeticError):
                return UNKNOWN
        return UNKNOWN

    def _enter(self, routine: Routine, args: list[Any], keywords: dict[str, Any]) -> Any:
        if self.calls_deep >= DEEPEST_CALL or self._spent():
            return UNKNOWN
        before, returned = self.names, self.returned
        self.names = {**before, **dict.fromkeys(routine.params, UNKNOWN), **keywords}
        self.names.update(zip(routine.params, args, strict=False))
        self.returned = UNKNOWN
        self.calls_deep += 1
        try:
            if routine.body is None:
                return self._value(routine.value)
            self._body(routine.body)
            return self.returned
        finally:
            self.calls_deep -= 1
            self.names, self.returned = before, returned

    def _note(
        self, name: str, args: tuple[Any, ...], keywords: dict[str, Any], line: int, receiver: Any = None
    ) -> None:
        key = _key(name, args, line, receiver)
        if key not in self.noted and len(self.program.calls) < MOST_CALLS:
            self.noted.add(key)
            kept = tuple(list(arg) if isinstance(arg, list) else arg for arg in args)
            self.program.calls.append(Called(name, kept, keywords, line, receiver))


def _key(name: str, args: tuple[Any, ...], line: int, receiver: Any) -> tuple[str, int, str]:
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
