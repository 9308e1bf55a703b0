"""A run that is meant to be submitted: declared before it begins, in the ledger for good, signed all along."""

import base64
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from chat_server import chat_reply, chat_server
from gaia_command import Started, gaia, killed_gaia, lines, summary, until
from gaia_harness.errors import EvidenceError
from gaia_harness.records.intent import task_list_sha256
from gaia_harness.records.ledger import CloseEntry, ledger_standing
from gaia_harness.signing.checkpoints import read_checkpoints
from gaia_harness.signing.intent import open_intent
from gaia_harness.signing.keys import KeyFolder
from gaia_harness.signing.ledger import Ledger, read_ledger
from gaia_harness.signing.signers import generate_signer
from gaia_layout import json_lines, row, write_layout
from loopback import Answer

TASKS = 3


@pytest.fixture
def place(tmp_path):
    """A data set, and keys of one's own."""
    return furnished(tmp_path)


def furnished(folder: Path) -> Path:
    rows = [row(n) for n in range(TASKS)]
    write_layout(folder / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})
    KeyFolder(folder / "keys").create("submit", "ada@example.org")
    return folder


def env(place: Path) -> dict[str, str]:
    return {"GAIA_KEYS_DIR": str(place / "keys"), "GAIA_CACHE_DIR": str(place / "cache")}


def arguments(place, server, out, *more):
    return (
        "run", "--dataset", place / "data", "--model", "openai/m", "--base-url", server.base_url, "--out", out,
        "--submit-intent", "--concurrency", "1", "--max-retries", "0", *more,
    )  # fmt: skip


def public(place: Path):
    return KeyFolder(place / "keys").existing("submit").public


def ledger_folder(place: Path) -> Path:
    return place / "keys" / "ledgers" / public(place).key_id


def right(request):
    number = request["messages"][1]["content"].split("room ")[1].rstrip("?")
    return chat_reply(f"FINAL ANSWER: {number} lanterns")


def test_intent_and_ledger_are_on_disk_before_the_first_model_call(place):
    out = place / "out"
    found = []

    def looking(request):
        if not found:
            log = lines(out / "log.jsonl")
            found.append(
                ((out / "intent.dsse.json").read_bytes(), read_ledger(ledger_folder(place), public(place))[1], log)
            )
        return right(request)

    with chat_server(looking) as server:
        ran = gaia(*arguments(place, server, out, "--seed", "5"), **env(place))
    assert ran.code == 0, ran.said
    assert "run 1 of 1 on this task list; submittable: yes" in ran.out
    [(envelope, entries, log)] = found
    intent, key = open_intent(envelope, [public(place)], where="intent")
    record = json.loads((out / "run.json").read_text())
    assert key == public(place)
    assert intent.run_id == record["run_id"] == log[0]["run_id"]
    assert intent.task_list_sha256 == task_list_sha256([f"task-{n}" for n in range(TASKS)])
    assert (intent.model, intent.seed, intent.voting_attempts, intent.gaia_split) == ("openai/m", 5, 1, "validation")
    assert intent.dataset_digest == record["dataset"]["digest"]
    assert [entry.intent_sha256 for entry in entries] == [hashlib.sha256(envelope).hexdigest()]
    assert log[0]["intent_sha256"] == hashlib.sha256(envelope).hexdigest()
    assert [event["event"] for event in log] == ["run_started", "attempt_started"]
    assert (out / "intent.dsse.json").read_bytes() == envelope
    _, entries = read_ledger(ledger_folder(place), public(place))
    assert entries[-1].status == "complete"
    points = read_checkpoints(out / "checkpoints", f"gaia-harness/run/{intent.run_id}", key=public(place))
    assert points[-1].size == entries[-1].log_size == len(lines(out / "log.jsonl"))
    assert points[-1].root.hex() == entries[-1].log_root


def test_without_a_key_the_command_that_makes_one_is_named(place):
    shutil.rmtree(place / "keys")
    with chat_server(right) as server:
        ran = gaia(*arguments(place, server, place / "out"), **env(place))
    assert ran.code == 1
    assert "gaia keys new" in ran.err
    assert server.seen == []
    assert not (place / "out").exists()


def killed(place, out):
    with chat_server(lambda request: Answer(delay=300)) as server:
        killed_gaia(*arguments(place, server, out), when=lambda: server.seen, **env(place))
        return server.base_url


def test_an_open_run_shows_and_can_be_closed_as_aborted(place):
    first, second = place / "first", place / "second"
    killed(place, first)
    with chat_server(right) as server:
        ran = gaia(*arguments(place, server, second), **env(place))
    assert ran.code == 0
    assert "1 other declared runs on this task list were never closed" in ran.err
    assert "run 2 of 2 on this task list, 1 never closed" in ran.out

    ran = gaia("run", "--abandon", first, **env(place))
    assert ran.code == 0, ran.said
    assert json.loads((first / "run.json").read_text())["state"] == "aborted"
    assert summary(first)["non_submittable_reasons"] == ["the run was abandoned"]
    assert lines(first / "log.jsonl")[-1]["status"] == "aborted"
    _, entries = read_ledger(ledger_folder(place), public(place))
    record = json.loads((second / "run.json").read_text())
    assert str(ledger_standing(entries, record["run_id"])) == "run 2 of 2 on this task list, 1 aborted"
    for option in ("--resume", "--abandon"):
        again = gaia("run", option, first, **env(place))
        assert again.code == 2
        assert "abandoned" in again.err or "aborted already" in again.err


