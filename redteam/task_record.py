"""What a scripted task leaves on disk: steps by the real recorder, a result by the real scorer, events of the log."""

import functools
import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from gaia_harness import protocol
from gaia_harness.agent import AgentResult
from gaia_harness.errors import EvidenceError, ToolError
from gaia_harness.evidence.recorder import Recorder, RecorderSettings
from gaia_harness.figures import total
from gaia_harness.judge.prompt import PROMPT_SHA256, PROMPT_VERSION
from gaia_harness.models.messages import ToolSpec, Usage
from gaia_harness.protocol import Choice, choose
from gaia_harness.records.config import RunConfig
from gaia_harness.records.events import AttemptFinished, AttemptStarted, Event, Judged, TaskFinished
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.results import Judgment, TaskResult
from gaia_harness.records.steps import LlmCall, Step, ToolCallStep
from gaia_harness.records.trajectories import Trajectory, encode
from gaia_harness.run.results import task_result
from gaia_harness.tasks.answers import Gold
from gaia_harness.tasks.task import Task
from gaia_harness.tools.base import Attachment, Tool
from gaia_harness.tools.containment import Limits, Outcome
from gaia_harness.tools.fetch import WebFetch
from gaia_harness.tools.files import FileRead, neutral_name
from gaia_harness.tools.python import PythonTool
from gaia_harness.tools.reader_pool import ReaderPool
from gaia_harness.tools.search import Hit, WebSearch
from redteam.script import Attempt, Opinion, TaskScript, Turn
from redteam.words import seeded
from redteam.world import LabTask


class TaskRecord(NamedTuple):
    """A task as it goes into the files: its lines, and its events with the milliseconds since its start."""

    script: TaskScript
    result: TaskResult
    result_line: bytes
    trajectory_line: bytes
    events: list[tuple[int, Event]]
    milliseconds: int


def record_task(
    script: TaskScript, task: Task, config: RunConfig, settings: RecorderSettings, seed: object
) -> TaskRecord:
    """Play a scripted task, and return the lines and events that it leaves."""
    rng = seeded("clock", seed, task.task_id)
    steps: list[Step] = []
    counted: list[AgentResult] = []
    events: list[tuple[int, Event]] = []
    number, now = script.cut_off, 1
    for attempt in script.attempts:
        number = attempt.number if attempt.number is not None else number + 1
        if attempt.logged:
            events.append((now, AttemptStarted(task_id=task.task_id, attempt=number)))
        now += sum(rng.randint(700, 9000) for _ in attempt.turns)
        recorder = Recorder(task_id=task.task_id, attempt=number, first_seq=len(steps), settings=settings)
        result = _play(attempt, script.task, config.model, recorder)
        if recorder.failures:
            raise EvidenceError(f"{task.task_id}: {recorder.failures[0]}")
        if attempt.recorded:
            steps += recorder.steps
        if attempt.counted:
            counted.append(result)
        if attempt.logged:
            sha256 = hashlib.sha256(encode(tuple(steps))).hexdigest()
            finished = AttemptFinished(task_id=task.task_id, attempt=number, steps=len(steps), steps_sha256=sha256)
            events.append((now, finished))
    result_of_task = _result(script, task, config, counted, now)
    judgment = None
    if result_of_task.answer is not None and (config.judge_model is not None or script.opinion is not None):
        judgment = _judgment(script, result_of_task, config)
    if judgment is not None:
        opinion = script.opinion or Opinion(verdict=judgment.verdict)
        if opinion.logged:
            now += rng.randint(300, 2500)
            events.append((now, _judged(task, judgment)))
        if opinion.kept:
            result_of_task = msgspec.structs.replace(result_of_task, judge=judgment)
    line = encode(_trajectory(task, config, result_of_task, steps))
    if script.edit_trajectory is not None:
        line = _edited(line, script.edit_trajectory)
        events = [(moment, _rebound(event, line)) for moment, event in events]
    salt = seeded("salt", seed, task.task_id).randbytes(32).hex()
    salted = msgspec.structs.replace(result_of_task, salt=salt)
    result_line = _edited(msgspec.json.encode(salted), script.edit_result)
    events.append(
        (
            now + 2,
            TaskFinished(
                task_id=task.task_id,
                attempts=result_of_task.attempts,
                trajectory_sha256=hashlib.sha256(line).hexdigest(),
                result_sha256=hashlib.sha256(result_line).hexdigest(),
                outcome_sha256=_outcome(result_line),
                salted=True,
            ),
        )
    )
    return TaskRecord(
        script,
        _read_back(result_line, result_of_task),
        _edited(result_line, script.edit_result_late),
        _edited(line, script.edit_trajectory_late),
        events if script.in_log else [],
        now + 4,
    )


