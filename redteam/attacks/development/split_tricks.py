"""Another set of tasks than the run says: the wrong split, tasks twice, left out, foreign, or at another level."""

import hashlib
import random
from typing import Any

import msgspec

from gaia_harness.records.config import RunConfig
from redteam.attacks.development.declaring import attack
from redteam.cases import Case, Expected, honest_tasks, whole
from redteam.making import RunMaker
from redteam.script import JUDGE, MODEL, RunScript, TaskScript, bend
from redteam.solving import closing, honest_script, query_for, script_of, search, turn
from redteam.solving import wrong_answer as wrong
from redteam.world import LabTask, search_page

CHANGED = Expected("AUD-7", "high")

VALIDATION = (53, 86, 26)
TEST = (93, 159, 49)


def _quick(task: LabTask, rng: random.Random) -> TaskScript:
    """A short honest solving: these runs are as long as real ones."""
    answer = task.gold if rng.random() < 0.6 else wrong(task, rng)
    hits = search_page(rng, task)[:4]
    return script_of(task, turn("I search.", search(query_for(task, rng), hits)), closing(rng, answer))


def _on_the_hub(rng: random.Random, maker: RunMaker, levels: tuple[int, ...]) -> RunScript:
    """A run that says it is over the hub's validation split, with so many tasks of each level."""
    wanted = [level for level, count in enumerate(levels, 1) for _ in range(count)]
    rng.shuffle(wanted)
    tasks = [
        msgspec.structs.replace(task, level=level) for task, level in zip(maker.tasks(len(wanted)), wanted, strict=True)
    ]
    revision = f"{rng.getrandbits(160):040x}"
    config = RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True)
    said = msgspec.structs.replace(config, dataset="hub", split="validation", revision=revision)

    def intent(value: dict[str, Any]) -> None:
        value |= {"dataset": "hub", "dataset_revision": revision}
        value["config_sha256"] = hashlib.sha256(msgspec.json.encode(said)).hexdigest()

    def record(value: dict[str, Any]) -> None:
        value["config"] |= {"dataset": "hub", "revision": revision}
        value["dataset"] |= {"name": "hub", "revision": revision}

    def summary(value: dict[str, Any]) -> None:
        value |= {"dataset": "hub", "dataset_revision": revision}

    return RunScript(
        tasks=tuple(_quick(task, rng) for task in tasks),
        config=config,
        edit_intent=intent,
        edit_record=record,
        edit_summary=summary,
    )


def _test_as_validation(rng: random.Random, maker: RunMaker) -> Case:
    return whole(_on_the_hub(rng, maker, TEST))


def _hard_ones_dropped(rng: random.Random, maker: RunMaker) -> Case:
    """Level 3, or most of it, is not there at all."""
    first, second, third = VALIDATION
    return whole(_on_the_hub(rng, maker, (first, second - rng.randint(0, 9), rng.choice((0, 3, third // 2)))))


def _dropped_from_a_folder(rng: random.Random, maker: RunMaker) -> Case:
    """The data set's folder has tasks that the run was not asked: those of the highest level."""
    tasks = sorted(maker.tasks(16), key=lambda task: (task.level, task.task_id))
    out = rng.randint(3, 5)
    scripts = [honest_script(task, rng, right=rng.random() < 0.8) for task in tasks[:-out]]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts), dropped=tuple(tasks[-out:])))


def _wrong_ones_left_out(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that were answered wrongly have no line in the results."""
    scripts = [honest_script(task, rng, right=number > 3) for number, task in enumerate(maker.tasks(12))]
    hidden = rng.choice((True, False))
    scripts[:4] = [bend(script, lines=0, in_log=hidden) for script in scripts[:4]]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _twice(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that went well stand there twice or more."""
    scripts = honest_tasks(rng, maker, 12, right=0.5)
    good = [at for at, script in enumerate(scripts) if script.attempts[0].said == script.task.gold]
    for at in rng.sample(good, min(len(good), rng.randint(1, 3))) or [0]:
        scripts[at] = bend(scripts[at], lines=rng.randint(2, 4))
    return whole(RunScript(tasks=tuple(scripts)))


def _levels_changed(rng: random.Random, maker: RunMaker) -> Case:
    """Results of easy tasks are put down as hard ones, and the other way round."""
    scripts = honest_tasks(rng, maker, 12)
    cases = rng.sample(range(12), 4)
    for at in cases:
        level = rng.choice([each for each in (1, 2, 3) if each != scripts[at].task.level])

        def moved(result: dict[str, Any], level: int = level) -> None:
            result["level"] = level

        scripts[at] = bend(scripts[at], edit_result=moved)
    return Case(script=RunScript(tasks=tuple(scripts)), labelled=tuple(scripts[at].task.task_id for at in cases))


def _foreign(rng: random.Random, maker: RunMaker) -> Case:
    """Results of tasks that are not among those the run names."""
    scripts = honest_tasks(rng, maker, 12)
    foreign = {scripts[at].task.task_id for at in rng.sample(range(12), rng.randint(1, 4))}

    def record(value: dict[str, Any]) -> None:
        value["dataset"]["task_ids"] = [name for name in value["dataset"]["task_ids"] if name not in foreign]

    return whole(RunScript(tasks=tuple(scripts), edit_record=record))


def _renamed(rng: random.Random, maker: RunMaker) -> Case:
    """Log and intent have one split, run.json and the summary another."""
    said = rng.choice(("test", "validation-hard", "all"))

    def record(value: dict[str, Any]) -> None:
        value["dataset"]["gaia_split"] = value["config"]["split"] = said

    def summary(value: dict[str, Any]) -> None:
        value["gaia_split" if "gaia_split" in value else "split"] = said

    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker, 10)), edit_record=record, edit_summary=summary))


VARIANTS = (
    attack("split-tricks", "test-as-validation", "The test split under another name.", _test_as_validation, CHANGED),
    attack("split-tricks", "renamed", "Another split named after the run.", _renamed, CHANGED),
    attack("split-tricks", "hard-ones-dropped", "A split without its hard tasks.", _hard_ones_dropped, CHANGED),
    attack("split-tricks", "folder-dropped", "Hard tasks of a folder not asked.", _dropped_from_a_folder, CHANGED),
    attack("split-tricks", "wrong-left-out", "Wrong answers have no line.", _wrong_ones_left_out, CHANGED),
    attack("split-tricks", "twice", "Right answers stand there twice.", _twice, CHANGED),
    attack("split-tricks", "levels-changed", "Results under another level.", _levels_changed, CHANGED),
    attack("split-tricks", "foreign", "Results of tasks that the run does not name.", _foreign, CHANGED),
)  # fmt: skip
