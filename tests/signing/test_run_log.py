"""The run log: what was written is read, and whatever was done to it afterwards is seen."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.errors import EvidenceError
from gaia_harness.records.events import AttemptFinished, AttemptStarted, IntegrityEvent, RecordingFailed, RunResumed
from gaia_harness.records.log import heal_log, read_log
from gaia_harness.signing.log import RunLog
from gaia_harness.signing.merkle import Tree, leaf_hash, root_of
from merkle_proofs import consistency_holds, consistency_proof, inclusion_holds, inclusion_proof


def clock():
    ticks = iter(range(10_000))
    return lambda: f"2031-05-04T00:00:{next(ticks) % 60:02d}Z"


def write(path, count: int) -> RunLog:
    log = RunLog(path, clock())
    for number in range(count):
        log.add(AttemptStarted(task_id=f"task-{number}", attempt=1))
    log.close()
    return log


@pytest.fixture
def path(tmp_path):
    write(tmp_path / "log.jsonl", 5)
    return tmp_path / "log.jsonl"


def test_events_get_their_number_and_time_when_they_are_written(path):
    events = [event for _, event in read_log(path)]
    assert [(event.seq, event.task_id, event.time[-3:-1]) for event in events] == [
        (number, f"task-{number}", f"0{number}") for number in range(5)
    ]
    assert path.read_bytes().startswith(b'{"event":"attempt_started","seq":0,"time":"2031-05-04T00:00:00Z"')


def rewrite(path, change) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    change(lines)
    path.write_bytes(b"".join(lines))


def set_line(number: int, data: bytes):
    return lambda lines: lines.__setitem__(number - 1, data)


def swap(lines) -> None:
    lines[1], lines[2] = lines[2], lines[1]


def spaced(lines) -> None:
    lines[1] = json.dumps(json.loads(lines[1])).encode() + b"\n"


def key_twice(lines) -> None:
    lines[1] = lines[1].replace(b'"seq":1', b'"seq":9,"seq":1')


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines.pop(2), r":3: event 3 stands where event 2 must stand"),
        (lambda lines: lines.pop(0), r":1: event 1 stands where event 0 must stand"),
        (lambda lines: lines.insert(2, lines[1]), r":3: event 1 stands where event 2 must stand"),
        (swap, r":2: event 2 stands where event 1 must stand"),
        (spaced, r":2: not written as this log is written"),
        (key_twice, r":2: not written as this log is written"),
        (set_line(3, b"\n"), r":3: not an event"),
        (set_line(3, b"{}\n"), r":3: not an event"),
        (set_line(3, b"\xff\n"), r":3: not an event"),
        (set_line(3, b"[" * 50_000 + b"\n"), r":3: not an event"),
        (set_line(3, b'{"event":"unheard_of","seq":2,"time":""}\n'), r":3: not an event"),
        (lambda lines: lines.__setitem__(4, lines[4][:-1]), r":5: the line is cut short"),
        (lambda lines: lines.__setitem__(2, lines[2][:-9] + b"\n"), r":3: not an event"),
        (lambda lines: lines.__setitem__(2, lines[2][:-1] + b"\r\n"), r":3: not written as this log is written"),
    ],
)
def test_a_log_that_was_changed_is_refused_with_file_and_line(path, change, message):
    rewrite(path, change)
    with pytest.raises(EvidenceError, match=message) as caught:
        list(read_log(path))
    assert caught.value.message.startswith(str(path))


def test_a_changed_word_is_seen_by_the_tree_alone(path):
    before = root_of(line.data[:-1] for line, _ in read_log(path))
    path.write_bytes(path.read_bytes().replace(b"task-3", b"task-9"))
    assert len(list(read_log(path))) == 5
    assert root_of(line.data[:-1] for line, _ in read_log(path)) != before


@given(size=st.integers(0, 400))
def test_a_last_line_that_was_cut_short_is_healed_and_nothing_else(tmp_path_factory, size):
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    write(path, 4)
    whole = path.read_bytes()
    path.write_bytes(whole[:size])
    torn = bool(whole[:size]) and not whole[:size].endswith(b"\n")
    assert heal_log(path) == torn
    assert path.read_bytes() == whole[: whole[:size].rfind(b"\n") + 1]
    assert not heal_log(path)
    list(read_log(path))


def test_a_log_that_is_not_there_needs_no_healing(tmp_path):
    assert not heal_log(tmp_path / "log.jsonl")
    assert list(read_log(tmp_path / "log.jsonl")) == []


def test_a_log_goes_on_after_it_was_read(path):
    tree = Tree()
    for line, _ in read_log(path):
        tree.append(line.data[:-1])
    log = RunLog(path, clock(), tree=tree)
    log.add(RunResumed(healed=("results.jsonl:3",)))
    log.close()
    lines = [line.data[:-1] for line, _ in read_log(path)]
    assert len(lines) == 6
    assert log.tree.root() == root_of(lines)


def test_every_line_is_proved_and_every_past_is_the_beginning_of_the_present(path):
    log = write(path.parent / "longer.jsonl", 23)
    leaves = [line.data[:-1] for line, _ in read_log(path.parent / "longer.jsonl")]
    hashes = [leaf_hash(leaf) for leaf in leaves]
    root = log.tree.root()
    for index, leaf in enumerate(hashes):
        proof = inclusion_proof(hashes, index)
        assert inclusion_holds(leaf, index, 23, proof, root)
        assert not inclusion_holds(leaf, (index + 1) % 23, 23, proof, root)
    for size in range(1, 24):
        proof = consistency_proof(hashes, size)
        assert consistency_holds(size, root_of(leaves[:size]), 23, root, proof)
        if size < 23:
            longer = [proof[0] + b"x", *proof[1:]]
            assert not consistency_holds(size, root_of(leaves[:size]), 23, root, longer)


def test_an_event_that_cannot_be_written_changes_neither_file_nor_tree(path):
    log = RunLog(path.parent / "other.jsonl", clock())
    log.add(AttemptFinished(task_id="t", attempt=1, steps=0, steps_sha256=None))
    root = log.tree.root()
    log.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        log.add(AttemptStarted(task_id="t", attempt=2))
    assert (log.tree.size, log.tree.root()) == (1, root)
    assert len(list(read_log(path.parent / "other.jsonl"))) == 1


@given(text=st.text(st.characters(), max_size=40))
def test_words_of_any_kind_are_written_and_read(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    log = RunLog(path, clock())
    log.add(RecordingFailed(reason=text, task_id=text))
    log.add(IntegrityEvent(kind="cache", detail=text))
    log.close()
    (_, failed), (line, event) = read_log(path)
    assert failed.reason == event.detail == text.encode("utf-8", "backslashreplace").decode()
    assert log.tree.size == line.number == 2


def test_a_clock_that_is_set_back_goes_unheard_also_after_a_resume(tmp_path):
    times = ["2031-05-04T00:00:09.000Z", "2031-05-04T00:00:08.500Z", "2031-05-04T00:00:09.001Z", "2030-01-01T00:00:00Z"]
    path = tmp_path / "log.jsonl"
    tree = Tree()
    for time in times:  # each by a process of its own
        log = RunLog(path, lambda time=time: time, tree=tree, since="2031-05-04T00:00:07.000Z")
        log.add(RunResumed())
        log.close()
    assert [event.time[-7:] for _, event in read_log(path)] == ["09.000Z", "09.000Z", "09.001Z", "09.001Z"]
    first = RunLog(tmp_path / "other", lambda: times[3], since=times[0])
    first.add(RunResumed())
    first.close()
    assert [event.time for _, event in read_log(tmp_path / "other")] == [times[0]]
