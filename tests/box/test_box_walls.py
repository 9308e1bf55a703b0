"""Programs that try to get out of the box, or to see what is not for them."""

import os
import socket
import threading
from pathlib import Path

import msgspec
import pytest
from boxed import KEY, ask, boxed_agent, folder_of, needs_box, tried

import gaia_harness
from gaia_harness.attempts.boxing import same_agent
from gaia_harness.box.agents import find_agent
from gaia_harness.box.boxing import Box, BoxLimits, Mounts
from gaia_harness.box.folder_hash import folder_sha256
from gaia_harness.box.refused_sockets import NO_SUCH_SOCKETS
from gaia_harness.errors import RunError, UsageError
from gaia_harness.run.boxed_run import agent_config, origin_of
from gaia_harness.tools.base import Attachment

TRY = """
import ctypes, errno, json, os, socket
found = {}
def attempt(name, act):
    try:
        found[name] = repr(act())[:2000]
    except OSError as error:
        found[name] = errno.errorcode[error.errno] if error.errno else type(error).__name__
def connected(family, *place):
    with socket.socket(family) as sock:
        sock.settimeout(10)
        sock.connect(place if len(place) > 1 else place[0])
        return "connected"
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    if getattr(libc, name)(*args) < 0:
        raise OSError(ctypes.get_errno(), name)
"""

SOCKETS = """
def sent(place):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(10)
        sock.connect(place)
        sock.send(b"x")
        return sock.recv(10)
for host, port in (("1.2.3.4", 22), ("10.0.0.1", 5432), ("127.0.0.1", %(port)d), ("8.8.8.8", 853), ("8.8.8.8", 53)):
    attempt(f"{host}:{port}", lambda: connected(socket.AF_INET, host, port))
attempt("::1", lambda: connected(socket.AF_INET6, "::1", 80))
attempt("v6", lambda: connected(socket.AF_INET6, "2001:4860:4860::8888", 443))
attempt("udp", lambda: sent(("1.1.1.1", 123)))
attempt("quic", lambda: sent(("1.1.1.1", 443)))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("raw6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM, 0))
attempt("crypto", lambda: socket.socket(38, socket.SOCK_SEQPACKET, 0))
attempt("abstract", lambda: connected(socket.AF_UNIX, "\\0gaia-box-test-%(pid)d"))
print(json.dumps(found))
"""


async def test_only_the_gateway_is_reached_by_whatever_socket(tmp_path):
    with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as unix:
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        unix.bind(f"\0gaia-box-test-{os.getpid()}")  # no folder holds it back, the network namespace does
        unix.listen()
        script = TRY + SOCKETS % {"port": tcp.getsockname()[1], "pid": os.getpid()}
        got = await tried(tmp_path, script)
    found = got.said
    refused = {name: said for name, said in found.items() if said == "ECONNREFUSED"}
    here = next(name for name in found if name.startswith("127.0.0.1:"))
    assert set(refused) == {
        *("1.2.3.4:22", "10.0.0.1:5432", here, "8.8.8.8:853", "8.8.8.8:53", "::1", "v6", "udp", "quic", "abstract"),
    }
    assert {name: found[name] for name in found if name not in refused} == {
        "raw": "EPERM",
        "raw6": "EPERM",
        "packet": "EAFNOSUPPORT",
        "vsock": "EAFNOSUPPORT",
        "crypto": "EAFNOSUPPORT",
    }
    places = (
        "1.2.3.4:22",
        "10.0.0.1:5432",
        here,
        "8.8.8.8:853",
        "8.8.8.8:53",
        "[::1]:80",
        "[2001:4860:4860::8888]:443",
    )
    sockets = [where for where, why in got.refused if why == NO_SUCH_SOCKETS]
    assert [where for where, _ in got.refused if where not in sockets] == [*places, "1.1.1.1:123", "1.1.1.1:443"]
    assert sockets == [
        "socket(AF_INET, SOCK_RAW, 1)",
        "socket(AF_INET6, SOCK_RAW, 58)",
        "socket(AF_PACKET, SOCK_RAW, 0)",
        "socket(AF_VSOCK, SOCK_STREAM, 0)",
        "socket(AF_ALG, SOCK_SEQPACKET, 0)",
    ]
    named = [step.sources[0].url for step in got.results("agent.refused") if step.sources]
    assert named[-3:] == [f"tcp://{places[-1]}", "udp://1.1.1.1:123", "udp://1.1.1.1:443"]


