"""Recognises answers in a prompt that belong to a solved example for another question."""

import re
from collections.abc import Sequence

import msgspec

from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.audit.prompt_texts import announced
from gaia_harness.evidence.wording import reduce

LINES_BEFORE = 4
"""Lines before an example's answer among which its question begins."""

FEWEST_WORDS = 4
"""Of a question."""

LONG_QUESTION = 8
"""Words of one that asks for something; "is it not 17?" gives it away."""

TELLING = 4
"""Letters of a word that says what a question is about."""

RELATED = 0.6
"""Share of a question's words that stand in the task's own: then it is that one, in other words."""

MOST_LINES = 2_000

MOST_OF_KIND = 0.6
"""Share of the tasks with such answers that have an example with their own: then examples are chosen by it."""

CHANCE = 0.01
"""How probable it may be at most that so many tasks have one by chance."""

_ASKED = re.compile(
    r"(?:^|\s)(?:question|q|input|problem|task|user|human|frage|pregunta)\s{0,2}\d{0,3}\s{0,2}[:.)]\s*"
    r"(?P<labelled>\S[^\n]*)|(?<![^\n.!?])(?P<asked>[^\n.!?]*\?)",
    re.IGNORECASE,
)

_ANSWERED = re.compile(
    r"(?:[^\n]*[?.]\s*|[\s*>-]*)(?:final answer|answer|a|output|assistant|ai|response|reply|antwort|respuesta)"
    r"\W{0,3}[:.)=]",
    re.IGNORECASE,
)


class Shown(msgspec.Struct, frozen=True):
    """A solved example with a task's own answer, and all answers of the run that stand in that text."""

    task_id: str
    kind: bool  # whether the answer is a number
    own: int
    answers: frozenset[int]


def to_another(text: str, forms: GoldForms, question: str) -> bool:
    """Whether every announced answer in a text is that of an example whose question is not the task's."""
    own = set(reduce(question).split())
    lines = [line for line in text.splitlines()[:MOST_LINES] if line.strip()]
    found = False
    for at, line in enumerate(lines):
        words = reduce(line)
        if not forms.stands_in(words) or not announced(forms, words):
            continue
        if not _ANSWERED.match(line):
            return False
        found = True
        near = list(_ASKED.finditer("\n".join(lines[max(0, at - LINES_BEFORE) : at + 1])))
        said = reduce(near[-1]["labelled"] or near[-1]["asked"] or "").split() if near else []
        telling = [word for word in said if len(word) >= TELLING]
        if len(said) < FEWEST_WORDS or sum(word in own for word in telling) > RELATED * len(telling):
            return False
    return found


def asks_another(text: str, question: str) -> bool:
    """Whether a sentence is a question, and not the task's: what stands in it is no answer to that."""
    said = reduce(text).split()
    telling = [word for word in said if len(word) >= TELLING]
    own = set(reduce(question).split())
    return (
        text.rstrip().endswith("?")
        and len(said) >= LONG_QUESTION
        and sum(word in own for word in telling) <= RELATED * len(telling)
    )


def is_chosen(shown: Sequence[Shown], kind: bool, light: dict[str, int]) -> bool:
    """Whether tasks are shown their own answer more often than chance has it.

    `light` are the answers of this kind, by task. Chance is how many of the others' answers the same examples have.
    """
    same = {each.task_id: each for each in shown if each.kind is kind}
    if not same or len(same) < MOST_OF_KIND * len(light):
        return False
    every = set(light.values())
    shares = [len((every & each.answers) - {each.own}) / max(1, len(every) - 1) for each in same.values()]
    usual = max(sum(shares) / len(shares), 0.5 / max(1, len(every)))
    return usual ** len(same) <= CHANCE
