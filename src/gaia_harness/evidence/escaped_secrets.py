r"""Finds secrets whose characters are escaped, in any mixture and to any depth.

`A` may stand in a text as `\u0041`, `\\x41`, `%41`, `%2541`, `&#65;`, `%5Cu0041` and so on. Every such escape begins
with a backslash, a percent sign or an ampersand. So only there can a text be read in more than one way. All those ways
are followed at once, from the end of the text to its beginning: one bit for each character of a secret says whether
the rest of the secret can be read from here on. The work is in proportion to the text, whatever stands in it.
"""

import re
import string
from collections.abc import Iterable, Iterator, Mapping
from html.entities import html5
from typing import NamedTuple

from gaia_harness.records.excerpt import to_bytes

MARKS = frozenset("\\%&")
"""Every escape begins with one of them."""

MOST_READINGS = 32
"""Of one place: a character may be escaped so often, one way upon another."""

MOST_DIGITS = 24
"""Of the number of a character in HTML: there may be zeros before it."""

LONGEST_ESCAPE = 40
"""Characters between two marks inside one escape: an entity's name or number."""

LONGEST_AT_END = 256
"""Characters of an escape upon escapes that is cut off."""

BEHIND_A_CUT = "…\"'`"
"""What stands behind the rest of a text that was cut off, as in messages."""

_HEX = frozenset(string.hexdigits)
_DIGITS = frozenset(string.digits)
_WORD = frozenset(string.ascii_letters + string.digits)
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ANY_MARK = re.compile(r"[\\%&]")
_IN_ESCAPES = string.ascii_letters + string.digits + "\\%&#;"

Reading = tuple[str, int]
"""A character, and where the text goes on behind it."""


class Span(NamedTuple):
    """Where a secret stands."""

    begin: int
    stop: int
    secret: str


class EscapedSecrets:
    """Looks for forms of secrets; each form is given with its secret."""

    def __init__(self, forms: Mapping[str, str], *, least_cut_off: int) -> None:
        """Of a form that is cut off, so many characters are still found."""
        self._bits: dict[str, int] = {}
        self._starts: dict[int, str] = {}  # by the first bit of a form
        self._ends = self._all = self._cut = self._signs = 0
        place = 0
        for form, secret in forms.items():
            self._starts[place] = secret
            for number, character in enumerate(form):
                bit = 1 << (place + number)
                self._bits[character] = self._bits.get(character, 0) | bit
                self._all |= bit
                if character not in _WORD:
                    self._signs |= bit
                if number >= least_cut_off and form[0] not in "/~":  # the path of a file: its folder is no secret
                    self._cut |= bit
            place += len(form)
            self._ends |= 1 << place
            place += 1
        self._first = sum(1 << place for place in self._starts)
        self._gap = max(map(len, forms), default=0) + LONGEST_ESCAPE
        self._inner = frozenset(self._bits) | _WORD | frozenset("%&\\#;")
        if any(ord(character) > 127 for character in self._bits):  # of which an escape may give a part
            self._inner |= {chr(code) for code in range(0xD800, 0xE000)}
        self._names = {name: sign for name, sign in html5.items() if sign in self._inner}
        self._name_starts = {name[:size] for name in self._names for size in range(1, len(name) + 1)}
        self._escapes = tuple(_escapes_of(frozenset(self._bits), self._names)) if forms else ()

    def spans(self, text: str, *, goes_on: bool = False, whole: bool = False) -> Iterator[Span]:
        """Where escaped secrets stand in a text, unless `whole` also such that are cut off.

        If the text `goes_on`, whatever a secret begins with at its end is taken for that secret.
        """
        cut = 0 if whole else self._cut
        if any(mark in text and escape.search(text) for mark, escape in self._escapes):
            for low, high in self._stretches(text):
                at_end = 0 if high < len(text) else self._all if goes_on else cut
                yield from self._in_stretch(text, low, high, cut, at_end)

    def _stretches(self, text: str) -> Iterator[tuple[int, int]]:
        """The parts of a text in which marks stand near enough to each other to be in one secret."""
        places = [match.start() for match in _ANY_MARK.finditer(text)]
        first = 0
        for number, place in enumerate(places):
            if number + 1 == len(places) or places[number + 1] - place > self._gap:
                low, high = max(0, places[first] - self._gap), min(len(text), place + 2 * self._gap)
                if any(escape.search(text, low, high) for _, escape in self._escapes):
                    yield low, high
                first = number + 1

    def _in_stretch(self, text: str, low: int, high: int, cut: int, at_end: int) -> Iterator[Span]:
        ends, bits = self._ends, self._bits
        read = _Readings(text, high, self._inner, self._names, self._name_starts)
        tail = max(low, high - LONGEST_AT_END)
        broken_off = tail + len(text[tail:high].rstrip(_IN_ESCAPES))  # behind it, the text may end inside an escape
        rest = [0] * (high - low) + [at_end]  # by place: which rests of which forms can be read from there
        state = at_end
        for place in range(high - 1, low - 1, -1):
            character = text[place]
            if character in MARKS:
                state = 0
                for sign, behind in read.add(place):
                    state |= ((rest[behind - low] | ends) >> 1) & bits.get(sign, 0)
                    if sign == "\\" and behind < high:  # it belongs to what is behind it
                        state |= rest[behind - low] & (self._all if text[behind] in MARKS else self._signs)
                if place >= broken_off:
                    state |= at_end
            else:
                state = ((state | ends) >> 1) & bits.get(character, 0)
                if character in BEHIND_A_CUT:
                    state |= cut
            rest[place - low] = state
            if state & self._first:
                for first, secret in self._starts.items():
                    if state >> first & 1:
                        yield Span(place, self._stop(read, rest, low, place, first), secret)

    def _stop(self, read: "_Readings", rest: list[int], low: int, place: int, bit: int) -> int:
        """Where what can be read from here ends, by the longest way."""
        while not self._ends >> bit & 1:
            readings = read.at(place)
            further = [
                behind
                for sign, behind in readings
                if self._bits.get(sign, 0) >> bit & 1 and (rest[behind - low] | self._ends) >> (bit + 1) & 1
            ]
            if further:
                place, bit = max(further), bit + 1
                continue
            skipped = [behind for sign, behind in readings if sign == "\\" and rest[behind - low] >> bit & 1]
            if not skipped:  # it is cut off here
                return place if place < read.end and read.text[place] in BEHIND_A_CUT else read.end
            place = max(skipped)
        return place


