"""Any loop's run is written by `RunWriter`, and is then a run like our own."""

import json
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gaia_harness as gaia
from gaia_command import environment
from gaia_harness.errors import UsageError
from gaia_harness.records.run import read_record
from gaia_harness.run.live_origin import live
from gaia_harness.run.writer import RunWriter

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "record_another_loop.py"


@pytest.fixture
def tasks():
    return gaia.load_tasks("demo", selection=gaia.Selection(first=1, last=2), env={})


def golds(loaded):
    return {task.task_id: loaded.key.get(task.task_id).answer for task in loaded.tasks}


def work(run, answers, **options):
    for task in run.tasks:
        with run.attempt(task) as attempt:
            attempt.prompt("Think.", role="system")
            attempt.prompt(task.question)
            attempt.llm_call("I look.", tokens_in=4, tokens_out=2)
            attempt.tool_result("a page", call_id=attempt.tool_call("browse", {"page": "x"}))
            attempt.tool_result("noon", call_id=attempt.tool_call("clock"))
            attempt.tool_result("notes.txt", call_id=attempt.tool_call("terminal", "ls"))
            attempt.tool_result("no", call_id=attempt.tool_call("terminal", {"command": "ls"}), is_error=True)
            attempt.llm_call(f"It must be {answers[task.task_id]}.", tokens_in=9, tokens_out=5)
            attempt.answer(answers[task.task_id])


def write(folder, tasks, answers, **options):
    origin = options.pop("origin", live("acme-loop 1.2", tools={"browse": "fetch"}, unknown=["context_sha256"]))
    with RunWriter(folder, dataset=tasks, model="acme/agent-7", origin=origin, env={}, **options) as run:
        work(run, answers)
    return run


def test_twenty_lines_record_a_run_that_is_audited(tmp_path):
    code = [line for line in EXAMPLE.read_text("utf-8").splitlines()[1:] if line.strip()]
    assert len(code) <= 20
    done = subprocess.run(
        [sys.executable, EXAMPLE, tmp_path / "run"], capture_output=True, text=True, env=environment(), check=False
    )
    assert (done.returncode, done.stdout) == (0, "2 of 2 tasks recorded, 0 right\n"), done.stderr
    report = gaia.audit_run(tmp_path / "run", env={})
    assert report.attestation.clean
    assert "evidence: the hashes of the requests are not known" in report.attestation.harness_gaps
    assert "evidence: how the agent's code was contained is not known" in report.attestation.harness_gaps
    assert not report.attestation.strict_clean


def test_a_live_run_of_another_loop_is_declared_submitted_and_verified(tmp_path, tasks, monkeypatch):
    env = {"GAIA_KEYS_DIR": str(tmp_path / "keys"), "GAIA_CACHE_DIR": str(tmp_path / "cache")}
    signers = tmp_path / "signers"
    signers.write_text(gaia.create_key("ada@example.org", env=env) + "\n")
    origin = live("acme-loop 1.2", tools={"browse": "fetch"}, workdir="/work", options={"temperature": 0.5})
    with RunWriter(
        tmp_path / "run", dataset=tasks, model="acme/agent-7", origin=origin, declare=True, env=env,
        isolation="a container without network", address="https://models.acme.example/v1",
    ) as run:  # fmt: skip
        work(run, golds(tasks))
    assert (run.summary.passed, run.summary.submittable) == (2, True)
    assert json.loads((tmp_path / "run/summary.json").read_text())["origin"]["recorded_by"] == "acme-loop 1.2"
    package = gaia.submit_run(tmp_path / "run", tmp_path / "package", dataset="demo", env=env)
    assert package.metadata.origin == origin
    assert package.metadata.options["voting_attempts"] == 1
    assert "limits" not in package.metadata.options  # of our own loop, which did not run
    assert "not ours: recorded live by acme-loop 1.2" in (tmp_path / "package/README.md").read_text()
    verdict = gaia.verify_package(
        tmp_path / "package", allowed_signers=signers, identity="ada@example.org", dataset="demo", env=env
    )
    assert (verdict.exit_code, [line.status for line in verdict.checks]) == (0, ["ok"] * 8), verdict
    assert any("recorded live by acme-loop 1.2: the agent is not ours" in note for note in verdict.notes)


