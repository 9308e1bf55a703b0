"""`gaia run` as a person meets it: over a folder in GAIA's layout, with a server that speaks OpenAI's protocol."""

import hashlib
import itertools
import json
import re
import signal
import subprocess
import threading
from collections import Counter

import pytest

from chat_server import chat_reply, chat_server, message_reply, messages_server
from gaia_command import environment, gaia, lines, ready_command, summary, until
from gaia_layout import json_lines, parquet, row, write_layout
from loopback import Answer, loopback

TASKS = 12


@pytest.fixture
def dataset(tmp_path):
    rows = [row(n, level=1 + n % 3) for n in range(TASKS)]
    return write_layout(tmp_path / "data", {"2023/validation/metadata.parquet": parquet(rows)})


def room(request):
    return int(re.search(r"in room (\d+)\?", json.dumps(request["messages"]))[1])


def turn(request):
    return sum(message["role"] == "assistant" for message in request["messages"]) + 1


def counting(request):
    """A model that computes first and then answers; it is wrong about rooms 3 and 7."""
    number = room(request)
    if turn(request) == 1:
        return chat_reply("Let me count.", calls=[("python", {"code": f"print({number} + 0)"})], prompt_tokens=100)
    wrong = number in (3, 7)
    return chat_reply(f"FINAL ANSWER: {number + wrong} lanterns", prompt_tokens=200, completion_tokens=7)


def run(dataset, server, out, *more, **env):
    return gaia(
        "run", "--dataset", dataset, "--model", "openai/test-model", "--base-url", server.base_url, "--out", out,
        *more, **env,
    )  # fmt: skip


def test_scores_tokens_and_turns_are_right(dataset, tmp_path):
    out = tmp_path / "out"
    with chat_server(counting) as server:
        ran = run(dataset, server, out, "--concurrency", "8")
    assert ran.code == 0, ran.said
    assert f"{TASKS - 2} of {TASKS} = 83.3%" in ran.out
    figures = summary(out)
    assert (figures["total"], figures["passed"], figures["finished"]) == (TASKS, TASKS - 2, TASKS)
    assert figures["input_tokens"] == TASKS * 300
    assert figures["output_tokens"] == TASKS * 12
    assert figures["mean_turns"] == 2
    assert figures["est_cost_usd"] is None
    assert (figures["gaia_split"], figures["voting_attempts"], figures["view"]) == ("validation", 1, "primary")
    assert {level: rate["total"] for level, rate in figures["levels"].items()} == {"1": 4, "2": 4, "3": 4}
    results = {result["task_id"]: result for result in lines(out / "results.jsonl")}
    assert {task_id for task_id, result in results.items() if not result["correct"]} == {"task-3", "task-7"}
    assert results["task-5"]["answer"] == "5 lanterns"
    assert results["task-5"]["expected_output"] == "5 lanterns"
    assert results["task-5"]["tools_used"] == ["python"]
    record = json.loads((out / "run.json").read_text())
    assert record["state"] == "closed"
    assert record["dataset"]["digest"] == figures["dataset_digest"]
    assert record["isolation"]["python"].startswith("bubblewrap")


def test_majority_of_three_attempts_wins_and_all_are_counted(dataset, tmp_path):
    asked: Counter[int] = Counter()
    lock = threading.Lock()

    def wavering(request):
        number = room(request)
        with lock:
            asked[number] += 1
            first = asked[number] == 1
        # the first attempt at every room is wrong; of room 3 all attempts differ, and the first stands
        answer = number + asked[number] if number == 3 else number + first
        return chat_reply(f"FINAL ANSWER: {answer} Lanterns.", prompt_tokens=50, completion_tokens=5)

    out = tmp_path / "out"
    with chat_server(wavering) as server:
        ran = run(dataset, server, out, "--voting-attempts", "3", "--concurrency", "8", "--seed", "7")
    assert ran.code == 0, ran.said
    figures = summary(out)
    assert (figures["passed"], figures["passed_first_attempt"], figures["view"]) == (TASKS - 1, 0, "majority")
    assert figures["input_tokens"] == TASKS * 3 * 50
    results = {result["task_id"]: result for result in lines(out / "results.jsonl")}
    assert results["task-5"]["voting"] == {
        "selected_attempt": 2, "votes": 2, "cast": 3, "first_attempt_correct": False,
        "answers": ["6 Lanterns.", "5 Lanterns.", "5 Lanterns."],
    }  # fmt: skip
    assert results["task-3"]["voting"]["votes"] == 1
    assert results["task-3"]["voting"]["selected_attempt"] == 1
    assert all(result["attempts"] == 3 for result in results.values())
    seeds = Counter(request["seed"] for request in server.requests)
    assert seeds == {7: TASKS, 8: TASKS, 9: TASKS}


