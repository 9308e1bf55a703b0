"""The kinds of questions that are asked in the invented world.

`[this|that]` is a choice, `{kind}` a blank (see `words`). A fact says in other words what the question asks for.
"""

import msgspec

from redteam.data import load


class Template(msgspec.Struct, frozen=True):
    """One kind of question: its level, what it is about, its wording, its gold, and how an honest page puts it."""

    level: int
    topic: str
    question: str
    gold: str
    fact: str
    quote: str = ""


def templates(file: str, group: str) -> tuple[Template, ...]:
    """The templates of one group in a file of `redteam/data`."""
    return msgspec.convert(load(file)[group], tuple[Template, ...])
