"""Evidence that cannot be kept: the run goes on, and never looks clean."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from run_driver import Quiet, SlowModel

from chat_server import chat_reply, chat_server
from gaia_command import command, environment, gaia, killed_gaia, lines, own_folders, summary
from gaia_harness.records.config import RunConfig
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.resume import load_resume_state
from gaia_harness.run.runner import Stop
from gaia_harness.run.session import Session
from gaia_harness.signing.keys import KeyFolder
from gaia_layout import json_lines, row, write_layout
from loopback import Answer

TASKS = 8
NOISE = "import os; print(os.urandom(9000).hex())"  # does not compress: bodies fill the disk

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk or drop a right")


@pytest.fixture
def dataset(tmp_path):
    rows = [row(n) for n in range(TASKS)]
    return write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})


def noisy(request):
    if not any(message["role"] == "tool" for message in request["messages"]):
        return chat_reply("Look.", calls=[("python", {"code": NOISE})])
    return chat_reply("FINAL ANSWER: 3 lanterns")


def arguments(dataset, server, out, *more):
    return (
        "run", "--dataset", dataset, "--model", "openai/m", "--base-url", server.base_url, "--out", out,
        "--submit-intent", "--evidence-full-bodies", "--concurrency", "1", *more,
    )  # fmt: skip


@needs_root
def test_a_folder_made_read_only_in_the_middle(dataset, tmp_path):
    out = tmp_path / "out"
    without_rights = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]
    count = 0

    def locking(request):
        nonlocal count
        count += 1
        if count == 5:
            for folder in (out / "bodies", out / "prompts", out):
                folder.chmod(0o555)
        return noisy(request)

    with chat_server(locking) as server:
        done = subprocess.run(
            [*without_rights, *command(*arguments(dataset, server, out))],
            capture_output=True, text=True, env=environment(), timeout=120, check=False,
        )  # fmt: skip
    out.chmod(0o755)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert f"[{TASKS}/{TASKS}]" in done.stderr
    assert "Permission denied" in done.stderr
    assert "submittable: false" in done.stderr
    assert summary(out)["submittable"] is False
    assert len(lines(out / "results.jsonl")) == TASKS
    failed = [event for event in lines(out / "log.jsonl") if event["event"] == "recording_failed"]
    assert failed


def make_session(dataset, **changes):
    options = {"submit_intent": True, **changes}
    config = RunConfig(
        model="openai/slow", base_url="http://127.0.0.1:9/v1", dataset=str(dataset), search_url="http://127.0.0.1:9",
        **options,
    )  # fmt: skip
    return Session(config, own_folders(), model=SlowModel())


async def test_an_encoding_error_makes_the_run_not_submittable(dataset, tmp_path, monkeypatch):
    def refuse(value):
        if getattr(value, "task_id", None) == "task-3":
            raise UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed")
        return real(value)

    import gaia_harness.evidence.recording as recording

    real = recording.encode
    monkeypatch.setattr(recording, "encode", refuse)
    result = await make_session(dataset).start(tmp_path / "out", Quiet(), Stop())
    assert result.finished == TASKS
    assert result.passed == TASKS
    assert result.submittable is False
    assert "surrogates not allowed" in result.non_submittable_reasons[0]
    assert summary(tmp_path / "out")["submittable"] is False
    trajectories = {line["task_id"] for line in lines(tmp_path / "out" / "trajectories.jsonl")}
    assert trajectories == {f"task-{n}" for n in range(TASKS)} - {"task-3"}
    ends = {e["task_id"]: e for e in lines(tmp_path / "out" / "log.jsonl") if e["event"] == "task_finished"}
    assert ends["task-3"]["trajectory_sha256"] is None
    # also where that recording failed could not be noted, a resume sees what is missing
    run_id = json.loads((tmp_path / "out" / "run.json").read_text())["run_id"]
    key = KeyFolder(Path(own_folders()["GAIA_KEYS_DIR"])).existing("submit").public
    left = load_resume_state(tmp_path / "out", f"gaia-harness/run/{run_id}", key=key)
    assert "the line of task-3 is missing" in left.failures


async def test_a_ledger_that_cannot_be_written_at_the_end_leaves_the_run_to_be_resumed(dataset, tmp_path, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    session = make_session(dataset)
    with monkeypatch.context() as broken:
        broken.setattr(session.declaration, "close", full)
        result = await session.start(tmp_path / "out", Quiet(), Stop())
    assert result.submittable is False
    assert json.loads((tmp_path / "out" / "run.json").read_text())["state"] == "interrupted"
    with RunFolder.reopen(tmp_path / "out") as folder:
        await make_session(dataset).resume(folder, folder.read_record(), Quiet(), Stop())
    assert json.loads((tmp_path / "out" / "run.json").read_text())["state"] == "closed"


async def test_a_step_that_cannot_be_recorded_makes_the_run_not_submittable(dataset, tmp_path, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("the scan fell over")

    monkeypatch.setattr("gaia_harness.evidence.recorder.scan", broken)
    result = await make_session(dataset).start(tmp_path / "out", Quiet(), Stop())
    assert result.passed == TASKS
    assert result.submittable is False
    assert any("the scan fell over" in reason for reason in result.non_submittable_reasons)


async def test_a_good_run_with_intent_is_submittable(dataset, tmp_path):
    result = await make_session(dataset).start(tmp_path / "out", Quiet(), Stop())
    assert result.submittable is True
    assert result.non_submittable_reasons == ()
    assert lines(tmp_path / "out" / "log.jsonl")[-1] | {"seq": 0, "time": ""} == {
        "event": "run_closed", "seq": 0, "time": "", "status": "complete", "tasks": TASKS, "finished": TASKS,
        "attempts": TASKS, "submittable": True,
    }  # fmt: skip


async def test_evidence_off_is_said_in_the_summary(dataset, tmp_path):
    session = make_session(dataset, record_evidence=False, submit_intent=False)
    await session.start(tmp_path / "out", Quiet(), Stop())
    said = summary(tmp_path / "out")
    assert said["submittable"] is False
    assert "evidence recording was off" in said["non_submittable_reasons"][0]
    assert not (tmp_path / "out" / "trajectories.jsonl").exists()


def test_before_its_end_a_run_says_that_it_cannot_be_submitted(dataset, tmp_path):
    out = tmp_path / "out"
    with chat_server(lambda request: Answer(delay=300)) as server:
        killed_gaia(*arguments(dataset, server, out), when=lambda: server.seen)
    said = summary(out)
    assert said["submittable"] is False
    assert "the run is not closed" in said["non_submittable_reasons"]
    started = [event["event"] for event in lines(out / "log.jsonl")]
    assert started[:2] == ["run_started", "attempt_started"]


def test_attempt_is_on_disk_before_the_first_model_call(dataset, tmp_path):
    out = tmp_path / "out"
    seen_at_call = []

    def looking(request):
        seen_at_call.append(json.loads((out / "log.jsonl").read_bytes().splitlines()[-1])["event"])
        return chat_reply("FINAL ANSWER: 1")

    with chat_server(looking) as server:
        ran = gaia(*arguments(dataset, server, out, "--limit", "1"))
    assert ran.code == 0, ran.said
    assert seen_at_call == ["attempt_started"]
    shutil.rmtree(out)
