"""Invented names, numbers and verses, drawn from a seeded source, and patterns that are filled with them."""

import random
import re
from collections.abc import Callable, Mapping

from redteam.data import load

_WORDS: dict[str, list[str]] = load("words")


def seeded(*seed: object) -> random.Random:
    """A random generator that draws the same for the same seed, on every machine."""
    return random.Random("/".join(map(str, seed)))  # noqa: S311 - invented content, not a secret


def _pick(rng: random.Random, kind: str) -> str:
    return rng.choice(_WORDS[kind])


def _stem(rng: random.Random) -> str:
    return _pick(rng, "starts") + _pick(rng, "middles")


def _town(rng: random.Random) -> str:
    return _stem(rng) + _pick(rng, "towns")


def _surname(rng: random.Random) -> str:
    return _stem(rng) + _pick(rng, "surnames")


def _person(rng: random.Random) -> str:
    return f"{_pick(rng, 'first')} {_surname(rng)}"


def _title(rng: random.Random) -> str:
    return f"The {_pick(rng, 'adjectives')} {_pick(rng, 'nouns')}"


def _code(rng: random.Random) -> str:
    letters = "".join(rng.choice("ABCDEFGHKLMNPRSTVWXZ") for _ in range(rng.randint(2, 3)))
    return f"{letters}-{rng.randint(100, 9999)}"


def _poem(rng: random.Random) -> str:
    lines = [
        f"{rng.choice(('The', 'A', 'No', 'One'))} {_pick(rng, 'adjectives').lower()} {_pick(rng, 'nouns').lower()} "
        f"{rng.choice(('waits beneath', 'sings above', 'forgets', 'has crossed', 'will not leave', 'counts'))} "
        f"{rng.choice(('the', 'my', 'our', 'that'))} {_pick(rng, 'adjectives').lower()} {_pick(rng, 'nouns').lower()}"
        for _ in range(rng.randint(2, 4))
    ]
    return " / ".join(lines)


def _rule(rng: random.Random) -> str:
    return (
        f"No {_pick(rng, 'crafts')} shall {rng.choice(('sell', 'carry', 'weigh', 'mend'))} {_pick(rng, 'things')} "
        f"{rng.choice(('after dusk', 'on a feast day', 'within the walls', 'without a seal'))} save by leave of the "
        f"{rng.choice(('reeve', 'warden', 'bailiff', 'almoner'))}, on pain of {rng.randint(2, 60)} "
        f"{rng.choice(('groats', 'shillings', 'days at the wheel', 'measures of salt'))}"
    )


_KINDS: dict[str, Callable[[random.Random], str]] = {
    "town": _town,
    "surname": _surname,
    "person": _person,
    "first": lambda rng: _pick(rng, "first"),
    "river": lambda rng: f"River {_stem(rng)}",
    "island": lambda rng: f"{_stem(rng)}oy",
    "ship": lambda rng: f"{_pick(rng, 'adjectives')} {_pick(rng, 'nouns')}",
    "book": _title,
    "plant": lambda rng: f"{_pick(rng, 'latin')} {_pick(rng, 'species')}",
    "bird": lambda rng: _pick(rng, "birds"),
    "firm": lambda rng: f"{_surname(rng)} & {rng.choice(('Sons', 'Daughters', 'Company', 'Partners'))}",
    "craft": lambda rng: _pick(rng, "crafts"),
    "dish": lambda rng: _pick(rng, "dishes"),
    "metal": lambda rng: _pick(rng, "metals"),
    "thing": lambda rng: _pick(rng, "things"),
    "instrument": lambda rng: _pick(rng, "instruments"),
    "colour": lambda rng: _pick(rng, "colours"),
    "month": lambda rng: _pick(rng, "months"),
    "weekday": lambda rng: _pick(rng, "weekdays"),
    "day": lambda rng: str(rng.randint(1, 28)),
    "year": lambda rng: str(rng.randint(1811, 2014)),
    "small": lambda rng: str(rng.randint(1, 9)),
    "n": lambda rng: str(rng.randint(11, 98)),
    "big": lambda rng: str(rng.randint(1200, 98000)),
    "dec": lambda rng: f"{rng.randint(0, 40)}.{rng.randint(11, 99)}",
    "minus": lambda rng: f"-{rng.randint(2, 38)}",
    "code": _code,
    "yesno": lambda rng: rng.choice(("yes", "no")),
    "letter": lambda rng: rng.choice("ABCDEFGHKLMNPRSTW"),
    "greek": lambda rng: _pick(rng, "greek"),
    "russian": lambda rng: _pick(rng, "russian"),
    "japanese": lambda rng: _pick(rng, "japanese"),
    "arabic": lambda rng: _pick(rng, "arabic"),
    "emoji": lambda rng: _pick(rng, "emoji"),
    "poem": _poem,
    "rule": _rule,
    "asknumber": lambda rng: _pick(rng, "ask_number"),
    "askname": lambda rng: _pick(rng, "ask_name"),
    "asklist": lambda rng: _pick(rng, "ask_list"),
}

_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_SLOT = re.compile(r"\{([a-z]+)(\d*)\}")


class Slots:
    """What stands for each blank in the patterns of one task: drawn when first asked for, the same ever after."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._values: dict[str, str] = {}

    def fill(self, pattern: str) -> str:
        """The pattern with one of each `[this|that]` and a word for each `{kind}`."""
        chosen = _CHOICE.sub(lambda found: self._rng.choice(found[1].split("|")), pattern)
        return " ".join(_SLOT.sub(self._value, chosen).split(" ")).replace("  ", " ").strip()

    def known(self, name: str) -> str | None:
        """What was drawn for a blank, if it was."""
        return self._values.get(name)

    def _value(self, found: re.Match[str]) -> str:
        name = found[0]
        if name not in self._values:
            for _ in range(20):
                value = _KINDS[found[1]](self._rng)
                if found[1].startswith("ask") or value not in self._values.values():
                    break
            self._values[name] = value
        return self._values[name]


def kinds() -> Mapping[str, Callable[[random.Random], str]]:
    """How a word of each kind is drawn."""
    return _KINDS


def words_of(kind: str, rng: random.Random, count: int) -> list[str]:
    """So many different words of a kind, or as many as there are."""
    found: dict[str, None] = {}
    for _ in range(count * 20):
        found[_KINDS[kind](rng)] = None
        if len(found) == count:
            break
    return list(found)
