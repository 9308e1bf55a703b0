"""Our loop over the work: `python whole_loop.py TASKS on|off`. Prints one JSON line with time and peak memory."""

import asyncio
import hashlib
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
from workload import TURNS, pages, questions

from gaia_harness.attempts.budget import Budget, Metered
from gaia_harness.attempts.workshop import Workshop
from gaia_harness.models.messages import Assistant, Reply, Request, ToolCall, Usage
from gaia_harness.records.config import RunConfig
from gaia_harness.run.executor import Local
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.opening import new_record, origin
from gaia_harness.run.resume import load_resume_state
from gaia_harness.run.runner import Runner, Stop
from gaia_harness.run.writer import RunWriter
from gaia_harness.tasks.answers import AnswerKey, Gold
from gaia_harness.tasks.loading import LoadedTasks
from gaia_harness.tasks.task import Task
from gaia_harness.tools.base import ToolOutput

PAGES = pages()


class InProcessModel:
    """Answers at once, as a provider's adapter would: its request is encoded and hashed."""

    name = "bench/model"
    address = ""

    async def reply(self, request: Request) -> Reply:
        sent = hashlib.sha256(msgspec.json.encode(request)).hexdigest()
        turn = sum(isinstance(message, Assistant) for message in request.messages)
        calls = ()
        if turn < TURNS:
            args = {"text": f"page {turn}"}
            calls = (ToolCall(f"call-{turn}", "look", json.dumps(args), args),)
        return Reply(
            text="I look." if calls else "FINAL ANSWER: 3",
            tool_calls=calls,
            usage=Usage(input_tokens=100, output_tokens=10),
            request_sha256=sent,
        )

    async def aclose(self) -> None:
        pass


class Look:
    name = "look"
    description = "Look something up."
    parameters = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}  # noqa: RUF012

    async def call(self, args: Any) -> ToolOutput:
        return ToolOutput(text=PAGES[hash(args["text"]) % len(PAGES)])


class Kit:
    isolation = {"python": "not offered"}  # noqa: RUF012

    def for_task(self, attachment: Path | None, on_transcript: Any = None) -> tuple[Look]:
        return (Look(),)


class Quiet:
    def finished(self, result: Any, tally: Any) -> None:
        pass

    def waiting(self, running: int, longest: float) -> None:
        pass


def loaded(count: int) -> LoadedTasks:
    asked = questions(count)
    return LoadedTasks(
        available={1: count},
        tasks=tuple(Task(task_id=name, question=text, level=1) for name, text in asked.items()),
        key=AnswerKey({name: Gold(answer="3") for name in asked}),
        dataset="bench",
        split="validation",
        revision=None,
        digest="0" * 64,
    )


def main() -> None:
    count, evidence = int(sys.argv[1]), sys.argv[2] == "on"
    tasks = loaded(count)
    config = RunConfig(model="bench/model", dataset="bench", concurrency=8, record_evidence=evidence)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        path = Path(place) / "run"
        began = time.perf_counter()
        with RunFolder.create(path) as folder:
            record = new_record(config, tasks, Kit.isolation)
            state = load_resume_state(path, origin(record))
            writer = RunWriter.of(folder, record, tasks, state, env={}, declaration=None)
            journal = writer.begin()
            runner = Runner(
                config,
                tasks,
                Local(Workshop(Metered(InProcessModel(), lambda usage: None, Budget), Kit())),
                writer,
                cost=lambda usage: None,
                watcher=Quiet(),
                stop=Stop(),
            )
            asyncio.run(runner.run([]))
            writer.close()
            writer.release()
        seconds = time.perf_counter() - began
        assert not journal.failures, journal.failures
        assert runner.tally.passed == count
        size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"tasks": count, "seconds": seconds, "peak_mb": peak, "bytes": size}))


if __name__ == "__main__":
    main()
