"""What does Python code reach for? By its syntax tree, with names that are bound to constants; nothing is run.

Names have no scopes: one stands for what was last bound to it, an attribute for what was bound under its name, a
parameter for what a call of its function was given. The tree is gone through twice, so that it counts what comes later.
"""

import ast
import warnings
from collections.abc import Callable
from typing import Any

from gaia_harness.audit.reaching.folding import FUNCTIONS, WRONG, Ref, attribute, binary, bounded, method, shown
from gaia_harness.audit.reaching.tables import calls

MOST_WORK = 400_000
"""Expressions looked at in one program; honest ones have some hundreds."""

MOST_TURNS = 200
"""Turns of loops over texts that are followed; any further loop is gone through once."""

Call = Callable[[str, Any, list[Any], dict[str, Any], int], None]
"""Is told of a call: its dotted name, what it is a method of, arguments, named arguments, line."""


def parse(code: str) -> ast.Module | None:
    """The syntax tree; None for what is no Python, or so deep that it cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape such as "\d" in somebody's code is not our matter
            return ast.parse(code)
    except Exception:  # beside SyntaxError whatever else the parser raises, as SystemError on nested code
        return None


class Walk:
    """One program gone through: what it calls, what else it mentions, and the names in it."""

    def __init__(self, tree: ast.Module, called: Call, mentioned: Callable[[Any, int], None]) -> None:
        self.called, self.mentioned = called, mentioned
        self.names: dict[str, Any] = {}
        self.imports: list[tuple[str, int]] = []
        self.left = MOST_WORK
        self.too_deep = False
        self._params: dict[str, list[str]] = {}
        self._imported: set[str] = set()
        self._line = 1
        self._turns_left = MOST_TURNS
        defines = any(
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in ast.walk(tree)
        )
        try:
            for self._last in (False, True) if defines else (True,):
                self._turns_left = MOST_TURNS
                self._body(tree.body)
        except RecursionError:
            self.too_deep = True

    def _body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self.left < 0:
                return
            self._statement(statement)

    def _statement(self, node: ast.AST) -> None:
        self._line = getattr(node, "lineno", self._line)
        match node:
            case ast.Import():
                for alias in node.names:
                    self._import(alias.name)
                    self.names[alias.asname or alias.name.partition(".")[0]] = Ref(
                        alias.name if alias.asname else alias.name.partition(".")[0]
                    )
            case ast.ImportFrom():
                for alias in node.names:
                    self._import(f"{node.module or ''}.{alias.name}")
                    self.names[alias.asname or alias.name] = Ref(f"{node.module or ''}.{alias.name}")
            case ast.Assign():
                value = self._said(node.value)
                for target in node.targets:
                    self._bind(target, value)
            case ast.AnnAssign() if node.value is not None:
                self._bind(node.target, self._said(node.value))
            case ast.AugAssign():
                old = self._value(node.target) if isinstance(node.target, ast.Name) else None
                self._bind(node.target, binary(type(node.op).__name__, old, self._said(node.value)))
            case ast.For() | ast.AsyncFor():
                for item in self._turns(self._said(node.iter)):
                    self._bind(node.target, item)
                    self._body(node.body)
                self._body(node.orelse)
            case ast.withitem():
                value = self._value(node.context_expr)
                if node.optional_vars is not None:
                    self._bind(node.optional_vars, value)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node)
            case ast.ClassDef():
                fields = [each.target.id for each in node.body if isinstance(each, ast.AnnAssign)
                          and isinstance(each.target, ast.Name)]  # fmt: skip
                self._params.setdefault(node.name, fields)
                first = next((each for each in node.body if getattr(each, "name", "") == "__init__"), None)
                if isinstance(first, ast.FunctionDef):
                    self._params[node.name] = [arg.arg for arg in first.args.args[1:]]
                self._body(node.body)
            case ast.Return() | ast.Yield() if node.value is not None:
                self._said(node.value)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._said(child)
                    else:
                        self._statement(child)

    def _turns(self, items: Any) -> list[Any]:
        """The turns of a loop that are followed: over texts or codes of letters, as long as there is room; else one."""
        letters = isinstance(items, list) and all(isinstance(each, int) and 31 < each < 127 for each in items)
        if not isinstance(items, list) or not (letters or any(isinstance(each, str | list) for each in items)):
            return [None]
        turns = items[: self._turns_left] or [None]
        self._turns_left -= len(turns)
        return turns

    def _import(self, name: str) -> None:
        self._imported.add(_plain(name).partition(".")[0])
        if self._last:
            self.imports.append((name, self._line))

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = node.args
        params = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)]
        self._params.setdefault(node.name, [each for each in params if each not in ("self", "cls")])
        for name, default in zip(params[::-1], arguments.defaults[::-1], strict=False):
            self.names[name] = self._said(default)
        for decorator in node.decorator_list:
            self._value(decorator)
        self._body(node.body)

    def _said(self, node: ast.expr) -> Any:
        value = self._value(node)
        if self._last and isinstance(value, str | list | dict):
            self.mentioned(value, self._line)
        return value

    def _bind(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                self.names[name] = value
            case ast.Tuple() | ast.List():
                parts = (
                    value if isinstance(value, list) and len(value) == len(target.elts) else [None] * len(target.elts)
                )
                for each, part in zip(target.elts, parts, strict=True):
                    self._bind(each, part)

    def _value(self, node: ast.expr) -> Any:
        self.left -= 1
        if self.left < 0:
            return None
        self._line = getattr(node, "lineno", self._line)
        match node:
            case ast.Constant(value=bytes() as data):
                return bounded(data.decode("latin-1"))
            case ast.Constant(value=value):
                return bounded(value) if isinstance(value, str | int) else None
            case ast.Name(id=name):
                return self.names[name] if name in self.names else _known(name)
            case ast.Attribute():
                return self._attribute(self._value(node.value), node.attr)
            case ast.JoinedStr():
                return bounded("".join(shown(self._value(each)) for each in node.values))
            case ast.FormattedValue(value=inner):
                return self._value(inner)
            case ast.BinOp():
                return self._sum(node)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                number = self._value(inner)
                return -number if isinstance(number, int) else None
            case ast.Call():
                return self._call(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.List() | ast.Tuple() | ast.Set():
                items: list[Any] = []
                for each in node.elts:
                    item = self._value(each)
                    items += item if isinstance(each, ast.Starred) and isinstance(item, list) else [item]
                return bounded(items)
            case ast.Dict():
                keys = [None if key is None else self._value(key) for key in node.keys]
                pairs = zip(keys, [self._value(value) for value in node.values], strict=True)
                return bounded({key: value for key, value in pairs if isinstance(key, str | int)})
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self._comprehension(node)
            case ast.Starred(value=inner) | ast.Await(value=inner):
                return self._value(inner)
            case ast.NamedExpr():
                self._bind(node.target, value := self._said(node.value))
                return value
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._said(child)
            elif isinstance(child, ast.comprehension):
                self._bind(child.target, self._value(child.iter))
        return None

    def _sum(self, node: ast.BinOp) -> Any:
        """Long sums lean to the left, deeper than Python recurses."""
        chain: list[ast.BinOp] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            chain.append(left)
            left = left.left
        value = self._value(left)
        for each in reversed(chain):
            value = binary(type(each.op).__name__, value, self._value(each.right))
        return value

    def _attribute(self, base: Any, name: str) -> Any:
        if isinstance(base, Ref):
            own = name in self.names and base.name.partition(".")[0].removesuffix("()") not in self._imported
            return self.names[name] if own else _known(f"{base.name}.{name}")
        part = attribute(base, name) if isinstance(base, str) else None
        return self.names.get(name) if part is None else part

    def _subscript(self, node: ast.Subscript) -> Any:
        base = self._value(node.value)
        if isinstance(node.slice, ast.Slice):
            ends = [
                None if end is None else self._value(end)
                for end in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            if isinstance(base, str | list) and all(end is None or isinstance(end, int) for end in ends):
                return base[slice(*ends)] if ends[2] != 0 else None
            return None
        key = self._value(node.slice)
        if base == Ref("sys.modules") and isinstance(key, str):
            return Ref(key)
        if base == Ref("os.environ") and isinstance(key, str):
            self._tell("os.environ[]", None, [key], {})
        try:
            return base[key] if isinstance(base, str | list | dict) else None
        except WRONG:
            return None

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Any:
        first, *others = node.generators
        items = self._value(first.iter)
        for other in others:
            self._bind(other.target, self._value(other.iter))
        known = isinstance(items, list | str) and not others and not first.ifs
        found = []
        for item in items[:MOST_ITEMS] if known else [None]:
            self._bind(first.target, item)
            found.append(self._value(node.elt))
            if self.left < 0:
                break
        for condition in first.ifs:
            self._value(condition)
        return bounded(found) if known else None

    def _call(self, node: ast.Call) -> Any:
        receiver: Any = None
        if isinstance(node.func, ast.Attribute):
            receiver = self._value(node.func.value)
            name = f"{receiver.name}.{node.func.attr}" if isinstance(receiver, Ref) else f".{node.func.attr}"
        else:
            function = self._value(node.func)
            name = function.name if isinstance(function, Ref) else "?"
        name = _plain(name)
        line = self._line = node.lineno
        args: list[Any] = []
        for each in node.args:
            value = self._value(each)
            args += value if isinstance(each, ast.Starred) and isinstance(value, list) else [value]
        keywords = {each.arg or "**": self._value(each.value) for each in node.keywords}
        self._line = line
        own = self._params.get(name.rpartition(".")[2])
        for param, value in (*zip(own or (), args, strict=False), *keywords.items()):
            if own is not None and value is not None:
                self.names[param] = value
        self._tell(name, receiver, args, keywords)
        return self._outcome(name, receiver, args, keywords)

    def _tell(self, name: str, receiver: Any, args: list[Any], keywords: dict[str, Any]) -> None:
        if self._last:
            self.called(name, receiver, args, keywords, self._line)

    def _outcome(self, name: str, receiver: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        if name == "getattr" and len(args) > 1 and isinstance(args[0], Ref) and isinstance(args[1], str):
            return _known(f"{args[0].name}.{args[1]}")
        if name in ("__import__", "importlib.import_module") and args and isinstance(args[0], str):
            return Ref(args[0].partition(".")[0] if name == "__import__" and "fromlist" not in keywords else args[0])
        if name in ("os.environ.get", "os.getenv") and len(args) > 1:
            return args[1]
        if name == "map" and len(args) == 2 and isinstance(args[0], Ref) and isinstance(args[1], list | str):
            return bounded([self._outcome(args[0].name, None, [each], {}) for each in args[1]])
        try:
            if name in FUNCTIONS:
                return bounded(FUNCTIONS[name](*args)) if None not in args or name in _HOLLOW else None
            if name.startswith(".") and receiver is not None:
                return method(receiver, name[1:], [*args, *keywords.values()])
        except WRONG:
            return None
        return _known(f"{name}()") if name[:1] not in (".", "?") else None


MOST_ITEMS = 4096
_HOLLOW = frozenset(("str", "os.path.join", "Path", "str.join"))
"""Functions that still tell something when an argument is not known."""


def _plain(name: str) -> str:
    """A dotted name by which a thing is known best."""
    for beginning in ("builtins.", "__builtins__."):
        name = name.removeprefix(beginning)
    first, point, rest = name.partition(".")
    name = f"{calls().names.get(first, first)}{point}{rest}"
    owner, point, last = name.rpartition(".")
    return calls().names.get(name) or (f"{calls().names.get(owner, owner)}{point}{last}")[:200]


def _known(name: str) -> Any:
    """What a dotted name stands for."""
    name = _plain(name)
    constant = calls().constants.get(name)
    return Ref(name) if constant is None else constant
