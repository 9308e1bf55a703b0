"""Runs whose books are cooked: tries that are not told, choices by the verdict, other tasks, no work, new answers."""

import hashlib
import random
import uuid
from typing import Any

import msgspec

from gaia_harness.protocol import final_answer
from gaia_harness.records.events import IntegrityEvent
from gaia_harness.records.masks import MASKED
from redteam.attacks.spent.fourth_sealed.declaring import attack
from redteam.cases import Case, among, each, honest_tasks, whole
from redteam.making import RunMaker
from redteam.script import Attempt, RunScript, TaskScript, Turn, bend
from redteam.solving import closing, honest_attempt, honest_script
from redteam.taking_down import usual_opening
from redteam.world import LabTask

_PLAIN = RunScript(tasks=())


def _voting(attempts: int) -> RunScript:
    config = msgspec.structs.replace(_PLAIN.config, voting_attempts=attempts)
    return msgspec.structs.replace(_PLAIN, config=config)


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
    scripts = [bend(honest_script(task, rng), cut_off=rng.randint(2, 4)) for task in maker.tasks(5)]
    scripts += [honest_script(task, rng, right=rng.random() < 0.3) for task in maker.tasks(11)[5:]]
    rng.shuffle(scripts)
    return whole(msgspec.structs.replace(_PLAIN, tasks=tuple(scripts)))


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

    return whole(msgspec.structs.replace(_PLAIN, tasks=tuple(scripts), edit_log=edit))


def _third_of_three(rng: random.Random, maker: RunMaker) -> Case:
    """Three answers with one vote each, and the last one stands, as it is the right one."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        tries: list[Attempt] = []
        while len(tries) < 2:
            attempt = honest_attempt(task, rng, right=False)
            if all(attempt.said != other.said for other in tries):
                tries.append(attempt)
        return TaskScript(task=task, attempts=(*tries, honest_attempt(task, rng)), selected=3)

    def company(task: LabTask) -> TaskScript:
        return TaskScript(task=task, attempts=tuple(honest_attempt(task, rng) for _ in range(3)))

    own = maker.tasks(9)
    scripts = [*(scripter(task, rng) for task in own[:4]), *(company(task) for task in own[4:])]
    labelled = tuple(task.task_id for task in own[:4])
    rng.shuffle(scripts)
    return Case(script=msgspec.structs.replace(_voting(3), tasks=tuple(scripts)), labelled=labelled)


def _until_right(rng: random.Random, maker: RunMaker) -> Case:
    """Five attempts are declared; each task has as many as it takes to be right, and the last one stands."""
    scripts = []
    for task in maker.tasks(10):
        wrong = rng.choice((0, 0, 1, 2, 3))
        attempts = [honest_attempt(task, rng, right=False) for _ in range(wrong)]
        scripts.append(TaskScript(task=task, attempts=(*attempts, honest_attempt(task, rng)), selected=wrong + 1))
    return whole(msgspec.structs.replace(_voting(5), tasks=tuple(scripts)))


def _easy_ones_twice(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that went well stand a second time under another id, in the place of tasks that are left out."""
    own = maker.tasks(11)
    scripts = [honest_script(task, rng) for task in own[:8]]
    for script in rng.sample(scripts, 3):
        other = msgspec.structs.replace(script.task, task_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)))
        scripts.append(honest_script(other, rng))
    return whole(msgspec.structs.replace(_PLAIN, tasks=tuple(scripts), dropped=tuple(own[8:])))


