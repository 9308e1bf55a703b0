"""Reads the tasks of a run or a package one at a time, with their steps, times, findings and whole texts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.records import trajectories
from gaia_harness.records.events import AttemptFinished, AttemptInterrupted, AttemptStarted, RunClosed, RunStarted
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.line_work import Cut
from gaia_harness.records.log import read_log
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.trajectories import Trajectory
from gaia_harness.submission.verdict import Verdict
from gaia_harness.viewing.steps import BODIES, PROMPTS, tell_steps
from gaia_harness.viewing.story import AttemptTold, JudgeTold, RunTold, StepTold, TaskLine, TaskState, TaskTold

MOST_ATTEMPTS = 200_000
LARGEST_TEXT = 32 << 20
"""Bytes of one text. What is longer is shown by its beginning."""
QUESTION_IN_TABLE = 300
ANSWER_IN_TABLE = 200


_HASH = re.compile(r"[0-9a-f]{64}").fullmatch


class Times(msgspec.Struct):
    """When the run and its attempts began and ended, as far as the log can be read."""

    started_at: str = ""
    finished_at: str = ""
    status: str = ""
    attempts: dict[str, list[AttemptTold]] = {}
    fault: str = ""


def read_times(path: Path) -> Times:
    """The times in a log. One that is cut short, as that of a run under way may be, is read up to there."""
    times, count = Times(), 0
    try:
        for _, event in read_log(path):
            if isinstance(event, RunStarted):
                times.started_at = times.started_at or event.time
            elif isinstance(event, RunClosed):
                times.finished_at, times.status = event.time, event.status
            elif isinstance(event, AttemptStarted) and (count := count + 1) <= MOST_ATTEMPTS:
                begun = AttemptTold(number=event.attempt, started_at=event.time)
                times.attempts.setdefault(event.task_id, []).append(begun)
            elif isinstance(event, AttemptFinished | AttemptInterrupted):
                _end(times.attempts.get(event.task_id, []), event)
    except (EvidenceError, OSError) as error:
        said = error.message if isinstance(error, EvidenceError) else f"{path}: cannot be read: {error.strerror}"
        times.fault = said.replace(str(path), path.name)
    return times


def _end(attempts: list[AttemptTold], event: AttemptFinished | AttemptInterrupted) -> None:
    for place in range(len(attempts) - 1, -1, -1):
        if attempts[place].number == event.attempt:
            attempts[place] = msgspec.structs.replace(
                attempts[place], finished_at=event.time, interrupted=isinstance(event, AttemptInterrupted)
            )
            return


class RecordedStory:
    """The story of what lies in a folder. `golds` is empty for a package: nothing here reads any from elsewhere."""

    def __init__(
        self,
        folder: Path,
        run: RunTold,
        facts: RunFacts,
        times: Times,
        questions: Mapping[str, str],
        golds: Mapping[str, str],
        now: Mapping[str, str] | None = None,
    ) -> None:
        self.run = run
        self._folder = folder
        self._facts = facts
        self._times = times
        self._questions = questions
        self._golds = golds
        self._now = now or {}
        self._results = {task.task_id: task for task in facts.tasks}
        self._findings: dict[str, list[int]] = {}
        for finding in run.findings:
            if finding.task is not None:
                self._findings.setdefault(finding.task, []).append(finding.number)
        self._faults = _faults_by_place(run)
        self._stores = {
            PROMPTS: TextStore(folder / PROMPTS, compressed=False),
            BODIES: TextStore(folder / BODIES, compressed=True),
        }

    def tasks(self) -> Iterator[TaskTold]:
        """Every task that was asked for: those with steps in the order of the file, then the others."""
        seen: set[str] = set()
        for place, trajectory, fault in _read(self._folder / trajectories.FILE_NAME):
            if trajectory is None and self.run.state == "running":
                continue  # somebody is writing this line
            if trajectory is None or trajectory.task_id in seen:
                again = "" if trajectory is None else "the task has a trajectory already"
                yield self._broken(place, fault or f"{place}: {again}")
                continue
            seen.add(trajectory.task_id)
            yield self._told(trajectory.task_id, trajectory, fault, place)
        for task_id in dict.fromkeys((*self._facts.task_ids, *self._results)):
            if task_id not in seen:
                yield self._told(task_id, None, "", "")

    def whole(self, name: str) -> str | None:
        """The whole of a text; None where it is missing, too long, or not what its name says."""
        folder, _, sha256 = name.partition("/")
        store = self._stores.get(folder)
        if not _HASH(sha256):  # what was recorded names a file here, and is not to be believed
            return None
        try:
            return None if store is None else store.get(sha256, largest=LARGEST_TEXT).decode("utf-8", "replace")
        except (EvidenceError, OSError):
            return None

    def _broken(self, place: str, fault: str) -> TaskTold:
        """What stands for a line that is no task's."""
        return TaskTold(line=TaskLine(id=place, state="interrupted", file=True), fault=fault, place=place)

    def _told(self, task_id: str, trajectory: Trajectory | None, fault: str, place: str) -> TaskTold:
        facts = self._results.get(task_id)
        steps = () if trajectory is None else tell_steps(trajectory.steps)
        attempts = self._attempts(task_id, facts, trajectory)
        question = self._questions.get(task_id, "")
        asked = question or _first_prompt(steps)
        state = self._state(facts, attempts)
        line = TaskLine(
            id=task_id,
            state=state,
            now=self._now.get(task_id, "") if state == "running" else "",
            question=asked[:QUESTION_IN_TABLE],
            findings=tuple(self._findings.get(task_id, ())),
            not_counted=task_id in self.run.not_counted,
            attempts=len(attempts),
        )
        told = TaskTold(
            line=line,
            question=asked,
            question_is_prompt=not question and bool(asked),
            expected=self._golds.get(task_id),
            attempts=attempts,
            steps=steps,
            fault=fault or self._faults.get(place, ""),
            place=place,
        )
        if facts is not None:
            told = _with_result(told, facts)
        return _untimed(told) if self.run.untimed else told

    def _state(self, facts: TaskFacts | None, attempts: Sequence[AttemptTold]) -> TaskState:
        if facts is not None:
            return "done"
        if not attempts:
            return "open"
        return "running" if self.run.state == "running" and not attempts[-1].interrupted else "interrupted"

    def _attempts(
        self, task_id: str, facts: TaskFacts | None, trajectory: Trajectory | None
    ) -> tuple[AttemptTold, ...]:
        by_number = {attempt.number: attempt for attempt in self._times.attempts.get(task_id, ())}
        for step in () if trajectory is None else trajectory.steps:
            if step.attempt not in by_number and len(by_number) < MOST_ATTEMPTS:
                by_number[step.attempt] = AttemptTold(number=step.attempt)
        if facts is None:
            return tuple(by_number[number] for number in sorted(by_number))
        answers = facts.voting.answers
        before = facts.attempts - len(answers)  # lost with the process that made them
        for place, answer in enumerate(answers[:MOST_ATTEMPTS]):
            number = before + place + 1
            known = by_number.get(number, AttemptTold(number=number))
            chosen = number == facts.voting.selected_attempt
            by_number[number] = msgspec.structs.replace(known, answer=answer, has_answer=True, selected=chosen)
        return tuple(by_number[number] for number in sorted(by_number))