def test_a_killed_run_is_resumed_under_the_same_intent_and_closed_once(place):
    out = place / "out"
    port = int(killed(place, out).rpartition(":")[2].split("/")[0])
    envelope = (out / "intent.dsse.json").read_bytes()
    record = json.loads((out / "run.json").read_text())
    with chat_server(right, port=port):
        ran = gaia("run", "--resume", out, **env(place))
    assert ran.code == 0, ran.said
    assert (out / "intent.dsse.json").read_bytes() == envelope
    _, entries = read_ledger(ledger_folder(place), public(place))
    assert [type(entry).__name__ for entry in entries] == ["IntentEntry", "ResumeEntry", "CloseEntry"]
    assert lines(out / "log.jsonl")[-1]["attempts"] == TASKS + 1
    assert record["run_id"] == entries[0].run_id


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda out: (out / "intent.dsse.json").write_bytes(b"{}"), "intent.dsse.json"),
        (lambda out: _flip(out / "checkpoints", b"\n1\n", b"\n2\n"), "checkpoint 1"),
        (lambda out: _flip(out / "checkpoints", "— gaia".encode(), "— gaja".encode()), "checkpoint 1"),
        (lambda out: _flip(out / "run.json", b'"max_turns": 30', b'"max_turns": 31'), "not the one that was declared"),
        (lambda out: (out / "intent.dsse.json").unlink(), "the intent of this run is missing"),
        (lambda out: (out / "checkpoints").unlink(), "the signed checkpoints of the log are missing"),
        (lambda out: [(out / name).unlink() for name in ("log.jsonl", "checkpoints")], "log.jsonl: the log of a run"),
        (lambda out: _flip(out / "run.json", b'"run_id": "', b'"run_id": "0'), "checkpoint 1"),
        (lambda out: _flip(out / "log.jsonl", b'"attempt":1', b'"attempt":2'), "log.jsonl:2"),
    ],
    ids=[
        "intent",
        "checkpoint",
        "signature",
        "config",
        "no intent",
        "no checkpoints",
        "no log",
        "run id",
        "log",
    ],
)
def test_a_changed_folder_is_not_resumed(place, spoil, said):
    out = place / "out"
    killed(place, out)
    spoil(out)
    ran = gaia("run", "--resume", out, **env(place))
    assert ran.code == 1, ran.said
    assert said in ran.err


def test_a_ledger_that_lost_earlier_runs_stops_the_resume(place):
    first, second = place / "first", place / "second"
    with chat_server(right) as server:
        assert gaia(*arguments(place, server, first), **env(place)).code == 0
    killed(place, second)
    shutil.rmtree(place / "keys" / "ledgers")
    ran = gaia("run", "--resume", second, **env(place))
    assert ran.code == 1
    assert "the ledger is not the one that was declared" in ran.err


@pytest.mark.parametrize("first", ["resume", "abandon"])
def test_a_copy_of_a_run_that_ended_cannot_be_run_to_another_end(place, first):
    out, copy = place / "out", place / "copy"
    port = int(killed(place, out).rpartition(":")[2].split("/")[0])
    shutil.copytree(out, copy)
    with chat_server(right, port=port):
        ended = gaia("run", f"--{first}", out, **env(place))
    assert ended.code == 0, ended.said
    again = gaia("run", "--resume", copy, **env(place))
    assert again.code == 1
    assert "the ledger has seen another log" in again.err


def test_a_log_that_was_cut_back_after_a_resume_is_refused(place):
    out = place / "out"
    killed(place, out)
    kept = {name: (out / name).read_bytes() for name in ("log.jsonl", "checkpoints")}
    start = Started("-m", "gaia_harness", "run", "--resume", out, **env(place))
    until(lambda: len(read_ledger(ledger_folder(place), public(place))[1]) > 1)
    start.kill()
    start.wait()
    for name, data in kept.items():
        (out / name).write_bytes(data)
    for name in ("results.jsonl", "trajectories.jsonl"):
        (out / name).write_bytes(b"")
    ran = gaia("run", "--resume", out, **env(place))
    assert ran.code == 1
    assert "cut back" in ran.err


def test_runs_under_a_retired_key_still_count(place):
    killed(place, place / "first")
    keys = KeyFolder(place / "keys")
    keys.retire("submit")
    keys.create("submit", "ada@example.org")
    with chat_server(right) as server:
        ran = gaia(*arguments(place, server, place / "second"), **env(place))
    assert ran.code == 0, ran.said
    assert "run 2 of 2 on this task list, 1 never closed" in ran.out


