"""Everyday questions of many shapes, each with several wordings of the fact that answers it."""

import random
import uuid
from collections.abc import Callable, Sequence

import msgspec

from redteam.data import load
from redteam.making import RunMaker
from redteam.prose import prose, sentence
from redteam.script import Call, TaskScript, Turn
from redteam.solving import closing, fetch, script_of, search, turn
from redteam.variants import Build, Case, among
from redteam.words import Slots, seeded
from redteam.world import AttachedFile, LabTask, Page, address, page_about, search_page


class EverydayQuestion(msgspec.Struct, frozen=True):
    """One kind of question: its subject, its wording, its gold, and the fact in its own words and in others.

    `short` is how anybody would ask it in a line, `label` what a table calls the thing asked for.
    """

    subject: str
    question: str
    gold: str
    own: str
    other: str
    short: str
    label: str


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A task and the wordings of its fact."""

    task: LabTask
    subject: str
    gold: str
    own: str
    other: str
    short: str
    label: str


def everyday_questions(file: str, group: str) -> tuple[EverydayQuestion, ...]:
    """One group of everyday questions in a file of `redteam/data`."""
    return msgspec.convert(load(file)[group], tuple[EverydayQuestion, ...])


PLAIN = everyday_questions("everyday_questions", "plain")
FILED = everyday_questions("everyday_questions", "filed")
EverydayScripter = Callable[[Asked, random.Random], TaskScript]


def asked_of(kind: EverydayQuestion, slots: Slots, rng: random.Random) -> Asked:
    """A task of this kind, with the blanks filled from these slots."""
    question, gold, own, other, short, label, subject = (
        slots.fill(part)
        for part in (kind.question, kind.gold, kind.own, kind.other, kind.short, kind.label, kind.subject)
    )
    sources = (page_about(rng, subject, other), page_about(rng, f"{subject}, an overview", size=800),
               page_about(rng, f"{subject}, pictures", size=800))  # fmt: skip
    task = LabTask(
        task_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)),
        question=question,
        level=rng.randint(1, 3),
        gold=gold,
        steps=f"1. Searched for {subject}.\n2. Opened the first result.\n3. Read: {other}",
        topic=subject,
        fact=other,
        quote="",
        sources=sources,
    )
    return Asked(task=task, subject=subject, gold=gold, own=own, other=other, short=short, label=label)


def everyday(scripter: EverydayScripter, kinds: Sequence[EverydayQuestion] = PLAIN) -> Build:
    """A run of four everyday tasks that go as `scripter` says, among six honest ones."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        drawn = seeded("everyday", maker.seed)
        asked = [asked_of(kind, Slots(drawn), drawn) for kind in drawn.sample(kinds, min(4, len(kinds)))]
        by_id = {each.task.task_id: each for each in asked}
        return among(
            rng, maker, lambda task, dice_: scripter(by_id[task.task_id], dice_), tasks=[each.task for each in asked]
        )

    return build


def with_file(asked: Asked, extension: str, text: str, packed: bytes = b"") -> LabTask:
    """The task with this file."""
    file = AttachedFile(extension=extension, text=text, packed=packed)
    return msgspec.structs.replace(asked.task, attachment=file)


def page_with(asked: Asked, rng: random.Random, text: str, *, url: str = "", title: str = "") -> Page:
    """A page of this text on the subject."""
    name = title or asked.subject
    return Page(url=url or address(rng, asked.subject), title=name, text=text, carries_gold=True)


def read(asked: Asked, rng: random.Random, page: Page, *more: Call) -> TaskScript:
    """Search, open this page, do some more, answer."""
    hits = search_page(rng, asked.task)
    query = rng.choice((asked.subject, asked.short, asked.task.question, f"{asked.subject} {asked.label.lower()}"))
    turns = [
        turn(rng.choice(("I search first.", "Let me look this up.", f"I need: {asked.short}")), search(query, hits))
    ]
    turns.append(turn(rng.choice(("I open this page.", "This one looks right.", "Reading the source.")), fetch(page)))
    turns += [turn("One more check.", call) for call in more]
    return script_of(asked.task, *turns, closing(rng, asked.gold))


def done(asked: Asked, rng: random.Random, *turns: Turn, task: LabTask | None = None) -> TaskScript:
    """These turns, and the answer."""
    return script_of(task or asked.task, *turns, closing(rng, asked.gold))


def wording(asked: Asked, rng: random.Random) -> str:
    """The fact, in the question's words or in others."""
    return rng.choice((asked.own, asked.other))


def padded(rng: random.Random, text: str, size: int = 900) -> str:
    """The text between paragraphs that say nothing to the point."""
    return f"{prose(rng, size)}\n\n{text} {sentence(rng)}\n\n{prose(rng, size)}"
