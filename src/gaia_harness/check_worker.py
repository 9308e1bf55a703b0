"""Makes checks of other packages, each in a process of its own: `python -m gaia_harness.check_worker`."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from gaia_harness.audit.third_party import ThirdPartyCheck, failed_check, run_check
from gaia_harness.plugins import Plugin, describe_error, find_plugin
from gaia_harness.run.audit_input import open_evidence


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What the process is told: which check, on which run, and where Python finds packages."""

    check: str
    folder: str
    dataset: str | None
    env: dict[str, str]
    python_path: tuple[str, ...]


def run_checks(
    plugins: Iterable[Plugin], folder: Path, dataset: str | None, env: Mapping[str, str]
) -> tuple[ThirdPartyCheck, ...]:
    """Make each check on the run. Nothing that one does in its process changes our results, or another's."""
    path = tuple(str(Path(place).absolute()) for place in sys.path if place)
    made = []
    for plugin in plugins:
        work = Work(check=plugin.name, folder=str(folder), dataset=dataset, env=dict(env), python_path=path)
        made.append(_run_apart(plugin, work))
    return tuple(made)


def _run_apart(plugin: Plugin, work: Work) -> ThirdPartyCheck:
    command = [sys.executable, "-P", "-m", "gaia_harness.check_worker"]
    try:
        done = subprocess.run(command, input=msgspec.json.encode(work), stdout=subprocess.PIPE, check=False)
    except OSError as error:
        return failed_check(plugin, describe_error(error))
    try:
        made = msgspec.json.decode(done.stdout, type=ThirdPartyCheck)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return failed_check(plugin, f"its process ended without a result (exit code {done.returncode})")
    return msgspec.structs.replace(made, name=plugin.name, package=plugin.package, version=plugin.version)


def main() -> None:
    """Read the work, make the check, write what came of it."""
    result = os.dup(1)
    os.dup2(2, 1)  # what the check prints must not be taken for its result
    logging.disable()  # the audit that asks has said it already
    work = msgspec.json.decode(sys.stdin.buffer.read(), type=Work)
    sys.path += [place for place in work.python_path if place not in sys.path]
    made = run_check(find_plugin("checks", work.check), open_evidence(Path(work.folder), work.dataset, work.env))
    with os.fdopen(result, "wb") as file:
        file.write(msgspec.json.encode(made))


if __name__ == "__main__":
    main()
