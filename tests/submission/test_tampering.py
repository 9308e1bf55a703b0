"""Whatever is changed in a package shows, in the right check, at the right place; many changes are validly signed."""

import base64
import json
import os
import re
import shutil
from pathlib import Path

import msgspec
import pytest
import zstandard
from forging import Package, compact, copy_of

import thoroughness
from gaia_harness.audit.findings import Finding
from gaia_harness.errors import EvidenceError
from gaia_harness.run.audit_input import load_dataset_facts
from gaia_harness.signing import sshsig
from gaia_harness.signing.allowed_signers import NAMESPACE
from gaia_harness.signing.intent import PAYLOAD_TYPE as INTENT_TYPE
from gaia_harness.signing.merkle import root_of
from gaia_harness.signing.signers import generate_signer, sign_dsse, sign_ssh
from gaia_harness.submission.attestation import PAYLOAD_TYPE
from gaia_harness.submission.file_set import REQUIRED
from gaia_harness.submission.metadata import read_metadata
from gaia_harness.submission.verdict import Trust, Verdict
from gaia_harness.tasks.answers import AnswerKey

STRANGER = generate_signer()
PLACES = ("first", "middle", "last")
FINDING = Finding.__struct_fields__


def at(place: str, count: int) -> int:
    return {"first": 0, "middle": count // 2, "last": count - 1}[place]


def demo(facts):
    return load_dataset_facts("demo", facts.gaia_split, None, facts.task_ids, {})


def rejected(verdict: Verdict, check: int, pattern: str) -> None:
    """Failed, in this check, with words that fit; whoever holds the key is not believed for it."""
    line = verdict.checks[check - 1]
    assert verdict.exit_code == 1, verdict
    assert line.status == "FAILED", verdict.checks
    assert any(re.search(pattern, fault) for fault in line.faults), line.faults


def first_failure(verdict: Verdict) -> int:
    return next(line.number for line in verdict.checks if line.status == "FAILED")


def edit_step(package: Package, line: int, change) -> None:
    """Change the steps of a trajectory and write it as we would."""
    lines = package.lines("trajectories.jsonl")
    value = json.loads(lines[line])
    change(value)
    lines[line] = compact(value) + b"\n"
    package.set_lines("trajectories.jsonl", lines)


def renumber(value) -> None:
    for number, step in enumerate(value["steps"]):
        step["seq"] = number


# trajectories and results: whoever has no key for the log


def edited(value):
    step = next(s for s in value["steps"] if s["type"] == "llm_call")
    step["head"] = "W" + step["head"][1:]


def removed(value):
    del value["steps"][-2]
    renumber(value)


def added(value):
    value["steps"].append(dict(value["steps"][-1]))
    renumber(value)


def moved(value):
    value["steps"][0], value["steps"][1] = value["steps"][1], value["steps"][0]
    renumber(value)


def no_call(value):
    call = next(i for i, step in enumerate(value["steps"]) if step["type"] == "tool_call")
    del value["steps"][call]
    renumber(value)


def answered_otherwise(value):
    value["final_answer"] = "another"


def spaced(value):
    value["task_id"] += " "


@pytest.mark.parametrize(
    ("place", "change"), thoroughness.crossed(PLACES, [edited, removed, added, moved, answered_otherwise, spaced])
)
def test_a_trajectory_that_was_changed(package, place, change):
    number = at(place, 13)
    edit_step(package, number, change)
    rejected(package.verify(), 1, r"^trajectories.jsonl: its content is not what SHA256SUMS lists")
    package.forge("files")
    verdict = package.verify()
    assert verdict.checks[0].status == verdict.checks[1].status == "ok"
    rejected(verdict, 4, rf"^trajectories.jsonl:{number + 1}: not the line that the log binds \(log.jsonl:\d+\)")


@pytest.mark.parametrize("place", PLACES)
def test_a_trajectory_that_was_dropped(package, place):
    lines = package.lines("trajectories.jsonl")
    number = at(place, 13)
    del lines[number]
    package.set_lines("trajectories.jsonl", lines)
    package.forge("files")
    expected = "the line is missing" if place == "last" else "not the line that the log binds"
    rejected(package.verify(), 4, rf"^trajectories.jsonl:{number + 1}: {expected}")


@pytest.mark.parametrize(
    ("pair", "name"), thoroughness.crossed([(0, 1), (5, 12), (3, 9)], ["trajectories.jsonl", "results.jsonl"])
)
def test_lines_swapped_between_tasks(package, pair, name):
    lines = package.lines(name)
    first, second = pair
    lines[first], lines[second] = lines[second], lines[first]
    package.set_lines(name, lines)
    package.forge("files")
    rejected(package.verify(), 4, rf"^{name}:{first + 1}: not ")


def test_a_trajectory_added_or_copied_over_another(package, copies):
    lines = package.lines("trajectories.jsonl")
    package.set_lines("trajectories.jsonl", [*lines, lines[0]])
    package.forge("files")
    rejected(package.verify(), 4, r"^trajectories.jsonl:14: the log does not have this line")
    rejected(package.verify(), 5, r"^trajectories.jsonl:14: the task '.*' has a trajectory already")
    second = copies("second")
    lines[4] = lines[2]
    second.set_lines("trajectories.jsonl", lines)
    second.forge("files")
    rejected(second.verify(), 4, r"^trajectories.jsonl:5: not the line that the log binds")


@pytest.mark.parametrize(
    ("change", "place"),
    thoroughness.crossed(
        [
            {"model_answer": "another"},
            {"reasoning_trace": "I knew it."},
            {"tools_used": []},
            {"turns": 1},
            {"wall_seconds": 0.5},
            {"task_id": "none"},
        ],
        PLACES,
    ),
)
def test_a_result_that_was_changed(package, place, change):
    values = package.json_lines("results.jsonl")
    values[at(place, 13)].update(change)
    package.set_json_lines("results.jsonl", values)
    package.forge("files")
    rejected(package.verify(), 4, rf"^results.jsonl:{at(place, 13) + 1}: not what facts and trajectory of .* give")


def test_a_result_dropped_or_added(package, copies):
    lines = package.lines("results.jsonl")
    package.set_lines("results.jsonl", lines[:-1])
    package.forge("files")
    rejected(package.verify(), 4, r"^results.jsonl:13: the line of .* is missing")
    second = copies("second")
    second.set_lines("results.jsonl", [*lines, lines[0]])
    second.forge("files")
    rejected(second.verify(), 4, r"^results.jsonl:14: a line of no task")


def test_a_result_too_long_to_be_read(package):
    lines = package.lines("results.jsonl")
    package.set_lines("results.jsonl", [b" " * (1 << 20) + lines[0], *lines[1:]])
    package.forge("files")
    rejected(package.verify(), 4, r"^results.jsonl:1: ")


@pytest.mark.parametrize(
    ("name", "share"), thoroughness.crossed([name for name in REQUIRED if name != "SHA256SUMS.sig"], [0.0, 0.5, 0.97])
)
def test_a_file_cut_short(package, name, share):
    data = package.path(name).read_bytes()
    package.path(name).write_bytes(data[: int(len(data) * share)])
    verdict = package.verify()
    assert verdict.exit_code == 1
    listed = name not in ("SHA256SUMS", "attestation.dsse.json")
    assert first_failure(verdict) == (1 if listed or name == "SHA256SUMS" else 2)


@pytest.mark.parametrize("name", ["trajectories.jsonl", "log.jsonl", "ledger.jsonl", "results.jsonl", "checkpoints"])
def test_a_file_cut_short_and_signed_again(package, name):
    data = package.path(name).read_bytes()
    package.path(name).write_bytes(data[:-5])
    package.forge("files")
    verdict = package.verify()
    check = {"ledger.jsonl": 6}.get(name, 4)
    rejected(verdict, check, rf"^{name}")


# what only rules of content catch: log, ledger and all signatures made anew by the holder of the key


def test_an_untouched_package_forged_again_is_still_good(package, voted):
    """The forger's own tools are sound: else every rejection below could be their fault."""
    for each in (package, voted):
        each.forge("log")
        assert each.verify().exit_code == 3, each.verify().checks


@pytest.mark.parametrize(
    ("place", "lie"),
    thoroughness.crossed(
        PLACES,
        [
            (edited, "its text does not have the hash that it says"),
            (no_call, "a tool result without its call"),
            (lambda value: value.update(turns=99), "turns is not what its steps add up to"),
            (lambda value: value.update(input_tokens=1), "input_tokens is not what its steps add up to"),
            (lambda value: value.update(output_tokens=None), "output_tokens is not what its steps add up to"),
            (lambda value: value.update(tools_used=[]), "tools_used is not what its steps add up to"),
            (answered_otherwise, "final_answer is not what the facts say"),
            (lambda value: value.update(model="openai/other"), "model is not what the facts say"),
            (lambda value: value.update(voting_attempts=3), "voting_attempts is not what the facts say"),
            (lambda value: value["steps"][0].update(seq=5), "says that it is step 5"),
            (lambda value: value["steps"][-1].update(turn=0), "both count from 1"),
            (lambda value: value["steps"][0].update(bytes=10**6), "cannot be whole when 1000000 are said"),
        ],
    ),
)
def test_a_trajectory_that_contradicts_itself(package, place, lie):
    number, (change, pattern) = at(place, 13), lie
    edit_step(package, number, change)
    package.forge("log")
    rejected(package.verify(), 5, rf"^trajectories.jsonl:{number + 1}: .*({pattern})")


def test_a_task_dropped_everywhere(package):
    events = package.json_lines("log.jsonl")
    gone = next(e["task_id"] for e in events if e["event"] == "task_finished")
    events = [event for event in events if event.get("task_id") != gone]
    events[-1].update(tasks=12, finished=12, attempts=12)
    package.set_json_lines("log.jsonl", events)
    for name in ("trajectories.jsonl", "results.jsonl"):
        package.set_lines(name, [line for line in package.lines(name) if gone.encode() not in line])
    value = package.json("metadata.json")
    value["facts"]["tasks"] = [task for task in value["facts"]["tasks"] if task["task_id"] != gone]
    package.set_json("metadata.json", value)
    package.forge("log")
    rejected(package.verify(), 4, rf"the task '{gone}' is in the intent and not in the log")
    value["facts"]["task_ids"].remove(gone)
    package.set_json("metadata.json", value)
    package.forge("log")
    rejected(package.verify(), 3, r"^intent.dsse.json: task_list_sha256 is .*, and in facts in metadata.json")


def close_again(events):
    events.append(dict(events[-1]))


def aborted(events):
    events[-1]["status"] = "aborted"


def never_closed(events):
    del events[-1]


def starts_twice(events):
    events.insert(5, dict(events[0]))


def attempt_twice(events):
    events.insert(3, dict(next(e for e in events if e["event"] == "attempt_started")))


def attempt_uncounted(events):
    started = next(i for i, e in enumerate(events) if e["event"] == "attempt_started")
    del events[started]


def done_twice(events):
    events.insert(-1, dict(next(e for e in events if e["event"] == "task_finished")))


def fewer_said(events):
    events[-1]["attempts"] = 1


def after_the_end_of_its_task(events):
    done = next(i for i, e in enumerate(events) if e["event"] == "task_finished")
    task_id, time = events[done]["task_id"], events[done]["time"]
    events.insert(done + 1, {"event": "attempt_started", "seq": 0, "time": time, "task_id": task_id, "attempt": 2})


def another_one_ends(events):
    next(e for e in events if e["event"] == "attempt_finished")["attempt"] = 2


def ends_twice(events):
    end = next(i for i, e in enumerate(events) if e["event"] == "attempt_finished")
    events.insert(end, dict(events[end]))


def more_attempts_said(events):
    next(e for e in events if e["event"] == "task_finished")["attempts"] = 2
    events[-1]["attempts"] += 1


def done_without_an_end(events):
    end = next(i for i, e in enumerate(events) if e["event"] == "attempt_finished")
    del events[end]


def more_tasks_said(events):
    events[-1]["tasks"] = 14


def fewer_tasks_said(events):
    events[-1]["finished"] = 12


@pytest.mark.parametrize(
    ("change", "pattern"),
    [
        (close_again, r"^log.jsonl:42: an event behind the end of the run"),
        (aborted, r"^log.jsonl:41: the run was closed as 'aborted'"),
        (never_closed, r"^log.jsonl:40: the run was never closed"),
        (starts_twice, r"^log.jsonl:6: a log begins with run_started, and nothing else does"),
        (attempt_twice, r"^log.jsonl:\d+: attempt 1 cannot follow what stands before"),
        (attempt_uncounted, r"^log.jsonl:\d+: attempt 1 ends and is not under way"),
        (done_twice, r"^log.jsonl:41: the task .* is done already"),
        (fewer_said, r"^log.jsonl:41: 13 attempts were made, not 1"),
        (after_the_end_of_its_task, r"^log.jsonl:\d+: attempt 2 cannot follow what stands before"),
        (another_one_ends, r"^log.jsonl:\d+: attempt 2 ends and is not under way"),
        (ends_twice, r"^log.jsonl:\d+: attempt 1 ends and is not under way"),
        (more_attempts_said, r"^log.jsonl:\d+: 2 attempts are not those that were made"),
        (done_without_an_end, r"^log.jsonl:\d+: 1 attempt is not what was made"),
        (more_tasks_said, r"^log.jsonl:41: 13 tasks are done, not 13"),
        (fewer_tasks_said, r"^log.jsonl:41: 13 tasks are done, not 12"),
    ],
)
def test_a_log_made_anew_by_the_holder_of_the_key(package, change, pattern):
    events = package.json_lines("log.jsonl")
    change(events)
    package.set_json_lines("log.jsonl", events)
    package.chain_log()
    package.sign_files()
    rejected(package.verify(), 4, pattern)


def resumed(events, place: int) -> None:
    time = events[place - 1]["time"]
    events.insert(place, {"event": "run_resumed", "seq": 0, "time": time, "healed": [], "concurrency": 4})


@pytest.mark.parametrize(
    "elsewhere",
    [lambda events: None, lambda events: resumed(events, 1), lambda events: resumed(events, len(events) - 1)],
    ids=["never resumed", "resumed before", "resumed afterwards"],
)
def test_an_attempt_that_was_dropped_from_a_vote(voted, elsewhere):
    def second_only(value):
        value["steps"] = [step for step in value["steps"] if step["attempt"] == 2]
        renumber(value)
        value["turns"] = len({step["turn"] for step in value["steps"]})
        calls = [step for step in value["steps"] if step["type"] == "llm_call"]
        value["input_tokens"] = sum(call["tokens_in"] for call in calls)
        value["output_tokens"] = sum(call["tokens_out"] for call in calls)
        value["tools_used"] = sorted({step["name"] for step in value["steps"] if step["type"] == "tool_call"})

    edit_step(voted, 1, second_only)
    events = voted.json_lines("log.jsonl")
    elsewhere(events)
    voted.set_json_lines("log.jsonl", events)
    voted.chain_log()
    voted.sign_files()
    rejected(voted.verify(), 4, r"^trajectories.jsonl:2: attempt 1 has no steps, and no resume explains that")


@pytest.mark.parametrize("change", [{"steps_sha256": "0" * 64}, {"steps": 1}])
def test_steps_that_an_attempt_did_not_end_with(voted, change):
    events = voted.json_lines("log.jsonl")
    ends = [event for event in events if event["event"] == "attempt_finished"]
    ends[0].update(change)
    voted.set_json_lines("log.jsonl", events)
    voted.chain_log(bind=False)
    voted.sign_files()
    rejected(voted.verify(), 4, r"^trajectories.jsonl:\d: the steps of attempt 1 are not those that the log binds")


def test_an_attempt_that_only_the_trajectory_has(voted):
    events = voted.json_lines("log.jsonl")
    task_id = next(event["task_id"] for event in events if event["event"] == "task_finished")
    events = [event for event in events if not (event.get("task_id") == task_id and event.get("attempt") == 2)]
    next(event for event in events if event["event"] == "task_finished" and event["task_id"] == task_id)["attempts"] = 1
    events[-1]["attempts"] -= 1
    voted.set_json_lines("log.jsonl", events)
    voted.chain_log()
    voted.sign_files()
    rejected(voted.verify(), 4, r"^trajectories.jsonl:\d: has steps of an attempt that the log does not have")


def test_a_trajectory_that_the_log_binds_to_another_task(package):
    events = package.json_lines("log.jsonl")
    first, second, *_ = [event for event in events if event["event"] == "task_finished"]
    first["trajectory_sha256"], second["trajectory_sha256"] = second["trajectory_sha256"], first["trajectory_sha256"]
    package.set_json_lines("log.jsonl", events)
    lines = package.lines("trajectories.jsonl")
    package.set_lines("trajectories.jsonl", [lines[1], lines[0], *lines[2:]])
    package.chain_log(bind=False)
    package.sign_files()
    rejected(package.verify(), 4, r"^trajectories.jsonl:1: of the task '.*', not of the one that log.jsonl:\d+ names")


def test_an_answer_from_an_attempt_that_was_never_made(package):
    task_id = json.loads(package.lines("trajectories.jsonl")[0])["task_id"]
    edit_step(package, 0, lambda value: value.update(selected_attempt=5))
    tasks = package.json("metadata.json")["facts"]["tasks"]
    number = next(number for number, task in enumerate(tasks) if task["task_id"] == task_id)
    package.edit_facts(number, voting=tasks[number]["voting"] | {"selected_attempt": 5})
    package.forge("log")
    rejected(package.verify(), 4, r"^trajectories.jsonl:1: its answer is from attempt 5, which it does not have")


def test_an_answer_said_to_be_from_the_other_attempt(voted):
    edit_step(voted, 0, lambda value: value.update(selected_attempt=3 - value["selected_attempt"]))
    voted.forge("log")
    rejected(voted.verify(), 5, r"^trajectories.jsonl:1: selected_attempt is not what the facts say")


# the log without the key


@pytest.mark.parametrize("line", [0, 7, 20, 40])
def test_a_line_of_the_log_that_was_changed(package, line):
    events = package.json_lines("log.jsonl")
    events[line]["time"] = "2030-01-01T00:00:00.000Z"
    package.set_json_lines("log.jsonl", events)
    package.forge("files")
    rejected(package.verify(), 4, r"^log.jsonl:\d+: lines \d+ to \d+ are not those of the signed checkpoint")


@pytest.mark.parametrize("line", [0, 7, 40])
def test_a_line_of_the_log_that_was_taken_out_or_put_in(package, copies, line):
    lines = package.lines("log.jsonl")
    package.set_lines("log.jsonl", lines[:line] + lines[line + 1 :])
    package.forge("files")
    pattern = "lines are missing" if line == 40 else f"event {line + 1} stands where event {line} must stand"
    rejected(package.verify(), 4, rf"^log.jsonl:{line + 1}: {pattern}")
    second = copies("second")
    second.set_lines("log.jsonl", lines[: line + 1] + lines[line:])
    second.forge("files")
    rejected(second.verify(), 4, rf"^log.jsonl:{line + 2}: event {line} stands where event {line + 1} must stand")


def test_lines_behind_the_last_checkpoint(package):
    run_id = package.intent()["run_id"]
    package.write_checkpoints("checkpoints", "log.jsonl", f"gaia-harness/run/{run_id}", [1, 20])
    package.forge("files")
    rejected(package.verify(), 4, r"^log.jsonl:21: lines that no signed checkpoint has seen")


def test_checkpoints_of_others(package, copies, other):
    run_id = package.intent()["run_id"]
    origin = f"gaia-harness/run/{run_id}"
    package.write_checkpoints("checkpoints", "log.jsonl", origin, [1, 41], signer=STRANGER)
    package.forge("files")
    rejected(package.verify(), 4, r"^checkpoints: checkpoint 1: the note has 0 signatures")
    second = copies("second")
    shutil.copy(other / "checkpoints", second.path("checkpoints"))
    second.forge("files")
    rejected(second.verify(), 4, r"^checkpoints: checkpoint 1")
    third = copies("third")
    third.write_checkpoints("checkpoints", "log.jsonl", "gaia-harness/run/" + "0" * 32, [1, 41])
    third.forge("files")
    rejected(third.verify(), 4, r"^checkpoints: checkpoint 1")
    fourth = copies("fourth")
    fourth.path("checkpoints").write_bytes(b"")
    fourth.forge("files")
    rejected(fourth.verify(), 4, r"^checkpoints: has no checkpoint")


def test_a_log_made_anew_without_the_ledger(package):
    events = package.json_lines("log.jsonl")
    events[-1]["time"] = "2030-01-01T00:00:00.000Z"
    package.set_json_lines("log.jsonl", events)
    ledger, heads = package.path("ledger.jsonl").read_bytes(), package.path("ledger.checkpoints").read_bytes()
    package.chain_log()
    package.path("ledger.jsonl").write_bytes(ledger)
    package.path("ledger.checkpoints").write_bytes(heads)
    package.make_metadata()
    package.sign_files()
    rejected(package.verify(), 6, r"^ledger.jsonl:\d+: has seen another log of 41 lines")


# the intent


def test_the_intent_of_another_run(package, other):
    shutil.copy(other / "intent.dsse.json", package.path("intent.dsse.json"))
    package.forge("files")
    verdict = package.verify()
    assert verdict.exit_code == 1
    assert any("checkpoint" in line.said for line in verdict.checks if line.status == "FAILED")


@pytest.mark.parametrize(
    ("change", "pattern"),
    [
        ({"created_at": "2031-01-01T00:00:00.000Z"}, "made at 2031-01-01T00:00:00.000Z, after the run began"),
        ({"created_at": "yesterday"}, "'yesterday' is not a time as we write it"),
        ({"model": "openai/better"}, "model is 'openai/better'"),
        ({"gaia_split": "test"}, "gaia_split is 'test'"),
        ({"voting_attempts": 5}, "voting_attempts is 5"),
        ({"tasks": 14}, "tasks is 14"),
        ({"dataset_digest": "0" * 64}, "dataset_digest is '000"),
        ({"task_list_sha256": "0" * 64}, "task_list_sha256 is '000"),
        ({"levels": [1, 2]}, r"levels is \(1, 2\)|levels is \[1, 2\]"),
        ({"judge_model": "openai/kind"}, "judge_model is 'openai/kind'"),
        ({"dataset": "hub"}, "dataset is 'hub'"),
        ({"dataset_revision": "0" * 40}, "dataset_revision is '000"),
        ({"harness_version": "9"}, "harness_version is '9'"),
    ],
)
def test_an_intent_that_is_not_what_the_run_did(package, change, pattern):
    package.set_intent(package.intent() | change)
    package.chain_log()
    package.sign_files()
    rejected(package.verify(), 3, rf"^intent.dsse.json: {pattern}")


@pytest.mark.parametrize(
    "change",
    [
        {"run_id": "0" * 32},
        {"model": "openai/worse"},
        {"gaia_split": "test"},
        {"voting_attempts": 2},
        {"tasks": 14},
        {"dataset_digest": "0" * 64},
        {"record_evidence": False},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_log_that_began_with_something_else_than_the_intent(package, change):
    """All else is as declared: only the first line of the log says otherwise."""
    events = package.json_lines("log.jsonl")
    events[0].update(change)
    package.set_json_lines("log.jsonl", events)
    package.chain_log()
    origin = f"gaia-harness/run/{package.intent()['run_id']}"
    package.write_checkpoints("checkpoints", "log.jsonl", origin, [1, len(events)])
    package.sign_files()
    ((name, _),) = change.items()
    rejected(package.verify(), 3, rf"^intent.dsse.json: {name} is .*, and in log.jsonl:1 ")


def test_a_log_that_began_at_no_time(package):
    events = package.json_lines("log.jsonl")
    events[0]["time"] = "some time later"
    package.set_json_lines("log.jsonl", events)
    package.chain_log()
    package.sign_files()
    verdict = package.verify()
    assert verdict.exit_code == 1
    assert any("is not a time as we write it" in fault for line in verdict.checks for fault in line.faults)


def test_more_tasks_declared_than_there_are(package):
    package.set_intent(package.intent() | {"tasks": 14})
    events = package.json_lines("log.jsonl")
    events[0]["tasks"] = 14
    package.set_json_lines("log.jsonl", events)
    package.chain_log()
    package.sign_files()
    rejected(package.verify(), 3, r"^intent.dsse.json: tasks is 14, and in facts in metadata.json 13")


def test_a_task_done_by_another_model(package):
    task_id = json.loads(package.lines("trajectories.jsonl")[0])["task_id"]
    edit_step(package, 0, lambda value: value.update(model="openai/better"))
    tasks = package.json("metadata.json")["facts"]["tasks"]
    package.edit_facts(next(n for n, task in enumerate(tasks) if task["task_id"] == task_id), model="openai/better")
    package.forge("log")
    rejected(package.verify(), 3, r"^intent.dsse.json: model of the tasks is .*openai/better")


def test_an_intent_that_the_log_does_not_name(package):
    package.set_intent(package.intent() | {"nonce": "0" * 32})
    package.forge("files")
    rejected(package.verify(), 3, r"^intent.dsse.json: not the intent that log.jsonl:1 names")


def test_an_intent_by_a_stranger_or_of_another_type(package, copies):
    package.set_intent(package.intent(), signer=STRANGER)
    package.forge("files")
    rejected(package.verify(), 3, r"^intent.dsse.json: the envelope is signed by an unknown key")
    second = copies("second")
    payload = base64.b64decode(second.json("intent.dsse.json")["payload"])
    second.path("intent.dsse.json").write_bytes(sign_dsse(second.signer, PAYLOAD_TYPE, payload))
    second.forge("files")
    rejected(second.verify(), 3, rf"^intent.dsse.json: the envelope holds '{re.escape(PAYLOAD_TYPE)}'")


# the ledger


def test_a_ledger_with_an_earlier_run_left_out(voted):
    entries = voted.json_lines("ledger.jsonl")
    ours = voted.intent()["run_id"]
    assert {entry["run_id"] for entry in entries} != {ours}
    voted.set_json_lines("ledger.jsonl", [entry for entry in entries if entry["run_id"] == ours])
    voted.forge("ledger")
    rejected(voted.verify(), 6, r"^ledger.jsonl: does not begin with the ledger of \d+ entries that the intent names")


def test_a_ledger_with_an_earlier_run_rewritten(voted):
    entries = voted.json_lines("ledger.jsonl")
    assert entries[0]["run_id"] != voted.intent()["run_id"]
    entries[0]["model"] = "openai/worse"
    voted.set_json_lines("ledger.jsonl", entries)
    voted.forge("ledger")
    rejected(voted.verify(), 6, r"^ledger.jsonl: does not begin with the ledger of \d+ entries that the intent names")


def test_a_ledger_counted_from_its_end(voted):
    entries = voted.lines("ledger.jsonl")
    ours = sum(voted.intent()["run_id"].encode() in entry for entry in entries)
    root = root_of(entry[:-1] for entry in entries[:-ours]).hex()
    voted.set_intent(voted.intent() | {"ledger": {"size": -ours, "root": root}})
    voted.chain_log()
    voted.sign_files()
    rejected(voted.verify(), 6, r"^ledger.jsonl: does not begin with the ledger of -\d+ entries that the intent names")


@pytest.mark.parametrize("entry", [0, 1])
def test_a_ledger_that_was_changed(package, copies, entry):
    entries = package.json_lines("ledger.jsonl")
    entries[entry]["time"] = "2030-01-01T00:00:00.000Z"
    package.set_json_lines("ledger.jsonl", entries)
    package.forge("files")
    rejected(package.verify(), 6, rf"^ledger.jsonl:{entry + 1}: the ledger was changed at or before this line")
    second = copies("second")
    lines = second.lines("ledger.jsonl")
    second.set_lines("ledger.jsonl", lines[:entry])
    second.forge("files")
    rejected(second.verify(), 6, rf"^ledger.jsonl:{entry + 1}: lines are missing")


def declared(**change):
    def change_it(entries, ours):
        next(e for e in entries if e["entry"] == "intent" and e["run_id"] == ours).update(change)

    return change_it


def declared_twice(entries, ours):
    entries.append(dict(next(e for e in entries if e["run_id"] == ours and e["entry"] == "intent")))


def resumed_before_it_was_declared(entries, ours):
    close = next(e for e in entries if e["run_id"] == ours and e["entry"] == "close")
    entries.insert(0, {
        "entry": "resume", "seq": 0, "time": entries[0]["time"], "run_id": ours, "log_size": close["log_size"],
        "log_root": close["log_root"],
    })  # fmt: skip


def without_us(entries, ours):
    entries[:] = [entry for entry in entries if entry["run_id"] != ours] or [
        dict(entries[0], run_id="0" * 32),
    ]


def without_our_end(entries, ours):
    entries[:] = [entry for entry in entries if not (entry["run_id"] == ours and entry["entry"] == "close")]


def ended_twice(entries, ours):
    entries.append(dict(next(e for e in entries if e["run_id"] == ours and e["entry"] == "close")))


def resumed_with_another_log(entries, ours):
    end = next(i for i, e in enumerate(entries) if e["run_id"] == ours and e["entry"] == "close")
    resume = {
        "entry": "resume",
        "seq": 0,
        "time": "2026-11-15T12:00:00Z",
        "run_id": ours,
        "log_size": 9,
        "log_root": "0" * 64,
    }
    entries.insert(end, resume)


def resumed_behind_the_end(entries, ours):
    close = next(e for e in entries if e["run_id"] == ours and e["entry"] == "close")
    entries.append({
        "entry": "resume", "seq": 0, "time": "2026-11-15T12:00:00Z", "run_id": ours, "log_size": close["log_size"],
        "log_root": close["log_root"],
    })  # fmt: skip


def aborted_in_the_ledger(entries, ours):
    next(e for e in entries if e["run_id"] == ours and e["entry"] == "close")["status"] = "aborted"


@pytest.mark.parametrize(
    ("change", "pattern"),
    [
        (declared(task_list_sha256="0" * 64), r"^ledger.jsonl:\d+: task_list_sha256 is"),
        (declared(intent_sha256="0" * 64), r"^ledger.jsonl:\d+: intent_sha256 is"),
        (declared(dataset_digest="0" * 64), r"^ledger.jsonl:\d+: dataset_digest is"),
        (declared(gaia_split="test"), r"^ledger.jsonl:\d+: gaia_split is"),
        (declared(model="openai/better"), r"^ledger.jsonl:\d+: model is"),
        (declared_twice, r"^ledger.jsonl: the run .* is in it 2 times"),
        (resumed_before_it_was_declared, r"^ledger.jsonl:1: stands before the run was declared"),
        (without_us, r"^ledger.jsonl: the run .* is in it 0 times"),
        (without_our_end, r"^ledger.jsonl: the end of the run .* is in it 0 times"),
        (ended_twice, r"^ledger.jsonl: the end of the run .* is in it 2 times"),
        (resumed_with_another_log, r"^ledger.jsonl:\d+: has seen another log of 9 lines"),
        (resumed_behind_the_end, r"^ledger.jsonl:\d+: the run goes on behind its end"),
        (aborted_in_the_ledger, r"^ledger.jsonl:\d+: the end of the run is not that of its log"),
    ],
)
def test_a_ledger_made_anew_by_the_holder_of_the_key(package, change, pattern):
    entries = package.json_lines("ledger.jsonl")
    change(entries, package.intent()["run_id"])
    package.set_json_lines("ledger.jsonl", entries)
    package.chain_ledger()
    package.sign_files()
    rejected(package.verify(), 6, pattern)


def test_a_ledger_of_another_key(package):
    origin = f"gaia-harness/ledger/{STRANGER.public.key_id}"
    package.write_checkpoints("ledger.checkpoints", "ledger.jsonl", origin, [1, 2], signer=STRANGER)
    package.forge("files")
    rejected(package.verify(), 6, r"^ledger.checkpoints: checkpoint 1")


# metadata, facts, report, README


@pytest.mark.parametrize(
    "change",
    [
        {"est_cost_usd": 0.5},
        {"totals": {"passed": 12}},
        {"totals": {"attempts": 1}},
        {"totals": {"input_tokens": 5}},
        {"pass_rate": {"passed": 12}},
        {"pass_rate": {"pass_rate": 0.9}},
        {"pass_rate_by_level": {"1": None}},
        {"audited_pass_rate": {"high": 0.99}},
        {"seed": 4},
        {"model": "openai/better"},
        {"judge_model": "openai/kind"},
        {"gaia_split": "test"},
        {"levels": [1, 2, 3]},
        {"voting_attempts": 3},
        {"isolation": {"python": "a strong wall"}},
        {"harness": {"version": "9"}},
        {"harness": {"source_sha256": "0" * 64}},
        {"tools": {"names": []}},
        {"dataset": {"digest": "0" * 64}},
        {"standing": {"said": "run 1 of 1"}},
        {"standing": {"runs": 7}},
        {"log": {"size": 40}},
        {"ledger": {"root": "0" * 64}},
        {"audit": {"strict_clean": "flip"}},
        {"audit": {"clean": "flip"}},
        {"dirty": []},
        {"dirty": ["a trifle"]},
        {"full_bodies": True},
        {"run_id": "0" * 32},
        {"submitter": {"key_id": "0" * 64}},
        {"interruptions": {"resumed": 1}},
        {"interruptions": {"said": "never"}},
        {"judge_cache_integrity_events": 3},
    ],
    ids=lambda change: next(iter(change)),
)
def test_metadata_that_is_prettier_than_the_files(package, change):
    value = package.json("metadata.json")
    ((name, new),) = change.items()
    if isinstance(new, dict):
        for inner, content in new.items():
            value[name][inner] = not value[name][inner] if content == "flip" else content
    else:
        value[name] = new
    package.set_json("metadata.json", value)
    package.sign_files()
    rejected(package.verify(), 7, rf"^metadata.json: {name} is not what the files give")


def test_a_package_of_today_that_calls_itself_one_of_the_first_schema(package):
    """So that it would not have to tell how often the run was resumed."""
    value = package.json("metadata.json")
    value["schema"] = "gaia-harness/package/1"
    del value["interruptions"]
    package.set_json("metadata.json", value)
    package.sign_files()
    rejected(package.verify(), 7, r"^metadata.json: of a schema that is older than the program of the run")


def test_a_schema_that_nobody_knows(package):
    data = package.path("metadata.json").read_bytes()
    package.path("metadata.json").write_bytes(data.replace(b"gaia-harness/package/3", b"gaia-harness/package/4"))
    with pytest.raises(EvidenceError, match=r"^metadata.json: of the schema 'gaia-harness/package/4', which this"):
        read_metadata(package.path("metadata.json").read_bytes())
    rejected(package.verify(), 1, r"^metadata.json: its content is not")


@pytest.mark.parametrize(
    ("name", "new", "pattern"),
    [
        ("submitted_at", "2020-01-01T00:00:00Z", "before the run ended"),
        ("submitted_at", "now", "is not a time as we write it"),
        ("submitter", {"identity": "eve; rm -rf ~"}, "not an identity"),
    ],
)
def test_metadata_with_a_time_or_a_name_that_cannot_be(package, name, new, pattern):
    value = package.json("metadata.json")
    value[name] = value[name] | new if isinstance(new, dict) else new
    package.set_json("metadata.json", value)
    package.sign_files()
    rejected(package.verify(), 7, rf"^metadata.json: .*{pattern}")


@pytest.mark.parametrize(
    ("task", "change"),
    thoroughness.crossed(
        [0, 6, 12],
        [{"correct": False}, {"answer": "x"}, {"attempts": 0}, {"turns": 0}, {"cost_usd": 1.0}, {"level": 2}],
    ),
)
def test_facts_that_the_log_does_not_bind(package, task, change):
    package.edit_facts(task, **change)
    package.make_results()
    package.sign_files()
    rejected(package.verify(), 4, r"^metadata.json: the facts of '.*' are not those that log.jsonl:\d+ binds")


def test_facts_left_out_doubled_or_in_disorder(package, copies):
    for name, (change, pattern) in {
        "out": (lambda tasks: tasks.pop(), "'.*' are missing, or stand twice"),
        "doubled": (lambda tasks: tasks.insert(1, tasks[0]), "'.*' are missing, or stand twice"),
        "disorder": (lambda tasks: tasks.reverse(), "the tasks are not sorted by id"),
    }.items():
        each = copies(name)
        value = each.json("metadata.json")
        change(value["facts"]["tasks"])
        each.set_json("metadata.json", value)
        each.sign_files()
        rejected(each.verify(), 4, rf"^metadata.json: the facts of {pattern}")


def test_integrity_events_that_only_the_facts_have(package):
    value = package.json("metadata.json")
    value["facts"]["judge_cache_integrity_events"] = 1
    package.set_json("metadata.json", value)
    package.sign_files()
    rejected(package.verify(), 4, r"^metadata.json: 0 integrity events are in the log")


@pytest.mark.parametrize(
    ("change", "pattern"),
    [
        ({"model": "openai/better"}, "model"),
        ({"dataset": "hub"}, "dataset"),
        ({"harness_version": "9"}, "harness_version"),
        ({"submit_intent": False}, "submit_intent"),
        ({"voting_attempts": 2}, "voting_attempts"),
        ({"run_id": "0" * 32}, "run_id"),
        ({"gaia_split": "test"}, "gaia_split"),
        ({"dataset_digest": "0" * 64}, "dataset_digest"),
        ({"record_evidence": False}, "record_evidence"),
    ],
)
def test_facts_of_the_run_that_the_intent_contradicts(package, change, pattern):
    value = package.json("metadata.json")
    value["facts"].update(change)
    package.set_json("metadata.json", value)
    package.sign_files()
    rejected(package.verify(), 3, rf"^intent.dsse.json: {pattern} is .*, and in facts in metadata.json")


def strictness_flipped(report):
    report["attestation"]["strict_clean"] = not report["attestation"]["strict_clean"]


@pytest.mark.parametrize(
    ("change", "pattern"),
    [
        (strictness_flipped, "attestation.strict_clean"),
        (lambda r: r.update(run_id="0" * 32), "run_id"),
        (lambda r: r.update(audited_at="2031-01-01T00:00:00Z"), "audited_at"),
        (lambda r: r.update(checks=r["checks"][:-1]), "checks"),
        (lambda r: r["checks"][0].update(status="skip"), "attestation|the status of AUD-1"),
        (lambda r: r["totals"].update(finished=12), "totals"),
        (lambda r: r["totals"]["findings"].update(info=0, critical=0, low=0, medium=0, high=1), "totals"),
        (lambda r: r["inputs"].update(trajectories_sha256="0" * 64), "inputs.trajectories_sha256"),
        (lambda r: r["inputs"].update(log_sha256="0" * 64), "inputs.log_sha256"),
        (lambda r: r["inputs"].update(intent_sha256=None), "inputs.intent_sha256"),
        (lambda r: r["inputs"].update(facts_sha256="0" * 64), "inputs.facts_sha256"),
        (lambda r: r["inputs"].update(dataset_at_hand=False), "inputs.dataset_at_hand"),
        (lambda r: r.update(schema="gaia-harness/audit/2"), "schema"),
        (lambda r: r["attestation"].update(clean=False), "attestation.clean"),
        (lambda r: r["attestation"].update(critical_failures=["AUD-1"]), "attestation.critical_failures"),
        (lambda r: r["attestation"].update(warn_failures=["AUD-1"]), "attestation.warn_failures"),
        (lambda r: r["attestation"].update(skipped=["AUD-1"]), "attestation.skipped"),
        (lambda r: r["totals"].update(tasks_not_counted=["x"]), "totals"),
        (lambda r: r["checks"][1].update(status="fail"), "the status of AUD-2"),
    ],
)  # fmt: skip
def test_a_report_that_is_not_about_these_files(package, change, pattern):
    report = package.json("audit-report.json")
    change(report)
    package.set_json("audit-report.json", report)
    value = package.json("metadata.json")
    for name in ("clean", "strict_clean"):
        value["audit"][name] = report["attestation"][name]
    package.set_json("metadata.json", value)
    package.sign_files()
    rejected(package.verify(), 7, rf"^audit-report.json: .*({pattern})")


def with_a_finding(package: Package, number: int) -> str:
    """Puts a high finding of a check on a right answer into the report, and all that follows from it."""
    report = package.json("audit-report.json")
    task_id = next(task["task_id"] for task in package.json("metadata.json")["facts"]["tasks"] if task["correct"])
    found = {"severity": "high", "rule": "a-rule", "summary": "Something.", "task_id": task_id, "excerpt": ""}
    report["checks"][number - 1]["findings"].insert(0, {name: found.get(name) for name in FINDING})
    report["checks"][number - 1]["status"] = "fail"
    report["totals"]["findings"]["high"] += 1
    report["attestation"].update(clean=False, strict_clean=False, critical_failures=[f"AUD-{number}"])
    package.set_json("audit-report.json", report)
    package.make_metadata()
    return task_id


def test_a_leak_that_still_counts_as_right(package):
    """The report says itself that an answer leaked; the task must not count."""
    before = package.json("metadata.json")["audited_pass_rate"]
    leaked = with_a_finding(package, 1)
    report = package.json("audit-report.json")
    report["totals"]["tasks_not_counted"] = [leaked]
    package.set_json("audit-report.json", report)
    package.sign_files()
    assert package.verify().exit_code == 3  # so it must be
    assert report["totals"]["audited"]["passed"] == before["passed"] - 1
    report["totals"]["audited"] = before
    package.set_json("audit-report.json", report)
    package.sign_files()
    rejected(package.verify(), 7, r"^audit-report.json: totals is not what the files give")


def test_a_finding_that_is_no_leak_takes_nothing_out(package):
    before = package.json("metadata.json")["audited_pass_rate"]
    with_a_finding(package, 5)
    package.sign_files()
    assert package.verify().exit_code == 3
    assert package.json("metadata.json")["audited_pass_rate"] == before
    assert [reason.rpartition(": ")[2] for reason in package.json("metadata.json")["dirty"]] == ["1 critical or high"]


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"event": "integrity_event", "kind": "judge cache", "detail": "x"}, "1 entries of the judge cache were not"),
        ({"event": "recording_failed", "reason": "disk full", "task_id": None}, "recording failed: disk full"),
    ],
    ids=["cache", "recording"],
)
def test_dirt_that_the_log_has_is_disclosed(package, event, reason):
    events = package.json_lines("log.jsonl")
    placed = {"event": event["event"], "seq": 0, "time": events[-1]["time"]}
    events.insert(-1, placed | event)
    package.set_json_lines("log.jsonl", events)
    value = package.json("metadata.json")
    value["facts"]["judge_cache_integrity_events"] = int(event["event"] == "integrity_event")
    package.set_json("metadata.json", value)
    package.forge("log")
    assert [each for each in package.json("metadata.json")["dirty"] if each.startswith(reason)]
    assert package.verify().exit_code == 3


