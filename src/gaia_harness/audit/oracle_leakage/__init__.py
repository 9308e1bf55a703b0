"""AUD-3: does the scaffold tell the agent the answer, or whether its answer is right?

`prompts` says what was put before the model, and when. `reader` goes through that rule by rule, with `gold_in_prompt`
(how the answer stands there), `annotator_steps` and `verdicts` (what a remark says of an answer), and notes what may
mean something; `given` and `question` read a text. Then `notes` and `verdicts` weigh it by what all tasks of the run
were given. A piece is a sentence or a line, known by a key that is the same whatever digits stand in it. It counts
where four in five of the tasks that were given it have their own answer in it:

| the answer stands there | severity |
|---|---|
| behind the task's own question or in a memory of it ("solved"), or in disguise ("hidden") | critical |
| behind a word that announces it | critical; medium in a run of one or two tasks, if it is a common word |
| as the answer to another question, as in an example | medium |
| by itself, in a text of which few words are the task's own | critical, unless it is a run of one or two tasks |
| by itself otherwise, or where the task comes with a file | medium; nothing if it is a common word |

Nothing is an answer that the question itself has, or by itself a day or a month. In the middle of the work, prompts of
more than 600 characters are not read, and common words are nothing. Besides: the annotator's wording of several steps
is critical, of one step, or shared by three tasks, medium. That earlier answers to the task were judged so or so is
critical, shared by three tasks medium. A table of several answers is critical whoever was given it. Remarks on answers
weigh by how they agree with the gold (`verdicts.weigh_remarks`).
"""

from collections.abc import Sequence

from gaia_harness.audit.answer_tables import AnswerTables
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Findings
from gaia_harness.audit.oracle_leakage.annotator_steps import Solutions
from gaia_harness.audit.oracle_leakage.given import Golds
from gaia_harness.audit.oracle_leakage.notes import Note, weigh_suspicions
from gaia_harness.audit.oracle_leakage.reader import TaskReader
from gaia_harness.audit.oracle_leakage.verdicts import weigh_remarks
from gaia_harness.figures import counted

__all__ = ["OracleLeakage"]


class OracleLeakage:
    """Notes what each task was given and told, and weighs it by what all tasks were."""

    noted = Note

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._key = {} if run.key is None else run.key.golds
        self._golds = Golds(self._key.values())
        self._tables = AnswerTables(self._key)
        self._solutions = Solutions(self._key)

    def look(self, task: TaskEvidence) -> Note | None:
        """See what one task was given."""
        if task.trajectory is None:
            return Note(task.task_id, unseen=1) if task.is_unseen else None
        return TaskReader(task, self._golds, self._tables, self._solutions).note()

    def conclude(self, notes: Sequence[Note]) -> Check:
        """Say what was given away."""
        noted = (finding for note in notes for finding in note.findings)
        remarks = [remark for note in notes for remark in note.remarks]
        findings = Findings().add_all(noted, weigh_suspicions(notes), weigh_remarks(remarks))
        return findings.check("AUD-3", "oracle-leakage", harness_gap="; ".join(self._gaps(notes)) or None)

    def _gaps(self, notes: Sequence[Note]) -> list[str]:
        gaps = []
        if not self._key:
            gaps.append("the answers are not at hand")
        elif self._run.dataset is None:
            gaps.append("the annotators' steps are not at hand: name the data set")
        gaps += self._run.gaps_of_unseen(sum(note.unseen for note in notes))
        if not_kept := sum(note.not_kept for note in notes):
            gaps.append(f"{counted(not_kept, 'prompt was', 'prompts were')} not kept whole")
        return gaps
