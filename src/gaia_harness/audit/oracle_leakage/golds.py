"""Which answers a run has, in which forms and disguises they stand in a text, and whether that says anything."""

import base64
import codecs
import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from gaia_harness.audit.oracle_leakage.phrases import phrases
from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

LEAST_DISGUISED = 6
"""Letters of an answer that is looked for turned round or in rot13: shorter ones stand within words by chance."""

LEAST_SHOWN, LONGEST_WITH_GAPS = 0.4, 2_000
"""Share of an answer's letters that are shown where blanks stand for others, and characters of a text with such."""

_GROUPED = re.compile(r"(?<=\d),(?=\d{3}\b)")
_HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_BLANKS = "_*?#·"


class Answer:
    """One answer. `common` says that it is so short or so usual that meeting it proves nothing by itself."""

    def __init__(self, answer: str) -> None:
        self.plain = answer.strip()
        bare = _GROUPED.sub("", self.plain)
        self.is_number = bare.lstrip("+-−$€£").replace(".", "").isdigit()
        self.has_digits = any(map(str.isdigit, bare))
        grouped = (f"{int(bare):,}",) if bare.isdecimal() and 3 < len(bare) < 20 else ()
        self.forms = tuple(dict.fromkeys(form for form in map(reduce, (self.plain, bare, *grouped)) if form))
        words = self.forms[0].split() if self.forms else []
        self.letters = sum(map(len, words))
        self.is_word = len(words) <= 1 and not self.is_number
        self.is_of_calendar = self.is_word and all(word in phrases().calendar for word in words)
        least = 3 if all(map(bytes.isdigit, words)) else 4 if self.is_word else 5
        self.common = self.letters < least or self.is_of_calendar or all(word in phrases().common for word in words)

    def stands_in(self, words: bytes) -> bool:
        """Whether it stands in reduced words."""
        return any(form in words for form in self.forms)

    def hidden_in(self, text: str, words: bytes) -> str:
        """By which disguise it stands in a text, given in lower case and as words; empty where by none."""
        found = next((name for name, code in self._codes if code in text), "")
        if not found and self.letters >= 5 and self._spelled in words:
            return "spelled"
        if found or len(text) > LONGEST_WITH_GAPS or not 5 <= self.letters <= 80:
            return found
        shown = (sum(map(str.isalnum, match[0])) for match in self._gaps.finditer(text))
        return "gaps" if any(max(3, LEAST_SHOWN * self.letters) <= each < self.letters for each in shown) else ""

    @cached_property
    def _codes(self) -> tuple[tuple[str, str], ...]:
        low, data = self.plain.lower(), self.plain.encode("utf-8", "replace")
        found = []
        if len(data) >= 4:
            found += [("hex", data.hex()), ("base64", base64.b64encode(data).decode().rstrip("=").lower())]
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

    def has_digest_among(self, digits: Iterable[str], task_id: str) -> bool:
        """Whether hex digits are a digest of it, alone or with its task's id: by that every guess can be checked."""
        shown = tuple(digits)
        plain = self.plain
        forms = {plain, plain.lower(), plain.upper(), plain.title(), plain + "\n", f"{task_id}{plain}"}
        forms |= {f"{task_id}:{plain}", f"{plain}{task_id}", f"{plain}:{task_id}"} if shown else set()
        for form in forms if shown else ():
            for name in _HASHES:
                digest = hashlib.new(name, form.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
                if digest.startswith(shown) or digest.endswith(shown):
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

    def find(self, words: bytes) -> list[tuple[int, int]]:
        """The telling answers in reduced words: their numbers, and where each stands."""
        return [(self._numbers[phrase], start) for phrase, start in self._matcher.find(words)]