def test_the_report_of_another_run(package, other):
    shutil.copy(other / "audit-report.json", package.path("audit-report.json"))
    package.forge("files")
    assert package.verify().checks[6].status == "FAILED"
    assert package.verify().exit_code == 1


def test_a_report_without_its_findings_is_caught_when_the_audit_is_repeated(package):
    report = package.json("audit-report.json")
    found = next(check for check in report["checks"] if check["findings"])
    gone = found["findings"].pop()
    report["totals"]["findings"][gone["severity"]] -= 1
    package.set_json("audit-report.json", report)
    package.make_metadata()
    package.sign_files()
    assert package.verify().exit_code == 3  # nothing in the package contradicts it
    rejected(package.verify(dataset=demo), 8, r"^audit-report.json: the audit gives another report: line \d+ is")


def test_a_score_that_the_scorer_does_not_give(package):
    """Everything made anew by the holder of the key: only the data set tells."""
    edit_step(package, 2, lambda value: None)
    value = package.json("metadata.json")
    value["facts"]["tasks"][3]["correct"] = False
    package.set_json("metadata.json", value)
    package.forge("log")
    assert package.verify().exit_code == 3
    task_id = value["facts"]["tasks"][3]["task_id"]
    rejected(package.verify(dataset=demo), 8, rf"^metadata.json: '{task_id}' is scored False, the scorer says True")


