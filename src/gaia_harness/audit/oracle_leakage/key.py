"""What the answer key of a run has, and whether it stands in a text: the answers, and the annotators' solutions."""

from collections import Counter
from collections.abc import Mapping
from itertools import islice

from gaia_harness.audit.gold_forms import GoldForms, gold_forms, places_in
from gaia_harness.audit.oracle_leakage.reading import rows_of
from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

LISTED, NEAR, MOST_PLACES = 3, 400, 50  # telling answers that make a list, and bytes on each side in which they stand
ROW, MOST_LINES = 5, 200  # words in a row as an annotator has them; lines of a solution, each of which is a step


class AnswerKey:
    """The telling answers of a run, which are found in a text in one pass, and the rows of words in solutions."""

    def __init__(self, golds: Mapping[str, Gold]) -> None:
        answers = [gold_forms(gold.answer) for gold in golds.values()]
        telling = {form: each for each in answers if not each.common for form in each.words}
        self._answers, self._matcher = list(telling.values()), best_matcher(list(telling))
        solutions = {task_id: (gold.annotator_steps or "").splitlines()[:MOST_LINES] for task_id, gold in golds.items()}
        self._steps = {task: [{*rows_of(reduce(line), ROW)} for line in lines] for task, lines in solutions.items()}
        self._tasks = Counter(row for steps in self._steps.values() for row in set().union(*steps))

    def steps_of(self, task_id: str, asked: bytes) -> list[set[bytes]]:
        """The rows of each step of a task's solution, without those of its question."""
        steps = ({row for row in step if row not in asked} for step in self._steps.get(task_id, ()))
        return [rows for rows in steps if rows]

    def is_own(self, row: bytes) -> bool:
        """Whether no more than one solution has this row."""
        return self._tasks[row] == 1

    def is_listed(self, answer: GoldForms, words: bytes) -> bool:
        """Whether an answer stands in a list of answers: several telling ones, with few words between.

        It has figures and words. A list of one kind (colours, places, years) may be about that kind.
        """
        for at in islice((at for form in answer.words for at in places_in(words, form)), MOST_PLACES):
            near = words[max(0, at - NEAR) : at + NEAR]
            found = {self._answers[n] for n in self._matcher.which(near[near.find(b" ") : near.rfind(b" ") + 1])}
            if len(found) >= LISTED and len({any(map(str.isdigit, each.plain)) for each in found}) == 2:
                return True
        return False