def test_an_entry_that_was_never_signed_is_signed_by_the_next(tmp_path):
    """Killed twice between entry and signature: were only the newest head signed, the ledger would be lost."""
    signer = generate_signer()
    ledger = Ledger(tmp_path / "ledger", signer, lambda: "2026-01-02T03:04:05.678Z")
    path = ledger.folder / "ledger.checkpoints"
    for size in range(1, 5):
        ledger.add(CloseEntry(run_id=f"run-{size}", status="aborted", log_size=1, log_root="00"))
        *blocks, _ = path.read_bytes().split(b"\n\n")
        path.write_bytes(b"".join(block + b"\n\n" for block in blocks[:-2]))
        assert read_ledger(ledger.folder, signer.public)[0].size == size


def test_a_run_killed_before_its_log_can_be_abandoned(place):
    out = place / "out"
    killed(place, out)
    for name in ("log.jsonl", "checkpoints", "results.jsonl", "trajectories.jsonl", "summary.json"):
        (out / name).unlink()
    ran = gaia("run", "--abandon", out, **env(place))
    assert ran.code == 0, ran.said
    assert json.loads((out / "run.json").read_text())["state"] == "aborted"
    assert not (out / "log.jsonl").exists()  # a log begins with run_started, or not at all


def test_another_key_cannot_resume_the_run(place):
    out = place / "out"
    killed(place, out)
    keys = KeyFolder(place / "keys")
    keys.retire("submit")
    keys.create("submit", "eve@example.org")
    ran = gaia("run", "--resume", out, **env(place))
    assert ran.code == 1
    assert "checkpoint 1" in ran.err


def _flip(path, old, new):
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    made = furnished(tmp_path_factory.mktemp("two-runs"))
    for name in ("a", "b"):
        with chat_server(right) as server:
            assert gaia(*arguments(made, server, made / name), **env(made)).code == 0
    return made


@pytest.fixture
def two_runs(made_once, tmp_path):
    return shutil.copytree(made_once, tmp_path / "copy")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda rows: rows.pop(0),
        lambda rows: rows.__delitem__(slice(2, 4)),
        lambda rows: rows.__setitem__(1, rows[1].replace(b"complete", b"aborted!")),
        lambda rows: rows.__setitem__(slice(0, 2), [rows[1], rows[0]]),
        lambda rows: rows.append(rows[-1].replace(b'"seq":3', b'"seq":4')),
        lambda rows: rows.__setitem__(0, b"garbage\n"),
    ],
    ids=["first left out", "last run left out", "changed", "swapped", "repeated", "garbage"],
)
def test_a_ledger_that_was_changed_is_refused(two_runs, spoil):
    path = ledger_folder(two_runs) / "ledger.jsonl"
    rows = path.read_bytes().splitlines(True)
    assert len(rows) == 4
    spoil(rows)
    path.write_bytes(b"".join(rows))
    if len(rows) == 5:  # one entry beyond the last signed head is what a killed process leaves; two are not
        rows.append(rows[-1].replace(b'"seq":4', b'"seq":5'))
        path.write_bytes(b"".join(rows))
    with pytest.raises(EvidenceError, match=r"ledger.jsonl:\d"):
        read_ledger(ledger_folder(two_runs), public(two_runs))


def test_a_ledger_signed_by_a_stranger_is_refused(two_runs):
    keys = KeyFolder(two_runs / "other")
    keys.create("submit", "eve@example.org")
    with pytest.raises(EvidenceError, match="checkpoint 1"):
        read_ledger(ledger_folder(two_runs), keys.existing("submit").public)


def test_a_read_only_key_folder_or_ledger_stops_before_any_model_is_called(place):
    """What cannot be declared is not begun."""
    ledger = ledger_folder(place)
    ledger.parent.mkdir(parents=True)
    ledger.write_text("a file where the folder should be")
    with chat_server(right) as server:
        ran = gaia(*arguments(place, server, place / "out"), **env(place))
    assert ran.code == 1
    assert str(ledger) in ran.err
    assert server.seen == []


def test_the_intent_is_readable_with_stock_tools(place):
    """DSSE: the payload is base64 JSON, the signature is over `DSSEv1 …`, and openssl verifies it."""
    with chat_server(right) as server:
        assert gaia(*arguments(place, server, place / "out"), **env(place)).code == 0
    envelope = json.loads((place / "out" / "intent.dsse.json").read_text())
    payload, kind = base64.b64decode(envelope["payload"]), envelope["payloadType"]
    signed = f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload
    (place / "signed").write_bytes(signed)
    (place / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    der = bytes.fromhex("302a300506032b6570032100") + public(place).raw
    (place / "key.der").write_bytes(der)
    assert hashlib.sha256(der).hexdigest() == envelope["signatures"][0]["keyid"]
    done = subprocess.run(
        ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey", place / "key.der",
         "-in", place / "signed", "-sigfile", place / "sig"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
