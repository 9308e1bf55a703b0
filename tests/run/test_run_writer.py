"""Any loop's run is written by `RunWriter`, and is then a run like our own."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import gaia_harness as gaia
from gaia_command import environment
from gaia_harness.errors import UsageError
from gaia_harness.records.run import read_record
from gaia_harness.run.writer import RunWriter, live

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
