"""Trajectories from people who may cheat: never a crash, never a stall, and a lie is itself a finding."""

import json
import os
import random
import shutil
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tool_samples import Sample, run_of
from tool_samples import examined as examined_by

import thoroughness
from counted_work import STALL
from gaia_command import gaia
from gaia_harness.audit.answer_key_reads import AnswerKeyReads
from gaia_harness.audit.evidence import open_run
from gaia_harness.audit.grader_isolation import GraderIsolation
from gaia_harness.audit.oracle_leakage import OracleLeakage
from gaia_harness.audit.report import CHECKS, audit, encode_report
from gaia_harness.errors import GaiaError
from gaia_harness.offline import audit_run
from gaia_harness.records.trajectories import LONGEST_LINE
from gaia_harness.run.audit_input import load_dataset_facts
from redteam.making import RunMaker
from redteam.script import RunScript
from redteam.solving import honest_script
from redteam.world import tasks

MEMORY = 1536 << 20
"""Address space of the audit's process: a line of 64 MiB must fit, its steps as objects included."""


@dataclass(frozen=True)
class Made:
    """A run, and the data set that it says it is of."""

    path: Path
    dataset: Path


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    maker = RunMaker(tmp_path_factory.mktemp("honest"), "hostile")
    maker.write(RunScript(tasks=tuple(honest_script(task, random.Random(2)) for task in tasks("hostile", 4))))
    return Made(maker.path, maker.dataset)


@pytest.fixture
def made(honest, tmp_path):
    """A copy, to be changed."""
    return Made(Path(shutil.copytree(honest.path, tmp_path / "run")), honest.dataset)


def rewrite(made, *edits):
    """Change the first trajectories, as JSON objects or as lines of bytes."""
    path = made.path / "trajectories.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    for number, edit in enumerate(edits):
        value = json.loads(lines[number])
        line = edit(value)
        lines[number] = line or json.dumps(value).encode() + b"\n"
    path.write_bytes(b"".join(lines))
    return value["task_id"]


def examined(made):
    """What the command finds."""
    report = audit_run(made.path, audited_at="x", env={})
    return int(not report.attestation.clean), json.loads(encode_report(report))


def audited(made):
    """The same by the command, with bounded processor time and memory, and without a traceback."""
    limits = {"RLIMIT_AS": MEMORY, "RLIMIT_CPU": STALL}
    ran = gaia("audit", made.path, "--json", "--audited-at", "x", timeout=600, limits=limits)
    assert "defect" not in ran.err, ran.err
    return ran.code, json.loads(ran.out)


def gating(report, task_id):
    return {
        finding["rule"]
        for check in report["checks"]
        for finding in check["findings"]
        if finding["task_id"] == task_id and finding["severity"] in ("critical", "high")
    }


