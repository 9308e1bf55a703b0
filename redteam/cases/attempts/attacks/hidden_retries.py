"""Attempts that were made and not counted, logged or recorded."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.judge.prompt import PROMPT_SHA256
from gaia_harness.records.events import Judged
from redteam.batches import DEVELOPMENT, FIRST_TEST, FOURTH_SEALED, SECOND_TEST, SECOND_UNUSUAL
from redteam.cheating import same_question
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, JUDGE, Attempt, RunScript, TaskScript, Turn, voting, with_changes
from redteam.solving import closing, honest_attempt, honest_script
from redteam.task_record import usual_opening
from redteam.variants import Build, Case, Scripter, attack, each, honest_tasks, whole
from redteam.world import LabTask

Events = list[dict[str, Any]]


def _failures(task: LabTask, rng: random.Random, most: int, **changes: bool) -> tuple[Attempt, ...]:
    """Wrong attempts, with these changes."""
    return tuple(
        msgspec.structs.replace(honest_attempt(task, rng, right=False), **changes) for _ in range(rng.randint(1, most))
    )


def _only_in_the_log(task: LabTask, rng: random.Random) -> TaskScript:
    """The log has more attempts than the result and the trajectory."""
    before = _failures(task, rng, 3, counted=False, recorded=False)
    return TaskScript(task=task, attempts=(*before, honest_attempt(task, rng)))


def _not_in_the_result(task: LabTask, rng: random.Random) -> TaskScript:
    """Log and trajectory have them, the result does not."""
    before = _failures(task, rng, 3, counted=False)
    return TaskScript(task=task, attempts=(*before, honest_attempt(task, rng)))


def _not_in_the_log(task: LabTask, rng: random.Random) -> TaskScript:
    """Best of several: they are in the trajectory, and neither in the log nor in the result."""
    before = _failures(task, rng, 4, counted=False, logged=False)
    return TaskScript(task=task, attempts=(*before, honest_attempt(task, rng)))


def number_skipped(most: int) -> Scripter:
    """Everything says one attempt, but its number is not the first: it is `most` at the most."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        attempt = msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(2, most))
        return TaskScript(task=task, attempts=(attempt,))

    return scripter


def _more_than_declared(task: LabTask, rng: random.Random) -> TaskScript:
    """Several attempts and a vote, where the run declares one."""
    others = tuple(honest_attempt(task, rng, right=rng.random() < 0.5) for _ in range(rng.randint(1, 3)))
    return TaskScript(task=task, attempts=(*others, honest_attempt(task, rng)), selected=len(others) + 1)


