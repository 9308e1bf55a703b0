"""Keeps the task-runs of an import on disk, by run, until it is known what each run consists of."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

import msgspec

from gaia_harness.errors import RunError
from gaia_harness.exchange.neutral import NeutralRun

_decoder = msgspec.json.Decoder(NeutralRun)


class Place(msgspec.Struct, frozen=True):
    """Where a task-run lies in the spool."""

    task_id: str
    attempt: int
    offset: int
    size: int
    file: str


class SpooledRun:
    """What is known of one run so far. Nothing of it grows with the length of its task-runs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.places: dict[tuple[str, int], Place] = {}
        self.files: dict[str, int] = {}
        self.file_of: dict[str, int] = {}
        self.models: Counter[str] = Counter()
        self.tools: dict[str, str] = {}
        self.gaps: Counter[str] = Counter()
        self.attachments: dict[str, None] = {}
        self.workdirs: dict[str, None] = {}
        self.isolations: dict[str, None] = {}
        self.cut = 0
        self.without_tokens = 0
        self.without_prompts = 0
        self.timed = 0
        self.without_replies = 0
        self.stated: dict[tuple[str, int], bool] = {}

    @property
    def attempts(self) -> int:
        """How many attempts every task has; 0 where they do not all have the same number."""
        numbers = Counter(task_id for task_id, _ in self.places)
        most = max(numbers.values(), default=0)
        even = all(count == most for count in numbers.values())
        return most if even and all(number <= most for _, number in self.places) else 0

    def note(self, run: NeutralRun, task_id: str, attempt: int, file: str) -> None:
        """Sum up a task-run."""
        self.file_of.setdefault(task_id, self.files.setdefault(file, len(self.files)))
        if run.model:
            self.models[run.model] += 1
        for name, role in run.tools.items():
            self.tools.setdefault(name, role)
        self.gaps.update(dict.fromkeys(run.gaps, 1))
        self.attachments.update(dict.fromkeys(run.attachments))
        if run.workdir is not None:
            self.workdirs[run.workdir] = None
        if run.isolation is not None:
            self.isolations[run.isolation] = None
        self.cut += sum(step.cut for step in run.steps)
        calls = [step for step in run.steps if step.type == "llm_call"]
        self.without_tokens += any(step.tokens_in is None or step.tokens_out is None for step in calls)
        self.without_replies += not calls
        before = takewhile(lambda step: step.type != "llm_call", run.steps)
        self.without_prompts += not any(step.type == "prompt" and step.text for step in before)
        self.timed += sum(step.time is not None for step in run.steps) > 1
        if run.correct is not None:
            self.stated[task_id, attempt] = run.correct


class Spool:
    """A file of task-runs."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO = path.open("x+b")
        self.runs: dict[str, SpooledRun] = {}
        self._numbers: dict[tuple[str, str, int], int] = {}  # of the last run that a second one of a task went into

    def add(self, run: NeutralRun, task_id: str, file: str) -> None:
        """Put a task-run behind the others. A second one of the same task and run goes into a run of its own."""
        attempt = run.attempt or 1
        number = self._numbers.get((run.run, task_id, attempt), 1)
        name = run.run if number == 1 else f"{run.run}-{number}"
        while name in self.runs and (task_id, attempt) in self.runs[name].places:
            number += 1
            name = f"{run.run}-{number}"
        self._numbers[run.run, task_id, attempt] = number
        spooled = self.runs.setdefault(name, SpooledRun(name))
        try:
            offset = self._file.seek(0, 2)
            size = self._file.write(msgspec.json.encode(run))
            self._file.flush()
        except OSError as error:  # of our own file, not of the one that is read
            raise RunError(f"{self._path.parent.parent}: {error.strerror}", hint="choose another --out") from error
        spooled.places[task_id, attempt] = Place(task_id, attempt, offset, size, file)
        spooled.note(run, task_id, attempt, file)

    def read(self, place: Place) -> NeutralRun:
        """A task-run again."""
        self._file.seek(place.offset)
        return _decoder.decode(self._file.read(place.size))

    def split_uneven(self) -> Iterator[str]:
        """Make a run of its own of each attempt where tasks have different numbers of them; says which."""
        for name in list(self.runs):
            run = self.runs[name]
            if run.attempts:
                continue
            yield name
            del self.runs[name]
            parts: dict[int, SpooledRun] = {}
            for (task_id, number), place in run.places.items():
                if number not in parts:
                    part = self._free(f"{name}-attempt-{number}")
                    parts[number] = self.runs[part] = SpooledRun(part)
                parts[number].places[task_id, 1] = msgspec.structs.replace(place, attempt=1)
                parts[number].note(self.read(place), task_id, 1, place.file)

    def _free(self, name: str) -> str:
        """The name, or one like it, of no run so far."""
        free, number = name, 1
        while free in self.runs:
            number += 1
            free = f"{name}-{number}"
        return free

    def close(self) -> None:
        """Let go of the file."""
        with contextlib.suppress(OSError):
            self._file.close()
