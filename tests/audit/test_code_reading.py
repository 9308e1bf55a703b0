"""Code is read without being run: texts are worked out as Python would, and nothing hostile stalls or breaks it."""

import base64
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia_harness.audit.code_reading import read_code, read_shell
from gaia_harness.audit.constants import HOLE
from gaia_harness.audit.paths import grader_part, resolve
from gaia_harness.audit.tool_calls import Allowance
from gaia_harness.evidence.recorder import Recorder

PATHS = st.lists(
    st.text("abcxyz._-", min_size=1, max_size=6).filter(lambda s: s.strip(".")), min_size=1, max_size=4
).map(lambda parts: "/q/" + "/".join(parts))


def files(code: str) -> set[str]:
    return {reach.target for reach in read_code(code).reaches if reach.kind in ("read", "write")}


@given(PATHS, st.integers(0, 7))
def test_a_text_is_found_however_it_is_put_together(path, way):
    half = len(path) // 2
    expression = (
        f"{path[:half]!r} + {path[half:]!r}",
        f"{path[::-1]!r}[::-1]",
        f"''.join(chr(n - 1) for n in {[ord(c) + 1 for c in path]})",
        f"bytes.fromhex({path.encode().hex()!r}).decode()",
        f"__import__('base64').b64decode({base64.b64encode(path.encode())!r}).decode()",
        f"'{{}}{{}}'.format({path[:half]!r}, {path[half:]!r})",
        f"'%s%s' % ({path[:half]!r}, {path[half:]!r})",
        f'f"{{{path!r}[:{half}]}}" + {path[half:]!r}',
    )[way]
    assert eval(expression) == path
    assert files(f"p = {expression}\nopen(p)") == {resolve(path)}


@given(st.text(max_size=400))
@settings(max_examples=200)
def test_no_text_breaks_the_reading(text):
    read_code(text)
    read_code(f"import os\n{text}")
    read_shell(text)
    grader_part(resolve(text))


@given(st.from_regex(r"(?:[\w'\"()+*=\[\]{}.,:%/ \n-]|open|import os|for x in |lambda: ){0,60}", fullmatch=True))
def test_no_code_breaks_the_reading(code):
    read_code(f"import os\n{code}")


@pytest.mark.parametrize(
    "code",
    [
        "(" * 8000,
        "-" * 8000 + "1",
        "1" + "+1" * 4000,
        "a" + ".b" * 4000,
        "f" + "()" * 4000,
        "lambda:" * 1100 + "1",
        "not " * 2000 + "1",
        "if a:\n pass\n" + "elif b:\n pass\n" * 550,
        "x = 'a' * 8000\n" + "x = x + x\n" * 700,
        "x = 'ab'\n" + "x = x.replace('a', x)\n" * 300,
        "def f(n): return f(n) + f(n)\nf(1)",
        "for i in range(200):\n for j in range(200):\n  for k in range(200): open(str(i))",
        "print(9 ** 9 ** 9 ** 9)\nopen('a' * 10 ** 12)",
        "x = list(range(10 ** 12))\nopen('%1000000000d' % 1)\nopen('{:>1000000000}'.format(1))",
        "import zlib\nopen(zlib.decompress(b'x'))",
        "exec('exec(\"exec(1)\")')",
        "[" * 90 + "]" * 90 + ".x",
        "x = " + "{'a': " * 60 + "1" + "}" * 60,
        "\0\ud800",
        "'" * 8000,
        "import os; os.system('" + "a;" * 4000 + "')",
    ],
)
def test_hostile_code_takes_no_time(code):
    begin = time.monotonic()
    read_code("import os\n" + code)
    assert time.monotonic() - begin < 1.5  # measured: at most 60 ms


def test_a_path_behind_a_long_loop_is_still_found():
    code = "import os\nfor i in range(200):\n    for j in range(200):\n        str(i + j)\n" * 5 + 'open("/q/x")'
    assert "/q/x" in files(code)


def test_a_path_in_code_that_is_too_deep_is_still_found():
    code = "import os\nif a:\n    pass\n" + "elif b:\n    pass\n" * 100 + 'else:\n    open("/q/x")'
    assert "/q/x" in files(code)


def test_what_is_not_known_leaves_a_hole():
    assert files('import os\nopen(f"/q/{os.getpid()}/x")') == {f"/q/{HOLE}/x"}


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("a.txt", "/task/a.txt"),
        ("../a.txt", "/a.txt"),
        ("~/a.txt", "/task/a.txt"),
        ("~/.ssh/id_rsa", "/home/~/.ssh/id_rsa"),
        ("~ada/x/y", "/home/ada/x/y"),
        ("//etc///passwd", "/etc/passwd"),
        ("/proc/self/root" + "/../home/x", "/home/x"),
        ("/proc/12/root" + "/srv/x", "/srv/x"),
        ("/proc/thread-self/cwd/a", "/task/a"),
        ("file:///srv/a%20b", "/srv/a b"),
        ("FILE:/srv/a", "/srv/a"),
        ("$HOME/.cache/x", "/home/~/.cache/x"),
    ],
)
def test_where_a_path_leads(path, leads):
    assert resolve(path) == leads


def test_more_code_than_any_task_has_is_counted_not_read():
    recorder = Recorder()
    for number in range(700):
        recorder.tool_call(1, str(number), "python", {"code": f"# {number}\n" + "x = 1\n" * 1300})
    allowance = Allowance()
    for step in recorder.steps:
        allowance.deeds(step)
    assert 0 < allowance.unread < 700
