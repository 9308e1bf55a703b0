"""Explains what a boxed agent did in a run, line by line, and looks through its folder for the benchmark."""

import os
from collections.abc import Mapping
from pathlib import Path

import click

from gaia_harness.box.conversations import HTTP
from gaia_harness.box.roles import PROGRAM, REFUSED, SAYS
from gaia_harness.cli.plain import plain
from gaia_harness.evidence.fingerprint import Fingerprint, Kind
from gaia_harness.evidence.wording import reduce
from gaia_harness.records.steps import Answer, LlmCall, Prompt, ToolCallStep, ToolResultStep
from gaia_harness.records.trajectories import read_line
from gaia_harness.shortening import shorten
from gaia_harness.tasks.loading import load_tasks

LARGEST_FILE = 4 << 20
MOST_BYTES = 512 << 20
HALF = 0.5
"""Of a question's pieces, which are a copy of it."""


def show_contacts(run: Path) -> bool:
    """One line for each thing that went through the gateway; whether there was an answer."""
    path = run / "trajectories.jsonl"
    if not path.is_file():
        click.echo("nothing was recorded: the agent did not come so far")
        return False
    answered = False
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            trajectory = read_line(line, number).trajectory
            asked: dict[str, ToolCallStep] = {}
            for step in () if trajectory is None else trajectory.steps:
                if isinstance(step, Prompt):
                    _line("given", f"{step.role}, {step.bytes} bytes", step.head)
                elif isinstance(step, LlmCall):
                    _line("model", f"{step.model}, {step.tokens_in} tokens in, {step.tokens_out} out", step.head)
                elif isinstance(step, ToolCallStep):
                    asked[step.call_id] = step
                    if step.name not in (HTTP, PROGRAM, REFUSED, SAYS):
                        _line("call", step.name, str(step.args))
                elif isinstance(step, ToolResultStep):
                    _result(step, asked.get(step.call_id))
                elif isinstance(step, Answer):
                    answered = True
                    _line("answer", "", step.head)
    return answered


def _result(step: ToolResultStep, call: ToolCallStep | None) -> None:
    args = call.args if call is not None and isinstance(call.args, dict) else {}
    if step.name == HTTP:
        failed = ", failed" if step.is_error else ""
        _line("web", f"{args.get('method', '')} {args.get('url', '')}, {step.bytes} bytes{failed}", step.head)
    elif step.name == SAYS:
        _line("says", " ".join(str(args[name]) for name in ("kind", "title") if name in args), step.head)
    elif step.name == REFUSED:
        _line("REFUSED", str(args.get("where", "")), step.head)
    elif step.name == PROGRAM:
        click.echo(f"  {'program':<9}{plain(str(args.get('command', '')))}")
        for line in step.head.splitlines():
            click.echo(f"  {'':<9}{plain(line)}")
    else:
        _line("result", f"{step.name}, {step.bytes} bytes", step.head)


def _line(kind: str, about: str, text: str) -> None:
    said = shorten(" ".join(text.split()), 100)
    click.echo(plain(f"  {kind:<9}{about}{': ' if about and said else ''}{said}"))


def show_copies(folder: Path, dataset: str, env: Mapping[str, str]) -> bool:
    """Whether an agent's own files hold questions or task ids of the benchmark; each such file is named."""
    tasks = load_tasks(dataset, env=env).tasks
    fingerprint = Fingerprint({task.task_id: task.question for task in tasks})
    found = False
    left = MOST_BYTES
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", "__pycache__", "node_modules", ".venv", "venv")]
        for name in sorted(names):
            path = Path(where, name)
            if path.is_symlink() or not path.is_file() or left <= 0:
                continue
            data = path.read_bytes()[:LARGEST_FILE]
            left -= len(data)
            hits = _hits(data.decode("utf-8", "replace"), fingerprint)
            if hits:
                found = True
                click.echo(plain(f"  {'FOUND':<9}{path}: {hits} questions or ids of the data set {dataset}"))
    if not found:
        click.echo(f"  its folder holds no question and no id of the data set {dataset}")
    if left <= 0:
        click.echo(f"  only the first {MOST_BYTES >> 20} MB of its folder were looked at")
    return found


def _hits(text: str, fingerprint: Fingerprint) -> int:
    pieces: dict[int, set[int]] = {}
    ids: set[int] = set()
    for kind, number, piece, _, _ in fingerprint.find(reduce(text), None):
        if kind is Kind.QUESTION:
            pieces.setdefault(number, set()).add(piece)
        elif kind is Kind.TASK_ID:
            ids.add(number)
    return len(
        ids | {number for number, seen in pieces.items() if len(seen) >= HALF * fingerprint.question(number).pieces}
    )