class _Readings:
    """How a text can be read at each place; places with a mark are added from the last to the first."""

    def __init__(
        self, text: str, end: int, inner: frozenset[str], names: Mapping[str, str], name_starts: set[str]
    ) -> None:
        self.text = text
        self.end = end
        self._inner = inner
        self._names = names
        self._name_starts = name_starts
        self._marks: dict[int, list[Reading]] = {}

    def at(self, place: int) -> Iterable[Reading]:
        """One character, escaped or not, that begins here."""
        found = self._marks.get(place)
        if found is not None:
            return found
        return ((self.text[place], place + 1),) if place < self.end else ()

    def add(self, place: int) -> list[Reading]:
        """The same of a place with a mark; all that is behind it was added before."""
        found: list[Reading] = [(self.text[place], place + 1)]
        for sign, behind in found:  # which grows while it is read
            if sign in MARKS:
                for reading in self._escaped(sign, behind):
                    if reading[0] in self._inner and reading not in found and len(found) < MOST_READINGS:
                        found.append(reading)
        self._marks[place] = found
        return found

    def _escaped(self, mark: str, behind: int) -> Iterator[Reading]:
        if mark == "%":
            yield from self._bytes(behind)
        elif mark == "&":
            yield from self._entities(behind)
        else:
            yield from self._in_json(behind)

    def _bytes(self, place: int) -> Iterator[Reading]:
        for code, behind in self._numbers(place, 2):
            yield (chr(code) if code < 128 else chr(0xDC00 + code)), behind
            if code >= 128:
                yield chr(code), behind
                yield from self._of_bytes(bytes([code]), behind)

    def _of_bytes(self, data: bytes, place: int) -> Iterator[Reading]:
        """The character that these bytes and those that follow are in UTF-8."""
        for sign, behind in self.at(place) if len(data) < 4 else ():
            if 0xDC80 <= ord(sign) < 0xDCC0:
                more = data + bytes([ord(sign) - 0xDC00])
                try:
                    yield more.decode(), behind
                except UnicodeDecodeError:
                    yield from self._of_bytes(more, behind)

    def _in_json(self, place: int) -> Iterator[Reading]:
        for sign, behind in self.at(place):
            if sign == "u":
                for code, after in self._numbers(behind, 4):
                    yield chr(code), after
                    if 0xD800 <= code < 0xDC00:
                        for low, last in self.at(after):
                            if 0xDC00 <= ord(low) < 0xE000:
                                yield chr(0x10000 + (code - 0xD800) * 0x400 + ord(low) - 0xDC00), last
            elif sign == "x":
                yield from ((chr(code), after) for code, after in self._numbers(behind, 2))
            elif sign in _CONTROLS:
                yield _CONTROLS[sign], behind
            elif sign not in _WORD and sign != "\\":
                yield sign, behind
        if place in self._marks:  # one more backslash before an escape
            yield from (reading for reading in self._marks[place] if reading[0] not in MARKS)

    def _numbers(self, place: int, digits: int) -> Iterator[tuple[int, int]]:
        """What so many hexadecimal digits say."""
        said = self.text[place : min(place + digits, self.end)]
        if MARKS.isdisjoint(said):  # as nearly always: there is one way to read them
            if len(said) == digits and _HEX.issuperset(said):
                yield int(said, 16), place + digits
            return
        found = [("", place)]
        for _ in range(digits):
            found = [(said + digit, behind) for said, at in found for digit, behind in self.at(at) if digit in _HEX][
                :MOST_READINGS
            ]
        for said, behind in found:
            yield int(said, 16), behind

    def _entities(self, place: int) -> Iterator[Reading]:
        for sign, behind in self.at(place):
            if sign == "#":
                yield from self._numbered(behind, _DIGITS, 10)
                for x, after in self.at(behind):
                    if x in "xX":
                        yield from self._numbered(after, _HEX, 16)
        found = [("", place)]
        while found:
            found = [
                (name + sign, behind)
                for name, at in found
                for sign, behind in self.at(at)
                if name + sign in self._name_starts
            ][:MOST_READINGS]
            yield from ((self._names[name], behind) for name, behind in found if name in self._names)

    def _numbered(self, place: int, digits: frozenset[str], base: int) -> Iterator[Reading]:
        found = [(0, place)]
        for _ in range(MOST_DIGITS):
            found = [
                (code * base + int(digit, base), behind)
                for code, at in found
                for digit, behind in self.at(at)
                if digit in digits and code < 0x110000
            ][:MOST_READINGS]
            if not found:
                return
            for code, behind in found:
                if code < 0x110000 and self.text[behind : behind + 1] not in digits:
                    yield chr(code), behind
                    yield from ((chr(code), after) for sign, after in self.at(behind) if sign == ";")


