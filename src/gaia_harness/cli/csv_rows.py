"""Prints rows as CSV (RFC 4180) that a spreadsheet can open without harm."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

import click

from gaia_harness.cli.plain import plain

FORMULAS = tuple("=+-@＝＋－＠")
"""How a text begins that a spreadsheet would carry out. Numbers are ours, and stay numbers."""

Cell = str | int | float | bool | None


def print_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Cell]]) -> None:
    """Print a line of names and a line for each row; what a row does not have is empty."""
    click.echo(_line(columns), nl=False)
    for row in rows:
        click.echo(_line([row.get(name) for name in columns]), nl=False)


def _line(cells: Sequence[Cell]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([harmless(cell) for cell in cells])
    return text.getvalue()


def harmless(cell: Cell) -> Cell:
    """A cell as it is written: a text in one line of visible characters, and never a formula."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if not isinstance(cell, str):
        return cell
    text = plain(cell)
    return f"'{text}" if text.lstrip().startswith(FORMULAS) else text