def test_a_changed_origin_does_not_pass_for_the_declared_one(tmp_path, tasks):
    env = {"GAIA_KEYS_DIR": str(tmp_path / "keys"), "GAIA_CACHE_DIR": str(tmp_path / "cache")}
    gaia.create_key("ada@example.org", env=env)
    origin = live("acme-loop 1.2", unknown=["tokens"])
    with RunWriter(tmp_path / "run", dataset=tasks, model="a/b", origin=origin, declare=True, env=env) as run:
        work(run, golds(tasks))
    path = tmp_path / "run/run.json"
    record = json.loads(path.read_text())
    for changed in ({**record["origin"], "recorded_by": "a better loop"}, None):
        said = {**record, "origin": changed} if changed else {k: v for k, v in record.items() if k != "origin"}
        path.write_text(json.dumps(said))
        with pytest.raises(gaia.GaiaError, match=r"origin|configuration|intent"):
            gaia.submit_run(tmp_path / "run", tmp_path / "package", dataset="demo", env=env)


def test_a_gap_in_the_evidence_is_a_reason_against_a_run_that_is_to_be_strictly_clean(tmp_path, tasks):
    env = {"GAIA_KEYS_DIR": str(tmp_path / "keys"), "GAIA_CACHE_DIR": str(tmp_path / "cache")}
    gaia.create_key("ada@example.org", env=env)
    origin = live("acme-loop 1.2", unknown=["tokens"])
    with RunWriter(
        tmp_path / "run", dataset=tasks, model="a/b", origin=origin, declare=True, isolation="a container", env=env
    ) as run:
        work(run, golds(tasks))
    with pytest.raises(gaia.SubmissionRefused) as refused:
        gaia.submit_run(tmp_path / "run", tmp_path / "package", dataset="demo", strict=True, env=env)
    assert refused.value.reasons[-1] == "audit, strictly: evidence: token counts are not known"


def test_an_imported_run_is_never_submitted(tmp_path, tasks):
    origin = gaia.Origin(kind="imported", recorded_by="gaia-harness", format="jsonl")
    with pytest.raises(UsageError, match="only a run that is recorded live can be declared"):
        RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=origin, declare=True, env={})
    assert not (tmp_path / "run").exists()
    run = write(tmp_path / "run", tasks, golds(tasks), origin=origin)
    assert run.summary.non_submittable_reasons == ("the run was imported: nobody witnessed it",)
    with pytest.raises(gaia.SubmissionRefused, match="imported"):
        gaia.submit_run(tmp_path / "run", tmp_path / "package", dataset="demo", env={})


def test_an_attempt_that_raises_is_interrupted_and_tried_again(tmp_path, tasks):
    first, second = tasks.tasks
    options = {"dataset": tasks, "model": "m", "origin": live("loop 1"), "env": {}}
    with pytest.raises(ConnectionError), RunWriter(tmp_path / "run", **options) as run:  # noqa: PT012
        with run.attempt(first) as attempt:
            attempt.prompt(first.question)
            attempt.llm_call("It is 4.")
            attempt.answer("4")
        with run.attempt(second) as attempt:
            attempt.llm_call("Let me see.")
            raise ConnectionError("the server is gone")
    assert read_record(tmp_path / "run").state == "interrupted"
    assert run.summary.finished == 1
    with RunWriter(tmp_path / "run", resume=True, **options) as run:
        assert [task.task_id for task in run.tasks] == [second.task_id]
        work(run, golds(tasks))
    assert (run.summary.finished, read_record(tmp_path / "run").state) == (2, "closed")
    results = {line["task_id"]: line for line in map(json.loads, (tmp_path / "run/results.jsonl").open())}
    assert results[second.task_id]["attempts"] == 2
    assert gaia.audit_run(tmp_path / "run", env={}).attestation.clean


