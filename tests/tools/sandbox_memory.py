"""Programs that try to hold far more memory than they may, outside of any process."""

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
time.sleep(30)
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
        time.sleep(40)
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
    "TCP connections within the sandbox": """
reading, writing = os.pipe()
for _ in range(20):
    if os.fork() == 0:
        server, keep, held = socket.create_server(("127.0.0.1", 0)), [], 0
        while len(keep) < 200:
            keep.append(socket.create_connection(server.getsockname()))
            keep.append(server.accept()[0])
            held += fill(keep[-2])
        os.write(writing, held.to_bytes(8, "big"))
        time.sleep(40)
held = 0
while held < GOAL // 2:
    held += int.from_bytes(os.read(reading, 8), "big")
""",
    "datagrams of senders that are gone": """
held, keep = 0, []
while held < GOAL // 2:
    keep.append(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    keep[-1].bind(f"\\0{len(keep)}")
    for _ in range(10):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 425_984)
            held += end.sendto(bytes(400_000), f"\\0{len(keep)}")
""",
    "shared memory that is no longer mapped": "shared(-1, 0x21)",
    "shared memory of /dev/zero": "shared(os.open('/dev/zero', os.O_RDWR), 1)",
    "shared memory that is no longer resident": """
reading, writing = os.pipe()
size = GOAL // 12
for _ in range(12):
    if os.fork() == 0:
        try:
            area = mmap.mmap(-1, size)
            for at in range(0, size, 1 << 20):
                area[at : at + (1 << 20)] = bytes(1 << 20)
                area.madvise(mmap.MADV_DONTNEED)
            os.write(writing, b"1")
            time.sleep(40)
        except OSError as error:
            os.write(writing, b"0")
        os._exit(0)
if b"0" in [os.read(reading, 1) for _ in range(12)]:
    raise OSError("shared memory was refused")
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
