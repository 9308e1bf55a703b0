"""The LLM judge beside the score, and its signed cache, in whole runs."""

import json
import re

import pytest

from chat_server import chat_reply, chat_server
from gaia_command import gaia, lines, summary
from gaia_harness.signing.keys import KeyFolder
from gaia_layout import json_lines, row, write_layout

TASKS = 4


@pytest.fixture
def place(tmp_path):
    write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines([row(n) for n in range(TASKS)])})
    KeyFolder(tmp_path / "keys").create("submit", "ada@example.org")
    return tmp_path


def answering(request):
    """Agent and judge behind one server: the agent is wrong about room 2, and formal about room 3."""
    text = json.dumps(request["messages"])
    if "You are the judge" in text:
        correct = "3 (three) lanterns" in text
        return chat_reply(json.dumps({"correct": correct, "reason": "so it is"}), prompt_tokens=70, completion_tokens=9)
    number = int(re.search(r"in room (\d+)\?", text)[1])
    answer = {2: "9 lanterns", 3: "3 (three) lanterns"}.get(number, f"{number} lanterns")
    return chat_reply(f"FINAL ANSWER: {answer}", prompt_tokens=10, completion_tokens=5)


def run(place, name, *more, server, judge=None):
    ran = gaia(
        "run", "--dataset", place / "data", "--model", "openai/agent", "--base-url", server.base_url,
        "--judge-model", "openai/judge", "--judge-base-url", judge or server.base_url, "--out", place / name, *more,
        GAIA_KEYS_DIR=str(place / "keys"), GAIA_CACHE_DIR=str(place / "cache"),
    )  # fmt: skip
    return ran, summary(place / name), {result["task_id"]: result for result in lines(place / name / "results.jsonl")}


def entries(place):
    return sorted((place / "cache" / "judgments").rglob("*.json"))


def test_the_judge_is_asked_about_wrong_answers_and_never_changes_the_score(place):
    with chat_server(answering) as server:
        ran, figures, results = run(place, "out", server=server)
    assert ran.code == 0, ran.said
    assert figures["passed"] == 2
    assert figures["judge"] == {
        "model": "openai/judge", "asked": 2, "said_correct": 1, "said_wrong": 1, "no_verdict": 0, "cache_hits": 0,
        "calls": 2, "input_tokens": 140, "output_tokens": 18, "est_cost_usd": None,
    }  # fmt: skip
    assert figures["input_tokens"] == TASKS * 10
    assert (figures["judge_cache_integrity_events"], figures["judge_cache_legacy_entries"]) == (0, 0)
    assert results["task-0"]["judge"] is None
    assert results["task-3"]["correct"] is False
    assert results["task-3"]["judge"]["verdict"] is True
    assert results["task-3"]["judge"]["prompt_sha256"]
    judged = [event for event in lines(place / "out" / "log.jsonl") if event["event"] == "judged"]
    assert {event["task_id"]: event["verdict"] for event in judged} == {"task-2": False, "task-3": True}
    assert len(entries(place)) == 2


def test_a_second_run_asks_the_cache(place):
    with chat_server(answering) as server:
        run(place, "first", server=server)
        before = len(server.seen)
        ran, figures, results = run(place, "second", server=server)
        assert len(server.seen) - before == TASKS
    assert figures["judge"]["cache_hits"] == 2
    assert figures["judge"]["calls"] == 0
    assert results["task-3"]["judge"]["cached"] is True
    assert "2 from the cache" in ran.out


def test_another_server_behind_the_judge_s_name_is_asked_itself(place):
    with chat_server(answering) as server, chat_server(answering) as other:
        run(place, "first", server=server)
        _, figures, _ = run(place, "second", server=server, judge=other.base_url)
        assert (figures["judge"]["cache_hits"], figures["judge"]["calls"]) == (0, 2)
        assert len(other.seen) == 2
        _, figures, _ = run(place, "third", server=server, judge=f"{other.base_url}/")
        assert (figures["judge"]["cache_hits"], len(other.seen)) == (2, 2)
    assert (figures["judge_cache_integrity_events"], figures["judge_cache_legacy_entries"]) == (0, 0)
    addresses = [json.loads(path.read_bytes())["judgment"]["address"] for path in entries(place)]
    assert sorted(addresses) == sorted([server.base_url, other.base_url] * 2)


