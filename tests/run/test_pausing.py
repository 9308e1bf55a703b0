"""Failures of the service, the clock and the disk are not answers: the run pauses, and a resume finishes it."""

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import termios
import threading

import pytest

from chat_server import chat_reply, chat_server
from gaia_command import environment, gaia, lines, own_folders, ready_command, summary, until
from gaia_layout import json_lines, row, write_layout
from loopback import Answer
from small_disk import fill, mounted

TASKS = 8
NOISE = "import os; print(os.urandom(9000).hex())"  # does not compress: bodies fill the disk


@pytest.fixture
def dataset(tmp_path):
    rows = [row(n) for n in range(TASKS)]
    return write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})


def error(status, **fields):
    return Answer.json({"error": {"message": "no luck", **fields}}, status)


def right(request):
    number = re.search(r"in room (\d+)\?", json.dumps(request["messages"]))[1]
    return chat_reply(f"FINAL ANSWER: {number} lanterns")


def arguments(dataset, server, out, *more):
    return (
        "run", "--dataset", dataset, "--model", "openai/test-model", "--base-url", server.base_url, "--out", out,
        "--submit-intent", "--max-retries", "0", *more,
    )  # fmt: skip


def after(count, failing):
    """A server that fails once so many requests were answered."""
    served = iter(range(1000))
    return lambda request: right(request) if next(served) < count else failing


@pytest.mark.parametrize(
    "failing",
    [
        error(429, code="insufficient_quota"),
        error(402),
        error(503),
        Answer(drop=True),
        Answer(body=b"<html>bad gateway</html>"),
    ],
    ids=["no credit", "payment required", "unavailable", "dropped", "not json"],
)
def test_an_outage_pauses_the_run_and_a_resume_finishes_it(dataset, tmp_path, failing):
    out = tmp_path / "out"
    with chat_server(after(3, failing)) as server:
        ran = gaia(*arguments(dataset, server, out, "--concurrency", "2"))
        asked = len(server.seen)
        port = int(server.base_url.rpartition(":")[2].split("/")[0])
    assert ran.code == 4, ran.said
    assert f"paused: {TASKS - 3} of {TASKS} tasks are not finished: 3 tasks in a row" in ran.err
    assert ran.err.rstrip().endswith(f"next:  gaia run --resume {out}")
    assert 6 <= asked <= 8  # three in a row, and what was under way beside the first and the third
    assert len(lines(out / "results.jsonl")) == summary(out)["finished"] == 3
    assert summary(out)["submittable"] is False
    interrupted = [event for event in lines(out / "log.jsonl") if event["event"] == "attempt_interrupted"]
    assert len(interrupted) == asked - 3
    with chat_server(right, port=port):
        ran = gaia("run", "--resume", out)
    assert ran.code == 0, ran.said
    assert f"{TASKS} of {TASKS} = 100.0%" in ran.out
    assert f"{len(interrupted)} attempts begun and not finished ({len(interrupted)} by an outage)" in ran.out
    assert summary(out)["submittable"] is True
    again = {result["task_id"]: result["attempts"] for result in lines(out / "results.jsonl")}
    assert sum(again.values()) == TASKS + len(interrupted)


def test_a_run_that_paused_is_submitted_and_verified_and_says_so(dataset, tmp_path):
    out, package = tmp_path / "out", tmp_path / "package"
    with chat_server(after(2, error(500))) as server:
        assert gaia(*arguments(dataset, server, out, "--concurrency", "1")).code == 4
        port = int(server.base_url.rpartition(":")[2].split("/")[0])
    with chat_server(right, port=port):
        assert gaia("run", "--resume", out).code == 0
    submitted = gaia("submit", out, "--out", package)
    assert submitted.code == 0, submitted.said
    signers = tmp_path / "allowed_signers"
    signers.write_text(gaia("keys", "show", "--allowed-signers").out)
    verified = gaia("verify", package, "--allowed-signers", signers, "--dataset", dataset)
    assert verified.code == 0, verified.said
    assert "resumed 1 time, 3 attempts begun and not finished (3 by an outage)" in verified.out