def test_a_resume_with_something_else_is_refused(tmp_path, tasks):
    options = {"dataset": tasks, "model": "m", "origin": live("loop 1"), "env": {}}
    with pytest.raises(RuntimeError), RunWriter(tmp_path / "run", **options):
        raise RuntimeError
    for changed in ({"model": "n"}, {"origin": live("loop 2")}, {"isolation": "none"}, {"address": "http://x"}):
        with pytest.raises(gaia.GaiaError, match="is not the one that this run was begun with"):
            RunWriter(tmp_path / "run", resume=True, **{**options, **changed})


def test_votes_are_counted_over_attempts(tmp_path, tasks):
    options = {"dataset": tasks, "model": "m", "origin": live("loop 1"), "env": {}, "voting_attempts": 3}
    first, second = tasks.tasks
    with RunWriter(tmp_path / "run", **options) as run:
        for said in ("5", "4", "4"):
            with run.attempt(first) as attempt:
                attempt.llm_call(f"It is {said}.")
                attempt.answer(said)
        for _ in range(3):
            with run.attempt(second) as attempt:
                attempt.failed("no idea")
        with pytest.raises(UsageError, match="finished already"), run.attempt(first):
            pass
    results = [json.loads(line) for line in (tmp_path / "run/results.jsonl").open()]
    said = [(line["answer"], line["attempts"], line["error"]) for line in results]
    assert said == [("4", 3, None), (None, 3, "no idea")]


def test_sub_agents_answers_and_parallel_calls_are_steps(tmp_path, tasks):
    with RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=live("loop 1"), env={}) as run:
        task = next(run.tasks)
        with run.attempt(task) as attempt:
            attempt.prompt(task.question)
            attempt.llm_call("Two things at once.")
            one, two = attempt.tool_call("reader", {"file": "a"}), attempt.tool_call("search", "free text")
            with attempt.sub_agent("reader", call_id=one):
                attempt.prompt("Read a.")
                attempt.llm_call("It says seven.")
            hit = gaia.SourceText(url="https://x.example/", title="X", text="seven")
            attempt.tool_result("hits: seven", call_id=two, sources=[hit])
            attempt.tool_result("seven", call_id=one)
            attempt.answer("7", call_id=attempt.tool_call("final_answer", {"answer": "7"}))
        with pytest.raises(RuntimeError), run.attempt(next(run.tasks)) as attempt:
            raise RuntimeError
    (line,) = [json.loads(line) for line in (tmp_path / "run/trajectories.jsonl").open()]
    steps = line["steps"]
    assert [step["type"] for step in steps] == [
        "prompt", "llm_call", "tool_call", "tool_call", "prompt", "llm_call", "tool_result", "tool_result", "tool_call",
        "answer",
    ]  # fmt: skip
    assert [(step["agent"], step["parent"]) for step in steps[4:6]] == [("reader", 2), ("reader", 2)]
    assert steps[6]["sources"] == [{"url": "https://x.example/", "title": "X", "offset": 6, "bytes": 5}]
    assert (steps[9]["head"], steps[9]["call_id"], steps[3]["args"]) == ("7", steps[8]["call_id"], "free text")
    assert [step["turn"] for step in steps] == [1, 1, 1, 1, 2, 2, 2, 2, 2, 2]


def test_attempts_at_different_tasks_may_be_under_way_together(tmp_path, tasks):
    first, second = tasks.tasks
    with RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=live("loop 1"), env={}) as run:
        writers = {task.task_id: run.begin_attempt(task) for task in (first, second)}
        with pytest.raises(UsageError, match="under way already"):
            run.begin_attempt(first)
        for said in ("one", "two"):
            for task in (first, second):
                writers[task.task_id].llm_call(f"{said} of {task.task_id}")
        for task in (second, first):
            writers[task.task_id].answer(task.task_id)
            run.end_attempt(task)
        with pytest.raises(UsageError, match="no attempt at this task is under way"):
            run.end_attempt(first)
    lines = [json.loads(line) for line in (tmp_path / "run/trajectories.jsonl").open()]
    assert [line["task_id"] for line in lines] == [second.task_id, first.task_id]
    for line in lines:
        assert [step["head"] for step in line["steps"]] == [
            f"one of {line['task_id']}", f"two of {line['task_id']}", line["task_id"],
        ]  # fmt: skip
    assert "AUD-6" not in gaia.audit_run(tmp_path / "run", env={}).attestation.critical_failures


