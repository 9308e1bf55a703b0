"""Makes the fixtures of `openinference` and `smolagents`: real agents of smolagents with scripted models.

    python -m venv VENV
    VENV/bin/pip install smolagents openinference-instrumentation-smolagents opentelemetry-sdk \
        opentelemetry-exporter-otlp-proto-common
    VENV/bin/python tests/exchange/make_fixtures/smolagents_runs.py tests/exchange/fixtures
"""

import base64
import json
import sys
from pathlib import Path
from typing import Any, ClassVar

import smolagents
import smolagents.models
from google.protobuf.json_format import MessageToDict
from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from smolagents import CodeAgent, LogLevel, Tool, ToolCallingAgent
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)
from smolagents.monitoring import TokenUsage

QUESTION = (
    "The guild of lighthouse keepers in the Orrel Isles publishes a table of all its lights. By how many metres is the "
    "tallest tower in that table taller than the shortest?"
)

HITS = """## Search Results

[Register of lights](http://lanternkeepers.example/register)
All lights of the Orrel Isles with the heights of their towers.

[Goats of Orrel](http://goats.example/)
A goat once stopped a chess season."""

PAGE = """Address: http://lanternkeepers.example/register
Title: Register of lights
Viewport position: Showing page 1 of 1.
=======================
Weeping Rock 44 m, Long Sallow 31 m, Pinch Beacon 7 m."""


class ScriptedModel(Model):
    """Says one line of its script after the other: text, or the name and arguments of a tool to call."""

    def __init__(self, script: list[str | tuple[str, dict[str, Any]]]) -> None:
        super().__init__(model_id="scripted/keeper-1")
        self.script = list(script)
        self.said = 0

    def generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatMessage:
        line = self.script[self.said]
        self.said += 1
        usage = TokenUsage(input_tokens=100 + self.said, output_tokens=10 + self.said)
        if isinstance(line, str):
            return ChatMessage(role=MessageRole.ASSISTANT, content=line, token_usage=usage)
        call = ChatMessageToolCall(
            id=f"call_{self.said}",
            type="function",
            function=ChatMessageToolCallFunction(name=line[0], arguments=json.dumps(line[1])),
        )
        return ChatMessage(role=MessageRole.ASSISTANT, content="I call a tool.", tool_calls=[call], token_usage=usage)


smolagents.ScriptedModel = smolagents.models.ScriptedModel = ScriptedModel  # where the instrumentation looks for models


class Search(Tool):
    name = "web_search"
    description = "Searches the web."
    inputs: ClassVar = {"query": {"type": "string", "description": "What to look for."}}
    output_type = "string"

    def forward(self, query: str) -> str:
        return HITS


class Visit(Tool):
    name = "visit_page"
    description = "Opens a page."
    inputs: ClassVar = {"url": {"type": "string", "description": "Its address."}}
    output_type = "string"

    def forward(self, url: str) -> str:
        if "register" not in url:
            raise ValueError("no such page")
        return PAGE


def short_prompts(agent: CodeAgent | ToolCallingAgent, text: str) -> None:
    """smolagents' own system prompts are long, and not ours to copy."""
    agent.prompt_templates["system_prompt"] = text
    agent.memory.system_prompt.system_prompt = text


def team() -> CodeAgent:
    searcher = ToolCallingAgent(
        tools=[Search(), Visit()],
        model=ScriptedModel(
            [
                ("web_search", {"query": "lights of the Orrel Isles heights of towers"}),
                ("visit_page", {"url": "http://lanternkeepers.example/lost"}),
                ("visit_page", {"url": "http://lanternkeepers.example/register"}),
                ("final_answer", {"answer": "Weeping Rock has 44 m, Pinch Beacon 7 m."}),
            ]
        ),
        name="search_agent",
        description="Searches the web.",
        verbosity_level=LogLevel.OFF,
    )
    short_prompts(searcher, "You search with tools.")
    manager = CodeAgent(
        tools=[Visit()],
        model=ScriptedModel(
            [
                "Thought: I ask for the heights.\n<code>\nheights = search_agent(task='Which is the tallest tower of "
                "the Orrel Isles, which the shortest?')\nprint(heights)\n</code>",
                "I forgot the code.",
                "Thought: I check.\n<code>\nprint(len(visit_page(url='http://lanternkeepers.example/register')))\n"
                "print(1 / 0)\n</code>",
                "Thought: That is enough.\n<code>\nfinal_answer(44 - 7)\n</code>",
            ]
        ),
        managed_agents=[searcher],
        verbosity_level=LogLevel.OFF,
    )
    short_prompts(manager, "You solve tasks with code. You can also give tasks to team members.")
    return manager


