"""The script of a made run: its tasks, attempts, turns and tool calls, and everything that an attacker may change."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from gaia_harness.protocol import final_answer
from gaia_harness.records.config import RunConfig
from gaia_harness.records.events import Event
from gaia_harness.tools.base import ToolOutput
from redteam.world import LabTask

Edit = Callable[[dict[str, Any]], None]
"""Changes a JSON object in place."""

MODEL = "scripted/lab"
JUDGE = "scripted/judge"
ISOLATION = {"python": "bubblewrap 0.8.0", "memory": "watched", "web_search": "searxng"}


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call and what came back. `output` None: no result. `raw` is what the model wrote, if it is no JSON."""

    name: str
    args: dict[str, Any] | None
    output: ToolOutput | None
    raw: str | None = None


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One request and its reply. `prompts` are (role, text) that are new in the request, beside tool results.

    `called` False leaves the model out: the request's prompts and tool calls are there, but no model call.
    """

    words: str
    calls: tuple[Call, ...] = ()
    prompts: tuple[tuple[str, str], ...] = ()
    thoughts: str = ""
    model: str | None = None
    tokens_in: int | None = -1  # -1: worked out from the length of the texts
    tokens_out: int | None = -1
    called: bool = True


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt. The standing prompts and the question come first of themselves, unless `opening` replaces them.

    An attempt that is not `counted` is left out of the result, one not `recorded` out of the trajectory, and one not
    `logged` out of the log. `number` is its number where that is not the next one.
    """

    turns: tuple[Turn, ...]
    opening: tuple[tuple[str, str], ...] | None = None
    answer: str | None = ""  # "": what the last words say behind FINAL ANSWER
    error: str | None = None
    counted: bool = True
    recorded: bool = True
    logged: bool = True
    number: int | None = None

    @property
    def said(self) -> str | None:
        """The attempt's answer."""
        return final_answer(self.turns[-1].words if self.turns else "") if self.answer == "" else self.answer


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """What the LLM judge said. `logged` False leaves the event out, `kept` False the field of the result."""

    verdict: bool | None
    reason: str = "The candidate is not the reference answer."
    cache: str = "miss"
    error: str | None = None
    logged: bool = True
    kept: bool = True


class TaskScript(msgspec.Struct, frozen=True, kw_only=True):
    """How one task went.

    An edit is a lie that the log goes along with, as if it had happened so. Edits marked `late` are made when the log
    has bound the line: the log then disagrees.
    """

    task: LabTask
    attempts: tuple[Attempt, ...]
    cut_off: int = 0  # attempts that a crash ended before: started in the log, and nowhere else
    selected: int | None = None  # the attempt (from 1) whose answer stands; None: chosen by vote
    opinion: Opinion | None = None  # None: the judge says what the scorer says, where it is asked at all
    edit_trajectory: Edit | None = None
    edit_trajectory_late: Edit | None = None
    edit_result: Edit | None = None
    edit_result_late: Edit | None = None
    lines: int = 1  # how often the task stands in results and trajectories: 0 hides it there
    in_log: bool = True  # False: none of its events is in the log


def declared(**options: Any) -> RunConfig:
    """The configuration of a declared run, with these options."""
    return RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, **options)


def voting(attempts: int, **options: Any) -> RunConfig:
    """The configuration of a declared run with so many attempts for each task."""
    return declared(voting_attempts=attempts, **options)


class RunScript(msgspec.Struct, frozen=True, kw_only=True):
    """How a run went.

    `dropped` tasks are in the data set, but not in the run's task list, and have no lines. `events` are added to the
    log before its end; `edit_log` gets all events in order, as JSON objects, and returns those that stay.
    `edit_rows` changes a row of the data set's folder, `files` are put into the run directory last.
    """

    tasks: tuple[TaskScript, ...]
    dropped: tuple[LabTask, ...] = ()
    config: RunConfig = declared()
    isolation: Mapping[str, Any] = msgspec.field(default_factory=lambda: dict(ISOLATION))
    events: tuple[Event, ...] = ()
    split: str = "validation"
    intent: bool = True
    closed: bool = True
    renumber: bool = True  # False: events keep the `seq` that `edit_log` leaves them
    edit_log: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] | None = None
    edit_rows: Edit | None = None
    edit_intent: Edit | None = None
    edit_record: Edit | None = None
    edit_summary: Edit | None = None
    files: Mapping[str, bytes] = {}


EMPTY_RUN = RunScript(tasks=())
"""A declared run to which tasks are still to be given."""


def with_changes(script: TaskScript, **changes: Any) -> TaskScript:
    """The same task with these fields changed."""
    return msgspec.structs.replace(script, **changes)


def with_turn(script: TaskScript, turn: Turn, *, at: int = -1) -> TaskScript:
    """The same task with one more turn in its first attempt: by default just before its last."""
    first, *others = script.attempts
    turns = list(first.turns)
    turns.insert(len(turns) + at if at < 0 else at, turn)
    return with_changes(script, attempts=(msgspec.structs.replace(first, turns=tuple(turns)), *others))
