"""Task lists from which hard tasks were taken out when they had failed, or in which easy ones stand twice."""

import random
import uuid
from typing import Any

import msgspec

from gaia_harness.judge.prompt import PROMPT_SHA256
from gaia_harness.records.events import AttemptFinished, AttemptStarted, Event, Judged
from redteam.batches import SEVENTH_SEALED
from redteam.making import RunMaker, row_of
from redteam.script import JUDGE, RunScript
from redteam.solving import honest_script
from redteam.variants import Case, attack, honest_tasks, whole
from redteam.world import LabTask


def _new_id(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def _failed_events(rng: random.Random, task_id: str) -> list[Event]:
    """An attempt that came to its end and was refused by the judge."""
    sha256 = rng.randbytes(32).hex()
    return [
        AttemptStarted(task_id=task_id, attempt=1),
        AttemptFinished(task_id=task_id, attempt=1, steps=rng.randint(8, 30), steps_sha256=sha256),
        Judged(task_id=task_id, model=JUDGE, prompt_sha256=PROMPT_SHA256, verdict=False, cached=False),
    ]


def _swapped_out(rng: random.Random, maker: RunMaker) -> Case:
    """The log has attempts at tasks which neither the list nor the results know: they failed, and were replaced."""
    gone = [_new_id(rng) for _ in range(rng.randint(2, 4))]

    def with_failures(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for task_id in gone:
            places = sorted(rng.randint(1, len(events) - 1) for _ in range(3))
            for more, (place, event) in enumerate(zip(places, _failed_events(rng, task_id), strict=True)):
                at = place + more
                events.insert(at, msgspec.to_builtins(msgspec.structs.replace(event, time=events[at - 1]["time"])))
        return events

    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker, right=0.9)), edit_log=with_failures))


def _easy_twice(rng: random.Random, maker: RunMaker) -> Case:
    """Under the ids of hard tasks, questions were asked once more that had been answered."""
    tasks = maker.tasks(14)
    copies = rng.randint(2, 4)
    easy, hard = tasks[:10], tasks[10 : 10 + copies]
    asked: list[LabTask] = list(easy)
    rows: dict[str, dict[str, Any]] = {}
    models = rng.sample(easy, copies)
    for model, other in zip(models, hard, strict=True):
        asked.insert(
            rng.randint(0, len(asked)), msgspec.structs.replace(model, task_id=other.task_id, level=other.level)
        )
        rows[other.task_id] = row_of(msgspec.structs.replace(other, attachment=model.attachment))

    def true_row(row: dict[str, Any]) -> None:
        row.update(rows.get(row["task_id"], {}))

    known = rows.keys() | {model.task_id for model in models}
    scripts = [honest_script(task, rng, right=task.task_id in known or rng.random() < 0.75) for task in asked]
    return whole(RunScript(tasks=tuple(scripts), edit_rows=true_row))


VARIANTS = (
    attack(
        SEVENTH_SEALED,
        "split-tricks",
        "swapped-out",
        "The log has failed attempts at tasks that were then taken off the list and replaced.",
        _swapped_out,
        "AUD-7 high",
    ),
    attack(
        SEVENTH_SEALED,
        "split-tricks",
        "easy-twice",
        "Easy questions were asked a second time under the ids of hard ones.",
        _easy_twice,
        "AUD-7 high",
    ),
)
