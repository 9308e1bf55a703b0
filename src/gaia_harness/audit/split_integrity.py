"""AUD-7: the tasks are those of the named split, each once, with their levels, and all of them."""

from collections import Counter
from collections.abc import Iterable

from gaia_harness.audit.declared import ending_of
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.facts import BEGUN, BEHIND
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, excerpt
from gaia_harness.figures import counted

SPLITS = {"validation": {1: 53, 2: 86, 3: 26}, "test": {1: 93, 2: 159, 3: 49}}
"""Tasks of each level in the hub's data set, by split."""

MOST_NAMED = 5
"""Task ids in one finding; how many there are is said."""


class SplitIntegrity:
    """AUD-7."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._findings = Findings()
        self._known = set(run.facts.task_ids)
        self._unknown_trajectories: set[str] = set()
        self._without_gold: list[str] = []
        self._with_gold = 0
        self._ending = ending_of(run)

    def look(self, task: TaskEvidence) -> None:
        """See one task."""
        if task.fault is not None and task.fault.endswith(" has a trajectory already"):
            self._add("critical", "duplicate-task", "A task has two trajectories.", task.place, task_id=task.task_id)
        if task.task_id and task.task_id not in self._known:
            self._unknown_trajectories.add(task.task_id)
        facts = task.facts
        if facts is None:
            return
        self._with_gold += task.gold is not None
        if facts.correct is not None and task.gold is None:
            self._without_gold.append(task.task_id)
        level = None if self._run.dataset is None else self._run.dataset.levels.get(task.task_id)
        if level not in (None, facts.level) or facts.level not in (1, 2, 3):
            said = f"The task is counted under level {facts.level}, which is not its level in the data set."
            self._add("critical", "level-changed", said, task_id=task.task_id)

    def conclude(self) -> Check:
        """Say what was found."""
        self._split()
        self._ids()
        self._digests()
        if self._run.facts.dataset == "hub":
            self._hub()
        self._whole()
        gaps = []
        if self._run.dataset is None:
            gaps.append("the data set is not at hand: ids, levels and digest could not be compared with it")
        if self._ending.goes_on:
            gaps.append("the run is not closed: results may be missing yet")
        return self._findings.check("AUD-7", "split-integrity", harness_gap="; ".join(gaps) or None)

    def _split(self) -> None:
        facts, started = self._run.facts, self._run.log.started
        if facts.gaia_split not in SPLITS:
            self._add("critical", "split-not-named", "The run names no split of GAIA.", facts.gaia_split)
        if started is not None and started.gaia_split != facts.gaia_split:
            said = "The log was begun for another split than the one that the run names."
            self._add("critical", "split-mislabelled", said, f"{started.gaia_split}, {facts.gaia_split}")
        for contradiction in facts.contradictions:
            # a summary is saved when a run begins and when it stops: of one that was killed it counts too little
            behind = contradiction.startswith(BEHIND) and (self._ending.unsaved or contradiction.startswith(BEGUN))
            said = "The run's summary and its record contradict each other."
            self._add("medium" if behind else "critical", "summary-differs", said, contradiction)
        if facts.gaia_split == "test" and facts.dataset == "hub" and self._with_gold:
            tasks = counted(self._with_gold, "task has", "tasks have")
            said = f"{tasks} public answers, and the split is said to be test."
            self._add("critical", "split-mislabelled", said)
        if self._without_gold and (self._run.dataset is not None or facts.gaia_split == "test"):
            tasks = counted(len(self._without_gold), "task is", "tasks are")
            said = f"{tasks} scored, and the data set has no answers for them."
            self._add("critical", "score-without-gold", said, _named(self._without_gold))

    def _ids(self) -> None:
        facts = self._run.facts
        if not facts.task_ids:
            self._add("high", "no-tasks", "The run names no tasks.")
        twice = [task_id for task_id, count in Counter(facts.task_ids).items() if count > 1]
        if twice:
            said = f"{counted(len(twice), 'task stands', 'tasks stand')} more than once in the run's list."
            self._add("critical", "duplicate-task", said, _named(twice))
        for fault in self._run.faults:
            if fault.endswith(" has a result already"):
                self._add("critical", "duplicate-task", "A task has two results.", fault)
        results = self._run.by_task.keys()
        for where, ids in (
            ("results", results - self._known),
            ("trajectories", self._unknown_trajectories),
            ("log", self._run.log.tasks.keys() - self._known),
        ):
            if ids:
                said = f"The {where} have tasks that are not in the run's list."
                self._add("critical", "unknown-task", said, _named(ids))
        missing = self._known - results
        if missing:
            said = (
                f"{len(missing)} of {len(self._known)} tasks have no result: the score has not its whole denominator."
            )
            # they count as wrong all the same
            open_ = self._ending.goes_on or (self._run.log.was_given_up and not self._finished(missing))
            self._add("medium" if open_ else "high", "missing-result", said, _named(missing))
        unlogged = {i for i in results if i in self._known} - self._run.log.tasks.keys()
        if unlogged and self._run.log.fault is None:
            said = f"{counted(len(unlogged), 'task has', 'tasks have')} a result, and the log knows nothing of them."
            self._add("critical", "unknown-task", said, _named(unlogged))
        started = self._run.log.started
        if started is not None and started.tasks != len(facts.task_ids):
            said = f"The log was begun for {counted(started.tasks, 'task')}, the run names {len(facts.task_ids)}."
            self._add("critical", "task-list-changed", said)

    def _digests(self) -> None:
        facts, dataset, started = self._run.facts, self._run.dataset, self._run.log.started
        if started is not None and started.dataset_digest != facts.dataset_digest:
            self._add("critical", "digest-differs", "The log was begun with another data set than the run names.")
        if dataset is None:
            return
        if dataset.digest != facts.dataset_digest:
            self._add("critical", "digest-differs", "The run's data set is not the one at hand, by its digest.")
        foreign = self._known - dataset.levels.keys()
        if foreign:
            said = f"{counted(len(foreign), 'task is', 'tasks are')} not in the data set."
            self._add("critical", "unknown-task", said, _named(foreign))
        dropped = dataset.levels.keys() - self._known
        if dropped:
            tasks = counted(len(dropped), "task that was selected is", "tasks that were selected are")
            said = f"{tasks} not in the run's list."
            self._add("critical", "task-list-changed", said, _named(dropped))

    def _hub(self) -> None:
        """The hub's data set: no more than a split has."""
        facts = self._run.facts
        split = SPLITS.get(facts.gaia_split)
        if split is None:
            return
        if facts.dataset_revision is None:
            self._add("medium", "revision-not-named", "The run does not say which revision of the data set it is over.")
        if len(facts.task_ids) > sum(split.values()):
            said = f"The run has {counted(len(facts.task_ids), 'task')}, the split {sum(split.values())}."
            self._add("critical", "more-than-the-split", said)
        for level, count in sorted(self._levels().items()):
            if count > split.get(level, 0):
                said = f"The run has {counted(count, 'task')} of level {level}, the split {split.get(level, 0)}."
                self._add("critical", "more-than-the-split", said)

    def _whole(self) -> None:
        """Whether all tasks are there that were to be: a choice is disclosed, tasks left out without one are not."""
        facts, dataset = self._run.facts, self._run.dataset
        available = SPLITS.get(facts.gaia_split) if facts.dataset == "hub" else dataset and dataset.available
        if not available:
            return
        chosen, found = facts.selection, self._levels()
        wanted = [chosen.level] if chosen.level is not None else sorted(available)
        partly = [level for level in wanted if found[level] < available.get(level, 0)]
        if not partly:
            return
        shares = ", ".join(f"{found[level]} of {available[level]} of level {level}" for level in partly)
        if chosen.task_ids or chosen.first is not None or chosen.last is not None:
            self._add("low", "partial-split", f"The run is over a part of the split, as declared: {shares}.")
        else:
            said = f"Tasks of the split are left out, and the run's configuration does not say so: {shares}."
            self._add("high", "undeclared-partial", said)

    def _finished(self, task_ids: Iterable[str]) -> bool:
        """Whether the log knows the end of any of them."""
        logs = (self._run.log.tasks.get(task_id) for task_id in task_ids)
        return any(log is not None and log.finished_at is not None for log in logs)

    def _levels(self) -> Counter[int]:
        """How many tasks of each level the run names."""
        dataset = self._run.dataset
        levels = dataset.levels if dataset is not None else {t.task_id: t.level for t in self._run.facts.tasks}
        return Counter(levels[task_id] for task_id in self._known if task_id in levels)

    def _add(self, severity: Severity, rule: str, summary: str, shown: str = "", *, task_id: str | None = None) -> None:
        self._findings.add(
            Finding(severity=severity, rule=rule, summary=summary, task_id=task_id, excerpt=excerpt(shown))
        )


def _named(ids: Iterable[str]) -> str:
    listed = sorted(ids)
    return ", ".join(listed[:MOST_NAMED]) + (", …" if len(listed) > MOST_NAMED else "")
