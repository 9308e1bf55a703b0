"""`gaia audit`."""

from pathlib import Path

import click

from gaia_harness.cli.executors import asked_ray, ray_options, say_where

LONGEST_TIME = 40


@click.command("audit")
@click.argument("folders", metavar="DIR...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--dataset", help="hub, demo or a folder: the data set, where the run's own is not on this machine.")
@click.option("--json", "as_json", is_flag=True, envvar="GAIA_AUDIT_JSON", help="Print the report as JSON alone.")
@click.option(
    "--strict", is_flag=True, help="Exit 1 also for a medium finding, a skipped check or a gap in the evidence."
)
@click.option("--audited-at", help="The time that the report carries. The same inputs then give the same bytes.")
@click.option("--waivers", type=click.Path(path_type=Path), help="A JSON file of findings to let pass, and why.")
@click.option("--check", "checks", multiple=True, metavar="NAME", help="Also make this check of another package.")
@click.option(
    "--all", "every", is_flag=True, help="Print every finding by task, and not how many there are of each rule."
)
@click.option("--task", metavar="ID", help="Print the findings of one task alone. The beginning of its id will do.")
@click.option(
    "--explain",
    metavar="RULE",
    help="Say what a rule, or each rule of a check (AUD-4), means, and end; `list` names all.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Also write the report to this file.")
@ray_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    folders: tuple[Path, ...],
    dataset: str | None,
    as_json: bool,
    strict: bool,
    audited_at: str | None,
    waivers: Path | None,
    checks: tuple[str, ...],
    every: bool,
    task: str | None,
    explain: str | None,
    out: Path | None,
    **_: object,
) -> None:
    """Look for known exploits in what a run recorded: ten checks, offline, the same report every time.

    DIR is a run directory or a package; of several, each is said in a line.
    Exit 0: clean. 1: a critical or high finding. 2: wrong use, or no run to read.
    """
    if explain is not None:
        _explain(explain)
        return
    from gaia_harness.audit.report import encode_report
    from gaia_harness.audit.waivers import read_waivers
    from gaia_harness.cli.audit_many import audit_many
    from gaia_harness.cli.audit_table import show, show_task
    from gaia_harness.cli.plain import plain, plain_json
    from gaia_harness.errors import GaiaError, UsageError
    from gaia_harness.files import refuse_special, write_atomic
    from gaia_harness.offline import audit_run

    ray = asked_ray(ctx)
    if not folders:
        raise UsageError("DIR is missing", hint="name the folder of a run or of a package")
    folder = folders[0]
    if audited_at is not None and not 0 < len(audited_at) <= LONGEST_TIME:
        raise UsageError(f"--audited-at must have 1 to {LONGEST_TIME} characters", hint="write 2026-01-02T03:04:05Z")
    waived = () if waivers is None else read_waivers(waivers)
    if len(folders) > 1 or ray is not None:
        if every or task is not None or out is not None:
            raise UsageError("--all, --task and --out are of one run that is audited here", hint="leave them out")
        asked = {"dataset": dataset, "waivers": waived, "checks": checks, "audited_at": audited_at}
        try:
            say_where(ray)
            code = audit_many(folders, asked, strict=strict, as_json=as_json, ray=ray)
        except GaiaError as error:  # 1 is for what was found
            raise UsageError(error.message, hint=error.hint) from error
        ctx.exit(code)
    try:
        report = audit_run(folder, dataset=dataset, waivers=waived, checks=checks, audited_at=audited_at)
    except UsageError:
        raise
    except GaiaError as error:  # 1 is for what was found
        raise UsageError(f"{folder}: cannot be audited: {plain(error.message)}", hint=error.hint) from error
    if out is not None:
        try:
            refuse_special(out)
            write_atomic(out, encode_report(report))
        except (OSError, ValueError) as error:  # ValueError: a path without a name
            why = error.strerror if isinstance(error, OSError) else "not the name of a file"
            raise UsageError(f"{out}: cannot be written: {why}", hint="choose another --out") from error
    if as_json:
        click.echo(plain_json(encode_report(report)), nl=False)
    elif task is not None:
        show_task(report, task, folder, dataset=dataset)
    else:
        show(report, folder, every=every, dataset=dataset)
    attestation = report.attestation
    clean = attestation.strict_clean or (attestation.clean and not strict)
    ctx.exit(0 if clean and not any(check.gates(strict=strict) for check in report.third_party or ()) else 1)


def _explain(wanted: str) -> None:
    from gaia_harness.audit.explanations import read_rules
    from gaia_harness.cli.audit_table import LIST, explain_rules, list_rules, named_rules

    rules = read_rules()
    if wanted == LIST:
        list_rules(rules)
    else:
        explain_rules(named_rules(wanted, rules))