def test_one_outage_does_not_stop_the_others(dataset, tmp_path):
    def moody(request):
        return error(500) if "in room 4?" in json.dumps(request["messages"]) else right(request)

    out = tmp_path / "out"
    with chat_server(moody) as server:
        ran = gaia(*arguments(dataset, server, out))
    assert ran.code == 4, ran.said
    assert f"paused: 1 of {TASKS} tasks are not finished" in ran.err
    assert summary(out)["finished"] == TASKS - 1


@pytest.mark.parametrize(("status", "said"), [(401, "The key was refused"), (404, "Check the model's name")])
def test_a_wrong_key_or_an_unknown_model_stops_at_once(dataset, tmp_path, status, said):
    out = tmp_path / "out"
    with chat_server(lambda _: error(status)) as server:
        ran = gaia(*arguments(dataset, server, out, "--concurrency", "1"), OPENAI_API_KEY="sk-wrong")
    assert ran.code == 1, ran.said
    assert len(server.seen) == 1
    assert f"error: the run cannot go on: openai/test-model at {server.base_url}: HTTP {status}" in ran.err
    assert "(a run keeps its model and address: begin a new one if these are wrong)" in ran.err
    assert said in ran.err
    assert f"gaia run --resume {out}" in ran.err
    assert lines(out / "results.jsonl") == []


def refusing(*rooms, status=400):
    """A server that refuses to speak of these rooms."""

    def answer(request):
        number = int(re.search(r"in room (\d+)\?", json.dumps(request["messages"]))[1])
        return error(status) if number in rooms else right(request)

    return answer


@pytest.mark.parametrize("attempts", ["1", "2"])
@pytest.mark.parametrize("rooms", [(0, 1), (3, 4, 5, 6)], ids=["the first", "many in a row"])
def test_a_request_that_is_refused_where_others_are_answered_is_a_result(dataset, tmp_path, rooms, attempts):
    out = tmp_path / "out"
    options = ("--concurrency", "1", "--voting-attempts", attempts)
    with chat_server(refusing(*rooms)) as server:
        ran = gaia(*arguments(dataset, server, out, *options))
    assert ran.code == 0, ran.said  # errors within tasks are results
    assert (summary(out)["errors"], summary(out)["finished"]) == (len(rooms), TASKS)
    assert {result["attempts"] for result in lines(out / "results.jsonl")} == {int(attempts)}
    assert not [event for event in lines(out / "log.jsonl") if event["event"] == "attempt_interrupted"]
    assert gaia("submit", out, "--out", tmp_path / "package").code == 0


@pytest.mark.parametrize("limit", ["1", str(TASKS)])
@pytest.mark.parametrize(
    "refusal",
    [
        error(400),
        Answer.json({"error": {"message": "no luck"}}),
        error(400, code="context_length_exceeded"),
    ],
    ids=["400", "200 with an error", "too long"],
)
def test_a_server_that_refuses_every_request_stops_the_run_and_a_resume_finishes_it(dataset, tmp_path, refusal, limit):
    out, package = tmp_path / "out", tmp_path / "package"
    with chat_server(lambda _: refusal) as server:
        ran = gaia(*arguments(dataset, server, out, "--concurrency", "1", "--limit", limit))
        port = int(server.base_url.rpartition(":")[2].split("/")[0])
    assert ran.code == 1, ran.said
    assert len(server.seen) == min(3, int(limit))
    assert "error: the run cannot go on: no task was answered, the last one for this reason: openai/test" in ran.err
    assert "no luck" in ran.err
    assert ran.err.rstrip().endswith(f"next:  gaia run --resume {out}")
    assert lines(out / "results.jsonl") == []
    with chat_server(right, port=port):
        resumed = gaia("run", "--resume", out)
    assert resumed.code == 0, resumed.said
    assert summary(out)["passed"] == int(limit)
    assert gaia("submit", out, "--out", package).code == 0
    signers = tmp_path / "allowed_signers"
    signers.write_text(gaia("keys", "show", "--allowed-signers").out)
    assert gaia("verify", package, "--allowed-signers", signers, "--dataset", dataset).code == 0


