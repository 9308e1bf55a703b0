"""Records one eval of Inspect, of one task with one model, as a run folder."""

import contextlib
import os
import re
import shlex
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio
import msgspec

from gaia_harness.errors import GaiaError, RunError, UsageError
from gaia_harness.exchange.importing import tasks_of
from gaia_harness.exchange.inspect_events import ROLES, Story, question_of
from gaia_harness.exchange.inspect_settings import Settings
from gaia_harness.exchange.matching import TaskIndex
from gaia_harness.exchange.neutral import NeutralRun, NeutralStep
from gaia_harness.exchange.neutral_steps import record_step
from gaia_harness.protocol import final_answer
from gaia_harness.records.origin import Origin
from gaia_harness.records.ranges import WHOLE_NUMBERS
from gaia_harness.records.run import read_record
from gaia_harness.run.attempt_writer import AttemptWriter
from gaia_harness.run.journal import log
from gaia_harness.run.live_origin import live
from gaia_harness.run.writer import RunWriter
from gaia_harness.tasks.loading import LoadedTasks
from gaia_harness.tasks.task import Task
from gaia_harness.version import __version__

NOT_TAKEN = (
    "pictures, sounds, films and documents in messages and results are not taken over",
    "of thoughts that a provider encrypts, the summaries alone are taken over",
)
"""Said of every run: whether it had any is known only behind its end, and what is declared stands at its beginning."""

_KEPT = ("model", "tool", "subtask", "span_begin", "span_end")
_DISCLOSED = {"task", "task_version", "task_args", "solver", "solver_args", "model_generate_config", "packages"}
_LIMITS = {"message_limit", "token_limit", "time_limit", "working_limit", "cost_limit", "retry_on_error", "approval"}
_UNSAFE = re.compile(r"[^\w.+-]+")
MOST_NAMED = 20
MOST_AT_ONCE = WHOLE_NUMBERS["concurrency"][1]


