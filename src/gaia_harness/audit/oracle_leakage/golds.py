"""Which answers a run has, in which forms they stand in a text, and how much it says that one does."""

import base64
import codecs
import hashlib
import re
from collections.abc import Mapping
from functools import cached_property

from gaia_harness.audit.oracle_leakage.phrases import phrases
from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

LEAST_DISGUISED = 6
"""Letters of an answer that is looked for turned round or in rot13: shorter ones stand within words by chance."""

LEAST_SHOWN = 0.4
"""Share of an answer's letters that are shown where others are blanks: with fewer it is a line to write on."""

_GROUPED = re.compile(r"(?<=\d),(?=\d{3}\b)")
# of a digest, or of its beginning or end: eight do not agree by chance
_HEX = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8,128}(?![0-9A-Za-z])")
_HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_BLANKS = "_*?#·"


class Answer:
    """One answer. `common` says that it is so short or so usual that meeting it proves nothing by itself."""

    def __init__(self, answer: str) -> None:
        self.plain = answer.strip()
        bare = _GROUPED.sub("", self.plain)
        self.is_number = bare.lstrip("+-−$€£").replace(".", "").isdigit()
        grouped = (f"{int(bare):,}",) if bare.isdecimal() and 3 < len(bare) < 20 else ()
        self.forms = tuple(dict.fromkeys(form for form in map(reduce, (self.plain, bare, *grouped)) if form))
        words = self.forms[0].split() if self.forms else []
        self.letters = sum(map(len, words))
        self.is_word = len(words) <= 1 and not self.is_number
        self.has_digits = any(map(str.isdigit, bare))
        self.is_of_calendar = self.is_word and all(word in phrases().calendar for word in words)
        digits = bool(words) and all(map(bytes.isdigit, words))
        self.common = not words or (
            self.letters < 3
            if digits
            else self.letters < (4 if self.is_word else 5)
            or all(word in phrases().common for word in words)
            or (self.is_of_calendar and self.is_word)
        )

    def stands_in(self, words: bytes) -> bool:
        """Whether it stands in reduced words."""
        return any(form in words for form in self.forms)

    def is_whole_in(self, text: str) -> bool:
        """Whether a number stands in a text as itself, and not as a part of another one; what is none always does."""
        if not self.is_number or self.plain not in text:
            return True
        return re.search(rf"(?<![\d.,:/-]){re.escape(self.plain)}(?![\d]|[.,:/-]\d)", text) is not None

    @cached_property
    def _codes(self) -> tuple[tuple[str, str], ...]:
        plain, low = self.plain, self.plain.lower()
        data = plain.encode("utf-8", "replace")
        found = []
        if len(data) >= 4:
            found += [("hex", data.hex()), ("base64", base64.b64encode(data).decode().rstrip("=").lower())]
            found += [("codes", " ".join(map(str, data))), ("codes", ", ".join(map(str, data)))]
        if self.letters >= LEAST_DISGUISED and not self.is_number:
            found += [("reversed", low[::-1]), ("rot13", codecs.encode(low, "rot13"))]
        return tuple((name, code) for name, code in found if code != low)

    @cached_property
    def _spelled(self) -> bytes:
        return reduce(" ".join(filter(str.isalnum, self.plain)))

    @cached_property
    def _gaps(self) -> re.Pattern[str]:
        blanks = re.escape(_BLANKS)
        each = (f"[{re.escape(c)}{blanks}]" if c.isalnum() else r"[\W_]" for c in self.plain.lower())
        return re.compile(rf"(?<!\w){''.join(each)}(?!\w)")

    def hidden_in(self, text: str, words: bytes) -> str:
        """By which disguise it stands in a text, given in lower case and as words; empty where by none."""
        for name, code in self._codes:
            if code in text:
                return name
        if self.letters >= 5 and self._spelled in words:
            return "spelled"
        shown = max(3, LEAST_SHOWN * self.letters)
        if 5 <= self.letters <= 80 and any(map(text.__contains__, _BLANKS)):
            for found in self._gaps.finditer(text):
                if shown <= sum(map(str.isalnum, found[0])) < self.letters:
                    return "gaps"
        return ""

    def has_digest_in(self, text: str, task_id: str) -> bool:
        """Whether a text has a digest of it, alone or with its task's id: by that every guess can be checked."""
        found = {digits.lower() for digits in _HEX.findall(text)}
        if not found:
            return False
        plain = self.plain
        forms = {plain, plain.lower(), plain.upper(), plain.title(), plain + "\n", f"{task_id}{plain}"}
        forms |= {f"{task_id}:{plain}", f"{plain}{task_id}", f"{plain}:{task_id}"}
        for form in forms:
            for name in _HASHES:
                digest = hashlib.new(name, form.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
                if any(digest.startswith(each) or digest.endswith(each) for each in found):
                    return True
        return False


class Golds:
    """All answers of a run: each different one once, by number. The telling ones are found in a text in one pass."""

    def __init__(self, golds: Mapping[str, Gold]) -> None:
        numbers: dict[str, int] = {}
        self.of_task = {id: numbers.setdefault(gold.answer.strip(), len(numbers)) for id, gold in golds.items()}
        self.answers = tuple(map(Answer, numbers))
        told = [(form, number) for number, each in enumerate(self.answers) if not each.common for form in each.forms]
        self._numbers = [number for _, number in told]
        self._matcher = best_matcher([form for form, _ in told])
        self._whole: dict[bytes, int] = {}
        for number, each in enumerate(self.answers):
            for form in each.forms:
                self._whole.setdefault(form, number)

    def find(self, words: bytes) -> list[tuple[int, int]]:
        """The telling answers in reduced words: their numbers, and where each stands."""
        return [(self._numbers[phrase], start) for phrase, start in self._matcher.find(words)]

    def whole(self, words: bytes) -> int | None:
        """The answer that these words are, from the first to the last."""
        return self._whole.get(words)