def test_a_level_that_the_data_set_does_not_give(package):
    package.edit_facts(3, level=2)
    package.set_intent(package.intent() | {"levels": [1, 2]})
    package.forge("log")
    assert package.verify().exit_code == 3
    task_id = package.json("metadata.json")["facts"]["tasks"][3]["task_id"]
    rejected(package.verify(dataset=demo), 8, rf"^metadata.json: '{task_id}' is not of level 2")


def test_a_score_where_the_data_set_has_no_answer(package):
    def without_answers(facts):
        return msgspec.structs.replace(demo(facts), key=AnswerKey({}))

    rejected(package.verify(dataset=without_answers), 8, r"^metadata.json: '.*' is scored True, the scorer says None")


def test_another_data_set_at_hand(package):
    def fewer(facts):
        return load_dataset_facts("demo", facts.gaia_split, None, facts.task_ids[1:], {})

    rejected(package.verify(dataset=fewer), 8, r"^metadata.json: made with another data set")


def test_a_readme_that_promises_more(package):
    path = package.path("README.md")
    path.write_text(path.read_text().replace("13 of 13", "165 of 165"))
    package.sign_files()
    rejected(package.verify(), 7, r"^README.md: not what metadata.json gives")


def test_a_readme_of_another_version_is_not_compared(package):
    report = package.json("audit-report.json")
    report["inputs"]["harness_source_sha256"] = "0" * 64
    package.set_json("audit-report.json", report)
    package.path("README.md").write_text("# In other words\n")
    package.sign_files()
    verdict = package.verify()
    assert verdict.exit_code == 3, verdict.checks
    assert "README.md is of another version and not compared" in verdict.checks[6].said


