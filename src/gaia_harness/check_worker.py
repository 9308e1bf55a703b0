"""Makes checks of other packages, each in a process of its own: `python -m gaia_harness.check_worker`."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.audit.findings import Check, Findings
from gaia_harness.audit.report import ThirdPartyCheck
from gaia_harness.errors import GaiaError
from gaia_harness.plugins import LONGEST_ERROR, Plugin, describe_error, find_plugin
from gaia_harness.run.audit_input import open_evidence


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What the process is told: which check, on which run, and where Python finds packages."""

    check: str
    folder: str
    dataset: str | None
    env: dict[str, str]
    python_path: tuple[str, ...]


def find_checks(names: Iterable[str]) -> list[Plugin]:
    """The checks of these names. Nothing is imported: a wrong name is said before any work is done."""
    return [find_plugin("checks", name) for name in dict.fromkeys(names)]


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


def run_check(plugin: Plugin, run: RunEvidence) -> ThirdPartyCheck:
    """Make a check here and now. It has the status that its findings give, whatever it says."""
    try:
        examiner = plugin.load()(run)
        for task in run.tasks():
            examiner.look(task)
        made = examiner.conclude()
        if not isinstance(made, Check):
            raise TypeError(f"conclude() gave a {type(made).__name__} where a Check is due")
        made = msgspec.json.decode(msgspec.json.encode(made), type=Check)  # holds the fields to their types
        made = Findings().add_all(made.findings).check(made.id, made.name, harness_gap=made.harness_gap)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        said = error.message if isinstance(error, GaiaError) else describe_error(error)
        return failed_check(plugin, said[:LONGEST_ERROR])
    return msgspec.structs.replace(
        failed_check(plugin, ""), status=made.status, findings=made.findings, harness_gap=made.harness_gap, error=None
    )


def failed_check(plugin: Plugin, error: str) -> ThirdPartyCheck:
    """What is said of a check that has come to nothing."""
    return ThirdPartyCheck(
        name=plugin.name, package=plugin.package, version=plugin.version, status="error", error=error
    )


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