LIES = {
    "bytes": lambda step: step.update(bytes=step["bytes"] + 1),
    "truncated": lambda step: step.update(truncated=not step["truncated"]),
    "seq": lambda step: step.update(seq=step["seq"] + 1),
    "attempt": lambda step: step.update(attempt=0),
    "turn": lambda step: step.update(turn=-1),
    "hash": lambda step: step.update(output_sha256="0" * 64),
    "no hash": lambda step: step.update(output_sha256="x"),
    "other call": lambda step: step.update(call_id="nobody"),
    "window": lambda step: step.update(
        windows=[{"offset": 10**9, "bytes": 5, "at": 0, "why": "", "view": "", "source": None, "text": "x"}]
    ),
    "field": lambda step: step.update(surprise=1),
    "negative": lambda step: step.update(bytes=-1),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_lie_in_a_step_is_a_finding(made, lie):
    def edit(value):
        step = next(s for s in value["steps"] if s["type"] == "tool_result" and not s["truncated"])
        lie(step)

    def shorten(value):
        for step in value["steps"]:
            if step["type"] == "tool_result":
                step |= {"head": "short", "bytes": 5, "truncated": False, "sources": [], "windows": []}
                step["output_sha256"] = "f9b0078b5df596d2ea19010c001bbd009e651de2c57e8fb7e355f31eb9d3f739"
        edit(value)

    task_id = rewrite(made, shorten)
    code, report = examined(made)
    assert code == 1
    assert gating(report, task_id)


@pytest.mark.parametrize(
    "counts",
    [{"turns": 99}, {"tools_used": ["judge"]}, {"input_tokens": 1}, {"output_tokens": 0}, {"selected_attempt": 7}],
    ids=str,
)
def test_a_lie_in_the_counts_is_a_finding(made, counts):
    task_id = rewrite(made, lambda value: value.update(counts))
    assert gating(examined(made)[1], task_id)


def python_call(value, code):
    call = next(step for step in value["steps"] if step["type"] == "tool_call")
    call |= {"name": "python", "args": {"code": code}}
    result = next(step for step in value["steps"] if step["type"] == "tool_result")
    result["name"] = "python"


BAIT = {
    "10 MB of code": "x = 1\n" * 1_750_000,
    "10 MB of letters": "a" * 10_000_000,
    "brackets": "(" * 8_000,
    "minus signs": "-" * 8_000 + "1",
    "additions": "'a'" + "+'a'" * 2_000,
    "repeated strings": "x = 'a' * 10**9\ny = x * 10**9\nopen(y)",
    "format widths": "open('%999999999d' % 1)\nopen(f'{1:>999999999}')\nopen('{:>999999999}'.format(1))",
    "long joins": "open('/'.join(['..'] * 10**8))",
    "powers": "open(str(10**10**9))",
    "shifts": "open(chr(1 << 10**9))",
    "decoding": "import base64\n" + "open(base64.b64decode(" * 60 + "'YQ=='" + "))" * 60,
    "names in a ring": "a = b\nb = a\nopen(a + b)",
    "regex bait": "gaia" * 2_000 + "!",
    "slashes": "/../" * 2_000,
    "no unicode": "open('\\ud800')",
    "null": "open('\0')",
}


@pytest.mark.parametrize("first", range(0, len(BAIT), 4))
def test_code_made_to_stall_a_reader_does_not(made, first):
    """Four at a time, each in a trajectory of its own."""
    codes = [*BAIT.values()][first : first + 4]
    rewrite(made, *(lambda value, code=code: python_call(value, code) for code in codes))
    audited(made)


def test_arguments_nested_as_deep_as_may_be(made):
    def edit(value):
        nested = "end"
        for _ in range(55):
            nested = {"a": [nested]} if isinstance(nested, str) else [nested]
        next(step for step in value["steps"] if step["type"] == "tool_call")["args"] = {"query": nested}

    rewrite(made, edit)
    audited(made)


def test_arguments_nested_deeper_are_a_finding(made):
    def edit(value):
        text = json.dumps(value).replace('"args": {', '"args": {"deep": ' + "[" * 50_000 + "]" * 50_000 + ", ", 1)
        return text.encode() + b"\n"

    task_id = rewrite(made, edit)
    code, report = audited(made)
    assert gating(report, task_id) or code == 1


def test_a_hundred_thousand_steps_are_read(made):
    """A quarter of them without --thorough."""
    count = thoroughness.of(100_000)

    def edit(value):
        step = next(s for s in value["steps"] if s["type"] == "llm_call")
        last = value["steps"][-1]
        more = [step | {"seq": last["seq"] + n, "turn": last["turn"], "attempt": 1} for n in range(1, count + 1)]
        value["steps"] += more

    rewrite(made, edit)
    code, report = audited(made)
    assert code == 1
    assert report["coverage"]["steps"] > count


def test_more_steps_than_a_line_has_room_for_are_refused_unread(made):
    def edit(value):
        step = json.dumps(next(s for s in value["steps"] if s["type"] == "tool_call")).encode()
        value["steps"] = []
        return json.dumps(value).encode()[:-2] + b",".join([step] * (LONGEST_LINE * 5 // 4 // len(step))) + b"]}\n"

    task_id = rewrite(made, edit)
    code, report = audited(made)
    assert code == 1
    assert "a line of more than" in json.dumps(report)
    assert report["coverage"]["trajectories"] == 0
    assert gating(report, task_id)


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b"null\n", b"[" * 200_000 + b"\n", b"\xff\xfe\n", b'{"task_id":'])
def test_a_line_that_is_no_trajectory_is_a_finding(made, line):
    rewrite(made, lambda value: line)
    code, report = examined(made)
    assert code == 1
    assert report["coverage"]["trajectories_unsound"] >= 1


NAMES = ("run.json", "summary.json", "results.jsonl", "trajectories.jsonl", "log.jsonl", "intent.dsse.json")


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_file_never_passes(made, name):
    for content in (b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"a":1,"a":2}\n'):
        (made.path / name).write_bytes(content)
        try:
            code, report = examined(made)
        except GaiaError:
            continue
        assert code == 1 or report["attestation"]["skipped"], content[:20]


@pytest.mark.parametrize(("name", "code"), [("run.json", 2), ("trajectories.jsonl", 1)])
def test_the_command_says_so_of_a_broken_file(made, name, code):
    (made.path / name).write_bytes(b"[" * 100_000)
    ran = gaia("audit", made.path, "--json")
    assert (ran.code, "defect" in ran.err) == (code, False), ran.err


ANY_TEXT = st.one_of(
    st.text(max_size=60), st.sampled_from(["gaia", "\u202e", "../../results.jsonl", "FINAL ANSWER: 3"])
)
ANY_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 2**60), st.floats(allow_nan=False), ANY_TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(ANY_TEXT, inner, max_size=3)),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    maker = RunMaker(tmp_path_factory.mktemp("plain"), "hostile")
    maker.write(RunScript(tasks=tuple(honest_script(task, random.Random(2)) for task in tasks("hostile", 3))))
    ids = [task.task_id for task in tasks("hostile", 3)]
    facts = load_dataset_facts(str(maker.dataset), "validation", None, ids, {})
    return maker, facts, (maker.path / "trajectories.jsonl").read_bytes()


