"""A whole trajectories.jsonl of a fixed scripted run, byte for byte; results and log with their times injected.

To write the golden files anew after a change: GAIA_WRITE_GOLDEN=1 pytest tests/run/test_golden_run.py
"""

import os
from pathlib import Path

import msgspec
import pytest

from gaia_harness.attempts.budget import Budget, Metered
from gaia_harness.attempts.workshop import Workshop
from gaia_harness.models.scripted import open_scripted
from gaia_harness.records.config import RunConfig, Selection
from gaia_harness.run.executor import Local
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.opening import new_record, origin
from gaia_harness.run.resume import load_resume_state
from gaia_harness.run.runner import Runner, Stop
from gaia_harness.run.writer import RunWriter
from gaia_harness.tasks.loading import load_tasks
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.files import FileRead, neutral_name
from gaia_harness.tools.python import PythonTool, Unsandboxed
from gaia_harness.tools.reader_pool import ReaderPool

DATA = Path(__file__).parent / "data"
WHEN = ("two adults, three children and one goose", "how many hours in total did the fog horn sound")


class FilesAndPython:
    """Tools without an address in their outputs, so that these are the same everywhere."""

    isolation = {"python": "unsandboxed"}  # noqa: RUF012

    def __init__(self, readers):
        self.readers = readers

    def for_task(self, attachment, on_transcript=None):
        file = Attachment(path=attachment, name=neutral_name(attachment))
        return (FileRead(file, self.readers), PythonTool(Unsandboxed(), file))


class Untimed:
    def finished(self, result, tally):
        pass

    def waiting(self, running, longest):
        pass


@pytest.mark.parametrize("voting_attempts", [1, 2])
async def test_a_scripted_run_is_recorded_byte_for_byte(tmp_path, voting_attempts):
    everything = load_tasks("demo", env={})
    wanted = tuple(task.task_id for task in everything.tasks if any(phrase in task.question for phrase in WHEN))
    assert len(wanted) == 2
    loaded = load_tasks("demo", selection=Selection(task_ids=wanted), env={})
    config = RunConfig(model="scripted/demo", dataset="demo", concurrency=1, voting_attempts=voting_attempts)
    readers = ReaderPool(workers=1)
    kit = FilesAndPython(readers)
    with RunFolder.create(tmp_path / "run") as folder:
        record = new_record(config, loaded, kit.isolation)
        state = load_resume_state(folder.path, origin(record))
        writer = RunWriter.of(folder, record, loaded, state, env={}, declaration=None)
        journal = writer.begin()
        model = open_scripted("demo")
        executor = Local(Workshop(Metered(model, lambda usage: 0.0, Budget), kit))
        runner = Runner(config, loaded, executor, writer, cost=lambda usage: 0.0, watcher=Untimed(), stop=Stop())
        try:
            await runner.run([])
        finally:
            await readers.aclose()
            writer.release()
    assert journal.failures == []
    assert runner.tally.passed == 2
    written = (tmp_path / "run" / "trajectories.jsonl").read_bytes()
    golden = DATA / f"trajectories.{voting_attempts}.golden.jsonl"
    if os.environ.get("GAIA_WRITE_GOLDEN"):
        golden.write_bytes(written)
    assert written == golden.read_bytes()
    lines = [msgspec.json.decode(line) for line in written.splitlines()]
    for line in lines:
        assert line["voting_attempts"] == voting_attempts
        assert {step["attempt"] for step in line["steps"]} == set(range(1, voting_attempts + 1))
        assert [step["seq"] for step in line["steps"]] == list(range(len(line["steps"])))
