"""AUD-3: does the scaffold tell the agent the answer, or whether its answer is right?

What a model was given (`prompts`): openings, before its first word; prompts in the middle of its work; what tools said
to what they were sent. Of the last two, only what is short: up to 600 characters. Texts are read in pieces, which are
sentences and lines (`reading`), and `reader` notes where the task's answer stands in them, and what is said of answers.

An answer is weighed by what all tasks were given: a piece has a key, which is the same whatever numbers and ids stand
in it. It counts where four in five of the tasks that were given the piece have their own answer in it, and is then
critical; "announced" and "plain" are medium where one task of another program's log was told so, and no other:

- "solved": right behind the task's own question, called the answer or alone in its piece
- "hidden": in disguise, encoded or as a digest
- "announced": behind a word that announces it, or as one of three options or more
- "same_sentence": in whatever way, in a sentence that told another task its answer in the same place
- "plain": with no such word, where at most 40 words of the text are the task's own; but not where the task comes with
  a file, or its question has the answer, nor a day or a month

As the answer of an example for another question it is nothing; nor is what the work had come upon before it was given.
Whoever was given it, a list of three answers, numbers and words, is critical, and so are, if less than three tasks were
given it, the annotator's wording of several steps, and that earlier answers to the task were judged so or so. In a run
of one or two tasks nothing can be compared: common words, plain answers and judged earlier ones are nothing there.

Verdicts on answers are weighed by the gold over the run (`verdicts.weigh_remarks`): critical, if who makes them must
have it, else medium.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings
from gaia_harness.audit.oracle_leakage.reader import OF_GOLD, How, Note, TaskReader
from gaia_harness.audit.oracle_leakage.reading import AnswerKey, words_of
from gaia_harness.audit.oracle_leakage.verdicts import weigh_remarks, weigh_silence
from gaia_harness.figures import counted

__all__ = ["OracleLeakage"]

MOSTLY = 0.8  # share of the tasks with a piece whose own answer stands in it: then it was written for them
FEWEST_TASKS = 3  # with fewer, nothing can be compared; what so many were given was not written for one of them
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
        remarks = [remark for note in notes for remark in note.remarks]
        stood = [note.right for note in notes if note.right is not None]
        let_pass = sum(n.right is False and all(each.yes is None for each in n.remarks) for n in notes)
        told = (*weigh_remarks(remarks, stood, let_pass), *weigh_silence(remarks, stood))
        findings = Findings().add_all(_weigh_suspicions(notes), told)
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

    def is_for(key: int, how: How) -> bool:
        """Whether a piece was written for those whose answers stand in it."""
        may_list_all = how == "plain" and words_of(key) > LONGEST_FOR_ALL
        return hits[key] >= MOSTLY * given[key] and (given[key] < FEWEST_TASKS or not may_list_all)

    suspicions = [suspicion for note in notes for suspicion in note.suspicions]
    telling: set[int] = set()  # sentences that told a task its answer, with a gap in its place
    tasks_told: set[str | None] = set()
    so_told = {(each.finding.task_id, sentence) for each in suspicions for sentence in each.sentences}
    told_so = Counter(sentence for _, sentence in so_told)  # tasks that were told their answer in a sentence
    for each in (suspicion for suspicion in suspicions if suspicion.how != "same_sentence"):
        if each.how in OF_GOLD:
            counts = any(is_for(key, each.how) for key in each.keys)
        else:  # a list counts whoever was given it, steps and judged answers if fewer than three tasks were
            counts = not each.keys or any(0 < given[key] < FEWEST_TASKS for key in each.keys)
        if each.how == "plain":  # among the words of pieces that only tasks were given whose own answers stand in them
            own_pieces = (key for key in array("Q", each.text) if given[key] <= max(1, hits[key] / MOSTLY))
            counts = counts and sum(map(words_of, own_pieces)) <= FEW_OWN_WORDS
        weak = each.common or each.how in ("plain", "judged_before")
        if counts and not (alone and weak):
            telling |= each.sentences
            tasks_told.add(each.finding.task_id)
            alone_told = not any(told_so[sentence] > 1 for sentence in each.sentences)
            # in another program's log, a prompt may have what a helper came to, or what was found before it begins
            unsure = each.imported and alone_told and each.how in ("announced", "plain")
            yield msgspec.structs.replace(each.finding, severity="medium") if unsure else each.finding
    for each in suspicions:
        if not telling.isdisjoint(each.sentences) and each.finding.task_id not in tasks_told:
            yield each.finding
