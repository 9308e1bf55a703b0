"""Memory that no limit on a process counts. Each program tries to hold far more than it may."""

import asyncio
import os
import socket

import pytest

from gaia_harness.tools import memory_watch
from gaia_harness.tools.containment import Limits
from gaia_harness.tools.python import PythonTool
from gaia_harness.tools.sandbox import Sandbox, find_sandbox

LIMIT = 256 << 20
GOAL = 6 * LIMIT  # the programs stop here by themselves, so that a wall that does not hold does no harm
START = f"""
import ctypes, mmap, os, socket, time
GOAL = {GOAL}
def fill(end):
    end.setblocking(False)
    sent = 0
    try:
        while True:
            sent += end.send(bytes(1 << 16))
    except BlockingIOError:
        return sent
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
def shared(fd, flags):
    held = 0
    while held < GOAL:
        address = libc.mmap(None, 32 << 20, 3, flags, fd, 0)
        if address in (None, 2**64 - 1):
            raise OSError(ctypes.get_errno(), "mmap")
        ctypes.memset(address, 1, 32 << 20)
        libc.munmap(address + 4096, (32 << 20) - 4096)
        held += 32 << 20
"""
END = """
print("BROKEN: everything was held", flush=True)
time.sleep(5)
"""
ESCAPES = {
    "Unix sockets of many processes": """
reading, writing = os.pipe()
for _ in range(60):
    if os.fork() == 0:
        held, keep = 0, []
        while len(keep) < 200 and held < GOAL // 20:
            pair = socket.socketpair()
            keep += pair
            held += fill(pair[0]) + fill(pair[1])
        os.write(writing, held.to_bytes(8, "big"))
        time.sleep(9)
held = 0
while held < GOAL:
    held += int.from_bytes(os.read(reading, 8), "big")
""",
    "Unix sockets with larger buffers": """
held, keep = 0, []
while held < GOAL:
    pair = socket.socketpair()
    keep += pair
    for end in pair:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 << 20)
        held += fill(end)
""",
    "connections that nobody accepted": """
server = socket.socket(socket.AF_UNIX)
server.bind("\\0x")
server.listen(4096)
held = 0
while held < GOAL:
    with socket.socket(socket.AF_UNIX) as end:
        end.connect("\\0x")
        held += fill(end)
""",
    "datagrams of senders that are gone": """
held, keep = 0, []
while held < GOAL:
    keep.append(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    keep[-1].bind(f"\\0{len(keep)}")
    for _ in range(11):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
            held += end.sendto(bytes(200_000), f"\\0{len(keep)}")
""",
    "shared memory that is no longer mapped": "shared(-1, 0x21)",
    "shared memory of /dev/zero": "shared(os.open('/dev/zero', os.O_RDWR), 1)",
    "shared memory that is no longer resident": """
area = mmap.mmap(-1, GOAL)
for at in range(0, GOAL, 4096):
    area[at] = 1
    if at % (32 << 20) == 0:
        area.madvise(mmap.MADV_DONTNEED)
area.madvise(mmap.MADV_DONTNEED)
""",
    "semaphores": """
for _ in range(GOAL // (32_000 * 64)):
    if libc.semget(0, 32_000, 0o600) < 0:
        raise OSError(ctypes.get_errno(), "semget")
""",
    "pages given to pipes": """
class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
keep, page = [], 2 << 20
for _ in range(GOAL // (16 * page)):
    keep.append(os.pipe())
    for _ in range(16):
        address = libc.mmap(None, 2 * page, 3, 0x22, -1, 0)
        whole = -(-address // page) * page
        libc.madvise(ctypes.c_void_p(whole), ctypes.c_size_t(page), 14)
        ctypes.memset(whole, 1, page)
        if libc.vmsplice(keep[-1][1], ctypes.byref(Piece(whole, 4096)), 1, 0) < 0:
            raise OSError(ctypes.get_errno(), "vmsplice")
        libc.munmap(address, 2 * page)
""",
    "names of empty files": """
for number in range(GOAL // 1000):
    os.mknod(f"/tmp/{number:0200d}")
""",
}


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


def test_every_kind_of_memory_is_counted():
    """Against the kernel's own figures for this process: sockets and files are not left out by a change of format."""
    before = memory_watch.queued(os.getpid())
    with socket.socketpair()[0], socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.sendto(bytes(30_000), receiver.getsockname())
        assert memory_watch.queued(os.getpid()) - before > 200_000 + 30_000
    server = socket.create_server(("127.0.0.1", 0))
    with server, socket.create_connection(server.getsockname()) as end:
        before = memory_watch.queued(os.getpid())
        end.setblocking(False)
        sent = end.send(bytes(1 << 20))
        assert memory_watch.queued(os.getpid()) - before >= sent // 2  # the kernel counts in steps
    assert os.getpid() in memory_watch.descendants(os.getppid())
    assert memory_watch.in_files(os.getpid()) is None  # not a sandbox