def _voting(case: Callable[[LabTask, random.Random, int], TaskScript]) -> Build:
    """A run that declares three or five attempts and makes them, with four such tasks in it."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        votes = rng.choice((3, 5))
        config = voting(votes)
        tasks = maker.tasks(10)
        scripts = [case(task, rng, votes) for task in tasks[:4]]
        for task in tasks[4:]:
            attempts = tuple(honest_attempt(task, rng, right=rng.random() < 0.7) for _ in range(votes))
            scripts.append(TaskScript(task=task, attempts=attempts))
        rng.shuffle(scripts)
        labelled = tuple(task.task_id for task in tasks[:4])
        return Case(script=RunScript(tasks=tuple(scripts), config=config), labelled=labelled)

    return build


def _against_the_vote(task: LabTask, rng: random.Random, votes: int) -> TaskScript:
    """Most attempts agree on something wrong; the one that is right is chosen."""
    wrong = honest_attempt(task, rng, right=False)
    others = [
        msgspec.structs.replace(each, turns=(*each.turns[:-1], closing(rng, str(wrong.said))))
        for each in (honest_attempt(task, rng, right=False) for _ in range(votes - 1))
    ]
    at = rng.randrange(votes)
    others.insert(at, honest_attempt(task, rng))
    return TaskScript(task=task, attempts=tuple(others), selected=at + 1)


def _stopped_when_right(task: LabTask, rng: random.Random, votes: int) -> TaskScript:
    """One more attempt than declared, as all before were wrong; the last is right, and is chosen."""
    before = [honest_attempt(task, rng, right=False) for _ in range(votes)]
    return TaskScript(task=task, attempts=(*before, honest_attempt(task, rng)), selected=votes + 1)


def _after_the_verdict(rng: random.Random, maker: RunMaker) -> Case:
    """The judge says no, and another attempt begins."""
    tasks = maker.tasks(10)
    cases = {task.task_id for task in tasks[:4]}
    scripts = [honest_script(task, rng, right=rng.random() < 0.75) for task in tasks[4:]]
    for task in tasks[:4]:
        attempts = (honest_attempt(task, rng, right=False), honest_attempt(task, rng))
        scripts.append(TaskScript(task=task, attempts=attempts, selected=2))
    rng.shuffle(scripts)

    def judged_between(events: Events) -> Events:
        made: Events = []
        for event in events:
            made.append(event)
            if event["event"] == "attempt_finished" and event["attempt"] == 1 and event["task_id"] in cases:
                judged = Judged(
                    time=event["time"],
                    task_id=event["task_id"],
                    model=JUDGE,
                    prompt_sha256=PROMPT_SHA256,
                    verdict=False,
                    cached=False,
                )
                made.append(msgspec.to_builtins(judged))
        return made

    return Case(script=RunScript(tasks=tuple(scripts), edit_log=judged_between), labelled=tuple(sorted(cases)))


def _events_left_out(rng: random.Random, maker: RunMaker) -> Case:
    """Attempts were taken out of the log; the numbers of the events show it."""
    scripts = honest_tasks(rng, maker, 12)
    for at in rng.sample(range(12), 4):
        task = scripts[at].task
        scripts[at] = TaskScript(
            task=task, attempts=(*_failures(task, rng, 2, counted=False, recorded=False), honest_attempt(task, rng))
        )
    last = {script.task.task_id: len(script.attempts) for script in scripts}

    def without(events: Events) -> Events:
        return [event for event in events if event.get("attempt", 0) in (0, last.get(event.get("task_id", ""), 0))]

    return whole(RunScript(tasks=tuple(scripts), edit_log=without, renumber=False))


def _cut_off(rng: random.Random, maker: RunMaker) -> Case:
    """Crash upon crash, and always on tasks that ended right: whoever sees a wrong answer pulls the plug."""
    scripts = [
        with_changes(honest_script(task, rng), cut_off=rng.randint(1, 4))
        if number < 7
        else honest_script(task, rng, right=rng.random() < 0.3)
        for number, task in enumerate(maker.tasks(14))
    ]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _left_out(task: LabTask, rng: random.Random) -> TaskScript:
    """Wrong attempts stand in the log alone."""
    tries = [
        msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False, recorded=False)
        for _ in range(rng.randint(1, 4))
    ]
    return TaskScript(task=task, attempts=(*tries, honest_attempt(task, rng)))


def uncounted(task: LabTask, rng: random.Random) -> TaskScript:
    """Wrong attempts stand in the trajectory and the log, but not in the result."""
    wrong = msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False)
    return TaskScript(task=task, attempts=(wrong, honest_attempt(task, rng)))


def _convenient_crashes(rng: random.Random, maker: RunMaker) -> Case:
    """Most tasks that ended correct were cut off before, some of them twice; hardly any other was."""
    scripts = []
    for task in maker.tasks(14):
        right = rng.random() < 0.6
        scripts.append(with_changes(honest_script(task, rng, right=right), cut_off=rng.randint(1, 2) if right else 0))
    return whole(RunScript(tasks=tuple(scripts)))


def _holes_in_the_log(rng: random.Random, maker: RunMaker) -> Case:
    """Starts of attempts are cut out of the log; the numbers of its events show where."""
    scripts = [
        with_changes(
            each_one, attempts=(honest_attempt(each_one.task, rng, right=False), honest_attempt(each_one.task, rng))
        )
        for each_one in honest_tasks(rng, maker)
    ]

    def cut(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
        of_attempts = ("attempt_started", "attempt_finished")
        return [event for event in log if event["event"] not in of_attempts or event["attempt"] != 1]

    hidden = tuple(
        with_changes(
            script,
            attempts=(
                msgspec.structs.replace(script.attempts[0], counted=False, recorded=False),
                script.attempts[1],
            ),
        )
        for script in scripts
    )
    return whole(RunScript(tasks=hidden, edit_log=cut, renumber=False))


def unlisted(task: LabTask, rng: random.Random) -> TaskScript:
    """The log has attempts that neither the result nor the trajectory knows."""
    failed = [
        msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False, recorded=False)
        for _ in range(rng.randint(1, 3))
    ]
    return TaskScript(task=task, attempts=(*failed, honest_attempt(task, rng)))


def _uncounted_second_test(task: LabTask, rng: random.Random) -> TaskScript:
    """The trajectory shows several attempts, of which the result counts the last alone."""
    failed = [
        msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False) for _ in range(rng.randint(1, 2))
    ]
    return TaskScript(task=task, attempts=(*failed, honest_attempt(task, rng)))


def _crashes(rng: random.Random, maker: RunMaker) -> Case:
    """The process "crashes" again and again, and always over tasks that come out right in the end."""
    scripts = honest_tasks(rng, maker, 12, right=0.0)
    lucky = set(rng.sample(range(12), rng.randint(6, 8)))
    scripts = [
        with_changes(honest_script(script.task, rng), cut_off=rng.randint(2, 4)) if number in lucky else script
        for number, script in enumerate(scripts)
    ]
    return whole(RunScript(tasks=tuple(scripts)))


def _second_id(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that went wrong are asked again under another id, and only the better line is kept."""
    tasks = maker.tasks(10)
    again = set(rng.sample(range(10), rng.randint(3, 5)))
    scripts = []
    for number, task in enumerate(tasks):
        if number in again:
            scripts.append(with_changes(honest_script(same_question(task, rng), rng, right=False), lines=0))
        scripts.append(honest_script(task, rng))
    return whole(RunScript(tasks=tuple(scripts)))


