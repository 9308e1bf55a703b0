"""Agents that do what no agent should: each comes to an end, is on record, and leaves nothing behind."""

import asyncio
import os
import threading
import time
from pathlib import Path

import pytest
from boxed import ASK, RAW, Unlimited, ask, boxed_agent, folder_of, tried

from gaia_harness.attempts.budget import Budget, Metered
from gaia_harness.box import gateway
from gaia_harness.box.boxing import BoxLimits
from gaia_harness.box.purse import Allowance
from gaia_harness.errors import ToolError
from gaia_harness.models.of_agent import ModelOfAgent
from provider_server import Says, provider_server

ENDS = {
    "prints a gigabyte": (
        "import sys\nwhile True: sys.stdout.write('x' * 1000000)",
        {"limits": BoxLimits(seconds=60, output_bytes=8 << 20)},
        ("the agent printed more than it may", None),
    ),
    "prints a gigabyte of errors": (
        "import sys\nwhile True: sys.stderr.write('x' * 1000000)",
        {"limits": BoxLimits(seconds=60, output_bytes=8 << 20)},
        ("the agent printed more than it may", None),
    ),
    "forks without end": (
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        {"limits": BoxLimits(seconds=2, processes=16)},
        ("the agent did not end in time", None),
    ),
    "never answers": (
        "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('FINAL ANSWER: 1', flush=True)\ntime.sleep(99)",
        {"limits": BoxLimits(seconds=1)},
        ("the agent did not end in time", None),
    ),
    "dies": ("import os; os.kill(os.getpid(), 11)", {}, ("no answer; the agent was killed by signal 11", None)),
    "kills its starter": (
        "import os, time\nprint('FINAL ANSWER: 5', flush=True); os.kill(2, 9); time.sleep(60)",
        {},
        (None, "5"),
    ),
    "fills its disk": (
        """
        import errno
        for folder in ("/task", "/tmp", "/home/agent", "/dev/shm"):
            try:
                with open(folder + "/x", "wb", buffering=0) as file:
                    while True: file.write(bytes(1 << 16))
            except OSError as error:
                assert error.errno == errno.ENOSPC, error
        print("FINAL ANSWER: full")
        """,
        {"limits": BoxLimits(seconds=60, tmp_bytes=1 << 20)},
        (None, "full"),
    ),
    "takes all memory": (
        "x = []\nwhile True: x.append(bytearray(1 << 24))",
        {"limits": BoxLimits(seconds=60, memory=256 << 20)},
        ("the agent used more memory than it may", None),
    ),
    "leaves children with its pipes": (
        "import subprocess; subprocess.Popen(['sleep', '99'], start_new_session=True); print('FINAL ANSWER: 2')",
        {},
        (None, "2"),
    ),
    "answers twice": ("print('FINAL ANSWER: 1')\nprint('FINAL ANSWER: 2')", {}, (None, "2")),
    "answers in its file too": (
        "import os; open(os.environ['GAIA_ANSWER'], 'w').write('3'); print('FINAL ANSWER: 2')",
        {},
        (None, "3"),
    ),
    "answers with a pipe": (
        "import os; os.mkfifo(os.environ['GAIA_ANSWER']); print('FINAL ANSWER: 2')",
        {},
        (None, "2"),
    ),
    "answers with a book": ("import os; open(os.environ['GAIA_ANSWER'], 'w').write('x' * 10**6)", {}, (None, "xxx")),
    "prints rubbish": (
        r"import sys; sys.stdout.buffer.write(bytes(range(256)) + b'\nFINAL ANSWER: 4\n\xe2\x82')",
        {},
        (None, "4"),
    ),
    "closes its output": (
        "import os; os.close(1); os.close(2); open(os.environ['GAIA_ANSWER'], 'w').write('6')",
        {},
        (None, "6"),
    ),
    "changes its own folder": (
        "try: open('main.py', 'w')\nexcept OSError as error: print('FINAL ANSWER:', error.errno)",
        {},
        (None, "30"),
    ),
    "is not there": ("#", {"command": "no-such-thing"}, ("the agent did not start", None)),
}


