"""`gaia runs`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gaia_harness.cli.csv_rows import Cell
    from gaia_harness.comparing.listing import ListedRun
    from gaia_harness.figures import Rate

LONGEST_CELL = 32
LONGEST_REASON = 160


@click.command("runs")
@click.argument("folder", metavar="[FOLDER]", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, envvar="GAIA_RUNS_JSON", help="Print the list as JSON alone.")
@click.option("--csv", "as_csv", is_flag=True, envvar="GAIA_RUNS_CSV", help="Print the list as CSV.")
def command(folder: Path | None, as_json: bool, as_csv: bool) -> None:
    """List the runs beneath FOLDER (or runs/), the oldest first: how far each is, its score, its cost and its state.

    Small files alone are read. A run that is interrupted is listed with the command that goes on with it; what cannot
    be read, with the reason.
    """
    from gaia_harness.cli.csv_rows import print_csv
    from gaia_harness.cli.plain import print_json
    from gaia_harness.comparing.listing import list_runs
    from gaia_harness.errors import UsageError

    if as_json and as_csv:
        raise UsageError("--json and --csv do not go together", hint="leave one of them out")
    runs = list_runs(folder or Path("runs"))
    if as_json:
        print_json(runs)
    elif as_csv:
        print_csv(COLUMNS, _csv_rows(runs))
    else:
        _show(runs, folder or Path("runs"))


COLUMNS = (
    "path", "state", "run_id", "started_at", "model", "agent", "split", "done", "asked", "score", "audited", "cost_usd",
    "reason", "next", "package",
)  # fmt: skip


def _csv_rows(runs: "Sequence[ListedRun]") -> "Iterator[dict[str, Cell]]":
    for run in runs:
        row = {name: getattr(run, name) for name in COLUMNS}
        for name in ("score", "audited"):
            row[name] = None if row[name] is None else row[name].pass_rate
        yield row


def _show(runs: "Sequence[ListedRun]", folder: Path) -> None:
    from gaia_harness.cli.plain import plain
    from gaia_harness.figures import counted
    from gaia_harness.shortening import shorten

    if not runs:
        click.echo(f"{plain(str(folder))}: no runs here")
        return
    table: list[tuple[str, ...]] = [("STARTED", "MODEL", "AGENT", "SPLIT", "DONE", "SCORE", "AUDITED", "COST", "STATE")]
    table += [_cells(run) for run in runs]
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
    for number, row in enumerate(table):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo(f"{line}  {'RUN' if number == 0 else plain(runs[number - 1].path)}{_more(runs, number - 1)}")
    states = [run.state for run in runs]
    counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    click.echo(shorten(f"{counted(len(runs), 'run')}: {counts}", 200))


def _more(runs: "Sequence[ListedRun]", at: int) -> str:
    """Why a run is in its state, and how to go on with it."""
    from gaia_harness.cli.plain import plain
    from gaia_harness.shortening import shorten

    if at < 0:
        return ""
    run = runs[at]
    reason = "" if run.reason is None else f"  {plain(shorten(run.reason, LONGEST_REASON))}"
    return f"{reason}{'' if run.next is None else f'  next: {plain(run.next)}'}"


def _cells(run: "ListedRun") -> tuple[str, ...]:
    from gaia_harness.cli.plain import plain
    from gaia_harness.cli.progress import money
    from gaia_harness.shortening import shorten

    cells = (
        run.started_at[:16].replace("T", " "),
        run.model,
        run.agent,
        run.split,
        "" if run.done is None else f"{run.done}/{run.asked}",
        _share(run.score),
        _share(run.audited),
        "" if run.cost_usd is None else money(run.cost_usd),
        run.state,
    )
    return tuple(plain(shorten(cell, LONGEST_CELL)) or "–" for cell in cells)


def _share(score: "Rate | None") -> str:
    return "" if score is None else f"{score.pass_rate:.1%}"
