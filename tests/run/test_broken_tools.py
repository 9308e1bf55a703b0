"""Tools that do not work are seen: on the console, in the summary, and in the audit where a file was never opened."""

import json

import msgspec
import pytest

from chat_server import chat_reply, chat_server
from gaia_command import gaia, lines, summary
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.records.tool_use import ToolUse, one_call
from gaia_harness.run.tool_warnings import FailingTools, ToolTally
from gaia_layout import json_lines, row, write_layout
from loopback import Answer, loopback

TASKS = 4
KEY = "sk-of-the-tests-0123456789abcdef"
ADDS = {"code": "print(1 + 1)"}


def plain_tasks(tmp_path):
    rows = [row(n) for n in range(TASKS)]
    return write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})


def task_with_a_file(tmp_path):
    rows = [row(1), row(2, file_name="task-2.txt"), row(3, file_name="task-3.txt")]
    files = {f"2023/validation/task-{n}.txt": b"nine lanterns" for n in (2, 3)}
    return write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines(rows), **files})


def calling(*calls):
    """A model that makes these calls, one in each turn, and then answers."""

    def reply(request):
        done = sum(message["role"] == "assistant" for message in request["messages"])
        return chat_reply("I look.", [calls[done]]) if done < len(calls) else chat_reply("FINAL ANSWER: 1 lanterns")

    return reply


def run(dataset, model, out, *more, **env):
    with chat_server(model) as server:
        address = ("--model", "openai/test-model", "--base-url", server.base_url)
        return gaia("run", "--dataset", dataset, *address, "--out", out, "--max-retries", "0", *more, **env)


def line_of(text, label):
    [found] = [line.strip() for line in text.splitlines() if line.strip().startswith(f"{label}  ")]
    return found.removeprefix(label).strip()


def test_a_model_that_never_calls_a_tool_is_warned_of(tmp_path):
    out = tmp_path / "out"
    ran = run(plain_tasks(tmp_path), calling(), out)
    assert ran.code == 0, ran.said
    assert line_of(ran.out, "tools") == "none called"
    [warning] = [line for line in ran.err.splitlines() if line.startswith("WARNING: no tool was ever called")]
    assert "may not support tool calls" in warning
    assert summary(out)["tools"] == {}
    assert summary(out)["warnings"] == [warning.removeprefix("WARNING: ")]


def test_a_model_that_never_replied_is_not_blamed_for_calling_no_tool(tmp_path):
    refused = Answer.json({"error": {"message": "no luck"}}, 400)
    ran = run(plain_tasks(tmp_path), lambda _: refused, tmp_path / "out")
    assert ran.code == 1 and "WARNING" not in ran.err
    assert summary(tmp_path / "out")["warnings"] == []


def test_a_dead_search_engine_is_said_at_once_and_at_the_end(tmp_path):
    out = tmp_path / "out"
    dead = Answer(status=500, body=b"out of order")
    with loopback(lambda _: dead) as engine:
        model = calling(("web_search", {"query": "lanterns"}), ("python", ADDS))
        ran = run(plain_tasks(tmp_path), model, out, "--search-url", engine.url, "--concurrency", "1")
    assert ran.code == 0, ran.said
    said = ran.err.splitlines()
    [at_once] = [number for number, line in enumerate(said) if "the first 3 calls of web_search all failed" in line]
    [last] = [number for number, line in enumerate(said) if line.startswith(f"[{TASKS}/{TASKS}]")]
    assert at_once < last and "status 500" in said[at_once]
    [warning] = summary(out)["warnings"]
    assert warning.startswith(f"every call of web_search failed ({TASKS} of {TASKS}); the last error: ")
    assert f"WARNING: {warning}" in said and "status 500" in warning
    tools = summary(out)["tools"]
    assert list(tools) == ["python", "web_search"]
    assert tools["python"]["calls"] == TASKS and tools["python"]["errors"] == 0 and tools["python"]["wall_ms"] > 0
    assert (tools["web_search"]["calls"], tools["web_search"]["errors"]) == (TASKS, TASKS)
    shown = line_of(ran.out, "tools")
    assert f"web_search {TASKS} calls, {TASKS} failed, " in shown and f"python {TASKS} calls, " in shown
    for result in lines(out / "results.jsonl"):
        assert {name: (use["calls"], use["errors"]) for name, use in result["tools"].items()} == {
            "python": (1, 0),
            "web_search": (1, 1),
        }
        assert result["attachment_opened"] is None


