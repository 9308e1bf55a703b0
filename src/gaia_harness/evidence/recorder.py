"""Records the steps of an attempt from any agent loop, and never disturbs it."""

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

import msgspec

from gaia_harness.evidence import arguments
from gaia_harness.evidence.excerpts import Kept, excerpt
from gaia_harness.evidence.fingerprint import Fingerprint
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.evidence.scan import scan
from gaia_harness.protocol import STANDING_ROLES
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import (
    ADDRESS_HEAD,
    OUTPUT_HEAD,
    PROMPT_HEAD,
    WORDS_HEAD,
    Answer,
    LlmCall,
    Prompt,
    Shortened,
    Source,
    Step,
    Thoughts,
    ToolCallStep,
    ToolResultStep,
)

LONGEST_FAILURE = 500


MOST_STANDING = 64
"""Texts that many tasks begin with, such as the system prompt: so many are worked out only once."""


class Agent(msgspec.Struct, frozen=True):
    """A sub-agent: its name, and the seq of the call that started it where that is known."""

    name: str
    parent: int | None = None


class TextKeeper(Protocol):
    """Keeps full texts: a folder of them, or somebody who sends them there."""

    def put(self, sha256: str, data: bytes) -> None:
        """Keep these bytes, of which this is the hash."""
        ...


class RecorderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a recorder: where full texts are stored, what is scanned for, what is masked."""

    prompts: TextKeeper | None = None
    bodies: TextKeeper | None = None
    every_body: bool = False
    fingerprint: Fingerprint | None = None
    redactor: Redactor = Redactor()
    standing: dict[str | bytes, Kept] = {}

    def keep(self, store: TextKeeper, sha256: str, data: bytes) -> str | msgspec.UnsetType:
        """Keep a whole text. One with secrets in it is kept without them, under a hash of its own."""
        masked = self.redactor.hide_bytes(data)
        if masked is data:
            store.put(sha256, data)
            return msgspec.UNSET
        own = hashlib.sha256(masked).hexdigest()
        store.put(own, masked)
        return own


class Recorder:
    """The steps of one attempt, numbered from `first_seq`. Each method takes down one thing that happened.

    No method raises: a step that cannot be kept makes `failures` say why, and the run goes on without being
    submittable. Texts may be given as bytes where they are no valid text.
    """

    def __init__(
        self,
        *,
        task_id: str = "",
        attempt: int = 1,
        first_seq: int = 0,
        settings: RecorderSettings | None = None,
        on_step: Callable[[Step], None] = lambda _: None,
    ) -> None:
        """`on_step` is given each step before it is taken down: one that it does not take is a failure."""
        self._task_id = task_id
        self._attempt = attempt
        self._first_seq = first_seq
        self._settings = settings or RecorderSettings()
        self._steps: list[Step] = []
        self._ids: dict[str, str] = {}
        self._sent: dict[str, str] = {}  # what each call that has no result yet was given
        self.failures: list[str] = []
        self._on_step = on_step

    @property
    def settings(self) -> RecorderSettings:
        """Its settings."""
        return self._settings

    @property
    def steps(self) -> tuple[Step, ...]:
        """What was taken down so far."""
        return tuple(self._steps)

    def prompt(
        self,
        turn: int,
        role: str,
        content: str | bytes,
        *,
        context_sha256: str | None = None,
        shortened: Shortened | None = None,
        by: Agent | None = None,
    ) -> None:
        """Something new was put before the model. Standing texts, of roles system and tools, are stored once for all.

        `shortened`, with the role of that name, says what is no longer shown.
        """

        def step() -> Step:
            standing = role in STANDING_ROLES
            kept = self._standing(content) if standing else self._excerpt(content, PROMPT_HEAD)
            own_hash: str | msgspec.UnsetType = msgspec.UNSET
            whole: bool | msgspec.UnsetType = msgspec.UNSET
            if (standing or kept.truncated) and self._settings.prompts is not None:
                own_hash = self._settings.keep(self._settings.prompts, kept.sha256, kept.data)
                whole = True if kept.truncated and not standing else msgspec.UNSET
            return Prompt(
                **self._place(turn, by),
                role=role,
                content_sha256=kept.sha256,
                bytes=len(kept.data),
                head=kept.head,
                truncated=kept.truncated,
                redactions=kept.redactions,
                context_sha256=context_sha256,
                shortened=msgspec.UNSET if shortened is None else shortened,
                kept_sha256=own_hash,
                whole=whole,
            )

        self.take(step)

    def llm_call(
        self,
        turn: int,
        output: str | bytes,
        *,
        model: str,
        tokens_in: int | None = None,
        tokens_out: int | None = None,
        stop_reason: str | None = None,
        latency_ms: int = 0,
        response_id: str | None = None,
        thoughts: str | bytes = "",
        tokens_cached: int | None = None,
        by: Agent | None = None,
    ) -> None:
        """The model said something, and perhaps thought something beside it."""

        def step() -> Step:
            kept = self._words(output)
            mind = self._words(thoughts) if thoughts else None
            body, own_hash = self._beyond_head(kept)
            mind_body, mind_hash = (msgspec.UNSET, msgspec.UNSET) if mind is None else self._beyond_head(mind)
            return LlmCall(
                **self._place(turn, by),
                model=model,
                output_sha256=kept.sha256,
                bytes=len(kept.data),
                head=kept.head,
                truncated=kept.truncated,
                redactions=kept.redactions,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                stop_reason=stop_reason,
                latency_ms=latency_ms,
                response_id=response_id,
                thoughts=None
                if mind is None
                else Thoughts(
                    sha256=mind.sha256,
                    bytes=len(mind.data),
                    head=mind.head,
                    truncated=mind.truncated,
                    redactions=mind.redactions,
                    body=mind_body,
                    kept_sha256=mind_hash,
                ),
                tokens_cached=msgspec.UNSET if tokens_cached is None else tokens_cached,
                body=body,
                kept_sha256=own_hash,
            )

        self.take(step)

    def tool_call(
        self,
        turn: int,
        call_id: str,
        name: str,
        args: Mapping[str, Any] | None,
        *,
        raw: str | None = None,
        by: Agent | None = None,
    ) -> None:
        """The model asked for a tool. `raw` is what it wrote; it alone is given when that is no JSON object."""

        def step() -> Step:
            written = to_bytes(raw) if raw is not None else arguments.written(args or {})
            kept = arguments.keep(args, written, self._settings.redactor)
            self._sent[call_id] = written.decode("utf-8", "replace")
            return ToolCallStep(
                **self._place(turn, by),
                call_id=self._shown_id(call_id),
                name=name,
                args=kept.args,
                args_sha256=hashlib.sha256(written).hexdigest(),
                args_truncated=kept.cut,
                redactions=kept.redactions,
            )

        self.take(step)

    def tool_result(
        self,
        turn: int,
        call_id: str,
        name: str,
        output: str | bytes,
        *,
        is_error: bool = False,
        sources: Iterable[Source] = (),
        cut_before: bool = False,
        by: Agent | None = None,
    ) -> None:
        """A tool gave something back: hashed and scanned in full, kept in part.

        `cut_before`: it gave more, which was cut off before it came here.
        """

        def step() -> Step:
            settings = self._settings
            kept = self._excerpt(output, OUTPUT_HEAD)
            origins = tuple(sources)
            sent = self._sent.pop(call_id, "")
            found = None
            if settings.fingerprint is not None:
                found = scan(
                    output,
                    settings.fingerprint,
                    self._task_id,
                    sources=origins,
                    sent=arguments.words(sent),
                    redactor=settings.redactor,
                )
            whole = settings.bodies is not None and (settings.every_body or (found is not None and found.flagged))
            own_hash: str | msgspec.UnsetType = msgspec.UNSET
            if whole and settings.bodies is not None:
                own_hash = settings.keep(settings.bodies, kept.sha256, kept.data)
            named = [self._source(source, len(kept.data)) for source in origins]
            return ToolResultStep(
                **self._place(turn, by),
                call_id=self._shown_id(call_id),
                name=name,
                output_sha256=kept.sha256,
                bytes=len(kept.data),
                head=kept.head,
                truncated=kept.truncated,
                redactions=kept.redactions
                + sum(count for _, count in named)
                + (0 if found is None else found.redactions),
                is_error=is_error,
                sources=tuple(source for source, _ in named),
                scan=None if found is None else found.scan,
                windows=() if found is None else found.windows,
                body=whole,
                kept_sha256=own_hash,
                cut=True if cut_before else msgspec.UNSET,
            )

        self.take(step)

    def answer(self, turn: int, text: str | bytes, *, call_id: str | None = None, by: Agent | None = None) -> None:
        """An answer was handed in by a tool or a variable, and not in the model's words."""

        def step() -> Step:
            kept = self._excerpt(text, WORDS_HEAD)
            return Answer(
                **self._place(turn, by),
                content_sha256=kept.sha256,
                bytes=len(kept.data),
                head=kept.head,
                truncated=kept.truncated,
                redactions=kept.redactions,
                call_id=None if call_id is None else self._shown_id(call_id),
            )

        self.take(step)

    def take(self, step: Callable[[], Step]) -> None:
        """Take down the step that this gives."""
        with self.taking():
            made = self._settings.redactor.hide(step())  # whatever fields a step has
            self._on_step(made)
            self._steps.append(made)

    @contextlib.contextmanager
    def taking(self) -> Iterator[None]:
        """While this lasts, whatever goes wrong is one of `failures`."""
        try:
            yield
        except Exception as error:  # whatever it is: the agent's work goes on, the run is not submittable
            said = self._settings.redactor.hide(f"step {len(self._steps)}: {type(error).__name__}: {error}")
            self.failures.append(said[:LONGEST_FAILURE])

    @property
    def attempt(self) -> int:
        """The number of the attempt."""
        return self._attempt

    @property
    def next_seq(self) -> int:
        """The number of the next step."""
        return self._first_seq + len(self._steps)

    def _place(self, turn: int, by: Agent | None) -> dict[str, Any]:
        place: dict[str, Any] = {"seq": self.next_seq, "attempt": self._attempt, "turn": turn}
        if by is not None:
            place["agent"] = by.name
            place["parent"] = msgspec.UNSET if by.parent is None else by.parent
        return place

    def _words(self, content: str | bytes) -> Kept:
        kept = self._excerpt(content, WORDS_HEAD)
        if kept.truncated and self._settings.bodies is None:  # the rest is kept nowhere, which the shorter head says
            return self._excerpt(content, OUTPUT_HEAD)
        return kept

    def _beyond_head(self, kept: Kept) -> tuple[bool | msgspec.UnsetType, str | msgspec.UnsetType]:
        """Keep words whole that are longer than their head; whether they are, and under which hash of their own."""
        if not kept.truncated or self._settings.bodies is None:
            return msgspec.UNSET, msgspec.UNSET
        return True, self._settings.keep(self._settings.bodies, kept.sha256, kept.data)

    def _shown_id(self, call_id: str) -> str:
        """The id without secrets, the same for a call and its result; of two calls it is never the same."""
        if call_id not in self._ids:
            shown = self._settings.redactor.hide(call_id)
            while shown != call_id and shown in self._ids.values():
                shown += "'"
            self._ids[call_id] = shown
        return self._ids[call_id]

    def _standing(self, content: str | bytes) -> Kept:
        """The excerpt of a text that every task begins with: worked out once."""
        known = self._settings.standing
        if content not in known and len(known) < MOST_STANDING:
            known[content] = self._excerpt(content, PROMPT_HEAD)
        return known.get(content) or self._excerpt(content, PROMPT_HEAD)

    def _excerpt(self, content: str | bytes, limit: int) -> Kept:
        return excerpt(content, limit, self._settings.redactor)

    def _source(self, source: Source, size: int) -> tuple[Source, int]:
        """A source as it is kept: with a bounded address, without secrets, and within the output."""
        offset = min(max(0, source.offset), size)
        url = self._excerpt(source.url, ADDRESS_HEAD)
        title = self._excerpt(source.title, ADDRESS_HEAD)
        return (
            Source(url=url.head, title=title.head, offset=offset, bytes=min(max(0, source.bytes), size - offset)),
            url.redactions + title.redactions,
        )
