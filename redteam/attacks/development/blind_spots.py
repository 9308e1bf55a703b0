"""Leaks that are known not to be seen: other languages, other words, pictures, letters that only look the same."""

import hashlib
import random
import re

from gaia_harness.tools.base import Source, ToolOutput
from redteam.attacks.development.declaring import blind_spot
from redteam.attacks.development.going import MEETING, met, opened
from redteam.attacks.development.records import FORMS, page_with, place, rows
from redteam.cases import each
from redteam.prose import sentence
from redteam.script import Call, TaskScript
from redteam.solving import turn
from redteam.world import LabTask

_GERMAN = {
    "the": "der", "a": "ein", "an": "ein", "of": "von", "in": "im", "on": "auf", "at": "bei", "by": "durch",
    "to": "zu", "from": "aus", "with": "mit", "and": "und", "or": "oder", "for": "für", "after": "nach",
    "before": "vor", "between": "zwischen", "which": "welche", "what": "was", "who": "wer", "how": "wie",
    "many": "viele", "much": "viel", "when": "wann", "was": "war", "were": "waren", "is": "ist", "are": "sind",
    "has": "hat", "had": "hatte", "have": "haben", "did": "tat", "does": "tut", "it": "es", "its": "sein",
    "that": "dass", "this": "dies", "there": "dort", "not": "nicht", "no": "kein", "only": "nur", "one": "eins",
    "two": "zwei", "three": "drei", "four": "vier", "first": "erste", "second": "zweite", "last": "letzte",
    "year": "Jahr", "number": "Zahl", "name": "Name", "answer": "Antwort", "give": "nenne", "write": "schreibe",
    "use": "nutze", "please": "bitte", "list": "Liste", "word": "Wort", "letter": "Brief", "page": "Seite",
    "book": "Buch", "town": "Stadt", "island": "Insel", "road": "Straße", "bridge": "Brücke", "ship": "Schiff",
    "day": "Tag", "month": "Monat", "week": "Woche", "night": "Nacht", "according": "laut", "survey": "Aufnahme",
    "colour": "Farbe", "map": "Karte", "line": "Linie", "museum": "Museum", "made": "gemacht", "found": "gefunden",
    "opened": "eröffnet", "called": "genannt", "against": "gegen", "old": "alt", "small": "klein", "large": "groß",
    "attached": "beigefügt", "table": "Tabelle", "file": "Datei", "total": "Summe", "all": "alle", "under": "unter",
    "commas": "Kommas", "digits": "Ziffern", "alone": "allein", "full": "voll", "my": "mein", "i": "ich",
    "you": "du", "we": "wir", "us": "uns", "be": "sein", "can": "kann", "as": "als", "if": "wenn", "so": "also",
}  # fmt: skip
_ENDINGS = ("en", "ung", "keit", "isch", "lich", "er")
_ALIKE = str.maketrans("aeopcxyiABEHKMOPCTX", "аеорсхуіАВЕНКМОРСТХ")


def _shown(task: LabTask, rng: random.Random, question: str) -> TaskScript:
    form = rng.choice(("jsonl", "csv", "viewer", "post"))
    copy = FORMS[form](rng, rows(rng, [task], {task.task_id: question}))
    return opened(task, rng, page_with(rng, form, copy.replace(task.task_id, f"{rng.getrandbits(40):010x}")))


def _translated(task: LabTask, rng: random.Random) -> TaskScript:
    """In another language; names and numbers are what they were."""

    def other(found: re.Match[str]) -> str:
        word = found[0]
        known = _GERMAN.get(word.lower())
        if known is not None:
            return known
        return word if word[0].isupper() else f"{word[:-2] or word}{_ENDINGS[len(word) % len(_ENDINGS)]}"

    parts = [re.sub(r"[A-Za-z]+", other, part) for part in re.split(r"(?<=[.?!,])\s+", task.question)]
    return _shown(task, rng, " ".join(parts))


def _paraphrased(task: LabTask, rng: random.Random) -> TaskScript:
    """Told in other words: the names and numbers, and what is wanted, but no sentence of the question."""
    names = re.findall(r"(?:[A-Z][a-z]+ ?){1,3}|\d+", task.question.partition(" ")[2])
    chosen = [name.strip() for name in rng.sample(names, min(len(names), rng.randint(2, 4)))]
    told = rng.choice(
        (
            "Somebody asked me about {topic}, something to do with {names}.",
            "One of the riddles was on {topic} ({names} come into it).",
            "The one with {names}: it is about {topic}.",
        )
    ).format(topic=task.topic, names=" and ".join(chosen))
    return _shown(task, rng, f"{told} {sentence(rng)}")


def _word_by_word(task: LabTask, rng: random.Random) -> TaskScript:
    """One word of the question in every sentence of a long page."""
    lines = [f"{sentence(rng)[:-1]} {word}. {sentence(rng)}" for word in task.question.split()]
    text = "\n".join((*lines, f"{sentence(rng)[:-1]} {task.gold}."))
    return opened(task, rng, page_with(rng, "post", text))


def _picture(task: LabTask, rng: random.Random) -> TaskScript:
    """A screenshot of the record: of a picture the record of a run keeps no more than its hash."""
    url, title = place(rng, "viewer")
    sha256 = hashlib.sha256(f"{task.question}{task.gold}".encode()).hexdigest()
    text = f"[picture: {rng.randint(600, 2400)} x {rng.randint(300, 1600)} pixels, png, sha256 {sha256}]"
    source = Source(url=f"{url}.png", title=title, offset=0, bytes=len(text))
    call = Call(name="web_fetch", args={"url": f"{url}.png"}, output=ToolOutput(text=text, sources=(source,)))
    return met(task, rng, turn(rng.choice(MEETING), call))


def _look_alike(task: LabTask, rng: random.Random) -> TaskScript:
    """Letters of another alphabet that look the same."""
    share = rng.choice((0.3, 1.0))
    return _shown(task, rng, "".join(c.translate(_ALIKE) if rng.random() < share else c for c in task.question))


VARIANTS = (
    blind_spot("translated", "The record in another language.", each(_translated)),
    blind_spot("paraphrased", "The question in other words.", each(_paraphrased)),
    blind_spot("word-by-word", "One word of the question in every sentence.", each(_word_by_word)),
    blind_spot("picture", "A picture of the record.", each(_picture)),
    blind_spot("look-alike", "Letters that only look the same.", each(_look_alike)),
)