def test_a_search_engine_that_never_finds_anything_is_said_at_once_and_at_the_end(tmp_path):
    out = tmp_path / "out"
    with loopback(lambda _: Answer.json({"results": []})) as engine:
        model = calling(*[("web_search", {"query": "lanterns"})] * 3)
        ran = run(plain_tasks(tmp_path), model, out, "--search-url", engine.url, "--limit", "1")
    assert "WARNING: the first 3 calls of web_search found nothing or failed" in ran.err
    assert summary(out)["warnings"] == ["every call of web_search found nothing (3 calls)"]
    assert summary(out)["tools"]["web_search"]["empty"] == 3
    assert line_of(ran.out, "tools").startswith("web_search 3 calls, 3 found nothing, ")


@pytest.mark.parametrize(
    ("calls", "errors", "empty", "warning"),
    [
        (1, 1, 0, "every call of web_search failed (1 of 1); the last error: gone"),
        (4, 1, 3, "every call of web_search found nothing or failed (1 of 4); the last error: gone"),
        (2, 0, 2, None),
        (20, 10, 0, "web_search failed in 10 of 20 calls; the last error: gone"),
        (21, 10, 0, None),
        (12, 9, 0, None),
    ],
)
def test_what_is_said_at_the_end_of_a_tool(calls, errors, empty, warning):
    tally, last = ToolTally(), "gone" if errors else None
    use = ToolUse(calls=calls, errors=errors, wall_ms=1, last_error=last, empty=empty or msgspec.UNSET)
    tally.add("task-1", {"web_search": use}, ("web_search",), unopened=False, replied=True)
    assert tally.warnings() == (() if warning is None else (warning,))


def test_a_tool_that_stops_working_is_said_once_until_it_works_again(caplog):
    tools = FailingTools(Redactor())

    caplog.set_level("WARNING", logger="gaia_harness")

    def say(*errors: str | None) -> list[str]:
        caplog.clear()
        for error in errors:
            tools.note("web_search", one_call(0.1, error))
        return [record.getMessage() for record in caplog.records]

    gone = "the last 10 calls of web_search all failed; the last error: over quota"
    assert say("slip", None, *["over quota"] * 9) == []
    assert say(*["over quota"] * 15) == [gone]
    assert say(None, *["over quota"] * 10) == [gone]


def test_a_tool_that_works_now_and_then_is_counted_and_not_warned_of(tmp_path):
    out = tmp_path / "out"
    model = calling(("python", ADDS), *[("python", {"code": "1 / 0"})] * 3)
    ran = run(plain_tasks(tmp_path), model, out, "--limit", "1", "--record-evidence", "false")
    assert ran.code == 0 and "WARNING" not in ran.err, ran.said
    assert line_of(ran.out, "tools").startswith("python 4 calls, 3 failed, ")
    assert summary(out)["tools"]["python"]["last_error"].endswith("ZeroDivisionError: division by zero")


def test_calls_of_tools_that_do_not_exist_are_counted_together(tmp_path):
    out = tmp_path / "out"
    model = calling(*[(f"browse_{n}", {"url": "x"}) for n in range(5)])
    ran = run(plain_tasks(tmp_path), model, out, "--limit", "1")
    [warning] = summary(out)["warnings"]
    assert warning.startswith("every call of tools that are not offered failed (5 of 5); the last error: There is no ")
    assert "'browse_4'. The tools are: web_search, web_fetch" in warning
    assert "the first 3 calls of tools that are not offered all failed" in ran.err
    assert list(summary(out)["tools"]) == ["(not offered)"]


def test_a_call_that_the_time_limit_cuts_off_has_failed(tmp_path):
    model = calling(("python", {"code": "import time; time.sleep(600)"}))
    for seconds in ("2", "20", "100"):  # on a busy machine the call may not have begun after two
        out = tmp_path / seconds
        run(plain_tasks(tmp_path), model, out, "--limit", "1", "--task-timeout", seconds)
        if summary(out)["tools"]:
            break
    use = summary(out)["tools"]["python"]
    assert (use["calls"], use["errors"]) == (1, 1) and "had not ended" in use["last_error"]


def test_errors_steer_no_terminal(tmp_path):
    code = "raise ValueError('\\x1b[31m red \\u202e')"
    ran = run(plain_tasks(tmp_path), calling(*[("python", {"code": code})] * 3), tmp_path / "out", "--limit", "1")
    assert ran.err.count("red") == 2 and "\x1b" not in ran.said and "\u202e" not in ran.said


def test_errors_are_kept_without_keys_and_without_half_of_one(tmp_path):
    out = tmp_path / "out"
    code = f"raise ValueError('{'x ' * 30}' + '{KEY} ' * 30)"
    ran = run(
        plain_tasks(tmp_path), calling(*[("python", {"code": code})] * 3), out, "--limit", "1", OPENAI_API_KEY=KEY
    )
    assert "[masked key]" in ran.err
    told = ran.said + (out / "results.jsonl").read_text() + (out / "summary.json").read_text()
    assert KEY[:8] not in told
    assert len(summary(out)["tools"]["python"]["last_error"]) <= 302


