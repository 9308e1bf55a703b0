"""Calls that are cancelled while they begin leave no process behind."""

import asyncio
import os
import random
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import thoroughness
from gaia_harness.tools.containment import Limits
from gaia_harness.tools.reader_pool import ReaderPool
from gaia_harness.tools.sandbox import Sandbox, find_sandbox

CALLS = thoroughness.of(250)
CHECKS = 1200


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    search = asyncio.run(find_sandbox())
    if search.sandbox is None:
        pytest.skip(f"no sandbox here: {search.reason}")
    return search.sandbox


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def children() -> set[str]:
    """The processes that this one has started and that have not ended."""
    return {pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


async def left_behind(mark: str) -> list[str]:
    """Processes with this mark in their command line, when they have had time to end."""
    found: list[str] = []
    for _ in range(CHECKS):
        found = []
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(entry.name)
        if not found:
            break
        await asyncio.sleep(0.05)
    return found


async def test_calls_cancelled_at_their_start_leave_no_process(sandbox):
    moments = random.Random(20)
    # The limit on open files marks the processes of these calls: it stands in their command line.
    limits = Limits(seconds=600, open_files=241)
    before, ours = descriptors(), children()
    for _ in range(CALLS):
        call = asyncio.create_task(sandbox.run("import time\ntime.sleep(600)", None, limits))
        await asyncio.sleep(moments.random() * 0.008)
        call.cancel()
        if moments.random() < 0.3:
            await asyncio.sleep(0)
            call.cancel()  # somebody is impatient
        with pytest.raises(asyncio.CancelledError):
            await call
        assert children() <= ours
    assert await left_behind('"NOFILE": 241') == []
    assert descriptors() == before


async def test_readers_cancelled_at_their_start_leave_no_process():
    moments = random.Random(21)
    mark = f"readers-of-{os.getpid()}"
    command = (sys.executable, "-I", "-m", "gaia_harness.tools.reader_worker", mark)
    async with ReaderPool(workers=8, command=command) as pool:
        for _ in range(5):
            calls = [asyncio.create_task(pool.read(b"a,b\n1,2\n", "x.csv")) for _ in range(8)]
            for call in calls:
                await asyncio.sleep(moments.random() * 0.002)
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
    assert await left_behind(mark) == []
