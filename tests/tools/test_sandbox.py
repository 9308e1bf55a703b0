"""Programs that try to get out of the sandbox, or to use more than they may."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import xmlrpc
from pathlib import Path

import msgspec
import pytest
from sandbox_memory import END, ESCAPES, START
from sandbox_walls import SECRET, standing_processes, walls

import gaia_harness
from gaia_harness.errors import ToolError
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.containment import Limits
from gaia_harness.tools.python import PythonTool, Unsandboxed
from gaia_harness.tools.sandbox import Sandbox, find_sandbox
from loopback import Answer, loopback

ANSWER_KEY = Path(gaia_harness.__file__).parent / "tasks" / "answers.py"
NAMES = sorted(walls(Path("/x"), Path("/x"), 1, 1))


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    search = asyncio.run(find_sandbox())
    if search.sandbox is None:
        pytest.skip(f"no sandbox here: {search.reason}")
    return search.sandbox


@pytest.fixture
def attachment(tmp_path) -> Attachment:
    path = tmp_path / "task-id-3b1.txt"
    path.write_text("forty-two herons\n")
    path.chmod(0o600)
    return Attachment(path=path, name="attachment.txt")


@pytest.fixture(scope="module")
def attempts(tmp_path_factory):
    secret = tmp_path_factory.mktemp("cache") / "judge-cache.json"
    secret.write_text(SECRET)
    with loopback(lambda seen: Answer()) as server:
        yield walls(secret, ANSWER_KEY, server.port, os.getpid())
        assert server.seen == []


@pytest.mark.parametrize("name", NAMES)
async def test_wall_holds(name, sandbox, attachment, attempts, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    output = await PythonTool(sandbox, attachment).call({"code": attempts[name]})
    assert output.text.startswith("HELD"), output.text


async def test_the_user_home_is_not_there(sandbox):
    code = f"""
import os
for folder, folders, files in os.walk({str(Path.home())!r}):
    if folder == {sys.base_prefix!r}:
        folders.clear()
    elif files:
        print("BROKEN", folder, files)
print("HELD")
"""
    assert (await PythonTool(sandbox).call({"code": code})).text == "HELD"


def test_walls_hold_for_an_ordinary_user(tmp_path, attempts):
    """As root we are nobody by setuid; an ordinary user is nobody by a user namespace. Both ways must hold."""
    if os.geteuid() != 0:
        pytest.skip("these tests run as an ordinary user: test_wall_holds has shown it")
    python = f"/usr/bin/python3.{sys.version_info.minor}"
    if not Path(python).exists():
        pytest.skip(f"an ordinary user cannot run {sys.executable}, and there is no {python}")
    site = str(Path(msgspec.__file__).parents[1])
    readable = ["test", "-r", str(ANSWER_KEY)]
    if subprocess.run(readable, user=65534, group=65534, extra_groups=[], check=False).returncode:
        pytest.skip(f"an ordinary user cannot read this checkout: clone it elsewhere than beneath {Path.home()}")
    memory = {
        name: START + ESCAPES[name] + END for name in ("connections that nobody accepted", "names of empty files")
    }
    job = {"paths": [str(ANSWER_KEY.parents[2]), site], "attempts": attempts, "memory": memory}
    script = """
import asyncio, json, os, pathlib, sys, tempfile
job = json.load(sys.stdin)
sys.path[:0] = job["paths"]
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.containment import Limits
from gaia_harness.tools.python import PythonTool
from gaia_harness.tools.sandbox import find_sandbox

async def main():
    search = await find_sandbox()
    if search.sandbox is None:
        return {"skip": search.reason}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "file.txt")
        path.write_text("herons")
        tool = PythonTool(search.sandbox, Attachment(path=path, name="attachment.txt"))
        many = "import os, time\\nfor n in range(200):\\n  if os.fork() == 0: time.sleep(9)"
        said = {name: (await tool.call({"code": code})).text for name, code in job["attempts"].items()}
        small = PythonTool(search.sandbox, limits=Limits(memory=256 << 20, seconds=120))
        said |= {name: (await small.call({"code": code})).text for name, code in job["memory"].items()}
        return said | {"fork": (await tool.call({"code": many})).text}

print(json.dumps(asyncio.run(main())))
"""
    run = subprocess.run(
        ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", python, "-I", "-c", script],
        input=json.dumps(job),
        env={"ANTHROPIC_API_KEY": SECRET},
        capture_output=True,
        text=True,
        cwd="/",
    )
    if "Permission denied" in run.stderr:
        pytest.skip("an ordinary user may not read the packages here")
    said = json.loads(run.stdout or "null") or pytest.fail(run.stderr)
    if "skip" in said:
        pytest.skip(f"no sandbox for an ordinary user: {said['skip']}")
    assert "64 processes" in said.pop("fork")
    assert {said.pop(name) for name in memory} == {"[Stopped: the code used more than 256 MiB of memory.]"}
    assert {name: text for name, text in said.items() if not text.startswith("HELD")} == {}


async def test_hidden_paths_beneath_the_interpreter_are_masked(sandbox):
    folder, file = Path(xmlrpc.__file__).parent, Path(asyncio.__file__).with_name("queues.py")
    found = await find_sandbox(hidden=(folder, file, Path("/nowhere/at/all")))
    code = f"""
