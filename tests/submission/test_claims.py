"""What a package claims must be what its other files say, also where the holder of the key has signed it all again."""

import json
import re

import pytest
from submitter import AT

from gaia_command import gaia
from gaia_harness.audit.report import ThirdPartyCheck
from gaia_harness.signing.allowed_signers import parse_allowed_signers
from gaia_harness.submission.checks import Fault, check_third_parties
from gaia_harness.submission.package import SubmissionRefused, build
from gaia_harness.submission.verdict import Trust, verify

ENVELOPE = "attestation.dsse.json"


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"{", b"{ ", 1),
        lambda data: data + b"\n",
        lambda data: data + b" " * (9 << 20),
        lambda data: data.replace(b'"payload"', b'"\\u0070ayload"'),
        lambda data: json.dumps(dict(reversed(json.loads(data).items())), separators=(",", ":")).encode(),
    ],
    ids=["a blank within", "a line behind", "9 MB behind", "an escape", "another order"],
)
def test_bytes_around_what_the_attestation_says_are_not_free_to_change(package, change):
    path = package.path(ENVELOPE)
    path.write_bytes(change(path.read_bytes()))
    verdict = package.verify()
    assert verdict.exit_code == 1
    assert verdict.checks[1].status == "FAILED"
    assert verdict.checks[1].said.startswith(f"{ENVELOPE}: the envelope is not written as it must be")


@pytest.mark.parametrize("time", ["2026-91-15T13:16:46Z", "0000-00-00T00:00:00Z", "2026-11-15T25:00:00Z", "NaN"])
def test_a_time_that_no_calendar_has(package, world, run, tmp_path, time):
    metadata = package.path("metadata.json")
    metadata.write_text(metadata.read_text().replace(AT, time))
    verdict = package.verify()
    assert verdict.exit_code == 1
    assert verdict.identity is None
    package.sign_files()
    fault = package.verify().checks[6].said
    assert fault == f"metadata.json: submitted_at '{time}' is not a time as we write it"
    ran = gaia("submit", run, "--out", tmp_path / "p", "--submitted-at", time, **world.env)
    assert ran.code == 2
    assert f"not a time: '{time}'" in ran.err


def test_times_of_log_and_ledger_are_times(package):
    events = package.json_lines("log.jsonl")
    events[3]["time"] = "2026-02-30T00:00:00Z"
    package.set_json_lines("log.jsonl", events)
    package.chain_log()
    package.sign_files()
    assert package.verify().checks[3].said == "log.jsonl:4: '2026-02-30T00:00:00Z' is not a time as we write it"


def test_entries_of_the_ledger_have_times(package):
    entries = package.json_lines("ledger.jsonl")
    entries[0]["time"] = "yesterday"
    package.set_json_lines("ledger.jsonl", entries)
    package.forge("ledger")
    assert package.verify().checks[5].said == "ledger.jsonl:1: 'yesterday' is not a time as we write it"


@pytest.mark.parametrize(
    ("claim", "check", "fault"),
    [
        ({"attempts": 0}, 4, r"^metadata.json: 0 attempts at '.*', and log.jsonl:\d+ ends 1$"),
        ({"turns": 1}, 5, r"^trajectories.jsonl:\d+: turns is not what the facts say$"),
        ({"input_tokens": 1}, 5, r"^trajectories.jsonl:\d+: input_tokens is not what the facts say$"),
        ({"output_tokens": None}, 5, r"^trajectories.jsonl:\d+: output_tokens is not what the facts say$"),
        ({"tools_used": ["abacus"]}, 5, r"^trajectories.jsonl:\d+: tools_used is not what the facts say$"),
    ],
    ids=["attempts", "turns", "input_tokens", "output_tokens", "tools_used"],
)
def test_work_that_the_log_or_the_steps_do_not_have(package, claim, check, fault):
    package.edit_facts(2, **claim)
    package.forge("log")
    line = package.verify().checks[check - 1]
    assert line.status == "FAILED"
    assert any(re.search(fault, each) for each in line.faults), line.faults


def test_a_cost_below_nothing(package):
    value = package.json("metadata.json")
    value["facts"]["tasks"][0]["cost_usd"] = -101.5
    package.set_json("metadata.json", value)
    assert re.search(r"metadata.json: Expected `float` >= 0", package.verify().checks[6].said)


def test_a_restart_that_the_ledger_does_not_know(package):
    events = package.json_lines("log.jsonl")
    events.insert(4, {"event": "run_resumed", "seq": 0, "time": events[3]["time"], "healed": [], "concurrency": 4})
    package.set_json_lines("log.jsonl", events)
    package.forge("log")
    verdict = package.verify()
    assert verdict.exit_code == 1
    assert verdict.checks[5].said == "log.jsonl:5: the run was resumed, and ledger.jsonl does not say so"


def test_a_restart_before_anything_was_done_need_not_be_in_the_ledger(package):
    """The run may have been killed between its first line and its entry there."""
    events = package.json_lines("log.jsonl")
    events.insert(1, {"event": "run_resumed", "seq": 0, "time": events[0]["time"], "healed": [], "concurrency": 4})
    package.set_json_lines("log.jsonl", events)
    package.forge("log")
    assert package.verify().checks[5].status == "ok"