RIGHTS = """
for name, args in {
    "ptrace": (16, 1, 0, 0), "mount": (b"none", b"/tmp", b"tmpfs", 0, None), "unshare": (0x10000000,),
    "setns": (0, 0), "umount2": (b"/agent", 2), "chroot": (b"/tmp",), "setuid": (0,), "kill": (1, 9),
}.items():
    attempt(name, lambda: call(name, *args))
attempt("listener", lambda: call("syscall", {"x86_64": 317, "aarch64": 277}[os.uname().machine], 1, 8, None))
for path in ("/agent/x", "/agent/main.py", "/x", "/etc/resolv.conf", "/usr/x", "/proc/sys/net/ipv4/ip_forward"):
    attempt(path, lambda: open(path, "w"))
others = [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()]
for pid in others:
    for name in ("environ", "mem", "maps"):
        attempt(f"{name} of {pid}", lambda: open(f"/proc/{pid}/{name}", "rb").read(1))
    attempt(f"fd of {pid}", lambda: os.listdir(f"/proc/{pid}/fd"))
    attempt(f"root of {pid}", lambda: os.listdir(f"/proc/{pid}/root/"))
route = bytes.fromhex("1c000000180005060100000000000000") + bytes(12)
def add_route():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as sock:
        sock.send(route)
        raise OSError(-int.from_bytes(sock.recv(100)[16:20], "little", signed=True), "netlink")
attempt("route", add_route)
caps = [line.split()[1] for line in open("/proc/self/status") if line.startswith(("CapEff", "CapPrm", "CapAmb"))]
status = [line.split() for pid in (1, 2) for line in open(f"/proc/{pid}/status")]
filters = [int(words[1]) for words in status if words[0] == "Seccomp_filters:"]
print(json.dumps([found, caps, sorted(map(int, others)), sorted(os.listdir("/proc/self/fd")), filters]))
"""


async def test_nobody_in_the_box_has_rights_or_looks_into_others(tmp_path):
    found, caps, others, descriptors, filters = (await tried(tmp_path, TRY + RIGHTS)).said
    assert others == [1, 2]  # bubblewrap and our starter; no process of the machine
    assert (
        len(filters) == 2 and min(map(int, filters)) >= 2
    )  # the launcher's and bubblewrap's: without them, whoever takes over bubblewrap's process would have more rights
    if os.geteuid() != 0:  # bubblewrap has the same user then: it has seen nothing that is not for the agent
        assert found.pop("environ of 1") in ("b'L'", "b''")  # Python's own LC_CTYPE
        for name in ("kill", "mem of 1", "maps of 1", "fd of 1", "root of 1"):
            del found[name]
        assert found.pop("setuid") == "EINVAL"
    assert set(found.values()) <= {"EPERM", "EACCES", "EROFS"}, found
    assert {int(each, 16) for each in caps} == {0}
    assert descriptors == ["0", "1", "2", "3"]  # 3 is the folder that is being listed


