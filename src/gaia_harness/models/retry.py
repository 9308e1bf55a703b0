"""Retries of model calls: which failures, how often, and how long to wait between them."""

import asyncio
import contextlib
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextvars import ContextVar
from email.utils import parsedate_to_datetime
from typing import Generic, Literal, TypeVar

import msgspec

T = TypeVar("T")

on_wait: ContextVar[Callable[[str | None], None]] = ContextVar("told why a call waits", default=lambda reason: None)
"""Whoever wants to know why a call of theirs waits; None: it goes on."""


@contextlib.contextmanager
def waiting(reason: str) -> Iterator[None]:
    """Within it, nothing goes on but what this reason says."""
    told = on_wait.get()
    told(reason)
    try:
        yield
    finally:
        told(None)


Kind = Literal["status", "connection", "timeout", "malformed", "request"]

LONGEST_PAUSE = 60.0
FIRST_PAUSE = 0.5


class Failure(Exception):
    """One attempt that failed: what happened, and whether another may help."""

    def __init__(
        self,
        kind: Kind,
        text: str,
        *,
        retry: bool,
        status: int | None = None,
        code: str | None = None,
        pause: float | None = None,
        too_long: bool = False,
    ) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.retry = retry
        self.status = status
        self.code = code
        self.pause = pause
        self.too_long = too_long  # the conversation, for the model: the same request would be refused again
        self.tries = 1


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one call, and the clock, sleep and random generator it uses."""

    call_timeout: float = 300.0
    max_retries: int = 5
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    rng: random.Random = msgspec.field(default_factory=random.Random)


class RetryResult(msgspec.Struct, Generic[T], frozen=True):
    """The result of a call after retries. The latency is that of the successful try alone."""

    value: T
    tries: int
    latency_ms: int


def worth_retrying(status: int, code: str | None) -> bool:
    """Whether an HTTP status is transient."""
    if code == "insufficient_quota":  # a 429 that only a payment ends
        return False
    return status in (408, 409, 429) or status >= 500


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds that `retry-after-ms` or `Retry-After` (RFC 9110, section 10.2.3) ask for, if they do."""
    seconds = _number(headers.get("retry-after-ms"), 1000.0)
    if seconds is None:
        seconds = _number(headers.get("retry-after"), 1.0)
    if seconds is None:
        try:
            seconds = parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return max(seconds, 0.0)


def _number(text: str | None, unit: float) -> float | None:
    try:
        value = float(text or "") / unit
    except ValueError:
        return None
    return value if value == value else None  # NaN is no number of seconds


def pause_before(retry: int, failure: Failure, rng: random.Random) -> float:
    """Seconds before the retry with this number (from 1): what was asked for, within a limit, else doubling."""
    if failure.pause is not None:
        return min(failure.pause, LONGEST_PAUSE)
    longest = min(FIRST_PAUSE * 2.0 ** min(retry - 1, 10), LONGEST_PAUSE)
    return longest * rng.uniform(0.5, 1.0)


async def with_retries(
    attempt: Callable[[], Awaitable[T]],
    retry_policy: RetryPolicy,
    say: Callable[[Failure, str], None] = lambda *_: None,
) -> RetryResult[T]:
    """Run `attempt` until it succeeds or fails for good: then its last `Failure` is raised.

    `say` is told about each retry: what failed, and what happens next.
    """
    tries = 0
    while True:
        tries += 1
        start = retry_policy.clock()
        try:
            # The SDKs limit each read, not the call: a server that trickles would hold us for ever.
            async with asyncio.timeout(retry_policy.call_timeout):
                value = await attempt()
            return RetryResult(value, tries, round((retry_policy.clock() - start) * 1000))
        except TimeoutError:
            failure = Failure("timeout", f"no answer within {retry_policy.call_timeout:g} s", retry=True)
        except Failure as caught:
            failure = caught
        failure.tries = tries
        if not failure.retry or tries > retry_policy.max_retries:
            raise failure
        pause = pause_before(tries, failure, retry_policy.rng)
        plan = f"retry {tries} of {retry_policy.max_retries} in {pause:.1f} s"
        if failure.pause is not None and failure.pause > pause:
            plan += f" (it asks for {failure.pause:.0f} s; we wait {LONGEST_PAUSE:.0f} s at most)"
        say(failure, plan)
        with waiting(f"{plan}: {failure.text}"):
            await retry_policy.sleep(pause)
