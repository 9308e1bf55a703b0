"""Job folders of Harbor: `result.json` of the job, and of each trial `result.json` and `agent/trajectory.json`."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.exchange.importers import OnFault, atif
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun, NeutralStep

NAME = "harbor"

RESULT, TRAJECTORY = "result.json", Path("agent", "trajectory.json")
MOST_TRIALS = 50_000
LONGEST_ANSWER = 64 * 1024

_JOB = re.compile(rb'\s*\{\s*"id"\s*:\s*"[0-9a-f-]{36}"\s*,\s*"started_at"\s*:')
_TRIAL = re.compile(rb'\s*\{\s*"id"\s*:\s*"[0-9a-f-]{36}"\s*,\s*"task_name"\s*:')
_TASK_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def inputs(path: Path) -> Sequence[InputFile]:
    """The `result.json` of a job or of a single trial; of a folder of jobs, those of each."""
    if path.is_file():
        return [InputFile(str(path), path)]
    for found in ([path / RESULT], sorted(path.glob(f"*/{RESULT}"))):
        files = [file for one in found if one.is_file() and detect(file := InputFile(str(one), one))]
        if files:
            return files
    return []


def detect(file: InputFile) -> bool:
    """Whether it begins as the result of a job or of a trial does."""
    try:
        head = file.head(4096)
    except OSError:
        return False
    return (_JOB.match(head) is not None and b'"n_total_trials"' in head) or (
        _TRIAL.match(head) is not None and b'"trial_name"' in head
    )


def read(file: InputFile, on_fault: OnFault) -> Iterator[NeutralRun]:
    """Its trials, one at a time. Those of one task with one agent and model are attempts, as they were started."""
    folder = file.path.parent
    alone = _TRIAL.match(file.head(4096)) is not None
    trials: list[_Trial] = []
    for path in [file.path] if alone else sorted(folder.glob(f"*/{RESULT}")):
        if path.parent.is_symlink() or path.is_symlink():
            continue
        if len(trials) >= MOST_TRIALS:
            raise ImportRefused(f"{file.name}: more than {MOST_TRIALS:,} trials")
        name = file.name if alone else str(Path(file.name).parent / path.parent.name / RESULT)
        try:
            trials.append(_trial(InputFile(name, path)))
        except ImportRefused as error:
            on_fault(error)
    if not trials and not alone:
        raise ImportRefused(f"{file.name}: no folder beside it holds the {RESULT} of a trial")
    job = (folder.parent if alone else folder).resolve().name or "run"
    several = len({trial.runner for trial in trials}) > 1
    attempts = Counter((trial.runner, trial.task) for trial in trials)
    begun: Counter[tuple[str, str]] = Counter()
    for trial in sorted(trials, key=lambda trial: (trial.started, trial.file.name)):
        key = trial.runner, trial.task
        begun[key] += 1
        attempt = begun[key] if attempts[key] > 1 else None
        try:
            run = _run(trial, f"{job} {trial.runner}" if several else job, attempt)
        except ImportRefused as error:
            on_fault(error)
        else:
            yield run


class _Trial(msgspec.Struct, frozen=True):
    """What the result of a trial says, without what may be large."""

    file: InputFile
    task: str
    runner: str
    model: str | None
    started: str
    correct: bool | None
    error: str | None


class _Named(msgspec.Struct):
    name: str
    provider: str | None = None


class _Agent(msgspec.Struct):
    name: str
    model_info: _Named | None = None


class _Verified(msgspec.Struct):
    rewards: dict[str, float] | None = None


class _Exception(msgspec.Struct):
    exception_type: str
    exception_message: str = ""


class _Result(msgspec.Struct):
    """The result of a trial, as Harbor writes it."""

    task_name: str
    trial_name: str
    agent_info: _Agent
    verifier_result: _Verified | None = None
    exception_info: _Exception | None = None
    started_at: str | None = None
    step_results: list[Any] | None = None


def _trial(file: InputFile) -> _Trial:
    try:
        result = msgspec.convert(file.json(), type=_Result)
    except msgspec.ValidationError as error:
        raise ImportRefused(f"{file.name}: not the result of a trial: {error}") from None
    if result.step_results:
        raise ImportRefused(f"{file.name}: a trial of several steps, which is not read here")
    info = result.agent_info.model_info
    model = f"{info.provider}/{info.name}" if info and info.provider else info.name if info else None
    fault = result.exception_info
    rewards = (result.verifier_result and result.verifier_result.rewards) or {}
    reward = rewards.get("reward", next(iter(rewards.values())) if len(rewards) == 1 else None)
    return _Trial(
        file=file,
        task=result.task_name,
        runner=" ".join(part for part in (result.agent_info.name, model) if part),
        model=model,
        started=result.started_at or "",
        correct=bool(reward) if reward in (0, 1) else None,
        error=f"{fault.exception_type}: {fault.exception_message}"[:2000] if fault else None,
    )


def _run(trial: _Trial, run: str, attempt: int | None) -> NeutralRun:
    path = trial.file.path.parent / TRAJECTORY
    name = str(Path(trial.file.name).parent / TRAJECTORY)
    if path.is_file() and not path.is_symlink():
        told = atif.trajectory(InputFile(name, path))
    elif trial.error is not None:
        told = NeutralRun(steps=(), gaps=("the trial ended with an error before its agent wrote a trajectory",))
    else:
        raise ImportRefused(f"{name}: is missing: the agent of this trial wrote no trajectory")
    stated = _TASK_ID.search(trial.task)
    written, gaps, steps = _answer(trial.file.path.parent), set(told.gaps), told.steps
    if written is not None:
        gaps.discard(atif.NO_ANSWER)
        steps = (*steps, NeutralStep(type="answer", text=written))
    return msgspec.structs.replace(
        told,
        steps=steps,
        task_id=told.task_id or (stated.group() if stated else trial.task.rpartition("/")[2]),
        run=run,
        model=trial.model or told.model,
        answer=told.answer if written is None else written,
        attempt=attempt,
        correct=trial.correct,
        error=trial.error,
        gaps=tuple(sorted(gaps)),
    )


def _answer(folder: Path) -> str | None:
    """The file that the agent wrote its answer to, where the job keeps it. Never what the verifier says."""
    for place in ("answer.txt", "app/answer.txt", "workspace/answer.txt"):
        path = folder / "artifacts" / place
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= LONGEST_ANSWER:
            return path.read_text("utf-8", "replace").strip() or None
    return None
