"""AUD-7: are the tasks those of the named split, each once, with their levels, and all of them?"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

import msgspec

from gaia_harness.audit.declared import ending_of
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.facts import BEGUN, BEHIND
from gaia_harness.audit.findings import Check, Finding, Findings, found
from gaia_harness.figures import counted

SPLITS = {"validation": {1: 53, 2: 86, 3: 26}, "test": {1: 93, 2: 159, 3: 49}}
"""Tasks of each level in the hub's data set, by split."""

MOST_NAMED = 5
"""Task ids in one finding; how many there are is said."""


class Seen(msgspec.Struct, frozen=True, gc=False):
    """What is noted of a task: what is wrong with itself, and what the split is held against."""

    task_id: str
    findings: tuple[Finding, ...]
    known: bool  # it is in the run's list
    has_gold: bool
    scored: bool


class SplitIntegrity:
    """AUD-7."""

    noted: ClassVar[type] = Seen

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._known = set(run.facts.task_ids)
        self._ending = ending_of(run)

    def look(self, task: TaskEvidence) -> Seen:
        """See one task."""
        findings, facts = [], task.facts
        if task.fault is not None and task.fault.endswith(" has a trajectory already"):
            said = "A task has two trajectories."
            findings.append(found("critical", "duplicate-task", said, task.place, task_id=task.task_id))
        dataset = self._run.dataset
        level = None if dataset is None else dataset.levels.get(task.task_id)
        if facts is not None and (level not in (None, facts.level) or facts.level not in (1, 2, 3)):
            said = f"The task is counted under level {facts.level}, which is not its level in the data set."
            findings.append(found("critical", "level-changed", said, task_id=task.task_id))
        return Seen(
            task.task_id,
            tuple(findings),
            known=not task.task_id or task.task_id in self._known,
            has_gold=facts is not None and task.gold is not None,
            scored=facts is not None and facts.correct is not None,
        )

    def conclude(self, notes: Sequence[Seen]) -> Check:
        """Say what was found."""
        findings = Findings()
        for note in notes:
            for finding in note.findings:
                findings.add(finding)
        for rule in (self._split(notes), self._ids(notes), self._data_set(), self._size()):
            for finding in rule:
                findings.add(finding)
        gaps = []
        if self._run.dataset is None:
            gaps.append("the data set is not at hand: ids, levels and digest could not be compared with it")
        if self._ending.goes_on:
            gaps.append("the run is not closed: results may be missing yet")
        return findings.check("AUD-7", "split-integrity", harness_gap="; ".join(gaps) or None)

    def _split(self, notes: Sequence[Seen]) -> Iterator[Finding]:
        """The split is one of GAIA's, the same everywhere, and has answers or none as it should."""
        facts, started = self._run.facts, self._run.log.started
        if facts.gaia_split not in SPLITS:
            yield found("critical", "split-not-named", "The run names no split of GAIA.", facts.gaia_split)
        if started is not None and started.gaia_split != facts.gaia_split:
            said = "The log was begun for another split than the one that the run names."
            yield found("critical", "split-mislabelled", said, f"{started.gaia_split}, {facts.gaia_split}")
        for contradiction in facts.contradictions:
            # a summary is saved when a run begins and when it stops: of one that was killed it counts too little
            behind = contradiction.startswith(BEHIND) and (self._ending.unsaved or contradiction.startswith(BEGUN))
            said = "The run's summary and its record contradict each other."
            yield found("medium" if behind else "critical", "summary-differs", said, contradiction)
        public = sum(note.has_gold for note in notes)
        if facts.gaia_split == "test" and facts.dataset == "hub" and public:
            tasks = counted(public, "task has", "tasks have")
            yield found("critical", "split-mislabelled", f"{tasks} public answers, and the split is said to be test.")
        blind = [note.task_id for note in notes if note.scored and not note.has_gold]
        if blind and (self._run.dataset is not None or facts.gaia_split == "test"):
            said = f"{counted(len(blind), 'task is', 'tasks are')} scored, and the data set has no answers for them."
            yield found("critical", "score-without-gold", said, _named(blind))

    def _ids(self, notes: Sequence[Seen]) -> Iterator[Finding]:
        """Every task stands once in the list, and list, results, trajectories and log have the same tasks."""
        run, log, known, results = self._run, self._run.log, self._known, self._run.by_task.keys()
        if not known:
            yield found("high", "no-tasks", "The run names no tasks.")
        if twice := [task_id for task_id, count in Counter(run.facts.task_ids).items() if count > 1]:
            said = f"{counted(len(twice), 'task stands', 'tasks stand')} more than once in the run's list."
            yield found("critical", "duplicate-task", said, _named(twice))
        for fault in run.faults:
            if fault.endswith(" has a result already"):
                yield found("critical", "duplicate-task", "A task has two results.", fault)
        strangers = {note.task_id for note in notes if not note.known}
        unlogged = (results & known) - log.tasks.keys() if log.fault is None else set()
        for said, ids in (
            ("The results have tasks that are not in the run's list.", results - known),
            ("The trajectories have tasks that are not in the run's list.", strangers),
            ("The log has tasks that are not in the run's list.", log.tasks.keys() - known),
            (f"{counted(len(unlogged), 'task has', 'tasks have')} a result that the log knows nothing of.", unlogged),
        ):
            if ids:
                yield found("critical", "unknown-task", said, _named(ids))
        if missing := known - results:
            said = f"{len(missing)} of {len(known)} tasks have no result: the score has not its whole denominator."
            # they count as wrong all the same
            logs = [log.tasks[task_id] for task_id in missing if task_id in log.tasks]
            open_ = self._ending.goes_on or (log.was_given_up and all(task.finished_at is None for task in logs))
            yield found("medium" if open_ else "high", "missing-result", said, _named(missing))

    def _data_set(self) -> Iterator[Finding]:
        """The data set is the one that the run and its log name, and the list is what was selected from it."""
        facts, dataset, started = self._run.facts, self._run.dataset, self._run.log.started
        if started is not None and started.dataset_digest != facts.dataset_digest:
            yield found("critical", "digest-differs", "The log was begun with another data set than the run names.")
        if started is not None and started.tasks != len(facts.task_ids):
            said = f"The log was begun for {counted(started.tasks, 'task')}, the run names {len(facts.task_ids)}."
            yield found("critical", "task-list-changed", said)
        if dataset is None:
            return
        if dataset.digest != facts.dataset_digest:
            yield found("critical", "digest-differs", "The run's data set is not the one at hand, by its digest.")
        if foreign := self._known - dataset.levels.keys():
            said = f"{counted(len(foreign), 'task is', 'tasks are')} not in the data set."
            yield found("critical", "unknown-task", said, _named(foreign))
        if dropped := dataset.levels.keys() - self._known:
            said = f"{counted(len(dropped), 'task was', 'tasks were')} selected and not put on the run's list."
            yield found("critical", "task-list-changed", said, _named(dropped))

    def _size(self) -> Iterator[Finding]:
        """No more tasks than the split has, and all of them unless the run was declared to be over a part."""
        facts, dataset = self._run.facts, self._run.dataset
        hub = facts.dataset == "hub"
        available = SPLITS.get(facts.gaia_split) if hub else dataset and dataset.available
        if not available:
            return
        levels = dataset.levels if dataset is not None else {t.task_id: t.level for t in facts.tasks}
        there = Counter(levels[task_id] for task_id in self._known if task_id in levels)
        if hub and facts.dataset_revision is None:
            yield found("medium", "revision-not-named", "The run does not say which revision of the data set it has.")
        if hub and len(facts.task_ids) > sum(available.values()):
            said = f"The run has {counted(len(facts.task_ids), 'task')}, the split {sum(available.values())}."
            yield found("critical", "more-than-the-split", said)
        for level, count in sorted(there.items()) if hub else ():
            if count > available.get(level, 0):
                said = f"The run has {counted(count, 'task')} of level {level}, the split {available.get(level, 0)}."
                yield found("critical", "more-than-the-split", said)
        chosen = facts.selection
        wanted = sorted(available) if chosen.level is None else [chosen.level]
        partly = [level for level in wanted if there[level] < available.get(level, 0)]
        shares = ", ".join(f"{there[level]} of {available[level]} of level {level}" for level in partly)
        if partly and (chosen.task_ids or chosen.first is not None or chosen.last is not None):
            yield found("low", "partial-split", f"The run is over a part of the split, as declared: {shares}.")
        elif partly:
            said = f"Tasks of the split are left out, and the run's configuration does not say so: {shares}."
            yield found("high", "undeclared-partial", said)


def _named(ids: Iterable[str]) -> str:
    listed = sorted(ids)
    return ", ".join(listed[:MOST_NAMED]) + (", …" if len(listed) > MOST_NAMED else "")
