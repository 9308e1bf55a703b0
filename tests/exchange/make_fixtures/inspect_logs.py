"""Makes the Inspect logs in tests/exchange/fixtures, with Inspect itself and a scripted model.

Usage: python tests/exchange/make_fixtures/inspect_logs.py     (needs inspect_ai)

Two fictional tasks, two epochs, tools, sub-agents, an output that Inspect cuts, and an epoch with a wrong answer.
"""

import contextlib
import shutil
import tempfile
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.agent import Agent, AgentPrompt, AgentSubmit, agent, as_tool, handoff, react
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, model_graded_qa, scorer
from inspect_ai.solver import TaskState
from inspect_ai.tool import Tool, bash, tool

FIXTURES = Path(__file__).parents[1] / "fixtures"

WRAPPING = """Please answer the question below. You should:

- Return only your answer, which should be a number, or a short phrase with as few words as possible.

{file}

Here is the question:

{question}"""

FILE = (
    "The following file is referenced in the question below and you will likely need to use it in order to find the "
    "correct answer: /shared_files/merrow-ferry.txt"
)

LIGHT = "In which year was the lighthouse of Port Merrow lit for the first time?"
FERRY = "How many ferries leave Port Merrow on a Sunday, by the attached table?"


@tool
def archive_search() -> Tool:
    async def execute(query: str) -> str:
        """Search the archive of Port Merrow.

        Args:
            query: What to look for.
        """
        return f"1. The lighthouse book\n   The lamp was lit on 3 May 1871, says the keeper's book. ({query})"

    return execute


@tool
def broken_lamp() -> Tool:
    async def execute(room: int) -> str:
        """Look at a lamp.

        Args:
            room: Which one.
        """
        raise ValueError("unreachable: it is called with wrong arguments")

    return execute


@agent(description="Knows the keeper's books and answers questions about them.")
def keeper() -> Agent:
    return react(prompt="You are the keeper of the books.", tools=[archive_search()])


@agent(description="Knows the ferries of Port Merrow.")
def ferryman() -> Agent:
    return react(prompt="You are the ferryman.", tools=[bash()], submit=False)


def call(name: str, arguments: dict[str, object], said: str = "", thought: str = "") -> ModelOutput:
    output = ModelOutput.for_tool_call("mockllm/model", name, arguments, content=said)
    if thought:
        message = output.choices[0].message
        output.choices[0].message = ChatMessageAssistant(
            content=[ContentReasoning(reasoning=thought), ContentText(text=said)],
            tool_calls=message.tool_calls, model="mockllm/model", source="generate",
        )  # fmt: skip
    output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=125, input_tokens_cache_read=5)
    return output


def said(text: str) -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
    return output


def light(answer: str) -> list[ModelOutput]:
    return [
        call("keeper", {"input": "When was the lamp first lit?"}, "I ask the keeper.", "The keeper has the books."),
        call("archive_search", {"query": "lamp first lit"}, "I look into the archive."),
        call("submit", {"answer": "3 May 1871"}),
        call("broken_lamp", {"room": "not a number"}, "Let me look at the lamp."),
        call("submit", {"answer": answer}, "The keeper's book says so."),
        said("GRADE: C"),
    ]


def ferry() -> list[ModelOutput]:
    return [
        call("transfer_to_ferryman", {}, "The ferryman knows."),
        call("bash", {"command": "seq 1 5000"}, "I list the ferries."),
        said("There are 7 ferries on a Sunday."),
        said("I have no tool left to use."),
        call("submit", {"answer": "7"}),
        said("GRADE: C"),
    ]


@scorer(metrics=[accuracy()])
def exact() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        right = answer == target[0]
        return Score(value=CORRECT if right else INCORRECT, answer=answer, explanation=f"It is {target.text}.")

    return score


def port_merrow() -> Task:
    return Task(
        name="port_merrow",
        dataset=[
            Sample(
                id="merrow-light", input=WRAPPING.format(file="", question=LIGHT), target=["1871", "GOLD"],
                metadata={"level": 1, "Annotator Metadata": {"Steps": "GOLD in three steps"}},
            ),
            Sample(
                id="merrow-ferry", input=WRAPPING.format(file=FILE, question=FERRY), target="7",
                metadata={"level": 1, "Annotator Metadata": {"Steps": "GOLD in three steps"}},
                files={"/tmp/shared_files/merrow-ferry.txt": "Sunday: 7"},
            ),
        ],
        solver=react(
            prompt=AgentPrompt(instructions="You answer questions about Port Merrow.", assistant_prompt=None),
            tools=[as_tool(keeper()), handoff(ferryman()), broken_lamp()],
            submit=AgentSubmit(answer_only=True, keep_in_messages=True),
        ),
        scorer=[exact(), model_graded_qa()],
        sandbox="local",
    )  # fmt: skip


def main() -> None:
    outputs = [*light("1871"), *ferry(), *light("1872"), *ferry()]  # the second epoch behind the first
    model = get_model("mockllm/model", custom_outputs=outputs)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # the log names folder and repository
        [log] = eval(
            port_merrow(),
            model=model,
            epochs=2,
            log_dir=folder,
            log_format="eval",
            max_samples=1,
            display="none",
            log_model_api=False,
        )
        assert log.status == "success", log.error
        shutil.copyfile(log.location, FIXTURES / "inspect.eval")
        full = read_eval_log(log.location)
        full.samples = [sample for sample in full.samples or [] if (sample.id, sample.epoch) == ("merrow-light", 2)]
        write_eval_log(full, str(FIXTURES / "inspect.json"))


if __name__ == "__main__":
    main()
