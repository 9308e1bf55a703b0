"""Memory that no limit on a process counts. Each program tries to hold far more than it may."""

import asyncio
import os

import pytest
from sandbox_memory import END, ESCAPES, LIMIT, START

from gaia_harness.tools import memory_watch
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
    assert output.is_error and "BROKEN" not in output.text, output.text
    assert "more than 256 MiB of memory" in output.text or "Error" in output.text, output.text


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
