"""Trajectories in Harbor's Agent Trajectory Interchange Format, versions 1.4 to 1.8: one file per task-run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gaia_harness.exchange.atif_extra import KEY, OfCall, OfResult, OfStep, OfTrajectory, text_sha256
from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun, NeutralStep
from gaia_harness.protocol import ToolRole

NAME = "atif"

VERSIONS = tuple(f"ATIF-v1.{minor}" for minor in range(4, 9))
MOST_FILES = 200
"""Of one task-run: continuations, and sub-agents in files of their own."""

NO_ANSWER = "the answer that was handed in is not in the trajectory"

_DEEPEST = 20
_HEAD = re.compile(rb'\s*\{\s*"(schema_version|session_id|trajectory_id|agent)"\s*:')
_VERSION = re.compile(rb'"schema_version"\s*:\s*"ATIF-v\d+\.\d+"')

_SHELL: dict[str, ToolRole] = {"bash": "code", "bash_command": "code", "shell": "code", "exec_command": "code"}
_OF_AGENT: dict[str, dict[str, ToolRole]] = {
    "claude-code": {
        "Bash": "code", "WebSearch": "search", "WebFetch": "fetch", "Read": "read", "Grep": "read", "Glob": "read",
        "Task": "delegate",
    },
    "codex": {**_SHELL, "web_search": "search", "view_image": "look"},
    "gemini-cli": {
        "run_shell_command": "code", "google_web_search": "search", "web_fetch": "fetch", "read_file": "read",
        "read_many_files": "read", "search_file_content": "read",
    },
    "mini-swe-agent": _SHELL,
    "terminus-2": _SHELL,
}  # fmt: skip
"""The tools of the agents that Harbor itself writes trajectories of, by what their documentation says."""

Extra = TypeVar("Extra", OfTrajectory, OfStep, OfCall, OfResult)


def inputs(path: Path) -> Sequence[InputFile]:
    """The file; of a folder, its trajectories at any depth, but for those that belong to another one or to Harbor."""
    if path.is_file():
        return [InputFile(str(path), path)]
    found = []
    for one in sorted(path.rglob("*.json")):
        first = one.name.split(".")[0]
        part = one.name != f"{first}.json" and one.with_name(f"{first}.json").exists()  # trajectory.cont-1.json
        trial = one.parent.name == "agent" and (one.parent.parent / "result.json").exists()
        if one.is_file() and not part and not trial:
            found.append(InputFile(str(one), one))
    return [file for file in found if detect(file)]


def detect(file: InputFile) -> bool:
    """Whether it is an object that states a version of ATIF near its beginning."""
    try:
        head = file.head()
    except OSError:
        return False
    return _HEAD.match(head) is not None and _VERSION.search(head) is not None


def read(file: InputFile, on_fault: OnFault) -> Iterator[NeutralRun]:
    """The one task-run that it is."""
    try:
        run = trajectory(file)
    except ImportRefused as error:
        on_fault(error)
    else:
        yield run


def trajectory(file: InputFile) -> NeutralRun:
    """The task-run in a file of this format, with what it refers to beside it."""
    story = _Story(file)
    story.tell_root()
    extra, agent = story.own, story.agent
    if extra.answer is None:
        story.gaps.add(NO_ANSWER)
    return NeutralRun(
        steps=tuple(story.steps),
        task_id=extra.task_id,
        question=extra.question if extra.question is not None or extra.task_id is not None else story.asked,
        run=extra.run or file.path.resolve().parent.name or "run",
        model=agent.get("model_name"),
        answer=extra.answer,
        attempt=extra.attempt,
        correct=extra.correct,
        error=extra.error,
        tools={**story.tools, **extra.tools},
        workdir=extra.workdir,
        attachments=extra.attachments,
        isolation=extra.isolation,
        gaps=tuple(sorted({*story.gaps, *extra.gaps})),
    )


class _Story:
    """Trajectories told as steps, each once."""

    def __init__(self, file: InputFile) -> None:
        self._file = file
        self.name = file.name
        self.steps: list[NeutralStep] = []
        self.tools: dict[str, ToolRole] = {}
        self.gaps: set[str] = set()
        self.asked: str | None = None
        self.agent: dict[str, Any] = {}
        self.own = OfTrajectory()
        self._read: set[str] = set()
        self._calls: dict[str, int] = {}

    def tell_root(self) -> None:
        """The file itself and what continues it."""
        value = self._load(self._file)
        self.agent = self._agent(value, "")
        self.own = self.ours(value, OfTrajectory, "")
        first = True
        while True:
            self._tell(value, "", None, None, 0, continued=not first)
            following = _text_or_none(value, "continued_trajectory_ref", self._file.name)
            if following is None:
                return
            file = self._beside(following)
            if file is None:
                self.gaps.add(f"the trajectory goes on in {following!r}, which is not here")
                return
            value, first = self._load(file), False

    def _beside(self, name: str) -> InputFile | None:
        """A file in the folder of this one; none where it is elsewhere, missing, or was read before."""
        if Path(name).name != name or name in self._read or name in ("", ".", ".."):
            return None
        path = self._file.path.with_name(name)
        if path.is_symlink() or not path.is_file():
            return None
        return InputFile(str(Path(self._file.name).with_name(name)), path)

    def _load(self, file: InputFile) -> dict[str, Any]:
        self._read.add(file.path.name)
        if len(self._read) > MOST_FILES:
            raise ImportRefused(f"{self._file.name}: goes on in more than {MOST_FILES} files")
        value = file.json()
        if not isinstance(value, dict):
            raise ImportRefused(f"{file.name}: not a trajectory: not an object")
        version = value.get("schema_version")
        if version not in VERSIONS:
            raise ImportRefused(
                f"{file.name}: schema_version is {str(version)[:40]!r}; read are {VERSIONS[0]} to {VERSIONS[-1]}"
            )
        return value

    def _agent(self, value: Mapping[str, Any], where: str) -> dict[str, Any]:
        agent = value.get("agent")
        if not isinstance(agent, dict) or not isinstance(agent.get("name"), str):
            raise self.fault(where, "agent.name is missing or not text")
        if not isinstance(agent.get("model_name"), str | None):
            raise self.fault(where, "agent.model_name is not text")
        return agent

    def _tell(
        self,
        value: Mapping[str, Any],
        where: str,
        agent: str | None,
        parent: str | None,
        depth: int,
        *,
        continued: bool,
    ) -> None:
        if depth > _DEEPEST:
            raise self.fault(where, f"sub-agents nested deeper than {_DEEPEST}")
        config = self._agent(value, where)
        embedded = {}
        for number, inner in enumerate(_list(value, "subagent_trajectories", where, self), 1):
            if not isinstance(inner, dict) or not isinstance(inner.get("trajectory_id"), str):
                raise self.fault(f"{where}subagent_trajectories {number}: ", "trajectory_id is missing or not text")
            embedded[inner["trajectory_id"]] = inner
        teller = _Steps(self, config, agent, parent, depth, embedded)
        for number, step in enumerate(_list(value, "steps", where, self), 1):
            place = f"{where}step {number}: "
            if not isinstance(step, dict):
                raise self.fault(place, "not an object")
            if step.get("is_copied_context") is True and continued:
                continue  # told where it happened
            teller.step(step, place)
        for name in list(embedded):  # those that no step refers to
            self.sub(embedded.pop(name), f"{where}{name}: ", None, depth)

    def sub(self, value: Mapping[str, Any], where: str, call: str | None, depth: int) -> None:
        name = self._agent(value, where)["name"]
        self._tell(value, where, name, call, depth + 1, continued=False)

    def sub_in_file(self, name: str, where: str, call: str | None, depth: int) -> None:
        """A sub-agent whose trajectory is a file of its own."""
        file = self._beside(name)
        if file is None:
            self.gaps.add("a sub-agent's trajectory is in another file, which is not here")
        else:
            self.sub(self._load(file), f"{name}: ", call, depth)

    def call_id(self, stated: str) -> str:
        """An id of its own for each call: agents may number theirs anew in each trajectory."""
        count = self._calls[stated] = self._calls.get(stated, 0) + 1
        return stated if count == 1 else f"{stated}#{count}"

    def fault(self, where: str, what: str) -> ImportRefused:
        return ImportRefused(f"{self._file.name}: {where}{what}")

    def ours(self, value: Mapping[str, Any], kind: type[Extra], where: str) -> Extra:
        extra = value.get("extra")
        own = extra.get(KEY) if isinstance(extra, dict) else None
        if own is None:
            return kind()
        try:
            return msgspec.convert(own, type=kind)
        except msgspec.ValidationError as error:
            raise self.fault(where, f"extra.{KEY}: {error}") from None

    def text(self, content: Any, where: str) -> str:
        """The words of a message: of parts, those that are text."""
        if content is None or isinstance(content, str):
            return content or ""
        if not isinstance(content, list):
            raise self.fault(where, "a message that is neither text nor a list of parts")
        words = []
        for part in content:
            if not isinstance(part, dict):
                raise self.fault(where, "a part of a message that is not an object")
            if part.get("type") == "text" and isinstance(part.get("text"), str):
                words.append(part["text"])
            elif part.get("type") in ("image", "audio"):
                self.gaps.add("pictures and sounds in messages and results are not taken over")
            else:
                raise self.fault(where, "a part of a message of an unknown type")
        return "\n".join(words)

    def unchanged(self, text: str, stated: str | None, where: str) -> None:
        """Refuses a text that is not the one that we exported."""
        if stated is not None and text_sha256(text) != stated:
            raise self.fault(where, "the text is not the one that was exported: its hash differs")


class _Steps:
    """The steps of one trajectory."""

    def __init__(
        self, story: _Story, config: Mapping[str, Any], agent: str | None, parent: str | None, depth: int,
        embedded: dict[str, Any],
    ) -> None:  # fmt: skip
        self._story = story
        self._config = config
        self._agent = agent
        self._parent = parent
        self._depth = depth
        self._embedded = embedded
        self._roles = _OF_AGENT.get(config["name"]) or _OF_AGENT.get(story.agent["name"], {})

    def step(self, step: Mapping[str, Any], where: str) -> None:
        """Adds what a step tells: a message, calls, and what came back."""
        story = self._story
        source, text = step.get("source"), story.text(step.get("message"), where)
        extra = story.ours(step, OfStep, where)
        story.unchanged(text, extra.text_sha256, where)
        time = _text_or_none(step, "timestamp", story.name, where)
        calls = _list(step, "tool_calls", where, story)
        if extra.type == "answer":
            self._add(type="answer", text=text, time=time)
        elif source in ("system", "user"):
            if source == "user" and story.asked is None and text:
                story.asked = text
            if text:
                self._add(type="prompt", role=extra.role or source, text=text, time=time, cut=extra.cut)
        elif source == "agent":
            if step.get("llm_call_count") == 0:  # done by the agent's program, without a model
                if text:
                    self._add(type="prompt", role="user", text=text, time=time)
            elif text or step.get("reasoning_content") or calls or step.get("metrics"):
                self._said(step, text, extra, time, where)
        else:
            raise story.fault(where, "source is neither system, user nor agent")
        ids = dict(self._call(call, f"{where}tool call {number}: ", time) for number, call in enumerate(calls, 1))
        observation = step.get("observation")
        if observation is not None and not isinstance(observation, dict):
            raise story.fault(where, "observation is not an object")
        results = _list(observation, "results", where, story) if observation else []
        for number, result in enumerate(results, 1):
            self._result(result, ids, f"{where}result {number}: ", alone=len(results) == len(ids) == 1)

    def _add(self, **fields: Any) -> None:
        self._story.steps.append(NeutralStep(agent=self._agent, parent=self._parent, **fields))

    def _said(self, step: Mapping[str, Any], text: str, extra: OfStep, time: str | None, where: str) -> None:
        story, metrics = self._story, step.get("metrics")
        if metrics is not None and not isinstance(metrics, dict):
            raise story.fault(where, "metrics is not an object")
        counts = {}
        for field, key in (("tokens_in", "prompt_tokens"), ("tokens_out", "completion_tokens")):
            count = (metrics or {}).get(key)
            if count is not None and (not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < 2**53):
                raise story.fault(where, f"metrics.{key} is not a count")
            counts[field] = count
        if isinstance(several := step.get("llm_call_count"), int) and several > 1:
            story.gaps.add("some steps stand for several calls of the model, with their tokens in sum")
        model = _text_or_none(step, "model_name", story.name, where) or self._config.get("model_name")
        thoughts = _text_or_none(step, "reasoning_content", story.name, where) or ""
        self._add(
            type="llm_call", text=text, thoughts=thoughts, time=time, model=model, stop_reason=extra.stop_reason,
            cut=extra.cut, **counts,
        )  # fmt: skip

    def _call(self, call: Any, where: str, time: str | None) -> tuple[str, tuple[str, str]]:
        story = self._story
        if not isinstance(call, dict):
            raise story.fault(where, "not an object")
        stated, name, args = (call.get(key) for key in ("tool_call_id", "function_name", "arguments"))
        if not isinstance(stated, str) or not isinstance(name, str) or not isinstance(args, dict):
            raise story.fault(where, "tool_call_id and function_name must be text, and arguments an object")
        extra = story.ours(call, OfCall, where)
        role = story.tools.setdefault(name, self._roles.get(name, "other"))
        url = extra.url or (args.get("url") if role == "fetch" else None)
        own = story.call_id(stated)
        self._add(
            type="tool_call", name=name, call_id=own, args=None if extra.text else args, text=extra.text,
            role=extra.role, url=url if isinstance(url, str) else None, time=extra.time or time,
        )  # fmt: skip
        return stated, (own, name)

    def _result(self, result: Any, ids: Mapping[str, tuple[str, str]], where: str, *, alone: bool) -> None:
        story = self._story
        if not isinstance(result, dict):
            raise story.fault(where, "not an object")
        stated = _text_or_none(result, "source_call_id", story.name, where)
        if stated is not None and stated not in ids:
            raise story.fault(where, f"source_call_id {stated[:80]!r} is none of the step's calls")
        call, name = next(iter(ids.values())) if stated is None and alone else ids.get(stated or "", (None, None))
        refs = result.get("subagent_trajectory_ref")
        for ref in [refs] if isinstance(refs, dict) else refs or []:
            if not isinstance(ref, dict):
                raise story.fault(where, "subagent_trajectory_ref is not an object")
            if name is not None:
                story.tools[name] = "delegate"
            inner = self._embedded.pop(str(ref.get("trajectory_id")), None)
            if inner is not None:
                story.sub(inner, f"{ref['trajectory_id']}: ", call, self._depth)
            elif isinstance(ref.get("trajectory_path"), str):
                story.sub_in_file(ref["trajectory_path"], where, call, self._depth)
            else:
                story.gaps.add("a sub-agent's trajectory is not here")
        text, extra = story.text(result.get("content"), where), story.ours(result, OfResult, where)
        story.unchanged(text, extra.text_sha256, where)
        if call is None:  # what came back without a call: put before the model all the same
            if text:
                self._add(type="prompt", role="user", text=text, time=extra.time, cut=extra.cut)
            return
        self._add(
            type="tool_result", name=name, call_id=call, text=text, is_error=extra.is_error, cut=extra.cut,
            url=extra.url, sources=extra.sources, time=extra.time,
        )  # fmt: skip


def _list(value: Mapping[str, Any], key: str, where: str, story: _Story) -> list[Any]:
    found = value.get(key)
    if found is None and key != "steps":
        return []
    if not isinstance(found, list):
        raise story.fault(where, f"{key} is not a list")
    return found


def _text_or_none(value: Mapping[str, Any], key: str, name: str, where: str = "") -> str | None:
    found = value.get(key)
    if found is not None and not isinstance(found, str):
        raise ImportRefused(f"{name}: {where}{key} is not text")
    return found
