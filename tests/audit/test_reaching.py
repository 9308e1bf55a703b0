"""What code and commands reach for is read from their text alone, in bounded work, whatever they are."""

import base64
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counted_work import calls_of, no_stall
from gaia_harness.audit.reaching.paths import resolve
from gaia_harness.audit.reaching.reading import MOST_REACHES, Reach, read_code, read_shell
from gaia_harness.audit.reaching.tables import function, table

PLACE = "/srv/lamps/7/wicks.csv"
HERE = "/task"


def reached(reading):
    return {(reach.kind, reach.target) for reach in reading.reaches}


def encoded(text):
    return base64.b64encode(text.encode()).decode()


TEXTS = {
    "literal": f'"{PLACE}"',
    "sum": '"/srv/la" + "mps/7/" + "wicks.csv"',
    "f-string": 'f"/srv/{name}/{3 + 4}/wicks.csv"',
    "join": '"/".join(["/srv", name, "7", "wicks.csv"])',
    "os.path": 'os.path.join("/srv", name, "7", "wicks.csv")',
    "path": 'Path("/srv") / name / "7" / "wicks.csv"',
    "parts": 'Path("/").joinpath(*["srv", name, "7", "wicks.csv"])',
    "parent": 'Path("/srv/lamps/7/8").parent / "wicks.csv"',
    "reversed": f'"{PLACE[::-1]}"[::-1]',
    "reversed letters": f'"".join(reversed("{PLACE[::-1]}"))',
    "base64": f'base64.b64decode("{encoded(PLACE)}").decode()',
    "hex": f'bytes.fromhex("{PLACE.encode().hex()}")',
    "letters": f'"".join(chr(n - 1) for n in {[ord(c) + 1 for c in PLACE]})',
    "numbers": f"bytes({list(PLACE.encode())}).decode()",
    "relative": '"../srv/lamps/7/wicks.csv"',
    "address of a file": '"file:///srv/lamps/%37/wicks.csv"',
    "in a dict": f'{{"a": "{PLACE}"}}["a"]',
    "one of two": f'"x" if name else "{PLACE}"',
}
PREFACE = 'import base64, codecs, os\nfrom pathlib import Path\nname = "lamps"\n'


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts_are_folded(text):
    assert PLACE in {target for _, target in reached(read_code(f"{PREFACE}print(open({text}).read())", HERE))}


PROGRAMS = {
    "a class": f'class Lamp:\n    place = "{PLACE}"\nprint(open(Lamp.place).read())',
    "an object": f'class Lamp:\n    def __init__(self, place):\n        self.place = place\nLamp("{PLACE}").show()',
    "pieces in a class": 'class Lamp:\n    root = "/srv/lamps/7"\n    def show(self):\n'
    '        return open(self.root + "/wicks.csv").read()',
    "a default": f'def show(place="{PLACE}"):\n    print(open(place).read())',
    "a generator": f'def places():\n    yield "{PLACE}"\nprint(open(next(places())).read())',
    "a thread": f'import threading\nthreading.Thread(target=show, args=("{PLACE}",)).start()',
    "a loop": 'for name in ("a.csv", "wicks.csv"):\n    print(open("/srv/lamps/7/" + name).read())',
    "a folder entered": 'import os\nos.chdir("/srv/lamps/7")\nprint(open("wicks.csv").read())',
    "code in code": f'exec("print(open({PLACE!r}).read())")',
    "a command": f'import os\nos.system("cat {PLACE}")',
    "words of a command": f'import subprocess\nsubprocess.run(["cat", "{PLACE}"], capture_output=True)',
    "input of a command": f'import subprocess\nsubprocess.run(["sh"], input="cat {PLACE}", text=True)',
    "a line of a notebook": f"!cat {PLACE}",
    "no Python": f'x = = 2\nprint(open("{PLACE}").read())',
    "no Python but a command": f"grep wick {PLACE} | head -3",
}


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
def test_what_programs_hand_about_is_seen(code):
    assert PLACE in {target for _, target in reached(read_code(code, HERE))}