@pytest.mark.parametrize("name", ["metadata.json", "audit-report.json"])
def test_documents_written_in_another_way(package, name):
    value = package.json(name)
    package.sign_files()
    signed = package.path("attestation.dsse.json").read_bytes()
    package.path(name).write_bytes(compact(value))
    verdict = package.verify()
    rejected(verdict, 7, rf"^{name}: not written as it must be")
    assert signed == package.path("attestation.dsse.json").read_bytes()


# signatures


def test_signed_again_by_a_stranger(package, copies, world):
    package.sign_files(STRANGER)
    rejected(package.verify(), 3, r"^intent.dsse.json: the envelope is signed by an unknown key")
    trust = Trust(signers=[world.stored.allowed_signer()])
    assert package.verify(trust=trust).exit_code == 1
    second = copies("second")
    listed = second.path("SHA256SUMS").read_bytes()
    second.path("SHA256SUMS.sig").write_text(sign_ssh(STRANGER, NAMESPACE, listed))
    rejected(second.verify(), 2, r"^attestation.dsse.json: the envelope is signed by an unknown key")


@pytest.mark.parametrize("name", ["SHA256SUMS.sig", "attestation.dsse.json"])
def test_a_signature_of_other_files_pasted_on(package, other, name):
    shutil.copy(other / name, package.path(name))
    pattern = "does not fit" if name == "SHA256SUMS.sig" else "is about other files than SHA256SUMS"
    verdict = package.verify()
    rejected(verdict, 2, rf"^{name}: .*{pattern}")


