"""The typed steps of an attempt, in the order in which they took place."""

from typing import Annotated, Any

import msgspec

from gaia_harness.protocol import STANDING_ROLES
from gaia_harness.strict_json import MAX_INTEGER

PROMPT_HEAD = 2 * 1024
OUTPUT_HEAD = 4 * 1024
"""Of a tool's output; up to version 0.2 also of the model's words, which were kept nowhere beyond that."""
WORDS_HEAD = 64 * 1024
"""Of the model's words and thoughts. What is longer is kept whole in `bodies/`."""
ARGUMENT_HEAD = 8 * 1024
ADDRESS_HEAD = 2 * 1024
MOST_WINDOWS = 8
WINDOW = 1024

# gc=False below: steps hold texts and numbers and never each other, and runs have many of them
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_INTEGER)]


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Where a part of a tool's output comes from: one search hit, one page. Counted in bytes of the full output."""

    url: str
    title: str
    offset: Count
    bytes: Count


class Figures(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What was found in one text. Shares go from 0 to 1."""

    copy: float  # of the question's wording, in one place, echoes of what the agent sent taken out
    echo: float  # the same with echoes left in
    cover: float  # of the question's content words, by weight; looked for only beside a signature
    questions: Count  # other questions of the run that stand there
    own_id: bool
    other_ids: Count
    signatures: tuple[str, ...]
    pages: tuple[str, ...]  # known shapes among the addresses
    readings: tuple[str, ...]  # encodings that had to be undone


class SourceFigures(Figures, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The same for one source, by its place among the sources; for what stands outside them all, None."""

    source: Count | None


class Scan(Figures, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What the scan of a tool's output found: the most of it in one source, or all that there is of its kind.

    `by_source` has the sources in which something was found, where there are several.
    """

    version: str
    together: Count  # the most other questions in one source
    by_source: tuple[SourceFigures, ...]


class Window(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A piece of the output, kept because of what the scan found there.

    `view` names the encoding undone. Then `offset` is where the encoded passage begins, and `at` where the piece
    begins in the reading, in bytes; without one both are the same but for the start of the source.
    """

    offset: Count
    bytes: Count
    at: Count
    why: str
    view: str
    source: Count | None
    text: str


class _Step(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True, gc=False):
    """`agent` is the sub-agent that did it, `parent` the seq of the call that started it; our own loop has none."""

    seq: int
    attempt: int
    turn: int
    agent: str | msgspec.UnsetType = msgspec.UNSET
    parent: Count | msgspec.UnsetType = msgspec.UNSET


class ShortResult(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A tool result of which only the first bytes are still shown, without its images."""

    call_id: str
    bytes: Count


class Shortened(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What this request and all later ones of the attempt no longer show, because it was too long for the model.

    Of each of the `results` the first bytes are shown, then the content of the step. Of the first `turns` nothing is
    shown but the prompts of the very first one.
    """

    results: tuple[ShortResult, ...]
    turns: Count


class Prompt(_Step, frozen=True, kw_only=True, tag="prompt", gc=False):
    """What is new in this request apart from tool results and the model's own words.

    `context_sha256` is of the whole request as sent; it is None when the request never left.
    A request that brings nothing new but tool results has one such step, with the role `context` and no bytes.
    A request that was refused as too long is sent again with less: then a step with the role `shortened` says what
    was left out, and its content is the note that stands in its place.
    `whole` is true where the text is longer than its head and kept whole in `prompts/`. Standing texts always are.
    `kept_sha256` is there only where secrets were masked in a text that is kept whole: then it has its own hash.
    """

    role: str
    content_sha256: str
    bytes: Count
    head: str
    truncated: bool
    redactions: Count
    context_sha256: str | None
    shortened: Shortened | msgspec.UnsetType = msgspec.UNSET
    kept_sha256: str | msgspec.UnsetType = msgspec.UNSET
    whole: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_stored(self) -> bool:
        """Whether the whole text is kept in `prompts/`."""
        return self.role in STANDING_ROLES or self.whole is True

    @property
    def stored_sha256(self) -> str:
        """The name in `prompts/` of what is kept whole."""
        return self.content_sha256 if isinstance(self.kept_sha256, msgspec.UnsetType) else self.kept_sha256


class Thoughts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What the model thought beside its words, as the provider gave it and may get it back. `body` as in `LlmCall`."""

    sha256: str
    bytes: Count
    head: str
    truncated: bool
    redactions: Count
    body: bool | msgspec.UnsetType = msgspec.UNSET
    kept_sha256: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def stored_sha256(self) -> str:
        """The name in `bodies/` of what is kept whole."""
        return self.sha256 if isinstance(self.kept_sha256, msgspec.UnsetType) else self.kept_sha256


class LlmCall(_Step, frozen=True, kw_only=True, tag="llm_call", gc=False):
    """What the model said. `body` is true where it is longer than its head and kept whole in `bodies/`.

    One that is cut and has no `body` was recorded up to version 0.2: the rest of it is kept nowhere.
    `kept_sha256` is there only where secrets were masked in what is kept: then it has a hash of its own.
    """

    model: str
    output_sha256: str
    bytes: Count
    head: str
    truncated: bool
    redactions: Count
    tokens_in: Count | None
    tokens_out: Count | None
    stop_reason: str | None
    latency_ms: Count
    response_id: str | None
    thoughts: Thoughts | None
    tokens_cached: Count | msgspec.UnsetType = msgspec.UNSET  # of tokens_in, where the provider says so
    body: bool | msgspec.UnsetType = msgspec.UNSET
    kept_sha256: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def stored_sha256(self) -> str:
        """The name in `bodies/` of what is kept whole."""
        return self.output_sha256 if isinstance(self.kept_sha256, msgspec.UnsetType) else self.kept_sha256


class ToolCallStep(_Step, frozen=True, kw_only=True, tag="tool_call", gc=False):
    """What the model asked a tool for. The hash is of the arguments as the model wrote them.

    `args` is a text, that which the model wrote, when it is not a JSON object. `args_truncated` names the
    arguments that were cut, or has `*` when it is the text that was cut.
    """

    call_id: str
    name: str
    args: dict[str, Any] | str
    args_sha256: str
    args_truncated: tuple[str, ...]
    redactions: Count


class ToolResultStep(_Step, frozen=True, kw_only=True, tag="tool_result", gc=False):
    """What the tool gave back. `body` is true when the whole of it is kept.

    `kept_sha256` is there only where secrets were masked in what is kept: then it has a hash of its own.
    `cut` is true where the output had been cut before it came to the recorder: what was cut off is known to nobody.
    """

    call_id: str
    name: str
    output_sha256: str
    bytes: Count
    head: str
    truncated: bool
    redactions: Count
    is_error: bool
    sources: tuple[Source, ...]
    scan: Scan | None
    windows: tuple[Window, ...]
    body: bool
    kept_sha256: str | msgspec.UnsetType = msgspec.UNSET
    cut: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def stored_sha256(self) -> str:
        """The name in `bodies/` of what is kept of the output."""
        return self.output_sha256 if isinstance(self.kept_sha256, msgspec.UnsetType) else self.kept_sha256


class Answer(_Step, frozen=True, kw_only=True, tag="answer", gc=False):
    """What was handed in as the answer by a tool or a variable, and not in the model's words.

    `call_id` is that of the call it was handed in by, where there is one.
    """

    content_sha256: str
    bytes: Count
    head: str
    truncated: bool
    redactions: Count
    call_id: str | None


Step = Prompt | LlmCall | ToolCallStep | ToolResultStep | Answer
