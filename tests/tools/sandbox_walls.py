"""Ways to try to get out of the sandbox. A program says HELD when the wall held, anything else when it did not."""

import os
from pathlib import Path

SECRET = "planted-secret-9f1c"


def refused(statement: str) -> str:
    """A program that holds when the statement raises an OSError or ImportError."""
    return f"""
import ctypes, os, pathlib, socket, subprocess
try:
    found = {statement}
except (OSError, ImportError) as error:
    print("HELD", error)
else:
    print("BROKEN", found)
"""


def walls(secret: Path, answer_key: Path, loopback_port: int, own_pid: int) -> dict[str, str]:
    """Attempts by name. `secret` is a file of the user, such as a judge cache; `own_pid` is the harness's process."""
    libc = "ctypes.CDLL(None, use_errno=True)"
    return {
        "user's file by path": refused(f"open({str(secret)!r}).read()"),
        "user's file by a symlink": refused(
            f"(os.symlink({str(secret)!r}, 'link'), open('link').read(), os.unlink('link'))"
        ),
        "user's file through another process's root": refused(f"open('/proc/1/root{secret}').read()"),
        "answer key by path": refused(f"open({str(answer_key)!r}).read()"),
        "answer key by import": refused("__import__('gaia_harness')"),
        "answer key by import of the module": refused("__import__('gaia_harness.tasks.answers')"),
        "passwords": refused("open('/etc/shadow').read()"),
        "write to the system": refused("open('/usr/lib/planted', 'w')"),
        "write to the root": refused("os.mkdir('/planted')"),
        "write to etc": refused("open('/etc/planted', 'w')"),
        "write to dev": refused("open('/dev/planted', 'w')"),
        "write to the packages": refused("open('/packages/planted.py', 'w')"),
        "write to a mask or the interpreter": refused("open(os.__file__, 'a')"),
        "become root": refused("os.setuid(0)"),
        "change the attachment": refused("open('attachment.txt', 'a')"),
        "remove the attachment": refused("os.unlink('attachment.txt')"),
        "replace the attachment": refused("(open('other', 'w').close(), os.rename('other', 'attachment.txt'))"),
        "change the attachment's rights": refused("os.chmod('attachment.txt', 0o777)"),
        "connect to the host's loopback": refused(f"socket.create_connection(('127.0.0.1', {loopback_port}), 2)"),
        "connect to the world": refused("socket.create_connection(('192.0.2.1', 80), 2)"),
        "ask a name server": refused("socket.getaddrinfo('example.org', 80)"),
        "signal the harness": f"""
import os
try:
    os.kill({own_pid}, 0)
    print("BROKEN" if open("/proc/{own_pid}/cmdline").read().find("pytest") >= 0 else "HELD")
except OSError as error:
    print("HELD", error)
""",
        "processes of the host": f"""
import os, pathlib
seen = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
texts = []
for pid in seen:
    for name in ("environ", "cmdline", "maps"):
        try:
            texts.append(pathlib.Path(f"/proc/{{pid}}/{{name}}").read_bytes())
        except OSError:
            pass
print("HELD" if len(seen) < 8 and {SECRET!r}.encode() not in b"".join(texts) else f"BROKEN {{seen}} {{texts}}")
""",
        "environment": """
import os
print("BROKEN" if any("KEY" in name or "planted" in value for name, value in os.environ.items()) else "HELD")
""",
        "rights": """
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
caps = [int(status[name], 16) for name in ("CapPrm", "CapEff", "CapAmb")]
ok = os.getuid() and os.geteuid() and os.getgid() and not any(caps) and status["NoNewPrivs"].strip() == "1"
print("HELD" if ok and all(os.getresuid()) else f"BROKEN {os.getresuid()} {caps}")
""",
        "descriptors": """
import os
fds = sorted(os.listdir("/proc/self/fd"), key=int)
print("HELD" if fds == ["0", "1", "2", "3"] and os.read(0, 1) == b"" else f"BROKEN {fds}")
""",
        "memory outside all limits": f"""
import ctypes, os
libc = {libc}
try:
    fd = os.memfd_create("x")
    print("BROKEN memfd")
except PermissionError:
    print("HELD" if libc.shmget(0, 1 << 20, 0o1600) == -1 else "BROKEN shm")
""",
        "a socket to the machine around us": refused("socket.socket(socket.AF_VSOCK)"),
        "a socket for packets": refused("socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"),
        "shared memory without a file": refused("__import__('mmap').mmap(-1, 4096)"),
        "shared memory of zeros": refused("__import__('mmap').mmap(os.open('/dev/zero', os.O_RDWR), 4096)"),
        "paths of the host in command lines": f"""
import os, pathlib
said = b"".join(pathlib.Path("/proc", pid, "cmdline").read_bytes() for pid in os.listdir("/proc") if pid.isdigit())
print("BROKEN" if {str(answer_key.parent).encode()!r} in said or b"bind" in said else "HELD")
""",
        "a user namespace of one's own": f"""
import ctypes
libc = {libc}
tries = [libc.unshare(0x10000000), libc.unshare(0x10020000), libc.mount(b"x", b"/tmp", b"tmpfs", 0, None)]
tries.append(libc.syscall(56 if __import__("platform").machine() == "x86_64" else 220, 0x10000011, 0, 0, 0, 0))
print("HELD" if tries == [-1] * 4 else f"BROKEN {{tries}}")
""",
    }


def standing_processes(mark: str) -> list[int]:
    """Processes of this machine with `mark` in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                pass
    return found