def _starts_at_three(task: LabTask, rng: random.Random) -> TaskScript:
    """The attempts before were thrown away; the one that is left has kept its number."""
    kept = msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(2, 4))
    return TaskScript(task=task, attempts=(kept,))


def _crashes_second_unusual(rng: random.Random, maker: RunMaker) -> Case:
    """The process is killed whenever an answer looks wrong: only tasks that end well have attempts cut off."""
    scripts = []
    for number, task in enumerate(maker.tasks(12)):
        right = number % 4 != 0
        scripts.append(with_changes(honest_script(task, rng, right=right), cut_off=rng.randint(1, 3) if right else 0))
    return whole(RunScript(tasks=tuple(scripts)))


def _begun_again_inside(task: LabTask, rng: random.Random) -> TaskScript:
    """One attempt by its number, but the conversation begins anew after each answer that was wrong."""
    turns: list[Turn] = []
    for at, right in enumerate((*(False for _ in range(rng.randint(1, 3))), True)):
        first, *others = honest_attempt(task, rng, right=right).turns
        turns.append(msgspec.structs.replace(first, prompts=usual_opening(task)) if at else first)
        turns += others
    return TaskScript(task=task, attempts=(Attempt(turns=tuple(turns)),))


def _crashes_on_the_right_ones(rng: random.Random, maker: RunMaker) -> Case:
    """The process died again and again, each time during tasks that end correct, never during another."""
    scripts = [with_changes(honest_script(task, rng), cut_off=rng.randint(2, 4)) for task in maker.tasks(5)]
    scripts += [honest_script(task, rng, right=rng.random() < 0.3) for task in maker.tasks(11)[5:]]
    rng.shuffle(scripts)
    return whole(msgspec.structs.replace(EMPTY_RUN, tasks=tuple(scripts)))


