"""One run's story, as people read it: the run at a glance, its tasks, and the steps of each.

The page and the terminal show these values and nothing else. Fields that have their default are left out of JSON.
"""

from collections.abc import Callable, Iterator
from typing import Literal, Protocol

import msgspec

from gaia_harness.audit.findings import Severity, Status
from gaia_harness.figures import Rate
from gaia_harness.submission.verdict import NotExamined, Verdict

Kind = Literal["run", "package"]
State = Literal["closed", "aborted", "running", "interrupted", "imported"]
TaskState = Literal["done", "running", "interrupted", "open"]
StepKind = Literal["prompt", "model", "call", "result", "answer"]


Progress = Callable[[str, int, int], None]
"""Told what is done ("auditing", "verifying" or "writing"), how many tasks are done, and of how many."""


def silent(what: str, done: int, total: int) -> None:
    """Nobody wants to know how far it is."""


class _Told(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What all parts of a story have in common."""


class Words(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """A text as far as it is kept. `bytes` and `sha256` are of the whole of it, `head` is its beginning.

    `whole` is the name of the whole text where that is at hand; `missing` says why a text that is kept is not.
    `exact`: the hash is of what is kept, with nothing masked in it.
    """

    head: str = ""
    bytes: int = 0
    sha256: str = ""
    cut: bool = False
    masked: int = 0
    whole: str = ""
    exact: bool = True
    missing: str = ""


class Argument(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """One argument of a call. One that is no text is given as JSON."""

    name: str
    text: str
    cut: bool = False


class SourceTold(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """Where a part of a tool's output comes from, by its place in bytes."""

    url: str
    title: str = ""
    offset: int = 0
    bytes: int = 0


class WindowTold(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """A piece of an output behind what is kept of its beginning, and why it was kept."""

    text: str
    offset: int = 0
    bytes: int = 0
    why: str = ""
    view: str = ""


class StepTold(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """One step. `answers` is the call that a result answers; `together` how many calls were made at once."""

    kind: StepKind
    seq: int
    attempt: int = 1
    turn: int = 1
    name: str = ""  # of a tool or a model, or the role of a prompt
    agent: str = ""
    parent: int | None = None
    text: Words | None = None
    thoughts: Words | None = None
    args: tuple[Argument, ...] = ()
    args_sha256: str = ""
    answers: int | None = None
    together: int = 0
    ms: int | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    stop: str = ""
    failed: bool = False
    cut_before: bool = False
    sources: tuple[SourceTold, ...] = ()
    windows: tuple[WindowTold, ...] = ()
    scan: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class AttemptTold(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """One attempt at a task, also one that left no steps."""

    number: int
    selected: bool = False
    answer: str | None = None
    has_answer: bool = False
    started_at: str = ""
    finished_at: str = ""
    interrupted: bool = False


class JudgeTold(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """What the LLM judge thought: a second opinion, never the score."""

    model: str
    verdict: bool | None = None
    cached: bool = False


class FindingTold(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """A finding of the audit. `number` counts from 1 over the whole report; `task` is None for the run as a whole."""

    number: int
    check: str
    rule: str
    severity: Severity
    summary: str
    task: str | None = None
    attempt: int | None = None
    seq: int | None = None
    field: str = ""
    offset: int | None = None
    view: str = ""
    excerpt: str = ""
    waived: str = ""


class RuleTold(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """What a rule of the audit means."""

    check: str
    name: str
    means: str
    sign: str
    honest: str


class CheckTold(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """A check of the audit, and what it came to."""

    id: str
    name: str
    status: Status
    findings: int = 0
    gap: str = ""


class TaskLine(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """A task in the table: what is known of it without its steps."""

    id: str
    state: TaskState = "done"
    now: str = ""  # what a running task was doing when the run last told
    level: int | None = None
    correct: bool | None = None
    question: str = ""
    answer: str | None = None
    error: str = ""
    turns: int | None = None
    ms: int | None = None
    cost: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    attempts: int = 0
    tools: tuple[str, ...] = ()
    findings: tuple[int, ...] = ()
    not_counted: bool = False
    file: bool = False


class TaskTold(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """A task with its steps. `expected` is there only in the story of a run folder, never in that of a package."""

    line: TaskLine
    question: str = ""
    question_is_prompt: bool = False
    answer: str | None = None
    expected: str | None = None
    judge: JudgeTold | None = None
    votes: int = 0
    cast: int = 0
    attempts: tuple[AttemptTold, ...] = ()
    steps: tuple[StepTold, ...] = ()
    fault: str = ""
    place: str = ""


class RunTold(_Told, frozen=True, kw_only=True, omit_defaults=True):
    """The run at a glance. `raw` is None where nothing can be scored, `audited` where nothing was audited."""

    kind: Kind
    name: str
    state: State
    run_id: str
    model: str
    agent: str
    dataset: str
    split: str
    digest: str
    harness: str
    asked_at: str = ""
    revision: str | None = None
    judge_model: str | None = None
    voting_attempts: int = 1
    started_at: str = ""
    finished_at: str = ""
    total: int = 0
    finished: int = 0
    errors: int = 0
    raw: Rate | None = None
    audited: Rate | None = None
    levels: dict[str, Rate] = {}
    not_counted: tuple[str, ...] = ()
    cost: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    turns: int = 0
    wall_ms: int = 0
    declared: str = ""
    submittable: bool | None = None
    reasons: tuple[str, ...] = ()
    verdict: Verdict | NotExamined | None = None
    origin: str = ""
    gaps: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    not_audited: str = ""
    clean: bool | None = None
    checks: tuple[CheckTold, ...] = ()
    findings: tuple[FindingTold, ...] = ()
    rules: tuple[RuleTold, ...] = ()
    boxed: bool = False
    untimed: bool = False
    redacted: bool = False
    told_at: str = ""  # of a run that goes on, when it last told what its tasks are doing


class Story(Protocol):
    """A run that is looked at. `tasks()` reads the steps anew each time, one task in memory at once."""

    @property
    def run(self) -> RunTold:
        """The run at a glance."""
        ...

    def tasks(self) -> Iterator[TaskTold]:
        """Every task that was asked for: those with steps in the order of the file, then the others."""
        ...

    def whole(self, name: str) -> str | None:
        """The whole of a text by the name that its step gives; None where it cannot be read."""
        ...
