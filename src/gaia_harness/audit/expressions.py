"""Evaluates the expressions of a program under analysis. Used by `program`."""

import ast
from typing import Any

from gaia_harness.audit.calls import DEEPEST, ENVIRONMENT, LONGEST_LOOP, Calls
from gaia_harness.audit.constant_folding import (
    CONSTANTS,
    CONTAINERS,
    MOST_ITEMS,
    UNKNOWN,
    Ref,
    Route,
    attribute,
    binary,
    bounded,
    items_in,
    known,
    method,
    shown,
)
from gaia_harness.audit.routines import Blueprint, Routine, plain_name


class Expressions(Calls):
    """Works out expressions. Who follows the statements says what a body of them does."""

    def _items(self, value: Any) -> list[Any]:
        """What a loop goes over; once over something unknown where that is not told."""
        if value == ENVIRONMENT:
            self._note(f"{ENVIRONMENT.name}.keys", (), {}, self.line)
        if not isinstance(value, (*CONTAINERS, str, bytes)) or isinstance(value, Ref | Route) or self._spent():
            return [UNKNOWN]
        return list(value) if 0 < len(value) <= LONGEST_LOOP else [UNKNOWN]

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
                elif owner == ENVIRONMENT:
                    self._set(key, value)
            case ast.Starred():
                self._bind(target.value, UNKNOWN)
            case ast.Attribute():
                self._value(target)
                owner = self._value(target.value)
                if isinstance(owner, Blueprint):
                    owner.set(target.attr, value)

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
                text = bounded("".join(shown(self._value(part)) for part in node.values))
                self._charge(text)
                return text
            case ast.FormattedValue():
                shown_value = self._value(node.value)
                return self._items(shown_value)[0] if shown_value == ENVIRONMENT else shown_value
            case ast.List() | ast.Set():
                return self._contained(self._elements(node.elts))
            case ast.Tuple():
                return self._contained(tuple(self._elements(node.elts)))
            case ast.Dict():
                keys = [UNKNOWN if key is None else self._value(key) for key in node.keys]
                values = [self._value(value) for value in node.values]
                for key, value in zip(node.keys, values, strict=True):
                    if key is None:
                        self._items(value)
                return self._contained({k: v for k, v in zip(keys, values, strict=True) if isinstance(k, str | int)})
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
                return self._routine(node.args, None, node.body)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                found: list[Any] = []
                self._comprehend(node.generators, node.elt, found)
                return bounded(found)
            case ast.DictComp():
                self._comprehend(node.generators, ast.Tuple([node.key, node.value], ast.Load()), [])
                return UNKNOWN
            case ast.Starred() | ast.Await():
                return self._value(node.value)
            case ast.Yield() | ast.YieldFrom():
                value = UNKNOWN if node.value is None else self._value(node.value)
                if len(self.yielded) < LONGEST_LOOP:
                    self.yielded += [value] if isinstance(node, ast.Yield) else self._items(value)
                return UNKNOWN
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

    def _contained(self, value: list[Any] | tuple[Any, ...] | dict[Any, Any]) -> Any:
        """A container that was written down, if it is not too large; all that is within it is gone through."""
        count = items_in(value)
        self._charge(range(count))
        return value if count <= MOST_ITEMS else UNKNOWN

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
            value = binary(type(operator).__name__, left, right)
            self._charge(left, right, value)
            return value
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
        if isinstance(owner, Blueprint):
            part = owner.part(node.attr)
            asked = isinstance(part, Routine) and part.kind == "property"
            return self._enter(part, [], {}) if asked else part
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
                return self._variable(key)
            return Ref(plain_name(f"{owner.name}.{key}")) if isinstance(key, str) and key.isidentifier() else UNKNOWN
        if not known(owner) or isinstance(owner, Route):
            return UNKNOWN
        value = owner[key]
        self._charge(value)
        return value

    def _call(self, node: ast.Call) -> Any:
        receiver: Any = None
        if isinstance(node.func, ast.Attribute):
            receiver = self._value(node.func.value)
            self.program.names.add(node.func.attr)
        callee = self._attribute_of(receiver, node.func.attr) if isinstance(node.func, ast.Attribute) else None
        if callee is None:
            callee = self._value(node.func)
        args = self._elements(node.args)
        keywords: dict[str, Any] = {}
        for word in node.keywords:
            value = self._value(word.value)
            keywords |= {word.arg or "**": value}
            if word.arg is None and isinstance(value, dict):
                keywords |= {key: part for key, part in value.items() if isinstance(key, str)}
        if isinstance(callee, Routine):
            return self._enter(callee, args, keywords)
        if isinstance(callee, Blueprint):
            return self._build(callee, args, keywords)
        if isinstance(callee, Ref):
            return self._known_call(callee.name, args, keywords, node.lineno)
        if isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if isinstance(receiver, list) and name in ("append", "extend", "insert") and len(receiver) < LONGEST_LOOP:
                receiver[len(receiver) :] = list(args[0]) if name == "extend" else [args[-1]]
                return None
            if isinstance(receiver, Route):
                self._note(f"Path.{name}", tuple(args), keywords, node.lineno, receiver)
            elif not known(receiver) or isinstance(receiver, Blueprint):
                self._asked(name, args)
                self._note(f".{name}", tuple(args), keywords, node.lineno)
                self._hand_over(f".{name}", args, keywords, node.lineno)
            if not known(receiver):
                return UNKNOWN
            value = method(receiver, name, args, keywords)
            self._charge(receiver, *args, value)
            return value
        self._note("?", tuple(args), keywords, node.lineno)
        return UNKNOWN
