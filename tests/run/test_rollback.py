"""Best of N within one declared run: a folder that was put back is refused, or disclosed. A crash is neither."""

import base64
import contextlib
import json
import os
import shutil
import signal
import threading
from pathlib import Path

import pytest

from chat_server import chat_reply, chat_server
from gaia_command import Started, gaia, killed_gaia, lines, python, summary, until
from gaia_harness.signing.keys import KeyFolder
from gaia_harness.signing.ledger import read_ledger
from gaia_layout import json_lines, row, write_layout

TASKS = 3
DRIVER = Path(__file__).with_name("run_driver.py")


@pytest.fixture
def place(tmp_path):
    rows = [row(n) for n in range(TASKS)]
    write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})
    KeyFolder(tmp_path / "keys").create("submit", "ada@example.org")
    (tmp_path / "signers").write_text(KeyFolder(tmp_path / "keys").existing("submit").allowed_signer().line() + "\n")
    return tmp_path


def env(place):
    return {"GAIA_KEYS_DIR": str(place / "keys"), "GAIA_CACHE_DIR": str(place / "cache")}


def ledger(place):
    public = KeyFolder(place / "keys").existing("submit").public
    return place / "keys" / "ledgers" / public.key_id


def entries(place):
    return read_ledger(ledger(place), KeyFolder(place / "keys").existing("submit").public)[1]


def head(place, out):
    return ledger(place) / "open" / json.loads((out / "run.json").read_text())["run_id"] / "head"


class Model:
    """Answers so many tasks, rightly or not, and lets the next one wait until it is released."""

    def __init__(self):
        self.answers, self.right, self.released = 0, True, threading.Event()

    def __call__(self, request):
        if self.answers:
            self.answers -= 1
        else:
            self.released.wait(20)
        number = request["messages"][1]["content"].split("room ")[1].rstrip("?")
        return chat_reply(f"FINAL ANSWER: {number if self.right else 0} lanterns")


@pytest.fixture
def model():
    return Model()


@pytest.fixture
def server(model):
    with chat_server(model) as server:
        yield server


def start(place, server, out):
    return (
        "run", "--dataset", place / "data", "--model", "openai/m", "--base-url", server.base_url, "--out", out,
        "--submit-intent", "--concurrency", "1", "--max-retries", "0",
    )  # fmt: skip


def killed(place, server, model, arguments, *, answers):
    """`gaia …`, killed when the model has given so many answers and is asked for the next."""
    model.answers = answers
    before = len(server.seen)
    killed_gaia(*arguments, when=lambda: len(server.seen) > before + answers, **env(place))


@pytest.mark.parametrize("answers", [0, 1, 2])
def test_a_folder_that_was_put_back_is_refused(place, server, model, answers):
    """Start, copy, resume, look at the results, kill, put the copy back, resume. Also before any task is done."""
    out, copy = place / "out", place / "copy"
    killed(place, server, model, start(place, server, out), answers=0)
    shutil.copytree(out, copy)
    killed(place, server, model, ("run", "--resume", out), answers=answers)
    shutil.rmtree(out)
    shutil.copytree(copy, out)
    asked, before = len(server.seen), (out / "log.jsonl").read_bytes()
    ran = gaia("run", "--resume", out, **env(place))
    assert ran.code == 1
    assert f"{out}: this folder is an old copy or was cut back: its log has 2 lines, and" in ran.err
    assert f"gaia run --resume {out} --accept-rollback, which is signed, disclosed, and not clean" in ran.err
    assert (out / "log.jsonl").read_bytes() == before
    assert len(server.seen) == asked


@pytest.fixture(params=["begun", "resumed"])
def copied(place, server, model, request):
    """A run that is at work on its first task, and a copy of its folder as it is at that moment."""
    arguments = start(place, server, place / "out")
    if request.param == "resumed":
        killed(place, server, model, arguments, answers=0)
        arguments = ("run", "--resume", place / "out")
    before = len(server.seen)
    process = Started("-m", "gaia_harness", *arguments, **env(place))
    until(lambda: len(server.seen) > before)
    os.kill(process.pid, signal.SIGSTOP)
    shutil.copytree(place / "out", place / "copy")
    os.kill(process.pid, signal.SIGCONT)
    yield process
    with contextlib.suppress(ProcessLookupError):  # a test has killed it
        process.kill()
        process.wait()


