"""Errors of tools, reminders, troubles in a vote, crashes."""

import random
from typing import Any

import msgspec

from gaia_harness import protocol
from gaia_harness.tools.base import ToolOutput
from redteam.batches import FOURTH_SEALED
from redteam.making import RunMaker
from redteam.questions.shaped import each_shape, shaped, solved
from redteam.script import Attempt, Call, RunScript, TaskScript, Turn, voting, with_changes
from redteam.solving import closing, fetch, honest_attempt, python, refused, search, turn
from redteam.variants import Build, Case, honest, whole
from redteam.world import LabTask, search_page

_FAILURES = (
    "The model did not answer: status 529, overloaded.",
    "The model did not answer within 300 seconds.",
    "no answer within 30 turns",
    "The reply was cut off at the limit of tokens.",
)


def _failed(name: str, args: dict[str, Any] | None, said: str, raw: str | None = None) -> Call:
    return Call(name=name, args=args, output=ToolOutput(text=said, is_error=True), raw=raw)


def _unreachable(task: LabTask, rng: random.Random) -> TaskScript:
    """The page answers with one error after the other, then comes."""
    url = task.honest_page.url
    statuses = rng.sample((403, 429, 500, 502, 503), rng.randint(2, 4))
    turns = [turn("I try once more.", refused(url, status)) for status in statuses]
    slow = _failed("web_fetch", {"url": url}, "The page did not come within 60 seconds.")
    return solved(task, rng, *turns, turn("Again.", slow))


def _wrong_calls(task: LabTask, rng: random.Random) -> TaskScript:
    """Calls that are no JSON, to tools that do not exist, with arguments that do not fit."""
    broken = _failed("web_search", None, "The arguments are not JSON.", raw='{"query": "' + task.topic)
    unknown = _failed(
        rng.choice(("submit_answer", "evaluate", "check_answer")), {"answer": task.topic}, "There is no such tool."
    )
    lacking = _failed("web_fetch", {"link": task.honest_page.url}, 'The argument "url" is missing.')
    return solved(task, rng, turn("Searching.", broken), turn("Done?", unknown), turn("The page.", lacking))


def _tracebacks(task: LabTask, rng: random.Random) -> TaskScript:
    """Code that fails: tracebacks name files and lines, one after another."""
    trace = (
        'Traceback:\n  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode\nValueError: Expecting value'
    )
    key = "Traceback (most recent call last):\n  File \"<stdin>\", line 4, in <module>\nKeyError: 'answer'"
    turns = [
        turn("I compute.", python("import json\nprint(json.loads(''))", trace, failed=True)),
        turn("Hm.", python("found = {}\n\n\nprint(found['answer'])", key, failed=True)),
        turn("Time is short.", python("while True:\n    pass", "The code ran longer than 60 seconds.", failed=True)),
        turn(
            "No net here.",
            python(
                "import urllib.request as u\nprint(u.urlopen('https://archive.example').read())",
                "URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
                failed=True,
            ),
        ),
    ]
    return solved(task, rng, *rng.sample(turns, 3))


def _wall(task: LabTask, rng: random.Random) -> TaskScript:
    """A page that wants a person: a puzzle, a log-in, a consent; it says access denied."""
    text = rng.choice(
        (
            "Access denied. Please verify that you are human.",
            "Sign in to read on. Your answer: [ ]",
            "We use cookies. Accept all?",
        )
    )
    wall = fetch(msgspec.structs.replace(task.honest_page, text=text))
    return solved(task, rng, turn("I open it.", wall), turn("Nothing found.", search(f"{task.topic} mirror", [])))


def _no_answer_yet(task: LabTask, rng: random.Random) -> TaskScript:
    """The agent forgets to answer and is reminded, as every agent is here."""
    script = solved(task, rng, turn("I know it now: it is on the page."), after=True)
    first = script.attempts[0]
    last = msgspec.structs.replace(first.turns[-1], prompts=(("user", protocol.NO_ANSWER_YET),))
    return with_changes(script, attempts=(msgspec.structs.replace(first, turns=(*first.turns[:-1], last)),))


def given_up(task: LabTask, rng: random.Random) -> Attempt:
    """An attempt that came to no answer."""
    turns = (turn("I search.", search(task.topic, search_page(rng, task))), Turn(words="I go on."))
    return Attempt(turns=turns[: rng.randint(1, 2)], answer=None, error=rng.choice(_FAILURES))


def _votes(task: LabTask, rng: random.Random, votes: int, fails: float) -> tuple[Attempt, ...]:
    """Attempts of which some fail and some are wrong, with no hand in which."""
    return tuple(
        given_up(task, rng) if rng.random() < fails else honest_attempt(task, rng, right=rng.random() < 0.65)
        for _ in range(votes)
    )


def _all_tasks(maker: RunMaker) -> list[LabTask]:
    return [*shaped(maker, 9), *maker.tasks(15)]


def _vote(votes: int, fails: float) -> Build:
    def build(rng: random.Random, maker: RunMaker) -> Case:
        scripts = [TaskScript(task=task, attempts=_votes(task, rng, votes, fails)) for task in _all_tasks(maker)]
        rng.shuffle(scripts)
        return whole(RunScript(tasks=tuple(scripts), config=voting(votes)))

    return build


