"""What a user may set beside the model: what is sent, what is recorded, and what a run may cost."""

import hashlib
import json
import re
import shutil

import pytest

from chat_server import chat_reply, chat_server, message_reply, messages_server
from gaia_command import gaia, lines, summary
from gaia_layout import json_lines, row, write_layout
from loopback import Answer

TASKS = 6
CALL = 10 * 1000 / 1e6 + 5 * 2000 / 1e6  # what one call of the server costs at these prices: 2 cents
PRICES = ("--price-in", "1000", "--price-out", "2000")
PROMPT = "You are a patient librarian. Think, then write a last line:\nFINAL ANSWER: what you found\n"


@pytest.fixture
def dataset(tmp_path):
    rows = [row(n) for n in range(TASKS)]
    return write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})


def right(request):
    return chat_reply(answer(request))


def answer(request):
    number = re.search(r"in room (\d+)\?", json.dumps(request["messages"]))[1]
    return f"FINAL ANSWER: {number} lanterns"


def run(dataset, server, out, *more, model="openai/test-model", **env):
    return gaia(
        "run", "--dataset", dataset, "--model", model, "--base-url", server.base_url, "--out", out,
        "--submit-intent", "--max-retries", "0", "--concurrency", "1", *more, **env,
    )  # fmt: skip


def config(out):
    return json.loads((out / "run.json").read_text())["config"]


def test_temperature_and_effort_are_sent_and_recorded_and_the_judge_does_not_get_them(dataset, tmp_path):
    def reply(request):
        return chat_reply('{"correct": false, "reason": "no"}') if "tools" not in request else chat_reply(
            "FINAL ANSWER: nothing"
        )  # fmt: skip

    out = tmp_path / "out"
    with chat_server(reply) as server:
        more = ("--temperature", "0.25", "--reasoning-effort", "xhigh", "--limit", "1")
        judge = ("--judge-model", "openai/judge", "--judge-base-url", server.base_url)
        ran = run(dataset, server, out, *more, *judge)
    assert ran.code == 0, ran.said
    asked, judged = server.requests[0], server.requests[-1]
    assert (asked["temperature"], asked["reasoning_effort"]) == (0.25, "xhigh")
    assert judged["model"] == "judge"
    assert not {"temperature", "reasoning_effort"} & judged.keys()
    assert (config(out)["temperature"], config(out)["reasoning_effort"]) == (0.25, "xhigh")


def test_anthropic_gets_them_as_its_protocol_names_them(dataset, tmp_path):
    with messages_server(lambda request: message_reply(answer(request))) as server:
        more = ("--temperature", "1", "--reasoning-effort", "low", "--limit", "1")
        ran = run(dataset, server, tmp_path / "out", *more, model="anthropic/test-model")
    assert ran.code == 0, ran.said
    (asked,) = server.requests
    assert (asked["temperature"], asked["output_config"]) == (1.0, {"effort": "low"})


def test_what_is_not_given_is_neither_sent_nor_recorded(dataset, tmp_path):
    out = tmp_path / "out"
    with chat_server(right) as server:
        assert run(dataset, server, out, "--limit", "1").code == 0
    assert not {"temperature", "reasoning_effort"} & server.requests[0].keys()
    new = {"temperature", "reasoning_effort", "system_prompt_sha256", "price_in", "price_out", "max_cost"}
    assert not new & config(out).keys()


