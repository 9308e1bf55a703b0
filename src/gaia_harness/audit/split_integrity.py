"""AUD-7: are the tasks those of the named split, each once, with their levels, and all of them?"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from gaia_harness.audit.declared import goes_on, is_under_way
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.facts import BEGUN, BEHIND
from gaia_harness.audit.findings import Check, Finding, Findings, Notes, found
from gaia_harness.figures import counted

SPLITS = {"validation": {1: 53, 2: 86, 3: 26}, "test": {1: 93, 2: 159, 3: 49}}
"""Tasks of each level in the hub's data set, by split."""

MOST_NAMED = 5
"""Task ids in one finding; how many there are is said."""


class SplitIntegrity:
    """AUD-7."""

    noted: ClassVar[type] = Notes

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._known = set(run.facts.task_ids)
        self._goes_on = goes_on(run)

    def look(self, task: TaskEvidence) -> Notes:
        """See one task."""
        facts, dataset = task.facts, self._run.dataset
        level = None if dataset is None else dataset.levels.get(task.task_id)
        if facts is None or (level in (None, facts.level) and facts.level in (1, 2, 3)):
            return Notes(task.task_id)
        said = f"The task is counted under level {facts.level}, which is not its level in the data set."
        return Notes(task.task_id, (found("critical", "level-changed", said, task_id=task.task_id),))

    def conclude(self, notes: Sequence[Notes]) -> Check:
        """Say what was found."""
        findings = Findings().add_all(*(note.findings for note in notes))
        findings.add_all(self._split(), self._tasks([note.task_id for note in notes if note.task_id]), self._size())
        gaps = []
        if self._run.dataset is None:
            gaps.append("the data set is not at hand: ids, levels and digest could not be compared with it")
        if self._goes_on:
            gaps.append("the run is not closed: results may be missing yet")
        return findings.check("AUD-7", "split-integrity", harness_gap="; ".join(gaps) or None)

    def _split(self) -> Iterator[Finding]:
        """Split and data set are the same everywhere, and have answers or none as they should."""
        facts, started, dataset, key = self._run.facts, self._run.log.started, self._run.dataset, self._run.key
        named = (facts.gaia_split, facts.dataset_digest)
        begun = named if started is None else (started.gaia_split, started.dataset_digest)
        test = facts.gaia_split == "test"
        known = {} if key is None or (test and facts.dataset == "hub") else key.golds
        scored = any(task.correct is not None and task.task_id not in known for task in facts.tasks)
        for said, wrong in (
            ("The run names no split of GAIA.", facts.gaia_split not in SPLITS),
            ("The log was begun for another split or data set than the run names.", begun != named),
            ("Answers are scored that have no gold in the data set.", scored and (test or dataset is not None)),
            ("Another data set is at hand than the run names.", dataset and dataset.digest != facts.dataset_digest),
        ):
            if wrong:
                yield found("critical", "other-dataset", said)
        for contradiction in facts.contradictions:
            # a summary is saved when a run begins and when it stops: of one that was killed it counts too little
            behind = contradiction.startswith(BEHIND) and (contradiction.startswith(BEGUN) or is_under_way(self._run))
            said = "The run's summary and its record contradict each other."
            yield found("medium" if behind else "critical", "summary-differs", said, contradiction)

    def _tasks(self, seen: list[str]) -> Iterator[Finding]:
        """Every task stands once in the list, and list, data set, results, trajectories and log have the same tasks."""
        run, log, known, results = self._run, self._run.log, self._known, self._run.by_task.keys()
        selected = known if run.dataset is None else run.dataset.levels.keys()
        unlogged = (results & known) - log.tasks.keys() if log.fault is None else set()
        for said, ids in (
            ("The run's list has tasks more than once.", _twice(run.facts.task_ids)),
            ("Tasks have more than one result.", {each for each in run.faults if each.endswith(" a result already")}),
            ("Tasks have more than one trajectory.", _twice(seen)),
            ("The results have tasks that are not in the run's list.", results - known),
            ("The trajectories have tasks that are not in the run's list.", set(seen) - known - results),
            ("The log has tasks that are not in the run's list.", log.tasks.keys() - known),
            ("The log knows nothing of tasks that have a result.", unlogged),
            ("The data set does not have tasks of the run's list.", known - selected),
            ("Tasks were selected and not put on the run's list.", selected - known),
        ):
            if ids:
                yield found("critical", "other-tasks", said, f"{len(ids)}: {_named(ids)}")
        if missing := known - results:
            said = f"{len(missing)} of {len(known)} tasks have no result: the score has not its whole denominator."
            # they count as wrong all the same
            logs = [log.tasks[task_id] for task_id in missing if task_id in log.tasks]
            open_ = self._goes_on or (log.was_given_up and all(task.finished_at is None for task in logs))
            yield found("medium" if open_ else "high", "missing-result", said, _named(missing))

    def _size(self) -> Iterator[Finding]:
        """No more tasks than the split has, and all of them unless the run was declared to be over a part."""
        facts, dataset = self._run.facts, self._run.dataset
        hub = facts.dataset == "hub"
        available = SPLITS.get(facts.gaia_split) if hub else dataset and dataset.available
        if not available:
            return
        levels = dataset.levels if dataset is not None else {t.task_id: t.level for t in facts.tasks}
        there = Counter(levels[task_id] for task_id in self._known if task_id in levels)
        for level, count in sorted(there.items()) if hub else ():
            if count > available.get(level, 0):
                said = f"The run has {counted(count, 'task')} of level {level}, the split {available.get(level, 0)}."
                yield found("critical", "other-tasks", said)
        chosen = facts.selection
        wanted = sorted(available) if chosen.level is None else [chosen.level]
        partly = [level for level in wanted if there[level] < available.get(level, 0)]
        shares = ", ".join(f"{there[level]} of {available[level]} of level {level}" for level in partly)
        if partly and (chosen.task_ids or chosen.first is not None or chosen.last is not None):
            yield found("low", "partial-split", f"The run is over a part of the split, as declared: {shares}.")
        elif partly:
            said = f"Tasks of the split are left out, and the run's configuration does not say so: {shares}."
            yield found("high", "partial-split", said)


def _twice(ids: Iterable[str]) -> set[str]:
    return {task_id for task_id, times in Counter(ids).items() if times > 1}


def _named(ids: Iterable[str]) -> str:
    listed = sorted(ids)
    return ", ".join(listed[:MOST_NAMED]) + (", …" if len(listed) > MOST_NAMED else "")
