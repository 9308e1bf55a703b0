"""Scores a finished task, and builds its line of results.jsonl."""

import secrets
from collections.abc import Callable, Iterable, Sequence

import msgspec

from gaia_harness.agent import AgentResult
from gaia_harness.attempts.budget import Cost, at_most
from gaia_harness.figures import total, total_cost
from gaia_harness.judge import scorer
from gaia_harness.models.messages import Transcript, Usage
from gaia_harness.protocol import Choice
from gaia_harness.records.results import Scoring, TaskResult, Transcribed, Voting
from gaia_harness.records.tool_use import ToolUses, merge_uses, with_short_errors
from gaia_harness.tasks.answers import Gold
from gaia_harness.tasks.task import Task


class AttemptOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What an attempt of any agent came to, as far as a result is made of it."""

    answer: str | None
    turns: int
    usages: tuple[Usage, ...] = ()
    tools_used: tuple[str, ...] = ()
    tools: ToolUses = {}
    error: str | None = None
    wall_ms: int = 0
    attachment_opened: bool | None = None


def transcribed(parts: Iterable[Transcribed]) -> Transcribed:
    """The sum of all transcripts."""
    every = list(parts)
    return Transcribed(
        files=sum(part.files for part in every),
        seconds=total_cost(part.seconds for part in every),
        cost_usd=total_cost(part.cost_usd for part in every),
    )


def new_salt() -> str:
    """256 random bits."""
    return secrets.token_hex(32)


def task_result(
    task: Task,
    gold: Gold | None,
    attempts: Sequence[AgentResult | AttemptOutcome],
    choice: Choice,
    *,
    model: str,
    wall_ms: int,
    cost: Callable[[Usage], float | None],
    attempts_before: int = 0,
    heard: Iterable[Transcript] = (),
) -> TaskResult:
    """Put together what the attempts came to and score it, if there is a gold to score it by.

    `attempts_before` were started by a process that did not live to finish them: they count as started.
    """
    usages = [usage for attempt in attempts for usage in attempt.usages]
    # call by call, as some prices depend on a call's length; nothing used costs nothing, if there is a price
    costs = [cost(usage) for usage in usages or [Usage(input_tokens=0, output_tokens=0)]]
    chosen = attempts[choice.attempt - 1]
    listened = [Transcribed(files=1, seconds=each.seconds, cost_usd=each.cost_usd) for each in heard]

    def correct(answer: str | None) -> bool | None:
        return None if gold is None else scorer.question_scorer(answer, gold.answer)

    return TaskResult(
        task_id=task.task_id,
        level=task.level,
        question=task.question,
        model=model,
        correct=correct(chosen.answer),
        answer=chosen.answer,
        expected_output=None if gold is None else gold.answer,
        error=chosen.error if chosen.answer is None else None,
        turns=sum(attempt.turns for attempt in attempts),
        wall_ms=wall_ms,
        input_tokens=total(usage.input_tokens for usage in usages),
        output_tokens=total(usage.output_tokens for usage in usages),
        cost_usd=total_cost(costs),
        attempts=attempts_before + len(attempts),
        tools_used=tuple(sorted({name for attempt in attempts for name in attempt.tools_used})),
        scoring=Scoring(
            scorer=scorer.NAME,
            version=scorer.VERSION,
            rule=None if gold is None else scorer.rule_for(gold.answer),
        ),
        voting=Voting(
            selected_attempt=attempts_before + choice.attempt,
            votes=choice.votes,
            cast=choice.cast,
            answers=tuple(attempt.answer for attempt in attempts),
            first_attempt_correct=correct(attempts[0].answer),
        ),
        tools=with_short_errors(merge_uses(attempt.tools for attempt in attempts)),
        transcription=transcribed(listened) if listened else msgspec.UNSET,
        attachment_opened=_opened(task, [each.attachment_opened for each in attempts]),
    )


def _opened(task: Task, opened: Sequence[bool | None]) -> bool | msgspec.UnsetType | None:
    """Whether any attempt opened the task's file: None where there is none, unset where nobody can tell."""
    if task.attachment is None:
        return None
    return msgspec.UNSET if None in opened else any(opened)


def cost_of(results: Iterable[TaskResult], cost: Cost) -> float:
    """What finished tasks have cost, with what judge and transcripts cost, as far as that is known."""
    spent = 0.0
    for result in results:
        tokens = Usage(input_tokens=result.input_tokens, output_tokens=result.output_tokens)
        spent += (at_most(cost, tokens) if result.cost_usd is None else result.cost_usd) or 0.0
        spent += 0.0 if result.judge is None else result.judge.cost_usd or 0.0
        spent += (result.transcription.cost_usd or 0.0) if result.transcription else 0.0
    return spent
