"""`gaia demo`."""

import contextlib
import os
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gaia_harness.cli.executors import asked_ray, ray_options

if TYPE_CHECKING:
    from gaia_harness.submission.package import BuiltPackage
    from gaia_harness.submission.verdict import Verdict

IDENTITY = "demo@example.org"


@click.command("demo")
@click.option("--out", type=click.Path(path_type=Path), help="A new or empty folder; else a temporary one.")
@ray_options
@click.pass_context
def command(ctx: click.Context, /, out: Path | None, **_: object) -> None:
    """Run the bundled tasks with the bundled scripted model, submit the run and verify it: no key, no network.

    The tasks, the small web they are about and the model's scripts are fictional; the tools, the sandbox, the
    agent loop, the scorer, the audit and the signatures are those of every other run. The key is made for this demo
    and thrown away; keys and judgments of yours are not touched.

    \b
    Exit codes: 0 done, the package verified and its tampered copy rejected; 1 anything else; 2 usage.
    """
    from gaia_harness.cli.running import start_run
    from gaia_harness.errors import UsageError
    from gaia_harness.offline import create_key
    from gaia_harness.records.config import RunConfig

    if out is not None and out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(f"{out}: the demo's folder must be new or empty", hint="choose another --out")
    folder = out or Path(tempfile.mkdtemp(prefix="gaia-demo-"))
    config = RunConfig(
        model="scripted/demo",
        judge_model="scripted/judge",
        dataset="demo",
        submit_intent=True,
        concurrency=2 * (os.cpu_count() or 1),
    )
    with tempfile.TemporaryDirectory(prefix="gaia-demo-keys-") as place:
        env = {**os.environ, "GAIA_KEYS_DIR": f"{place}/keys", "GAIA_CACHE_DIR": f"{place}/cache"}
        signer = create_key(IDENTITY, env=env)
        try:
            code = start_run(config, folder / "run", env, ray=asked_ray(ctx))
        finally:
            if out is None:
                with contextlib.suppress(OSError):  # where the run began, it is not empty
                    folder.rmdir()
        ctx.exit(code or _submitted(folder, Path(place), signer, env))


def _submitted(folder: Path, private: Path, signer: str, env: Mapping[str, str]) -> int:
    """Pack the run, verify the package, tamper with a copy and verify that, write the page; the exit code."""
    from gaia_harness.offline import verify_package, view_run
    from gaia_harness.submission.verdict import NotExamined

    built = _package(folder, env)
    if built is None:
        return 1
    signers = folder / "allowed_signers"
    signers.write_text(f"{signer}\n")
    good = verify_package(folder / "package", allowed_signers=signers, identity=IDENTITY, dataset="demo", env=env)
    if isinstance(good, NotExamined):
        click.echo(f"error: {good.error}", err=True)
        return 1
    checks = sum(line.status == "ok" for line in good.checks)
    click.echo(f"  verify     {good.verdict}: {checks} of {len(good.checks)} checks hold, signed by {good.identity}")
    line = _tamper(folder / "package", private / "tampered")
    bad = verify_package(private / "tampered", allowed_signers=signers, identity=IDENTITY, env=env)
    if isinstance(bad, NotExamined):
        click.echo(f"error: {bad.error}", err=True)
        return 1
    found = _at(bad, line)
    click.echo(
        f"  tampered   one letter of a step in line {line} of a copy's trajectories.jsonl changed: {bad.verdict}"
    )
    if found is not None:
        click.echo(f"             {found}")
    page = view_run(folder / "run", folder / "report.html", dataset="demo", env=env)
    click.echo(f"  page       {page.path}: the run to look at, {page.bytes:,} bytes")
    for command in (
        ["gaia", "view", folder / "package", "--allowed-signers", signers],
        ["gaia", "verify", folder / "package", "--allowed-signers", signers],
    ):
        click.echo(f"next:  {shlex.join(map(str, command))}")
    return 0 if (good.exit_code, bad.exit_code, found is None) == (0, 1, False) else 1


def _package(folder: Path, env: Mapping[str, str]) -> "BuiltPackage | None":
    from gaia_harness.offline import submit_run
    from gaia_harness.submission.package import SubmissionRefused

    try:
        built = submit_run(folder / "run", folder / "package", dataset="demo", env=env)
    except SubmissionRefused as refusal:
        for reason in refusal.reasons:
            click.echo(f"error: {reason}", err=True)
        return None
    click.echo(f"  audit      {'clean' if built.metadata.audit.clean else 'NOT clean'}")
    click.echo(f"  package    {folder / 'package'}: {built.files} files, {built.bytes:,} bytes")
    return built


def _tamper(package: Path, copy: Path) -> int:
    """Change one letter of what the model said in the middle of the run; the number of the line."""
    import shutil

    path = Path(shutil.copytree(package, copy)) / "trajectories.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    index = len(lines) // 2
    line = bytearray(lines[index])
    at = line.index(b'"head":"', line.index(b'"type":"llm_call"')) + len(b'"head":"')
    line[at] = ord("J") if line[at] != ord("J") else ord("K")
    lines[index] = bytes(line)
    path.write_bytes(b"".join(lines))
    return index + 1


def _at(verdict: "Verdict", line: int) -> str | None:
    """What is said about this line of the trajectories."""
    faults = [fault for check in verdict.checks for fault in check.faults]
    return next((fault for fault in faults if fault.startswith(f"trajectories.jsonl:{line}:")), None)
