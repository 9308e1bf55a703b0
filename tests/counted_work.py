"""How much work something is, on any machine and beside any others: calls are counted, and a stall is ended."""

import cProfile
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STALL = 30
"""Seconds of processor time, where less than one is needed: what stalls would take minutes, or for ever."""


def calls_of(function: Callable[[], object]) -> int:
    """How many functions, generators included, are called or gone on with."""
    profile = cProfile.Profile()  # which counts calls of C functions, too, and costs little
    profile.runcall(function)
    return sum(entry.callcount for entry in profile.getstats())


@contextmanager
def no_stall() -> Iterator[None]:
    """For what is a pattern's work, which no calls show. Only this process counts, not what others take meanwhile."""

    def end(*_) -> None:
        raise AssertionError(f"it stalls: more than {STALL} s of processor time")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, STALL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