@pytest.mark.parametrize(
    ("call", "opened"),
    [
        (("file_read", {"path": "attachment.txt"}), True),
        (("python", {"code": "print(open('attachment.txt').read())"}), True),
        (("python", {"code": "import os; print(os.listdir('.'))"}), True),
        (("python", ADDS), False),
        (("file_read", {"path": "another.txt"}), False),
        (("web_fetch", {"url": "http://127.0.0.1:9/attachment.txt"}), False),
    ],
    ids=["read", "by code", "listed", "code alone", "another", "fetched"],
)
def test_a_file_that_was_never_opened_is_a_warning_and_a_gap_of_the_audit(tmp_path, call, opened):
    out, dataset = tmp_path / "out", task_with_a_file(tmp_path)

    def model(request):
        with_a_file = "A file comes with" in json.dumps(request["messages"])
        return calling(call if with_a_file else ("python", ADDS))(request)

    ran = run(dataset, model, out)
    assert ran.code == 0, ran.said
    flags = {result["task_id"]: result["attachment_opened"] for result in lines(out / "results.jsonl")}
    assert flags == {"task-1": None, "task-2": opened, "task-3": opened}
    warned = [warning for warning in summary(out)["warnings"] if "never opened" in warning]
    table = gaia("audit", out)
    report = json.loads(gaia("audit", out, "--json").out)
    assert report["attestation"]["clean"] and report["attestation"]["harness_gaps"] == []
    if opened:
        assert not warned and report["coverage"]["attachments_unopened"] == [] and "never opened" not in table.out
        return
    assert warned and warned[0].startswith("2 tasks have a file that was never opened: task-")
    assert f"WARNING: {warned[0]}" in ran.err
    assert report["coverage"]["attachments_unopened"] == ["task-2", "task-3"]
    assert line_of(table.out, "gap").startswith("2 tasks have a file that was never opened")
    assert "is not seen: task-2, task-3" in " ".join(table.out.split())


def test_a_question_too_long_to_be_kept_in_the_step_still_names_its_file(tmp_path):
    question = "How many lanterns? " + "They hang in a row. " * 600
    files = {"2023/validation/task-1.txt": b"nine"}
    rows = json_lines([row(1, file_name="task-1.txt", Question=question)])
    dataset = write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": rows, **files})
    run(dataset, calling(), tmp_path / "out")
    report = json.loads(gaia("audit", tmp_path / "out", "--json").out)
    assert report["coverage"]["attachments_unopened"] == ["task-1"]


def test_a_run_with_an_unopened_file_is_submitted_and_verified(tmp_path):
    out, package, dataset = tmp_path / "out", tmp_path / "package", task_with_a_file(tmp_path)
    assert run(dataset, calling(("python", ADDS)), out, "--submit-intent").code == 0
    assert gaia("submit", out, "--out", package).code == 0
    (tmp_path / "signers").write_text(gaia("keys", "show", "--allowed-signers").out)
    verified = gaia("verify", package, "--allowed-signers", tmp_path / "signers", "--dataset", dataset)
    assert verified.code == 0, verified.said
    assert "note       2 tasks have a file that was never opened; what the answer rests on is not seen" in verified.out
    report = json.loads((package / "audit-report.json").read_text())
    assert report["coverage"]["attachments_unopened"] == ["task-2", "task-3"]


def test_a_resume_adds_the_calls_of_both_processes(tmp_path):
    out, dataset = tmp_path / "out", plain_tasks(tmp_path)
    served = iter(range(1000))
    good = calling(("python", ADDS))

    def failing(request):
        return good(request) if next(served) < 4 else Answer.json({"error": {"message": "no luck"}}, 503)

    with chat_server(failing) as server:
        address = ("--model", "openai/test-model", "--base-url", server.base_url)
        arguments = ("--dataset", dataset, *address, "--out", out, "--max-retries", "0", "--concurrency", "1")
        assert gaia("run", *arguments).code == 4
        port = int(server.base_url.rpartition(":")[2].split("/")[0])
    assert summary(out)["tools"]["python"]["calls"] == summary(out)["finished"] == 2
    first = summary(out)["tools"]["python"]["wall_ms"]
    with chat_server(good, port=port):
        ran = gaia("run", "--resume", out)
    assert ran.code == 0, ran.said
    assert line_of(ran.out, "tools").startswith(f"python {TASKS} calls, ")
    python = summary(out)["tools"]["python"]
    assert python["calls"] == TASKS and python["wall_ms"] > first
    assert python["wall_ms"] == sum(result["tools"]["python"]["wall_ms"] for result in lines(out / "results.jsonl"))