def usual_opening(task: LabTask) -> tuple[tuple[str, str], ...]:
    """What every attempt begins with: the standing prompts and the question, as (role, text)."""
    name = None if task.attachment is None else neutral_name(Path(f"file.{task.attachment.extension}"))
    return (
        ("system", protocol.SYSTEM),
        ("tools", _catalogue(name)),
        ("user", protocol.question(task.question, name)),
    )


def _play(attempt: Attempt, task: LabTask, model: str, recorder: Recorder) -> AgentResult:
    """Take down every turn; what the attempt came to."""
    opening = usual_opening(task) if attempt.opening is None else attempt.opening
    usages: list[Usage] = []
    tools: set[str] = set()
    context, size = hashlib.sha256(), 0
    for number, turn in enumerate(attempt.turns, 1):
        new = (*(opening if number == 1 else ()), *turn.prompts)
        for _, text in new:
            context.update(text.encode("utf-8", "replace"))
            size += len(text)
        sha256 = context.hexdigest()
        for role, text in new or [("context", "")]:
            recorder.prompt(number, role, text, context_sha256=sha256)
        written = [call.raw if call.raw is not None else json.dumps(call.args) for call in turn.calls]
        if turn.called:
            usage = _usage(turn, size, sum(map(len, written)))
            usages.append(usage)
            recorder.llm_call(
                number,
                turn.words,
                model=turn.model or model,
                tokens_in=usage.input_tokens,
                tokens_out=usage.output_tokens,
                stop_reason="tool_calls" if turn.calls else "stop",
                response_id=f"scripted-{sha256[:24]}",
                thoughts=turn.thoughts,
            )
        context.update(turn.words.encode("utf-8", "replace"))
        size += len(turn.words)
        named = [(f"call_{number}_{index}", call) for index, call in enumerate(turn.calls, 1)]
        for (call_id, call), raw in zip(named, written, strict=True):
            recorder.tool_call(number, call_id, call.name, call.args, raw=raw)
            tools.add(call.name)
        for call_id, call in named:
            if call.output is not None:
                text = call.output.text
                recorder.tool_result(
                    number, call_id, call.name, text, is_error=call.output.is_error, sources=call.output.sources
                )
                context.update(text.encode("utf-8", "replace"))
                size += len(text)
    return AgentResult(
        answer=attempt.said,
        turns=len(attempt.turns),
        usages=tuple(usages),
        tools_used=tuple(sorted(tools)),
        error=attempt.error or ("no answer within 30 turns" if attempt.said is None else None),
    )


def _usage(turn: Turn, size: int, written: int) -> Usage:
    return Usage(
        input_tokens=size // 4 if turn.tokens_in == -1 else turn.tokens_in,
        output_tokens=(len(turn.words) + written) // 4 + 1 if turn.tokens_out == -1 else turn.tokens_out,
    )


def _result(script: TaskScript, task: Task, config: RunConfig, counted: list[AgentResult], wall_ms: int) -> TaskResult:
    counted = counted or [AgentResult(answer=None, turns=0, error="no attempt")]
    answers = [attempt.answer for attempt in counted]
    choice = choose(answers)
    if script.selected is not None:
        choice = Choice(script.selected, answers.count(answers[script.selected - 1]), choice.cast)
    return task_result(
        task,
        Gold(answer=script.task.gold, annotator_steps=script.task.steps),
        counted,
        choice,
        model=config.model,
        wall_ms=wall_ms,
        cost=lambda usage: None,  # as of every model that has no price
        attempts_before=script.cut_off,
    )