class LiveSample:
    """A sample that is under way: its task and, while there is one, the attempt at it."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.attempt: AttemptWriter | None = None
        self.events: list[Any] = []
        self.began = 0.0
        self.has_turn = True


class LiveEval:
    """An eval that is being recorded. Its folder is made when the first sample comes that is a task of the data set."""

    def __init__(self, settings: Settings, run_id: str, spec: Any) -> None:
        self.run_id = run_id
        self.writer: RunWriter | None = None
        self.refused = ""  # why there is no folder
        self._settings = settings
        self._spec = spec
        self._index = TaskIndex(settings.loaded.tasks)
        self._samples: dict[str, LiveSample] = {}
        self._busy: dict[str, anyio.Event] = {}
        self._others: dict[str, str] = {}  # samples that are no tasks of the data set
        self._failures: list[str] = []
        self._opening = contextlib.ExitStack()
        self._closed = False

    async def admit(self, sample_id: str, summary: Any) -> None:
        """A sample is to begin. It waits for others of the same task: attempts at a task come one after another."""
        asked = NeutralRun(steps=(), task_id=str(summary.id), question=question_of(summary.input))
        task = self._index.find(asked)
        if task is None:
            self._others[sample_id] = str(summary.id)
            return
        await self._take_turn(task)
        self._samples[sample_id] = LiveSample(task)
        self._open()

    async def begin(self, sample_id: str, summary: Any) -> None:
        """An attempt begins: on disk when this returns."""
        if sample_id not in self._samples and sample_id not in self._others:
            await self.admit(sample_id, summary)
        sample = self._samples.get(sample_id)
        if sample is None:
            return
        if not sample.has_turn:  # a sample that is tried again
            await self._take_turn(sample.task)
            sample.has_turn = True
        sample.events, sample.began = [], time.monotonic()
        if self.writer is not None:  # else it is said already why not
            sample.attempt = self.writer.begin_attempt(sample.task)

    def event(self, sample_id: str, event: Any) -> None:
        """Something happened. It is told when the sample ends: tools arrive behind what happened within them."""
        sample = self._samples.get(sample_id)
        if sample is not None and sample.attempt is not None and event.event in _KEPT:
            sample.events.append(event)

    def agent_is_done(self, sample_id: str) -> None:
        """What comes now is scoring."""
        sample = self._samples.get(sample_id)
        if sample is not None and sample.attempt is not None:
            sample.attempt.took(round((time.monotonic() - sample.began) * 1000))

    def retry(self, sample_id: str, reason: str) -> None:
        """An attempt ended with an error, and Inspect makes another one."""
        sample = self._samples.get(sample_id)
        if sample is not None:
            self._interrupt(sample, reason)
            self._give_turn(sample)

    def end(self, sample_id: str, done: Any) -> None:
        """A sample is over. One that ended with an error counts for nothing: its task is not finished."""
        sample = self._samples.pop(sample_id, None)
        if sample is None or self.writer is None:
            return
        try:
            if done.error is not None:
                self._interrupt(sample, done.error.message)
            elif sample.attempt is not None:
                try:
                    self._tell(sample, sample.attempt, done)
                except BaseException:
                    self._interrupt(sample, "it could not be recorded")
                    raise
                sample.attempt = None
                self.writer.end_attempt(sample.task)
        finally:
            self._give_turn(sample)

    def close(self) -> None:
        """The eval is over: what is still under way was broken off."""
        if self._closed:
            return
        self._closed = True
        for sample in self._samples.values():
            with self.noting():
                self._interrupt(sample, "the eval ended")
            self._give_turn(sample)
        self._samples.clear()
        self._opening.close()

    @contextlib.contextmanager
    def noting(self) -> Iterator[None]:
        """What goes wrong in this block is written to the folder. Inspect would swallow it."""
        try:
            yield
        except Exception as error:
            said = error.message if isinstance(error, GaiaError) else f"{type(error).__name__}: {error}"
            self._failures.append(said)
            if self.writer is None:
                self.refused = said
                return
            with contextlib.suppress(Exception):  # a full disk; a run that is not closed cannot be submitted anyway
                self.writer.failed(said)

    def said(self) -> str:
        """What came of it, and how to go on, for the user."""
        lines = []
        if self.writer is None:
            because = self._failures[0] if self._failures else f"no sample is a task of {self._settings.loaded.dataset}"
            return f"gaia-harness: {self._spec.task} was not recorded: {because}"
        path, summary = self.writer.path, self.writer.summary
        if summary is None:
            return f"gaia-harness: {path}: the recording was not closed: {', '.join(self._failures[:1]) or 'unknown'}"
        lines.append(f"gaia-harness: {summary.finished} of {summary.total} tasks recorded in {path}")
        if self._settings.declare:
            lines += [f"  not submittable: {reason}" for reason in summary.non_submittable_reasons[:5]]
        else:
            lines.append("  not declared, and so not submittable: set GAIA_INSPECT_DECLARE=1 to begin one that is")
            lines += [f"  recording failed: {reason}" for reason in self._failures[:5]]
        if self._others:
            lines.append(f"  {len(self._others)} samples are no tasks of {self._settings.loaded.dataset}")
        left = [task.task_id for task in self.writer.tasks]
        if left:
            ids = ",".join(left) if len(left) <= MOST_NAMED else "…"
            lines.append(
                f"  to go on: GAIA_INSPECT_OUT={shlex.quote(str(path))} inspect eval … --sample-id {shlex.quote(ids)}"
            )
        else:
            command = "submit" if summary.submittable else "audit"
            lines.append(f"  next: gaia {command} {shlex.quote(str(path))}")
        return "\n".join(lines)

    async def _take_turn(self, task: Task) -> None:
        while task.task_id in self._busy:
            await self._busy[task.task_id].wait()
        self._busy[task.task_id] = anyio.Event()

    def _give_turn(self, sample: LiveSample) -> None:
        if sample.has_turn:
            sample.has_turn = False
            self._busy.pop(sample.task.task_id).set()

    def _interrupt(self, sample: LiveSample, reason: str) -> None:
        if sample.attempt is not None and self.writer is not None:
            sample.attempt = None
            sample.events = []
            if reason.startswith(("CancelledError", "Cancelled(")):  # goes on about tasks and paths of this machine
                reason = "the sample was cancelled"
            self.writer.interrupt_attempt(sample.task, (reason.strip() or "an error").splitlines()[0])

    def _tell(self, sample: LiveSample, attempt: AttemptWriter, done: Any) -> None:
        events = as_logged(sample.events)
        _refuse_missing(sample, events, done.events or ())
        story = Story(sample.task.task_id, with_tools=True)
        story.tell(events)
        calls: dict[str, str] = {}
        for step in story.steps:
            record_step(attempt, step, calls, cut=step.cut)
        answer, is_said = _answer(story.steps, done.output.completion)
        attempt.answer(answer, is_step=not is_said)
        if answer is None:
            attempt.failed(f"the limit of Inspect: {done.limit.type}" if done.limit else "no answer")

    def _open(self) -> None:
        if self.writer is not None or self._failures:
            return
        spec, settings = self._spec, self._settings
        out = settings.out or _beside_log(spec)
        tasks = self._tasks(out)
        if spec.config.retry_on_error:
            log.warning("a sample that Inspect tries again (retry_on_error) makes the run unfit to be submitted")
        sandbox = spec.sandbox
        self.writer = self._opening.enter_context(
            RunWriter(
                out,
                dataset=tasks,
                model=spec.model,
                origin=_origin(spec, settings),
                declare=settings.declare,
                resume=settings.out is not None,
                voting_attempts=spec.config.epochs or 1,
                concurrency=min(spec.config.max_samples or len(tasks.tasks), len(tasks.tasks), MOST_AT_ONCE),
                isolation=f"{sandbox.type} (sandbox of Inspect)" if sandbox else None,
                address=spec.model_base_url or "",
                env=settings.env,
            )
        )

    def _tasks(self, out: Path) -> LoadedTasks:
        """Those of the run that goes on; else those that the samples are by their ids; else the whole data set."""
        loaded = self._settings.loaded
        if self._settings.out is not None and (out / "run.json").is_file():
            return tasks_of(set(read_record(out).dataset.task_ids), loaded)
        ids = {str(sample_id) for sample_id in self._spec.dataset.sample_ids or ()}
        wanted = ids & {task.task_id for task in loaded.tasks}
        return tasks_of(wanted, loaded) if wanted else loaded


def as_logged(events: Sequence[Any]) -> list[Any]:
    """Events in the order of a log. Hooks get some twice, and that of a tool behind the end of its span."""
    once = list({event.uuid or id(event): event for event in events}.values())
    spans = {event.id: event for event in once if event.event == "span_begin"}
    ended: list[Any] = []
    of_span: dict[str, Any] = {}
    rest = []
    for event in once:
        if event.event == "tool":
            inner = spans.get(event.agent_span_id)
            own = spans.get(inner.parent_id) if inner is not None else None
            if own is None or own.type != "tool" or own.name != event.function or own.id in of_span:
                own = next((s for s in ended if s.name == event.function and s.parent_id == event.span_id), None)
            if own is not None:
                of_span[own.id] = event
                ended = [span for span in ended if span is not own]
                continue
        elif event.event == "span_end" and event.id in spans and spans[event.id].type == "tool":
            ended.append(spans[event.id])
        rest.append(event)
    return [one for event in rest for one in (event, of_span.get(getattr(event, "id", ""))) if one is not None]


def _refuse_missing(sample: LiveSample, events: Sequence[Any], logged: Sequence[Any]) -> None:
    """Inspect stops handing out events after a while, and says so in a warning only."""
    seen = {event.uuid for event in events}
    spans = {event.id for event in events if event.event == "span_begin"}
    lost = sum(one.event in ("model", "tool") and not one.pending and one.uuid not in seen for one in logged)
    # one of a span that nobody knows may be a grader's, who is shown the answer
    strange = sum(one.event in ("model", "tool") and bool(one.span_id) and one.span_id not in spans for one in events)
    if lost or strange:
        raise RunError(f"{sample.task.task_id}: {lost + strange} events of Inspect did not arrive in full")


def _answer(steps: Sequence[NeutralStep], completion: str) -> tuple[str | None, bool]:
    """The answer, and whether a step says it: what the agent handed in last, else what its output comes to."""
    handed = next((step.text for step in reversed(steps) if step.type == "answer" and step.agent is None), None)
    if handed is not None:
        return handed, True
    answer = final_answer(completion) or completion.strip() or None
    return answer, answer is None or any(step.type == "llm_call" and answer in step.text for step in steps)


def _origin(spec: Any, settings: Settings) -> Origin:
    stated = spec.model_dump(mode="json", include=_DISCLOSED, exclude_none=True)
    limits = spec.config.model_dump(mode="json", include=_LIMITS, exclude_none=True)
    origin = live(
        f"inspect_ai {version('inspect_ai')} with gaia-harness {__version__}",
        tools=ROLES | settings.tools,
        unknown=("context_sha256",),
        options={**stated, **limits},
    )
    return msgspec.structs.replace(origin, gaps=NOT_TAKEN)


def _beside_log(spec: Any) -> Path:
    """A folder with the name of the log, beside it."""
    location = _log_location() or str(Path(os.environ.get("INSPECT_LOG_DIR", "logs")) / f"{spec.task}_{spec.eval_id}")
    location = location.removeprefix("file://")
    if "://" in location:
        raise UsageError(f"the log is at {location}, not on this machine", hint="name a folder by GAIA_INSPECT_OUT")
    path = Path(location)
    return path.with_name(_UNSAFE.sub("-", path.name.removesuffix(".eval").removesuffix(".json")) + ".gaia")


def _log_location() -> str | None:
    """Hooks are not told where the log is; the sample that is about to begin knows."""
    try:
        from inspect_ai.log._samples import sample_active
    except ImportError:
        return None
    return getattr(sample_active(), "log_location", None)
