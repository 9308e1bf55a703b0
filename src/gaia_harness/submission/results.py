"""results.jsonl of a package: the fields that GAIA's leaderboard takes, made from the facts and the trajectory."""

import msgspec

from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.steps import LlmCall, ToolCallStep
from gaia_harness.records.trajectories import Trajectory

LONGEST_TRACE = 4096
LONGEST_WORDS = 1200
LONGEST_ARGUMENTS = 200
TAIL = 1024
"""All of them in characters. The end of a trace is where its answer is, so that the middle is left out."""


class ResultLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task. Whether the answer is right does not stand here: the leaderboard says that."""

    task_id: str
    model_answer: str | None
    reasoning_trace: str
    tools_used: tuple[str, ...]
    turns: int
    wall_seconds: float


def result_line(facts: TaskFacts, trace: str) -> bytes:
    """The line of a task, without its newline."""
    return msgspec.json.encode(
        ResultLine(
            task_id=facts.task_id,
            model_answer=facts.answer,
            reasoning_trace=trace,
            tools_used=facts.tools_used,
            turns=facts.turns,
            wall_seconds=facts.wall_ms / 1000,
        )
    )


def reasoning_trace(trajectory: Trajectory) -> str:
    """The model's words and the tools it called, in the attempt whose answer counts; tool outputs are not in it."""
    parts = []
    for step in trajectory.steps:
        if step.attempt != trajectory.selected_attempt:
            continue
        if isinstance(step, LlmCall):
            if words := step.head.strip():
                parts.append(_cut(words, LONGEST_WORDS))
        elif isinstance(step, ToolCallStep):
            args = step.args if isinstance(step.args, str) else msgspec.json.encode(step.args).decode()
            parts.append(f"[{step.name[:100]} {_cut(' '.join(args.split()), LONGEST_ARGUMENTS)}]")
    text = "\n".join(parts)
    if len(text) <= LONGEST_TRACE:
        return text
    left_out = len(text) - LONGEST_TRACE
    return f"{text[: LONGEST_TRACE - TAIL]}\n[… {left_out} characters …]\n{text[-TAIL:]}"


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
