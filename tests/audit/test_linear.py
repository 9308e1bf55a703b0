"""An audit is linear in everything that a run can have more of: calls are counted, and no text makes it stall."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from counted_work import calls_of, no_stall
from gaia_harness.audit.evidence import DatasetFacts, RunEvidence, open_run
from gaia_harness.audit.report import audit
from gaia_harness.records.events import RunResumed
from gaia_harness.records.run import read_stated
from gaia_harness.tasks.answers import AnswerKey, Gold
from redteam.making import RunMaker
from redteam.script import Attempt, RunScript, TaskScript, Turn, voting, with_changes
from redteam.solving import closing, fetch, python, script_of, turn
from redteam.world import LabTask, Page, tasks

SLACK = 0.05
"""Of all work: what is done once for a run need not be the same to the call."""

WORDS = ("the", "lamp", "of", "far", "pier", "was", "lit", "by", "nobody", "whom", "harbour", "office", "knew", "name")


def solved(task: LabTask, *turns: Turn) -> TaskScript:
    return script_of(task, *turns, closing(random.Random(1), task.gold))


def look(number: int) -> Turn:
    rng = random.Random(number)
    page = Page(url=f"https://p{number}.example/", title="p", text=" ".join(rng.choices(WORDS, k=60)))
    return turn(f"I look at page {number}.", fetch(page))


def of_tasks(count: int) -> RunScript:
    return RunScript(tasks=tuple(solved(task, look(1)) for task in tasks("linear", count)))


def of_steps(count: int) -> RunScript:
    (task,) = tasks("linear", 1)
    return RunScript(tasks=(solved(task, *map(look, range(count))),))


def of_questions(count: int) -> RunScript:
    """Tasks that have nothing but a question, beside five that were worked on."""
    first, others = tasks("linear", count + 5)[:5], tasks("linear", count + 5)[5:]
    worked = [solved(task, look(1)) for task in first]
    return RunScript(tasks=(*worked, *(with_changes(solved(task), lines=0, in_log=False) for task in others)))


def of_attempts(count: int) -> RunScript:
    (task,) = tasks("linear", 1)
    one = Attempt(turns=solved(task, look(1)).attempts[0].turns)
    return RunScript(tasks=(TaskScript(task=task, attempts=(one,) * count),), config=voting(count))


def of_resumes(count: int) -> RunScript:
    (task,) = tasks("linear", 1)
    return RunScript(tasks=(with_changes(solved(task, look(1)), cut_off=count),), events=(RunResumed(),) * count)


def of_lines_in_a_call(count: int) -> RunScript:
    (task,) = tasks("linear", 1)
    return RunScript(tasks=(solved(task, turn("I count.", python("x=1\n" * count, "done"))),))


def of_calls_of_code(count: int) -> RunScript:
    (task,) = tasks("linear", 1)
    code = [turn("I count.", python(f"print(open('notes{n}.txt').read())", "nothing")) for n in range(count)]
    return RunScript(tasks=(solved(task, *code),))


def of_words_in_a_prompt(count: int) -> RunScript:
    (task,) = tasks("linear", 1)
    text = " ".join(random.Random(1).choices(WORDS, k=count))
    opening = (("system", text), ("user", f"{task.question}\n\n{text}"))
    attempt = Attempt(turns=solved(task, look(1)).attempts[0].turns, opening=opening)
    return RunScript(tasks=(TaskScript(task=task, attempts=(attempt,)),))


@pytest.fixture
def made(tmp_path) -> Callable[[RunScript], RunEvidence]:
    def make(script: RunScript) -> RunEvidence:
        maker = RunMaker(Path(tmp_path, str(len(list(tmp_path.iterdir())))), "linear", source="0" * 64)
        maker.write(script)
        asked = [entry.task for entry in script.tasks]
        facts = DatasetFacts(
            questions={task.task_id: task.question for task in asked},
            levels={task.task_id: task.level for task in asked},
            key=AnswerKey({task.task_id: Gold(answer=task.gold) for task in asked}),
            digest=read_stated(maker.path).dataset.digest,
        )
        return open_run(maker.path, facts)

    return make


@pytest.mark.parametrize(
    ("script", "count"),
    [
        (of_tasks, 30),
        (of_steps, 60),
        (of_questions, 40),
        (of_attempts, 20),
        (of_resumes, 100),
        (of_lines_in_a_call, 400),
        (of_calls_of_code, 40),
        (of_words_in_a_prompt, 5_000),
    ],
)
def test_twice_as_much_is_twice_the_work(made, script, count):
    runs = [made(script(count * factor)) for factor in (1, 2, 4)]
    audit(runs[0], audited_at="now", processes=1)  # what is made once in a process is there
    least, more, most = (calls_of(lambda run=run: audit(run, audited_at="now", processes=1)) for run in runs)
    assert most - more <= 2.3 * (more - least) + SLACK * least, f"{least}, {more} and {most} calls"


@pytest.mark.parametrize(
    "text",
    [
        "a" * 300_000,
        "a " * 150_000,
        " " * 300_000,
        "\n" * 300_000,
        "(" * 300_000,
        "https://" * 40_000,
        "%25" * 100_000,
        "&amp;" * 60_000,
        "\\n" * 150_000,
        "FINAL ANSWER: " * 20_000,
        "aGVsbG8g" * 40_000,
        "'\"" * 150_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_no_text_makes_it_stall(made, text):
    (task,) = tasks("linear", 1)
    said = Turn(
        words=text,
        calls=(python(text[:8000], text), fetch(Page(url="https://a.example/", title=text[:2000], text=text))),
    )
    attempt = Attempt(
        turns=(said, closing(random.Random(1), task.gold)), opening=(("user", f"{task.question} {text}"),)
    )
    with no_stall():
        audit(made(RunScript(tasks=(TaskScript(task=task, attempts=(attempt,)),))), audited_at="now", processes=1)