async def test_what_is_not_for_the_agent_is_not_there(tmp_path):
    secret = tmp_path / "agent" / "keys"
    folder = folder_of(tmp_path / "agent", TRY + SEEN)
    secret.mkdir()
    (secret / "gold.txt").write_text("the gold answer of Grimble")
    (folder / ".git").mkdir()
    (folder / ".git" / "notes").write_text("the gold answer of Grimble")
    mine, others = tmp_path / "3b1-mine.txt", tmp_path / "4c2-other.txt"
    mine.write_text("mine")
    others.write_text("the gold answer of Grimble")
    boxed = boxed_agent(folder, hidden=(secret, tmp_path / "set"), base_url="http://127.0.0.1:1/v1")
    got = await ask(boxed, attachment=Attachment(path=mine, name="attachment.txt"))
    files, environment, command = got.said
    assert files["/task"] == ["attachment.txt"]
    assert files["/agent/keys"] == files["/agent/.git"] == []
    assert files["found"] == []
    assert KEY not in environment + command
    assert str(tmp_path) not in command  # no path of the machine, in which the task's id could stand
    assert "3b1" not in environment + command


SEEN = """
files = {folder: sorted(os.listdir(folder)) for folder in ("/task", "/agent/keys", "/agent/.git")}
looked = []
for top in ("/agent", "/task", "/home", "/tmp", "/etc", "/dev/shm"):
    for where, _, names in os.walk(top, onerror=lambda error: None):
        for name in names:
            try:
                with open(os.path.join(where, name), "rb") as file:
                    text = file.read(1 << 20) if os.path.isfile(file.name) else b""
            except OSError:
                continue
            if b"the gold answer of" + b" Grimble" in text:
                looked.append(os.path.join(where, name))
files["found"] = looked
command = "".join(open(f"/proc/{pid}/cmdline").read() for pid in (1, 2))
print(json.dumps([files, " ".join(f"{k}={v}" for k, v in os.environ.items()), command]))
"""


async def test_our_package_is_hidden_from_an_agent_in_the_same_folders(tmp_path):
    needs_box()
    package = Path(gaia_harness.__file__).parent
    box = Box(needs_box(), Mounts(agent=package.parent), b"-----BEGIN CERTIFICATE-----\n")
    script = "import os; print(os.listdir('/agent/gaia_harness'), os.path.exists('/agent/gaia_harness/tasks'))"

    class Nobody:
        async def __aenter__(self):
            return self

        async def __aexit__(self, *_):
            return None

    limits = BoxLimits(seconds=30)
    done = await box.run(["/usr/bin/python3", "-c", script], {}, None, limits, lambda doors: Nobody(), cwd="/")
    assert done.out.head == b"[] False\n", done.errors.head


@pytest.mark.parametrize("place", ["bin/tool", ".local/bin/tool", "tool"])
def test_a_program_in_a_home_does_not_show_the_home(tmp_path, place):
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".local" / "share" / "keyrings").mkdir(parents=True)
    program = tmp_path / place
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    env = {"HOME": str(tmp_path), "PATH": f"{program.parent}:/usr/bin:/bin"}
    agent = find_agent("tool", None, "openai/x", env)
    assert agent.argv == (str(program),)
    assert agent.programs == (program,)
    with pytest.raises(UsageError, match="is your home"):
        find_agent("python3 main.py", tmp_path, "openai/x", env)


def test_a_program_may_be_named_by_its_whole_path(tmp_path):
    folder, others = folder_of(tmp_path / "agent", "print(1)"), tmp_path / "others" / "bin"
    others.mkdir(parents=True)
    for program in (others / "tool", folder / "own"):
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    agent = find_agent(f"{others / 'tool'} main.py", folder, "openai/x", {"PATH": "/usr/bin"})
    assert (agent.argv, agent.programs) == ((str(others / "tool"), "main.py"), (tmp_path / "others",))
    for word in (folder / "own", "own", "./own"):
        assert find_agent(str(word), folder, "openai/x", {"PATH": "/usr/bin"}).argv == ("/agent/own",)


def test_a_socket_or_a_pipe_in_the_agents_folder_is_refused(tmp_path):
    folder = folder_of(tmp_path / "agent", "print(1)")
    os.mkfifo(folder / "way-out")
    with pytest.raises(UsageError, match="a socket, a pipe or a device"):
        folder_sha256(folder)