def otlp(spans: list[ReadableSpan]) -> dict[str, Any]:
    """OTLP as JSON: as protobuf writes it, but with ids in hexadecimal digits, as the standard says."""
    value = MessageToDict(encode_spans(spans))
    for resource in value["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in span:
                        span[name] = base64.b64decode(span[name]).hex()
    return value


def benchmark_row(agent: CodeAgent | ToolCallingAgent, answer: Any) -> dict[str, Any]:
    """A row as smolagents_benchmark writes it: the agent's memory as messages."""
    steps = [
        {"role": m.role.value, "content": m.content, "tool_calls": None, "token_usage": None, "raw": None}
        for m in agent.write_memory_to_messages()
    ]
    return {
        "model_id": "scripted/keeper-1",
        "agent_action_type": "code",
        "question": QUESTION,
        "original_question": QUESTION,
        "answer": str(answer),
        "true_answer": "never read",
        "source": "GAIA",
        "intermediate_steps": steps,
        "start_time": 1753384566.9,
        "end_time": "2025-07-24 21:16:21",
        "token_counts": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
    }


def research_row(agent: CodeAgent | ToolCallingAgent, answer: Any) -> dict[str, Any]:
    """A row as open_deep_research writes it, with the agent's memory as Python prints its steps."""
    for step in agent.memory.steps:
        step.model_input_messages = None
    return {
        "agent_name": "scripted/keeper-1",
        "question": QUESTION,
        "augmented_question": "You have one question to answer. Be right! Here is the task:\n"
        + QUESTION
        + "\n\nTo solve the task above, you will have to use this attached file: - Attached file: data/lights.csv",
        "prediction": str(answer),
        "intermediate_steps": [str(step) for step in agent.memory.steps],
        "parsing_error": False,
        "iteration_limit_exceeded": False,
        "agent_error": None,
        "task": "1",
        "task_id": "lights-of-orrel",
        "true_answer": "never read",
        "is_correct": True,
        "start_time": "2025-03-19 16:32:08",
        "end_time": "2025-03-19 16:33:08",
        "token_counts": {"input": 1, "output": 1},
    }


def caller() -> ToolCallingAgent:
    """An agent that calls tools, and hands in its answer by a tool."""
    agent = ToolCallingAgent(
        tools=[Search(), Visit()],
        model=ScriptedModel(
            [
                ("visit_page", {"url": "http://lanternkeepers.example/lost"}),
                ("visit_page", {"url": "http://lanternkeepers.example/register"}),
                ("final_answer", {"answer": "37"}),
            ]
        ),
        verbosity_level=LogLevel.OFF,
    )
    short_prompts(agent, "You call tools.")
    return agent


def main(folder: Path) -> None:
    """Writes the files."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "keepers"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    SmolagentsInstrumentor().instrument(tracer_provider=provider)
    agent = team()
    answer = agent.run(QUESTION)
    SmolagentsInstrumentor().uninstrument()
    spans = list(exporter.get_finished_spans())
    lines = [json.loads(span.to_json(indent=None)) for span in spans]
    write(folder / "smolagents_spans.jsonl", *lines)
    write(folder / "smolagents_otlp.json", otlp(spans))
    tools = caller()
    found = tools.run(QUESTION)
    write(folder / "smolagents_benchmark.jsonl", benchmark_row(agent, answer), benchmark_row(tools, found))
    write(folder / "smolagents_research.jsonl", research_row(agent, answer), research_row(tools, found))


def write(path: Path, *values: Any) -> None:
    """One value per line, without the folders of this machine."""
    text = "".join(json.dumps(value) + "\n" for value in values)
    for folder, name in ((sys.prefix, "/venv"), (sys.base_prefix, "/python"), (str(Path.cwd()), "/repository")):
        text = text.replace(folder, name)
    path.write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
