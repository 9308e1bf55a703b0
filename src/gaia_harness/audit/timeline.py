"""The timeline of a task: every text that was given, said, asked for or heard, in order. All checks read this.

Each text has an origin, which the recorder knows and nobody guesses from wording:

- given: prompts, the tool catalogue, memory, and whatever else the scaffold put before the model
- said: the model's replies and thoughts, what an agent in a box printed, and an answer that was handed in
- asked: the arguments of a tool call
- heard: what the tool gave back
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Literal

import msgspec

from gaia_harness.audit.texts import Texts, in_step
from gaia_harness.evidence.wording import reduce
from gaia_harness.protocol import AGENT_PROGRAM, AGENT_SAYS, OWN_ROLES, WORKING_FOLDER, ToolRole
from gaia_harness.records.origin import Origin as RunOrigin
from gaia_harness.records.origin import in_a_box
from gaia_harness.records.steps import Prompt, Step, ToolCallStep, ToolResultStep

Origin = Literal["given", "said", "asked", "heard"]

_BY_NAME: tuple[tuple[re.Pattern[str], ToolRole], ...] = (
    (re.compile(r"final_?answer|submit"), "answer"),
    (re.compile(r"agent|delegate|handoff|transfer_to|researcher|research_team"), "delegate"),
    (re.compile(r"image|picture|vision|visual|audio|speech|video"), "look"),
    (re.compile(r"memor|recall|conversation|notes?(?![a-z])"), "other"),
    (re.compile(r"search"), "search"),
    (re.compile(r"python|code|jupyter|interpreter|notebook|repl|bash|shell|terminal|command|exec"), "code"),
    (re.compile(r"visit|browse|fetch|url|web|http|page"), "fetch"),
    (re.compile(r"read|file|open|inspect|view|document"), "read"),
)
"""The role of a tool that the run does not declare, by its name. A run that declares its tools is never guessed at."""


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for all tasks of a run: the roles of its tools, the agent's folder, names of attached files.

    `boxed`: the agent was a program in a box, of which every page is on record by itself. `imported`: the run is from
    another program's log, which may lack things.
    """

    tools: Mapping[str, ToolRole] = {}
    workdir: str = WORKING_FOLDER
    attachments: tuple[str, ...] = ()
    boxed: bool = False
    imported: bool = False

    @classmethod
    def of(cls, origin: RunOrigin | msgspec.UnsetType) -> "Surroundings":
        """As a run declares them. Our own loop has a fixed set of tools and one folder."""
        if isinstance(origin, msgspec.UnsetType):
            return cls(tools=OWN_ROLES)
        return cls(
            tools=origin.tools,
            workdir=origin.workdir or WORKING_FOLDER,
            attachments=origin.attachments or (),
            boxed=in_a_box(origin),
            imported=origin.kind == "imported",
        )

    def role(self, tool: str) -> ToolRole:
        """What a tool does."""
        if tool in self.tools:
            return self.tools[tool]
        return next((role for pattern, role in _BY_NAME if pattern.search(tool.lower())), "other")


class Moment(msgspec.Struct, dict=True, eq=False):
    """One text of a task. `call` is the call that a result answers; `result` what answered a call, if anything did."""

    origin: Origin
    index: int  # among the steps of the task
    step: Step
    role: ToolRole  # of the tool; `other` for what no tool has to do with
    texts: Texts
    call: ToolCallStep | None = None
    result: ToolResultStep | None = None

    @cached_property
    def text(self) -> str:
        """All that is kept of it."""
        return "\n".join(strings(self.step.args)) if isinstance(self.step, ToolCallStep) else self.texts.of(self.step)

    @property
    def whole(self) -> bool:
        """Whether that is all there was of it."""
        if type(self.step) is not ToolResultStep or not self.step.truncated:
            return True
        return self.step.body and self.text != in_step(self.step)

    @cached_property
    def words(self) -> bytes:
        """The text as lower-case words between single spaces."""
        return reduce(self.text)

    @cached_property
    def outside(self) -> bool:
        """Whether others wrote it: a search or a page, or what a tool that runs no code made of an address."""
        if self.role in ("look", "read", "other") and self.call is not None:
            return any("://" in each for each in strings(self.call.args))
        return self.role in ("search", "fetch")


def moments(steps: Sequence[Step], around: Surroundings, texts: Texts) -> tuple[Moment, ...]:
    """The timeline of a task: its steps with their origins, calls and results joined by id within an attempt."""
    found: list[Moment] = []
    calls: dict[tuple[int, str], tuple[ToolCallStep, Moment]] = {}
    for index, step in enumerate(steps):
        if type(step) is ToolCallStep:
            moment = Moment("asked", index, step, around.role(step.name), texts)
            calls[step.attempt, step.call_id] = step, moment
        elif type(step) is ToolResultStep:
            call, asked = calls.get((step.attempt, step.call_id), (None, None))
            origin: Origin = "said" if _own_words(step, call) else "heard"
            moment = Moment(origin, index, step, around.role(step.name), texts, call)
            if asked is not None:
                asked.result = asked.result or step
        else:
            moment = Moment("given" if type(step) is Prompt else "said", index, step, "other", texts)
        found.append(moment)
    return tuple(found)


def _own_words(step: ToolResultStep, call: ToolCallStep | None) -> bool:
    """Whether a result is what an agent in a box printed or said; in a box, nobody else's call has such an id."""
    if not step.call_id.startswith(step.name):
        return False
    args = None if call is None else call.args
    of_tool = type(args) is dict and args.get("kind") == "tool_call"  # then it tells what a tool gave back
    return step.name == AGENT_PROGRAM or (step.name == AGENT_SAYS and not of_tool)


def by_attempt(timeline: Sequence[Moment]) -> Iterator[tuple[int, tuple[Moment, ...]]]:
    """The moments of each attempt: what one attempt has met is unknown to the next."""
    for attempt, group in groupby(timeline, key=lambda moment: moment.step.attempt):
        yield attempt, tuple(group)


def strings(value: object) -> list[str]:
    """All texts and numbers in the arguments of a call, at any depth; the first 10,000 of them."""
    found: list[str] = []
    left = [value]
    while left and len(found) < 10_000:
        each = left.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, int | float) and not isinstance(each, bool):
            found.append(str(each))
        elif isinstance(each, dict):
            left += reversed(each.values())
        elif isinstance(each, list | tuple):
            left += reversed(each)
    return found
