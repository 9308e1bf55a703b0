"""`gaia show`."""

import shlex
from pathlib import Path

import click

from gaia_harness.cli.trust_options import trust_options


@click.command("show")
@click.argument("path", metavar="RUN|PACKAGE", type=click.Path(path_type=Path))
@click.argument("task", metavar="[TASK]", required=False)
@click.option("--step", type=click.IntRange(0), metavar="N", help="Of the task, this step alone.")
@click.option("--full", is_flag=True, help="Whole texts, where they are kept; else the first lines of each.")
@click.option("--expected", is_flag=True, help="Also the expected answer, which a run's folder has.")
@click.option("--redacted", is_flag=True, help="Without questions, page texts and answers.")
@trust_options
def command(
    path: Path,
    task: str | None,
    step: int | None,
    full: bool,
    expected: bool,
    redacted: bool,
    dataset: str | None,
    allowed_signers: Path | None,
    identity: str | None,
) -> None:
    """Look at a run or a package in the terminal: a list of its tasks, or the steps of TASK.

    The beginning of a task's id will do. Into a pipe, the list is one line per task with tabs between its columns.
    """
    from gaia_harness.cli.task_list import show_tasks
    from gaia_harness.cli.task_steps import show_task
    from gaia_harness.cli.view import Progress
    from gaia_harness.errors import UsageError
    from gaia_harness.offline import open_story

    if task is None and (step is not None or full or expected):
        raise UsageError(
            "--step, --full and --expected are of one task", hint=f"{shlex.join(['gaia', 'show', str(path)])} TASK"
        )
    progress = Progress()
    with open_story(
        path,
        dataset=dataset,
        allowed_signers=allowed_signers,
        identity=identity,
        redacted=redacted,
        progress=progress,
    ) as story:
        progress.end()
        if task is None:
            show_tasks(story, path)
        else:
            show_task(story, task, step=step, full=full, expected=expected)
