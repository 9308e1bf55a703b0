"""A comparison of runs as a person reads it, and as rows of a table."""

from collections.abc import Iterable, Iterator, Sequence

import click

from gaia_harness.cli.csv_rows import Cell
from gaia_harness.cli.plain import plain
from gaia_harness.comparing.groups import GroupReport
from gaia_harness.comparing.pairs import MEASURES, Compared, Comparison, ComparisonReport
from gaia_harness.comparing.sides import Side
from gaia_harness.comparing.wording import LONGEST_VALUE, MEASURED, p_value, points, ratio, value, verdict
from gaia_harness.figures import Rate, counted
from gaia_harness.shortening import shorten

MOST_NAMED = 40


def show(report: ComparisonReport) -> None:
    """Print each comparison."""
    _show_runs(report.runs)
    several = len(report.comparisons) > 1
    for comparison in report.comparisons:
        click.echo("")
        _show_comparison(comparison, several=several)
    click.echo("")
    click.echo("intervals and p: see docs/comparing.md; `--json` has all figures")


def _show_runs(runs: Sequence[Compared]) -> None:
    for run in runs:
        score = "" if run.score is None else f", {_share(run.score)}"
        done = f"{run.finished} of {counted(run.asked, 'task')}"
        click.echo(f"{run.label}  {plain(run.path)}: {plain(run.model)}, {plain(run.agent)}, {done}{score}")


def _show_comparison(comparison: Comparison, *, several: bool) -> None:
    one, other, score = comparison.first, comparison.second, comparison.score
    click.echo(f"{other} against {one}: {counted(comparison.tasks, 'task')} of both")
    for note in comparison.notes:
        click.echo(f"  note       {plain(note)}")
    if score is None:
        click.echo("  score      none: no task of both has an answer to score by")
    else:
        click.echo(f"  score      {one} {_share(score.first)}, {other} {_share(score.second)}")
        click.echo(f"  difference {points(score)}")
        corrected = f", {p_value(comparison.p)} when corrected for the number of comparisons" if several else ""
        click.echo(f"  McNemar    p = {p_value(score.p)}{corrected}")
        click.echo(f"  so         {verdict(comparison)}")
        for level, each in comparison.levels.items():
            shares = f"{one} {each.first.passed}, {other} {each.second.passed} of {each.first.total}"
            click.echo(f"  level {plain(level):<4} {shares}: {points(each)}, p = {p_value(each.p)}")
    for name, measured in comparison.ratios.items():
        click.echo(f"  {MEASURED[name]:<10} {ratio(name, measured, comparison)}")
    _show_tasks("won", comparison.won)
    _show_tasks("lost", comparison.lost)
    _show_tasks(f"only in {one}", comparison.only_first)
    _show_tasks(f"only in {other}", comparison.only_second)
    if not comparison.configuration:
        click.echo("  settings   the same")
    for number, difference in enumerate(comparison.configuration):
        values = f"{one} {plain(value(difference.first))}, {other} {plain(value(difference.second))}"
        click.echo(f"  {'' if number else 'settings':<10} {plain(difference.name)}: {values}")


def _show_tasks(name: str, task_ids: Sequence[str]) -> None:
    if not task_ids:
        return
    more = f" … and {len(task_ids) - MOST_NAMED} more" if len(task_ids) > MOST_NAMED else ""
    for number, task_id in enumerate(task_ids[:MOST_NAMED]):
        last = more if number == MOST_NAMED - 1 else ""
        click.echo(f"  {'' if number else name:<10} {plain(shorten(task_id, LONGEST_VALUE))}{last}")


def _share(score: Rate) -> str:
    return f"{score.passed} of {score.total} = {score.pass_rate:.1%}"


def show_group(report: GroupReport) -> None:
    """Print the figures of several runs of one model."""
    _show_runs(report.runs)
    click.echo("")
    runs = len(report.runs)
    click.echo(f"{counted(runs, 'run')}, {counted(report.tasks, 'task')} that all of them finished")
    for note in report.notes:
        click.echo(f"  note       {plain(note)}")
    error = "" if report.standard_error is None else f", standard error over runs {report.standard_error:.1%}"
    click.echo(f"  mean       {report.mean:.1%}{error}")
    for k in report.pass_at:
        click.echo(f"  k = {k:<6} pass@{k} {report.pass_at[k]:.1%}, pass^{k} {report.pass_all[k]:.1%}")
    stable = report.stable
    always = f"{report.always_right} always right, {report.always_wrong} always wrong"
    interval = f"95 % interval {stable.low:.1%} to {stable.high:.1%}"
    click.echo(f"  stable     {_share(stable)} ({interval}): {always}")
    moving = [f"{task_id}  {right} of {runs}" for task_id, right in report.right.items() if 0 < right < runs]
    _show_tasks("moving", moving)
    _show_tasks("left out", report.left_out)
    if report.differences:
        click.echo(f"  settings   not the same: {plain(', '.join(report.differences))}")


def task_rows(sides: Sequence[Side]) -> tuple[list[str], Iterator[dict[str, Cell]]]:
    """A row for each task of any of the runs: what each of them made of it."""
    columns = ["task_id", "level"]
    for side in sides:
        columns += [f"{side.label}.{name}" for name in ("correct", *MEASURES)]
    return columns, (_task_row(sides, task_id) for task_id in _all_tasks(sides))


def _task_row(sides: Sequence[Side], task_id: str) -> dict[str, Cell]:
    row: dict[str, Cell] = {"task_id": task_id}
    for side in sides:
        task = side.results.get(task_id)
        if task is None:
            continue
        row.setdefault("level", task.level)
        row[f"{side.label}.correct"] = task.correct
        for name, measure in MEASURES.items():
            row[f"{side.label}.{name}"] = None if name in side.unmeasured else measure(task)
    return row


def group_rows(sides: Sequence[Side]) -> tuple[list[str], Iterator[dict[str, Cell]]]:
    """A row for each task of any of the runs: in how many of them it was right."""
    columns = ["task_id", "level", "runs", "right"]

    def rows() -> Iterator[dict[str, Cell]]:
        for task_id in _all_tasks(sides):
            found = [task for side in sides if (task := side.results.get(task_id)) is not None]
            scored = [task.correct for task in found if task.correct is not None]
            level = found[0].level if found else None
            yield {"task_id": task_id, "level": level, "runs": len(scored), "right": sum(scored)}

    return columns, rows()


def _all_tasks(sides: Sequence[Side]) -> Iterable[str]:
    return sorted({task_id for side in sides for task_id in (*side.asked, *side.results)})