def _judgment(script: TaskScript, result: TaskResult, config: RunConfig) -> Judgment | None:
    """What the judge said; None where it is not asked: of a right answer, unless the run or the script wants it."""
    if script.opinion is None and result.correct and not config.judge_all:
        return None
    opinion = script.opinion or Opinion(
        verdict=result.correct, reason="Same as the reference." if result.correct else "Not the reference answer."
    )
    cached = opinion.cache == "hit"
    return Judgment(
        verdict=opinion.verdict,
        reason=opinion.reason,
        error=opinion.error,
        model=config.judge_model or "scripted/judge",
        prompt_version=PROMPT_VERSION,
        prompt_sha256=PROMPT_SHA256,
        cached=cached,
        cache=opinion.cache,
        calls=0 if cached else 1,
        input_tokens=0 if cached else 420,
        output_tokens=0 if cached else 18,
        cost_usd=0.0,
    )


def _judged(task: Task, judgment: Judgment) -> Judged:
    return Judged(
        task_id=task.task_id,
        model=judgment.model,
        prompt_sha256=judgment.prompt_sha256,
        verdict=judgment.verdict,
        cached=judgment.cached,
    )


def _trajectory(task: Task, config: RunConfig, result: TaskResult, steps: list[Step]) -> Trajectory:
    calls = [step for step in steps if isinstance(step, LlmCall)]
    return Trajectory(
        task_id=task.task_id,
        model=config.model,
        turns=len({(step.attempt, step.turn) for step in steps}),
        final_answer=result.answer,
        input_tokens=total(call.tokens_in for call in calls),
        output_tokens=total(call.tokens_out for call in calls),
        voting_attempts=config.voting_attempts,
        selected_attempt=result.voting.selected_attempt,
        tools_used=tuple(sorted({step.name for step in steps if isinstance(step, ToolCallStep)})),
        steps=tuple(steps),
    )


def _edited(line: bytes, edit: Any) -> bytes:
    if edit is None:
        return line
    value = msgspec.json.decode(line)
    edit(value)
    return msgspec.json.encode(value)


def _outcome(line: bytes) -> str | None:
    """The hash of what may be told of a result; None where an edit left no result."""
    try:
        return msgspec.json.decode(line, type=TaskFacts).sha256()
    except msgspec.MsgspecError:
        return None


def _rebound(event: Event, line: bytes) -> Event:
    """The end of an attempt as a log has it that goes with an edited trajectory."""
    if not isinstance(event, AttemptFinished):
        return event
    steps = [step for step in msgspec.json.decode(line).get("steps", ()) if step.get("attempt", 0) <= event.attempt]
    sha256 = hashlib.sha256(msgspec.json.encode(steps)).hexdigest()
    return msgspec.structs.replace(event, steps=len(steps), steps_sha256=sha256)


def _read_back(line: bytes, unedited: TaskResult) -> TaskResult:
    """The result as edited, for the summary; as it was, where the edit left no result."""
    try:
        return msgspec.json.decode(line, type=TaskResult)
    except msgspec.MsgspecError:
        return unedited


class _Nobody:
    """Who searches and runs code where nothing is searched and nothing is run."""

    name = "nobody"

    async def search(self, query: str) -> list[Hit]:
        """Never asked."""
        raise ToolError("There is no web here.")

    async def run(self, code: str, attachment: Attachment | None, limits: Limits) -> Outcome:
        """Never asked."""
        raise ToolError("No code is run here.")

    async def aclose(self) -> None:
        """Nothing is open."""


@functools.cache
def _catalogue(attachment: str | None) -> str:
    """The tools as every task of a run is told about them."""
    readers = ReaderPool()
    file = None if attachment is None else Attachment(path=Path(attachment), name=attachment)
    tools: list[Tool] = [WebSearch(_Nobody()), WebFetch(readers)]
    if file is not None:
        tools.append(FileRead(file, readers))
    tools.append(PythonTool(_Nobody(), file))
    specs = [msgspec.to_builtins(ToolSpec(tool.name, tool.description, tool.parameters)) for tool in tools]
    return json.dumps(specs, ensure_ascii=False, sort_keys=True)
