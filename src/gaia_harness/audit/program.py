"""Follows a program's syntax tree with constants folded, and lists the calls it makes. Nothing is run.

Both branches of a condition are followed, loops over constants turn by turn, functions where they are called. What
cannot be told from the text is `UNKNOWN`, or a `HOLE` inside a text.
"""

import ast
import warnings

from gaia_harness.audit.calls import DEEPEST, LOOP_WORK, WORK
from gaia_harness.audit.constant_folding import UNKNOWN, Ref
from gaia_harness.audit.expressions import Expressions
from gaia_harness.audit.routines import Blueprint, Called, Program, plain_name

__all__ = ["Called", "Program", "broken_line", "follow", "parse"]


def parse(code: str) -> ast.Module | None:
    """The syntax tree; None for what is no Python, or so deep that it cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape such as "\d" in somebody's code is not our matter
            return ast.parse(code)
    except Exception:  # also SystemError, which the parser of Python 3.11 raises in threads on nested code
        return None


def broken_line(lines: list[str]) -> int | None:
    """Where Python stops reading, from 0."""
    try:
        compile("\n".join(lines), "code", "exec", dont_inherit=True)
    except SyntaxError as error:
        place = min(error.lineno or 0, len(lines)) - 1
        while place > 0 and not lines[place].strip():
            place -= 1
        return place if place >= 0 and lines[place].strip() else None
    except Exception:  # whatever else the parser raises: it cannot be read
        return None
    return None


def follow(tree: ast.Module) -> Program:
    """Follow a program; where it has branches a second time, so that each one's values are those that last."""
    program = Program()
    _Follower(program, last_branch=True).run(tree)
    if program.branching and program.work < WORK:
        _Follower(program, last_branch=False).run(tree)
    return program


class _Follower(Expressions):
    def run(self, tree: ast.Module) -> None:
        self._body(tree.body)

    # statements

    def _body(self, body: list[ast.stmt]) -> None:
        if self.depth > DEEPEST:
            self.program.deep = True
            return
        self.depth += 1
        try:
            for statement in body:
                self._statement(statement)
        finally:
            self.depth -= 1

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Import():
                for alias in node.names:
                    self._import(alias.name, node.lineno)
                    name = alias.asname or alias.name.partition(".")[0]
                    self.names[name] = Ref(alias.name if alias.asname else name)
            case ast.ImportFrom():
                module = node.module or ""
                self._import(module, node.lineno)
                for alias in node.names:
                    full = f"{module}.{alias.name}"
                    self._import(full, node.lineno)
                    self.names[alias.asname or alias.name] = Ref(plain_name(full))
            case ast.Assign():
                value = self._value(node.value)
                for target in node.targets:
                    self._bind(target, value)
            case ast.AnnAssign() if node.value is not None:
                self._bind(node.target, self._value(node.value))
            case ast.AugAssign():
                old = self._value(node.target) if isinstance(node.target, ast.Name) else UNKNOWN
                self._bind(node.target, self._binary(node.op, old, self._value(node.value)))
            case ast.For() | ast.AsyncFor():
                self._loop(node)
            case ast.While():
                self._value(node.test)
                self._body(node.body)
                self._body(node.orelse)
            case ast.If():
                self._value(node.test)
                branches = [node.body, node.orelse]
                self._branches(branches)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    value = self._value(item.context_expr)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, value)
                self._body(node.body)
            case ast.Try() | ast.TryStar():
                self.program.guarded = True
                parts = [node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody]
                self._branches(parts)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node)
            case ast.ClassDef():
                self._class(node)
            case ast.Return():
                value = UNKNOWN if node.value is None else self._value(node.value)
                if self.returned is UNKNOWN:
                    self.returned = value
            case ast.Match():
                self._value(node.subject)
                for case in node.cases:
                    self._body(case.body)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._value(child)

    def _branches(self, branches: list[list[ast.stmt]]) -> None:
        self.branches += 1
        for branch in branches if self.last_branch else branches[::-1]:
            self._body(branch)
        self.branches -= 1

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        marks = [self._value(value) for value in node.decorator_list]
        kinds = [mark.name for mark in marks if mark in (Ref("staticmethod"), Ref("property"))]
        routine = self._routine(node.args, node.body, None, kinds[0] if kinds else "")
        self.names[node.name] = routine
        # followed here too, for a function may be called in a way that is not seen
        before, returned, yielded, owner = dict(self.names), self.returned, self.yielded, self.owner
        self.names |= dict.fromkeys((*routine.params, routine.rest, routine.others), UNKNOWN) | routine.defaults
        if owner is not None and routine.params and routine.kind != "staticmethod":
            self.names[routine.params[0]] = owner
        self.owner, self.yielded = None, []
        self._body(node.body)
        self.names, self.returned, self.yielded, self.owner = before, returned, yielded, owner

    def _class(self, node: ast.ClassDef) -> None:
        for value in node.decorator_list:
            self._value(value)
        made = Blueprint(node.name)
        for base in [self._value(value) for value in node.bases]:
            if isinstance(base, Blueprint):
                made.parts |= base.parts
                made.fields += base.fields
        before, owner = dict(self.names), self.owner
        self.names[node.name] = self.owner = made
        for statement in node.body:
            self._body([statement])
            for name in _names_bound(statement):
                made.parts[name] = self.names.get(name, UNKNOWN)
                if isinstance(statement, ast.AnnAssign) and name not in made.fields:
                    made.fields.append(name)
        self.names, self.owner = before, owner
        self.names[node.name] = made

    def _loop(self, node: ast.For | ast.AsyncFor) -> None:
        items = self._items(self._value(node.iter))
        outermost = self.loop_left is None
        if outermost:
            self.loop_left = LOOP_WORK
        for item in items:
            self._bind(node.target, item)
            self._body(node.body)
            if self._spent():
                break
        if outermost:
            self.loop_left = None
        self._body(node.orelse)


def _names_bound(statement: ast.stmt) -> list[str]:
    """The names that a statement of a class gives to its objects."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [statement.name]
        case ast.Assign():
            return [target.id for target in statement.targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []
