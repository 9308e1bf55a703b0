"""`gaia verify`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gaia_harness.submission.verdict import CheckLine, NotExamined, Verdict

MOST_COMMANDS = 5
"""That open packages at what does not hold up."""


@click.command("verify")
@click.argument("packages", metavar="PKG...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--allowed-signers",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Whose keys you believe in, as ssh and git write it; else those of `gaia keys trust`.",
)
@click.option("--identity", metavar="NAME", help="Who must have signed; else the only name that the key has there.")
@click.option("--dataset", help="hub, demo or a folder: also score every answer again and repeat the audit.")
@click.option("--accept-dirty", is_flag=True, help="Exit 0 also where the package itself says why it is not clean.")
@click.option("--json", "as_json", is_flag=True, envvar="GAIA_VERIFY_JSON", help="Print the verdict as JSON alone.")
@click.pass_context
def command(
    ctx: click.Context,
    packages: tuple[Path, ...],
    allowed_signers: Path | None,
    identity: str | None,
    dataset: str | None,
    accept_dirty: bool,
    as_json: bool,
) -> None:
    """Check packages of somebody else: folders, or tar or zip files of them.

    Opens no connection and runs nothing from a package. Of several, prints one line each; the worst decides the exit
    code, in the order 1, 2, 3, 4, 0.

    \b
    Exit codes: 0 verified, 1 failed, 2 usage or unreadable, 3 intact but the signer is not authenticated,
    4 intact and authenticated but not clean.
    """
    from gaia_harness.offline import verify_package
    from gaia_harness.submission.verdict import FAILED, WORST_FIRST

    several = len(packages) > 1
    outcomes = [
        verify_package(
            package,
            allowed_signers=allowed_signers,
            identity=identity,
            dataset=dataset,
            accept_dirty=accept_dirty,
            watch=(lambda line: None) if as_json or several else _show_line,
        )
        for package in packages
    ]
    if as_json:
        _print_json(packages, outcomes)
    else:
        if several:
            from gaia_harness.cli.verify_table import show_table

            show_table(packages, outcomes)
        else:
            _show(outcomes[0])
        given = {"--allowed-signers": allowed_signers, "--identity": identity, "--dataset": dataset}
        options = [word for name, value in given.items() if value for word in (name, str(value))]
        look = [
            command
            for package, outcome in zip(packages, outcomes, strict=True)
            if not several or outcome.exit_code == FAILED
            for command in _looking(package, outcome, options)
        ]
        for command in look[:MOST_COMMANDS]:
            _say(f"next:  {command}", err=True)
    ctx.exit(min((outcome.exit_code for outcome in outcomes), key=WORST_FIRST.index))


def _print_json(packages: "Sequence[Path]", outcomes: "Sequence[Verdict | NotExamined]") -> None:
    """One object, or a list of them where several packages were given, each with the name of its package."""
    import msgspec

    from gaia_harness.cli.plain import plain_json

    said: object = outcomes[0]
    if len(outcomes) > 1:
        said = [
            {"package": str(package), **msgspec.structs.asdict(outcome)}
            for package, outcome in zip(packages, outcomes, strict=True)
        ]
    click.echo(plain_json(msgspec.json.format(msgspec.json.encode(said), indent=2)))


def _show_line(line: "CheckLine") -> None:
    _say(f"{line.number} {line.name:13} {line.status:8} {line.said}")
    for fault in line.faults[1:]:
        _say(f"{'':25}{fault}")


def _say(text: str, err: bool = False) -> None:
    """A line with what a stranger wrote in it."""
    from gaia_harness.cli.plain import plain

    click.echo(plain(text), err=err)


def _show(verdict: "Verdict | NotExamined") -> None:
    from gaia_harness.submission.verdict import FAILED, NotExamined

    if isinstance(verdict, NotExamined):
        failed = verdict.exit_code == FAILED
        _say(f"1 file set      FAILED   {verdict.error}" if failed else f"error: {verdict.error}", err=not failed)
        if verdict.hint:
            click.echo(f"next:  {verdict.hint}", err=True)
        click.echo(verdict.verdict)
        return
    click.echo("")
    _show_disclosed(verdict)
    if verdict.total is not None:
        _say(f"  score      {verdict.passed} of {verdict.total}, {verdict.standing}")
    if verdict.interruptions is not None:
        _say(f"  restarts   {verdict.interruptions.said}")
    if verdict.audit is not None:
        _say(f"  audit      {verdict.audit}")
    _say(f"  signed     {verdict.authentication}")
    for note in verdict.notes:
        _say(f"  note       {note}")
    if verdict.dirty is not None:
        _say(f"  not clean  {'accepted' if verdict.accepted_dirty else 'see --accept-dirty'}")
        for reason in verdict.dirty:
            _say(f"             {reason}")
    _say(f"  verdict    {verdict.verdict}")


def _looking(package: Path, verdict: "Verdict | NotExamined", options: "Sequence[str]") -> "list[str]":
    """The commands that open a package, at each task that does not hold up; none where it cannot be opened."""
    import re
    import shlex

    from gaia_harness.submission.verdict import NotExamined

    if isinstance(verdict, NotExamined):
        return []
    faults = [fault for line in verdict.checks for fault in line.faults]
    places = dict.fromkeys(found[0] for fault in faults if (found := re.match(r"trajectories\.jsonl:\d+(?=:)", fault)))
    at = [["--task", place] for place in places] or [[]]
    return [shlex.join(["gaia", "view", str(package), *words, *options]) for words in at]


def _show_disclosed(verdict: "Verdict") -> None:
    """Which model was asked where, and by which options."""
    import textwrap

    from gaia_harness.cli.plain import plain
    from gaia_harness.disclosure import NOT_DISCLOSED, describe_endpoint, describe_options, transcription_model

    for label, model, endpoint in (
        ("model", verdict.model, verdict.endpoint),
        ("judge", verdict.judge_model, verdict.judge_endpoint),
        ("audio", transcription_model(verdict.options), verdict.transcription_endpoint),
    ):
        if model is not None:
            _say(f"  {label:9}  {describe_endpoint(model, endpoint)}")
    if verdict.model is None:
        return
    options = NOT_DISCLOSED if verdict.options is None else plain(", ".join(describe_options(verdict.options)))
    for name, origin in verdict.third_parties.items():
        _say(f"  not ours   {name}, from {origin}")
    if verdict.hosts is not None:
        from gaia_harness.submission.stated_options import describe_hosts

        said = plain(f"the agent's own requests: {describe_hosts(verdict.hosts)}")
        click.echo(textwrap.fill(said, 110, initial_indent="  hosts      ", subsequent_indent=" " * 13))
    click.echo(textwrap.fill(options, 110, initial_indent="  options    ", subsequent_indent=" " * 13))
