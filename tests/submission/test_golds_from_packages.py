"""A package tells which answers are wrong, and nobody learns from it what would have been right."""

import hashlib
import json
import re
import shutil
from pathlib import Path

import msgspec
import pytest
from gold_guessing import Known, confirmed, constructions, texts_in
from submitter import AT

import thoroughness
from chat_server import chat_reply, chat_server
from gaia_command import gaia, lines
from gaia_harness.run.resume import load_resume_state
from gaia_harness.signing.keys import KeyFolder
from gaia_harness.signing.signers import LocalSigner

OLD = Path(__file__).parent / "data" / "run-0.1"
"""A run of version 0.1: task 0 right, task 1 wrong, task 2 wrong with a judgment tampered with, task 3 unanswered."""

SIGNER = LocalSigner(hashlib.sha256(b"a key of the tests for a run of version 0.1").digest())
GOLDS = {f"task-{n}": gold for n, gold in enumerate(["0 lanterns", "37", "amber heron", "Qaraqum"])}
WRONG = {task_id: gold for task_id, gold in GOLDS.items() if task_id != "task-0"}
WARNING = "the gold answers of 3 tasks that it did not get right can be worked out from hashes in log.jsonl"


@pytest.fixture(scope="module")
def known():
    rows = lines(OLD / "data" / "2023" / "validation" / "metadata.jsonl")
    return Known(
        questions={row["task_id"]: row["Question"] for row in rows},
        golds=dict(GOLDS),
        steps={row["task_id"]: row["Annotator Metadata"]["Steps"] for row in rows},
    )


def dictionary(gold):
    """Numbers, words, and among them the gold."""
    return [*map(str, range(60 if thoroughness.asked else 1)), "blue heron", gold]


def guessed(package, known):
    """What an attacker learns, task by task: the gold, or nothing."""
    found = {}
    for task_id, gold in WRONG.items():
        hits = confirmed(package, known, task_id, dictionary(gold))
        assert hits.keys() <= {gold}, f"the attack is wrong about {task_id}: {hits}"
        if hits:
            found[task_id] = hits[gold]
    return found


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Ada's keys, with the ledger of the old run."""
    place = tmp_path_factory.mktemp("home")
    keys = KeyFolder(place / "keys")
    keys.path.mkdir(mode=0o700)
    for name, data, mode in (
        ("submit_ed25519", SIGNER.private_openssh(None), 0o600),
        ("submit_ed25519.pub", f"{SIGNER.public.openssh('ada@example.org')}\n".encode(), 0o644),
    ):
        (keys.path / name).write_bytes(data)
        (keys.path / name).chmod(mode)
    shutil.copytree(OLD / "ledger", keys.path / "ledgers" / SIGNER.public.key_id)
    return place


def env(home):
    return {"GAIA_KEYS_DIR": str(home / "keys"), "GAIA_CACHE_DIR": str(home / "cache")}


@pytest.fixture(scope="module")
def old(home):
    """The run of version 0.1, packed by the program of today."""
    shutil.copytree(OLD, home / "old")
    ran = gaia(
        "submit", home / "old" / "run", "--out", home / "old-package", "--allow-dirty", "--submitted-at", AT,
        "--dataset", OLD / "data", **env(home),
    )  # fmt: skip
    assert ran.code == 0, ran.said
    return home / "old-package", ran


def answering(request):
    number = int(re.search(r"in room (\d+)\?", json.dumps(request["messages"]))[1])
    return chat_reply("I do not know." if number == 3 else f"FINAL ANSWER: {number} lanterns")


def options(home, name, server):
    return (
        "run", "--dataset", OLD / "data", "--model", "openai/agent", "--base-url", server.base_url,
        "--judge-model", "scripted/judge", "--max-turns", "2", "--out", home / name,
    )  # fmt: skip


@pytest.fixture(scope="module")
def new(home):
    """The same run today, with a judgment tampered with, and its package."""
    with chat_server(answering) as server:
        assert gaia(*options(home, "first", server), **env(home)).code == 0
        [entry] = [path for path in (home / "cache").rglob("*.json") if "amber heron" in path.read_text()]
        entry.write_text(entry.read_text().replace('"verdict": false', '"verdict": true'))
        ran = gaia(*options(home, "run", server), "--submit-intent", **env(home))
        assert "1 entry was not as it was signed" in ran.out, ran.said
    ran = gaia("submit", home / "run", "--out", home / "package", "--allow-dirty", "--submitted-at", AT, **env(home))
    assert ran.code == 0, ran.said
    return home / "package", ran


def test_no_hash_in_a_package_confirms_a_guess_at_a_gold(new, known):
    package, ran = new
    assert {e["event"] for e in lines(package / "log.jsonl")} >= {"judged", "integrity_event", "task_finished"}
    assert guessed(package, known) == {}
    assert "worked out" not in ran.said
    assert "worked out" not in (package / "README.md").read_text()