@pytest.mark.parametrize("name", ENDS)
async def test_a_bad_agent_comes_to_its_end(tmp_path, name):
    script, how, (error, answer) = ENDS[name]
    if "command" in how:
        boxed = boxed_agent(folder_of(tmp_path / "agent", script))
        boxed.agent = boxed.agent.__class__(**{**_fields(boxed.agent), "argv": ("/agent/none",)})
        got = await ask(boxed)
    else:
        got = await tried(tmp_path, script, **how)
    assert (got.result.error or "").startswith(error or "")
    assert (got.result.error is None) == (error is None)
    assert (got.result.answer or "")[:5].startswith(answer or "")
    assert got.failures == () and got.result.fault is None
    assert len(got.results("agent.program")) == 1
    assert mine() == []


def _fields(struct):
    return {name: getattr(struct, name) for name in struct.__struct_fields__}


def mine() -> list[str]:
    """Processes of ours that are left."""
    found = []
    for path in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        for pid in path.read_text().split():
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            found += [command.decode()] if b"bwrap" in command or b"launcher" in command else []
    return found


def mounted() -> list[str]:
    """What is mounted here, but for the small disks of tests that run at the same time."""
    return [line for line in Path("/proc/self/mounts").read_text().splitlines() if "pytest-of" not in line]


async def test_ten_attempts_leave_nothing_behind(tmp_path):
    """No descriptor, no process, no mount."""
    script = f"""
{ASK}
import subprocess, socket
subprocess.Popen(["sleep", "99"])
silent = socket.create_connection(("web.test", 443)), socket.create_connection(("web.test", 80))
print("FINAL ANSWER:", ask("Hello"))
"""
    with provider_server(lambda body: Says("42")) as provider:
        boxed = boxed_agent(folder_of(tmp_path / "agent", script), base_url=f"{provider.url}/v1")
        first = await ask(boxed)  # what is made once: clients, certificates
        assert first.result.answer == "42"
        await asyncio.sleep(0.05)  # for transports to close
        descriptors, mounts = open_descriptors(), mounted()
        for _ in range(10):
            got = await ask(boxed)
            assert (got.result.answer, got.failures) == ("42", ())
        await asyncio.sleep(0.05)  # for transports to close
        assert open_descriptors() == descriptors
        assert mounted() == mounts
        assert mine() == []
        await boxed.aclose()


def open_descriptors() -> list[str]:
    """Without those of the provider on loopback, which has a thread for each connection."""
    found = []
    for fd in Path("/proc/self/fd").iterdir():
        try:
            found.append(str(fd.readlink()).split(":[")[0])
        except FileNotFoundError:
            continue
    return sorted(found)


CALLS = f"""
{ASK}
import urllib.error
said = []
for number in range(5):
    try:
        said.append(ask(f"Question {{number}}"))
    except urllib.error.HTTPError as error:
        said.append((error.code, json.load(error)["error"]["message"]))
print("FINAL ANSWER: 7")
print(json.dumps(said))
"""


@pytest.mark.parametrize(
    ("allowance", "calls", "why"),
    [
        (Allowance(calls=2), 2, "--max-calls 2 is used up"),
        (Allowance(tokens=40), 3, "--max-tokens 40 is used up"),
    ],
)
async def test_a_budget_ends_the_models_answers_with_a_reason(tmp_path, allowance, calls, why):
    with provider_server(lambda body: Says("Well.")) as provider:
        got = await tried(tmp_path, CALLS, base_url=f"{provider.url}/v1", allowance=allowance)
    assert len(provider.seen) == calls
    assert got.said == ["Well."] * calls + [[403, why]] * (5 - calls)
    assert got.result.error == why


async def test_calls_at_once_do_not_get_past_the_budget(tmp_path):
    script = f"""
{ASK}
from concurrent.futures import ThreadPoolExecutor
def one(number):
    try: return ask(f"Question {{number}}")
    except OSError as error: return error.code
with ThreadPoolExecutor(20) as pool:
    print(json.dumps(sorted(map(str, pool.map(one, range(20))))))
"""

    def slowly(body):
        time.sleep(0.3)
        return Says("Well.")

    with provider_server(slowly) as provider:
        got = await tried(tmp_path, script, base_url=f"{provider.url}/v1", allowance=Allowance(calls=3))
    assert len(provider.seen) == 3
    assert got.said == ["403"] * 17 + ["Well."] * 3


