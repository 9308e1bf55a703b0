"""Runs every task through agent and scorer, several at once, none stopping another."""

import asyncio
import contextlib
import logging
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import msgspec

from gaia_harness.agent import AgentResult
from gaia_harness.attempts.budget import HINT, Budget, at_most
from gaia_harness.attempts.workshop import Job
from gaia_harness.audit.attachments import opened_the_attachment
from gaia_harness.errors import RunError
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.evidence.recording import TaskRecording
from gaia_harness.figures import counted, total_cost
from gaia_harness.judge.llm import LlmJudge
from gaia_harness.models.messages import Transcript, Usage
from gaia_harness.models.retry import on_wait
from gaia_harness.protocol import choose
from gaia_harness.records.config import RunConfig
from gaia_harness.records.events import Judged
from gaia_harness.records.results import TaskResult
from gaia_harness.records.tool_use import ToolUse, ToolUses, merge_uses, with_short_errors
from gaia_harness.run.at_work import AtWork, remove_moment, write_moment
from gaia_harness.run.disk_reserve import DiskFull
from gaia_harness.run.executor import Executor, Place, WorkerLost
from gaia_harness.run.pausing import NotFinished, Pausing, RequestRefused
from gaia_harness.run.results import task_result
from gaia_harness.run.summary import Tally
from gaia_harness.run.tool_warnings import FailingCalls, FailingTools, in_one_line
from gaia_harness.run.writer import RunWriter
from gaia_harness.tasks.loading import LoadedTasks
from gaia_harness.tasks.task import Task
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.files import neutral_name

log = logging.getLogger("gaia_harness")

SILENCE = 10.0
"""Seconds without a word, after which somebody who waits is told that tasks are running."""

NO_REASON = "the model did not answer"

GRACE = 30.0
"""Seconds that running tasks have to finish in when the run pauses."""

MOST_GOES = 4
"""How often a task is begun in one process whose worker is lost each time."""


class Watcher(Protocol):
    """A listener for the progress of a run."""

    def finished(self, result: TaskResult, tally: Tally) -> None:
        """A task is done."""
        ...

    def waiting(self, running: int, longest: float) -> None:
        """Nothing was done for a while: so many tasks are running, the longest for so many seconds."""
        ...


class Stop:
    """A flag that stops a run from starting further tasks."""

    def __init__(self) -> None:
        self.requested = False


class _Work(msgspec.Struct):
    """A task that is under way. `before` counts the attempts of earlier processes, `clock` is when this one began."""

    task: Task
    before: int
    clock: float
    recording: TaskRecording | None
    attempts: list[AgentResult] = []
    held_at: float | None = None

    @property
    def number(self) -> int:
        """That of the last attempt, counted over all processes."""
        return self.before + len(self.attempts)


