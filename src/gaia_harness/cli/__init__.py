"""The command line: one module per command, imported only when that command is used."""

import importlib
import logging
import os
import sys
from pathlib import Path

import click

from gaia_harness.cli.plain import plain
from gaia_harness.errors import GaiaError, UsageError
from gaia_harness.version import __version__

COMMANDS = {
    "demo": "Run bundled tasks with a bundled scripted model: no key, no network.",
    "run": "Run GAIA tasks with a model and score the answers.",
    "agent": "Try a program as the agent: one task, every contact explained.",
    "view": "Look at a run or a package: one HTML page, without a network.",
    "show": "The same in the terminal: the tasks of a run, or the steps of one.",
    "import": "Bring in runs that were made elsewhere, to audit and look at.",
    "runs": "List the runs in a folder: how far each is, its score and its cost.",
    "compare": "Say whether one run is better than another, or whether that may be luck.",
    "export": "Write a run or a package in the formats of other tools.",
    "audit": "Look for known exploits in what a run recorded.",
    "submit": "Make a signed package of a run that anyone can check.",
    "verify": "Check a package of somebody else: offline, trusting nothing in it.",
    "keys": "Make, show and trust signing keys.",
    "validate": "Check that everything a run needs is in place.",
}


class LazyCommands(click.Group):
    """Knows its commands by name; imports one when it is called, so that `gaia --help` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = "import_runs" if cmd_name == "import" else cmd_name  # which is no name of a module
        command = importlib.import_module(f"gaia_harness.cli.{module}").command
        assert isinstance(command, click.Command)  # noqa: S101 - for the type checker
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyCommands,
    context_settings={
        "auto_envvar_prefix": "GAIA",
        "help_option_names": ["-h", "--help"],
        "max_content_width": 110,
    },
    epilog="Every option of a command also reads an environment variable: --max-turns of `gaia run` is "
    "GAIA_RUN_MAX_TURNS.",
)
@click.version_option(__version__, prog_name="gaia")
def gaia() -> None:
    """Run the GAIA benchmark with any model, and keep what shows how every answer came about."""
    from gaia_harness.cli.masking import mask_output

    mask_output(os.environ)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s", stream=sys.stderr)


def _plain_lines(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))


def main(command: click.Command = gaia) -> None:
    """Run the command line, or another command. A person sees a sentence and what to do next, never a traceback."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - closed by whoever started us
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")  # the hub's client reports home unless told not to
    try:
        code = command.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = 130
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except GaiaError as error:
        click.echo(f"error: {_plain_lines(error.message)}", err=True)
        if error.hint:
            click.echo(f"next:  {_plain_lines(error.hint)}", err=True)
        code = 2 if isinstance(error, UsageError) else 1
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"error: {_plain_lines(f'{place}{error.strerror or error}')}", err=True)
        code = 1
    except Exception as bug:
        if os.environ.get("GAIA_DEBUG"):
            raise
        said = _plain_lines(f"{type(bug).__name__}: {bug}")
        click.echo(f"error: this is a defect in gaia-harness: {said}", err=True)
        click.echo("next:  run it again with GAIA_DEBUG=1 and report what it prints", err=True)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)
