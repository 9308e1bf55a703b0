"""AUD-3: does the scaffold tell the agent the answer, or whether its answer is right?

`prompts` says what was put before the model, and when. `reader` goes through that and notes what may mean something,
with `reading` (what stands in a text, and in the answer key) and `verdicts` (on answers). Here it is weighed
by what all tasks of the run were given. A piece is a sentence or a line, known by a key that is the same whatever
digits stand in it. An answer in it counts where four in five of the tasks that were given the piece have their own
answer in it, and then it is critical:

- behind the task's own question, or in a sentence that restates it ("solved")
- in disguise: encoded, or as a digest ("hidden")
- behind a word that announces it, or as one of three options or more ("announced"), but not one word as the answer of
  an example for another question
- with no such word before it ("plain"), if at most 40 words of the text are the task's own; but not in such an
  example, nor where the task comes with a file, or the question itself has it, nor a day or a month

Otherwise, an answer is nothing. In the middle of the work, only prompts of up to 600 characters are read, where tools
are on record, for what the attempt has not met, and common words are nothing. Critical as well: a list of three answers
or more, numbers and words, whoever was given it; and, if less than three tasks were given it, the annotator's wording
of several steps, and that earlier answers to the task were judged so or so. In a run of one or two tasks nothing can be
compared: there, common words, plain answers and judged earlier ones are nothing. Remarks on answers are critical or
medium by how they agree with the gold (`verdicts.weigh_remarks`).
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings
from gaia_harness.audit.oracle_leakage.reader import OF_GOLD, Note, TaskReader
from gaia_harness.audit.oracle_leakage.reading import AnswerKey, words_of
from gaia_harness.audit.oracle_leakage.verdicts import weigh_remarks, weigh_silence
from gaia_harness.figures import counted

__all__ = ["OracleLeakage"]

MOSTLY = 0.8  # share of the tasks with a piece whose own answer stands in it: then it was written for them
FEWEST_TASKS = 3  # from which on it can be said what only one of them was given
LONGEST_FOR_ALL = 12  # words of a sentence that has every task's answer: one of more may list all that there is
FEW_OWN_WORDS = 40  # that only this task was given, among which even "17" says something


class OracleLeakage:
    """Notes what each task was given and told, and weighs it by what all tasks were."""

    noted = Note

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._golds = {} if run.key is None else run.key.golds
        self._key = AnswerKey(self._golds)

    def look(self, task: TaskEvidence) -> Note | None:
        """See what one task was given."""
        if task.trajectory is None:
            return Note(task.task_id, unseen=1) if task.is_unseen else None
        return TaskReader(task, self._key).note()

    def conclude(self, notes: Sequence[Note]) -> Check:
        """Say what was given away."""
        noted = (finding for note in notes for finding in note.findings)
        remarks = [remark for note in notes for remark in note.remarks]
        stood = [note.right for note in notes if note.right is not None]
        told = (*weigh_remarks(remarks, stood), *weigh_silence(remarks, stood))
        findings = Findings().add_all(noted, _weigh_suspicions(notes), told)
        return findings.check("AUD-3", "oracle-leakage", harness_gap="; ".join(self._gaps(notes)) or None)

    def _gaps(self, notes: Sequence[Note]) -> list[str]:
        gaps = []
        if not self._golds:
            gaps.append("the answers are not at hand")
        elif self._run.dataset is None:
            gaps.append("the annotators' steps are not at hand: name the data set")
        gaps += self._run.gaps_of_unseen(sum(note.unseen for note in notes))
        if not_kept := sum(note.not_kept for note in notes):
            gaps.append(f"{counted(not_kept, 'prompt was', 'prompts were')} not kept whole")
        return gaps


def _weigh_suspicions(notes: Sequence[Note]) -> Iterator[Finding]:
    """What is suspicious in prompts, as bad as it is among what all tasks were given."""
    given = Counter(key for note in notes for key in array("Q", note.keys))  # tasks that were given a piece
    hits = Counter(key for note in notes for key in note.holding)  # tasks whose answer stands in it
    alone = sum(bool(note.keys) for note in notes) < FEWEST_TASKS
    for each in (suspicion for note in notes for suspicion in note.suspicions):
        if each.how in OF_GOLD:
            most = LONGEST_FOR_ALL if each.how == "plain" else inf
            own = any(
                hits[key] >= MOSTLY * given[key] and (given[key] < FEWEST_TASKS or words_of(key) <= most)
                for key in each.keys
            )
        else:
            own = not each.keys or any(0 < given[key] < FEWEST_TASKS for key in each.keys)
        of_few = (key for key in array("Q", each.text) if given[key] <= max(1, hits[key] / MOSTLY))
        brief = each.how != "plain" or sum(map(words_of, of_few)) <= FEW_OWN_WORDS
        weak = each.common or each.how in ("plain", "judged_before")
        if own and brief and not (alone and weak):
            yield each.finding
