"""Tells the steps of a trajectory: what each is, how much of its text is kept, and which calls were made at once."""

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

import msgspec

from gaia_harness.figures import counted
from gaia_harness.protocol import AGENT_HTTP, AGENT_REFUSED
from gaia_harness.records.steps import (
    Answer,
    LlmCall,
    Prompt,
    Scan,
    Step,
    Thoughts,
    ToolCallStep,
    ToolResultStep,
)
from gaia_harness.viewing.story import Argument, SourceTold, StepTold, WindowTold, Words

PROMPTS, BODIES = "prompts", "bodies"
"""The folders in which whole texts are kept, by which their names begin."""


def tell_steps(steps: Sequence[Step]) -> tuple[StepTold, ...]:
    """The steps in their order. Nothing is believed: what points to a step that is not there points to none."""
    at_once = _made_together(steps)
    calls: dict[tuple[int, str], int] = {}
    told = []
    for place, step in enumerate(steps):
        common = StepTold(
            kind="prompt",
            seq=step.seq,
            attempt=step.attempt,
            turn=step.turn,
            agent=step.agent if isinstance(step.agent, str) else "",
            parent=step.parent if isinstance(step.parent, int) and step.parent < step.seq else None,
        )
        if isinstance(step, ToolCallStep):
            calls[step.attempt, step.call_id] = step.seq
        told.append(_tell(step, common, calls, at_once.get(place, 0)))
    return tuple(told)


def _tell(step: Step, common: StepTold, calls: dict[tuple[int, str], int], together: int) -> StepTold:
    if isinstance(step, Prompt):
        return msgspec.structs.replace(
            common,
            name=step.role,
            text=_words(step, step.content_sha256, PROMPTS if step.is_stored else ""),
            notes=tuple(_left_out(step)),
        )
    if isinstance(step, LlmCall):
        return msgspec.structs.replace(
            common,
            kind="model",
            name=step.model,
            text=_words(step, step.output_sha256, BODIES if step.body is True else ""),
            thoughts=None if step.thoughts is None else _thoughts(step.thoughts),
            ms=step.latency_ms,
            tokens_in=step.tokens_in,
            tokens_out=step.tokens_out,
            tokens_cached=step.tokens_cached if isinstance(step.tokens_cached, int) else None,
            stop=step.stop_reason or "",
        )
    if isinstance(step, ToolCallStep):
        return msgspec.structs.replace(
            common,
            kind="call",
            name=step.name,
            args=tuple(_arguments(step)),
            args_sha256=step.args_sha256,
            together=together,
            notes=_masked(step.redactions),
        )
    if isinstance(step, ToolResultStep):
        return msgspec.structs.replace(
            common,
            kind="result",
            name=step.name,
            text=_words(step, step.output_sha256, BODIES if step.body else ""),
            answers=calls.get((step.attempt, step.call_id)),
            failed=step.is_error,
            cut_before=step.cut is True,
            sources=tuple(
                SourceTold(url=source.url, title=source.title, offset=source.offset, bytes=source.bytes)
                for source in step.sources
            ),
            windows=tuple(
                WindowTold(text=each.text, offset=each.offset, bytes=each.bytes, why=each.why, view=each.view)
                for each in step.windows
            ),
            scan=() if step.scan is None else tuple(_scanned(step.scan)),
        )
    by = None if step.call_id is None else calls.get((step.attempt, step.call_id))
    return msgspec.structs.replace(common, kind="answer", text=_words(step, step.content_sha256, ""), answers=by)


def _words(step: Prompt | LlmCall | ToolResultStep | Answer | Thoughts, sha256: str, folder: str) -> Words:
    stored = "" if isinstance(step, Answer) else step.stored_sha256
    return Words(
        head=step.head,
        bytes=step.bytes,
        sha256=sha256,
        cut=step.truncated,
        masked=step.redactions,
        whole=f"{folder}/{stored}" if folder and step.truncated else "",
        exact=not folder or stored == sha256,
    )


def _thoughts(thoughts: Thoughts) -> Words:
    return _words(thoughts, thoughts.sha256, BODIES if thoughts.body is True else "")


def _arguments(step: ToolCallStep) -> Iterable[Argument]:
    if isinstance(step.args, str):
        yield Argument(name="", text=step.args, cut=bool(step.args_truncated))
        return
    for name, value in step.args.items():
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        yield Argument(name=name, text=text, cut=name in step.args_truncated)


def _masked(count: int) -> tuple[str, ...]:
    return (f"{counted(count, 'secret')} masked",) if count else ()


def _left_out(step: Prompt) -> Iterable[str]:
    less = step.shortened
    if isinstance(less, msgspec.UnsetType):
        return
    if less.turns:
        yield f"from here on the first {counted(less.turns, 'turn')} are no longer shown to the model"
    if less.results:
        yield f"from here on {counted(len(less.results), 'tool result')} are shown to the model in part"


def _scanned(scan: Scan) -> Iterable[str]:
    """What the scan found while the run went on; nothing where it found nothing."""
    if scan.copy >= SHARE:
        yield f"{scan.copy:.0%} of the question's wording"
    if scan.own_id:
        yield "the id of this task"
    if scan.other_ids:
        yield f"ids of {counted(scan.other_ids, 'other task')}"
    if scan.questions:
        yield counted(scan.questions, "other question of the run", "other questions of the run")
    yield from (f"signature: {name}" for name in scan.signatures)
    yield from (f"page: {name}" for name in scan.pages)
    yield from (f"read as {name}" for name in scan.readings)


SHARE = 0.2
"""So much of the question's wording in one place is worth a word; any page about a subject has some of it."""


def host_of(url: str) -> str:
    """The host of an address; nothing where it has none that can be read."""
    try:
        return (urlsplit(url).hostname or "")[:LONGEST_HOST]
    except ValueError:
        return ""


LONGEST_HOST = 253


def _made_together(steps: Sequence[Step]) -> dict[int, int]:
    """By place among the steps: how many calls of one agent were made with no other step of it between them."""
    runs: dict[tuple[int, str, int], list[int]] = {}
    found: dict[int, int] = {}

    def end(run: list[int]) -> None:
        if len(run) > 1:
            found.update(dict.fromkeys(run, len(run)))

    for place, step in enumerate(steps):
        agent = step.agent if isinstance(step.agent, str) else ""
        by = (step.attempt, agent, step.parent if isinstance(step.parent, int) else -1)
        if isinstance(step, ToolCallStep | ToolResultStep) and step.name in (AGENT_HTTP, AGENT_REFUSED):
            continue  # seen by the gateway while a tool of the agent's was at work: no model called it
        if isinstance(step, ToolCallStep):
            runs.setdefault(by, []).append(place)
        else:
            end(runs.pop(by, []))
    for run in runs.values():
        end(run)
    return found
