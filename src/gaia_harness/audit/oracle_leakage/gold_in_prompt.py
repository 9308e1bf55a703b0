"""How does a task's answer stand in a text that it was given? Where, by the keys of pieces, is weighed over the run."""

from collections.abc import Iterator
from functools import cache

from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.audit.oracle_leakage import given
from gaia_harness.audit.oracle_leakage.given import Reading
from gaia_harness.audit.oracle_leakage.notes import How
from gaia_harness.audit.oracle_leakage.question import Question

BETWEEN = 1  # words between a question and an answer right behind it, such as a label
EXAMPLE = 4  # pieces before an announced answer among which the question of an example stands
SHORT_READING = 25  # words of something decoded in which an answer was put on purpose


def ways_it_stands(
    answer: GoldForms, reading: Reading, question: Question, *, has_file: bool, asked_twice: bool
) -> Iterator[tuple[How, list[int]]]:
    """Every way in which the answer stands in a text in plain words, with the keys of the pieces."""
    keys = reading.keys
    found: dict[How, list[int]] = {"solved": [], "announced": [], "example": [], "plain": [], "inlined": []}
    in_question = answer.stands_in(question.words)
    concluding = question.concluded_in(reading, answer)
    is_other = cache(lambda first, last: question.is_other(reading.pieces[first:last]))  # a piece has many places
    for at, announced in given.places(answer, reading.words, question.words):
        piece = reading.piece_at(at + 1)
        if piece >= len(keys):
            continue
        if (
            question.is_right_before(at, reading.words, between=0 if answer.common else BETWEEN)
            or (announced and question.is_asked_before(at, reading))
            or (asked_twice and not (answer.common or in_question) and question.is_copied_before(at, reading))
            or piece in concluding
        ):
            found["solved"].append(given.key_behind_question(reading.pieces[piece]))
        if announced:
            easy = answer.common or answer.words[0].count(b" ") == 2  # a single word
            example = easy and is_other(max(0, piece - EXAMPLE), piece + 1)
            found["example" if example else "announced"].append(keys[piece])
        elif not (in_question or answer.of_calendar or is_other(piece, piece + 1)):
            found["inlined" if has_file else "plain"].append(keys[piece])
    yield from ((how, where) for how, where in found.items() if where)


def disguises(answer: GoldForms, reading: Reading) -> Iterator[str]:
    """The disguises in which the answer stands in a text: nobody puts it there so by accident."""
    if any(code in reading.text for code in answer.codes) or reading.has_with_gaps(answer):
        yield "code"
    if not reading.digests.isdisjoint(answer.digests):
        yield "digest"
    for each in reading.hidden:
        if each.words.count(b" ") <= SHORT_READING and answer.stands_in(each.words):
            yield "base64"