def test_an_anthropic_model_runs_the_same_tasks(dataset, tmp_path):
    def counting(request):
        number = room(request)
        if turn(request) == 1:
            return message_reply("Counting.", calls=[("python", {"code": f"print({number})"})], input_tokens=9)
        return message_reply(f"FINAL ANSWER: {number} lanterns", input_tokens=11, output_tokens=3)

    out = tmp_path / "out"
    with messages_server(counting) as server:
        ran = gaia(
            "run", "--dataset", dataset, "--model", "anthropic/test", "--out", out, "--limit", "2-3",
            ANTHROPIC_BASE_URL=server.base_url, ANTHROPIC_API_KEY="a test key",
        )  # fmt: skip
    assert ran.code == 0, ran.said
    assert summary(out)["passed"] == 2
    assert summary(out)["input_tokens"] == 40


def test_the_test_split_claims_no_score(tmp_path):
    rows = [row(n, split="test") for n in range(2)]
    dataset = write_layout(tmp_path / "data", {"2023/test/metadata.jsonl": json_lines(rows)})
    out = tmp_path / "out"
    with chat_server(lambda request: chat_reply("FINAL ANSWER: 1")) as server:
        ran = run(dataset, server, out, "--split", "test")
    assert ran.code == 0, ran.said
    assert "no public answers" in ran.out
    assert summary(out)["pass_rate"] is None
    assert summary(out)["gaia_split"] == "test"
    assert all(result["correct"] is None for result in lines(out / "results.jsonl"))


def test_one_failing_task_does_not_stop_the_others(dataset, tmp_path):
    def moody(request):
        if room(request) == 4:
            return Answer.json({"error": {"message": "the cat is on the keyboard"}}, status=400)
        return chat_reply(f"FINAL ANSWER: {room(request)} lanterns")

    out = tmp_path / "out"
    with chat_server(moody) as server:
        ran = run(dataset, server, out)
    assert ran.code == 0, ran.said
    assert summary(out)["passed"] == TASKS - 1
    assert summary(out)["errors"] == 1
    failed = next(result for result in lines(out / "results.jsonl") if result["task_id"] == "task-4")
    assert "the cat is on the keyboard" in failed["error"]
    assert failed["correct"] is False
    assert "failed" in ran.err


def test_a_server_that_dies_gives_errors_a_person_understands(dataset, tmp_path):
    out = tmp_path / "out"
    with chat_server(counting) as server:
        pass
    ran = run(dataset, server, out, "--max-retries", "0", "--limit", "2")
    assert ran.code == 4, ran.said
    assert f"paused: 2 of 2 tasks are not finished: openai/test-model at {server.base_url}" in ran.err
    assert "Is the server running?" in ran.err
    assert f"next:  gaia run --resume {out}" in ran.err
    assert lines(out / "results.jsonl") == []
    assert summary(out)["finished"] == 0


