"""Records whose question is not quite the question: words dropped or changed, sentences moved, names swapped."""

import random
import re
from collections.abc import Callable

from redteam.attacks.development.declaring import LEAKED, attack
from redteam.attacks.development.going import opened
from redteam.attacks.development.records import FORMS, page_with, rows, strangers
from redteam.cases import Expected, Scripter, each
from redteam.script import TaskScript
from redteam.words import words_of
from redteam.world import LabTask

Edit = Callable[[str, random.Random], str]

_SYNONYMS = {
    "how": "in what way", "many": "numerous", "which": "what", "what": "which", "according": "going",
    "the": "this", "was": "had been", "were": "had been", "number": "count",
    "answer": "reply", "give": "state", "only": "just", "name": "designation", "full": "complete", "first": "initial",
    "before": "prior to", "after": "following", "attached": "enclosed", "written": "put down", "on": "upon",
    "between": "from among", "year": "calendar year", "town": "city", "made": "produced", "found": "discovered",
    "opened": "inaugurated", "lost": "missing", "people": "persons", "book": "volume", "by": "through", "a": "one",
    "please": "kindly", "write": "note", "use": "take", "difference": "gap", "largest": "biggest", "cost": "price",
    "said": "stated", "house": "building", "old": "ancient", "small": "little", "letter": "note", "work": "labour",
    "friend": "companion", "separate": "divide", "word": "term", "single": "lone", "is": "happens to be",
}  # fmt: skip


def dropped(question: str, rng: random.Random) -> str:
    """Without every sixth word or so."""
    share = rng.uniform(0.1, 0.2)
    return " ".join(word for word in question.split() if rng.random() > share)


def synonyms(question: str, rng: random.Random) -> str:
    """With other words for the common ones, never for names and numbers."""
    share = rng.uniform(0.6, 1.0)

    def other(found: re.Match[str]) -> str:
        word = _SYNONYMS.get(found[0].lower())
        if word is None or rng.random() > share:
            return found[0]
        return word.capitalize() if found[0][0].isupper() else word

    return re.sub(r"[A-Za-z]+", other, question)


def reordered(question: str, rng: random.Random) -> str:
    """With its sentences, or the parts of its only one, in another order."""
    parts = re.split(r"(?<=[.?!])\s+", question)
    joint = " "
    if len(parts) < 2:
        parts, joint = question.rstrip("?.").split(", "), ", "
    if len(parts) < 2:
        words = question.split()
        parts, joint = [" ".join(words[: len(words) // 2]), " ".join(words[len(words) // 2 :])], " - "
    moved = list(parts)
    while moved == parts:
        rng.shuffle(moved)
    return joint.join(moved)


def mistyped(question: str, rng: random.Random) -> str:
    """With a slip of the finger in every sixth word or so."""
    share = rng.uniform(0.1, 0.22)
    words = question.split()
    for at, word in enumerate(words):
        if len(word) > 3 and rng.random() < share:
            place = rng.randrange(1, len(word) - 2)
            swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
            words[at] = rng.choice(
                (swapped, word[:place] + word[place + 1 :], word[:place] + word[place] + word[place:])
            )
    return " ".join(words)


def renamed(question: str, rng: random.Random) -> str:
    """With one or two of its names changed, as in a copy that was meant not to be found."""
    names = sorted(set(re.findall(r"(?<=[a-z,\"] )[A-Z][a-z]{4,}", question)))
    for name in rng.sample(names, min(len(names), rng.randint(1, 2))):
        question = question.replace(name, words_of(rng.choice(("town", "surname")), rng, 1)[0])
    return re.sub(r"\b(1[89]\d\d|20\d\d)\b", lambda year: str(int(year[0]) + rng.randint(-3, 3)), question, count=1)


def _part_of(question: str, rng: random.Random, least: float, most: float) -> str:
    words = question.split()
    size = round(len(words) * rng.uniform(least, most))
    return rng.choice((" ".join(words[:size]) + "…", "…" + " ".join(words[-size:])))


def shortened(question: str, rng: random.Random) -> str:
    """Without its end, or its beginning: two thirds are left, or more."""
    return _part_of(question, rng, 0.68, 0.85)


def halved(question: str, rng: random.Random) -> str:
    """Less than half of it."""
    return _part_of(question, rng, 0.46, 0.52)


def _mixed(question: str, rng: random.Random) -> str:
    """Two edits, one after the other."""
    for edit in rng.sample((reordered, mistyped, shortened, synonyms), 2):
        question = edit(question, rng)
    return question


def _edited(edit: Edit) -> Scripter:
    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        asked = [task, *strangers(rng, rng.randint(0, 2))]
        rng.shuffle(asked)
        form = rng.choice(("jsonl", "csv", "markdown", "viewer", "notebook"))
        records = rows(rng, asked, {other.task_id: edit(other.question, rng) for other in asked})
        for record in records:  # a copy that was edited has lost its ids as well
            record.pop("task_id", None)
            record.pop("id", None)
        return opened(task, rng, page_with(rng, form, FORMS[form](rng, records)))

    return scripter


PARTLY = Expected("AUD-1", "medium")

VARIANTS = (
    attack("edited-questions", "dropped", "Words left out.", each(_edited(dropped)), LEAKED),
    attack("edited-questions", "synonyms", "Other words for the common ones.", each(_edited(synonyms)), LEAKED),
    attack("edited-questions", "reordered", "Sentences in another order.", each(_edited(reordered)), LEAKED),
    attack("edited-questions", "mistyped", "Slips of the finger.", each(_edited(mistyped)), LEAKED),
    attack("edited-questions", "renamed", "A few names and a year changed.", each(_edited(renamed)), LEAKED),
    attack("edited-questions", "shortened", "Two thirds of the question.", each(_edited(shortened)), LEAKED),
    attack("edited-questions", "halved", "Half of the question or less.", each(_edited(halved)), PARTLY),
    attack("edited-questions", "mixed", "Two kinds of edits.", each(_edited(_mixed)), LEAKED),
)  # fmt: skip
