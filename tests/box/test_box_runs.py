"""Whole runs of an agent in a box by the commands that people type: declared, killed, resumed, submitted, verified."""

import json
import os
import threading
from pathlib import Path

import pytest
from boxed import ASK, folder_of, needs_box

from gaia_command import gaia, killed_gaia, lines, summary, until
from gaia_harness.box.folder_hash import folder_sha256
from gaia_harness.tasks.loading import load_tasks
from provider_server import Says, provider_server
from small_disk import fill, mounted

AGENT = f"""
{ASK}
import sys, urllib.error, urllib.request
try:
    urllib.request.urlopen("http://192.168.7.7/tower")
except urllib.error.HTTPError as error:
    print(error.read().decode())
print(ask(sys.stdin.read()))
"""
KEY = "sk-test-0123456789abcdef"


@pytest.fixture(autouse=True)
def _box():
    needs_box()


def agent_in(tmp_path, script=AGENT):
    return folder_of(tmp_path / "agent", script)


def asked(tmp_path, provider, out, *more, limit="2"):
    """The arguments of a run, and the environment that goes with it."""
    command = ("run", "--agent", "python3 main.py", "--agent-dir", tmp_path / "agent", "--model", "openai/gpt-4o")
    where = ("--base-url", f"{provider.url}/v1", "--dataset", "demo", "--limit", limit, "--out", out)
    return (*command, *where, "--task-timeout", "100", *more)


def started(*arguments, **env):
    return gaia(*arguments, OPENAI_API_KEY=KEY, **own_path(), **env)


def own_path():
    return {"PATH": "/usr/local/bin:/usr/bin:/bin:" + os.environ["PATH"]}


def right(body):
    return Says("I have thought about it.\nFINAL ANSWER: 42")


def test_an_agent_that_prints_the_question_and_its_answer_has_not_found_a_copy(tmp_path):
    agent_in(tmp_path, f"{ASK}\nimport sys\nquestion = sys.stdin.read()\nprint(question, ask(question), sep='\\n')")
    loaded = load_tasks("demo")
    gold = loaded.key.golds[loaded.tasks[0].task_id].answer
    out = tmp_path / "run"
    with provider_server(lambda body: Says(f"FINAL ANSWER: {gold}")) as provider:
        ran = started(*asked(tmp_path, provider, out, limit="1"))
    assert ran.code == 0 and "correct" in ran.said, ran.said
    audited = started("audit", out)
    assert audited.code == 0 and "copy" not in audited.out, audited.said


def test_an_agent_whose_answer_is_reviewed_by_another_model_was_told_by_no_oracle(tmp_path):
    review = "verdict = ask(f'Is it right? {question} Proposed: {reply}')"
    again = "print(ask(f'{question} You said: {reply}'), ask(verdict), reply)"
    agent_in(tmp_path, f"{ASK}\nimport sys\nquestion = sys.stdin.read()\nreply = ask(question)\n{review}\n{again}")
    says = {"Is it right?": "No, that is incorrect."}

    def answer(body):
        asked = body["messages"][-1]["content"]
        return Says(next((text for word, text in says.items() if word in asked), "FINAL ANSWER: 5"))

    out = tmp_path / "run"
    with provider_server(answer) as provider:
        assert started(*asked(tmp_path, provider, out, limit="1")).code == 0
    assert any(step.get("head") == says["Is it right?"] for step in lines(out / "trajectories.jsonl")[0]["steps"])
    audited = started("audit", out)
    assert audited.code == 0 and "verdict-fed-back" not in audited.out, audited.said