def test_another_question_under_the_same_id_is_judged_itself(place):
    with chat_server(answering) as server:
        run(place, "first", server=server)
        rows = [row(n, Question=f"How many lanterns hung, long ago, in room {n}?") for n in range(TASKS)]
        write_layout(place / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})
        _, figures, _ = run(place, "second", server=server)
    assert (figures["judge"]["asked"], figures["judge"]["cache_hits"], figures["judge"]["calls"]) == (2, 0, 2)
    assert (figures["judge_cache_integrity_events"], figures["judge_cache_legacy_entries"]) == (0, 0)


def test_an_edited_entry_is_judged_again_noted_and_makes_the_run_not_submittable(place):
    with chat_server(answering) as server:
        run(place, "first", server=server)
        path = next(path for path in entries(place) if '"verdict": false' in path.read_text())
        path.write_text(path.read_text().replace('"verdict": false', '"verdict": true'))
        ran, figures, results = run(place, "second", "--submit-intent", server=server)
    assert ran.code == 3
    assert "WARNING" in ran.err
    assert figures["judge_cache_integrity_events"] == 1
    assert figures["submittable"] is False
    assert "1 entries of the judge cache were not as they were signed" in figures["non_submittable_reasons"]
    assert results["task-2"]["judge"]["verdict"] is False
    assert results["task-2"]["judge"]["cache"] == "tampered"
    [event] = [event for event in lines(place / "second" / "log.jsonl") if event["event"] == "integrity_event"]
    assert event["detail"].startswith("the judgment of 'task-2': ")
    assert path.name in ran.err


def test_unsigned_entries_are_misses_counted_apart_and_signed_within_the_run(place):
    with chat_server(answering) as server:
        run(place, "first", server=server)
        for path in entries(place):
            path.write_text('{"correct": true, "reason": "from an older version"}')
        _, figures, results = run(place, "second", server=server)
        assert figures["judge_cache_legacy_entries"] == 2
        assert figures["judge_cache_integrity_events"] == 0
        assert results["task-2"]["judge"]["verdict"] is False
        _, figures, _ = run(place, "third", server=server)
    assert figures["judge"]["cache_hits"] == 2
    assert figures["judge_cache_legacy_entries"] == 0


def test_a_new_cache_key_makes_old_entries_legacy_and_says_so_once(place):
    with chat_server(answering) as server:
        run(place, "first", server=server)
        KeyFolder(place / "keys").retire("cache")
        ran, figures, _ = run(place, "second", server=server)
    assert figures["judge_cache_legacy_entries"] == 2
    assert figures["judge_cache_integrity_events"] == 0
    assert ran.err.count("retired") == 1


def test_judge_all_asks_about_every_answer(place):
    with chat_server(answering) as server:
        _, figures, _ = run(place, "out", "--judge-all", server=server)
    assert figures["judge"]["asked"] == TASKS


def test_a_cache_that_cannot_be_written_stops_nothing(place):
    (place / "cache").write_text("a file where the folder should be")
    with chat_server(answering) as server:
        ran, figures, _ = run(place, "out", server=server)
    assert ran.code == 0, ran.said
    assert figures["judge"]["said_correct"] == 1
    assert ran.err.count("WARNING: the judge cache") in (1, 2)


def test_a_judge_that_fails_is_recorded_as_no_verdict(place):
    def broken(request):
        if "You are the judge" in json.dumps(request["messages"]):
            return chat_reply("I would rather not say.")
        return answering(request)

    with chat_server(broken) as server:
        ran, figures, results = run(place, "out", server=server)
    assert ran.code == 0
    assert figures["judge"]["no_verdict"] == 2
    assert results["task-2"]["judge"]["verdict"] is None
    assert results["task-2"]["judge"]["error"]