def test_a_task_that_is_refused_alone_after_a_resume_is_a_result(dataset, tmp_path):
    out = tmp_path / "out"
    down = threading.Event()

    def moody(request):
        return error(503) if down.is_set() and "in room 4?" in json.dumps(request["messages"]) else refusing(4)(request)

    with chat_server(moody) as server:
        down.set()
        assert gaia(*arguments(dataset, server, out)).code == 4
        down.clear()
        resumed = gaia("run", "--resume", out)
    assert resumed.code == 0, resumed.said
    assert summary(out)["errors"] == 1


def test_tools_that_were_called_before_an_outage_are_counted(dataset, tmp_path):
    out = tmp_path / "out"
    fails = threading.Event()
    fails.set()

    def answer(request):
        if not any(message["role"] == "tool" for message in request["messages"]):
            return chat_reply("Look.", calls=[("python", {"code": "print(7)"})])
        return error(500) if fails.is_set() else right(request)

    with chat_server(answer) as server:
        ran = gaia(*arguments(dataset, server, out, "--limit", "2", "--concurrency", "1"))
        assert ran.code == 4, ran.said
        assert "tools      python 2 calls" in ran.out
        assert summary(out)["tools"]["python"]["calls"] == 2
        fails.clear()
        assert "tools      python 4 calls" in gaia("run", "--resume", out).out
    assert summary(out)["tools"]["python"]["calls"] == 4


def test_a_run_that_was_killed_and_given_up_holds_no_room_back(dataset, tmp_path):
    out = tmp_path / "out"
    with chat_server(lambda _: Answer(delay=300)) as server:
        process = start(*arguments(dataset, server, out))
        until(lambda: server.seen)
        process.kill()
        process.communicate()
    assert (out / ".reserve").exists()
    assert gaia("run", "--abandon", out).code == 0
    assert not (out / ".reserve").exists()