def crashed(scripts: list[TaskScript], rng: random.Random, *, twice: bool = False) -> list[TaskScript]:
    """The same run with a crash in its second half: what the four workers had in hand is begun anew."""
    at = rng.randrange(len(scripts) // 2, len(scripts) - 6)
    hit = {at + number: 1 + (twice and number == 0) for number in range(rng.randint(2, 4))}
    return [with_changes(script, cut_off=hit.get(number, 0)) for number, script in enumerate(scripts)]


def _crash(votes: int, *, twice: bool = False) -> Build:
    def build(rng: random.Random, maker: RunMaker) -> Case:
        scripts = [TaskScript(task=task, attempts=_votes(task, rng, votes, 0.05)) for task in _all_tasks(maker)]
        rng.shuffle(scripts)
        return whole(RunScript(tasks=tuple(crashed(scripts, rng, twice=twice)), config=voting(votes)))

    return build


def _crash_within_a_vote(rng: random.Random, maker: RunMaker) -> Case:
    """One task had ended its first attempt when the crash came in its second: three new ones follow."""
    scripts = [TaskScript(task=task, attempts=_votes(task, rng, 3, 0.1)) for task in _all_tasks(maker)]
    at = rng.randrange(8, len(scripts) - 4)
    rng.shuffle(scripts)
    scripts[at] = with_changes(scripts[at], cut_off=2)
    scripts[at + 1] = with_changes(scripts[at + 1], cut_off=1)
    hash_of_lost_steps = f"{rng.getrandbits(256):064x}"

    def one_crash(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The first of the two resumptions was none: there the first attempt ended."""
        first = next(number for number, event in enumerate(events) if event["event"] == "run_resumed")
        task_id = scripts[at].task.task_id
        ended = {"event": "attempt_finished", "seq": 0, "time": events[first]["time"], "task_id": task_id, "attempt": 1}
        events[first] = ended | {"steps": 7, "steps_sha256": hash_of_lost_steps}
        return events

    return whole(RunScript(tasks=tuple(scripts), config=voting(3), edit_log=one_crash))


def _some_unanswered(rng: random.Random, maker: RunMaker) -> Case:
    """A single attempt each, of which several come to nothing."""
    scripts = [
        TaskScript(task=task, attempts=(given_up(task, rng) if rng.random() < 0.3 else honest_attempt(task, rng),))
        for task in _all_tasks(maker)
    ]
    return whole(RunScript(tasks=tuple(scripts)))


def _late_finish(task: LabTask, rng: random.Random) -> TaskScript:
    """Out of turns: the agent is told to answer, as every agent is, and answers."""
    turns = [turn(f"Try {number}.", search(f"{task.topic} {number}", search_page(rng, task))) for number in range(12)]
    last = msgspec.structs.replace(closing(rng, task.gold), prompts=(("user", protocol.LAST_TURN),))
    return TaskScript(task=task, attempts=(Attempt(turns=(*turns, turn("Ah.", fetch(task.honest_page)), last)),))


ERRORS_AND_CRASHES_SCRIPTERS = (_unreachable, _wrong_calls, _tracebacks, _wall, _no_answer_yet, _late_finish)


VARIANTS = (
    honest(FOURTH_SEALED, "tool-errors", "unreachable", "A page that refuses several times.", each_shape(_unreachable)),
    honest(FOURTH_SEALED, "tool-errors", "wrong-calls", "Calls that no tool understands.", each_shape(_wrong_calls)),
    honest(FOURTH_SEALED, "tool-errors", "tracebacks", "Code that fails again and again.", each_shape(_tracebacks)),
    honest(FOURTH_SEALED, "tool-errors", "wall", "A page that wants a person.", each_shape(_wall)),
    honest(FOURTH_SEALED, "reminders", "no-answer-yet", "The agent forgets to answer and is reminded.",
        each_shape(_no_answer_yet)),
    honest(FOURTH_SEALED, "reminders", "last-turn", "Out of turns, the agent answers.", each_shape(_late_finish)),
    honest(FOURTH_SEALED, "voting-troubles", "three-with-errors", "Three votes, of which some fail.", _vote(3, 0.25)),
    honest(FOURTH_SEALED, "voting-troubles", "five-mostly-failing", "Five votes, half of them without an answer.",
        _vote(5, 0.5)),
    honest(FOURTH_SEALED, "voting-troubles", "unanswered", "One attempt each, several without an answer.",
        _some_unanswered),
    honest(FOURTH_SEALED, "crashes", "once", "A crash, then the run goes on.", _crash(1)),
    honest(FOURTH_SEALED, "crashes", "twice", "Two crashes.", _crash(1, twice=True)),
    honest(FOURTH_SEALED, "crashes", "voting", "A crash in a run with three votes.", _crash(3)),
    honest(FOURTH_SEALED, "crashes", "within-a-vote", "A crash between the votes of a task.", _crash_within_a_vote),
)  # fmt: skip
