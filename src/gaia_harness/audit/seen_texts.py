"""The texts that an attempt has seen so far: tool results and the model's own words."""

from collections.abc import Iterator
from itertools import islice

from gaia_harness.audit.given_texts import pieces_of
from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.audit.kept_bodies import KeptBodies
from gaia_harness.audit.prompt_texts import GRAM, announced
from gaia_harness.evidence.wording import reduce
from gaia_harness.records.steps import LlmCall, Step, ToolCallStep, ToolResultStep

MOST_STEPS = 2_000
"""Of one attempt that are read; one has about thirty turns."""

MOST_BYTES = 4 << 20
"""Of outputs that are kept whole."""

MOST_GRAMS = 400_000
"""Rows of words that are remembered for one attempt, about two megabytes of text."""

REASON = 8
"""Words of a sentence that gives a reason, with what was read in it in other words."""

TELLING = 4
"""Letters of a word that says something. Two of them are in a row of words that is nobody's turn of phrase."""


class _Texts:
    """Texts by every five words in a row, and whether the answer stands in them, or is called the answer."""

    def __init__(self, forms: GoldForms | None) -> None:
        self._forms = forms
        self.grams: set[bytes] = set()
        self.named = False
        self.announced = False

    def add(self, text: str) -> None:
        words = reduce(text)
        if len(self.grams) < MOST_GRAMS:
            self.grams.update(islice(_grams(words), MOST_GRAMS))
        if self._forms is not None and self._forms.stands_in(words):
            self.named = True
            self.announced = self.announced or announced(self._forms, words)


class SeenTexts:
    """Is told what happens in one task, step by step, and reads it only when somebody asks."""

    def __init__(self, bodies: KeptBodies, question: str | None, forms: GoldForms | None) -> None:
        """`forms` are those of the task's answer."""
        self._bodies = bodies
        self._asked = reduce(question or "")
        self._forms = forms
        self._attempt = 0
        self._begin()

    def _begin(self) -> None:
        self._unread: list[Step] = []
        self._noted = 0
        self._room = MOST_BYTES
        self._cut = False
        self._results = _Texts(self._forms)
        self._own = _Texts(self._forms)

    def note(self, step: LlmCall | ToolCallStep | ToolResultStep) -> None:
        """Take what the model said or was given back. What one attempt has met is unknown to the next."""
        if step.attempt != self._attempt:
            self._attempt = step.attempt
            self._begin()
        self._noted += 1
        if self._noted <= MOST_STEPS:
            self._unread.append(step)

    def has_answer(self, attempt: int) -> bool:
        """Whether the answer stood in anything."""
        return self._read(attempt) and (self._results.named or self._own.named)

    def has_concluded(self, attempt: int) -> bool:
        """Whether the model itself has called it the answer."""
        return self._read(attempt) and self._own.announced

    def has_sentence(self, attempt: int, words: bytes) -> bool:
        """Whether a sentence with the answer stood in anything, by five words round the answer."""
        forms = self._forms
        return forms is not None and any(forms.stands_in(gram) and self.knows(attempt, gram) for gram in _grams(words))

    def knows(self, attempt: int, gram: bytes) -> bool:
        """Whether these five words in a row stood in anything."""
        return self._read(attempt) and (gram in self._results.grams or gram in self._own.grams)

    def is_cut(self, attempt: int) -> bool:
        """Whether it has met more than is kept."""
        return self._read(attempt) and self._cut

    def is_drawn_on(self, attempt: int, text: str) -> bool:
        """Whether a text has five words in a row of what the attempt has met, beside the question's own."""
        return any(self.knows(attempt, gram) for gram in self._telling(reduce(text)))

    def is_argued(self, attempt: int, text: str, answer: str) -> bool:
        """Whether a verdict on an answer argues from what was read: in its words, or by a sentence of its own about it.

        Who only has the answers need read nothing, and has no more to say than which it is.
        """
        if not self._read(attempt):
            return False
        words, said, forms = reduce(text), reduce(answer), self._forms
        if any(gram in self._results.grams and gram not in said for gram in self._telling(words)):
            return True
        if forms is None or not self._results.named or announced(forms, words):
            return False
        return any(piece.words.count(b" ") > REASON and forms.stands_in(piece.words) for piece in pieces_of(text))

    def _telling(self, words: bytes) -> Iterator[bytes]:
        for gram in _grams(words):
            if gram not in self._asked and sum(len(word) >= TELLING for word in gram.split()) >= 2:
                yield gram

    def _read(self, attempt: int) -> bool:
        """Read what has been noted since the last time; whether it is of this attempt."""
        if attempt != self._attempt:
            return False
        for step in self._unread:
            if type(step) is ToolResultStep:
                self._results.add(self._whole(step))
            elif type(step) is LlmCall:
                self._own.add(step.head)
                if step.thoughts is not None:
                    self._own.add(step.thoughts.head)
            elif type(step) is ToolCallStep:
                values = step.args.values() if isinstance(step.args, dict) else (step.args,)
                self._own.add("\n".join(value for value in values if isinstance(value, str)))
        self._unread.clear()
        return True

    def _whole(self, step: ToolResultStep) -> str:
        if step.truncated and step.body and step.bytes <= self._room:
            self._room -= step.bytes
            text = self._bodies.text(step)
            if text is not None:  # that it is missing is for the verifier to say
                return text
        self._cut |= step.truncated
        return "\n".join((step.head, *(window.text for window in step.windows)))


def _grams(words: bytes) -> Iterator[bytes]:
    each = words.split()
    return (b" " + b" ".join(each[at : at + GRAM]) + b" " for at in range(len(each) - GRAM + 1))