def _faults_by_place(run: RunTold) -> dict[str, str]:
    """What `gaia verify` says of lines of the trajectories, the first of each."""
    found: dict[str, str] = {}
    for line in run.verdict.checks if isinstance(run.verdict, Verdict) else ():
        for fault in line.faults:
            found.setdefault(":".join(fault.split(":", 2)[:2]), fault)
    return found


def _with_result(told: TaskTold, facts: TaskFacts) -> TaskTold:
    line = msgspec.structs.replace(
        told.line,
        level=facts.level,
        correct=facts.correct,
        answer=None if facts.answer is None else facts.answer[:ANSWER_IN_TABLE],
        error=facts.error or "",
        turns=facts.turns,
        ms=facts.wall_ms,
        cost=facts.cost_usd,
        tokens_in=facts.input_tokens,
        tokens_out=facts.output_tokens,
        attempts=facts.attempts,
        tools=facts.tools_used,
    )
    judge = facts.judge
    return msgspec.structs.replace(
        told,
        line=line,
        answer=facts.answer,
        judge=None if judge is None else JudgeTold(model=judge.model, verdict=judge.verdict, cached=judge.cached),
        votes=facts.voting.votes,
        cast=facts.voting.cast,
    )


def _untimed(told: TaskTold) -> TaskTold:
    """The same without times: where nobody knows them, 0 stands in the record."""
    return msgspec.structs.replace(
        told,
        line=msgspec.structs.replace(told.line, ms=None),
        steps=tuple(msgspec.structs.replace(step, ms=None) for step in told.steps),
    )


def _first_prompt(steps: Sequence[StepTold]) -> str:
    """What the agent was asked, where no question is at hand: a package has none of its own."""
    for step in steps:
        if step.kind == "prompt" and step.name == "user" and step.text is not None:
            return step.text.head
    return ""


def _read(path: Path) -> Iterator[tuple[str, Trajectory | None, str]]:
    """Each line: its place, its trajectory if it can be read at all, and what is wrong with it."""
    if not path.exists():
        return
    try:
        for batch in Cut(path, longest=trajectories.LONGEST_LINE, hold=True):
            for number, data in batch.lines():
                line = trajectories.read_line(data, number)
                place = f"{trajectories.FILE_NAME}:{number}"
                yield place, line.trajectory or _as_it_stands(line.data), line.fault or ""
    except EvidenceError as error:
        yield trajectories.FILE_NAME, None, error.message


def _as_it_stands(line: bytes) -> Trajectory | None:
    """A line that breaks a rule, and is a trajectory all the same: who looks sees what was changed."""
    try:
        return trajectories.decode_unchecked(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