def test_a_server_that_refuses_a_temperature_says_so(dataset, tmp_path):
    refusal = Answer.json({"error": {"message": "temperature is not supported with this model"}}, 400)
    with chat_server(lambda _: refusal) as server:
        ran = run(dataset, server, tmp_path / "out", "--temperature", "1", "--limit", "1")
    assert ran.code == 1
    assert "HTTP 400: temperature is not supported with this model" in ran.err
    assert lines(tmp_path / "out" / "results.jsonl") == []


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--model", "anthropic/x", "--reasoning-effort", "minimal"), "one of low, medium, high, xhigh, max"),
        (("--model", "scripted/demo", "--temperature", "1"), "a scripted model has neither temperature"),
        (("--model", "openai/x", "--temperature", "nan"), "'nan' is not a number from 0 to 2"),
        (("--model", "openai/x", "--max-cost", "inf"), "'inf' is not a number above 0"),
        (("--model", "openai/x", "--max-cost", "0"), "'0' is not a number above 0"),
        (("--model", "openai/x", "--max-cost", "5"), "give --price-in and --price-out"),
        (("--model", "openai/x", "--price-in", "5"), "--price-in and --price-out go together"),
        (("--model", "openai/gpt-4o", *PRICES), "openai/gpt-4o has a price in our table"),
        (
            ("--model", "openai/gpt-4o", "--max-cost", "5", "--judge-model", "openai/x"),
            "the judge openai/x has no price that we know",
        ),
        (
            ("--model", "openai/gpt-4o", "--max-cost", "5", "--transcription-model", "openai/x"),
            "openai/x, which transcribes audio, has no price that we know",
        ),
        (("--model", "openai/x", "--system-prompt", "missing.txt"), "missing.txt: the system prompt cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_sent_or_written(tmp_path, more, words):
    ran = gaia("run", "--dataset", "demo", "--out", tmp_path / "out", *more, OPENAI_API_KEY="k", ANTHROPIC_API_KEY="k")
    assert ran.code == 2, ran.said
    assert words in ran.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"x" * 65537, "at most 64 KiB"),
        (b"caf\xe9", "not UTF-8 text (byte 3)"),
        (b" \n", "is empty"),
        (b"Use the key letmein-12345678 to log in.", "the system prompt or the data set has the value of MY_API_KEY"),
    ],
)
def test_a_file_that_is_no_system_prompt_is_refused(dataset, tmp_path, data, words):
    (tmp_path / "prompt").write_bytes(data)
    with chat_server(right) as server:
        more = ("--system-prompt", tmp_path / "prompt")
        ran = run(dataset, server, tmp_path / "out", *more, MY_API_KEY="letmein-12345678")
    assert ran.code == 2, ran.said
    assert words in ran.err
    assert not server.seen and not (tmp_path / "out").exists()


def test_the_dry_run_counts_by_the_prices_that_are_stated():
    args = ("run", "--dataset", "demo", "--model", "openai/x", "--dry-run", "--price-in", "1", "--price-out", "2")
    assert "cost      about $3.17, by the prices that you state" in gaia(*args).out


def test_a_run_pauses_when_its_limit_is_spent_and_goes_on_with_a_higher_one(dataset, tmp_path):
    out = tmp_path / "out"
    with chat_server(right) as server:
        ran = run(dataset, server, out, *PRICES, "--max-cost", "0.05")
        assert ran.code == 4, ran.said
        assert len(server.seen) == 3  # the third call reaches the limit, and there is no fourth
        said = f"paused: 3 of {TASKS} tasks are not finished: --max-cost 0.05 is spent ($0.06)"
        assert said in ran.err
        assert "--max-cost 10" in ran.err
        refused = gaia("run", "--resume", out)
        assert refused.code == 2 and "--max-cost 0.05 is spent ($0.06)" in refused.err
        before = (out / "log.jsonl").read_bytes()
        assert gaia("run", "--resume", out, "--max-cost", "0.06").code == 2
        assert (out / "log.jsonl").read_bytes() == before
        ran = gaia("run", "--resume", out, "--max-cost", "0.09")
        assert (ran.code, len(server.seen)) == (4, 5), ran.said
        ran = gaia("run", "--resume", out, "--max-cost", "none")
        assert (ran.code, len(server.seen)) == (0, TASKS), ran.said
    assert summary(out)["est_cost_usd"] == pytest.approx(TASKS * CALL)
    assert summary(out)["submittable"] is True
    assert config(out)["max_cost"] == 0.05  # as it was declared


def test_a_task_under_way_is_cut_off_and_what_it_cost_counts_when_the_run_goes_on(dataset, tmp_path):
    def slow(request):
        if len(request["messages"]) < 6:
            return chat_reply("Let me see.", [("no_such_tool", {})])
        return right(request)

    out, package = tmp_path / "out", tmp_path / "package"
    with chat_server(slow) as server:
        ran = run(dataset, server, out, *PRICES, "--max-cost", "0.04", "--limit", "1")
        assert (ran.code, len(server.seen)) == (4, 2), ran.said
        (cut,) = [event for event in lines(out / "log.jsonl") if event["event"] == "attempt_interrupted"]
        assert (cut["cause"], cut["cost_usd"]) == ("max_cost", pytest.approx(2 * CALL))
        assert not lines(out / "results.jsonl")
        assert gaia("run", "--resume", out, "--max-cost", "0.04").code == 2  # 4 cents were spent, whatever they came to
        ran = gaia("run", "--resume", out, "--max-cost", "1")
        assert (ran.code, len(server.seen)) == (0, 5), ran.said
        assert "resumed 1 time, 1 attempt begun and not finished" in ran.out
        assert "outage" not in ran.out
    assert gaia("submit", out, "--out", package).code == 0
    verified = gaia("verify", package)
    assert verified.code == 3, verified.said
    assert "costs are by prices that the submitter states: $1000 per million tokens in, $2000 out" in verified.out


