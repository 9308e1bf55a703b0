"""`gaia submit`."""

import contextlib
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gaia_harness.figures import counted

if TYPE_CHECKING:
    from gaia_harness.submission.package import BuiltPackage, SubmissionRefused


@click.command("submit")
@click.argument("run", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A new or empty folder for the package.")
@click.option("--dataset", help="hub, demo or a folder: the data set, where the run's own is not on this machine.")
@click.option("--allow-dirty", is_flag=True, help="Pack a run that is not clean; the package says so, and why.")
@click.option(
    "--strict-audit", is_flag=True, help="Refuse also for a medium finding, a skipped check or a gap in the evidence."
)
@click.option("--waivers", type=click.Path(path_type=Path), help="A JSON file of findings to let pass, and why.")
@click.option("--submitted-at", metavar="TIME", help="The time that the package carries; the default is now.")
@click.option("--archive", is_flag=True, help="Also write OUT.tar.gz, one file with the whole package.")
@click.option("--dry-run", is_flag=True, help="Audit, build and check, and leave nothing behind.")
@click.pass_context
def command(
    ctx: click.Context,
    run: Path,
    out: Path,
    dataset: str | None,
    allow_dirty: bool,
    strict_audit: bool,
    waivers: Path | None,
    submitted_at: str | None,
    archive: bool,
    dry_run: bool,
) -> None:
    """Audit the run in DIR and make a signed package of it that anyone can check.

    \b
    Exit codes: 0 done, 1 refused (every reason is said), 2 usage.
    """
    from gaia_harness.audit.waivers import read_waivers
    from gaia_harness.cli.keys import ask_passphrase
    from gaia_harness.errors import UsageError
    from gaia_harness.files import leftovers_removed
    from gaia_harness.offline import submit_run
    from gaia_harness.submission.package import SubmissionRefused

    if strict_audit and allow_dirty:
        raise UsageError("--strict-audit and --allow-dirty contradict each other", hint="leave out one of the two")
    out = _place(out)
    packed = out.with_name(f"{out.name}.tar.gz") if archive else None
    if packed is not None and os.path.lexists(packed):
        raise UsageError(f"{packed}: is there already", hint="choose another --out")
    given = () if waivers is None else read_waivers(waivers)
    inside = out.is_dir() and out.samefile(".")
    with contextlib.nullcontext() if dry_run else leftovers_removed(out, out.with_name(f"{out.name}.tar.gz")):
        try:
            built = submit_run(
                run,
                out,
                dataset=dataset,
                allow_dirty=allow_dirty,
                strict=strict_audit,
                waivers=given,
                submitted_at=submitted_at,
                keep=not dry_run,
                ask=ask_passphrase,
            )
        except SubmissionRefused as refusal:
            ctx.exit(_refuse(refusal, run))
        _show(built)
        if dry_run:
            click.echo("nothing was written")
            return
        click.echo(f"  folder     {out}")
        if packed is not None:
            _archive(out, built.metadata.run_id, packed)
    if inside:
        click.echo("  note       the package has taken the place of the folder that you are in: `cd .` shows it")
    identity = shlex.quote(built.metadata.submitter.identity)
    click.echo(f"next:  gaia verify {shlex.quote(str(out))} --allowed-signers FILE --identity {identity}")


def _place(out: Path) -> Path:
    """Where the package is to be, from the root on, for `.` has no name."""
    from gaia_harness.errors import UsageError

    place = Path(os.path.abspath(out))  # noqa: PTH100 - Path.absolute leaves `..` as it is
    if place.is_symlink():
        raise UsageError(f"{out}: is a link", hint=f"name what it leads to, {place.readlink()}, or another --out")
    if not place.name:
        raise UsageError(f"{out}: is no place for a package", hint="choose another --out")
    return place


def _archive(out: Path, run_id: str, packed: Path) -> None:
    from gaia_harness.errors import EvidenceError, GaiaError
    from gaia_harness.submission.archive import write_archive

    try:
        write_archive(out, run_id, packed)
    except (OSError, EvidenceError) as error:
        why = error.message if isinstance(error, EvidenceError) else error.strerror or str(error)
        raise GaiaError(
            f"{packed}: the archive cannot be written: {why}",
            hint=f"the package in {out} is whole, hand in that; or make room and submit to another --out",
        ) from error
    click.echo(f"  archive    {packed}, {packed.stat().st_size:,} bytes")


def _refuse(refusal: "SubmissionRefused", run: Path) -> int:
    count = len(refusal.reasons)
    click.echo(f"error: this run is not submitted, for {counted(count, 'reason')}:", err=True)
    for reason in refusal.reasons:
        click.echo(f"       {reason}", err=True)
    hint = (
        f"gaia audit {shlex.quote(str(run))} says more; --allow-dirty packs it all the same, and says so in the package"
        if refusal.dirty
        else "no option packs such a run: put that right, or run again with --submit-intent in a new folder"
    )
    click.echo(f"next:  {hint}", err=True)
    return 1


def _show(built: "BuiltPackage") -> None:
    from gaia_harness.cli.plain import plain
    from gaia_harness.disclosure import describe_endpoint, transcription_model

    metadata = built.metadata
    rate = metadata.pass_rate
    click.echo(f"  model      {plain(describe_endpoint(metadata.model, metadata.endpoint))}")
    if metadata.judge_model is not None:
        click.echo(f"  judge      {plain(describe_endpoint(metadata.judge_model, metadata.judge_endpoint))}")
    if listener := transcription_model(metadata.options):
        click.echo(f"  audio      {plain(describe_endpoint(listener, metadata.transcription_endpoint))}")
    if rate is not None:
        click.echo(f"  score      {rate.passed} of {rate.total} = {rate.pass_rate:.1%}")
    clean = "clean" if metadata.audit.clean else "NOT clean"
    click.echo(f"  audit      {clean}{', strictly' if metadata.audit.strict_clean else ''}")
    for reason in metadata.dirty or ():
        click.echo(f"  dirty      {reason}")
    click.echo(f"  declared   {metadata.standing.said}")
    if metadata.interruptions:
        click.echo(f"  restarts   {metadata.interruptions.said}")
    click.echo(f"  signed     {metadata.submitter.identity}, {metadata.submitter.fingerprint}")
    click.echo(f"  package    {counted(built.files, 'file')}, {built.bytes:,} bytes")
    if built.guessable_golds:
        from gaia_harness.submission.guessable import describe_guessable

        click.echo(
            f"WARNING: {describe_guessable(built.guessable_golds)}: this run was made by version 0.1, "
            "and a signed log cannot be changed. Keep this package private, or run again and submit that.",
            err=True,
        )
