"""Times, judges, costs and names of models: what a package says of them is held against its log and its steps."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from forging import Package, copy_of
from submitter import ADA

from chat_server import chat_reply, chat_server
from fakes import FakeModel
from gaia_command import gaia, lines
from gaia_harness.models.messages import Reply, Usage
from gaia_harness.records.config import RunConfig
from gaia_harness.records.steps import LlmCall
from gaia_harness.run import run_files, writer
from gaia_harness.run.runner import Stop
from gaia_harness.run.session import Session
from gaia_harness.signing.keys import KeyFolder
from gaia_harness.submission.costs import Costs, costs_of
from gaia_harness.submission.metadata_check import OF_VERSION_0_1
from gaia_layout import json_lines, row, write_layout

EARLY = "2026-01-02T03:04:05.678Z"


class Quiet:
    def finished(self, result, tally) -> None:
        pass


def of_version_0_1(package: Package) -> None:
    """Without what later runs have."""
    events = package.json_lines("log.jsonl")
    del events[0]["schema"], events[0]["concurrency"]
    package.set_json_lines("log.jsonl", events)
    entries = package.json_lines("ledger.jsonl")
    for entry in entries:
        if entry["run_id"] == events[0]["run_id"]:
            entry.pop("keeps_head", None)
    package.set_json_lines("ledger.jsonl", entries)
    said_by_another_version(package)


def said_by_another_version(package: Package) -> None:
    intent = package.intent()
    intent["source_sha256"] = "0" * 64
    package.set_intent(intent)


# a version that is claimed


def verdict_without(package: Package, name: str, field: str, kind: str):
    """Take a field away from every line of this kind, and sign again to the bottom what can be made good."""
    values = package.json_lines(name)
    for value in values:
        if kind in (value.get("event"), value.get("entry")):
            value.pop(field, None)
    package.set_json_lines(name, values)
    package.chain_log()
    package.sign_files()
    return package.verify()


@pytest.mark.parametrize(
    ("name", "kind", "field", "check", "said"),
    [
        ("log.jsonl", "run_started", "schema", 3, "log.jsonl:1: has a part of what a log of this schema begins with"),
        ("log.jsonl", "run_started", "concurrency", 3, "log.jsonl:1: has a part of what a log of this schema begins"),
        ("log.jsonl", "task_finished", "salted", 3, ": a result without a salt, as only version 0.1 wrote them"),
        ("ledger.jsonl", "intent", "keeps_head", 5, "ledger.jsonl:1: keeps no head of the log, as only version 0.1"),
    ],
)
def test_what_is_recorded_since_version_0_1_cannot_be_left_out_one_by_one(package, name, kind, field, check, said):
    verdict = verdict_without(package, name, field, kind)
    assert verdict.exit_code == 1
    assert said in verdict.checks[check].said


def test_a_resume_says_how_many_tasks_are_at_work(package):
    events = package.json_lines("log.jsonl")
    events.insert(1, {"event": "run_resumed", "seq": 1, "time": events[0]["time"], "healed": [], "concurrency": 1})
    package.set_json_lines("log.jsonl", events)
    line = verdict_without(package, "log.jsonl", "concurrency", "run_resumed").checks[3]
    assert line.said == "log.jsonl:2: does not say how many tasks are at work at once"


def test_this_very_program_is_not_version_0_1(package):
    source = package.intent()["source_sha256"]
    of_version_0_1(package)
    package.set_intent(package.intent() | {"source_sha256": source})
    package.forge("log")
    line = package.verify().checks[2]
    assert (line.status, line.said) == (
        "FAILED", "log.jsonl:1: names no schema, as only version 0.1 did, and intent.dsse.json names this very program"
    )  # fmt: skip


def test_a_log_of_version_0_1_in_a_ledger_of_a_later_one(package):
    entries = package.json_lines("ledger.jsonl")
    of_version_0_1(package)
    package.set_json_lines("ledger.jsonl", entries)
    package.forge("log")
    assert package.verify().checks[5].said == (
        "log.jsonl:1: names no schema, as only version 0.1 did, and ledger.jsonl:1 keeps its head"
    )


def test_whoever_claims_version_0_1_has_it_said(package):
    of_version_0_1(package)
    package.forge("log")
    verdict = package.verify()
    assert verdict.exit_code == 3
    assert verdict.notes == (OF_VERSION_0_1,)
    assert "  note       log.jsonl: begun by version 0.1, by its own word" in gaia("verify", package.folder).out


# times


def test_a_log_that_goes_back_in_time(package):
    events = package.json_lines("log.jsonl")
    events[5]["time"] = EARLY
    package.set_json_lines("log.jsonl", events)
    package.chain_log()
    package.sign_files()
    line = package.verify().checks[3]
    assert (line.status, line.said) == ("FAILED", "log.jsonl:6: is of an earlier time than a line before it")


def test_a_log_of_version_0_1_may_have_met_a_clock_that_was_set_back(package):
    of_version_0_1(package)
    package.forge("log")
    assert package.verify().notes == (OF_VERSION_0_1,)
    events = package.json_lines("log.jsonl")
    events[5]["time"] = events[7]["time"] = EARLY
    package.set_json_lines("log.jsonl", events)
    package.forge("log")
    verdict = package.verify()
    assert verdict.exit_code == 3  # nobody was named whom to believe
    assert verdict.notes == (
        "log.jsonl:6 and 1 more: an earlier time than before: a clock was set back, or times are not as they were",
        OF_VERSION_0_1,
    )


def test_a_log_of_a_schema_that_nobody_knows(package):
    events = package.json_lines("log.jsonl")
    events[0]["schema"] = "gaia-harness/log/99"
    package.set_json_lines("log.jsonl", events)
    package.chain_log()
    package.sign_files()
    assert package.verify().checks[3].said.startswith("log.jsonl:1: not an event: Invalid enum value")


def test_a_ledger_that_goes_back_in_time(package, world):
    run_id = package.json("metadata.json")["run_id"]
    entries = package.json_lines("ledger.jsonl")
    (end,) = [n for n, entry in enumerate(entries) if entry["run_id"] == run_id and entry["entry"] == "close"]
    entries[end]["time"] = EARLY
    package.set_json_lines("ledger.jsonl", entries)
    package.forge("ledger")
    line = package.verify().checks[5]
    said = f"ledger.jsonl:{end + 1}: is of an earlier time than a line before it"
    assert (line.status, line.said) == ("FAILED", said)


def test_entries_of_other_runs_may_be_of_version_0_1(voted):
    run_id = voted.json("metadata.json")["run_id"]
    entries = voted.json_lines("ledger.jsonl")
    other = max(n for n, entry in enumerate(entries) if entry["run_id"] != run_id)
    entries[other]["time"] = EARLY
    voted.set_json_lines("ledger.jsonl", entries)
    intent = voted.intent()
    voted.write_checkpoints("ledger.checkpoints", "ledger.jsonl", "x", [])
    intent["ledger"]["root"] = voted.write_checkpoints(
        "ledger.checkpoints", "ledger.jsonl", "x", [intent["ledger"]["size"]]
    )[intent["ledger"]["size"]]
    voted.set_intent(intent)
    voted.forge("log")
    verdict = voted.verify()
    assert verdict.checks[5].status == "ok", verdict.checks[5]
    assert [note.partition(": ")[0] for note in verdict.notes] == [f"ledger.jsonl:{other + 1}"]


def own_run(place: Path, model: FakeModel, *, config: dict | None = None, out: str = "run") -> Path:
    """A declared run with a model that lives in the test, over a data set of three tasks."""
    if not (place / "data").exists():
        write_layout(place / "data", {"2023/validation/metadata.jsonl": json_lines([row(n) for n in range(3)])})
        KeyFolder(place / "keys").create("submit", ADA)
    options = RunConfig(
        model=model.name, dataset=str(place / "data"), submit_intent=True, search_url="http://127.0.0.1:9",
        concurrency=1, **(config or {}),
    )  # fmt: skip
    env = {"GAIA_KEYS_DIR": str(place / "keys"), "GAIA_CACHE_DIR": str(place / "cache")}
    asyncio.run(Session(options, env, model=model).start(place / out, Quiet(), Stop()))
    return place / out


def packed(place: Path, run: Path, *options: str) -> Package:
    keys = {"GAIA_KEYS_DIR": str(place / "keys")}
    ran = gaia("submit", run, "--out", place / "package", "--allow-dirty", *options, **keys)
    assert ran.code == 0, ran.said
    return Package(place / "package", KeyFolder(place / "keys").signer("submit", env={}))


def test_whatever_the_clock_does_our_own_log_verifies(tmp_path, monkeypatch):
    """Set back at every look, from a moment that is still to come when the run is submitted."""
    moments = [datetime.now(UTC) + timedelta(hours=1)]

    def set_back() -> str:
        moments.append(moments[-1] - timedelta(seconds=7))
        return moments[-1].isoformat(timespec="milliseconds").replace("+00:00", "Z")

    monkeypatch.setattr(writer, "now", set_back)
    monkeypatch.setattr(run_files, "now", set_back)
    run = own_run(tmp_path, FakeModel("FINAL ANSWER: 1", name="openai/m"))
    assert len(moments) > 10
    times = [event["time"] for event in lines(run / "log.jsonl")]
    assert times == sorted(times)
    verdict = packed(tmp_path, run).verify()
    assert (verdict.exit_code, verdict.notes) == (3, ())


# the judge


def judged_by(package: Package, declared: str | None, asked: str) -> None:
    """Intent and facts name one judge, the log has another."""
    intent, metadata, events = package.intent(), package.json("metadata.json"), package.json_lines("log.jsonl")
    intent["judge_model"] = metadata["facts"]["judge_model"] = metadata["judge_model"] = declared
    for task in metadata["facts"]["tasks"]:
        task["judge"] = task["judge"] and (task["judge"] | {"model": asked} if declared else None)
    for event in events:
        if event["event"] == "judged":
            event["model"] = asked
    package.set_intent(intent)
    package.set_json("metadata.json", metadata)
    package.set_json_lines("log.jsonl", events)
    package.forge("log")


@pytest.mark.parametrize(
    ("declared", "asked", "whom"),
    [
        (None, "scripted/judge", "no judge"),
        ("scripted/judge", "openai/kind", "'scripted/judge'"),
        ("a/b", "a/b ", "'a/b'"),
    ],
)
def test_a_judge_that_was_not_declared(voted, declared, asked, whom):
    judged_by(voted, declared, asked)
    line = voted.verify().checks[3]
    assert line.status == "FAILED"
    first = next(n for n, event in enumerate(voted.json_lines("log.jsonl"), 1) if event["event"] == "judged")
    assert line.faults[0] == f"log.jsonl:{first}: judged by '{asked}', where intent.dsse.json names {whom}"


@pytest.mark.parametrize("change", [{"verdict": None}, {"cached": True}])
def test_a_judgment_that_the_log_does_not_have(voted, change):
    tasks = voted.json("metadata.json")["facts"]["tasks"]
    voted.edit_facts(0, judge=tasks[0]["judge"] | change)
    voted.forge("log")
    assert voted.verify().checks[3].said == (
        f"metadata.json: the judgment of '{tasks[0]['task_id']}' is not one that log.jsonl has"
    )


# costs


def priced(text: str, *, cached: int | None = None, served: str = "gpt-4o-2024-08-06") -> Reply:
    usage = Usage(input_tokens=1001, output_tokens=77, cached_input_tokens=cached)
    return Reply(text=text, tool_calls=(), stop_reason="stop", usage=usage, model=served, request_sha256="0" * 64)


@pytest.fixture(scope="module")
def bought(tmp_path_factory) -> Path:
    """The folder of a run that cost something; each of its three calls had another share of its input cached."""
    place = tmp_path_factory.mktemp("bought")
    said = [priced("FINAL ANSWER: 1", cached=cached) for cached in (0, 333, 1000)]
    packed(place, own_run(place, FakeModel(*said, name="openai/gpt-4o")))
    return place


@pytest.fixture
def costly(bought, tmp_path) -> Package:
    return copy_of(bought / "package", tmp_path / "copy", KeyFolder(bought / "keys").signer("submit", env={}))


def state_cost(package: Package, cost: float | None) -> None:
    package.edit_facts(0, cost_usd=cost)


def test_a_cost_is_what_its_tokens_cost(costly):
    costs = [task["cost_usd"] for task in costly.json("metadata.json")["facts"]["tasks"]]
    assert costs == [
        pytest.approx(((1001 - cached) * 2.5 + cached * 1.25 + 77 * 10) / 1e6) for cached in (0, 333, 1000)
    ]
    assert costly.verify().checks[4].status == "ok"


@pytest.mark.parametrize("factor", [0.0, 0.999999, 1.000001, 1000.0])
def test_a_cost_that_our_own_prices_do_not_give(costly, factor):
    cost = costly.json("metadata.json")["facts"]["tasks"][0]["cost_usd"]
    state_cost(costly, cost * factor)
    costly.forge("log")
    line = costly.verify().checks[4]
    assert line.status == "FAILED"
    assert (
        line.said
        == f"trajectories.jsonl:1: cost_usd is {cost * factor:g}, where its tokens cost {cost:g} by our prices"
    )


def test_a_cost_that_is_not_told_claims_nothing(costly):
    state_cost(costly, None)
    costly.forge("log")
    assert costly.verify().checks[4].status == "ok"


def test_another_version_may_have_had_other_prices(costly):
    said_by_another_version(costly)
    state_cost(costly, 0.5)
    costly.forge("log")
    verdict = costly.verify()
    assert verdict.checks[4].status == "ok"
    assert verdict.notes[0].startswith("trajectories.jsonl:1: cost_usd is 0.5, where its tokens cost 0.0032725 by our")


def without_cached(package: Package) -> None:
    """Steps as version 0.1 wrote them."""
    values = package.json_lines("trajectories.jsonl")
    for value in values:
        for step in value["steps"]:
            step.pop("tokens_cached", None)
    package.set_json_lines("trajectories.jsonl", values)
    of_version_0_1(package)


def test_what_version_0_1_did_not_record_may_have_been_cached(costly):
    without_cached(costly)
    costly.forge("log")
    assert not any("cost_usd" in note for note in costly.verify().notes)
    state_cost(costly, 0.002)  # less than if all of the input had been cached
    costly.forge("log")
    assert "or as little as 0.00202125 if they were cached, by our prices" in costly.verify().notes[0]


def test_a_cost_of_tokens_that_nobody_counted(costly):
    said_by_another_version(costly)
    values = costly.json_lines("trajectories.jsonl")
    values[0]["output_tokens"] = None
    for step in values[0]["steps"]:
        if step["type"] == "llm_call":
            step["tokens_out"] = None
    costly.set_json_lines("trajectories.jsonl", values)
    costly.edit_facts(0, output_tokens=None, cost_usd=0.1)
    costly.forge("log")
    line = costly.verify().checks[4]
    assert line.said == "trajectories.jsonl:1: cost_usd is 0.1, where the tokens of a call are not known"


def test_a_model_without_a_price_costs_nothing_that_we_know(package):
    values = package.json("metadata.json")["facts"]["tasks"]
    assert {value["cost_usd"] for value in values} == {0.0}  # the bundled model, whose price is nothing
    call = LlmCall(
        seq=0, attempt=1, turn=1, model="x", output_sha256="0" * 64, bytes=0, head="", truncated=False, redactions=0,
        tokens_in=10, tokens_out=1, stop_reason=None, latency_ms=0, response_id=None, thoughts=None,
    )  # fmt: skip
    assert costs_of("openai/unheard-of", [call]) is None
    assert costs_of("openai/gpt-4o", []) == Costs(0.0, 0.0)
    assert costs_of("openai/gpt-4o", [call]) == Costs(3.5e-05, 2.25e-05)
    assert costs_of("openai/gpt-4o", [msgspec.structs.replace(call, tokens_cached=11)]) is None


# names


def test_replies_that_give_another_name(tmp_path):
    """By the command line: what a server calls itself is told, as a line of its own and to programs."""

    def answer(request):
        reply = chat_reply("FINAL ANSWER: 1")
        return reply | {"model": "gpt-4o-2024-08-06\x1b[2J" if "room 0" in json.dumps(request) else "gpt-4o"}

    write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines([row(n) for n in range(3)])})
    KeyFolder(tmp_path / "keys").create("submit", ADA)
    keys = {"GAIA_KEYS_DIR": str(tmp_path / "keys"), "OPENAI_API_KEY": "k"}
    with chat_server(answer) as server:
        ran = gaia(
            "run", "--dataset", tmp_path / "data", "--model", "openai/gpt-4o", "--base-url", server.base_url,
            "--submit-intent", "--out", tmp_path / "run", **keys,
        )  # fmt: skip
    assert ran.code == 0, ran.said
    package = packed(tmp_path, tmp_path / "run")
    ran = gaia("verify", package.folder)
    said = r"asked for openai/gpt-4o, answered as gpt-4o-2024-08-06\x1b[2J (1 of 3 replies)"
    assert f"  note       {said}" in ran.out.splitlines()
    told = json.loads(gaia("verify", package.folder, "--json").out)
    assert told["served_models"] == {"gpt-4o-2024-08-06\x1b[2J": 1, "gpt-4o": 2}
    assert told["notes"] == [said.replace(r"\x1b", "\x1b")]


def test_replies_that_give_ever_other_names(costly):
    values = costly.json_lines("trajectories.jsonl")
    for value in values:
        step = next(step for step in value["steps"] if step["type"] == "llm_call")
        value["steps"] += [
            step | {"seq": len(value["steps"]) + n, "model": f"{value['task_id']}-{n}{'x' * 1000}"} for n in range(200)
        ]
        value["turns"], value["input_tokens"], value["output_tokens"] = 1, 1001 * 201, 77 * 201
    costly.set_json_lines("trajectories.jsonl", values)
    said_by_another_version(costly)
    for number in range(3):
        costly.edit_facts(number, input_tokens=1001 * 201, output_tokens=77 * 201, cost_usd=None)
    costly.forge("log")
    verdict = costly.verify()
    assert verdict.checks[4].status == "ok", verdict.checks[4]
    assert sum(verdict.served_models.values()) == 603
    assert len(verdict.served_models) == 21
    assert len(verdict.notes) == 1 and len(verdict.notes[0]) < 3000


def test_a_model_that_gives_its_own_name_is_nothing_to_say(package):
    verdict = package.verify()
    assert verdict.served_models.keys() == {"scripted/demo"}
    assert verdict.notes == ()