def test_dead_tools_are_told_to_the_model(dataset, tmp_path):
    def searching(request):
        if turn(request) == 1:
            return chat_reply(
                "", calls=[("web_search", {"query": "lanterns"}), ("web_fetch", {"url": "http://127.0.0.1:9/"})]
            )
        told = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        return chat_reply(f"FINAL ANSWER: {' | '.join(told)}")

    out = tmp_path / "out"
    with loopback(lambda seen: Answer(status=500)) as dead, chat_server(searching) as server:
        ran = run(dataset, server, out, "--search-url", dead.url, "--limit", "1")
    assert ran.code == 0, ran.said
    answer = lines(out / "results.jsonl")[0]["answer"]
    search, fetch = answer.split(" | ")
    assert "500" in search
    assert "127.0.0.1" in fetch


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["--model", "openai/x", "--dataset", "nowhere"], 1, "nowhere"),
        ([], 2, "--model is missing"),
        (["--model", "gpt", "--dataset", "demo"], 2, "openai/NAME"),
        (["--model", "openai/x", "--dataset", "demo"], 1, "OPENAI_API_KEY"),
        (["--model", "scripted/demo", "--dataset", "demo", "--limit", "20-10"], 2, "20-10"),
        (["--model", "scripted/demo", "--dataset", "demo", "--split", "nonsense"], 1, "nonsense"),
        (["--model", "scripted/demo", "--dataset", "demo", "--task-id", "nonsense"], 2, "nonsense"),
        (["--model", "scripted/demo", "--dataset", "demo", "--limit", "99-100"], 2, "1-29 is all of them"),
        (["--model", "scripted/demo", "--dataset", "demo", "--limit", ""], 2, "limit"),
        (["--model", "scripted/demo", "--dataset", "demo", "--search-url", "notaurl"], 2, "--search-url"),
        (["--model", "openai/x", "--base-url", "http://u:pw@127.0.0.1:9/v1"], 2, "password"),
        (["--model", "scripted/demo", "--search-url", "http://u:pw@127.0.0.1:9"], 2, "password"),
        (["--model", "scripted/demo", "--allow-host", "127.0.0.1:8080"], 2, "--allow-host"),
        (["--model", "scripted/demo", "--allow-host", "10.0.0.0/8"], 2, "--allow-host"),
        (["--model", "foo", "--dry-run"], 2, "openai/NAME"),
        (["--resume", "nowhere", "--dry-run"], 2, "leave out --dry-run"),
        (["--resume", "nowhere"], 2, "there is no run here"),
        (["--resume", "nowhere", "--model", "openai/x"], 2, "leave out --model"),
        (
            ["--model", "scripted/demo", "--dataset", "demo", "--submit-intent", "--record-evidence=false"],
            2,
            "evidence",
        ),
    ],
)
def test_what_cannot_run_says_why_and_leaves_nothing(tmp_path, args, code, said):
    ran = gaia("run", *args, cwd=tmp_path)
    assert ran.code == code, ran.said
    assert said in ran.err
    assert list(tmp_path.iterdir()) == []


def test_output_folder_must_be_new_or_empty(dataset, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "precious.txt").write_text("mine")
    with chat_server(counting) as server:
        ran = run(dataset, server, out)
    assert ran.code == 2
    assert "must be new or empty" in ran.err
    assert [path.name for path in out.iterdir()] == ["precious.txt"]
    assert server.seen == []


def test_dry_run_says_what_would_run_and_runs_nothing(dataset, tmp_path):
    with chat_server(counting) as server:
        ran = run(dataset, server, tmp_path / "out", "--dry-run", "--level", "2")
    assert ran.code == 0, ran.said
    assert "tasks     4 (level 2: 4; 0 with a file)" in ran.out
    assert "unknown" in ran.out
    assert server.seen == []
    assert not (tmp_path / "out").exists()


def test_dry_run_needs_no_key_and_says_which_one_is_missing(dataset, tmp_path):
    ran = gaia("run", "--dataset", dataset, "--model", "openai/gpt-4o", "--dry-run", cwd=tmp_path)
    assert ran.code == 0, ran.said
    assert f"tasks     {TASKS} (" in ran.out
    assert "cost      about $" in ran.out
    assert "missing   OPENAI_API_KEY is not set" in ran.out


def test_options_are_read_from_the_environment(dataset, tmp_path):
    with chat_server(counting) as server:
        ran = gaia(
            "run",
            GAIA_RUN_DATASET=str(dataset), GAIA_RUN_MODEL="openai/m", GAIA_RUN_BASE_URL=server.base_url,
            GAIA_RUN_OUT=str(tmp_path / "out"), GAIA_RUN_LIMIT="1",
        )  # fmt: skip
    assert ran.code == 0, ran.said
    assert summary(tmp_path / "out")["total"] == 1


