"""Memory that no limit on a process counts. Each program tries to hold far more than it may."""

import asyncio
import os
import sys
import time

import pytest
from sandbox_memory import END, ESCAPES, LIMIT, START

from gaia_harness.tools import containment, memory_watch
from gaia_harness.tools.containment import Limits
from gaia_harness.tools.python import PythonTool
from gaia_harness.tools.sandbox import Sandbox, find_sandbox


@pytest.fixture(scope="module")
def watched() -> Sandbox:
    """A sandbox without a cgroup, also where there is one."""
    search = asyncio.run(find_sandbox())
    if search.sandbox is None:
        pytest.skip(f"no sandbox here: {search.reason}")
    return Sandbox(search.sandbox._bwrap, "test")


@pytest.fixture(scope="module")
def grouped() -> Sandbox:
    search = asyncio.run(find_sandbox())
    if search.sandbox is None or search.sandbox.memory != "cgroup v2":
        pytest.skip("no cgroup can be used here")
    return search.sandbox


def limits() -> Limits:
    return Limits(memory=LIMIT, seconds=120)


@pytest.mark.parametrize("name", sorted(ESCAPES))
async def test_memory_outside_of_processes_is_limited(name, watched):
    output = await PythonTool(watched, limits=limits()).call({"code": START + ESCAPES[name] + END})
    stopped, refused = "[Stopped: the code used more than 256 MiB of memory.]" in output.text, "Error" in output.text
    # The watch may see it a moment late, but it sees it.
    assert stopped or (refused and output.is_error and "BROKEN" not in output.text), output.text


@pytest.mark.parametrize("name", sorted(ESCAPES))
async def test_memory_outside_of_processes_is_limited_by_a_cgroup(name, grouped):
    output = await PythonTool(grouped, limits=limits()).call({"code": START + ESCAPES[name] + END})
    assert output.is_error and "BROKEN" not in output.text, output.text


async def test_ordinary_use_of_sockets_and_shared_files_goes_on(watched):
    code = """
import asyncio, http.server, mmap, multiprocessing, socket, threading, urllib.request
from multiprocessing import shared_memory

def square(number):
    return number * number

with multiprocessing.get_context("fork").Pool(4) as pool:
    print(pool.map(square, range(5)))
block = shared_memory.SharedMemory(create=True, size=32 << 20)
block.buf[:] = bytes([7]) * len(block.buf)
print(block.buf[-1])
block.close()
block.unlink()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"served")
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
for _ in range(50):
    said = urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/").read()
print(said)
async def main():
    process = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    return await process.communicate(b"through a pipe")
print(asyncio.run(main())[0], len(open("/dev/zero", "rb").read(1000).strip(b"\\0")))
"""
    output = await PythonTool(watched).call({"code": code})
    assert output.text.splitlines() == ["[0, 1, 4, 9, 16]", "7", "b'served'", "b'through a pipe' 0"]


def test_only_a_sandbox_has_files_in_memory_that_count():
    assert memory_watch.in_files(os.getpid()) is None


async def test_a_busy_machine_does_not_make_the_watch_look_away(monkeypatch):
    """A look that takes long by the clock, because others have the processor, is followed by another one soon."""
    waits = []

    def slow(root: int) -> list[int]:
        time.sleep(0.1)
        return []

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            raise EOFError

    monkeypatch.setattr(memory_watch, "descendants", slow)
    monkeypatch.setattr(memory_watch.asyncio, "sleep", wait)
    with pytest.raises(EOFError):
        await memory_watch.memory_exceeded(os.getpid(), None, 1 << 40)
    assert max(waits) <= 0.25


async def test_the_watch_sees_the_sandbox_when_its_status_comes_in_pieces():
    """A stand-in for bubblewrap writes the line by which we learn of the first process slowly, and waits."""
    script = """
import os, sys, time
fd = int(sys.argv[1])
for piece in ('{ "child-pid": %d' % os.getpid(), ', "net-namespace": 1', ' }', chr(10), '{ "exit-code": 0 }' + chr(10)):
    os.write(fd, piece.encode())
    time.sleep(0.05)
"""
    told = bytearray()
    reading, writing = os.pipe()
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", script, str(writing), pass_fds=(writing,))
    os.close(writing)
    first = await containment._first_process(reading, told)
    assert first is not None and first.pid == child.pid
    os.close(first.pidfd)
    await child.wait()
    assert containment._exit_status(reading, told) == 0
    os.close(reading)
