"""The first program in a box, before the agent. It is run there as `python -c`, on its own.

It may import nothing but the standard library. Its one argument is a JSON object: `uid`, `rlimits`, `argv`, `cwd`,
`answer` (the path of the file in which the agent may leave its answer) and `report` (the descriptor of a file). It
starts the agent, waits for its end, and writes there how that was and what stands in the answer's file. With `channel`
(the descriptor of a Unix socket) and `ports`, it first listens at these and hands the listening sockets out.
"""

import base64
import ctypes
import json
import os
import resource
import signal
import stat
import subprocess
import sys

LONGEST_ANSWER = 64 << 10
PR_SET_DUMPABLE = 4


def main(settings: dict) -> int:  # type: ignore[type-arg]
    """Take on the limits, run the agent, report."""
    report = settings["report"]
    os.set_inheritable(report, False)
    if settings.get("channel") is not None:
        hand_out_doors(settings["channel"], settings["ports"])
    confine(settings)
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)  # the agent has the same uid, and the report is not for it
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    said: dict = {}  # type: ignore[type-arg]
    try:
        agent = subprocess.Popen(settings["argv"], cwd=settings["cwd"], restore_signals=True)
        said["status"] = agent.wait()
    except OSError as error:
        said["not_started"] = f"{settings['argv'][0]}: {error.strerror or error}"
    said["memory"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    try:
        file = os.open(settings["answer"], os.O_RDONLY | os.O_NONBLOCK)  # which may be a pipe that nobody writes to
        if stat.S_ISREG(os.fstat(file).st_mode):
            said["answer"] = base64.b64encode(os.read(file, LONGEST_ANSWER)).decode()
    except OSError:
        pass
    os.write(report, json.dumps(said).encode() + b"\n")
    return int(said.get("status", 127)) % 256


def hand_out_doors(channel: int, ports: list) -> None:  # type: ignore[type-arg]
    """Give the gateway its sockets in a network that bubblewrap has made, and wait until somebody answers at them."""
    import socket

    doors = [socket.create_server(("127.0.0.1", port), backlog=512) for port in ports]
    with socket.socket(fileno=channel) as out:
        socket.send_fds(out, [b"proxy"], [door.fileno() for door in doors])
        if out.recv(2) != b"go":
            sys.exit(1)  # the gateway did not take them
    for door in doors:
        door.close()


def confine(settings: dict) -> None:  # type: ignore[type-arg]
    """Drop to a user of no rights if still root, and set the limits of this process and its children."""
    if settings["uid"] is not None:
        os.setgroups([])
        os.setresgid(settings["uid"], settings["uid"], settings["uid"])
        os.setresuid(settings["uid"], settings["uid"], settings["uid"])
    for name, value in settings["rlimits"].items():
        kind = getattr(resource, "RLIMIT_" + name)
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
    try:
        with open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
            file.write("900")
    except OSError:
        pass


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