def test_a_signature_for_another_purpose_or_of_another_type(package, copies):
    listed = package.path("SHA256SUMS").read_bytes()
    package.path("SHA256SUMS.sig").write_text(sign_ssh(package.signer, "git", listed))
    rejected(package.verify(), 2, r"^SHA256SUMS.sig: the SSH signature is for 'git', not 'gaia-submission-v1'")
    second = copies("second")
    payload = base64.b64decode(second.json("attestation.dsse.json")["payload"])
    second.path("attestation.dsse.json").write_bytes(sign_dsse(second.signer, INTENT_TYPE, payload))
    rejected(second.verify(), 2, r"^attestation.dsse.json: the envelope holds 'application/vnd.gaia-harness.intent")
    third = copies("third")
    shutil.copy(third.path("intent.dsse.json"), third.path("attestation.dsse.json"))
    rejected(third.verify(), 2, r"^attestation.dsse.json: the envelope holds")


def attest(package: Package, change) -> None:
    value = json.loads(base64.b64decode(package.json("attestation.dsse.json")["payload"]))
    change(value)
    import rfc8785

    package.path("attestation.dsse.json").write_bytes(sign_dsse(package.signer, PAYLOAD_TYPE, rfc8785.dumps(value)))


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda value: value["subject"].pop(), 2),
        (lambda value: value["subject"][3]["digest"].update(sha256="0" * 64), 2),
        (lambda value: value["subject"].append({"name": "x", "digest": {"sha256": "0" * 64}}), 2),
        (lambda value: value.update(predicateType="urn:other:v1"), 2),
        (lambda value: value.update(_type="https://in-toto.io/Statement/v0.1"), 2),
        (lambda value: value["predicate"].update(dirty=["x"]), 7),
        (lambda value: value["predicate"]["pass_rate"].update(passed=99), 7),
        (lambda value: value["predicate"].update(identity="eve@example.org"), 7),
        (lambda value: value.update(more=1), 7),
    ],
)
def test_an_attestation_that_says_something_else(package, change, check):
    attest(package, change)
    rejected(package.verify(), check, r"^attestation.dsse.json: ")