def test_what_is_compiled_is_part_of_the_hash_and_what_is_left_out_is_not_shown(tmp_path):
    folder = folder_of(tmp_path / "agent", "print(1)")
    before = folder_sha256(folder)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("x")
    assert folder_sha256(folder) == before
    agent = find_agent("python3 main.py", folder, "openai/x", {"PATH": "/usr/bin"})
    assert agent.left_out == (folder / ".git",)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "main.cpython-311.pyc").write_bytes(b"other code")
    assert folder_sha256(folder) != before


def test_packages_that_a_link_leads_to_are_not_in_the_hash_and_stated_beside_it(tmp_path):
    folder, env = folder_of(tmp_path / "agent", "print(1)"), {"PATH": "/usr/bin"}
    assert agent_config("python3 main.py", folder, "openai/x", env).packages is msgspec.UNSET
    packages = tmp_path / "others" / "lib" / "python3.11" / "site-packages"
    (packages / "lamp-1.0.dist-info").mkdir(parents=True)
    (folder / ".venv").symlink_to(tmp_path / "others")
    (tmp_path / "others" / "bin").mkdir()
    begun = agent_config("python3 main.py", folder, "openai/x", env)
    assert str(begun.packages).startswith("1 packages, sha256 ")
    assert origin_of(same_agent(begun, "openai/x", env)).options["packages"] == begun.packages
    (packages / "lamp-1.0.dist-info").rename(packages / "lamp-1.1.dist-info")
    assert find_agent("python3 main.py", folder, "openai/x", env).sha256 == begun.sha256
    with pytest.raises(RunError, match="is not the one that this run was started with"):
        same_agent(begun, "openai/x", env)
    same_agent(msgspec.structs.replace(begun, packages=msgspec.UNSET), "openai/x", env)  # of a version that had none


def test_a_key_in_the_agents_folder_or_variables_is_refused(tmp_path):
    folder = folder_of(tmp_path / "agent", "print(1)", {".env": f"OPENAI_API_KEY={KEY}\n"})
    env = {"PATH": "/usr/bin", "OPENAI_API_KEY": KEY}
    with pytest.raises(UsageError, match=r"\.env: has the value of OPENAI_API_KEY"):
        find_agent("python3 main.py", folder, "openai/x", env)
    (folder / ".env").unlink()
    (folder / "agent.toml").write_text(f'command = "python3 main.py"\nvariables = {{ TOKEN = "Bearer {KEY}" }}\n')
    with pytest.raises(UsageError, match="TOKEN would take a key into the box") as refused:
        find_agent(str(folder), None, "openai/x", env)
    assert KEY not in str(refused.value)


def test_runs_within_the_agents_folder_are_not_part_of_it(tmp_path):
    """Their results have the golds in them."""
    folder = folder_of(tmp_path / "agent", "print(1)")
    before = folder_sha256(folder)
    run = folder / "runs" / "first"
    run.mkdir(parents=True)
    for name in ("run.json", "log.jsonl", "results.jsonl"):
        (run / name).write_text("{}")
    agent = find_agent("python3 main.py", folder, "openai/x", {"PATH": "/usr/bin"})
    assert (agent.sha256, agent.left_out) == (before, (run,))


async def test_nothing_listens_outside_of_the_box(tmp_path):
    """The gateway's sockets live in the box's own network: others on the machine cannot reach them."""
    seen: list[set[str]] = []
    done = threading.Event()

    def watch():
        while not done.wait(0.02):
            tables = (Path(f"/proc/self/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6", "udp"))
            seen.append({line.split()[1] + line.split()[3] for table in tables for line in table})

    script = "import socket, time; socket.create_connection(('127.0.0.1', 8317)); time.sleep(0.3); print('{}')"
    before = {line.split()[1] for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:]}
    thread = threading.Thread(target=watch)
    thread.start()
    try:
        assert (await tried(tmp_path, script)).said == {}
    finally:
        done.set()
        thread.join()
    ports = {int(place.rpartition(":")[2][:4], 16) for places in seen for place in places if place[:13] not in before}
    assert seen and not ports & {8317, 443, 80, 53}