def test_a_run_without_a_sandbox_says_so(tmp_path):
    out = tmp_path / "out"
    ran = gaia("run", "--dataset", "demo", "--model", "scripted/demo", "--limit", "1", "--out", out, PATH=str(tmp_path))
    assert ran.err.count("WARNING: the python tool is not offered: ") == 2  # as it begins, and at the end
    assert "`gaia validate` says what to do" in ran.err
    assert summary(out)["warnings"][0].startswith("the python tool is not offered: ")
    assert json.loads((out / "run.json").read_text())["isolation"]["python"] == "not offered"


def test_python_without_a_sandbox_is_said_recorded_and_not_submittable(dataset, tmp_path):
    out = tmp_path / "out"
    with chat_server(counting) as server:
        ran = run(dataset, server, out, "--unsandboxed-python", "--limit", "1", "--submit-intent")
    assert ran.code == 3
    assert "WITHOUT a sandbox" in ran.err
    assert json.loads((out / "run.json").read_text())["isolation"]["python"] == "unsandboxed"
    assert summary(out)["non_submittable_reasons"] == ["python ran without a sandbox"]


def test_a_run_goes_on_when_nobody_reads_its_progress(dataset, tmp_path):
    out = tmp_path / "out"
    with chat_server(counting) as server:
        process = start(dataset, server, out)
        process.stderr.readline()
        process.stderr.close()
        process.stdout.close()
        process.wait(timeout=60)
    assert summary(out)["finished"] == TASKS


def test_answers_cannot_steer_the_terminal(dataset, tmp_path):
    with chat_server(lambda request: chat_reply("FINAL ANSWER: \x1b]0;pwned\x07\x1bc ok")) as server:
        ran = run(dataset, server, tmp_path / "out", "--limit", "1")
    assert "\x1b" not in ran.said
    assert "pwned" in ran.err


def test_a_split_with_a_missing_answer_claims_no_rate(tmp_path):
    rows = [row(0), row(1, Final_answer="?")]
    dataset = write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})
    with chat_server(lambda request: chat_reply("FINAL ANSWER: 0 lanterns")) as server:
        ran = run(dataset, server, tmp_path / "out")
    assert ran.code == 0
    assert summary(tmp_path / "out")["pass_rate"] is None
    assert [result["correct"] for result in lines(tmp_path / "out" / "results.jsonl")].count(None) == 1


