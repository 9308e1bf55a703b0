"""Values that a program wrote as Python prints them: read as data, never run."""

import ast
import re
import warnings
from typing import Any

LARGEST = 4 * 1024 * 1024
MAX_DEPTH = 100

# a string, which stays as it is; a member of an enum; an object that says no more than where it is
_PARTS = re.compile(
    r"""'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+"|"""
    r"""<\w+\.\w+: ('[^'\n]{0,80}'|\d{1,9})>|<[^<>'"]{1,300} at 0x\w{1,16}>""",
    re.DOTALL,
)


class NotARepr(Exception):
    """Text that is no such value, or one with parts that Python cannot read back."""


def read_repr(text: str) -> Any:
    """Strings, numbers, lists, tuples (as lists), dicts; `Name(field=…)` becomes a dict of its fields.

    Members of enums, which Python prints as `<Role.USER: 'user'>`, become their values; objects without a value,
    such as `<Image at 0x7f>`, become None.
    """
    if len(text) > LARGEST:
        raise NotARepr(f"longer than {LARGEST >> 20} MiB")
    text = _PARTS.sub(lambda part: part[0] if part[0][0] != "<" else part[1] or "None", text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's remarks on odd escapes are not for our user
            return _value(ast.parse(text, mode="eval").body, MAX_DEPTH)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise NotARepr("not a value as Python prints it") from None


def _value(node: ast.expr, depth: int) -> Any:
    if depth == 0:
        raise NotARepr(f"nested deeper than {MAX_DEPTH}")
    match node:
        case ast.Constant(value=str() | int() | float() | bool() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [_value(item, depth - 1) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {
                str(_value(key, depth - 1)): _value(value, depth - 1)
                for key, value in zip(keys, values, strict=True)
                if key is not None
            }
        case ast.Name(id="nan" | "inf"):
            return None
        case ast.Call(func=ast.Name() | ast.Attribute(value=ast.Name()), args=args, keywords=keywords):
            fields = {word.arg: _value(word.value, depth - 1) for word in keywords if word.arg is not None}
            return {"args": [_value(arg, depth - 1) for arg in args], **fields} if args else fields
    raise NotARepr("not a value as Python prints it")
