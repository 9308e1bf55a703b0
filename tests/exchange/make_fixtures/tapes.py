"""Makes tests/exchange/fixtures/tapeagents: TapeAgents' own loop, calculator and writer, with scripted replies.

Run it in an environment of its own:

    pip install tapeagents==0.1.16
    python tests/exchange/make_fixtures/tapes.py

The kinds `question` and `gaia_answer_action` are those of TapeAgents' GAIA agent, which is no part of the package.
The task is one of the demo's, with a made-up gold answer to be dropped.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import Field
from tapeagents.agent import Agent
from tapeagents.core import LLMOutput, Observation, Prompt, StopStep, Tape, TapeMetadata
from tapeagents.environment import ToolCollectionEnvironment
from tapeagents.io import save_json_tape
from tapeagents.llms.base import LLMEvent, LLMStream
from tapeagents.llms.mock import MockLLM
from tapeagents.nodes import StandardNode
from tapeagents.orchestrator import main_loop
from tapeagents.steps import ReasoningThought
from tapeagents.tools.calculator import Calculator, UseCalculatorAction

OUT = Path(__file__).parent.parent / "fixtures" / "tapeagents" / "orrel_val" / "tapes"
QUESTION = (
    "The guild of lighthouse keepers in the Orrel Isles publishes a table of all its lights. By how many metres is the "
    "tallest tower in that table taller than the shortest?"
)


class Question(Observation):
    kind: Literal["question"] = "question"
    content: str
    filename: str | None = None


class Answer(StopStep):
    kind: Literal["gaia_answer_action"] = "gaia_answer_action"
    success: bool
    overview: str
    answer_unit: str
    answer: Any
    long_answer: str


class Metadata(TapeMetadata):
    task: dict[str, Any] = Field(default_factory=dict)
    attempt_number: int = 0


class LightsTape(Tape[dict[str, Any], Any]):
    metadata: Metadata = Field(default_factory=Metadata)
    context: dict[str, Any] | None = Field(default_factory=lambda: {"tools": []})


class ScriptedModel(MockLLM):
    """The package's mock, which lacks what nodes ask for and gives a call that newer versions of litellm refuse."""

    def get_step_schema(self, cls: Any) -> str:
        return ""

    def generate(self, prompt: Prompt) -> LLMStream:
        def events() -> Iterator[LLMEvent]:
            self.call_number += 1
            yield LLMEvent(output=LLMOutput(content=self.mock_outputs[self.call_number - 1]))

        return LLMStream(events(), prompt=prompt)


REPLIES = [
    {"kind": "reasoning_thought", "reasoning": "Weeping Rock has 44 m, Pinch Beacon 7 m: \u201csubtract\u201d."},
    "this is no JSON",
    {"kind": "use_calculator_action", "expression": "44 - 7", "fact_name": "metres", "fact_unit": "m"},
    {"kind": "use_calculator_action", "expression": "44 -", "fact_name": "metres", "fact_unit": "m"},
    {
        "kind": "gaia_answer_action",
        "success": True,
        "overview": "Subtracted.",
        "answer_unit": "m",
        "answer": "37",
        "long_answer": "The tallest is 37 m taller.",
    },
]

if __name__ == "__main__":
    shutil.rmtree(OUT.parent, ignore_errors=True)
    llm = ScriptedModel(mock_outputs=[reply if isinstance(reply, str) else json.dumps(reply) for reply in REPLIES])
    node = StandardNode(name="act", steps=[ReasoningThought, UseCalculatorAction, Answer], next_node="act")
    agent = Agent.create(llm, name="lights_agent", nodes=[node])
    tape = LightsTape(steps=[Question(content=QUESTION)])
    for event in main_loop(agent, tape, ToolCollectionEnvironment([Calculator()]), max_loops=10):
        tape = event.agent_tape or event.env_tape or tape
    task = {
        "task_id": "101faa44-6982-5d73-a0fd-93c27042c7fe",
        "Question": QUESTION,
        "Level": 1,
        "Final answer": "THE GOLD ANSWER",
        "file_name": "",
        "Annotator Metadata": {"Steps": "THE GOLD STEPS"},
    }
    fields = tape.metadata.model_dump() | {"task": task, "result": str(tape.steps[-1].answer)}
    save_json_tape(tape.model_copy(update={"metadata": Metadata(**fields)}), str(OUT), "l1_task000")
