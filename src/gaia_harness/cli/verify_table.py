"""Prints the verdicts on several packages: one line each, then the reasons for those not verified."""

from collections.abc import Sequence
from pathlib import Path

import click

from gaia_harness.cli.plain import plain
from gaia_harness.submission.verdict import FAILED, VERIFIED, NotExamined, Verdict

_WORDS = {0: "verified", 1: "failed", 2: "unreadable", 3: "not authenticated", 4: "not clean"}
_HEADINGS = ("verdict", "score", "signer", "package", "standing")


def show_table(packages: Sequence[Path], outcomes: Sequence[Verdict | NotExamined]) -> None:
    """Print the table, and what the first fault of each is."""
    rows = [_HEADINGS, *map(_row, packages, outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    click.echo("")
    for package, outcome in zip(packages, outcomes, strict=True):
        if outcome.exit_code != VERIFIED:
            why = _why(outcome).removeprefix(f"{package}: ").removeprefix(f"{package.name}: ")
            click.echo(plain(f"{package}: {why}"))


def _row(package: Path, outcome: Verdict | NotExamined) -> tuple[str, ...]:
    score = signer = standing = "-"
    if isinstance(outcome, Verdict) and outcome.exit_code != FAILED:
        score = f"{outcome.passed} of {outcome.total}" if outcome.total is not None else "none"
        signer, standing = outcome.identity or "-", outcome.standing or "-"
    cells = (_WORDS[outcome.exit_code], score, signer, str(package), standing)
    return tuple(map(plain, cells))


def _why(outcome: Verdict | NotExamined) -> str:
    if isinstance(outcome, NotExamined):
        return outcome.error
    failed = [f"{line.number} {line.name}: {line.said}" for line in outcome.checks if line.status == "FAILED"]
    if failed:
        return failed[0]
    return outcome.authentication if outcome.identity is None else "; ".join(outcome.dirty or ())
