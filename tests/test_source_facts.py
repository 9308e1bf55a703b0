"""The facts of the sources: what runs text as code or comes near answers is found, and the file is current."""

import os
import shutil
from pathlib import Path

import pytest

from gaia_command import Ran, python
from gaia_harness.audit.source_facts import FILE_NAME, read_facts
from gaia_harness.signing.intent import source_sha256
from scripts.source_facts import SOURCE, facts_of, hash_of, is_current
from scripts.source_facts.sources import Module, read_modules
from scripts.source_facts.text_as_code import ALLOWED

ROOT = SOURCE.parents[1]


def with_line(path: str, line: str) -> Module:
    """A source of ours with something more at its end."""
    return Module(path, (SOURCE / path).read_bytes() + f"\n\n{line}\n".encode())


@pytest.fixture(scope="module")
def facts():
    """As they are written. `make lint` searches all sources, and holds what it finds to this file."""
    return read_facts(SOURCE / "audit" / FILE_NAME)


def test_the_file_is_of_the_sources_as_they_are(facts):
    stale = os.environ.get("STALE_SOURCE_FACTS")
    assert stale is None, f"{FILE_NAME} was of other sources than these and is made anew: look at it and commit it"
    assert facts.source_sha256 == hash_of(read_modules(SOURCE)), f"{FILE_NAME} is stale: run `make facts`"


@pytest.mark.cases
def test_the_file_is_what_a_search_finds():
    assert is_current()


def test_the_hash_in_the_facts_is_the_one_an_intent_names(facts):
    assert facts.source_sha256 == source_sha256()


def test_the_sources_do_only_what_is_known(facts):
    assert facts.answer_reads == ()
    assert {finding.severity for finding in facts.text_as_code} == {"info"}
    assert {finding.field for finding in facts.text_as_code} == {path for path, _, _ in ALLOWED}


@pytest.fixture
def checkout(tmp_path):
    """With some of the sources."""
    for part in ("scripts", "src/gaia_harness/agent"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "src/gaia_harness/audit").mkdir()
    return tmp_path


def make_facts(checkout: Path, *options: str) -> Ran:
    """`make facts`, in another checkout than this one."""
    return python("-m", "scripts.source_facts", *options, cwd=checkout, PYTHONPATH=str(checkout))


def test_a_changed_source_makes_the_facts_stale_until_they_are_renewed(checkout):
    source, file = checkout / "src/gaia_harness/agent/loop.py", checkout / "src/gaia_harness/audit" / FILE_NAME
    assert make_facts(checkout, "--check").code == 1
    assert make_facts(checkout).code == 0
    assert make_facts(checkout, "--check").code == 0
    before, written = read_facts(file), file.read_bytes()
    source.write_text(source.read_text("utf-8") + "\n\ndef f(task):\n    return eval(task)\n", "utf-8")
    checked = make_facts(checkout, "--check")
    assert (checked.code, "run `make facts`" in checked.err) == (1, True)
    assert make_facts(checkout).code == 0
    after = read_facts(file)
    assert before is not None and after is not None and before.source_sha256 != after.source_sha256
    assert [(f.severity, f.rule, f.field) for f in after.text_as_code if f not in before.text_as_code] == [
        ("high", "text-as-code", "agent/loop.py")
    ]
    untrue = written.replace(before.source_sha256.encode(), after.source_sha256.encode())
    file.write_bytes(untrue)  # of these sources, but without what is in them
    assert make_facts(checkout, "--check").code == 1


# text that is run as code