def test_what_a_loop_says_that_it_could_not_record_is_in_the_folder_at_once(tmp_path, tasks):
    with RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=live("loop 1"), env={}) as run:
        run.failed("the microphone was off", tasks.tasks[0].task_id)
        during = json.loads((tmp_path / "run/summary.json").read_text())
        work(run, golds(tasks))
    for summary in (during, json.loads((tmp_path / "run/summary.json").read_text())):
        assert "recording failed: the microphone was off" in summary["non_submittable_reasons"]


def test_an_output_that_was_cut_before_it_was_recorded_is_a_gap(tmp_path, tasks):
    with RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=live("loop 1"), env={}) as run:
        for task in run.tasks:
            with run.attempt(task) as attempt:
                attempt.llm_call("I look.")
                attempt.tool_result("half a page", call_id=attempt.tool_call("browse", {"page": "x"}), cut=True)
                attempt.answer("1")
    gaps = gaia.audit_run(tmp_path / "run", env={}).attestation.harness_gaps
    assert "evidence: 2 outputs of tools were cut before they were recorded" in gaps


def test_a_result_without_its_call_makes_the_run_unfit_and_not_the_loop_fail(tmp_path, tasks):
    with RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=live("loop 1"), env={}) as run:
        for task in run.tasks:
            with run.attempt(task) as attempt:
                attempt.llm_call("x")
                attempt.tool_result("from nowhere", name="search")
                attempt.answer("1")
    assert any("without its call" in reason for reason in run.summary.non_submittable_reasons)


def test_keys_are_masked_and_never_part_of_the_origin(tmp_path, tasks):
    env = {"ACME_API_KEY": "sword-fish-99-secret"}
    with pytest.raises(UsageError, match="ACME_API_KEY"):
        RunWriter(
            tmp_path / "run", dataset=tasks, model="m", env=env, origin=live("l", options={"key": env["ACME_API_KEY"]})
        )
    with RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=live("l"), env=env) as run:
        for task in run.tasks:
            with run.attempt(task) as attempt:
                attempt.llm_call(f"My key is {env['ACME_API_KEY']}.")
                attempt.answer(env["ACME_API_KEY"])
    for path in (tmp_path / "run").rglob("*"):
        assert not path.is_file() or b"sword-fish" not in path.read_bytes(), path