@pytest.mark.parametrize(
    "raw", ["00" * 32, "01" + "00" * 31, "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"]
)
def test_a_key_for_which_one_signature_fits_everything(package, raw):
    found = sshsig.read_armored(package.path("SHA256SUMS.sig").read_text())
    weak = found.key[:-32] + bytes.fromhex(raw)
    text = sshsig.write_armored(sshsig.SshSignature(weak, found.namespace, found.signature))
    package.path("SHA256SUMS.sig").write_text(text)
    rejected(package.verify(), 2, r"^SHA256SUMS.sig: the public key (has a point of small order|is no point)")


# the set of files


def fifo(path: Path) -> None:
    os.mkfifo(path)


def link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def text(path: Path) -> None:
    path.write_text("x")


def folder(path: Path) -> None:
    path.mkdir()
    text(path / "inner")


@pytest.mark.parametrize(
    ("name", "make", "pattern"),
    [
        ("notes.txt", text, "notes.txt: a file that does not belong here"),
        (".hidden", text, ".hidden: a file that does not belong here"),
        ("Metadata.json", text, "Metadata.json: a double of metadata.json, written otherwise"),
        ("metadata.jſon", text, "a double of metadata.json"),
        ("ｌog.jsonl", text, "a double of log.jsonl"),
        ("re\u0301sults.jsonl", text, "a file that does not belong here"),
        ("new\nline", text, "a file that does not belong here"),
        ("prompts/readme", text, "prompts/readme: a file that does not belong here"),
        ("prompts/" + "A" * 64, text, "a file that does not belong here"),
        ("prompts/inner", folder, "prompts/inner: a folder that does not belong here"),
        ("more", folder, "more: a folder that does not belong here"),
        ("bodies", text, "bodies: is not a folder"),
        ("bodies", link, "bodies: is a link"),
        ("link", link, "link: is a link"),
        ("pipe", fifo, r"pipe: is not a plain file \(a device, pipe or socket\)"),
        ("prompts/" + "0" * 64, link, "is a link"),
        ("prompts/" + "0" * 64, text, "is not listed in SHA256SUMS"),
    ],
)  # fmt: skip
def test_something_that_does_not_belong_in_a_package(package, name, make, pattern):
    make(package.path(name))
    rejected(package.verify(), 1, pattern)


