"""`gaia compare`."""

from pathlib import Path

import click

MANY = 2000
"""Tasks of all runs together, of which the intervals take seconds."""


@click.command("compare")
@click.argument("paths", metavar="RUN…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--group", "as_group", is_flag=True, help="Take them as runs of one model: mean, spread, pass@k, pass^k.")
@click.option("--anyway", is_flag=True, help="Compare also runs that were not asked the same list of tasks.")
@click.option("--json", "as_json", is_flag=True, envvar="GAIA_COMPARE_JSON", help="Print all figures as JSON alone.")
@click.option("--csv", "as_csv", is_flag=True, envvar="GAIA_COMPARE_CSV", help="Print a line for each task as CSV.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Also write a page with each task side by side: FILE.html."
)
@click.option("--redacted", is_flag=True, help="The page without questions, page texts and answers: for the open web.")
def command(
    paths: tuple[Path, ...],
    as_group: bool,
    anyway: bool,
    as_json: bool,
    as_csv: bool,
    out: Path | None,
    redacted: bool,
) -> None:
    """Say whether one run is better than another, or whether that may be luck.

    RUN is a run folder, a package or an archive of one; each is compared with the first, task by task. A package is
    read strictly, but its signatures are not checked: `gaia verify` does that.
    """
    from gaia_harness.cli.compare_table import group_rows, show, show_group, task_rows
    from gaia_harness.cli.csv_rows import print_csv
    from gaia_harness.cli.plain import plain, print_json
    from gaia_harness.comparing.groups import group
    from gaia_harness.comparing.pairs import compare
    from gaia_harness.comparing.sides import read_sides, refuse_other_data
    from gaia_harness.errors import UsageError

    if len(paths) < 2:
        raise UsageError("there is nothing to compare", hint="name two runs or more: gaia compare RUN RUN")
    if as_json and as_csv:
        raise UsageError("--json and --csv do not go together", hint="leave one of them out")
    if out is not None and (as_group or as_csv):
        raise UsageError("--out goes with a comparison alone", hint="leave out --group and --csv")
    if redacted and out is None:
        raise UsageError("--redacted is of a page", hint="name its file: --out FILE.html")
    sides = read_sides(paths)
    refuse_other_data(sides, anyway=anyway)
    if as_csv:
        print_csv(*(group_rows if as_group else task_rows)(sides))
    elif as_group:
        figures = group(sides, anyway=anyway)
        print_json(figures) if as_json else show_group(figures)
    else:
        if max(len(side.results) for side in sides) * len(sides) > MANY:
            click.echo("working out the intervals", err=True)
        report = compare(sides)
        print_json(report) if as_json else show(report)
        if out is not None:
            from gaia_harness.comparing.side_by_side import write_comparison_page

            size = write_comparison_page(report, sides, out, redacted=redacted)
            held = "no question, page text or answer is in it" if redacted else "questions and answers are in it"
            click.echo(f"{plain(str(out))}: {size:,} bytes; {held}", err=True)
