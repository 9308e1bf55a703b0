"""AUD-7: are the tasks those of the named split, each once, with their levels, and all of them?"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Finding, Severity, found
from gaia_harness.audit.looking import TaskCheck
from gaia_harness.records.stated import BEHIND

SPLITS = {"validation": {1: 53, 2: 86, 3: 26}, "test": {1: 93, 2: 159, 3: 49}}
"""Tasks of each level in the hub's data set, by split."""

MOST_NAMED = 5
"""Task ids in one finding; how many there are is said."""


class SplitIntegrity(TaskCheck):
    """AUD-7."""

    id, name = "AUD-7", "split-integrity"

    def of_task(self, task: TaskEvidence) -> Iterator[Finding]:
        """A task is counted under the level that it has in the data set."""
        facts, dataset = task.facts, self.run.dataset
        if facts is not None and dataset is not None and dataset.levels.get(task.task_id, facts.level) != facts.level:
            said = f"The task is counted under level {facts.level}, which is not its level in the data set."
            yield found("critical", "level-changed", said)

    def of_run(self, task_ids: Sequence[str]) -> Iterator[Finding]:
        """The split, its tasks, and how many of them."""
        yield from self._split()
        yield from self._tasks(task_ids)
        yield from self._size()

    def gaps(self, unseen: int) -> Iterator[str]:
        """What could not be compared, and what may be yet to come."""
        if self.run.dataset is None:
            yield "the data set is not at hand: ids, levels and digest could not be compared with it"
        if self.run.goes_on:
            yield "the run is not closed: results may be missing yet"

    def _split(self) -> Iterator[Finding]:
        """Split and data set are the same everywhere, and so are the figures of the summary and of the results."""
        facts, started, dataset = self.run.facts, self.run.log.started, self.run.dataset
        named = (facts.gaia_split, facts.dataset_digest)
        begun = named if started is None else (started.gaia_split, started.dataset_digest)
        test = facts.dataset == "hub" and facts.gaia_split == "test"
        scored = test and any(task.correct is not None for task in facts.tasks)
        for said, wrong in (
            ("The run names no split of GAIA.", facts.gaia_split not in SPLITS),
            ("The log was begun for another split or data set than the run names.", begun != named),
            ("Answers of the hub's split test are scored, which has no public ones.", scored),
            ("Another data set is at hand than the run names.", dataset and dataset.digest != facts.dataset_digest),
        ):
            if wrong:
                yield found("critical", "other-dataset", said)
        for contradiction in facts.contradictions:
            # a summary is saved when a run begins and when it stops: of one that was killed it counts too little
            behind = contradiction.startswith(BEHIND) and self.run.is_under_way
            said = "The run's summary and its record contradict each other."
            yield found("medium" if behind else "critical", "summary-differs", said, contradiction)

    def _tasks(self, seen: Sequence[str]) -> Iterator[Finding]:
        """Every task stands once in the list, and list, data set, results and log have the same tasks."""
        run, log, known, results = self.run, self.run.log, self.run.asked, self.run.by_task.keys()
        for said, ids in (
            ("The run's list has tasks more than once.", _twice(run.facts.task_ids)),
            ("Tasks have more than one trajectory.", _twice(seen)),
            ("The results have tasks that are not in the run's list.", results - known),
            ("The log has tasks that are not in the run's list.", log.tasks.keys() - known),
            ("The log knows nothing of tasks that have a result.", () if log.fault else results - log.tasks.keys()),
            ("The data set does not have tasks of the run's list.", run.dataset and known - run.dataset.levels.keys()),
        ):
            if ids:
                yield found("critical", "other-tasks", said, f"{len(ids)}: {_named(ids)}")
        if missing := known - results:
            said = f"{len(missing)} of {len(known)} tasks have no result: the score has not its whole denominator."
            # they count as wrong all the same
            severity: Severity = "medium" if run.goes_on or log.was_given_up else "high"
            yield found(severity, "missing-result", said, _named(missing))

    def _size(self) -> Iterator[Finding]:
        """All tasks that the split has, unless the run was declared to be over a part."""
        facts, dataset = self.run.facts, self.run.dataset
        available = SPLITS.get(facts.gaia_split) if facts.dataset == "hub" else dataset and dataset.available
        if not available:
            return
        levels = dataset.levels if dataset is not None else {t.task_id: t.level for t in facts.tasks}
        there = Counter(levels[task_id] for task_id in self.run.asked if task_id in levels)
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