@pytest.mark.parametrize(("name", "make"), thoroughness.crossed(REQUIRED, [None, link, fifo, folder]))
def test_a_file_that_is_missing_or_something_else(package, name, make):
    package.path(name).unlink()
    if make is not None:
        make(package.path(name))
    rejected(package.verify(), 1, rf"^{re.escape(name)}: (is missing|is a link|is not a plain|a folder)")


def test_a_prompt_missing_exchanged_or_unnamed(package, copies):
    first, second, *_ = sorted(package.path("prompts").iterdir())
    first.unlink()
    package.sign_files()
    rejected(package.verify(), 5, rf"^prompts/{first.name}: is missing")
    exchanged = copies("exchanged")
    exchanged.path(f"prompts/{first.name}").write_bytes(second.read_bytes())
    exchanged.sign_files()
    rejected(exchanged.verify(), 5, rf"^prompts/{first.name}: its content does not have the hash in its name")
    unnamed = copies("unnamed")
    unnamed.path("prompts/" + "0" * 64).write_text("x")
    unnamed.sign_files()
    rejected(unnamed.verify(), 5, r"^prompts/0+: no step names it")


def test_a_full_output_missing_exchanged_or_unnamed(voted, other, world, tmp_path):
    first, second, *_ = sorted(voted.path("bodies").iterdir())
    first.unlink()
    voted.sign_files()
    rejected(voted.verify(), 5, rf"^bodies/{first.name}: is missing")
    for name, (content, fault) in {
        "exchanged": (second.read_bytes(), "its content does not have the hash in its name"),
        "cut": ((other / "bodies" / first.name).read_bytes()[:-4], "its content|not a zstd file"),
        "plain": (b"not compressed" * 20_000, "not a zstd file"),
        "longer": ((other / "bodies" / first.name).read_bytes() + b"and more" * 100, "not a zstd|has something"),
        "bomb": (zstandard.compress(bytes(300 << 20)), "unpacks to more than"),
    }.items():
        each = copy_of(other, tmp_path / name, world.signer)
        each.path(f"bodies/{first.name}").write_bytes(content)
        each.sign_files()
        verdict = each.verify()
        assert verdict.checks[0].status == "ok", verdict.checks[0]  # the list has the file as it is
        rejected(verdict, 5, rf"^bodies/{first.name}: ({fault})")
    unnamed = copy_of(other, tmp_path / "unnamed", world.signer)
    unnamed.path("bodies/" + "0" * 64 + ".zst").write_bytes(b"x")
    unnamed.sign_files()
    rejected(unnamed.verify(), 5, r"^bodies/0+.zst: no step names it")


