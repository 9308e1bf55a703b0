"""Takes down a task-run of the neutral form, step by step."""

from datetime import datetime

from gaia_harness.exchange.neutral import NeutralRun, NeutralStep
from gaia_harness.run.attempt_writer import AttemptWriter, SourceText


def record(attempt: AttemptWriter, run: NeutralRun) -> None:
    """Take down a task-run, step by step."""
    calls: dict[str, str] = {}
    times = [moment for step in run.steps if (moment := _moment(step.time)) is not None]
    attempt.took(round((max(times) - min(times)) * 1000) if len(times) > 1 else 0)
    for step in run.steps:
        record_step(attempt, step, calls)
    attempt.answer(run.answer, is_step=False)
    if run.answer is None:
        attempt.failed(run.error or "no answer is recorded")


def record_step(attempt: AttemptWriter, step: NeutralStep, calls: dict[str, str], *, cut: bool = False) -> None:
    """Take down one step. `calls` has the ids under which calls were taken down, by those of the steps.

    `cut` marks the output of a tool as cut; for an imported run its origin says how many were.
    """
    if step.agent is None:
        _step(attempt, step, calls, cut)
    else:
        with attempt.sub_agent(step.agent, call_id=calls.get(step.parent or "")):
            _step(attempt, step, calls, cut)


def _step(attempt: AttemptWriter, step: NeutralStep, calls: dict[str, str], cut: bool) -> None:
    if step.type == "prompt":
        attempt.prompt(step.text, role=step.role or "user")
    elif step.type == "llm_call":
        attempt.llm_call(
            step.text,
            model=step.model,
            thoughts=step.thoughts,
            tokens_in=step.tokens_in,
            tokens_out=step.tokens_out,
            stop_reason=step.stop_reason,
            latency_ms=step.took_ms or 0,
        )
    elif step.type == "tool_call":
        given = step.args if step.args is not None else step.text
        call = attempt.tool_call(step.name or "tool", given, call_id=step.call_id)
        if step.call_id is not None:
            calls[step.call_id] = call
    elif step.type == "tool_result":
        sources = [SourceText(url=each.url, title=each.title, text=each.text) for each in step.sources]
        if not sources and step.url:
            sources = [SourceText(url=step.url, text=step.text)]
        call = calls.get(step.call_id or "", step.call_id or "")
        if not attempt.is_open(call, step.name):
            # the file has what came back and not what was asked for: a call of which nothing is known stands for it
            call = attempt.tool_call(step.name or "tool", call_id=step.call_id)
        attempt.tool_result(
            step.text,
            call_id=call or None,
            name=step.name,
            is_error=step.is_error,
            sources=sources,
            cut=cut,
            took_ms=step.took_ms,
        )
    else:
        attempt.answer(step.text, call_id=calls.get(step.call_id or ""))


def _moment(time: str | None) -> float | None:
    try:
        return None if time is None else datetime.fromisoformat(time).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