@settings(max_examples=thoroughness.of(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_a_step_the_audit_ends_with_a_report(plain, data):
    maker, facts, original = plain
    first, *others = original.splitlines(keepends=True)
    value = json.loads(first)
    for _ in range(data.draw(st.integers(1, 4))):
        step = data.draw(st.sampled_from(value["steps"]))
        name = data.draw(st.sampled_from(sorted(step)))
        step[name] = data.draw(ANY_JSON)
    (maker.path / "trajectories.jsonl").write_bytes(b"".join([msgspec.json.encode(value) + b"\n", *others]))
    report = audit(open_run(maker.path, facts), audited_at="x")
    assert len(report.checks) == len(CHECKS)


@pytest.mark.parametrize("name", NAMES)
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(made, name):
    (made.path / name).unlink(missing_ok=True)
    os.mkfifo(made.path / name)
    assert gaia("audit", made.path, "--json").code in (1, 2)


@pytest.mark.parametrize(
    "code", ["import sys\nsys.modules['']()\nopen('/x')", "import builtins\ngetattr(builtins, '')()\nopen('/x')"]
)
def test_a_call_without_a_name_is_read_like_any_other(tmp_path, code):
    task = Sample(tmp_path).python(code, "1").evidence()
    for check in (GraderIsolation, AnswerKeyReads):
        assert examined_by(check, run_of(tmp_path), task).findings == ()


def test_a_prompt_with_characters_of_our_own_is_read(tmp_path):
    sample = Sample(tmp_path)
    sample.begin(system="\ue000\ue001\ue000", user="\ue000\ue001\ue000")
    sample.recorder.llm_call(1, "I looked.", model="m")
    assert examined_by(OracleLeakage, run_of(tmp_path), sample.evidence()).findings == ()
