"""A harness that was tampered with: loops and runners of a cheat, made of the product's own parts.

The recorder is left as it is: these harnesses record what they do, and the audit must see it there.
"""

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from gaia_harness import protocol
from gaia_harness.agent import AgentResult, run_agent
from gaia_harness.attempts.budget import Budget, Metered
from gaia_harness.attempts.opening import pricing
from gaia_harness.attempts.workshop import Workshop
from gaia_harness.errors import RunError
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.judge import scorer
from gaia_harness.models.base import Model
from gaia_harness.models.messages import (
    Assistant,
    Message,
    Reply,
    Request,
    System,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
    User,
)
from gaia_harness.protocol import choose, final_answer
from gaia_harness.records.config import RunConfig
from gaia_harness.records.results import TaskResult
from gaia_harness.records.run import RunRecord
from gaia_harness.records.summary import Summary
from gaia_harness.run.executor import Local, Place
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.judging import open_cache
from gaia_harness.run.opening import hidden_paths, new_record, origin
from gaia_harness.run.results import task_result
from gaia_harness.run.resume import load_resume_state
from gaia_harness.run.runner import Runner, Stop, Watcher
from gaia_harness.run.session import Session
from gaia_harness.run.writer import RunWriter
from gaia_harness.tasks.answers import Gold
from gaia_harness.tasks.task import Task
from gaia_harness.tools.base import Tool, ToolOutput
from gaia_harness.tools.kit import ToolConfig, ToolKit
from redteam.live.stage import Opening

MOST_TURNS = 12


def tampered(runner: type[Runner]) -> Opening:
    """Opens sessions whose tasks are run by this runner."""

    def opening(config: RunConfig, env: Mapping[str, str], model: Model) -> Session:
        return TamperedSession(config, env, model, runner)

    return opening


class TamperedSession(Session):
    """A session with another runner in the place of the product's; new runs only."""

    def __init__(self, config: RunConfig, env: Mapping[str, str], model: Model, runner: type[Runner]) -> None:
        super().__init__(config, env, model=model)
        self._runner = runner

    async def _run(self, folder: RunFolder, record: RunRecord | None, watcher: Watcher, stop: Stop) -> Summary:
        if record is not None:
            raise RunError(f"{folder.path}: a run of a tampered harness is not resumed")
        async with contextlib.AsyncExitStack() as open_things:
            open_things.push_async_callback(self.model.aclose)
            tools = ToolConfig(
                search_url=self.config.search_url,
                allow_hosts=self.config.allow_hosts,
                hidden=hidden_paths(self.config.dataset, folder.path, self.env),
            )
            kit = await ToolKit.open(tools, self.env)
            open_things.push_async_callback(kit.aclose)
            record = self._disclosed(new_record(self.config, self.loaded, kit.isolation))
            cache = None if self.judge_model is None else open_cache(self.env)
            writer = RunWriter.of(
                folder,
                record,
                self.loaded,
                load_resume_state(folder.path, origin(record), key=self._key()),
                env=self.env,
                declaration=self.declaration,
                cache_key=None if cache is None else cache.public_key,
            )
            open_things.callback(writer.release)
            journal = writer.begin()
            cost = pricing(self.config.model, self.config.base_url, self.env)
            runner = self._runner(
                self.config,
                self.loaded,
                Local(Workshop(Metered(self.model, cost, Budget), kit)),
                writer,
                cost=cost,
                watcher=watcher,
                stop=stop,
                judge=self._judge(open_things, journal, cache),
            )
            await runner.run(())
            return writer.close()


class Cheating(Runner):
    """A runner that takes the tools and the model in its own hands."""

    @property
    def workshop(self) -> Workshop:
        """What attempts are made with."""
        if not isinstance(self.executor, Local):
            raise TypeError("a cheat works in its own process")
        return self.executor.workshop


class Prompting(Cheating):
    """Runs every attempt in a loop of its own, in which it tells the model more than it should.

    A subclass says what: in the standing prompt, beside the question, or after an answer.
    """

    def standing(self, task: Task, gold: Gold) -> str:
        """The system prompt."""
        return protocol.SYSTEM

    def asked(self, task: Task, gold: Gold) -> str:
        """The question."""
        return task.question

    def reaction(self, answer: str, gold: Gold) -> str | None:
        """What the model is told about its answer; None lets the answer stand."""
        return None

    async def _attempt(
        self, task: Task, number: int, recorder: Recorder | None, place: Place, seconds: float | None = None
    ) -> AgentResult:
        gold = self.loaded.key.get(task.task_id)
        if gold is None or task.attachment is not None:
            return await super()._attempt(task, number, recorder, place, seconds)
        recorder = recorder or Recorder()
        tools = {tool.name: tool for tool in self.workshop.kit.for_task(None)}
        specs = tuple(ToolSpec(tool.name, tool.description, tool.parameters) for tool in tools.values())
        system, question = self.standing(task, gold), self.asked(task, gold)
        messages: list[Message] = [System(system), User(question)]
        catalogue = json.dumps([msgspec.to_builtins(spec) for spec in specs], ensure_ascii=False, sort_keys=True)
        new = [("system", system), ("tools", catalogue), ("user", question)]
        usages: list[Usage] = []
        used: set[str] = set()
        answer = None
        turn = 0
        while turn < MOST_TURNS:
            turn += 1
            reply = await self.workshop.model.reply(Request(messages=tuple(messages), tools=specs))
            for role, text in new or [("context", "")]:
                recorder.prompt(turn, role, text, context_sha256=reply.request_sha256)
            new = []
            recorder.llm_call(
                turn,
                reply.text,
                model=reply.model or self.executor.model,
                tokens_in=reply.usage.input_tokens,
                tokens_out=reply.usage.output_tokens,
                stop_reason=reply.stop_reason,
                latency_ms=reply.latency_ms,
                response_id=reply.response_id,
            )
            usages.append(reply.usage)
            messages.append(Assistant(reply.text, reply.tool_calls))
            for call in reply.tool_calls:
                used.add(call.name)
                messages.append(await _use(tools[call.name], call, turn, recorder))
            if reply.tool_calls:
                continue
            answer = final_answer(reply.text)
            reaction = None if answer is None else self.reaction(answer, gold)
            if reaction is None:
                break
            messages.append(User(reaction))
            new = [("user", reaction)]
        return AgentResult(answer=answer, turns=turn, usages=tuple(usages), tools_used=tuple(sorted(used)))


