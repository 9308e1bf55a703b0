"""The cache as files: any bytes, any text, many processes at once, folders that cannot be read or written."""

import asyncio
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import FakeModel
from gaia_harness import strict_json
from gaia_harness.errors import GaiaError
from gaia_harness.judge.cache import JudgeCache
from gaia_harness.judge.entry import JudgeRequest
from gaia_harness.judge.llm import LlmJudge
from gaia_harness.judge.verdict import JudgeVerdict
from gaia_harness.signing.signers import generate_signer
from small_disk import mounted

TESTS = Path(__file__).parents[1]
SIGNER = generate_signer()
PLACE = {"model": "fake/model", "address": "http://fake.example/v1", "prompt_version": "1"}
ASKED = JudgeRequest(task_id="t", question="Which?", answer="Velmar", expected="Ostmar", **PLACE)
NO = JudgeVerdict(False, "Another island.")
PROCESSES, KEYS, ROUNDS = 8, 12, 6


def file_of(folder, asked=ASKED):
    key = asked.key()
    return folder / "judgments" / key[:2] / f"{key}.json"


@pytest.fixture(scope="module")
def shared():
    """One folder with one good entry, and its bytes, for many examples."""
    with tempfile.TemporaryDirectory() as folder:
        JudgeCache(Path(folder), SIGNER).put(ASKED, NO)
        yield Path(folder), file_of(Path(folder)).read_bytes()


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from([1.5, "Velmar", 10**400]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["judgment", "envelope"]), inner),
)


@given(st.binary() | anything.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_a_miss_and_never_a_crash(shared, data):
    folder, _ = shared
    file_of(folder).write_bytes(data)
    cache = JudgeCache(folder, SIGNER, warn=lambda text: None)
    assert cache.get(ASKED).state in ("tampered", "legacy")
    assert cache.integrity_events + cache.legacy_entries == 1


@given(st.data())
def test_a_good_entry_with_some_bytes_changed_is_a_hit_only_if_it_still_says_the_same(shared, data):
    folder, good = shared
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(len(good), start + 8)))
    changed = good[:start] + data.draw(st.binary(max_size=4) | st.sampled_from([b" ", b"\\u0061", b"a"])) + good[end:]
    file_of(folder).write_bytes(changed)
    found = JudgeCache(folder, SIGNER, warn=lambda text: None).get(ASKED)
    if found.state == "hit":
        assert strict_json.loads(changed, where="") == strict_json.loads(good, where="")
        assert found.verdict == NO
    else:
        assert (found.state, found.verdict) == ("tampered", None)


@given(
    st.text(st.characters()), st.text(st.characters()), st.text(st.characters()), st.booleans(), st.text(max_size=200)
)
def test_any_text_is_found_again_as_it_was(shared, task_id, answer, expected, verdict, reason):
    folder, _ = shared
    asked = JudgeRequest(task_id=task_id, question="Which?", answer=answer, expected=expected, **PLACE)
    said = []
    JudgeCache(folder, SIGNER, warn=said.append).put(asked, JudgeVerdict(verdict, reason))
    found = JudgeCache(folder, SIGNER, warn=said.append).get(asked)
    assert said == []
    try:
        (task_id + answer + expected).encode()
    except UnicodeEncodeError:
        assert found.state == "miss"
    else:
        assert (found.state, found.verdict) == ("hit", JudgeVerdict(verdict, reason))


def judge_over_and_over(folder, start, results):
    """One of several processes: judges the same answers again and again, and always keeps what it said."""

    async def work():
        cache = JudgeCache(folder, SIGNER, warn=lambda text: None)
        model = FakeModel('{"correct": true, "reason": "' + "x" * 200 + '"}')
        judge = LlmJudge(model, cache, on_integrity=lambda kind, detail: events.append(detail))
        states = set()
        start.wait(30)
        for _ in range(ROUNDS):
            for number in range(KEYS):
                judgment = await judge.judge(f"task-{number}", "Which?", "Velmar " * 1000, "Velmar")
                states.add((judgment.verdict, judgment.cache))
                asked = JudgeRequest(
                    task_id=f"task-{number}", question="Which?", answer="Velmar " * 1000, expected="Velmar", **PLACE
                )
                cache.put(asked, JudgeVerdict(True, "x" * 200))
        return states

    events = []
    results.put((asyncio.run(work()), events))


