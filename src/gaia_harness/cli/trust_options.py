"""The options of every command that looks at runs and packages: what to audit and verify them with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

_OPTIONS = (
    click.option("--dataset", help="hub, demo or a folder: the data set, to audit or verify with."),
    click.option(
        "--allowed-signers",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Of a package: whose keys you believe in; else those of `gaia keys trust`.",
    ),
    click.option("--identity", metavar="NAME", help="Of a package: who must have signed."),
)


def trust_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--dataset`, `--allowed-signers` and `--identity`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