def test_a_killed_loop_leaves_a_run_that_says_so_and_goes_on(tmp_path):
    program = (
        "import os, sys\nfrom gaia_harness import RunWriter, Selection, live, load_tasks\n"
        "tasks = load_tasks('demo', selection=Selection(first=1, last=2))\n"
        "with RunWriter(sys.argv[1], dataset=tasks, model='m', origin=live('l'), resume=True) as run:\n"
        "    for number, task in enumerate(run.tasks):\n"
        "        with run.attempt(task) as attempt:\n"
        "            attempt.llm_call('It is 4.')\n"
        "            if number and len(sys.argv) > 2:\n"
        "                os.kill(os.getpid(), 9)\n"
        "            attempt.answer('4')\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, tmp_path / "run", "die"], env=environment(), check=False)
    assert killed.returncode == -signal.SIGKILL
    summary = json.loads((tmp_path / "run/summary.json").read_text())
    assert (summary["submittable"], read_record(tmp_path / "run").state) == (False, "running")
    subprocess.run([sys.executable, "-c", program, tmp_path / "run"], env=environment(), check=True)
    summary = json.loads((tmp_path / "run/summary.json").read_text())
    assert (summary["finished"], read_record(tmp_path / "run").state) == (2, "closed")


class Unspeakable:
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__


WRONG = {
    "no text": lambda attempt: (attempt.prompt(None), attempt.llm_call(None, thoughts=None)),
    "values": lambda attempt: (attempt.prompt([{"role": "user"}]), attempt.llm_call(3), attempt.prompt(b"\xff")),
    "half a character": lambda attempt: (
        attempt.tool_result("\ud800", call_id=attempt.tool_call("\ud800", {}), is_error=True),
        attempt.answer("\ud800"),
    ),
    "ids": lambda attempt: attempt.tool_result({"a": 1}, call_id=attempt.tool_call(None, [1], call_id=[7])),
    "counts": lambda attempt: attempt.llm_call("x", tokens_in=5.0, latency_ms=1.5),
    "a number": lambda attempt: attempt.answer(42),
    "an error": lambda attempt: attempt.failed(ValueError("no idea")),
}
UNFIT = {
    "no counts": lambda attempt: attempt.llm_call("x", tokens_in="5", tokens_out=-1),
    "no time": lambda attempt: attempt.took("5"),
    "an answer that cannot be said": lambda attempt: attempt.answer(Unspeakable()),
    "an argument that cannot be said": lambda attempt: attempt.tool_call("t", {"a": Unspeakable()}),
    "an error that cannot be said": lambda attempt: attempt.tool_result(
        Unspeakable(), call_id=attempt.tool_call("t"), is_error=True
    ),
}


@pytest.mark.parametrize(("wrong", "fit"), [(case, case in WRONG) for case in (*WRONG, *UNFIT)], ids=str)
def test_nothing_that_is_handed_to_an_attempt_disturbs_the_loop(tmp_path, wrong, fit):
    tasks = gaia.load_tasks("demo", selection=gaia.Selection(first=1, last=1), env={})
    with RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=live("loop 1"), env={}) as run:
        for task in run.tasks:
            with run.attempt(task) as attempt:
                attempt.llm_call("It is 4.")
                {**WRONG, **UNFIT}[wrong](attempt)
    failed = [reason for reason in run.summary.non_submittable_reasons if "recording failed" in reason]
    assert (run.summary.finished, failed == []) == (1, fit), failed
    assert fit is (len((tmp_path / "run/trajectories.jsonl").read_text().splitlines()) == 1)
    gaia.audit_run(tmp_path / "run", env={})


def test_attempts_in_threads_and_sub_agents_at_once_make_a_sound_run(tmp_path):
    tasks = gaia.load_tasks("demo", selection=gaia.Selection(first=1, last=8), env={})
    side_by_side = threading.Barrier(2)

    def help_out(attempt, name):
        with attempt.sub_agent(name):
            side_by_side.wait(60)
            for _ in range(20):
                attempt.llm_call(f"{name} looks.")
            side_by_side.wait(60)

    def solve(run, task):
        for _ in range(2):
            with run.attempt(task) as attempt:
                attempt.prompt(task.question)
                for number in range(20):
                    attempt.tool_result("seen", call_id=attempt.tool_call("look", {"number": number}))
                attempt.llm_call("It is 4.")
                attempt.answer("4")

    options = {"dataset": tasks, "model": "m", "origin": live("loop 1"), "env": {}, "voting_attempts": 2}
    with RunWriter(tmp_path / "run", **options) as run, ThreadPoolExecutor(4) as pool:
        first, *others = run.tasks
        with run.attempt(first) as attempt:
            attempt.prompt(first.question)
            list(pool.map(help_out, [attempt] * 2, ("ann", "bob")))
        with run.attempt(first) as attempt:
            attempt.prompt(first.question)
            attempt.llm_call("It is 4.")
        list(pool.map(solve, [run] * len(others), others))
    assert (run.summary.finished, read_record(tmp_path / "run").state) == (8, "closed")
    assert gaia.audit_run(tmp_path / "run", env={}).attestation.clean
    lines = {line["task_id"]: line for line in map(json.loads, (tmp_path / "run/trajectories.jsonl").open())}
    said = [step for step in lines[first.task_id]["steps"] if "agent" in step]
    assert {step["head"] for step in said} == {"ann looks.", "bob looks."}
    assert all(step["head"] == f"{step['agent']} looks." for step in said)