def test_a_server_that_reports_no_tokens_ends_a_run_with_a_limit(dataset, tmp_path):
    def silent(request):
        return {**right(request), "usage": None}

    with chat_server(silent) as server:
        ran = run(dataset, server, tmp_path / "out", *PRICES, "--max-cost", "5")
    assert (ran.code, len(server.seen)) == (4, 1), ran.said
    assert "--max-cost 5.00 cannot be kept: openai/test-model answered, and what that call cost is not known" in ran.err


def test_the_judge_is_not_asked_when_the_limit_is_spent_and_the_answer_is_kept(tmp_path):
    rows = [row(0)]
    data = write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})
    out = tmp_path / "out"
    with chat_server(lambda _: chat_reply("FINAL ANSWER: nothing")) as server:
        ran = run(data, server, out, *PRICES, "--max-cost", "0.01", "--judge-model", "scripted/judge")
    assert (ran.code, len(server.seen)) == (0, 1), ran.said
    (result,) = lines(out / "results.jsonl")
    assert result["judge"]["error"] == "--max-cost 0.01 is spent ($0.02)"


def test_a_custom_system_prompt_is_sent_kept_disclosed_and_outlives_its_file(dataset, tmp_path):
    file, out, package = tmp_path / "prompt.txt", tmp_path / "out", tmp_path / "package"
    file.write_text(PROMPT)
    sha256 = hashlib.sha256(PROMPT.encode()).hexdigest()
    with chat_server(right) as server:
        ran = run(dataset, server, out, *PRICES, "--max-cost", "0.05", "--system-prompt", file)
        assert ran.code == 4, ran.said
        assert "FINAL ANSWER" not in ran.err
        file.unlink()
        (out / "system_prompt.txt").write_text("Another one.")
        refused = gaia("run", "--resume", out, "--max-cost", "none")
        assert refused.code == 1 and "not the system prompt that this run was started with" in refused.err
        (out / "system_prompt.txt").write_text(PROMPT)
        assert gaia("run", "--resume", out, "--max-cost", "none").code == 0
    assert {request["messages"][0]["content"] for request in server.requests} == {PROMPT}
    assert config(out)["system_prompt_sha256"] == sha256
    submitted = gaia("submit", out, "--out", package)
    assert submitted.code == 0, submitted.said  # an honest prompt passes the audit
    assert (package / "prompts" / sha256).read_text() == PROMPT
    assert json.loads((package / "metadata.json").read_text())["system_prompt"] == f"custom, sha256 {sha256}"
    assert f"The agent's system prompt: custom, sha256 {sha256}" in (package / "README.md").read_text()
    verified = gaia("verify", package, "--dataset", dataset)
    assert verified.code == 3, verified.said
    assert f"the system prompt is the submitter's, not ours: prompts/{sha256}" in verified.out


def test_a_system_prompt_without_the_answer_line_is_warned_of_and_nothing_is_added(dataset, tmp_path):
    (tmp_path / "prompt").write_text("Be brief.")
    with chat_server(right) as server:
        ran = run(dataset, server, tmp_path / "out", "--system-prompt", tmp_path / "prompt", "--limit", "1")
    assert ran.code == 0, ran.said
    assert "does not ask for a last line that begins with FINAL ANSWER:" in ran.err
    assert server.requests[0]["messages"][0]["content"] == "Be brief."


def test_a_system_prompt_with_the_answers_in_it_is_found_by_the_audit(dataset, tmp_path):
    told = "".join(f"How many lanterns hang in room {n}? The answer is {n} lanterns.\n" for n in range(TASKS))
    (tmp_path / "prompt").write_text(PROMPT + told)
    out = tmp_path / "out"
    with chat_server(right) as server:
        assert run(dataset, server, out, "--system-prompt", tmp_path / "prompt").code == 0
    refused = gaia("submit", out, "--out", tmp_path / "package")
    assert refused.code != 0
    assert "AUD-3" in refused.said


def test_a_system_prompt_that_is_not_disclosed_does_not_verify(dataset, tmp_path):
    """What somebody would do who changes run.json, or the program, to hide it."""
    (tmp_path / "prompt").write_text(PROMPT)
    out, package = tmp_path / "out", tmp_path / "package"
    with chat_server(right) as server:
        assert run(dataset, server, out, "--system-prompt", tmp_path / "prompt").code == 0
    hidden = tmp_path / "hidden"
    shutil.copytree(out, hidden)
    record = json.loads((hidden / "run.json").read_text())
    del record["config"]["system_prompt_sha256"]
    (hidden / "run.json").write_text(json.dumps(record))
    refused = gaia("submit", hidden, "--out", package)
    assert refused.code != 0
    assert "the configuration is not the one that the intent declared" in refused.said
