"""`kill -9` at any moment, and what a folder must look like to be resumed."""

import hashlib
import json
import random
import re
import shutil
import signal
from collections import Counter
from pathlib import Path

import pytest

import thoroughness
from gaia_command import SIGNAL_AT, Started, gaia, lines, python, until
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.records.log import read_log
from gaia_harness.records.steps import ToolResultStep
from gaia_harness.records.trajectories import read_trajectories
from gaia_harness.run.resume import load_resume_state
from gaia_harness.signing.checkpoints import read_checkpoints
from gaia_harness.signing.merkle import leaf_hash
from gaia_layout import json_lines, row, write_layout
from merkle_proofs import consistency_holds, consistency_proof

DRIVER = Path(__file__).with_name("run_driver.py")
TASKS, KILLS = 40, thoroughness.of(30)


def drive(dataset, out):
    ran = python(DRIVER, dataset, out)
    assert ran.code == 0, ran.said


def make_dataset(tmp_path, count):
    rows = [row(n, level=1 + n % 3) for n in range(count)]
    return write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})


def events(out, name):
    return [event for event in lines(out / "log.jsonl") if event["event"] == name]


def test_many_kills_lose_nothing_and_repeat_nothing(tmp_path):
    dataset, out = make_dataset(tmp_path, TASKS), tmp_path / "out"
    moments = random.Random(20261115)
    done_before: dict[str, bytes] = {}
    for _ in range(KILLS):
        # counted from the first line that it writes, so that most kills fall into the middle of its work
        moment = ("SIGKILL", "gaia_harness.files:LineFile.append+", moments.randrange(1, 30_000))
        ran = python(SIGNAL_AT, *moment, DRIVER, dataset, out)
        assert ran.code == -signal.SIGKILL, ran.said
        finished = {event["task_id"]: event for event in _whole_events(out) if event["event"] == "task_finished"}
        assert done_before.keys() <= finished.keys()
        done_before = finished
    drive(dataset, out)

    results = {result["task_id"]: result for result in lines(out / "results.jsonl")}
    assert len(results) == len(lines(out / "results.jsonl")) == TASKS
    assert all(result["correct"] for result in results.values())
    ends = Counter(event["task_id"] for event in events(out, "task_finished"))
    assert set(ends.values()) == {1}
    begun = Counter(event["task_id"] for event in events(out, "attempt_started"))
    assert {task_id: result["attempts"] for task_id, result in results.items()} == dict(begun)
    assert len(events(out, "run_resumed")) > KILLS // 2
    order = {event["task_id"]: event["seq"] for event in events(out, "task_finished")}
    assert all(event["seq"] < order[event["task_id"]] for event in events(out, "attempt_started"))
    assert json.loads((out / "run.json").read_text())["state"] == "closed"
    check_evidence(out)


def _whole_events(out):
    if not (out / "log.jsonl").exists():
        return []
    return [json.loads(line) for line in (out / "log.jsonl").read_bytes().splitlines(True) if line.endswith(b"\n")]