@pytest.mark.parametrize(
    ("line", "severity", "rule"),
    [
        ("def f(task):\n    return eval(task)", "high", "text-as-code"),
        ("def f(task):\n    exec(task)", "high", "text-as-code"),
        ("run = eval\ndef f(task):\n    return run(task)", "high", "text-as-code"),
        ('import builtins\ndef f(task):\n    return getattr(builtins, "ev" + "al")(task)', "high", "text-as-code"),
        ("import pickle as p\ndef f(data):\n    return p.loads(data)", "high", "text-as-code"),
        ("from marshal import loads\ndef f(data):\n    return loads(data)", "high", "text-as-code"),
        ("import yaml\ndef f(data):\n    return yaml.load(data)", "high", "text-as-code"),
        ("import os\ndef f(task):\n    os.system('echo ' + task)", "high", "text-as-code"),
        ("import subprocess\ndef f(task):\n    subprocess.run(f'echo {task}', shell=True)", "high", "text-as-code"),
        ("import subprocess\ndef f(task):\n    subprocess.run(['sh', '-c', task])", "high", "text-as-code"),
        ("import importlib\ndef f(task):\n    return importlib.import_module(task)", "medium", "text-as-code"),
        ("import ctypes", "medium", "text-as-code"),
        ('def f(task):\n    return f"{eval(task)}"', "high", "text-as-code"),
        ('def f(task):\n    return """ """ + eval(task) + """ """', "high", "text-as-code"),
        ("def f(task):\n    return 'a\\\nb' + eval(task) + 'c'", "high", "text-as-code"),
        ('def f(task):\n    return "\\"" + str(eval(task)) + "\\""', "high", "text-as-code"),
        ("def f(task):\n    return ｅval(task)", "high", "text-as-code"),
        ("from os import (\n    system,\n)\ndef f(task):\n    system(task)", "high", "text-as-code"),
        ('import os\ndef f(task):\n    getattr(os, "sys" + "tem")(task)', "high", "text-as-code"),
        ('import sys\ndef f(task):\n    sys.modules["os"].popen(task)', "high", "text-as-code"),
        ("import os\ndef f():\n    os.system('ls')", "medium", "text-as-code"),
        ("WAYS = {'run': eval}", "high", "text-as-code"),
        ("import subprocess\ndef f(task, how):\n    subprocess.run(task, shell=how)", "high", "text-as-code"),
        ("from subprocess import run\ndef f(task):\n    run(['bash', '-c', task])", "high", "text-as-code"),
        ("def f(task):\n    return eval(task", "medium", "text-as-code"),
        ("import numpy\ndef f(path):\n    return numpy.load(path, allow_pickle=True)", "high", "text-as-code"),
    ],
)
def test_a_planted_line_is_found(line, severity, rule):
    found = facts_of([with_line("agent/loop.py", line)]).text_as_code
    assert (found[0].severity, found[0].rule, found[0].field) == (severity, rule, "agent/loop.py")


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
def test_honest_lines_are_nothing(line):
    assert facts_of([Module("agent/new.py", f"{line}\n".encode())]).text_as_code == ()


@pytest.mark.parametrize(
    "line",
    [
        "def other(text):\n    exec(text)",
        "def run(text):\n    def inner():\n        exec(text)\n    inner()",
        "def run(name):\n    import pickle\n    return pickle.loads(name)",
    ],
    ids=["another function", "a function within", "another rule"],
)
def test_what_is_allowed_is_allowed_in_its_one_place(line):
    found = facts_of([with_line("tools/inside.py", line)]).text_as_code
    assert [finding.field for finding in found if finding.severity == "high"] == ["tools/inside.py"]


def test_words_in_texts_are_not_read_as_code():
    words = 'WORDS = "eval exec os.system pickle.loads"  # subprocess shell=True'
    assert facts_of([with_line("agent/loop.py", words)]).text_as_code == ()


# answers


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("agent/loop.py", "from gaia_harness.tasks.answers import AnswerKey"),
        ("agent/loop.py", "from gaia_harness.tasks import answers"),
        ("agent/loop.py", "from ..judge import scorer"),
        ("models/base.py", "import gaia_harness.tasks.loading"),
        ("tools/search.py", 'import importlib\nK = importlib.import_module("gaia_harness.tasks.answers")'),
        ("tools/files.py", 'PLACE = "2023/validation/metadata.jsonl"'),
        ("agent/conversation.py", "def hint(key):\n    return key.annotator_steps"),
        ("tools/files.py", 'PLACE = "2023/validation/\\x6detadata.jsonl"'),
        ("tools/files.py", "from ..tasks import answers"),
    ],
)
def test_a_runner_that_reads_answers_is_found(module, line):
    found = facts_of([with_line(module, line)]).answer_reads
    assert {(finding.severity, finding.rule, finding.field) for finding in found} == {
        ("high", "runner-reads-answers", module)
    }


def test_a_source_that_cannot_be_read_is_said():
    facts = facts_of([Module("agent/new.py", b'PLACE = "metadata.jsonl\n')])
    assert [(f.severity, f.rule, f.field) for f in facts.text_as_code] == [("medium", "text-as-code", "agent/new.py")]
    assert facts.answer_reads == ()