def _failures_at_another_level(rng: random.Random, maker: RunMaker) -> Case:
    """What went wrong is told under another level, so that the level that counts looks better."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        level = rng.choice([level for level in (1, 2, 3) if level != task.level])
        return bend(honest_script(task, rng, right=False), edit_result=lambda result: result.update(level=level))

    return among(rng, maker, scripter, cases=3)


def _no_tokens(task: LabTask, rng: random.Random) -> TaskScript:
    """A trajectory with all its tools, in which no call of a model has put out a single token."""
    attempt = honest_attempt(task, rng)
    turns = tuple(msgspec.structs.replace(turn, tokens_out=0) for turn in attempt.turns)
    return TaskScript(task=task, attempts=(msgspec.structs.replace(attempt, turns=turns),))


def _tools_alone(task: LabTask, rng: random.Random) -> TaskScript:
    """Tools are called, and there is an answer, but no model was asked anything."""
    attempt = honest_attempt(task, rng)
    turns = tuple(msgspec.structs.replace(turn, called=False) for turn in attempt.turns)
    return TaskScript(task=task, attempts=(msgspec.structs.replace(attempt, turns=turns, answer=task.gold),))


def _borrowed_work(rng: random.Random, maker: RunMaker) -> Case:
    """The steps are those of another task, prompts and all, but for the answer in the last words."""
    known = maker.tasks(10)

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        other = rng.choice([one for one in known if one.task_id != task.task_id and one.attachment is None])
        turns = (*honest_attempt(other, rng).turns[:-1], closing(rng, task.gold))
        return TaskScript(task=task, attempts=(Attempt(turns=turns, opening=usual_opening(other)),))

    return among(rng, maker, scripter)


def _made_right(result: dict[str, Any]) -> None:
    gold = result["expected_output"]
    result.update(answer=gold, correct=True, error=None, judge=None)
    result["voting"].update(answers=[gold], first_attempt_correct=True)


def _behind_a_mask(task: LabTask, rng: random.Random) -> TaskScript:
    """The last words are new, under their old hash: a masked secret in them excuses it. The judge had said no."""
    secret = rng.choice(("key", "token"))

    def edit(trajectory: dict[str, Any]) -> None:
        trajectory["final_answer"] = task.gold
        last = [step for step in trajectory["steps"] if step["type"] == "llm_call"][-1]
        words = last["head"].replace(str(final_answer(last["head"])), task.gold)
        last.update(head=f"{MASKED}{secret}] {words}", redactions=1)

    return bend(honest_script(task, rng, right=False), edit_trajectory=edit, edit_result=_made_right)


def _rewritten_all_through(task: LabTask, rng: random.Random) -> TaskScript:
    """Result and trajectory are changed when the run is over, hashes of words included: only the log knows better."""

    def edit(trajectory: dict[str, Any]) -> None:
        trajectory["final_answer"] = task.gold
        last = [step for step in trajectory["steps"] if step["type"] == "llm_call"][-1]
        words = last["head"].replace(str(final_answer(last["head"])), task.gold).encode()
        last.update(head=words.decode(), bytes=len(words), output_sha256=hashlib.sha256(words).hexdigest())

    return bend(honest_script(task, rng, right=False), edit_trajectory_late=edit, edit_result_late=_made_right)


def _answer_beside_the_words(task: LabTask, rng: random.Random) -> TaskScript:
    """The agent's last words give one answer, the books another, and everything is bound by the log."""
    script = honest_script(task, rng, right=False)
    return bend(script, attempts=(msgspec.structs.replace(script.attempts[0], answer=task.gold),))


def _unanswered_left_out(rng: random.Random, maker: RunMaker) -> Case:
    """The summary counts only tasks with a right answer or a nearly right one: its denominator is smaller."""
    scripts = honest_tasks(rng, maker, 14, right=0.5)
    fewer = rng.randint(2, 5)

    def edit(summary: dict[str, Any]) -> None:
        total = max(summary["passed"], summary["total"] - fewer)
        summary.update(total=total, finished=total, pass_rate=summary["passed"] / total)

    return whole(msgspec.structs.replace(_PLAIN, tasks=tuple(scripts), edit_summary=edit))


def _fewer_attempts_told(task: LabTask, rng: random.Random) -> TaskScript:
    """Several attempts were made and are in the log; the result tells of the last one alone."""
    wrong = [honest_attempt(task, rng, right=False) for _ in range(rng.randint(1, 3))]

    def edit(result: dict[str, Any]) -> None:
        result["attempts"] = 1
        result["voting"].update(answers=[task.gold], votes=1, cast=1, selected_attempt=1, first_attempt_correct=True)

    attempts = (*wrong, honest_attempt(task, rng))
    return TaskScript(task=task, attempts=attempts, selected=len(attempts), edit_result=edit)