def test_a_declared_run_is_audited_submitted_and_verified_with_the_facts_of_its_agent(tmp_path):
    folder, out, package = agent_in(tmp_path), tmp_path / "run", tmp_path / "package"
    with provider_server(right) as provider:
        ran = started(*asked(tmp_path, provider, out, "--submit-intent", "--voting-attempts", "2"))
    assert ran.code == 0, ran.said
    assert summary(out)["submittable"] is True
    assert {seen.headers["authorization"] for seen in provider.seen} == {f"Bearer {KEY}"}
    assert len(provider.seen) == 4
    steps = lines(out / "trajectories.jsonl")[0]["steps"]
    assert {step["attempt"] for step in steps} == {1, 2}
    audited = started("audit", out)
    assert audited.code == 0, audited.said
    submitted = started("submit", out, "--out", package, "--submitted-at", "2030-01-02T03:04:05Z")
    assert submitted.code == 0, submitted.said
    verified = started("verify", package, "--dataset", "demo")
    assert "FAILED" not in verified.said and verified.code == 3, verified.said  # 3: nobody said who may sign

    record = json.loads((out / "run.json").read_text())
    metadata = json.loads((package / "metadata.json").read_text())
    sha256 = record["config"]["agent"]["sha256"]
    facts = {"given": "python3 main.py", "folder": "folder:agent", "command": ["/usr/bin/python3", "main.py"]}
    for options in (metadata["options"], metadata["facts"]["origin"]["options"]):
        assert sha256 in json.dumps(options)
    assert metadata["options"]["agent"].items() >= (facts | {"sha256": sha256}).items()
    assert metadata["origin"] == record["origin"]
    assert metadata["hosts"] == {"192.168.7.7": 4}
    attestation = (package / "attestation.dsse.json").read_text()
    readme = (package / "README.md").read_text()
    for said in (readme, verified.said.replace("\n             ", " ")):
        assert sha256 in said and "192.168.7.7 (4 requests)" in said and "main.py" in said
    assert str(folder) not in readme + verified.said + attestation + (package / "metadata.json").read_text()

    (package / "metadata.json").write_text((package / "metadata.json").read_text().replace("192.168.7.7", "8.8.8.8"))
    tampered = started("verify", package)
    assert tampered.code == 1 and "FAILED" in tampered.said


def box_processes(mark):
    """Processes of a box by a word of their command or environment, which nobody else has."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            try:
                if mark.encode() in (path / "cmdline").read_bytes():
                    found.append(path.name)
            except OSError:
                continue
    return found


def test_a_killed_run_takes_its_box_along_and_is_resumed_with_the_same_agent_alone(tmp_path):
    mark = f"mark-of-{tmp_path.name}-{os.getpid()}"
    spawn = f"import subprocess; subprocess.Popen(['sh', '-c', 'sleep 300; : {mark}'])\n"
    folder, out = agent_in(tmp_path, spawn + AGENT), tmp_path / "run"
    go_on = threading.Event()

    def waiting(body):
        go_on.wait(100)
        return right(body)

    with provider_server(waiting) as provider:
        arguments = asked(tmp_path, provider, out, "--submit-intent")
        killed_gaia(*arguments, when=lambda: provider.seen, OPENAI_API_KEY=KEY, **own_path())
        until(lambda: not box_processes(mark))
        go_on.set()
        before = (folder / "main.py").read_text()
        (folder / "main.py").write_text(before + "\n")
        changed = started("run", "--resume", out)
        assert changed.code == 1 and "is not the one that this run was started with" in changed.err, changed.said
        (folder / "main.py").write_text(before)
        within = started(*asked(tmp_path, provider, folder / "runs" / "next"))
        assert within.code == 2 and "lies in the agent's own folder" in within.err, within.said
        resumed = started("run", "--resume", out)
    assert resumed.code == 0, resumed.said
    assert summary(out)["submittable"] is True
    assert [line["event"] for line in lines(out / "log.jsonl")].count("task_finished") == 2
    assert all(any(s["type"] == "llm_call" for s in line["steps"]) for line in lines(out / "trajectories.jsonl"))
    assert started("audit", out).code == 0


def test_a_full_disk_pauses_the_run_and_with_room_it_is_finished(tmp_path):
    agent_in(tmp_path)
    with mounted(tmp_path / "disk", "1m") as disk:
        (disk / "ballast").write_bytes(b"x" * (1024 * 1024 - 200 * 1024))

        def filling(body):
            if len(provider.seen) == 2:
                fill(disk)
            return right(body)

        with provider_server(filling) as provider:
            ran = started(*asked(tmp_path, provider, disk / "run", "--concurrency", "1", "--submit-intent", limit="3"))
            assert ran.code == 4 and "the disk is full" in ran.err, ran.said
            assert len(lines(disk / "run" / "results.jsonl")) < 3
            (disk / "ballast").unlink()
            resumed = started("run", "--resume", disk / "run")
        assert resumed.code == 0, resumed.said
        assert summary(disk / "run")["submittable"] is True
        assert len(lines(disk / "run" / "results.jsonl")) == 3


def test_the_cost_limit_pauses_the_run_as_it_does_for_our_own_loop(tmp_path):
    at_once = "import threading\nfor n in range(8): threading.Thread(target=ask, args=[f'Again {n}']).start()\n"
    agent_in(tmp_path, f"{AGENT}\n{at_once}")
    prices = ("--price-in", "1000", "--price-out", "1000", "--max-cost", "0.02", "--concurrency", "1")
    with provider_server(right) as provider:
        ran = started(*asked(tmp_path, provider, tmp_path / "run", *prices))
        assert ran.code == 4 and "--max-cost 0.02 is spent ($0.03)" in ran.err, ran.said
        assert len(provider.seen) == 2  # no call once it was spent, nor one that waits for what others cost
        resumed = started("run", "--resume", tmp_path / "run", "--max-cost", "none")
    assert resumed.code == 0, resumed.said
    assert len(lines(tmp_path / "run" / "results.jsonl")) == 2


def test_a_dry_run_names_the_agent_and_what_it_may_reach(tmp_path):
    folder = agent_in(tmp_path)
    named = (
        "--agent",
        "python3 main.py --fast",
        "--agent-dir",
        folder,
        "--also-model",
        "gpt-4o-mini",
        "--max-calls",
        "60",
    )
    where = ("--allow-host", "tower.example", "--search-url", "http://localhost:8888", "--dataset", "demo")
    said = started("run", "--model", "openai/gpt-4o", *named, *where, "--dry-run").out
    told = [line.strip() for line in said.splitlines()]
    begin = next(number for number, line in enumerate(told) if line.startswith("agent "))
    assert told[begin].endswith("/python3 main.py --fast")
    assert told[begin + 1 : begin + 5] == [
        f"folder {folder}, sha256 {folder_sha256(folder)}",
        "may ask for gpt-4o, gpt-4o-mini, without tools that the provider runs itself",
        "may reach any public host at ports 80, 443 and 8888, and tower.example by --allow-host; all of it is recorded",
        "at most 60 model calls an attempt",
    ], said


BAD = """
import hashlib, os, signal, subprocess, sys, time
question = sys.stdin.read()
match int(hashlib.sha256(question.encode()).hexdigest(), 16) % 6:
    case 0: os.kill(os.getpid(), signal.SIGSEGV)
    case 1: sys.stdout.buffer.write(bytes(range(256)) * 1000 + b"\\nFINAL ANSWER: \\xff\\xfe\\n\\xe2\\x82")
    case 2: subprocess.Popen(["sleep", "300"]); print("FINAL ANSWER: children")
    case 3: time.sleep(300)
    case 4:
        while True:
            try: os.fork()
            except OSError: time.sleep(1)
    case 5:
        while True: sys.stdout.write("x" * 1000000)