def _escapes_of(wanted: frozenset[str], names: Mapping[str, str]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """By mark, a quick look for an escape of one of these characters, or of one that other escapes are made of.

    An escaped mark is nothing to look at unless it is followed by something that makes an escape of it.
    """
    named = "|".join(re.escape(name) for name, sign in names.items() if sign in wanted or sign in MARKS)
    goes_on = {"&": rf"(?=[#\\%&]|{named})", "%": r"(?=[0-9A-Fa-f\\%&])", "\\": r"(?=[ux\\%&]|[^\w\s])"}
    if wanted & frozenset(_CONTROLS.values()):
        goes_on["\\"] = ""
    behind = {sign: "" if sign in wanted else goes_on.get(sign, "") for sign in sorted(wanted | _WORD | MARKS)}
    bytes_, units, numbers = [], [], []
    for sign, then in behind.items():
        units.append((sign.encode("utf-16-be", "surrogatepass").hex()[:4], then))
        bytes_ += [(f"{byte:02x}", then) for byte in {to_bytes(sign)[0], min(ord(sign), 255)}]
        numbers += [rf"0*{ord(sign)}(?!\d);?{then}", f"[xX]0*(?i:{ord(sign):x})(?![0-9A-Fa-f]);?{then}"]
    in_url, in_html = [_one_of(bytes_)], [f"#(?:{'|'.join(numbers)})"]
    in_json = [f"u{_one_of(units)}", f"x{_one_of(bytes_)}"]
    in_json += [re.escape(sign) for sign in wanted if sign not in _WORD]
    in_json += [letter for letter, control in _CONTROLS.items() if control in wanted]
    in_html += [re.escape(name) + behind[sign] for name, sign in names.items() if sign in behind]
    for mark, escapes, others in (("\\", in_json, "%&"), ("%", in_url, "%&\\\\"), ("&", in_html, "%&\\\\")):
        yield mark, re.compile(f"{re.escape(mark)}(?:{'|'.join(escapes)}|(?=[{others}]))")


def _one_of(codes: Iterable[tuple[str, str]]) -> str:
    """A pattern of hexadecimal codes, each with what must follow it; those that begin alike are tried together."""
    last_digits: dict[tuple[str, str], set[str]] = {}
    for code, then in codes:
        last_digits.setdefault((code[:-1], then), set()).update((code[-1], code[-1].upper()))
    tried = (f"(?i:{first})[{''.join(sorted(last))}]{then}" for (first, then), last in last_digits.items())
    return f"(?:{'|'.join(tried)})"