def _silent_integrity(rng: random.Random, maker: RunMaker) -> Case:
    """Cached judgments were found tampered with, and the summary says that there was nothing."""
    found = tuple(
        IntegrityEvent(kind="judge_cache_tampered", detail=f"{rng.randrange(16**12):012x}: the signature does not fit")
        for _ in range(rng.randint(1, 3))
    )

    def edit(summary: dict[str, Any]) -> None:
        summary.update(judge_cache_integrity_events=0, submittable=True, non_submittable_reasons=[])

    tasks = tuple(honest_tasks(rng, maker))
    return whole(msgspec.structs.replace(_PLAIN, tasks=tasks, events=found, edit_summary=edit))


def _retries_between(task: LabTask, rng: random.Random) -> TaskScript:
    """Earlier attempts left no line in the log; the one that is told wears the number that it had among them."""
    number = rng.randint(2, 6)
    attempt = msgspec.structs.replace(honest_attempt(task, rng), number=number)
    return TaskScript(task=task, attempts=(attempt,))


TRIES = ("AUD-6", "high")
CHANGED = (("AUD-2", "high"), ("AUD-4", "high"), ("AUD-6", "high"), ("AUD-7", "high"))
DOUBTFUL = tuple((check, "medium") for check, _ in CHANGED)
IDLE = ("AUD-2", "high")

VARIANTS = (
    attack(
        "hidden-retries",
        "begun-again-inside",
        "One attempt holds several conversations.",
        each(_begun_again_inside),
        ("AUD-6", "medium"),
        ("AUD-3", "medium"),
    ),
    attack(
        "hidden-retries",
        "crashes-on-the-right-ones",
        "Crashes only where it ended well.",
        _crashes_on_the_right_ones,
        ("AUD-6", "medium"),
    ),
    attack(
        "hidden-retries",
        "same-number-twice",
        "Attempts begun again under the same number.",
        _same_number_twice,
        ("AUD-6", "medium"),
    ),
    attack(
        "hidden-retries",
        "numbers-missing",
        "The only attempt is not the first.",
        each(_retries_between),
        ("AUD-6", "medium"),
    ),
    attack("selection-by-verdict", "third-of-three", "Of three single votes the last stands.", _third_of_three, TRIES),
    attack("selection-by-verdict", "until-right", "As many attempts as it takes.", _until_right, TRIES),
    attack(
        "split-tricks",
        "easy-ones-twice",
        "Questions that stand twice under new ids.",
        _easy_ones_twice,
        ("AUD-7", "high"),
    ),
    attack(
        "split-tricks",
        "failures-at-another-level",
        "Failures told under another level.",
        _failures_at_another_level,
        ("AUD-7", "high"),
    ),
    attack("no-work", "no-tokens", "All the tools, and not one token of a model.", each(_no_tokens), IDLE),
    attack("no-work", "tools-alone", "Tools and an answer without a model.", each(_tools_alone), IDLE),
    attack(
        "no-work",
        "borrowed-work",
        "The steps of another task.",
        _borrowed_work,
        ("AUD-3", "medium"),
        *DOUBTFUL,
    ),
    attack("rewritten-answers", "behind-a-mask", "New words, excused by a mask.", each(_behind_a_mask), *DOUBTFUL),
    attack(
        "rewritten-answers", "all-through", "Everything changed but the log.", each(_rewritten_all_through), *CHANGED
    ),
    attack(
        "rewritten-answers",
        "beside-the-words",
        "The books have another answer than the words.",
        each(_answer_beside_the_words),
        *CHANGED,
    ),
    attack(
        "lies-in-counts",
        "smaller-denominator",
        "The summary counts fewer tasks.",
        _unanswered_left_out,
        ("AUD-7", "high"),
        TRIES,
    ),
    attack(
        "lies-in-counts", "fewer-attempts-told", "The result tells of one attempt.", each(_fewer_attempts_told), TRIES
    ),
    attack(
        "lies-in-counts",
        "silent-integrity",
        "Tampered entries that the summary leaves out.",
        _silent_integrity,
        ("AUD-4", "high"),
    ),
)