async def test_a_call_that_ends_with_its_agent_is_paid_as_the_dearest(tmp_path, monkeypatch):
    """Or an agent that asks, and ends before the model has answered, would cost nothing."""
    monkeypatch.setattr(gateway, "GRACE", 0.1)
    script = f"{ASK}\nimport os, threading\nask('One')\n" + (
        "threading.Thread(target=ask, args=('Two',), daemon=True).start()\nask('Three')\nos._exit(0)"
    )
    asked_two, over = threading.Event(), threading.Event()

    def two_not_in_time(body):
        words = body["messages"][0]["content"]
        if words == "Two":
            asked_two.set()
            over.wait(60)
        elif words == "Three":
            asked_two.wait(60)
        return Says("Well.")

    budget = Budget(100.0)
    meter = Metered(ModelOfAgent("openai/m", "http://127.0.0.1:1/v1", {}), lambda usage: 3.0, lambda: budget)
    with provider_server(two_not_in_time) as provider:
        boxed = boxed_agent(folder_of(tmp_path / "agent", script), base_url=f"{provider.url}/v1")
        await ask(boxed, meter=meter)
        over.set()
    await boxed.aclose()
    assert (len(provider.seen), budget.spent, budget.reason) == (3, 9.0, None)


@pytest.mark.cases
async def test_many_silent_connections_do_not_take_our_descriptors(tmp_path):
    """TLS connections that never say a word are counted too."""
    script = f"""
{ASK}
import socket
held = [socket.create_connection(("web.test", port)) for port in (443, 80) for _ in range(150)]
open_still = 0
for sock in held:
    sock.settimeout(0.01)
    try:
        open_still += bool(sock.recv(1))
    except TimeoutError:
        open_still += 1
    except OSError:
        pass
for sock in held:
    sock.close()
import time
time.sleep(0.3)
print(json.dumps([open_still, ask("Hello")]))
"""
    with provider_server(lambda body: Says("42")) as provider:
        got = await tried(tmp_path, script, base_url=f"{provider.url}/v1")
    assert got.said == [gateway.MOST_CONNECTIONS, "42"]
    assert [why for _, why in got.refused].count("more than 256 connections at once") == 300 - 256


async def test_bodies_that_are_too_large_are_refused_before_they_fill_a_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(gateway.Room.__init__, "__defaults__", (3 << 20,))
    script = f"""
{RAW}
import json
here = b"POST / HTTP/1.1\\r\\nHost: web.test\\r\\nConnection: close\\r\\n"
said = [raw("web.test", here + b"Content-Length: 300000000\\r\\n\\r\\n" + bytes(1000))[9:12].decode()]
piece = b"100000\\r\\n" + bytes(1 << 20) + b"\\r\\n"
here += b"Transfer-Encoding: chunked\\r\\n\\r\\n"
said.append(raw("web.test", here + piece * 2 + b"0\\r\\n\\r\\n")[9:12].decode())
try:
    raw("web.test", here + piece * 4)
except OSError:  # it is refused while it is being sent
    pass
print(json.dumps(said))
"""
    got = await tried(tmp_path, script)
    assert got.said == ["413", "502"]
    assert len(got.refused) == 2 and all("bytes" in why for _, why in got.refused)


async def test_a_gateway_that_fails_ends_the_attempt_and_marks_the_record(tmp_path):
    class Broken(Unlimited):
        def ended(self, usage, *, cut=False):
            raise RuntimeError("a defect of ours")

    script = ASK + "try: ask('Hello')\nexcept OSError: pass\nprint('FINAL ANSWER: 7')"
    with provider_server(lambda body: Says("42")) as provider:
        boxed = boxed_agent(folder_of(tmp_path / "agent", script), base_url=f"{provider.url}/v1")
        got = await ask(boxed, meter=Broken())
    assert (got.result.answer, got.result.fault) == (None, "outage")
    assert "the gateway failed: RuntimeError: a defect of ours" in got.failures[0]


async def test_a_box_that_cannot_be_made_is_no_answer(tmp_path):
    boxed = boxed_agent(folder_of(tmp_path / "agent", "print('FINAL ANSWER: 7')"))
    good = boxed._box._serve

    async def failing(launch, serve):
        def broken(doors):
            raise ToolError("The network of the box could not be made.")

        await good(launch, broken)

    boxed._box._serve = failing
    descriptors = open_descriptors()
    got = await ask(boxed)
    assert (got.result.answer, got.result.fault) == (None, "outage")
    assert "the box failed: The network of the box could not be made." in got.result.error
    assert open_descriptors() == descriptors
