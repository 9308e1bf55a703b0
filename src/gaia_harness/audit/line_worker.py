"""Looks at the lines of a large file in several processes: `python -m gaia_harness.audit.line_worker` is one of them.

This process and the others each take the next batch of lines when they are done with one.
"""

import contextlib
import gc
import sys
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Optional

import msgspec

from gaia_harness.audit.evidence import DatasetFacts, RunEvidence
from gaia_harness.audit.looking import CHANGED, AnySeen, Batched, Pass, Seen
from gaia_harness.errors import EvidenceError, GaiaError
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.line_work import Batch, Cut, Worker, answering, receive, send
from gaia_harness.records.replay import read_log_facts
from gaia_harness.tasks.answers import AnswerKey

MODULE = "gaia_harness.audit.line_worker"
AHEAD = 2
"""Batches that a worker has at once, so that it never waits for the next."""


class Setup(msgspec.Struct, kw_only=True):
    """What another process is told first: the run, the data set at hand, and which checks to make.

    It goes through a pipe: a gold answer must be in no file and on no command line.
    """

    folder: str
    facts: RunFacts
    log_sha256: str
    questions: dict[str, str]
    key: AnswerKey | None
    dataset: DatasetFacts | None
    faults: tuple[str, ...]
    checks: tuple[str, ...]

    @classmethod
    def of(cls, here: Pass) -> "Setup":
        """What makes another process see the same run with the same checks."""
        run = here.run
        return cls(
            folder=str(run.folder.resolve()),
            facts=run.facts,
            log_sha256=run.log.sha256,
            questions=dict(run.questions),
            key=run.key,
            dataset=run.dataset,
            faults=run.faults,
            checks=tuple(check.__name__ for check in here.makers),
        )

    def open(self) -> Pass:
        """The same there."""
        from gaia_harness.audit.report import CHECKS

        by_name = {check.__name__: check for check in CHECKS}
        folder = Path(self.folder)
        log = read_log_facts(folder / "log.jsonl")
        if log.sha256 != self.log_sha256:
            raise EvidenceError(CHANGED)
        run = RunEvidence(
            folder, self.facts, log, questions=self.questions, key=self.key, dataset=self.dataset, faults=self.faults
        )
        run.begin()
        return Pass(run, [by_name[name] for name in self.checks])


class Helper(Worker):
    """Another process, which is given no work before it says that it is ready."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(MODULE)
        self.ready = False
        self.under_way: deque[tuple[int, Batch]] = deque()
        # while it starts, nobody reads what may be more than a pipe holds
        self._telling = threading.Thread(target=self.ask, args=(setup,), daemon=True)
        self._telling.start()

    def is_ready(self) -> bool:
        """Wait until it is, or cannot be."""
        self.ready = self.answer(_READY) is True
        return self.ready

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._telling.join()
        super().__exit__()


def look_together(here: Pass, cut: Cut, helpers: int) -> Iterator[Batched]:
    """Every batch in the order of the file, with what came of its tasks."""
    with contextlib.ExitStack() as stack:
        setup = Setup.of(here)
        team = _Team(here, cut, [stack.enter_context(Helper(setup)) for _ in range(helpers)])
        yield from team.batches()


class _Team:
    """This process and its helpers, on the batches of one file."""

    def __init__(self, here: Pass, cut: Cut, helpers: list[Helper]) -> None:
        noted = tuple(Optional[examiner.noted] for examiner in here.examiners)  # noqa: UP045 - a type made as it runs
        seen: Any = Seen[tuple.__class_getitem__(noted)]  # type: ignore[misc]
        self._answers: msgspec.msgpack.Decoder[list[AnySeen]] = msgspec.msgpack.Decoder(list[seen])
        self._here = here
        self._helpers = helpers
        self._todo = enumerate(cut)
        self._done: dict[int, Batched] = {}

    def batches(self) -> Iterator[Batched]:
        """Every batch in the order of the file."""
        turn = 0
        while True:
            mine = next(self._todo, None)
            if mine is not None:
                self._look_here(*mine)
            elif any(helper.under_way for helper in self._helpers):
                self._collect(None)
            else:
                return
            while turn in self._done:
                yield self._done.pop(turn)
                turn += 1

    def _look_here(self, turn: int, batch: Batch) -> None:
        found = []
        for seen in self._here.lines(batch):
            found.append(seen)
            self._collect(0)
        self._done[turn] = batch, found

    def _collect(self, timeout: float | None) -> None:
        """Take what has come from the others, and give them more to do."""
        for helper in answering(self._helpers, timeout):
            if helper.ready:
                turn, batch = helper.under_way.popleft()
                found = helper.answer(self._answers)
                if found is None:
                    raise _lost(helper)
                # where it failed, it fails here in the same way, and says why
                self._done[turn] = batch, found or list(self._here.lines(batch))
            elif not helper.is_ready():  # it cannot be had on this machine: those who are left do its work
                self._helpers.remove(helper)
        for helper in self._helpers:
            while helper.ready and len(helper.under_way) < AHEAD and (more := next(self._todo, None)) is not None:
                helper.under_way.append(more)
                helper.ask(more[1])


def _lost(helper: Helper) -> GaiaError:
    killed = helper.exit_code is not None and helper.exit_code < 0
    how = f"was ended by signal {-(helper.exit_code or 0)}" if killed else "ended too early"
    return GaiaError(
        f"a process that audited part of the trajectories {how}",
        hint="if memory is short, audit in one process: `taskset -c 0 gaia audit ...`",
    )


_READY: msgspec.msgpack.Decoder[bool] = msgspec.msgpack.Decoder(bool)


def work(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Do what is asked for, one batch after another, until there is no more."""
    request = receive(requests)
    if request is None:
        return
    there = msgspec.msgpack.decode(request, type=Setup).open()
    send(answers, msgspec.msgpack.encode(True))
    while (request := receive(requests)) is not None:
        try:
            found = list(there.lines(msgspec.msgpack.decode(request, type=Batch)))
        except Exception:
            found = []
        send(answers, msgspec.msgpack.encode(found))


if __name__ == "__main__":
    gc.set_threshold(100_000)  # steps come and go by the thousand, and none is part of a cycle
    work(sys.stdin.buffer, sys.stdout.buffer)
