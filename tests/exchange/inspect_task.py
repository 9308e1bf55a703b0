"""An eval of Inspect over tasks of the demo, with a scripted model, tools, a sub-agent and a grader."""

import os
import sys
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.agent import Agent, AgentSubmit, agent, as_tool, react
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match, model_graded_qa
from inspect_ai.tool import Tool, tool

import gaia_harness as gaia

LOADED = gaia.load_tasks("demo", selection=gaia.Selection(first=1, last=3), env={})
GOLDS = {task.task_id: LOADED.key.get(task.task_id).answer for task in LOADED.tasks}
MARK = "only-the-grader-is-shown-this"
MODEL = "mockllm/model"


@tool
def open_page() -> Tool:
    async def execute(page: str) -> str:
        """Open a page.

        Args:
            page: Its name.
        """
        if page == "die":
            os.kill(os.getpid(), 9)
        if page == "break":
            broken.append(page)
            if len(broken) == 1:
                raise ConnectionError("the line is dead")
        return "lots of words " * 3000 if page == "long" else f"This is the page {page}."

    return execute


broken: list[str] = []


@agent(description="Reads pages.")
def reader() -> Agent:
    return react(prompt="You read pages.", tools=[open_page()])


def call(name: str, arguments: dict[str, Any], said: str = "") -> ModelOutput:
    output = ModelOutput.for_tool_call(MODEL, name, arguments, content=said)
    output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
    return output


def model_of(pages: list[str], answers: dict[str, str]) -> Any:
    """For each task: the reader is asked, pages are opened, the answer is handed in. The grader is content."""

    def reply(messages: list[ChatMessage], tools: Any, choice: Any, config: Any) -> ModelOutput:
        asked = "".join(message.text for message in messages if message.role == "user")
        done = sum(message.role == "assistant" for message in messages)
        if MARK in asked:
            output = ModelOutput.from_content(MODEL, "GRADE: C")
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return output
        if "You read pages." in messages[0].text:
            return call("open_page", {"page": "inner"}) if done == 0 else call("submit", {"answer": "it is a page"})
        task = next(task for task in LOADED.tasks if task.question in asked)
        is_last = task is LOADED.tasks[-1]
        plan = [call("reader", {"input": "Read it."}, "I ask the reader.")]
        plan += [call("open_page", {"page": page}) for page in pages if is_last or page not in ("die", "long", "break")]
        plan.append(call("submit", {"answer": answers[task.task_id]}, f"So it is {answers[task.task_id]}."))
        return plan[done]

    return get_model(MODEL, custom_outputs=reply, memoize=False)


def orrel(pages: list[str], answers: dict[str, str] | None = None, *, named: bool = True, tasks: int = 3) -> Task:
    return Task(
        name="orrel",
        dataset=[
            Sample(id=task.task_id if named else number, input=task.question, target=[GOLDS[task.task_id], MARK])
            for number, task in enumerate(LOADED.tasks[:tasks], start=1)
        ],
        solver=react(
            prompt="You answer questions.",
            tools=[open_page(), as_tool(reader())],
            submit=AgentSubmit(answer_only=True, keep_in_messages=True),
        ),
        scorer=[match(), model_graded_qa(partial_credit=False)],
        model=model_of(pages, answers or GOLDS),
    )


def run(task: Task, folder: Any, **options: Any) -> EvalLog:
    [log] = eval(task, log_dir=str(folder), display="none", **options)
    return log


if __name__ == "__main__":  # folder, pages
    run(orrel(sys.argv[2:]), sys.argv[1], max_samples=1)