COMMANDS = {
    f"cat {PLACE}": ("read", PLACE),
    f"cat '{PLACE}": ("read", PLACE),
    "cd /srv/lamps/7 && head -3 wicks.csv": ("read", PLACE),
    f"W={PLACE}; head $W": ("read", PLACE),
    f"bash -c 'cat {PLACE}'": ("read", PLACE),
    f"sh <<X\ncat {PLACE}\nX\n": ("read", PLACE),
    f"sort < {PLACE}": ("read", PLACE),
    f"ls > {PLACE}": ("write", PLACE),
    f"sed -i s/a/b/ {PLACE}": ("read", PLACE),
    "rm -rf /srv/lamps": ("tree", "/srv/lamps"),
    "cp -r /srv/lamps .": ("tree", "/srv/lamps"),
    "tar czf a.tgz /srv/lamps": ("tree", "/srv/lamps"),
    "grep -r wick /srv/lamps": ("read", "/srv/lamps"),
    "find / -name wicks.csv": ("list", "/wicks.csv"),
    "python3 -m http.server 8123": ("serve", "python3"),
    "curl https://a.example/x": ("url", "https://a.example/x"),
}


@pytest.mark.parametrize(("command", "reach"), COMMANDS.items(), ids=COMMANDS)
def test_commands_are_read_by_their_words(command, reach):
    assert reach in reached(read_shell(command, HERE))


@pytest.mark.parametrize(
    "command",
    ["sed -n '/verdict/p' a.txt", "awk -F / '/judge/ {print $2}' a", "jq '.a == \"/judge/x\"' a", "tr / _ < a"],
)
def test_scripts_within_commands_are_no_paths(command):
    assert not [target for _, target in reached(read_shell(command, HERE)) if target.startswith(("/judge", "/verdict"))]


CUT = {
    "a text": 'note = "a long',
    "a call": "show(1,\n     2",
    "a block": "if name:",
    "a try": "try:\n    for each in name:\n        show(each)",
    "a long text": 'note = """\ntry:\n',
}


@pytest.mark.parametrize("end", CUT.values(), ids=CUT)
def test_code_that_was_cut_is_read_for_the_paths_in_it(end):
    code = f"def lamps():\n    print(open('{PLACE}').read())\n    {end}"
    assert Reach("mention", PLACE, 2) in read_code(code, HERE).reaches


@pytest.mark.parametrize("begun", [
    "# 1: look", '"""Looks."""', "import json", "seen = []", "def look(page):\n    pass", "@once", "show(1)",
])  # fmt: skip
def test_code_that_was_cut_is_no_command(begun):
    assert read_code(f"{begun}\nnames = [each.text for each in (", HERE).reaches == ()
    assert Reach("read", "/srv/a", 1) in read_code("cat /srv/a | grep 'b", HERE).reaches


@given(st.text() | st.text(alphabet="open('/a$(){}|<>\\\"\n;`&[]:=, 0"))
@settings(max_examples=150, deadline=None)
def test_any_text_can_be_read(text):
    for read in (read_code, read_shell):
        assert all(reach.kind and isinstance(reach.target, str) for reach in read(f"import os\n{text}", HERE).reaches)


PARTS = ("", "srv", "7", "..", ".", "wicks.csv", "~", "~ada", "$HOME", "file:", "%2e", "proc", "self", "root", "cwd")


@given(st.lists(st.sampled_from(PARTS), max_size=9))
def test_resolved_paths_are_absolute_and_resolved(parts):
    path = resolve("/".join(parts), HERE)
    assert path.startswith("/") and not {"..", "."} & set(path.split("/"))


@given(st.lists(st.integers(1, len(PLACE) - 1), max_size=6), st.sampled_from(("sum", "join", "names", "loop")))
@settings(deadline=None)
def test_pieces_are_put_together_however_they_are_cut(cuts, way):
    ends = sorted({0, *cuts, len(PLACE)})
    pieces = [PLACE[start:end] for start, end in pairwise(ends)]
    code = {
        "sum": f"p = {' + '.join(map(repr, pieces))}",
        "join": f"p = ''.join({pieces!r})",
        "names": "".join(f"v{n} = {piece!r}\n" for n, piece in enumerate(pieces))
        + "p = f'" + "".join(f"{{v{n}}}" for n in range(len(pieces))) + "'",
        "loop": f"p = ''\nfor piece in {pieces!r}:\n    p += piece",
    }[way]  # fmt: skip
    assert PLACE in {target for _, target in reached(read_code(f"{code}\nprint(open(p).read())", HERE))}


