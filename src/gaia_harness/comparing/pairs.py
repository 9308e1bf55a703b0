"""Compares runs task by task: each with the first."""

from collections.abc import Callable, Container, Sequence

import msgspec

from gaia_harness.comparing.sides import Difference, Side, differences
from gaia_harness.comparing.statistics import (
    RESAMPLES,
    SEED,
    holm,
    mcnemar_exact,
    newcombe_paired,
    ratio_intervals,
)
from gaia_harness.figures import Rate, rate
from gaia_harness.records.outcome import TaskFacts

SCHEMA = "gaia-harness/comparison/1"

METHODS = {
    "interval": "95 %, Newcombe 1998 (paired), method 10",
    "p": "McNemar, exact, two-sided",
    "p_corrected": "Holm 1979",
    "ratio": f"of sums; 95 % by the percentile bootstrap over tasks, {RESAMPLES} resamples, seed {SEED}",
}

Measure = Callable[[TaskFacts], float | None]


def _tokens(task: TaskFacts) -> float | None:
    if task.input_tokens is None or task.output_tokens is None:
        return None
    return task.input_tokens + task.output_tokens


MEASURES: dict[str, Measure] = {
    "cost_usd": lambda task: task.cost_usd,
    "tokens": _tokens,
    "turns": lambda task: task.turns,
    "seconds": lambda task: task.wall_ms / 1000,
}


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """A run in a comparison: what it is, and its score over all tasks that it finished and has an answer for."""

    label: str
    path: str
    run_id: str
    model: str
    agent: str
    asked: int
    finished: int
    score: Rate | None


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of two runs over the tasks of both. `difference` is the second's share minus the first's."""

    first: Rate
    second: Rate
    both: int
    only_first: int
    only_second: int
    neither: int
    difference: float
    low: float
    high: float
    p: float


class Ratio(msgspec.Struct, frozen=True, kw_only=True):
    """What the second took to what the first took, over so many tasks of which both say it. None: not known."""

    tasks: int
    first: float
    second: float
    ratio: float | None
    low: float | None
    high: float | None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One run against the first. `won` and `lost` are the tasks that only the one or only the other got right.

    `score` is None where no task of both has an answer to score by.
    """

    first: str
    second: str
    tasks: int
    scored: int
    score: Score | None
    p_corrected: float | msgspec.UnsetType = msgspec.UNSET  # where there are several comparisons
    levels: dict[str, Score]
    won: tuple[str, ...]
    lost: tuple[str, ...]
    ratios: dict[str, Ratio]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    configuration: tuple[Difference, ...]
    notes: tuple[str, ...]

    @property
    def p(self) -> float | None:
        """The p by which to judge."""
        if self.score is None:
            return None
        return self.score.p if isinstance(self.p_corrected, msgspec.UnsetType) else self.p_corrected


class ComparisonReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `gaia compare --json` prints."""

    schema: str
    methods: dict[str, str]
    runs: tuple[Compared, ...]
    comparisons: tuple[Comparison, ...]


def compare(sides: Sequence[Side]) -> ComparisonReport:
    """Each of the others against the first."""
    first = sides[0]
    comparisons = [_against(first, side) for side in sides[1:]]
    scored = [at for at, comparison in enumerate(comparisons) if comparison.score is not None]
    if len(comparisons) > 1:
        p_values = [comparisons[at].score.p for at in scored]  # type: ignore[union-attr]
        for at, corrected in zip(scored, holm(p_values), strict=True):
            comparisons[at] = msgspec.structs.replace(comparisons[at], p_corrected=corrected)
    methods = {name: said for name, said in METHODS.items() if name != "p_corrected" or len(comparisons) > 1}
    return ComparisonReport(
        schema=SCHEMA, methods=methods, runs=tuple(map(described, sides)), comparisons=tuple(comparisons)
    )


def described(side: Side) -> Compared:
    """A run as it stands at the head of a comparison."""
    scored = [task.correct for task in side.results.values() if task.correct is not None]
    return Compared(
        label=side.label,
        path=side.path,
        run_id=side.run_id,
        model=side.model,
        agent=side.agent,
        asked=len(side.asked),
        finished=len(side.results),
        score=rate(sum(scored), len(scored)) if scored else None,
    )


def _against(first: Side, second: Side) -> Comparison:
    shared = [task_id for task_id in sorted(first.results) if task_id in second.results]
    pairs = [(first.results[task_id], second.results[task_id]) for task_id in shared]
    scored = [(one, other) for one, other in pairs if one.correct is not None and other.correct is not None]
    levels = sorted({one.level for one, _ in scored})
    return Comparison(
        first=first.label,
        second=second.label,
        tasks=len(pairs),
        scored=len(scored),
        score=_score(scored) if scored else None,
        levels={str(level): _score([pair for pair in scored if pair[0].level == level]) for level in levels},
        won=tuple(one.task_id for one, other in scored if other.correct and not one.correct),
        lost=tuple(one.task_id for one, other in scored if one.correct and not other.correct),
        ratios=_ratios(pairs, first.unmeasured | second.unmeasured),
        only_first=tuple(sorted(first.results.keys() - second.results.keys())),
        only_second=tuple(sorted(second.results.keys() - first.results.keys())),
        configuration=differences(first, second),
        notes=tuple(_notes(first, second, shared)),
    )


def _score(pairs: Sequence[tuple[TaskFacts, TaskFacts]]) -> Score:
    both = sum(bool(one.correct and other.correct) for one, other in pairs)
    only_first = sum(bool(one.correct and not other.correct) for one, other in pairs)
    only_second = sum(bool(other.correct and not one.correct) for one, other in pairs)
    neither = len(pairs) - both - only_first - only_second
    low, high = newcombe_paired(both, only_first, only_second, neither)
    return Score(
        first=rate(both + only_first, len(pairs)),
        second=rate(both + only_second, len(pairs)),
        both=both,
        only_first=only_first,
        only_second=only_second,
        neither=neither,
        difference=(only_second - only_first) / len(pairs),
        low=low,
        high=high,
        p=mcnemar_exact(only_first, only_second),
    )


def _ratios(pairs: Sequence[tuple[TaskFacts, TaskFacts]], unmeasured: Container[str]) -> dict[str, Ratio]:
    """Of each measure. Those that are known of the same tasks are drawn together."""
    values: dict[str, tuple[list[float], list[float]]] = {}
    alike: dict[tuple[int, ...], list[str]] = {}
    for name, measure in MEASURES.items():
        measured = [(measure(one), measure(other)) for one, other in pairs] if name not in unmeasured else []
        known = tuple(at for at, (one, other) in enumerate(measured) if one is not None and other is not None)
        values[name] = ([measured[at][0] or 0.0 for at in known], [measured[at][1] or 0.0 for at in known])
        alike.setdefault(known, []).append(name)
    intervals: dict[str, tuple[float, float] | None] = {}
    for names in alike.values():
        intervals |= dict(zip(names, ratio_intervals([values[name] for name in names]), strict=True))
    ratios = {}
    for name, (one, other) in values.items():
        first, second, interval = sum(one), sum(other), intervals[name]
        ratios[name] = Ratio(
            tasks=len(one),
            first=first,
            second=second,
            ratio=second / first if first > 0 else None,
            low=None if interval is None else interval[0],
            high=None if interval is None else interval[1],
        )
    return ratios


def _notes(first: Side, second: Side, shared: Sequence[str]) -> list[str]:
    """What somebody who reads the figures should know."""
    notes = []
    if first.run_id == second.run_id:
        notes.append("both are the same run")
    if first.digest != second.digest:
        notes.append("they were not asked the same list of tasks: only the ids say that these are the same tasks")
    asked = [task_id for task_id in shared if task_id in first.questions and task_id in second.questions]
    other = sum(first.questions[task_id] != second.questions[task_id] for task_id in asked)
    if other:
        notes.append(f"{other} of the tasks of both have another question in the one than in the other")
    for side in (first, second):
        if left := len(set(side.asked) - side.results.keys()):
            notes.append(f"{side.label} is not finished: {left} of its {len(side.asked)} tasks have no result")
    return notes