def test_full_outputs_of_some_results_only(voted):
    def not_kept(value):
        step = next(step for step in value["steps"] if step["type"] == "tool_result")
        step["body"] = False

    edit_step(voted, 0, not_kept)
    voted.forge("log")
    rejected(voted.verify(), 5, r"^bodies/: has texts, and there are tool results without one")


def test_full_outputs_taken_away_are_missed(voted):
    shutil.rmtree(voted.path("bodies"))
    voted.sign_files()
    rejected(voted.verify(), 7, r"^metadata.json: full_bodies is not what the files give")


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("{sha}  ../outside\n", "'?../outside'?: a name that leads out of the package"),
        ("{sha}  /etc/hostname\n", "/etc/hostname: a name that leads out of the package"),
        ("{sha}  prompts/../log.jsonl\n", "prompts/../log.jsonl: a name that leads out of the package"),
        ("{sha}  zzz\n", "zzz: a file that does not belong here"),
        ("{sha}  SHA256SUMS\n", "SHA256SUMS cannot be in the list that it vouches for"),
        ("{sha}  log.jsonl\n", "log.jsonl stands twice, or not in order"),
        ("{sha}  trajectories.jsonl\n", "trajectories.jsonl stands twice, or not in order"),
        ("{sha} *log.jsonl\n", "not a line of sha256sum"),
        ("xyz\n", "not a line of sha256sum"),
        ("{sha}  trajectories.jsonl", "the line is cut short"),
        ("\n", "not a line of sha256sum"),
    ],
)
def test_a_list_that_we_would_not_write(package, line, pattern):
    path = package.path("SHA256SUMS")
    number = len(path.read_text().splitlines()) + 1
    path.write_text(path.read_text() + line.format(sha="0" * 64))
    package.path("SHA256SUMS.sig").write_text(sign_ssh(package.signer, NAMESPACE, path.read_bytes()))
    rejected(package.verify(), 1, rf"^SHA256SUMS:{number}: {pattern}")


def test_a_hash_in_the_list_that_was_changed(package):
    path = package.path("SHA256SUMS")
    path.write_text(re.sub(r"^.{64}  log.jsonl$", "0" * 64 + "  log.jsonl", path.read_text(), flags=re.M))
    verdict = package.verify()
    rejected(verdict, 1, r"^log.jsonl: its content is not what SHA256SUMS lists")
    rejected(verdict, 2, r"^SHA256SUMS.sig: the signature does not fit")