def on_a_terminal(*args):
    """What a terminal of 80 columns is sent by a command."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    process = subprocess.Popen(ready_command(*args), stdout=theirs, stderr=theirs, env=environment(TERM="xterm"))
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while part := os.read(ours, 65536):
            said += part
    os.close(ours)
    process.wait()
    return said.decode()


def test_a_retry_is_said_in_a_line_of_its_own_on_a_terminal(dataset, tmp_path):
    with chat_server(lambda _: error(500)) as server:
        said = on_a_terminal(*arguments(dataset, server, tmp_path / "out", "--limit", "1"), "--max-retries", "1")
    assert re.search(r"(\n|\x1b\[2K|\x1b\[\?25l)WARNING: openai/test-model at ", said), said
    assert "leftWARNING" not in said
    assert "Traceback" not in said


def test_a_task_that_takes_too_long_ends_with_a_reason(dataset, tmp_path):
    def slow(request):
        turns = sum(message["role"] == "assistant" for message in request["messages"])
        return Answer.json(chat_reply("", calls=[("python", {"code": f"import time; time.sleep(0.3 + {turns})"})]))

    with chat_server(slow) as server:
        for seconds in ("2", "20", "100"):  # on a busy machine nothing may be answered within two, which is an outage
            out = tmp_path / seconds
            ran = gaia(*arguments(dataset, server, out, "--limit", "1", "--task-timeout", seconds))
            if ran.code == 0:
                break
    assert ran.code == 0, ran.said
    [result] = lines(out / "results.jsonl")
    assert result["error"] == f"no answer within {seconds} s, the time for a task (--task-timeout)"
    assert result["turns"] >= 1 and result["input_tokens"] > 0
    assert gaia("audit", out).code == 0


def test_a_server_that_hangs_for_the_whole_time_of_a_task_is_an_outage(dataset, tmp_path):
    out = tmp_path / "out"
    with chat_server(lambda _: Answer(delay=30)) as server:
        ran = gaia(*arguments(dataset, server, out, "--limit", "2", "--task-timeout", "1"))
    assert ran.code == 4, ran.said
    assert "no answer within 1 s, the time for a task" in ran.err
    assert lines(out / "results.jsonl") == []


def start(*args, **env):
    return subprocess.Popen(ready_command(*args), stderr=subprocess.PIPE, text=True, env=environment(**env))


def test_sigterm_ends_a_run_on_a_hanging_server_and_it_can_be_resumed(dataset, tmp_path):
    out = tmp_path / "out"
    with chat_server(lambda _: Answer(delay=300)) as server:
        process = start(*arguments(dataset, server, out))
        until(lambda: server.seen)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
        port = int(server.base_url.rpartition(":")[2].split("/")[0])
    assert process.returncode == 130, said
    assert "asked to end: tasks that are not finished within 5 s are not saved" in said
    assert f"gaia run --resume {out}" in said
    assert "Traceback" not in said
    with chat_server(right, port=port):
        resumed = gaia("run", "--resume", out)
    assert resumed.code == 0, resumed.said


def test_a_wait_is_not_silent(dataset, tmp_path):
    go_on = threading.Event()

    def waiting(request):
        go_on.wait(120)
        return right(request)

    with chat_server(waiting) as server:
        process = start(*arguments(dataset, server, tmp_path / "out", "--limit", "2", "--concurrency", "2"))
        said = ""
        while "running" not in said and process.poll() is None:
            said += process.stderr.readline()
        go_on.set()
        process.communicate(timeout=60)
    assert re.search(r"2 tasks running, the longest for \d\d+ s", said), said


@pytest.fixture
def small_disk(tmp_path):
    with mounted(tmp_path / "disk", "1m") as disk:
        yield disk


def noisy(request):
    if not any(message["role"] == "tool" for message in request["messages"]):
        return chat_reply("Look.", calls=[("python", {"code": NOISE})])
    return right(request)


def check_what_was_said(ran, out):
    """The console, the results and the log agree."""
    assert ran.code == 4, ran.said
    assert "tasks are not finished: the disk is full" in ran.err
    done = [line["task_id"] for line in lines(out / "results.jsonl")]
    assert done == [line["task_id"] for line in lines(out / "trajectories.jsonl")][: len(done)]
    assert done == [line["task_id"] for line in lines(out / "log.jsonl") if line["event"] == "task_finished"]
    assert sum(f"[{n}/{TASKS}]" in ran.err for n in range(1, TASKS + 1)) == len(done)
    assert f"finished   {len(done)} of {TASKS}" in ran.out


@pytest.mark.parametrize("moment", ["little by little", "all at once"])
def test_a_full_disk_pauses_the_run_and_with_room_it_is_finished_and_submittable(dataset, small_disk, moment):
    out = small_disk / "out"
    (small_disk / "ballast").write_bytes(b"x" * (1024 * 1024 - 200 * 1024))
    count = 0

    def filling(request):
        nonlocal count
        count += 1
        if count == 6 and moment == "all at once":
            fill(small_disk)
        return noisy(request)

    with chat_server(filling) as server:
        options = ("--evidence-full-bodies", "--concurrency", "1")
        ran = gaia(*arguments(dataset, server, out, *options))
        check_what_was_said(ran, out)
        fill(small_disk)
        log = (out / "log.jsonl").read_bytes()
        too_early = gaia("run", "--resume", out)
        assert too_early.code == 4 and "the disk of the run's folder is full" in too_early.err
        assert (out / "log.jsonl").read_bytes() == log  # no attempt was begun only to be cut off
        (small_disk / "ballast").unlink()
        resumed = gaia("run", "--resume", out)
    assert resumed.code == 0, resumed.said
    assert len(lines(out / "results.jsonl")) == TASKS
    assert summary(out)["submittable"] is True
    assert own_folders()