def test_attempts_that_cannot_be_are_refused(tmp_path, tasks):
    options = {"dataset": tasks, "model": "m", "origin": live("loop 1"), "env": {}, "voting_attempts": 2}
    foreign = gaia.load_tasks("demo", selection=gaia.Selection(first=9, last=9), env={}).tasks[0]
    first, second = tasks.tasks
    with RunWriter(tmp_path / "run", **options) as run:
        for wrong, said in ((first.task_id, "made at a task"), (foreign, "not a task of this run")):
            with pytest.raises(UsageError, match=said), run.attempt(wrong):
                pass
        with run.attempt(first) as attempt:
            with pytest.raises(UsageError, match="under way already"), run.attempt(first):
                pass
            attempt.llm_call("It is 4.")
        attempt.llm_call("Too late.")  # is said, and not recorded
        with run.attempt(first):
            pass
        with pytest.raises(ZeroDivisionError), run.attempt(second):
            raise ZeroDivisionError
        with pytest.raises(UsageError, match="was interrupted"), run.attempt(second):
            pass
    assert run.close() is run.summary
    with pytest.raises(UsageError, match="not written any more"), run.attempt(second):
        pass
    assert "Too late" not in (tmp_path / "run/trajectories.jsonl").read_text()
    with RunWriter(tmp_path / "run", resume=True, **options) as run:
        begun = run.begin_attempt(second)
        begun.llm_call("It is left open.")
    assert read_record(tmp_path / "run").state == "interrupted"
    assert '"event":"attempt_interrupted"' in (tmp_path / "run/log.jsonl").read_text().splitlines()[-1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": ""}, "model"),
        ({"model": "two\nlines"}, "model"),
        ({"dataset": "demo"}, "load_tasks"),
        ({"origin": None}, "live"),
        ({"origin": gaia.Origin(kind="native", recorded_by="us")}, "native"),
        ({"origin": gaia.Origin(kind="live", recorded_by=" ")}, "name of the program"),
        ({"origin": gaia.Origin(kind="live", recorded_by="x", tools={"a": "magic"})}, "magic"),
        ({"isolation": " "}, "isolation"),
        ({"voting_attempts": 0}, "voting_attempts"),
        ({"voting_attempts": "3"}, "voting_attempts"),
        ({"address": "https://ada:secret@x.example/"}, "password"),
        ({"out": None}, "folder"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_written(tmp_path, tasks, options, said):
    given = {"out": tmp_path / "run", "dataset": tasks, "model": "m", "origin": live("loop 1"), "env": {}}
    with pytest.raises(UsageError) as refused:
        RunWriter(**{**given, **options})
    assert said in f"{refused.value.message} {refused.value.hint}"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "parts",
    [
        {"unknown": "tokens"},
        {"unknown": ["nothing"]},
        {"tools": ["search"]},
        {"options": {"a": object()}},
        {"options": {"a": "x" * (17 << 20)}},
    ],
    ids=("text", "name", "list", "object", "large"),
)
def test_an_origin_of_wrong_parts_is_refused(parts):
    with pytest.raises(UsageError):
        live("loop 1", **parts)


READS_KEY = {"x": "import gaia_harness\nprint(open('/data/gaia/validation/metadata.jsonl').read())"}


@pytest.mark.parametrize(
    ("shown", "call", "said", "origin", "options", "rule"),
    [
        (True, ("helper", READS_KEY), True, {"tools": {"helper": "code"}}, {}, "harness-import"),
        (True, ("run_python", {"code": "final_answer(2 + 2)"}), False, {}, {}, None),
        (False, ("browse", {"page": "x"}), True, {"unknown": ["prompts", "context_sha256"]}, {}, "unsound-record"),
        (True, ("browse", {"page": "x"}), True, {}, {"isolation": "none"}, "gap"),
    ],
    ids=["code under another name", "computed", "prompts said to be unknown", "uncontained"],
)
def test_what_a_run_says_of_itself_hides_nothing(tmp_path, shown, call, said, origin, options, rule):
    tasks = gaia.load_tasks("demo", selection=gaia.Selection(first=1, last=1), env={})
    answers = golds(tasks)
    made_by = live("loop 1", **origin)
    with RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=made_by, env={}, **options) as run:
        for task in run.tasks:
            with run.attempt(task) as attempt:
                if shown:
                    attempt.prompt(task.question)
                attempt.llm_call("I look.", tokens_in=3, tokens_out=2)
                attempt.tool_result("Done.", call_id=attempt.tool_call(*call))
                reply = f"It is {answers[task.task_id]}." if said else "That is clear."
                attempt.llm_call(reply, tokens_in=9, tokens_out=5)
                attempt.answer(answers[task.task_id])
    report = gaia.audit_run(tmp_path / "run", dataset="demo", env={})
    found = {finding.rule for check in report.checks for finding in check.findings}
    if rule == "gap":
        assert "AUD-4: the agent's code was not contained, as the run says" in report.attestation.harness_gaps
    elif rule is None:
        assert not found & {"answer-from-nowhere", "other-answer"}
    else:
        assert rule in found


