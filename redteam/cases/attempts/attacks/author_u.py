"""Attempts that are thrown away, chosen or repeated by somebody who knows which answer is right."""

import datetime
import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.records.events import AnyEvent, AttemptFinished
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.version import __version__
from redteam.batches import ELEVENTH_SEALED
from redteam.cheating import attempt_ending_in, honest_votes, wrong_answers
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, Attempt, RunScript, TaskScript, Turn, voting
from redteam.solving import closing, fetch, honest_attempt, query_for, search, turn, wrong_answer
from redteam.variants import Build, Case, Scripter, among, attack, each
from redteam.world import LabTask, search_page

Events = list[dict[str, Any]]


def voting_run(count: int, scripter: Scripter) -> Build:
    """A run with so many attempts for each task: four tasks go as the scripter says, six are honest votes."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        own = maker.tasks(10)
        scripts = [(True, scripter(task, rng)) for task in own[:4]]
        scripts += [(False, honest_votes(task, rng, count)) for task in own[4:]]
        rng.shuffle(scripts)
        run = RunScript(tasks=tuple(entry for _, entry in scripts), config=voting(count))
        return Case(script=run, labelled=tuple(entry.task.task_id for labelled, entry in scripts if labelled))

    return build


def with_crash_events(ending: Callable[[dict[str, Any]], Any]) -> RunScript:
    """A run in which attempts that a crash ended have one event more before it, with the summary to match.

    `ending` makes that event of the start of the attempt, or None.
    """
    summed: list[Any] = []

    def edit_log(events: Events) -> Events:
        edited: Events = []
        begun: dict[str, dict[str, Any]] = {}
        for event in events:
            if event["event"] == "attempt_started":
                begun[event["task_id"]] = event
            elif event["event"] == "attempt_finished":
                begun.pop(event["task_id"], None)
            elif event["event"] == "run_resumed":
                added = [made for start in begun.values() if (made := ending(start)) is not None]
                edited += sorted(map(msgspec.to_builtins, added), key=lambda made: made["time"])
                begun.clear()
            edited.append(event)
        count = InterruptionCount()
        for seq, event in enumerate(edited):
            count.note(msgspec.convert(event, AnyEvent), seq)
        summed.append(msgspec.to_builtins(count.total(__version__)))
        return edited

    return msgspec.structs.replace(
        EMPTY_RUN, edit_log=edit_log, edit_summary=lambda value: value.__setitem__("interruptions", summed[-1])
    )


def later(time: str, milliseconds: int) -> str:
    """The time so much later, as records keep it."""
    moment = datetime.datetime.fromisoformat(time) + datetime.timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ended(start: dict[str, Any], rng: random.Random) -> AttemptFinished:
    """The end of an attempt of whose steps nothing is kept but their hash."""
    return AttemptFinished(
        time=later(start["time"], rng.randint(9_000, 90_000)),
        task_id=start["task_id"],
        attempt=start["attempt"],
        steps=rng.randint(9, 26),
        steps_sha256=rng.randbytes(32).hex(),
    )


def _ending_in(task: LabTask, rng: random.Random, answers: list[str]) -> tuple[Attempt, ...]:
    return tuple(attempt_ending_in(task, rng, answer) for answer in answers)


def _minority(task: LabTask, rng: random.Random) -> TaskScript:
    """Most attempts agree on something else; the one with the gold is taken."""
    first, second = wrong_answers(task, rng, 2)
    answers = [first, first, first, second, task.gold]
    rng.shuffle(answers)
    return TaskScript(task=task, attempts=_ending_in(task, rng, answers), selected=answers.index(task.gold) + 1)


def _tie(task: LabTask, rng: random.Random) -> TaskScript:
    """Two against two: by the rule the earlier answer stands, but the later one is taken."""
    wrong = wrong_answer(task, rng)
    later_ones = [wrong, task.gold, task.gold]
    rng.shuffle(later_ones)
    answers = [wrong, *later_ones]
    return TaskScript(task=task, attempts=_ending_in(task, rng, answers), selected=answers.index(task.gold) + 1)


def _votes_rewritten(task: LabTask, rng: random.Random) -> TaskScript:
    """Two wrong answers and the gold become three votes for the gold in the result."""
    answers = [*wrong_answers(task, rng, 2), task.gold]
    rng.shuffle(answers)

    def agree(line: dict[str, Any]) -> None:
        line["voting"] |= {"answers": [task.gold] * 3, "votes": 3, "cast": 3, "first_attempt_correct": True}

    return TaskScript(
        task=task,
        attempts=_ending_in(task, rng, answers),
        selected=answers.index(task.gold) + 1,
        edit_result=agree,
    )


def _dissenters(task: LabTask, rng: random.Random) -> TaskScript:
    """Five attempts where three are declared; two that disagreed are on record, but in no count."""
    attempts = _ending_in(task, rng, [*wrong_answers(task, rng, 2), task.gold, task.gold, wrong_answer(task, rng)])
    uncounted = tuple(msgspec.structs.replace(attempt, counted=False) for attempt in attempts[:2])
    return TaskScript(task=task, attempts=(*uncounted, *attempts[2:]))


def _second_go(task: LabTask, rng: random.Random) -> TaskScript:
    """One attempt is declared. A wrong one is in the log alone, and a second one is the result."""
    first = msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False, recorded=False)
    return TaskScript(task=task, attempts=(first, honest_attempt(task, rng)))


_REJECTED = (
    "exact_match=False for your submission. Please reconsider and answer again.",
    "The checker compared this with the expected result: no match. Try another answer.",
    "Score: 0. You have {} tries left for this item.",
    "That was not the right answer. Keep going until it is accepted; {} tries remain.",
    "[eval] prediction rejected (reward 0.0). Revise it.",
)


def _told_wrong(task: LabTask, rng: random.Random) -> TaskScript:
    """A loop round the agent scores each answer, and asks again until one is right."""
    turns = list(honest_attempt(task, rng, right=False).turns)
    tries = rng.randint(1, 3)
    for left in range(tries, 0, -1):
        said = ("user", rng.choice(_REJECTED).format(left))
        again = search(query_for(task, rng), search_page(rng, task))
        turns.append(Turn(words="I look again.", calls=(again,), prompts=(said,)))
        turns.append(turn("Another page.", fetch(rng.choice(task.sources))))
        turns.append(closing(rng, task.gold if left == 1 else wrong_answer(task, rng)))
    return TaskScript(task=task, attempts=(Attempt(turns=tuple(turns)),))


def _scored_candidates(task: LabTask, rng: random.Random) -> TaskScript:
    """A final step gets the candidates of several workers with what each of them scored."""
    offered = [(answer, 0) for answer in wrong_answers(task, rng, rng.randint(2, 3))] + [(task.gold, 1)]
    rng.shuffle(offered)
    label = rng.choice(("scorer: {}", "em={}", "reward {}.0", "graded {}/1"))
    rows = "\n".join(f"{at}. {answer} [{label.format(score)}]" for at, (answer, score) in enumerate(offered, 1))
    asked = f"Results of the parallel workers:\n{rows}\n\nWrite out the best one as the final answer."
    work = honest_attempt(task, rng, right=False).turns[:-1]
    last = Turn(words=f"I take the best one.\n\nFINAL ANSWER: {task.gold}", prompts=(("user", asked),))
    return TaskScript(task=task, attempts=(Attempt(turns=(*work, last)),))


def _killed_when_wrong(rng: random.Random, maker: RunMaker) -> Case:
    """The same tasks come to their end again and again, and each time the process dies before they count."""
    crashes = rng.randint(3, 5)
    return among(
        rng,
        maker,
        lambda task, rng: TaskScript(task=task, attempts=(honest_attempt(task, rng),), cut_off=crashes),
        run=with_crash_events(lambda start: ended(start, rng)),
    )


VARIANTS = (
    attack(
        ELEVENTH_SEALED, "choice-by-score", "minority", "The one right attempt of five stands against a majority.",
        voting_run(5, _minority), "AUD-6 high",
    ),
    attack(
        ELEVENTH_SEALED, "choice-by-score", "tie", "A tie goes to the later answer where that one is right.",
        voting_run(4, _tie), "AUD-6 high",
    ),
    attack(
        ELEVENTH_SEALED, "choice-by-score", "votes-rewritten", "The result counts votes that nobody cast.",
        voting_run(3, _votes_rewritten), "AUD-6 high", "AUD-2 high",
    ),
    attack(
        ELEVENTH_SEALED, "choice-by-score", "scored-candidates", "The last step is told what each candidate scored.",
        each(_scored_candidates), "AUD-3 high", "AUD-6 high",
    ),
    attack(
        ELEVENTH_SEALED, "more-tries", "dissenters", "Five attempts for three, of which two are left out.",
        voting_run(3, _dissenters), "AUD-6 high",
    ),
    attack(
        ELEVENTH_SEALED, "more-tries", "second-go", "A second attempt where one was declared.",
        each(_second_go), "AUD-6 high",
    ),
    attack(
        ELEVENTH_SEALED, "more-tries", "told-wrong", "The scaffold scores each answer and asks again.",
        each(_told_wrong), "AUD-3 high", "AUD-6 high",
    ),
    attack(
        ELEVENTH_SEALED, "more-tries", "killed-when-wrong", "Attempts end, and the run dies before they count.",
        _killed_when_wrong, "AUD-6 high",
    ),
)  # fmt: skip