import os
print(os.listdir({str(folder)!r}))
try:
    print(len(open({str(file)!r}).read()))
except OSError as error:
    print("refused")
"""
    assert (await PythonTool(found.sandbox).call({"code": code})).text == "[]\nrefused"


async def test_own_package_is_masked_when_it_is_installed_beneath_the_interpreter(sandbox):
    bwrap = sandbox._bwrap
    installed = Sandbox(bwrap, "test", own_package=Path(xmlrpc.__file__).parent)
    output = await PythonTool(installed).call({"code": "import xmlrpc.client"})
    assert "ModuleNotFoundError" in output.text


async def test_attachment_can_be_read_under_its_neutral_name_only(sandbox, attachment):
    code = "import os\nprint(open('attachment.txt').read(), os.listdir('.'), open('/proc/self/mountinfo').read())"
    text = (await PythonTool(sandbox, attachment).call({"code": code})).text
    assert text.startswith("forty-two herons")
    assert "['attachment.txt']" in text and "task-id-3b1" not in text


async def test_last_expression_is_printed_and_exit_is_there(sandbox):
    tool = PythonTool(sandbox)
    assert (await tool.call({"code": "x = 6\nx * 7"})).text == "42"
    assert (await tool.call({"code": "print('a')\nNone"})).text == "a"
    assert (await tool.call({"code": "x = 1"})).text == "(The code ran and printed nothing.)"
    ended = await tool.call({"code": "print('a'); exit(3)"})
    assert ended.is_error and ended.text == "a\n[The code ended with exit status 3.]"


async def test_traceback_names_the_line_and_is_an_error(sandbox):
    output = await PythonTool(sandbox).call({"code": "def f():\n    return 1 / 0\nf()"})
    assert output.is_error
    assert "return 1 / 0" in output.text and "ZeroDivisionError" in output.text and "inside.py" not in output.text
    broken = await PythonTool(sandbox).call({"code": "def f(:"})
    assert broken.is_error and broken.text.startswith('  File "code.py", line 1')


async def test_offered_packages_can_be_used(sandbox):
    code = "import openpyxl, docx, pptx, pypdf, PIL.Image, lxml.etree\nopenpyxl.Workbook().save('a.xlsx')\n'fine'"
    assert (await PythonTool(sandbox).call({"code": code})).text == "'fine'"


async def test_memory_of_one_process_is_limited(sandbox):
    output = await PythonTool(sandbox).call({"code": "data = b'x' * (3 << 30)"})
    assert output.is_error and "MemoryError" in output.text and "2 GiB" in output.text


async def test_memory_of_all_processes_together_is_limited(sandbox):
    code = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        data = b"x" * (100 << 20)
        time.sleep(30)
os.close(1); os.close(2)
time.sleep(30)
"""
    output = await PythonTool(sandbox, limits=Limits(memory=400 << 20, seconds=20)).call({"code": code})
    assert output.text == "[Stopped: the code used more than 400 MiB of memory.]" and output.is_error


async def test_pages_shared_by_forks_are_not_counted_twice(sandbox):
    code = """
import os, time
data = b"x" * (150 << 20)
children = []
for _ in range(5):
    pid = os.fork()
    if pid == 0:
        time.sleep(0.5)  # so that the watch sees all of them
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
"fine"
"""
    output = await PythonTool(sandbox, limits=Limits(memory=500 << 20, seconds=20)).call({"code": code})
    assert output.text == "'fine'"


async def test_fork_without_end_is_limited_and_nothing_is_left(sandbox):
    code = """
import os
while True:
    try:
        if os.fork() == 0:
            os.setsid()
            os.execvp("sleep", ["sleep", "31537.25"])
    except BlockingIOError as error:
        raise SystemExit(str(error))
"""
    output = await PythonTool(sandbox).call({"code": code})
    assert output.is_error and "64 processes" in output.text
    assert standing_processes("31537.25") == []


async def test_one_fork_bomb_does_not_starve_another_sandbox(sandbox):
    bomb = "import os, time\nwhile True:\n  try:\n    os.fork()\n  except OSError: pass"
    call = asyncio.create_task(PythonTool(sandbox, limits=Limits(seconds=1.5)).call({"code": bomb}))
    await asyncio.sleep(0.5)
    fine = await PythonTool(sandbox).call({"code": "import subprocess\nsubprocess.run(['echo', 'ran']).returncode"})
    assert fine.text == "ran\n0"
    assert "Stopped after 1.5 seconds" in (await call).text