def start(dataset, server, out, *more):
    args = ("run", "--dataset", dataset, "--model", "openai/m", "--base-url", server.base_url, "--out", out, *more)
    return subprocess.Popen(
        ready_command(*args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )


def wait_for_line(process, text):
    for line in process.stderr:
        if text in line:
            return
    pytest.fail(f"{text!r} was never said")


def test_ctrl_c_once_finishes_what_is_running_and_the_run_can_be_resumed(dataset, tmp_path):
    out = tmp_path / "out"
    release = threading.Event()
    count = itertools.count()

    def slow(request):
        if next(count) >= 2:
            release.wait(300)
        return chat_reply(f"FINAL ANSWER: {room(request)} lanterns")

    with chat_server(slow) as server:
        process = start(dataset, server, out, "--concurrency", "2")
        wait_for_line(process, "[ 2/12]")
        process.send_signal(signal.SIGINT)
        wait_for_line(process, "Ctrl-C again")
        release.set()
        _, err_text = process.communicate(timeout=60)
        assert process.returncode == 130, err_text
        assert f"gaia run --resume {out}" in err_text
        done = lines(out / "results.jsonl")
        assert 2 <= len(done) <= 4
        assert summary(out)["finished"] == len(done)
        assert json.loads((out / "run.json").read_text())["state"] == "interrupted"
        asked_before = len(server.seen)
        ran = gaia("run", "--resume", out)
        assert ran.code == 0, ran.said
        assert len(server.seen) - asked_before == TASKS - len(done)
    assert summary(out)["passed"] == TASKS
    assert len({result["task_id"] for result in lines(out / "results.jsonl")}) == TASKS
    ran = gaia("run", "--resume", out)
    assert ran.code == 2
    assert "this run is finished" in ran.err


def test_ctrl_c_twice_stops_at_once(dataset, tmp_path):
    out = tmp_path / "out"
    with chat_server(lambda request: Answer(delay=300)) as server:
        process = start(dataset, server, out)
        until(lambda: server.seen)
        process.send_signal(signal.SIGINT)
        wait_for_line(process, "Ctrl-C again")
        process.send_signal(signal.SIGINT)
        _, err_text = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopped at once" in err_text
    assert f"gaia run --resume {out}" in err_text
    assert "Traceback" not in err_text


def test_the_agent_never_sees_the_task_id_or_the_attachments_real_name(tmp_path):
    name = "task-0.csv"
    dataset = write_layout(
        tmp_path / "data",
        {
            "2023/validation/metadata.jsonl": json_lines([row(0, file_name=name)]),
            f"2023/validation/{name}": b"a,b\n1,2\n",
        },
    )

    def reading(request):
        if turn(request) == 1:
            return chat_reply("", calls=[("file_read", {"path": "attachment.csv"})])
        return chat_reply("FINAL ANSWER: 0 lanterns")

    with chat_server(reading) as server:
        ran = run(dataset, server, tmp_path / "out")
    assert ran.code == 0, ran.said
    sent = b"".join(seen.body for seen in server.seen)
    assert b"attachment.csv" in sent
    assert b"task-0" not in sent
    assert b"0 lanterns" not in server.seen[0].body
    trajectory = lines(tmp_path / "out" / "trajectories.jsonl")[0]
    contexts = [step["context_sha256"] for step in trajectory["steps"] if step["type"] == "prompt"]
    assert {hashlib.sha256(seen.body).hexdigest() for seen in server.seen} == set(contexts)


NO_PYPDF = """
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "pypdf" else real(name, package)
"""


@pytest.mark.parametrize("options", [(), ("--submit-intent",), ("--system-prompt", "prompt.txt")])
def test_a_run_that_cannot_begin_leaves_no_folder(tmp_path, options):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(NO_PYPDF)
    work = tmp_path / "work"
    work.mkdir()
    (work / "prompt.txt").write_text("Work well. End with a line FINAL ANSWER: and the answer.")
    given = ("run", "--dataset", "demo", "--model", "scripted/demo", "--limit", "1", *options)
    ran = gaia(*given, cwd=work, PYTHONPATH=str(tmp_path / "site"))
    assert ran.code == 1
    assert "error: The tools need packages that are not installed: pypdf." in ran.err
    assert "pip install 'gaia-harness[run]'" in ran.err
    assert [path.name for path in work.iterdir()] == ["prompt.txt"]


def test_a_demo_that_cannot_begin_leaves_no_folder(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(NO_PYPDF)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    ran = gaia("demo", PYTHONPATH=str(tmp_path / "site"), TMPDIR=str(temporary))
    assert ran.code == 1
    assert "not installed: pypdf." in ran.err
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    "option",
    [
        ("--seed", str(2**53)),
        ("--seed", str(-(2**53))),
        ("--max-output-tokens", str(2**53)),
        ("--call-timeout", "inf"),
        ("--call-timeout", "nan"),
        ("--task-timeout", "nan"),
        ("--task-timeout", "0.5"),
    ],
)
def test_a_number_that_no_record_can_keep_is_refused(tmp_path, option):
    out = tmp_path / "out"
    ran = gaia("run", "--dataset", "demo", "--model", "scripted/demo", "--submit-intent", "--out", out, *option)
    assert ran.code == 2
    assert f"Invalid value for '{option[0]}': " in ran.err and option[1] in ran.err
    assert not out.exists()


@pytest.mark.parametrize("seed", [2**53 - 101, -(2**53) + 101])
def test_the_largest_seeds_are_sent_signed_and_verified(dataset, tmp_path, seed):
    out, package = tmp_path / "out", tmp_path / "package"
    with chat_server(counting) as server:
        ran = run(
            dataset, server, out, "--limit", "1", "--voting-attempts", "2", "--submit-intent", "--seed", str(seed)
        )
    assert ran.code == 0, ran.said
    assert {request["seed"] for request in server.requests} == {seed, seed + 1}
    assert gaia("submit", out, "--out", package).code == 0
    signers = tmp_path / "allowed_signers"
    signers.write_text(gaia("keys", "show", "--allowed-signers").out)
    verified = gaia("verify", package, "--allowed-signers", signers, "--dataset", dataset)
    assert verified.code == 0, verified.said
