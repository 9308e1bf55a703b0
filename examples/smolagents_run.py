"""Record an agent of smolagents as a run that can be audited, submitted and verified: see docs/recording.md.

pip install 'gaia-harness[run]' smolagents
python smolagents_run.py runs/smol gpt-4o [--declare]
"""

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import smolagents
from smolagents import ActionStep, AgentMaxStepsError, CodeAgent, OpenAIModel, PlanningStep, Tool, tool
from smolagents.agents import MultiStepAgent

from gaia_harness import AttemptWriter, RunWriter, Selection, live, load_tasks

ADDRESS = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")


class StepRecorder:
    """Listens to an agent and to the agents that it manages, and takes down each step when it has ended.

    What happened inside a step (tools that its code called, steps of managed agents) is kept until then, so that
    everything stands behind the call that it belongs to. Give each agent tools of its own: a tool is watched once.
    """

    def __init__(self, agent: MultiStepAgent) -> None:
        self.attempt: AttemptWriter | None = None
        self._inside: dict[MultiStepAgent, list[Callable[[str | None], None]]] = {}
        self._listen(agent, None)

    def _listen(self, agent: MultiStepAgent, manager: MultiStepAgent | None) -> None:
        self._inside[agent] = []
        for kind in (ActionStep, PlanningStep):
            agent.step_callbacks.register(kind, lambda step: self._ended(step, agent, manager))
        if isinstance(agent, CodeAgent):  # of tools that code calls, the agent's memory has only what the code prints
            for name, each in agent.tools.items():
                if name != "final_answer":
                    self._watch(each, agent)
        for managed in agent.managed_agents.values():
            self._listen(managed, agent)

    def _watch(self, each: Tool, agent: MultiStepAgent) -> None:
        forward = each.forward

        def watched(*args: Any, **named: Any) -> Any:
            given = {name: str(value) for name, value in (dict(zip(each.inputs, args, strict=False)) | named).items()}
            try:
                output = forward(*args, **named)
            except Exception as error:
                self._inside[agent].append(lambda _, said=f"{error}": self._called(each.name, given, said, True))
                raise
            self._inside[agent].append(lambda _: self._called(each.name, given, str(output), False))
            return output

        each.forward = watched

    def _called(self, name: str, given: dict[str, str], said: str, failed: bool) -> None:
        self.attempt.tool_result(said, call_id=self.attempt.tool_call(name, given), is_error=failed)

    def _ended(self, step: ActionStep | PlanningStep, agent: MultiStepAgent, manager: MultiStepAgent | None) -> None:
        inside, self._inside[agent] = self._inside[agent], []
        if manager is None:
            self._take(step, inside, is_top=True)
            return

        def take(call_id: str | None) -> None:
            with self.attempt.sub_agent(agent.name, call_id=call_id):
                self._take(step, inside, is_top=False)

        self._inside[manager].append(take)

    def _take(self, step: ActionStep | PlanningStep, inside: list[Callable[[str | None], None]], is_top: bool) -> None:
        attempt, usage = self.attempt, step.token_usage
        tokens = {} if usage is None else {"tokens_in": usage.input_tokens, "tokens_out": usage.output_tokens}
        if isinstance(step, PlanningStep):
            attempt.llm_call(step.plan, **tokens)
            return
        if step.step_number == 1:
            for message in step.model_input_messages or ():
                attempt.prompt(text_of(message.content), role="system" if message.role == "system" else "user")
        if isinstance(step.error, AgentMaxStepsError):  # the model was asked for an answer at last
            attempt.llm_call(text_of(step.action_output), **tokens)
            if is_top:
                attempt.answer(text_of(step.action_output), is_step=False)
            return
        if step.model_output_message is None:
            return  # the model could not be asked: the agent raises
        attempt.llm_call(text_of(step.model_output), **tokens)
        calls = [attempt.tool_call(name, given, call_id=call_id) for call_id, name, given in calls_of(step)]
        last = calls[-1] if calls else None
        for take in inside:
            take(last)
        seen = "\n".join(filter(None, (step.observations, None if step.error is None else str(step.error))))
        if last is None:
            attempt.prompt(seen)  # what smolagents says of a reply without a call
        else:
            attempt.tool_result(seen, call_id=last, is_error=step.error is not None)
        if is_top and step.is_final_answer:
            attempt.answer(str(step.action_output), call_id=last)


def calls_of(step: ActionStep) -> Iterator[tuple[str, str, Any]]:
    """The calls of a step; of a call that failed the model's message alone knows."""
    if step.tool_calls:
        for call in step.tool_calls:
            yield call.id, call.name, call.arguments
    else:
        for call in step.model_output_message.tool_calls or ():
            yield call.id, call.function.name, call.function.arguments


def text_of(content: Any) -> str:
    """The text of a message, which may be a list of parts."""
    if isinstance(content, list):
        return "\n".join(part.get("text") or f"[{part['type']}]" for part in content)
    return "" if content is None else str(content)


def record(out: str, agent: MultiStepAgent, tasks: Any, tools: dict[str, Any], *, declare: bool = False) -> RunWriter:
    """Let the agent work on the tasks, and write down how. Called again with the same folder, it goes on."""
    origin = live(
        f"smolagents {smolagents.__version__}",
        tools={"python_interpreter": "code", "final_answer": "answer", **tools},
        unknown=["context_sha256"],
    )
    recorder = StepRecorder(agent)
    with RunWriter(
        out,
        dataset=tasks,
        model=f"openai/{agent.model.model_id}",
        origin=origin,
        declare=declare,
        resume=True,
        address=ADDRESS,
        isolation="smolagents' own interpreter, in the agent's process",
    ) as run:
        for task in run.tasks:
            with run.attempt(task) as recorder.attempt:
                agent.run(task.question)
    return run


@tool
def light_heights(isles: str) -> str:
    """Looks up how tall the towers of the lights of some isles are.

    Args:
        isles: The name of the isles.
    """
    return f"{isles}: Weeping Rock 44 m, Long Sallow 31 m, Pinch Beacon 7 m."


if __name__ == "__main__":
    keeper = CodeAgent(tools=[light_heights], model=OpenAIModel(sys.argv[2], api_base=ADDRESS), verbosity_level=0)
    some = load_tasks("demo", selection=Selection(first=1, last=2))
    summary = record(sys.argv[1], keeper, some, {"light_heights": "search"}, declare="--declare" in sys.argv).summary
    print(f"{summary.finished} of {summary.total} tasks recorded, {summary.passed} right")