def test_no_gold_of_a_wrong_answer_stands_in_a_package(new):
    package, _ = new
    for text in texts_in(package):
        for gold in ("amber heron", "Qaraqum"):
            assert gold.encode() not in text


def test_the_same_attack_learns_every_gold_from_a_log_of_0_1(old, known):
    package, ran = old
    found = guessed(package, known)
    assert found.keys() == WRONG.keys()
    assert all("result line" in names for names in found.values())
    assert "plain" in found["task-2"]  # the key of its judgment, in the event that says it was tampered with
    assert WARNING in ran.err
    assert "Keep this package private" in ran.err
    readme = (package / "README.md").read_text()
    assert "## Keep this package private" in readme and WARNING[1:] in readme
    said = gaia("verify", package, "--json", GAIA_KEYS_DIR="/nonexistent")
    assert said.code == 3, said.said
    assert "can be worked out" in json.loads(said.out)["checks"][3]["said"]


def test_the_report_of_0_1_gave_away_an_answer_by_the_hash_of_the_answer_key(new, known, tmp_path):
    shutil.copytree(new[0], tmp_path / "package")
    shutil.copy(OLD / "audit-report.json", tmp_path / "package" / "audit-report.json")
    assert guessed(tmp_path / "package", known) == {key: {"answer key"} for key in WRONG}


def test_the_attack_sees_whatever_it_can_construct(new, known, tmp_path):
    shutil.copytree(new[0], tmp_path / "package")
    told = json.loads((tmp_path / "package" / "metadata.json").read_bytes())["facts"]["tasks"][1]
    planted = dict(constructions(known, told, "37"))
    assert planted.keys() == {"plain", "result line", "Merkle leaf", "judge's prompt", "answer key"}
    for name, data in planted.items():
        (tmp_path / "package" / "planted.json").write_text(f'{{"a": "{hashlib.sha256(data).hexdigest()}"}}')
        assert confirmed(tmp_path / "package", known, "task-1", dictionary("37")) == {"37": {name}}


def test_each_result_at_home_has_a_salt_of_its_own_that_no_package_has(new, home):
    package, _ = new
    results, events = lines(home / "run" / "results.jsonl"), lines(home / "run" / "log.jsonl")
    salts = {line["salt"] for line in results}
    assert len(salts) == len(results) == 4
    assert all(re.fullmatch("[0-9a-f]{64}", salt) for salt in salts)
    written = (home / "run" / "results.jsonl").read_bytes().splitlines()
    finished = [event for event in events if event["event"] == "task_finished"]
    assert [hashlib.sha256(line).hexdigest() for line in written] == [event["result_sha256"] for event in finished]
    assert all(event["salted"] is True for event in finished)
    for text in texts_in(package):
        assert not any(salt.encode() in text for salt in salts)


def test_a_run_of_0_1_is_picked_up_as_it_was(tmp_path):
    shutil.copytree(OLD / "run", tmp_path / "run")
    run_id = json.loads((OLD / "run" / "run.json").read_bytes())["run_id"]
    left = load_resume_state(tmp_path / "run", f"gaia-harness/run/{run_id}", key=SIGNER.public)
    assert [result.expected_output for result in left.results] == list(GOLDS.values())
    assert all(result.salt is msgspec.UNSET for result in left.results)
    written = (OLD / "run" / "results.jsonl").read_bytes().splitlines()
    assert [msgspec.json.encode(result) for result in left.results] == written


def test_what_a_resume_adds_to_a_run_of_0_1_is_salted(home, tmp_path):
    """Without an intent, as a declared run goes on only with the program that declared it."""
    shutil.copytree(OLD / "run", tmp_path / "run")
    (tmp_path / "run" / "intent.dsse.json").unlink()
    record = json.loads((tmp_path / "run" / "run.json").read_bytes())
    record["state"], record["config"]["submit_intent"] = "interrupted", False
    record["config"]["dataset"] = str(OLD / "data")
    (tmp_path / "run" / "checkpoints").unlink()
    kept = (tmp_path / "run" / "log.jsonl").read_bytes().splitlines(keepends=True)[:14]  # three tasks are done
    (tmp_path / "run" / "log.jsonl").write_bytes(b"".join(kept))
    for name in ("results.jsonl", "trajectories.jsonl"):
        done = (tmp_path / "run" / name).read_bytes().splitlines(keepends=True)[:3]
        (tmp_path / "run" / name).write_bytes(b"".join(done))
    with chat_server(answering) as server:
        record["config"]["base_url"] = server.base_url
        (tmp_path / "run" / "run.json").write_text(json.dumps(record))
        ran = gaia("run", "--resume", tmp_path / "run", **env(home))
    assert ran.code == 0, ran.said
    assert ["salt" in line for line in lines(tmp_path / "run" / "results.jsonl")] == [False, False, False, True]
    finished = [event for event in lines(tmp_path / "run" / "log.jsonl") if event["event"] == "task_finished"]
    assert ["salted" in event for event in finished] == [False, False, False, True]