"""


@pytest.mark.cases
def test_bad_agents_do_not_stop_a_run_and_its_record_is_sound(tmp_path):
    agent_in(tmp_path, BAD)
    out = tmp_path / "run"
    with provider_server(right) as provider:
        arguments = asked(tmp_path, provider, out, "--submit-intent", "--concurrency", "3", limit="6")
        ran = started(*(*arguments, "--task-timeout", "3"))
    assert ran.code == 0, ran.said
    assert len(lines(out / "results.jsonl")) == 6
    assert summary(out)["submittable"] is True
    audited = started("audit", out)
    # all of it can be read, and an answer for which no model was asked shows
    assert "could not  nothing" in audited.out and "verdict    NOT CLEAN: AUD-2\n" in audited.out, audited.said


def test_check_of_an_agent_names_no_file_of_a_run_that_it_does_not_keep(tmp_path):
    folder = agent_in(tmp_path)
    with provider_server(lambda body: Says("FINAL ANSWER: 42")) as provider:
        where = ("--agent-dir", folder, "--model", "openai/gpt-4o", "--base-url", f"{provider.url}/v1")
        ran = gaia("agent", "check", "python3 main.py", *where, OPENAI_API_KEY=KEY, TMPDIR=str(tmp_path))
    assert ran.code == 0, ran.said
    assert "web      GET http://192.168.7.7/tower, " in ran.said and "answer   42" in ran.said, ran.said
    assert str(tmp_path / "gaia-agent-") not in ran.said and not list(tmp_path.glob("gaia-agent-*"))
