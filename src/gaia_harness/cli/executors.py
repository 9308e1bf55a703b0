"""The options that say where work is done: `--executor` and its companions."""

import re
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gaia_harness.cli.plain import plain
from gaia_harness.errors import UsageError

if TYPE_CHECKING:
    from gaia_harness.run.ray_executor import RayOptions

RAY_OPTIONS = ("executor", "ray_address", "cpus_per_attempt", "memory_per_attempt", "ray_env")

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

F = TypeVar("F", bound=Callable[..., Any])


def _bytes(text: str | int) -> int:
    """A number of bytes, as in 512M or 2G."""
    found = re.fullmatch(r"([0-9]{1,15})([KMGT]?)(?:i?B)?", str(text).strip(), re.IGNORECASE)
    if found is None or int(found[1]) == 0:
        raise click.BadParameter(f"{text!r} is not a number of bytes, such as 512M or 2G.")
    return int(found[1]) * _UNITS[found[2].upper()]


def ray_options(command: F) -> F:
    """Add the options to a command."""
    for option in (
        click.option("--ray-env", multiple=True, metavar="NAME", help="Also hand this variable, sealed, to workers."),
        click.option("--memory-per-attempt", type=_bytes, metavar="BYTES", help="As in 2G; with --executor ray."),
        click.option(
            "--cpus-per-attempt",
            type=click.FloatRange(0.01, 1024),
            default=1.0,
            show_default=True,
            help="With --executor ray.",
        ),
        click.option("--ray-address", metavar="auto|HOST:PORT", help="A Ray cluster; else one is started here."),
        click.option(
            "--executor",
            type=click.Choice(["local", "ray"]),
            default="local",
            show_default=True,
            help="Where attempts are made: in this process, or by the workers of a Ray cluster.",
        ),
    ):
        command = option(command)
    return command


def say_where(ray: "RayOptions | None") -> None:
    """Say which cluster is asked: to start one takes seconds. RunError where Ray is not installed."""
    if ray is not None:
        from gaia_harness.run.ray_cluster import need_ray

        need_ray()
        where = "starting a cluster on this machine" if ray.address is None else f"at {plain(ray.address)}"
        click.echo(f"ray: {where}", err=True)


def with_ray(command: str, ray: "RayOptions | None") -> str:
    """A command that is to be given next, with the options that name the same cluster."""
    if ray is None:
        return command
    return f"{command} --executor ray" + ("" if ray.address is None else f" --ray-address {shlex.quote(ray.address)}")


def asked_ray(ctx: click.Context) -> "RayOptions | None":
    """What these options ask for; None for this process."""
    options = ctx.params
    if options["executor"] != "ray":
        for name in RAY_OPTIONS[1:]:
            source = ctx.get_parameter_source(name)
            if source is not None and source.name == "COMMANDLINE":
                raise UsageError(f"--{name.replace('_', '-')} goes with --executor ray", hint="add --executor ray")
        return None
    from gaia_harness.run.ray_executor import RayOptions

    return RayOptions(
        address=options["ray_address"],
        cpus=options["cpus_per_attempt"],
        memory=options["memory_per_attempt"],
        env=options["ray_env"],
    )
