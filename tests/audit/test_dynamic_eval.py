"""AUD-9: text that the harness's own sources run as code is found, wherever the sources are."""

import base64
import json
import shutil
import time

import pytest
from tool_samples import examined, run_of

from gaia_harness.audit.dynamic_eval import ALLOWED, DynamicEval
from gaia_harness.audit.sources import NOT_AT_HAND, installed, read_sources


@pytest.fixture
def source(tmp_path):
    return shutil.copytree(
        installed(),
        tmp_path / "gaia_harness",
        ignore=shutil.ignore_patterns("data", "__pycache__", "audit", "run", "models", "signing"),
    )


def write_intent(folder, sha256):
    payload = base64.b64encode(json.dumps({"source_sha256": sha256, "run_id": "r"}).encode()).decode()
    (folder / "intent.dsse.json").write_text(json.dumps({"payload": payload, "payloadType": "t", "signatures": []}))


def test_the_sources_as_they_are_do_only_what_is_known(tmp_path):
    begin = time.monotonic()
    check = examined(DynamicEval, run_of(tmp_path))
    assert check.status == "pass"
    assert {finding.severity for finding in check.findings} == {"info"}
    assert {finding.field for finding in check.findings} == {path for path, _, _ in ALLOWED}
    assert time.monotonic() - begin < 5  # measured: 0.1 s


@pytest.mark.parametrize(
    ("line", "severity", "rule"),
    [
        ("def f(task):\n    return eval(task)", "high", "dynamic-code"),
        ("def f(task):\n    exec(task)", "high", "dynamic-code"),
        ("run = eval\ndef f(task):\n    return run(task)", "high", "dynamic-code"),
        ('import builtins\ndef f(task):\n    return getattr(builtins, "ev" + "al")(task)', "high", "dynamic-code"),
        ("import pickle as p\ndef f(data):\n    return p.loads(data)", "high", "unsafe-load"),
        ("from marshal import loads\ndef f(data):\n    return loads(data)", "high", "unsafe-load"),
        ("import yaml\ndef f(data):\n    return yaml.load(data)", "high", "unsafe-load"),
        ("import os\ndef f(task):\n    os.system('echo ' + task)", "high", "shell"),
        ("import subprocess\ndef f(task):\n    subprocess.run(f'echo {task}', shell=True)", "high", "shell"),
        ("import subprocess\ndef f(task):\n    subprocess.run(['sh', '-c', task])", "high", "shell"),
        ("import importlib\ndef f(task):\n    return importlib.import_module(task)", "medium", "computed-import"),
        ("import ctypes", "medium", "native-code"),
        ('def f(task):\n    return f"{eval(task)}"', "high", "dynamic-code"),
        ('def f(task):\n    return """ """ + eval(task) + """ """', "high", "dynamic-code"),
        ("def f(task):\n    return 'a\\\nb' + eval(task) + 'c'", "high", "dynamic-code"),
        ('def f(task):\n    return "\\"" + str(eval(task)) + "\\""', "high", "dynamic-code"),
        ("def f(task):\n    return ｅval(task)", "high", "dynamic-code"),
        ("from os import (\n    system,\n)\ndef f(task):\n    system(task)", "high", "shell"),
        ('import os\ndef f(task):\n    getattr(os, "sys" + "tem")(task)', "high", "shell"),
        ('import sys\ndef f(task):\n    sys.modules["os"].popen(task)', "high", "shell"),
        ("import os\ndef f():\n    os.system('ls')", "medium", "shell"),
        ("WAYS = {'run': eval}", "high", "dynamic-code"),
        ("import subprocess\ndef f(task, how):\n    subprocess.run(task, shell=how)", "high", "shell"),
        ("from subprocess import run\ndef f(task):\n    run(['bash', '-c', task])", "high", "shell"),
        ("def f(task):\n    return eval(task", "medium", "source-unread"),
        ("import numpy\ndef f(path):\n    return numpy.load(path, allow_pickle=True)", "high", "unsafe-load"),
    ],
)
def test_a_planted_line_is_found(tmp_path, source, line, severity, rule):
    path = source / "agent" / "conversation.py"
    path.write_text(path.read_text("utf-8") + f"\n\n{line}\n", "utf-8")
    check = examined(lambda run: DynamicEval(run, source), run_of(tmp_path))
    found = [finding for finding in check.findings if finding.field == "agent/conversation.py"]
    assert (found[0].severity, found[0].rule) == (severity, rule)
    assert check.status == ("fail" if severity == "high" else "warn")


@pytest.mark.parametrize(
    "line",
    [
        "import re\nPATTERN = re.compile('eval')",
        '"""Never eval or exec what a model says."""',
        "import subprocess\ndef f():\n    return subprocess.run(['ls', '-l'])",
        "import yaml\ndef f(data):\n    return yaml.load(data, Loader=yaml.SafeLoader)",
        "import json\ndef f(data):\n    return json.loads(data)",
        "async def f(x):\n    return await x.create_subprocess_exec('ls')",
    ],
)
def test_honest_lines_are_nothing(tmp_path, source, line):
    (source / "agent" / "new.py").write_text(line + "\n", "utf-8")
    check = examined(lambda run: DynamicEval(run, source), run_of(tmp_path))
    assert check.status == "pass" and not [f for f in check.findings if f.field == "agent/new.py"]


@pytest.mark.parametrize(
    "line",
    [
        "def other(text):\n    exec(text)",
        "def run(text):\n    def inner():\n        exec(text)\n    inner()",
        "def run(name):\n    import pickle\n    return pickle.loads(name)",
    ],
    ids=["another function", "a function within", "another rule"],
)
def test_what_is_allowed_is_allowed_in_its_one_place(tmp_path, source, line):
    path = source / "tools" / "inside.py"
    path.write_text(path.read_text("utf-8") + f"\n\n{line}\n", "utf-8")
    check = examined(lambda run: DynamicEval(run, source), run_of(tmp_path))
    assert [finding.field for finding in check.findings if finding.severity == "high"] == ["tools/inside.py"]


def test_sources_that_did_not_run_are_a_gap(tmp_path):
    write_intent(tmp_path, "0" * 64)
    check = examined(DynamicEval, run_of(tmp_path, submit_intent=True))
    assert (check.status, check.harness_gap, check.findings) == ("skip", NOT_AT_HAND, ())


def test_sources_that_the_intent_names_are_checked(tmp_path):
    write_intent(tmp_path, read_sources(installed()).sha256)
    check = examined(DynamicEval, run_of(tmp_path, submit_intent=True))
    assert (check.status, check.harness_gap) == ("pass", None)


def test_a_declared_run_without_its_intent_is_a_gap(tmp_path):
    assert examined(DynamicEval, run_of(tmp_path, submit_intent=True)).status == "skip"
    assert examined(DynamicEval, run_of(tmp_path)).status == "pass"


def test_words_in_texts_are_not_read_as_code(tmp_path, source):
    path = source / "agent" / "conversation.py"
    before = DynamicEval(run_of(tmp_path), source).conclude()
    path.write_text(path.read_text("utf-8") + 'WORDS = "eval exec os.system pickle.loads"  # subprocess shell=True\n')
    assert DynamicEval(run_of(tmp_path), source).conclude() == before