class Runner:
    """One run: what it works on, and with what."""

    def __init__(
        self,
        config: RunConfig,
        loaded: LoadedTasks,
        executor: Executor,
        writer: RunWriter,
        *,
        cost: Callable[[Usage], float | None],
        watcher: Watcher,
        stop: Stop,
        judge: LlmJudge | None = None,
        budget: Budget | None = None,
        at_work: dict[str, AtWork] | None = None,
    ) -> None:
        """`executor` says where attempts are made, and with what; `at_work` has the tasks that are under way."""
        self.config = config
        self.loaded = loaded
        self.budget = budget or Budget()
        self.executor = executor
        self.writer = writer
        self.journal = writer.journal
        self.tally = writer.tally
        self.cost = cost
        self.watcher = watcher
        self.stop = stop
        self.begun = writer.state.attempts
        self.judge = judge
        self.hints: Counter[str] = Counter()
        self.pausing = Pausing()
        self._failing_tools = FailingTools(self.journal.redactor)
        self._running: dict[str, AtWork] = {} if at_work is None else at_work
        self._lost: deque[Task] = deque()  # whose worker was lost: they are begun again when nothing else is under way
        self._held: deque[_Work] = deque()  # refused before the model had answered anybody: what that means is open
        self._heard: defaultdict[str, list[Transcript]] = defaultdict(list)  # for tasks that are under way
        self._last_word = time.monotonic()

    async def run(self, done: Sequence[TaskResult]) -> None:
        """Run what is not done yet; results already there are counted, not run again."""
        for result in done:
            self.tally.add(result)
        finished = {result.task_id for result in done}
        await self._go_through(task for task in self.loaded.tasks if task.task_id not in finished)
        for _ in range(MOST_GOES - 1):
            if not self._lost or self._held or self._is_over:
                break
            again = tuple(self._lost)
            self._lost.clear()
            try:
                self.writer.go_on()
            except DiskFull:
                self.pausing.disk_is_full()
                break
            await self._go_through(again)
        with contextlib.suppress(DiskFull):  # then they are begun and not finished, and the run pauses as it is
            for work in self._held:
                self._give_up(work)
        if self._held and not self._answered:
            last = self._held[-1].attempts[-1]
            self.pausing.nothing_but_refusals(RequestRefused(last.error or NO_REASON, hint=last.hint))

    @property
    def _is_over(self) -> bool:
        """Whether no further task is to be begun."""
        return self.stop.requested or self.pausing.reason is not None

    async def _go_through(self, tasks: Iterable[Task]) -> None:
        """Run these tasks, as many at once as the run may."""
        pending = deque(tasks)
        try:
            async with asyncio.TaskGroup() as group:
                workers = [group.create_task(self._work(pending)) for _ in range(self.config.concurrency)]
                group.create_task(self._watch(workers))
        finally:
            remove_moment(self.writer.path)

    async def _work(self, pending: deque[Task]) -> None:
        async with self.executor.place() as place:
            while await self._ready(place, pending):
                held = self._held.popleft() if self._held and self._answered else None
                task = pending.popleft() if held is None else held.task
                self._running[task.task_id] = AtWork(task.task_id)
                on_wait.set(self._running[task.task_id].waits)
                try:
                    result = await (self._run_task(task, place) if held is None else self._go_on(held, place))
                except RequestRefused as refusal:
                    self.pausing.refused(refusal)
                    continue
                except WorkerLost as lost:
                    self._lost.append(task)
                    self.pausing.lost(lost, at_work=self.config.concurrency)
                    continue
                except (NotFinished, DiskFull) as interruption:
                    self.pausing.interrupted(task.task_id, interruption)
                    continue
                finally:
                    del self._running[task.task_id]
                self._count(result)

    async def _ready(self, place: Place, pending: deque[Task]) -> bool:
        """Wait until an attempt can be made there; False if there is none to make."""

        def is_needed() -> bool:
            return not self._is_over and bool(pending or (self._held and self._answered))

        opening = asyncio.ensure_future(place.ready())
        try:
            while is_needed():
                if not opening.done():
                    await asyncio.wait([opening], timeout=1.0)
                    continue
                opening.result()
                return True
        except RunError as error:
            self.pausing.no_place(error)
        finally:
            opening.cancel()
        return False

    def _count(self, result: TaskResult) -> None:
        """A task is finished."""
        self.pausing.answered()
        self.pausing.unfinished.pop(result.task_id, None)  # which it was before its worker was lost
        if self.journal.disk_is_full:
            self.pausing.disk_is_full()
        self.tally.add(result)
        self._last_word = time.monotonic()
        with contextlib.suppress(OSError):  # nobody looks any more: the run goes on
            self.watcher.finished(result, self.tally)

    async def _watch(self, workers: Sequence[asyncio.Task[None]]) -> None:
        """Break silences; end what still runs some time after the run was to pause."""
        told = False
        while True:
            _, at_work = await asyncio.wait(workers, timeout=1.0)
            if not at_work:
                return
            now = time.monotonic()
            if not self.journal.disk_is_full:
                write_moment(self.writer.path, [*self._running.values()], self.journal.redactor)
            if self.pausing.since is not None and now - self.pausing.since > GRACE:
                for worker in at_work:
                    worker.cancel()
            if self._running and self.pausing.reason is not None and not told:
                told = True
                running = counted(len(self._running), "task is", "tasks are")
                reason = in_one_line(self.pausing.reason)
                log.warning("the run pauses: %s; %s under way and may take %.0f s", reason, running, GRACE)
            if self._running and now - self._last_word > SILENCE:
                self._last_word = now
                with contextlib.suppress(OSError):
                    self.watcher.waiting(len(self._running), now - min(work.began for work in self._running.values()))

    async def _run_task(self, task: Task, place: Place) -> TaskResult:
        if (spent := self.budget.reason) is not None:
            raise NotFinished(spent, hint=HINT, fault="max_cost")
        before = self.begun.get(task.task_id, 0)
        recording = self.writer.recording_of(task.task_id, before)
        return await self._finish(_Work(task, before, time.monotonic(), recording), place)

    async def _finish(self, work: _Work, place: Place) -> TaskResult:
        """Make the attempts that are left, and their result."""
        task, recording, attempts = work.task, work.recording, work.attempts
        while len(attempts) < self.config.voting_attempts:
            self.journal.attempt_started(task.task_id, work.number + 1)
            recorder = None if recording is None else recording.attempt()
            seconds = self._time_left(work.clock)
            try:
                attempts.append(await self._attempt(task, len(attempts) + 1, recorder, place, seconds))
            except WorkerLost as lost:
                self._lose(work, lost)
                raise
            self._refuse_to_count(work)
            self.journal.attempt_finished(task.task_id, work.number, recording)
        result = task_result(
            task,
            self.loaded.key.get(task.task_id),
            attempts,
            choose([attempt.answer for attempt in attempts]),
            model=self.executor.model,
            wall_ms=round((time.monotonic() - work.clock) * 1000),
            cost=self.cost,
            attempts_before=work.before,
            heard=self._heard.pop(task.task_id, ()),
        )
        result = await self._second_opinion(result)
        self.journal.task_finished(result, recording)
        return result

    async def _go_on(self, work: _Work, place: Place) -> TaskResult:
        """The model has answered others: that it refused this task is a result."""
        now = time.monotonic()
        work.clock += now - (work.held_at or now)
        self.journal.attempt_finished(work.task.task_id, work.number, work.recording)
        return await self._finish(work, place)

    @property
    def _answered(self) -> bool:
        """Whether the model has ever answered in this run."""
        return self.executor.answered or self.tally.replied

    def _time_left(self, clock: float) -> float | None:
        limit = self.config.task_timeout
        return None if limit is msgspec.UNSET else max(limit - (time.monotonic() - clock), 0.0)

    def _refuse_to_count(self, work: _Work) -> None:
        """An attempt that an outage, the limit of cost or a full disk ended is no answer: the task is not finished.

        Nor is one that was refused while the model has answered nobody: it may refuse them all.
        """
        attempt, recording = work.attempts[-1], work.recording
        if attempt.fault in ("outage", "access", "max_cost"):
            self._give_up(work)
            raise NotFinished(attempt.error or NO_REASON, hint=attempt.hint, fault=attempt.fault)
        if self.journal.disk_is_full and recording is not None and recording.failures:
            raise DiskFull(f"{work.task.task_id}: {recording.failures[0]}")
        if attempt.fault == "request" and not self._answered:
            work.held_at = time.monotonic()
            self._held.append(work)
            raise RequestRefused(attempt.error or NO_REASON, hint=attempt.hint)

    def _give_up(self, work: _Work) -> None:
        """Note that the last attempt came to nothing, and what it and those before it in this process took."""
        attempt = work.attempts[-1]
        self._note_interrupted(work, work.number, attempt.error or NO_REASON, by_max_cost=attempt.fault == "max_cost")

    def _lose(self, work: _Work, lost: WorkerLost) -> None:
        """The attempt that was under way is lost with its worker. It was begun, and counts."""
        number = self.begun[work.task.task_id] = work.number + 1
        self._note_interrupted(work, number, lost.message, cost_usd=lost.cost_usd, tools=lost.tools)

    def _note_interrupted(
        self,
        work: _Work,
        number: int,
        reason: str,
        *,
        by_max_cost: bool = False,
        cost_usd: float | None = None,
        tools: ToolUses | None = None,
    ) -> None:
        """`cost_usd` and `tools` are of an attempt that came to no result at all."""
        uses = with_short_errors(merge_uses([*(each.tools for each in work.attempts), tools or {}]))
        spent = [at_most(self.cost, usage) for each in work.attempts for usage in each.usages]
        spent += [each.cost_usd for each in self._heard.pop(work.task.task_id, ()) if each.cost_usd is not None]
        spent += [] if cost_usd is None else [cost_usd]
        self.pausing.unfinished[work.task.task_id] = reason
        self.tally.add_lost(uses)
        self.journal.attempt_interrupted(
            work.task.task_id,
            number,
            reason,
            by_max_cost=by_max_cost,
            cost_usd=total_cost(spent),
            tools={name: (use.calls, use.errors, use.wall_ms) for name, use in uses.items()},
        )

    async def _second_opinion(self, result: TaskResult) -> TaskResult:
        """What the LLM judge thinks of an answer that the scorer refuses; with `judge_all`, of every answer."""
        if self.judge is None or result.answer is None or result.expected_output is None:
            return result
        if result.correct and not self.config.judge_all:
            return result
        self._running[result.task_id].judged = True
        judgment = await self.judge.judge(result.task_id, result.question, result.answer, result.expected_output)
        self.journal.add(
            Judged(
                task_id=result.task_id,
                model=judgment.model,
                prompt_sha256=judgment.prompt_sha256,
                verdict=judgment.verdict,
                cached=judgment.cached,
            )
        )
        return msgspec.structs.replace(result, judge=judgment)

    async def _attempt(
        self, task: Task, number: int, recorder: Recorder | None, place: Place, seconds: float | None = None
    ) -> AgentResult:
        seed = self.config.seed
        recorder, work = recorder or Recorder(), self._running[task.task_id]
        work.attempt(number, recorder)
        name = None if task.attachment is None else neutral_name(task.attachment)
        job = Job(
            task_id=task.task_id,
            question=task.question,
            attachment=None if task.attachment is None or name is None else Attachment(path=task.attachment, name=name),
            seed=None if seed is None else seed + number - 1,  # one seed for all would make them one attempt
            seconds=seconds,
        )
        try:
            calls = FailingCalls(task.task_id, work.waits, self.journal.redactor)
            listener = _Listener(self._heard[task.task_id], self._failing_tools, calls)
            result = await place.attempt(job, recorder, listener)
            opened = name is not None and opened_the_attachment(recorder.steps, name)
            result = msgspec.structs.replace(result, attachment_opened=opened)
        except WorkerLost:
            raise
        except Exception as bug:  # one task failing never stops the others
            log.warning("task %s, attempt %d: %s: %s", task.task_id, number, type(bug).__name__, bug)
            result = AgentResult(answer=None, turns=0, error=f"{type(bug).__name__}: {bug}")
        # before answers are counted and scored: whoever does that again has only what is stored
        result = self.journal.redactor.hide(result)
        if result.hint is not None:
            self.hints[result.hint] += 1
        return result


class _Listener(msgspec.Struct, frozen=True):
    """What the runner wants to know of an attempt while it goes on."""

    transcripts: list[Transcript]
    tools: FailingTools
    calls: FailingCalls

    def heard(self, transcript: Transcript) -> None:
        self.transcripts.append(transcript)

    def used(self, name: str, use: ToolUse) -> None:
        self.tools.note(name, use)

    def asked(self, error: str | None) -> None:
        self.calls.note(error)
