"""What does Python code call, and with which texts? By its syntax tree, with names bound to constants; nothing is run.

Names have no scopes: one stands for what was last bound to it, an attribute for what was bound under its name.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from gaia_harness.audit.reaching.folding import FUNCTIONS, MOST_ITEMS, Ref, binary, bounded, item, joined, method, tried
from gaia_harness.audit.reaching.tables import table

MOST_WORK = 400_000  # expressions looked at in one program; honest ones have some hundreds
LONGEST_NAME = 200  # characters of a dotted one that are looked at
MOST_TURNS = 400  # of loops over known values that are followed; any further loop is gone through once

_TRY = re.compile(r"^([ \t]*)(?:try|finally|except\b[^:\n]*):", re.MULTILINE)

Call = Callable[[str, Any, list[Any], dict[str, Any], int], None]
"""Is told of a call: its dotted name, what it is a method of, arguments, named arguments, line."""


def parsed(code: str, tries: int = 0) -> tuple[ast.Module | None, int]:
    """The syntax tree of code as far as it can be read, and how many lines that is: it may have been cut, or be of a
    newer Python."""
    lines = code.split("\n")
    for _ in range(tries + 1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an escape such as "\d" in somebody's code is not our matter
                return ast.parse("\n".join(lines)), len(lines)
        except SyntaxError as error:
            lines = lines[: max(0, min(error.lineno or 1, len(lines)) - 1)]
            lines = _TRY.sub(r"\1if 1:", "\n".join(lines)).split("\n") if lines else []  # a block that needs no end
        except Exception:  # whatever else the parser raises, as SystemError on nested code
            break
    return None, 0


class Walk:
    """One program gone through: what it calls (an import is a call of `__import__`), and what else it mentions."""

    def __init__(self, tree: ast.Module, called: Call, mentioned: Callable[[Any, int], None]) -> None:
        self.called, self.mentioned = called, mentioned
        self.left = MOST_WORK  # below zero: it was not gone through to its end
        self._names: dict[str, Any] = {}
        self._line = 1
        self._turns_left = MOST_TURNS
        try:
            self._statement(tree)
        except RecursionError:
            self.left = -1

    def _statement(self, node: ast.AST) -> None:
        self._line = getattr(node, "lineno", self._line)
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.Assign():
                value = self._said(node.value)
                for target in node.targets:
                    self._bind(target, value)
            case ast.AugAssign():
                old = self._value(node.target)
                self._bind(node.target, binary(type(node.op).__name__, old, self._said(node.value)))
            case ast.For() | ast.AsyncFor():
                for each in self._turns(self._said(node.iter)) or [None]:
                    self._bind(node.target, each)
                    self._all(node.body)
                self._all(node.orelse)
            case _:
                self._all(ast.iter_child_nodes(node))

    def _all(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            if isinstance(node, ast.expr):
                self._said(node)
            else:
                self._statement(node)

    def _turns(self, items: Any) -> list[Any]:
        """What a loop goes over, as far as the text tells it."""
        known = list(items) if isinstance(items, str | list) and len(items) <= self._turns_left else []
        self._turns_left -= len(known)
        return known

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        before = f"{node.module or ''}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            name = f"{before}{alias.name}"
            first = name if before or alias.asname else name.partition(".")[0]
            self._names[alias.asname or first.removeprefix(before)] = Ref(first)
            self.called("__import__", None, [name], {}, self._line)

    def _said(self, node: ast.expr) -> Any:
        value = self._value(node)
        if isinstance(value, str | list):
            self.left -= len(value) >> 6  # long values take longer
            self.mentioned(value, self._line)
        return value

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name | ast.Attribute):
            self._names[target.id if isinstance(target, ast.Name) else target.attr] = value
        elif isinstance(target, ast.Tuple):
            parts = value if isinstance(value, list) else []
            for each, part in zip_longest(target.elts, parts[: len(target.elts)]):
                self._bind(each, part)

    def _value(self, node: ast.expr) -> Any:
        self.left -= 1
        if self.left < 0:
            return None
        self._line = getattr(node, "lineno", self._line)
        match node:
            case ast.Name(id=name):
                return self._names[name] if name in self._names else _known(name)
            case ast.Constant(value=bytes() as data):
                return bounded(data.decode("latin-1"))
            case ast.Constant(value=value):
                return bounded(value) if isinstance(value, str | int) else None
            case ast.Call():
                return self._call(node)
            case ast.Attribute(value=base, attr=name):
                owner = self._value(base)
                if isinstance(owner, Ref) and owner.name != "self":
                    return _known(f"{owner.name}.{name}")
                return method(owner, name, []) if name == "parent" else self._names.get(name)
            case ast.JoinedStr(values=parts):
                return joined("", [self._value(each) for each in parts])
            case ast.FormattedValue(value=inner) | ast.Starred(value=inner) | ast.Await(value=inner):
                return self._value(inner)
            case ast.BinOp():
                return binary(type(node.op).__name__, self._value(node.left), self._value(node.right))
            case ast.Slice():
                ends = (node.lower, node.upper, node.step)
                return slice(*(None if end is None else self._value(end) for end in ends))
            case ast.Subscript(value=base, slice=key):
                return item(self._value(base), self._value(key))
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return bounded(self._values(parts))
            case ast.ListComp(generators=[one]) | ast.GeneratorExp(generators=[one]) if not one.ifs:
                found = []
                for each in (turns := self._turns(self._value(one.iter))) or [None]:
                    self._bind(one.target, each)
                    found.append(self._value(node.elt))
                return found if turns else None
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
                return -number
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._said(child)
            elif isinstance(child, ast.comprehension):
                self._said(child.iter)
        return None

    def _values(self, nodes: Sequence[ast.expr]) -> list[Any]:
        """What stands in a list, or in the arguments of a call; what stands behind a star, one by one."""
        found: list[Any] = []
        for node in nodes:
            value = self._value(node)
            starred = isinstance(node, ast.Starred) and isinstance(value, list)
            found += value if starred and len(found) + len(value) <= MOST_ITEMS else [value]
        return found

    def _call(self, node: ast.Call) -> Any:
        receiver: Any = None
        if isinstance(node.func, ast.Attribute):
            receiver = self._value(node.func.value)
            name = f"{receiver.name}.{node.func.attr}" if isinstance(receiver, Ref) else f".{node.func.attr}"
        else:
            function = self._value(node.func)
            name = function.name if isinstance(function, Ref) else "?"
        name = _plain(name)
        args = self._values(node.args)
        keywords = {each.arg or "**": self._value(each.value) for each in node.keywords}
        self._line = node.lineno
        self.called(name, receiver, args, keywords, self._line)
        if name in FUNCTIONS:
            self.left -= sum(len(each) >> 2 for each in args if isinstance(each, str | list))
        return _outcome(name, receiver, [*args, *keywords.values()])


def _outcome(name: str, receiver: Any, args: list[Any]) -> Any:
    """What a call gives back."""
    match name, args:
        case "getattr", [Ref(name=owner), str() as part, *_]:
            return _known(f"{owner}.{part[:LONGEST_NAME]}")
        case "__import__" | "importlib.import_module", [str() as module, *_]:
            return Ref(module[:LONGEST_NAME])
        case "map", [Ref(name=each), list() | str() as items]:
            return [_outcome(each, None, [item]) for item in items]
    if name in FUNCTIONS:
        return tried(FUNCTIONS[name], *args)
    if name.startswith("."):
        return method(receiver, name[1:], args)
    return _known(f"{name}()") if name != "?" else None


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    """A dotted name by which a thing is known best."""
    first, point, rest = name.removeprefix("builtins.").partition(".")
    known = table("names")
    name = f"{known.get(first, first)}{point}{rest}"
    owner, point, last = name.rpartition(".")
    return str(known.get(name) or f"{known.get(owner, owner)}{point}{last}"[:LONGEST_NAME])


@lru_cache(maxsize=4096)
def _known(name: str) -> Any:
    """What a dotted name stands for."""
    name = _plain(name)
    return table("constants").get(name) or Ref(name)