def test_a_forgery_is_announced_as_nobody_s(package, world):
    """Somebody else's public key is no secret: where its signature does not hold, its owner is not named."""
    signature = package.path("SHA256SUMS.sig")
    lines = signature.read_text().splitlines(keepends=True)
    lines[3] = lines[3].swapcase()
    signature.write_text("".join(lines))
    trust = Trust(signers=parse_allowed_signers(world.allowed.read_text()))
    verdict = package.verify(trust=trust)
    assert verdict.exit_code == 1
    assert (verdict.identity, verdict.fingerprint, verdict.passed) == (None, None, None)
    assert verdict.authentication == "nobody: no signature holds"


def test_a_package_that_calls_its_signer_by_another_name(package, world):
    value = package.json("metadata.json")
    value["submitter"]["identity"] = "openai@openai.com"
    package.set_json("metadata.json", value)
    package.make_metadata()
    package.sign_files()
    signers = parse_allowed_signers(world.allowed.read_text())
    verdict = package.verify(trust=Trust(signers=signers))
    assert verdict.exit_code == 3
    assert "the package calls its signer 'openai@openai.com': give --identity ada@example.org" in verdict.authentication
    assert package.verify(trust=Trust(signers=signers, identity="ada@example.org")).exit_code == 0


def test_tasks_that_were_chosen_are_said_to_be(whole, package):
    assert "13 tasks (not all of the split; chosen: level 1)" in (whole / "README.md").read_text()
    assert "13 tasks (chosen: level 1)" in package.verify().checks[2].said


def test_runs_on_other_task_lists_are_counted(other):
    """Else a list that differs by one task would make every run the first of its kind."""
    said = json.loads((other / "metadata.json").read_bytes())["standing"]["said"]
    assert re.fullmatch(r"run 1 of 1 on this task list; [1-9] on other task lists", said), said


def test_a_waiver_lets_a_run_be_packed_and_no_stranger_take_it_for_clean(met_a_leak, tmp_path):
    with pytest.raises(SubmissionRefused) as refused:
        build(met_a_leak.evidence, tmp_path / "p", met_a_leak.submission())
    assert refused.value.reasons == ("audit: AUD-1 answer-leakage: 1 critical or high",)
    waiver = met_a_leak.waiver
    build(met_a_leak.evidence, tmp_path / "p", met_a_leak.submission(waiver))
    verdict = verify(tmp_path / "p", trust=met_a_leak.trust)
    assert verdict.exit_code == 4
    said = f"waived by Bo: AUD-1 {waiver.rule} of {waiver.task_id}: {waiver.reason}"
    assert verdict.dirty == (said,)
    assert said in (tmp_path / "p" / "README.md").read_text()
    assert verify(tmp_path / "p", trust=met_a_leak.trust, accept_dirty=True).exit_code == 0


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [("harness_gaps", ["AUD-1: nothing"], "attestation"), ("threat_model", ["no cheating is possible"], None)],
)
def test_a_report_that_says_otherwise_what_it_covers(package, name, value, part):
    report = package.json("audit-report.json")
    (report if part is None else report[part])[name] = value
    package.set_json("audit-report.json", report)
    package.make_metadata()
    package.sign_files()
    said = package.verify().checks[6].said
    assert said.startswith(f"audit-report.json: {'' if part is None else f'{part}.'}{name} is not what the files give")


@pytest.mark.parametrize(
    "invented",
    [
        ThirdPartyCheck(name="AUD-1", package="gaia-harness", version="0.2.0", status="pass"),
        ThirdPartyCheck(name="moon", package="acme", version="1", status="error", error="AUD-1 is out of order"),
    ],
    ids=lambda check: check.name,
)
def test_a_report_with_a_check_that_nobody_can_repeat(package, invented):
    package.make_report(third_party=(invented,))
    package.sign_files()
    verdict = package.verify()
    assert verdict.exit_code == 1
    assert "audit-report.json: third_party is not what the files give (nothing)" in verdict.checks[6].said


def test_a_report_with_an_empty_list_of_such_checks(package):
    package.make_report(third_party=())
    package.sign_files()
    assert package.verify().exit_code == 1


@pytest.mark.parametrize(
    ("model", "tools", "isolation", "fault"),
    [
        (None, ["word_count"], {}, "does not say where the 'tool word_count' of the options comes from"),
        ("parrot/polite", None, {}, "does not say where the 'model parrot' of the options comes from"),
        (None, None, {"tool moon": "acme 1"}, "isolation has the 'tool moon', which is not among the options"),
        (None, 7, {"tool 7": "acme 1"}, "isolation has the 'tool 7', which is not among the options"),
        (None, ["moon"], {"tool moon": "acme 1"}, None),
        ("parrot/polite", None, {"model parrot": "acme 1"}, None),
        (None, None, {"model scripted": "the program that ran the tasks"}, None),
    ],
)
def test_where_models_and_tools_of_others_come_from_is_said(model, tools, isolation, fault):
    options = {"model": model or "scripted/demo", "judge_model": None} | ({} if tools is None else {"tools": tools})
    if fault is None:
        check_third_parties(options, isolation)
        return
    with pytest.raises(Fault) as caught:
        check_third_parties(options, isolation)
    assert fault in str(caught.value)


def test_a_tool_in_the_facts_that_the_intent_does_not_have(package):
    metadata = package.json("metadata.json")
    metadata["facts"]["isolation"]["tool moon"] = "acme 1"
    package.set_json("metadata.json", metadata)
    package.forge("metadata")
    verdict = package.verify()
    assert verdict.exit_code == 1
    assert "isolation has the 'tool moon', which is not among the options" in verdict.checks[2].said
