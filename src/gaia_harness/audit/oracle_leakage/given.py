"""What a task was given before its first word: its pieces, and the answers that stand in them."""

import codecs
import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence

import msgspec

from gaia_harness.audit.oracle_leakage.golds import Answer, Golds
from gaia_harness.audit.oracle_leakage.phrases import phrases
from gaia_harness.evidence.views import from_html, from_json, views
from gaia_harness.evidence.wording import reduce

LONGEST = 1 << 20
"""Characters of a text that are read; real prompts have some ten KB."""

MOST_PIECES = 2_000
"""Of a text, whose forms are compared with those of other tasks."""

LEAD = 7
"""Words before an answer among which something announces it."""

NEAR = 12
"""Words behind a key (an id, the beginning or the end of the question) among which its answer stands in a table."""

BEGINNING, END = 6, 8
"""Words at a question's beginning and end that it is known by."""

TELLING = 3
"""Telling answers of different tasks that make a list of answers."""

MOST_BETWEEN, A_GOLD = 24, 14
"""Words from one of them to the next at most, and for each of them on average: others may be short or common."""

ASKED = "\ue001"
"""Stands in a text for the task's question: a character of its own, which no text has."""

MOST_KEYS = 20

_BREAK = "\ue000"
_MARK = _BREAK.encode()
_ENDS = (". ", "! ", "? ", ": ", "; ")
_DIGITS = bytes(0x23 if 0x30 <= code <= 0x39 else code for code in range(256))


class Reading:
    """One text: its sentences and lines as reduced words, and the telling answers in it."""

    def __init__(self, text: str, golds: Golds) -> None:
        self.text = text[:LONGEST]
        if "\\u" in self.text or "&#" in self.text:
            self.text = from_html(from_json(self.text))
        broken = self.text
        for end in _ENDS:
            broken = broken.replace(end, end[0] + "\n")
        words = reduce(broken.replace("\n", f" {_BREAK} ")) if broken.strip() else b""
        self.pieces = [piece for piece in words.split(_MARK) if len(piece) > 1]
        self.words = b"".join([piece[:-1] for piece in self.pieces]) + b" " if self.pieces else b""
        starts, at = [], 0
        for piece in self.pieces:
            starts.append(at)
            at += len(piece) - 1
        self.starts = starts
        self.found = golds.find(self.words)
        self.hidden: list[tuple[str, Reading]] | None = None  # its views, once somebody asks

    def piece_at(self, place: int) -> int:
        """Which piece a place in the words lies in."""
        return bisect_right(self.starts, place) - 1

    def forms(self) -> list[int]:
        """A number for each piece: by its words but for digits, with how many they are in the last 16 bits."""
        return [form_of(piece) for piece in self.pieces[:MOST_PIECES]]


def form_of(piece: bytes, *, masked: bool = True) -> int:
    """The number of a piece: see `Reading.forms`."""
    form = piece.translate(_DIGITS) if masked else piece
    while b"##" in form:
        form = form.replace(b"##", b"#")
    digest = hashlib.blake2b(form, digest_size=6).digest()
    return int.from_bytes(digest, "big") << 16 | (min(piece.count(b" ") - 1, 0xFFFF) if masked else 0)


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where the task's own answer stands, and whether a word before it announces it: outright, or officially."""

    at: int
    announced: bool = False
    outright: bool = False
    official: bool = False


def places(answer: Answer, words: bytes) -> Iterator[Place]:
    """Every place in reduced words at which an answer stands."""
    known = phrases()
    for form in answer.forms:
        at = words.find(form)
        while at >= 0:
            announced = outright = official = False
            for word in reversed(words[max(0, at - 80) : at + 1].split()[-LEAD:]):
                outright = outright or word in known.cues
                announced = announced or outright or word in known.weak_cues
                official = official or word in known.official
                if word not in known.fillers:
                    break
            yield Place(at, announced, outright, official and announced)
            at = words.find(form, at + 1)


def keys_of(task_id: str, question: str) -> tuple[bytes, ...]:
    """What stands for a task in a table: its id, whole or by its first part, the ends of its question."""
    asked = reduce(question[:LONGEST]).split()
    name = reduce(task_id).split()
    keys = [name, name[:1] if name and len(name[0]) >= 6 and not name[0].isalpha() else [], [b"".join(name)]]
    keys.append([ASKED.encode()])
    if len(asked) > END:
        keys += [asked[:BEGINNING], asked[-END:]]
    return tuple(
        dict.fromkeys(
            b" " + b" ".join(key) + b" " for key in keys if sum(map(len, key)) >= 6 or key == [ASKED.encode()]
        )
    )


def behind(reading: Reading, keys: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """What stands behind each key: where it begins in the words, and its pieces, one after the other."""
    for key in keys:
        at = reading.words.find(key)
        for _ in range(MOST_KEYS):
            if at < 0:
                break
            start = at + len(key) - 1
            first = reading.piece_at(start)
            for piece in reading.pieces[first : first + 4]:
                yield start, piece
            at = reading.words.find(key, start)


def span_of_list(reading: Reading, golds: Golds, *, telling: int = TELLING) -> tuple[int, int] | None:
    """Where a text has a list of answers: those of several tasks, with few words between one and the next.

    It has figures and words. A list of one kind (colours, places, years) may be about that kind.
    """
    group: list[tuple[int, int]] = []
    for number, at in (*reading.found, (-1, -1)):
        if group and (number < 0 or reading.words.count(b" ", group[-1][1], at) > MOST_BETWEEN):
            start, end = group[0][1], group[-1][1]
            numbers = {each for each, _ in group}
            kinds = {golds.answers[each].has_digits for each in numbers}
            size = reading.words.count(b" ", start, end)
            if len(numbers) >= telling and len(kinds) == 2 and size <= A_GOLD * len(numbers):
                return start, end
            group = []
        group.append((number, at))
    return None


def hidden_texts(reading: Reading) -> Iterator[tuple[str, str]]:
    """What stands in a text as base64, hex or escapes of an address, or in sentences turned round or in rot13."""
    for view in views(reading.text):
        if "64" in view.name or "hex" in view.name or "url" in view.name:
            yield view.name, view.text
    if b" eht " in reading.words or b" rewsna " in reading.words:
        yield "reversed", reading.text[::-1]
    if b" gur " in reading.words or b" nafjre " in reading.words:
        yield "rot13", codecs.encode(reading.text, "rot13")