async def test_disk_is_limited(sandbox):
    tool = PythonTool(sandbox, limits=Limits(tmp_bytes=8 << 20, file_bytes=4 << 20))
    large = await tool.call({"code": "open('a', 'wb').write(bytes(5 << 20))"})
    assert large.is_error and "A file may have at most 4 MiB." in large.text
    for folder in (".", "/tmp", "/dev/shm"):
        code = f"for n in range(9): open(f'{folder}/{{n}}', 'wb').write(bytes(2 << 20))"
        many = await tool.call({"code": code})
        assert many.is_error and "There are 8 MiB of disk space." in many.text, many.text


async def test_endless_output_is_stopped_and_head_and_tail_are_shown(sandbox):
    output = await PythonTool(sandbox).call({"code": "print('first')\nwhile True: print('x' * 1000)"})
    assert output.is_error and output.text.startswith("first") and "more than 10 MiB" in output.text
    assert len(output.text) < 20_300
    long = await PythonTool(sandbox).call({"code": "for n in range(30_000): print(n)"})
    assert not long.is_error and long.text.startswith("0\n1\n") and long.text.endswith("29999")
    assert "characters of output left out" in long.text and len(long.text) < 20_300


async def test_code_that_ignores_sigterm_ends_at_the_time_limit(sandbox):
    code = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('on')\nwhile True: pass"
    for seconds in (1, 10, 60):  # on a busy machine it may not have begun after one
        output = await PythonTool(sandbox, limits=Limits(seconds=seconds)).call({"code": code})
        if output.text.startswith("on"):
            break
    assert output.text == f"on\n[Stopped after {seconds} seconds: the time limit.]" and output.is_error


async def test_background_process_is_gone_after_the_call(sandbox):
    code = """
import subprocess
subprocess.Popen(["sleep", "31538.25"], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
subprocess.Popen(["sleep", "31538.25"], start_new_session=True)
print("left two behind")
"""
    assert (await PythonTool(sandbox).call({"code": code})).text == "left two behind"
    assert standing_processes("31538.25") == []


async def test_cancelled_call_leaves_nothing_running(sandbox):
    call = asyncio.create_task(
        PythonTool(sandbox).call({"code": "import subprocess\nsubprocess.run(['sleep', '31539.25'])"})
    )
    while not standing_processes("31539.25"):
        assert not call.done()
        await asyncio.sleep(0.01)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert standing_processes("31539.25") == []


def test_killed_harness_leaves_nothing_running(sandbox):
    script = """
import asyncio
from gaia_harness.tools.python import PythonTool
from gaia_harness.tools.sandbox import find_sandbox
async def main():
    tool = PythonTool((await find_sandbox()).sandbox)
    await tool.call({"code": "import subprocess\\nsubprocess.run(['sleep', '31540.25'])"})
asyncio.run(main())
"""
    harness = subprocess.Popen([sys.executable, "-c", script])
    end = time.monotonic() + 60
    while not standing_processes("31540.25") and time.monotonic() < end:
        time.sleep(0.01)
    assert standing_processes("31540.25")
    harness.send_signal(signal.SIGKILL)
    harness.wait()
    while standing_processes("31540.25") and time.monotonic() < end:
        time.sleep(0.01)
    assert standing_processes("31540.25") == []


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, '"code" is missing'),
        ({"code": 7}, "must be a string, not a number"),
        ({"code": ["print(1)"]}, "must be a string, not a list"),
        ({"code": " \n"}, "empty"),
        ({"code": "1", "language": "python"}, "Unknown argument 'language'"),
        ({"code": "x" * 1_000_001}, "at most 1,000,000"),
        ({"code": "'\ud800'"}, "surrogate"),
    ],
)
async def test_wrong_arguments_tell_what_is_expected(sandbox, args, words):
    with pytest.raises(ToolError, match=words):
        await PythonTool(sandbox).call(args)


async def test_code_larger_than_an_argument_list_runs(sandbox):
    assert (await PythonTool(sandbox).call({"code": "x = '" + "y" * 900_000 + "'\nlen(x)"})).text == "900000"


async def test_missing_bubblewrap_is_told_with_a_reason(tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    search = await find_sandbox(bwrap=str(broken))
    assert search.sandbox is None and "No permissions to create new namespace" in search.reason and search.hint
    search = await find_sandbox(bwrap=str(tmp_path / "none"))
    assert search.sandbox is None and "does not run" in search.reason


async def test_unsandboxed_keeps_time_memory_and_environment(attachment, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    tool = PythonTool(Unsandboxed(), attachment, limits=Limits(memory=1 << 30))
    code = "import os\nprint(open('attachment.txt').read(), sorted(os.environ))\nos.listdir('.')"
    output = await tool.call({"code": code})
    assert "forty-two herons" in output.text and "API_KEY" not in output.text and "['attachment.txt']" in output.text
    assert "No network" not in tool.description  # it would not be true
    assert "MemoryError" in (await tool.call({"code": "b'x' * (2 << 30)"})).text
    short = PythonTool(Unsandboxed(), attachment, limits=Limits(seconds=1))
    assert "time limit" in (await short.call({"code": "while True: pass"})).text
    await tool.call({"code": "import subprocess\nsubprocess.Popen(['sleep', '31541.25'])"})
    assert standing_processes("31541.25") == []