def test_a_tool_that_takes_no_arguments_is_used_like_any_other(tmp_path):
    tasks = gaia.load_tasks("demo", selection=gaia.Selection(first=1, last=1), env={})
    with RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=live("loop 1"), env={}) as run:
        for task in run.tasks:
            with run.attempt(task) as attempt:
                attempt.prompt(task.question)
                attempt.llm_call("What time is it?", tokens_in=3, tokens_out=2)
                attempt.tool_result("noon", call_id=attempt.tool_call("clock"))
                attempt.llm_call("It is noon.", tokens_in=9, tokens_out=5)
                attempt.answer("noon")
    report = gaia.audit_run(tmp_path / "run", dataset="demo", env={})
    assert not [finding.rule for check in report.checks for finding in check.findings if finding.severity == "high"]


def test_another_loop_may_ask_in_other_words(tmp_path):
    tasks = gaia.load_tasks("demo", selection=gaia.Selection(first=1, last=1), env={})
    with RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=live("loop 1"), env={}) as run:
        for task in run.tasks:
            with run.attempt(task) as attempt:
                attempt.prompt("Was steht auf dem Schild am Hafen?")
                attempt.llm_call(f"Es ist {golds(tasks)[task.task_id]}.", tokens_in=9, tokens_out=5)
                attempt.answer(golds(tasks)[task.task_id])
    report = gaia.audit_run(tmp_path / "run", dataset="demo", env={})
    assert "no-work" not in {finding.rule for check in report.checks for finding in check.findings}


def test_our_own_loop_does_not_go_on_with_a_run_of_another(tmp_path, tasks):
    options = {"dataset": tasks, "model": "scripted/x", "origin": live("loop 1"), "env": {}}
    with pytest.raises(ZeroDivisionError), RunWriter(tmp_path / "run", **options) as run, run.attempt(tasks.tasks[0]):
        raise ZeroDivisionError
    log = (tmp_path / "run/log.jsonl").read_bytes()
    with pytest.raises(UsageError, match="recorded live by loop 1"):
        gaia.resume_run(tmp_path / "run", env={})
    assert (tmp_path / "run/log.jsonl").read_bytes() == log


def test_who_records_live_cannot_say_that_replies_are_unknown(tmp_path, tasks):
    with pytest.raises(UsageError, match="known to whoever records live"):
        RunWriter(tmp_path / "run", dataset=tasks, model="m", origin=live("l", unknown=["replies"]), env={})
    assert not (tmp_path / "run").exists()