def test_a_copy_made_in_one_process_is_refused_too(place, server, model, copied):
    """Best of N in one declared run: the ledger has seen no resume between the copy and the going back to it.

    Who is let go on can copy the folder again as soon as the resume is in the ledger, and so try as often as they like.
    """
    before = len(server.seen)
    model.answers = 1  # and the one that waits
    model.released.set()
    model.released = threading.Event()
    until(lambda: len(server.seen) >= before + 2)
    copied.kill()
    copied.wait()
    assert len(lines(place / "out" / "results.jsonl")) == 2
    model.answers = TASKS
    ran = gaia("run", "--resume", place / "copy", **env(place))
    assert ran.code == 1
    assert "this folder is an old copy or was cut back" in ran.err


def test_two_copies_of_a_run_are_not_at_work_at_once(place, server, model, copied):
    second = gaia("run", "--resume", place / "copy", **env(place))
    assert second.code == 1
    assert "another process is at work on this run, in a copy of its folder" in second.err


def rolled_back(place, server, model):
    """A run that was put back behind a resume that the ledger has seen, and went on from there."""
    out, copy = place / "out", place / "copy"
    killed(place, server, model, start(place, server, out), answers=0)
    shutil.copytree(out, copy)
    model.right = False
    killed(place, server, model, ("run", "--resume", out), answers=2)
    seen = len(lines(out / "log.jsonl"))
    model.answers, model.right = TASKS, True
    ran = gaia("run", "--resume", copy, "--accept-rollback", **env(place))
    return copy, seen, ran


def test_an_accepted_rollback_is_disclosed_everywhere(place, server, model):
    run, seen, ran = rolled_back(place, server, model)
    said = f"resumed 1 time, 1 attempt begun and not finished, rolled back from {seen} lines to 2"
    reason = f"the log was rolled back from {seen} lines to 2"
    assert ran.code == 3, ran.said
    assert said in ran.out
    assert reason in ran.err
    assert summary(run)["interruptions"]["rollbacks"] == [{"kept": 2, "seen": seen}]
    assert summary(run)["non_submittable_reasons"] == [reason]
    assert lines(run / "log.jsonl")[2]["rollback"] == {"kept": 2, "seen": seen}
    assert [getattr(entry, "rollback", None) for entry in entries(place)][2].seen == seen

    package = place / "package"
    refused = gaia("submit", run, "--out", package, **env(place))
    assert refused.code == 1
    assert reason in refused.err
    packed = gaia("submit", run, "--out", package, "--allow-dirty", **env(place))
    assert packed.code == 0, packed.said
    assert said in packed.out
    metadata = json.loads((package / "metadata.json").read_text())
    assert metadata["schema"] == "gaia-harness/package/3"
    assert metadata["interruptions"]["said"] == said
    assert reason in metadata["dirty"]
    assert "audit: AUD-6 voting-disclosure: 1 critical or high" in metadata["dirty"]
    attested = json.loads(base64.b64decode(json.loads((package / "attestation.dsse.json").read_text())["payload"]))
    assert attested["predicate"]["interruptions"] == metadata["interruptions"]
    assert reason in attested["predicate"]["dirty"]
    assert said in (package / "README.md").read_text()
    assert reason in (package / "README.md").read_text()
    options = ("--allowed-signers", place / "signers", "--dataset", place / "data")
    verified = gaia("verify", package, *options)
    assert verified.code == 4, verified.said
    assert said in verified.out
    assert gaia("verify", package, *options, "--accept-dirty").code == 0
    told = json.loads(gaia("verify", package, *options, "--json").out)
    assert told["interruptions"] == metadata["interruptions"]


def test_a_rollback_that_is_not_needed_is_not_entered(place, server, model):
    out = place / "out"
    killed(place, server, model, start(place, server, out), answers=1)
    model.answers = TASKS
    ran = gaia("run", "--resume", out, "--accept-rollback", **env(place))
    assert ran.code == 0, ran.said
    assert summary(out)["interruptions"]["said"] == "resumed 1 time, 1 attempt begun and not finished"
    assert gaia("run", "--accept-rollback", **env(place)).code == 2


