"""The same work in inspect-ai, run by its own environment: `python inspect_loop.py TASKS`. Prints one JSON line."""

import json
import sys
import tempfile
import time

import inspect_ai
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool
from workload import TURNS, pages, questions

PAGES = pages()


@tool
def look():
    async def execute(text: str) -> str:
        """Look something up.

        Args:
            text: What to look up.
        """
        return PAGES[hash(text) % len(PAGES)]

    return execute


def answer(messages, tools, tool_choice, config) -> ModelOutput:
    turn = sum(message.role == "assistant" for message in messages)
    if turn < TURNS:
        output = ModelOutput.for_tool_call("mockllm/model", "look", {"text": f"page {turn}"}, content="I look.")
    else:
        output = ModelOutput.from_content("mockllm/model", "FINAL ANSWER: 3")
    # given here, so that it does not count tokens with a tokenizer that it would have to download
    output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
    return output


def main() -> None:
    tasks = int(sys.argv[1])
    dataset = MemoryDataset([Sample(id=name, input=text, target="3") for name, text in questions(tasks).items()])
    task = Task(dataset=dataset, solver=[use_tools(look()), generate()], scorer=includes())
    model = get_model("mockllm/model", custom_outputs=answer)
    with tempfile.TemporaryDirectory() as logs:
        began = time.perf_counter()
        log = eval(task, model=model, display="none", log_dir=logs, max_samples=8)[0]
        seconds = time.perf_counter() - began
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    print(json.dumps({"version": inspect_ai.__version__, "tasks": tasks, "seconds": seconds}))


if __name__ == "__main__":
    main()
