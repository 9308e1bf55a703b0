"""The public outcome of a task: neither the question nor the gold answer is in it."""

import contextlib
import hashlib
from typing import Annotated, Any

import msgspec
import rfc8785

from gaia_harness.strict_json import MAX_INTEGER

Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_INTEGER)]
Dollars = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
"""More than anybody has; without an end, a sum of them would have none either."""
_sorted = msgspec.json.Encoder(order="sorted").encode


class VotingFacts(msgspec.Struct, frozen=True, kw_only=True):
    """How the answer was chosen."""

    selected_attempt: Count
    votes: Count
    cast: Count
    answers: tuple[str | None, ...]


class JudgeFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the LLM judge thought. Its reason is not here: it may quote the gold answer."""

    model: str
    verdict: bool | None
    cached: bool
    cache: str


class TaskFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a run says about one task. Neither the question nor the gold is here: a package carries these facts."""

    task_id: str
    level: Count
    model: str
    correct: bool | None
    answer: str | None
    error: str | None
    turns: Count
    wall_ms: Count
    input_tokens: Count | None
    output_tokens: Count | None
    attempts: Count
    tools_used: tuple[str, ...]
    voting: VotingFacts
    cost_usd: Dollars | None = None
    judge: JudgeFacts | None = None

    def sha256(self) -> str:
        """The hash of the RFC 8785 form, by which a run's log binds it."""
        return hashlib.sha256(self.canonical()).hexdigest()

    def canonical(self) -> bytes:
        """The RFC 8785 form: there are many tasks, and all but odd costs are written like that by the quick encoder."""
        cost = self.cost_usd
        if cost is None or 1e-4 <= cost < 1e15 or cost == 0:
            whole = cost is not None and cost.is_integer()
            with contextlib.suppress(UnicodeEncodeError):
                return _sorted(msgspec.structs.replace(self, cost_usd=int(cost or 0)) if whole else self)
        value: Any = msgspec.to_builtins(self)
        return rfc8785.dumps(value)