def test_a_head_that_was_deleted_is_missed(place, server, model):
    out = place / "out"
    killed(place, server, model, start(place, server, out), answers=1)
    path = head(place, out)
    shutil.rmtree(path.parent)
    ran = gaia("run", "--resume", out, **env(place))
    assert ran.code == 1
    assert f"{path}: the newest head of the run's log is missing" in ran.err
    model.answers = TASKS
    ran = gaia("run", "--resume", out, "--accept-rollback", **env(place))
    assert ran.code == 3, ran.said
    assert "rolled back from a length that is not known to 5" in ran.out
    assert not path.parent.exists()  # the ledger has the end


def test_a_head_of_somebody_else_is_refused(place, server, model):
    out = place / "out"
    killed(place, server, model, start(place, server, out), answers=1)
    path = head(place, out)
    path.write_bytes(path.read_bytes().replace(b"\n5\n", b"\n2\n"))
    ran = gaia("run", "--resume", out, **env(place))
    assert ran.code == 1
    assert f"{path}: checkpoint 1" in ran.err


def test_another_log_of_the_same_run_is_refused_even_so(place, server, model):
    """Run on under a copy of the keys, so that the ledger does not see it; then put in the place of the first."""
    out, copy = place / "out", place / "copy"
    killed(place, server, model, start(place, server, out), answers=0)
    shutil.copytree(out, copy)
    shutil.copytree(place / "keys", place / "other" / "keys")
    killed(place, server, model, ("run", "--resume", out), answers=1)
    killed(place / "other", server, model, ("run", "--resume", copy), answers=2)
    for option in ((), ("--accept-rollback",)):
        ran = gaia("run", "--resume", copy, *option, **env(place))
        assert ran.code == 1
        assert "the ledger has seen another log" in ran.err


def test_no_head_is_left_behind_when_a_run_ends(place, server, model):
    model.answers = TASKS
    assert gaia(*start(place, server, place / "whole"), **env(place)).code == 0
    killed(place, server, model, start(place, server, place / "given-up"), answers=0)
    assert head(place, place / "given-up").exists()
    assert gaia("run", "--abandon", place / "given-up", **env(place)).code == 0
    assert list((ledger(place) / "open").iterdir()) == []


MOMENTS = (
    "head-before:1", "head-within:1", "head-after:1", "ledger-before:1", "ledger-after:1", "ledger-before:1",
    "head-before:2", "head-within:2", "head-after:2", "head-before:3", "head-within:3", "head-after:3",
    "ledger-after:1", "head-before:2", "ledger-before:1", "drop-before:1",
)  # fmt: skip


def test_a_crash_at_any_moment_is_no_rollback(place):
    """Ended between a line of the log, the head, the ledger and the end: each time the run just goes on."""
    out = place / "out"
    codes = []
    for moment in (*MOMENTS, None):
        ran = python(DRIVER, place / "data", out, place, *([moment] if moment else []))
        assert ran.code in (0, 99), (moment, ran.said)
        codes.append(ran.code)
    assert codes == [99] * len(MOMENTS) + [0]
    assert summary(out)["submittable"]
    counted = summary(out)["interruptions"]
    events = lines(out / "log.jsonl")
    begun = sum(event["event"] == "attempt_started" for event in events)
    assert counted["resumed"] == sum(event["event"] == "run_resumed" for event in events)
    assert counted["unfinished_attempts"] + counted["discarded_attempts"] == begun - TASKS
    assert counted["rollbacks"] == []
    assert list((ledger(place) / "open").iterdir()) == []
    packed = gaia("submit", out, "--out", place / "package", "--dataset", place / "data", **env(place))
    assert packed.code == 0, packed.said
    assert counted["said"] in packed.out
    verified = gaia("verify", place / "package", "--allowed-signers", place / "signers", "--dataset", place / "data")
    assert verified.code == 0, verified.said
    assert counted["said"] in verified.out