def check_evidence(out):
    """Heads and hashes agree, every line is bound, and the tree only ever grew."""
    finished = [event for _, event in read_log(out / "log.jsonl") if type(event).__name__ == "TaskFinished"]
    bodies = TextStore(out / "bodies", compressed=True)
    bound = [event.trajectory_sha256 for event in finished]
    found = []
    for _, data, trajectory in read_trajectories(out / "trajectories.jsonl"):
        found.append(hashlib.sha256(data).hexdigest())
        for step in trajectory.steps:
            if isinstance(step, ToolResultStep):
                body = bodies.get(step.output_sha256)
                assert body.decode().startswith(step.head)
                assert len(body) == step.bytes
    assert found == bound
    leaves = [leaf_hash(line.data[:-1]) for line, _ in read_log(out / "log.jsonl")]
    origin = f"gaia-harness/run/{json.loads((out / 'run.json').read_text())['run_id']}"
    points = read_checkpoints(out / "checkpoints", origin)
    assert points[-1].size == len(leaves)
    for point in points:
        proof = consistency_proof(leaves, point.size)
        assert consistency_holds(point.size, point.root, len(leaves), points[-1].root, proof)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of five tasks with its log opened again, as if it had been killed just before its end."""
    tmp_path = tmp_path_factory.mktemp("finished")
    dataset, out = make_dataset(tmp_path, 5), tmp_path / "out"
    drive(dataset, out)
    log = (out / "log.jsonl").read_bytes().splitlines(True)
    (out / "log.jsonl").write_bytes(b"".join(log[:-1]))
    blocks = (out / "checkpoints").read_bytes().split(b"\n\n")
    (out / "checkpoints").write_bytes(b"\n\n".join(blocks[:-2]) + b"\n\n")
    record = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps(record | {"state": "running", "finished_at": None}))
    return dataset, out


@pytest.fixture
def cut_off(finished, tmp_path):
    dataset, out = finished
    return dataset, shutil.copytree(out, tmp_path / "out")


def origin_of(out):
    return f"gaia-harness/run/{json.loads((out / 'run.json').read_text())['run_id']}"


@pytest.mark.parametrize("name", ["log.jsonl", "trajectories.jsonl", "results.jsonl"])
def test_a_torn_last_line_is_healed_and_noted(cut_off, name):
    dataset, out = cut_off
    with (out / name).open("ab") as file:
        file.write(b'{"seq": 99, "ev')
    drive(dataset, out)
    healed = events(out, "run_resumed")[-1]["healed"]
    assert len(healed) == 1
    assert healed[0].startswith(name)
    assert len(lines(out / "results.jsonl")) == 5
    check_evidence(out)


def change_middle(path, change):
    parts = path.read_bytes().splitlines(True)
    change(parts)
    path.write_bytes(b"".join(parts))


@pytest.mark.parametrize("name", ["trajectories.jsonl", "results.jsonl"])
@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda parts: parts.__setitem__(2, parts[2].replace(b"lanterns", b"lantern5")), 3),
        (lambda parts: parts.pop(1), 2),
        (lambda parts: parts.insert(1, parts[0]), 2),
        (lambda parts: parts.pop(), 5),
        (lambda parts: parts.__setitem__(slice(0, 2), [parts[1], parts[0]]), 1),
        (lambda parts: parts.__setitem__(1, parts[1][:50]), 2),
    ],
    ids=["changed", "missing", "repeated", "last missing", "swapped", "torn in the middle"],
)
def test_a_changed_line_stops_the_resume_with_file_and_line(cut_off, name, change, line):
    _, out = cut_off
    change_middle(out / name, change)
    before = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    ran = gaia("run", "--resume", out)
    assert ran.code == 1
    assert f"{out / name}:{line}: " in ran.err, ran.err
    assert before["log.jsonl"] == (out / "log.jsonl").read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        lambda parts: parts.pop(3),
        lambda parts: parts.__setitem__(3, parts[3].replace(b'"attempt":1', b'"attempt":2')),
        lambda parts: parts.__setitem__(3, b"garbage\n"),
        lambda parts: parts.__delitem__(slice(4, None)),
        lambda parts: parts.__setitem__(slice(3, 5), [parts[4], parts[3]]),
    ],
    ids=["missing", "changed", "garbage", "cut", "swapped"],
)
def test_a_changed_log_stops_the_resume_with_file_and_line(cut_off, change):
    _, out = cut_off
    change_middle(out / "log.jsonl", change)
    ran = gaia("run", "--resume", out, "--concurrency", "1")
    assert ran.code == 1
    assert re.search(rf"{out}/(log|trajectories).jsonl:\d+: ", ran.err), ran.err


def test_what_the_log_does_not_know_is_run_again_as_the_next_attempt(cut_off):
    _, out = cut_off
    log = (out / "log.jsonl").read_bytes().splitlines(True)
    last = max(index for index, line in enumerate(log) if b'"task_finished"' in line)
    task_id = json.loads(log[last])["task_id"]
    (out / "log.jsonl").write_bytes(b"".join(log[:last]))
    points = read_checkpoints(out / "checkpoints", origin_of(out))
    kept = [point for point in points if point.size <= last]
    (out / "checkpoints").write_text("".join(point.text() + "\n" for point in kept))
    left = load_resume_state(out, origin_of(out))
    assert len(left.results) == 4
    assert left.attempts[task_id] == 1
    assert [note.split(":")[0] for note in left.healed] == ["trajectories.jsonl", "results.jsonl"]
    assert len(lines(out / "results.jsonl")) == 4
    assert len(lines(out / "trajectories.jsonl")) == 4


def test_two_processes_on_one_folder_the_second_is_refused(tmp_path):
    dataset, out = make_dataset(tmp_path, TASKS), tmp_path / "out"
    first = Started(SIGNAL_AT, "SIGSTOP", "gaia_harness.files:LineFile.append", 9, DRIVER, dataset, out)
    until(first.stopped)
    second = gaia("run", "--resume", out)
    first.kill()
    first.wait()
    assert second.code == 1
    assert "another process is running in this folder" in second.err


def test_a_run_killed_between_the_log_and_the_summary_is_only_summed_up(finished, cut_off):
    dataset, out = cut_off
    drive(dataset, out)
    log = (out / "log.jsonl").read_bytes()
    record = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps(record | {"state": "running"}))
    (out / "summary.json").unlink()
    drive(dataset, out)
    assert (out / "log.jsonl").read_bytes() == log
    assert json.loads((out / "summary.json").read_text())["passed"] == 5
    assert json.loads((out / "run.json").read_text())["state"] == "closed"


def test_a_run_killed_before_its_log_began_is_started_over(cut_off):
    dataset, out = cut_off
    for name in ("log.jsonl", "results.jsonl", "trajectories.jsonl", "checkpoints"):
        (out / name).unlink()
    drive(dataset, out)
    assert lines(out / "log.jsonl")[0]["event"] == "run_started"
    check_evidence(out)