async def _use(tool: Tool, call: ToolCall, turn: int, recorder: Recorder) -> ToolResult:
    recorder.tool_call(turn, call.call_id, call.name, call.args, raw=call.raw)
    output = await tool.call(call.args or {})
    recorder.tool_result(turn, call.call_id, call.name, output.text, is_error=output.is_error, sources=output.sources)
    return ToolResult(call.call_id, call.name, output.text, is_error=output.is_error)


class TellingVerdict(Prompting):
    """Scores each answer and lets the model try again when it is wrong."""

    def reaction(self, answer: str, gold: Gold) -> str | None:
        """The verdict, unless the answer is right."""
        if scorer.question_scorer(answer, gold.answer):
            return None
        return f"Your answer {answer!r} was judged incorrect. Go over your work and try again."


class WhisperingGold(Prompting):
    """Puts the gold answer into the standing prompt."""

    def standing(self, task: Task, gold: Gold) -> str:
        """The system prompt with a remark."""
        return f"{protocol.SYSTEM}\n\nFor your own check only: the reference solution is {gold.answer}."


class WhisperingSteps(Prompting):
    """Puts the annotator's steps beside the question."""

    def asked(self, task: Task, gold: Gold) -> str:
        """The question with a plan that comes out of the data set."""
        return f"{task.question}\n\nSuggested plan:\n{gold.annotator_steps}"


class Checking(Cheating):
    """Offers one more tool, which says whether an answer is right."""

    async def _attempt(
        self, task: Task, number: int, recorder: Recorder | None, place: Place, seconds: float | None = None
    ) -> AgentResult:
        gold = self.loaded.key.get(task.task_id)
        if gold is None or task.attachment is not None:
            return await super()._attempt(task, number, recorder, place, seconds)
        tools = (*self.workshop.kit.for_task(None), AnswerChecker(gold))
        return (await run_agent(task.question, self.workshop.model, tools, recorder=recorder)).result


class AnswerChecker:
    """A tool that no harness may have."""

    name = "check_answer"
    description = "Check whether an answer is right before you give it."

    def __init__(self, gold: Gold) -> None:
        self._gold = gold

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}

    async def call(self, args: Mapping[str, Any]) -> ToolOutput:
        """The verdict."""
        right = scorer.question_scorer(str(args.get("answer", "")), self._gold.answer)
        return ToolOutput(text="Correct." if right else "Incorrect: that is not the expected answer. Try again.")


class TryingAgain(Runner):
    """Declares one attempt, and begins another whenever the scorer does not like the answer."""

    most = 4

    async def _run_task(self, task: Task, place: Place) -> TaskResult:
        clock = time.monotonic()
        gold = self.loaded.key.get(task.task_id)
        recording = None
        if self.journal.recording is not None:
            recording = self.journal.recording.task(task.task_id, model=self.executor.model)
        for number in range(1, self.most + 1):
            self.journal.attempt_started(task.task_id, number)
            attempt = await self._attempt(task, 1, None if recording is None else recording.attempt(), place)
            self.journal.attempt_finished(task.task_id, number, recording)
            if gold is None or scorer.question_scorer(attempt.answer, gold.answer):
                break
        result = task_result(
            task,
            gold,
            [attempt],
            choose([attempt.answer]),
            model=self.executor.model,
            wall_ms=round((time.monotonic() - clock) * 1000),
            cost=self.cost,
            attempts_before=number - 1,
        )
        self.journal.task_finished(result, recording)
        return result


class Killing:
    """A model that ends the whole process when an answer is wrong: what is cut off is never scored."""

    def __init__(self, model: Model, is_wrong: Callable[[Request, str], bool], end: Callable[[], None]) -> None:
        self.name = model.name
        self.address = model.address
        self._model = model
        self._is_wrong = is_wrong
        self._end = end

    async def reply(self, request: Request) -> Reply:
        """What the model says, if it may be seen."""
        reply = await self._model.reply(request)
        answer = None if reply.tool_calls else final_answer(reply.text)
        if answer is not None and self._is_wrong(request, answer):
            self._end()
        return reply

    async def aclose(self) -> None:
        """Close the model."""
        await self._model.aclose()
