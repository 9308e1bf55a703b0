"""The neutral form itself: one task-run per line, as `NeutralRun` says."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec

from gaia_harness.exchange.heads import first_value
from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import ImportRefused, InputFile, files_in, parse
from gaia_harness.exchange.neutral import NeutralRun, NeutralSource, NeutralStep, StepType

NAME = "jsonl"

_TYPES = get_args(StepType)
_RUN, _STEP, _SOURCE = (frozenset(struct.__struct_fields__) for struct in (NeutralRun, NeutralStep, NeutralSource))
_MOST_NAMED = 5


def inputs(path: Path) -> Sequence[InputFile]:
    """The file; of a folder, its `.jsonl` files of this form, at any depth."""
    files = files_in(path, ".jsonl")
    return [file for file in files if detect(file)] if path.is_dir() else files


def detect(file: InputFile) -> bool:
    """Whether the first line has fields of a `NeutralRun` alone, and steps of its types."""
    value = first_value(file)
    if not isinstance(value, dict) or not _RUN.issuperset(value):
        return False
    steps = value.get("steps")
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        return False
    named = {"task_id", "question"} & value.keys()  # which may stand behind many steps, where the head does not reach
    return all(step.get("type", "prompt" if named else None) in _TYPES for step in steps) and bool(named or steps)


def read(file: InputFile, on_fault: OnFault) -> Iterator[NeutralRun]:
    """One run per line."""
    for number, line in file.lines():
        where = f"{file.name}:{number}"
        try:
            value = parse(line, where)
            unknown = _take_unknown(value)
        except ImportRefused as error:
            on_fault(error)
            continue
        if unknown:
            on_fault(ImportRefused(f"{where}: unknown {_named(unknown)}; --keep-going leaves them out"))
        try:
            yield _run(value, where, unknown)
        except ImportRefused as error:
            on_fault(error)


def _run(value: Any, where: str, unknown: Sequence[str]) -> NeutralRun:
    try:
        run = msgspec.convert(value, NeutralRun)
    except msgspec.ValidationError as error:
        raise ImportRefused(f"{where}: {error}") from None
    if run.task_id is None and run.question is None:
        raise ImportRefused(f"{where}: neither task_id nor question: one of them is needed to find the task")
    if run.attempt is not None and not 1 <= run.attempt < 1 << 31:
        raise ImportRefused(f"{where}: attempt {_short(run.attempt)} is not a number from 1")
    for at, step in enumerate(run.steps):
        for tokens in (step.tokens_in, step.tokens_out):
            if tokens is not None and not 0 <= tokens < 1 << 53:
                raise ImportRefused(f"{where}: step {at + 1}: {_short(tokens)} is not a number of tokens")
    if unknown:
        said = f"unknown {_named(unknown)} left out at the import"
        run = msgspec.structs.replace(run, gaps=(*run.gaps, said))
    return run


def _take_unknown(value: Any) -> list[str]:
    """Takes out the fields that no run, step or source has, and names them."""
    names = _taken(value, _RUN, "")
    for at, step in enumerate(_list(value, "steps")):
        names += _taken(step, _STEP, f"step {at + 1}: ")
        for source in _list(step, "sources"):
            names += _taken(source, _SOURCE, f"step {at + 1}, sources: ")
    return names


def _taken(value: Any, known: frozenset[str], place: str) -> list[str]:
    if not isinstance(value, dict):
        return []
    names = [name for name in value if name not in known]
    for name in names:
        del value[name]
    return [f"{place}{name[:80]!a}" for name in names]


def _list(value: Any, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ("field " if len(names) == 1 else "fields ") + ", ".join(names[:_MOST_NAMED]) + more


def _short(number: int) -> str:
    return str(number) if abs(number) < 1 << 64 else "of many digits"