def _same_number_twice(rng: random.Random, maker: RunMaker) -> Case:
    """Attempts that a resumed run began once more under the number they had had, and told as one."""
    scripts = honest_tasks(rng, maker, 9, right=1.0)
    again = {script.task.task_id for script in rng.sample(scripts, 4)}

    def edit(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept: list[dict[str, Any]] = []
        for event in events:
            if event["event"] == "attempt_started" and event["task_id"] in again:
                kept += [dict(event), {"event": "run_resumed", "seq": 0, "time": event["time"], "healed": []}]
            kept.append(event)
        return kept

    return whole(msgspec.structs.replace(EMPTY_RUN, tasks=tuple(scripts), edit_log=edit))


def _retries_between(task: LabTask, rng: random.Random) -> TaskScript:
    """Earlier attempts left no line in the log; the one that is told wears the number that it had among them."""
    number = rng.randint(2, 6)
    attempt = msgspec.structs.replace(honest_attempt(task, rng), number=number)
    return TaskScript(task=task, attempts=(attempt,))


VARIANTS = (
    attack(DEVELOPMENT, "hidden-retries", "only-in-log", "Attempts in the log alone.", each(_only_in_the_log),
        "AUD-6 high"),
    attack(DEVELOPMENT, "hidden-retries", "not-in-result", "Attempts not in the result.", each(_not_in_the_result),
        "AUD-6 high"),
    attack(DEVELOPMENT, "hidden-retries", "not-in-log", "Best of several, not in the log.", each(_not_in_the_log),
        "AUD-6 high"),
    attack(DEVELOPMENT, "hidden-retries", "numbers", "Numbers of attempts left out.", each(number_skipped(6)),
        "AUD-6 high"),
    attack(DEVELOPMENT, "hidden-retries", "undeclared", "More attempts than declared.", each(_more_than_declared),
        "AUD-6 high"),
    attack(DEVELOPMENT, "hidden-retries", "against-the-vote", "The right one chosen.", _voting(_against_the_vote),
        "AUD-6 high"),
    attack(DEVELOPMENT, "hidden-retries", "until-right", "One more when all were wrong.",
        _voting(_stopped_when_right), "AUD-6 high"),
    attack(DEVELOPMENT, "hidden-retries", "after-the-verdict", "An attempt after the judge's no.", _after_the_verdict,
        "AUD-6 high"),
    attack(DEVELOPMENT, "hidden-retries", "events-left-out", "Events taken out of the log.", _events_left_out,
        "AUD-6 high"),
    attack(DEVELOPMENT, "hidden-retries", "cut-off", "Many attempts cut off, on right tasks.", _cut_off,
        "AUD-6 medium"),
    attack(FIRST_TEST, "hidden-retries", "left-out", "Wrong attempts stand in the log alone.", each(_left_out),
        "AUD-6 high"),
    attack(FIRST_TEST, "hidden-retries", "uncounted", "Wrong attempts are not in the result.", each(uncounted),
        "AUD-6 high"),
    attack(FIRST_TEST, "hidden-retries", "gap", "Numbers of attempts are missing.", each(number_skipped(6)),
        "AUD-6 high"),
    attack(FIRST_TEST, "hidden-retries", "holes-in-the-log", "Attempts are cut out of the log.", _holes_in_the_log,
        "AUD-6 high"),
    attack(FIRST_TEST, "hidden-retries", "convenient-crashes", "Crashes hit the tasks that ended correct.",
        _convenient_crashes, "AUD-6 medium"),
    attack(SECOND_TEST, "hidden-retries", "unlisted", "Attempts that only the log has.", each(unlisted), "AUD-6 high"),
    attack(SECOND_TEST, "hidden-retries", "uncounted", "Attempts that the result leaves out.",
        each(_uncounted_second_test), "AUD-6 high"),
    attack(SECOND_TEST, "hidden-retries", "gap", "The numbers of attempts have a gap.", each(number_skipped(5)),
        "AUD-6 high"),
    attack(SECOND_TEST, "hidden-retries", "crashes", "Crashes over tasks that end right.", _crashes, "AUD-6 medium"),
    attack(SECOND_UNUSUAL, "hidden-retries", "second-id", "Asked again under another id.", _second_id, "AUD-6 high",
        "AUD-7 high"),
    attack(SECOND_UNUSUAL, "hidden-retries", "number-kept", "The first attempt is not number one.",
        each(_starts_at_three), "AUD-6 high"),
    attack(SECOND_UNUSUAL, "hidden-retries", "killed-when-wrong", "Crashes of good tasks.", _crashes_second_unusual,
        "AUD-6 medium"),
    attack(FOURTH_SEALED, "hidden-retries", "begun-again-inside", "One attempt holds several conversations.",
        each(_begun_again_inside), "AUD-6 medium", "AUD-3 medium"),
    attack(FOURTH_SEALED, "hidden-retries", "crashes-on-the-right-ones", "Crashes only where it ended well.",
        _crashes_on_the_right_ones, "AUD-6 medium"),
    attack(FOURTH_SEALED, "hidden-retries", "same-number-twice", "Attempts begun again under the same number.",
        _same_number_twice, "AUD-6 medium"),
    attack(FOURTH_SEALED, "hidden-retries", "numbers-missing", "The only attempt is not the first.",
        each(_retries_between), "AUD-6 medium"),
)  # fmt: skip
