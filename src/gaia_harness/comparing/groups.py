"""Several runs of one model: how much its score moves from run to run."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from gaia_harness.comparing.pairs import Compared, described
from gaia_harness.comparing.sides import Side, differences
from gaia_harness.comparing.statistics import mean_and_error, pass_all, pass_at
from gaia_harness.errors import UsageError
from gaia_harness.figures import Rate, rate

SCHEMA = "gaia-harness/group/1"

METHODS = {
    "standard_error": "of the mean, over runs",
    "pass_at": "unbiased, Chen and others 2021 (arXiv 2107.03374)",
    "pass_all": "pass^k, unbiased, Yao and others 2024 (arXiv 2406.12045)",
    "stable": "the share of tasks with the same outcome in every run; 95 % interval of Wilson 1927",
}


class GroupReport(msgspec.Struct, frozen=True, kw_only=True):
    """What `gaia compare --group --json` prints. All figures are over the tasks that every run finished.

    `right` says of each task in how many of the runs it was right. `differences` names settings that are not the same.
    """

    schema: str
    methods: dict[str, str]
    runs: tuple[Compared, ...]
    tasks: int
    left_out: tuple[str, ...]
    mean: float
    standard_error: float | None
    pass_at: dict[str, float]
    pass_all: dict[str, float]
    stable: Rate
    always_right: int
    always_wrong: int
    right: dict[str, int]
    differences: tuple[str, ...]
    notes: tuple[str, ...]


def group(sides: Sequence[Side], *, anyway: bool = False) -> GroupReport:
    """The figures of several runs of one model."""
    _refuse(sides, anyway=anyway)
    scored = [{task_id for task_id, task in side.results.items() if task.correct is not None} for side in sides]
    shared = sorted(set.intersection(*scored))
    if not shared:
        raise UsageError(
            "there is no task that all of these runs finished and that has an answer to score by",
            hint="name runs on the same tasks, of a split with public answers",
        )
    right = {task_id: sum(bool(side.results[task_id].correct) for side in sides) for task_id in shared}
    runs, counts = len(sides), Counter(right.values())
    shares = [sum(bool(side.results[task_id].correct) for task_id in shared) / len(shared) for side in sides]
    mean, error = mean_and_error(shares)
    ks = range(1, runs + 1)
    everything = {task_id for side in sides for task_id in (*side.asked, *side.results)}
    return GroupReport(
        schema=SCHEMA,
        methods=METHODS,
        runs=tuple(map(described, sides)),
        tasks=len(shared),
        left_out=tuple(sorted(everything - set(shared))),
        mean=mean,
        standard_error=error,
        pass_at={str(k): sum(n * pass_at(runs, c, k) for c, n in counts.items()) / len(shared) for k in ks},
        pass_all={str(k): sum(n * pass_all(runs, c, k) for c, n in counts.items()) / len(shared) for k in ks},
        stable=rate(counts[0] + counts[runs], len(shared)),
        always_right=counts[runs],
        always_wrong=counts[0],
        right=right,
        differences=tuple(sorted({each.name for side in sides[1:] for each in differences(sides[0], side)})),
        notes=tuple(_notes(sides)),
    )


def _refuse(sides: Sequence[Side], *, anyway: bool) -> None:
    seen: dict[str, Side] = {}
    for side in sides:
        if (same := seen.setdefault(side.run_id, side)) is not side:
            raise UsageError(
                f"{same.path} and {side.path} are the same run, which would count twice", hint="name each run once"
            )
    models = sorted({side.model for side in sides})
    if len(models) > 1 and not anyway:
        raise UsageError(
            f"these are runs of several models: {', '.join(models)[:200]}",
            hint="leave out --group to compare them, or add --anyway to take them as one",
        )


def _notes(sides: Sequence[Side]) -> list[str]:
    notes = []
    if len({side.digest for side in sides}) > 1:
        notes.append("they were not asked the same list of tasks: only the ids say that these are the same tasks")
    if len({side.model for side in sides}) > 1:
        notes.append("they are runs of several models")
    return notes