def test_many_processes_at_once_never_see_half_an_entry(tmp_path):
    fork = multiprocessing.get_context("fork")
    start, results = fork.Barrier(PROCESSES), fork.SimpleQueue()
    processes = [fork.Process(target=judge_over_and_over, args=(tmp_path, start, results)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * PROCESSES
    outcomes = [results.get() for _ in processes]
    assert [events for _, events in outcomes] == [[]] * PROCESSES
    assert set().union(*(states for states, _ in outcomes)) == {(True, "miss"), (True, "hit")}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == KEYS  # and nothing half-written is left behind
    for file in files:
        strict_json.loads(file.read_bytes(), where=file.name)


DRIVER = """
import asyncio, sys
from pathlib import Path
from fakes import FakeModel
from gaia_harness.judge.cache import JudgeCache
from gaia_harness.judge.llm import LlmJudge
from gaia_harness.signing.signers import generate_signer

async def main():
    cache = JudgeCache(Path(sys.argv[1]), generate_signer())
    judge = LlmJudge(FakeModel('{"correct": true, "reason": ""}'), cache, on_integrity=print)
    for number in range(5):
        judgment = await judge.judge(f"task-{number}", "Which?", "Velmar", "Ostmar")
        print(judgment.verdict, judgment.cache, judgment.error)

asyncio.run(main())
"""


def five_judgments(folder):
    """What a process without a superuser's rights says: its output, and its warnings line by line."""
    without_rights = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*without_rights, sys.executable, "-c", DRIVER, folder],
        capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "PYTHONPATH": str(TESTS)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr.splitlines()


@pytest.mark.parametrize("mode", [0o555, 0o000])
def test_a_folder_that_cannot_be_used_costs_calls_and_is_said_once(tmp_path, mode):
    folder = tmp_path / "cache"
    (folder / "judgments").mkdir(parents=True)
    (folder / "judgments").chmod(mode)
    judgments, warnings = five_judgments(folder)
    (folder / "judgments").chmod(0o755)
    assert judgments == ["True miss None"] * 5
    assert [line for line in warnings if "cannot be kept" in line and "Permission denied" in line] == warnings[-1:]
    assert len([line for line in warnings if "cannot be read" in line]) == len(warnings) - 1 == (mode == 0)
    assert not list(folder.rglob("*.json"))


def test_a_file_where_the_folder_should_be_costs_calls_and_is_said(tmp_path):
    (tmp_path / "cache").write_text("a file")
    judgments, warnings = five_judgments(tmp_path / "cache")
    assert judgments == ["True miss None"] * 5
    assert len(warnings) == 2  # once for reading, once for writing


def test_an_entry_that_is_there_and_must_not_be_read_is_an_event(tmp_path):
    judgments, warnings = five_judgments(tmp_path)
    assert (judgments, warnings) == (["True miss None"] * 5, [])
    for file in tmp_path.rglob("*.json"):
        file.chmod(0)
    judgments, warnings = five_judgments(tmp_path)
    assert len([line for line in judgments if line.startswith("judge_cache_file ")]) == 5
    assert judgments[1::2] == ["True tampered None"] * 5


def test_a_full_disk_costs_calls_and_leaves_nothing_behind(tmp_path):
    with mounted(tmp_path / "disk", "16k") as disk:
        (disk / "ballast").write_bytes(b"x" * 16 * 1024)
        judgments, warnings = five_judgments(disk)
        left = [path.name for path in disk.rglob("*") if path.is_file()]
    assert judgments == ["True miss None"] * 5
    [warning] = warnings
    assert "No space left on device" in warning
    assert left == ["ballast"]


class AbsentSigner:
    """A key whose agent is gone."""

    public = SIGNER.public

    def sign(self, data):
        raise GaiaError("the agent is gone")


def test_a_key_that_cannot_sign_is_said_once(tmp_path):
    said = []
    cache = JudgeCache(tmp_path, AbsentSigner(), warn=said.append)
    cache.put(ASKED, NO)
    cache.put(ASKED, NO)
    [warning] = said
    assert "the agent is gone" in warning
    assert cache.get(ASKED).state == "miss"


def test_a_process_out_of_file_descriptors_is_not_taken_for_tampering(tmp_path):
    import resource

    said = []
    cache = JudgeCache(tmp_path, SIGNER, warn=said.append)
    cache.put(ASKED, NO)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        states = [cache.get(ASKED).state for _ in range(3)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert states == ["miss"] * 3
    assert cache.integrity_events == 0
    [warning] = said
    assert "Too many open files" in warning