HOSTILE = {
    "newlines": "\n" * 20_000,
    "spaces": " " * 20_000 + "import os",
    "imports": "import os, " * 4_000,
    "nested": "open(" + "[" * 3_000,
    "deep": "x = " + "-" * 3_000 + "1\nopen(x)",
    "a long sum": "open(" + " + ".join(["'a'"] * 3_000) + ")",
    "doubling": "s = 'ab' * 4000\n" + "s = s + s\n" * 40 + "open(s)",
    "formats": "s = '%s' * 2000\n" + "s = s % ((s,) * 2000)\n" * 20 + "open(s)",
    "one text many times": "s = 'ab' * 4000\ns = '"
    + "a" * 4000
    + "'\n"
    + "s = s + s\n" * 4
    + "open(f'"
    + "{s}" * 3000
    + "')\n"
    "os.path.join(" + "s, " * 3000 + "s)",
    "much of nothing": "open(bytes(10 ** 12))\nopen(bytearray(99999999999999))",
    "loops": "".join(f"{' ' * n}for a{n} in {list('abcdefgh')}:\n" for n in range(12)) + " " * 12 + "open(a1)",
    "quotes": "open('" * 4_000,
    "letters of an option": "!tar " + "a" * 15_000 + "! x",
    "substitutions": "!" + "$(" * 5_000 + "`" * 5_000,
    "here-documents": "!" + "cat <<A\n" * 2_000,
    "programs in programs": "exec('" * 200 + "')" * 200,
    "strokes": "x = '" + "/" * 30_000 + "'\nopen(x)",
    "a long range": "open(bytes(n % 7 for n in range(10 ** 12)))\nopen(range(10 ** 12)[:99])\nopen(1 % 0)",
    "a long text in pairs": "x = 'aaaaaaaa'\n"
    + "x = x + x\n" * 13
    + f"for i in '{'ab' * 99}':\n"
    + " enumerate(x)\n" * 400,
    "names of modules": "x = 'aaaaaaaa'\n" + "x = x + x\n" * 12 + "for i in 'abcdefgh' * 40:\n __import__(x + i).a",
    "lists in lists": "a = list(range(4000))\n" + "f(" + "*a, " * 4_000 + "*a)\n" + "a = [*a, *a]\n" * 40 + "open(a)",
    "powers": "open(9 ** 9 ** 9 ** 9 * 10 ** 99999)",
}


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE)
def test_a_few_bytes_do_not_stall_the_reading(code):
    with no_stall():
        for number in range(5):
            read_code(f"import os\n{code}\n# {number}", HERE)
            read_shell(f"{code} # {number}", HERE)


@pytest.mark.parametrize(
    "line", ["open('a' + 'b')\n", "x = [f(y) for y in z]\nopen(x)\n", "import os; os.system('cat a | sort')\n"]
)
def test_work_is_linear(line):
    short, long = (calls_of(lambda times=times: read_code(line * times, HERE)) for times in (40, 400))
    assert long < 13 * short


def test_a_loop_over_many_files_of_its_own_is_read():
    code = "import cv2\nfor i in range(400):\n    cv2.imwrite(f'/tmp/b/{i}.png', cv2.imread(f'/tmp/a/{i}.png'))"
    assert not read_code(code, HERE).cut


def test_arguments_behind_a_long_star_are_read():
    code = f"a = {list(range(3000))}\nprint(*a, *a, open('{PLACE}').read())"
    assert PLACE in {target for _, target in reached(read_code(code, HERE))}


def test_a_program_that_reaches_for_more_than_is_kept_says_so():
    code = "".join(f"open('/srv/{number}')\n" for number in range(MOST_REACHES + 1))
    assert read_code(code, HERE).cut
    assert not read_code("open('/srv/0')", HERE).cut


def test_a_parser_that_breaks_leaves_lines_to_be_read(monkeypatch):
    def broken(*_args, **_options):
        raise SystemError("AST constructor recursion depth mismatch")

    monkeypatch.setattr("gaia_harness.audit.reaching.code.ast.parse", broken)
    assert ("mention", PLACE) in reached(read_code(f'import os\nopen("{PLACE}") # broken parser', HERE))


def test_tables_hold_each_name_once():
    for known in (table("functions"), table("programs")):
        names = [name for kind in known.values() for name in kind]
        assert sorted(names) == sorted(set(names))
    assert function("pandas.read_csv") == function("open") == "read"
