"""`gaia run` with a model of little room, one that is cut short and one that repeats the form: from run to package."""

import json
import re

import pytest

from chat_server import chat_reply, chat_server
from gaia_command import gaia, lines
from gaia_layout import parquet, row, write_layout
from loopback import Answer

ROOM = 24_000
TOO_LONG = Answer.json(
    {
        "error": {
            "code": 400,
            "message": "request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it",
            "type": "exceed_context_size_error",
        }
    },
    status=400,
)


def cut(text):
    reply = chat_reply(text)
    reply["choices"][0]["finish_reason"] = "length"
    return reply


def reads_much(turn, last):
    if turn < 5:
        return chat_reply("", calls=[("python", {"code": f"print('{turn} lanterns in the hall. ' * 300)"})])
    return chat_reply("They are lit.\nFINAL ANSWER: 0 lanterns")


def talks_much(turn, last):
    if "no longer shown" in last:
        return chat_reply("FINAL ANSWER: 1 lanterns")
    return chat_reply("I wonder about lanterns. " * 300, completion_tokens=1800)


def is_cut_short(turn, last):
    return cut("There are\nFINAL ANSWER: 2 lan") if turn == 0 else chat_reply("FINAL ANSWER: 2 lanterns")


def repeats_the_form(turn, last):
    return chat_reply("FINAL ANSWER: [YOUR FINAL ANSWER]" if turn == 0 else "FINAL ANSWER: 3 lanterns")


def only_repeats_the_form(turn, last):
    return chat_reply("FINAL ANSWER: your answer")


def mentions_the_marker(turn, last):
    return chat_reply("I end with FINAL ANSWER: 9 lanterns." if turn == 0 else "**FINAL ANSWER:** 5 lanterns")


def fails_when_asked_to_finish(turn, last):
    return cut("FINAL ANSWER: 6 lanterns\n\nOr") if turn == 0 else Answer.json({"error": {"message": "no"}}, status=400)


MODELS = (
    reads_much,
    talks_much,
    is_cut_short,
    repeats_the_form,
    only_repeats_the_form,
    mentions_the_marker,
    fails_when_asked_to_finish,
)


def answer(request):
    messages = request["messages"]
    text = json.dumps(messages)
    if len(text) > ROOM:
        return TOO_LONG
    number = int(re.search(r"in room (\d+)\?", text)[1])
    return MODELS[number](sum(message["role"] == "assistant" for message in messages), json.dumps(messages[-1]))


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    root = tmp_path_factory.mktemp("long")
    rows = [row(number) for number in range(len(MODELS))]
    data = write_layout(root / "data", {"2023/validation/metadata.parquet": parquet(rows)})
    with chat_server(answer) as server:
        ran = gaia(
            "run", "--dataset", data, "--model", "openai/test-model", "--base-url", server.base_url,
            "--submit-intent", "--out", root / "run",
        )  # fmt: skip
    assert ran.code == 0, ran.said
    assert ran.err.count("asking again with shorter tool results") == 1  # once for each attempt
    return root


def test_answers_are_what_the_models_meant(world):
    results = {line["task_id"]: line for line in lines(world / "run" / "results.jsonl")}
    answers = [results[f"task-{number}"]["answer"] for number in range(len(MODELS))]
    assert answers == ["0 lanterns", "1 lanterns", "2 lanterns", "3 lanterns", None, "5 lanterns", None]
    assert "template" in results["task-4"]["error"]
    assert results["task-4"]["turns"] == 2


def test_what_was_left_out_is_on_record(world):
    steps = {line["task_id"]: line["steps"] for line in lines(world / "run" / "trajectories.jsonl")}
    short = {task: [step for step in found if step.get("role") == "shortened"] for task, found in steps.items()}
    assert {task for task, found in short.items() if found} == {"task-0", "task-1"}
    assert all(result["bytes"] < 7000 for step in short["task-0"] for result in step["shortened"]["results"])
    assert short["task-1"][0]["shortened"]["turns"] >= 1
    assert all("shortened" not in step for found in steps.values() for step in found if step.get("role") == "user")


def test_the_run_is_clean_and_its_package_verifies(world):
    audit = gaia("audit", world / "run", "--json")
    assert audit.code == 0, audit.said
    found = [finding for check in json.loads(audit.out)["checks"] for finding in check["findings"]]
    assert {finding["severity"] for finding in found} <= {"low", "info"}, [
        f for f in found if f["severity"] == "medium"
    ]
    submitted = gaia("submit", world / "run", "--out", world / "package")
    assert submitted.code == 0, submitted.said
    verified = gaia("verify", world / "package")
    assert verified.code == 3, verified.said  # all is well but the signer, whom nobody has vouched for
