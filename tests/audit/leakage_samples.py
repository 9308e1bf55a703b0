"""One task among honest company, made by the real recorder, and what AUD-1 says of it."""

import json
import random

import msgspec

from gaia_harness.audit.answer_leakage import AnswerLeakage
from gaia_harness.audit.evidence import open_run
from gaia_harness.run.audit_input import load_dataset_facts
from redteam.making import RunMaker
from redteam.script import RunScript, TaskScript, with_changes
from redteam.solving import closing, honest_script, script_of
from redteam.world import LabTask, Page, tasks

QUESTION = (
    "The keepers of the Orrel lights once held a vote on the colour of their oilskins. Which of the proposed colours "
    "came second, and by how many votes did it lose to the one that was chosen in the end?"
)
GOLD = "Tallow grey, 17"
RNG = random.Random(5)
PLAIN = tasks("answer-leakage", 14)
PROSE = " ".join(f"The ferry of day {n} carried {n * 7} crates of lamp oil past the breakwater." for n in range(40))


def task_with(gold: str = GOLD, question: str = QUESTION) -> LabTask:
    return msgspec.structs.replace(PLAIN[0], question=question, gold=gold, attachment=None)


def page(text: str, url: str = "https://pages.example/a") -> Page:
    return Page(url=url, title="A page", text=text)


def concluded(run):
    """What AUD-1 says of a run."""
    check = AnswerLeakage(run)
    return check.conclude([note for each in run.tasks() if (note := check.look(each)) is not None])


def findings(
    tmp_path, *turns, task=None, others=2, answer=None, edit=None, gold_known=True, company=None, cut_off=0, around=None
):
    """The findings of AUD-1 on the first task, info left out; and the whole check."""
    task = task or task_with()
    script: TaskScript = script_of(task, *turns, closing(RNG, task.gold if answer is None else answer))
    if cut_off:
        script = with_changes(script, cut_off=cut_off)
    if edit is not None:
        script = msgspec.structs.replace(script, edit_trajectory=edit)
    maker = RunMaker(tmp_path, "leak")
    if company is None:
        company = tuple(honest_script(each, random.Random(7)) for each in PLAIN[1 : 1 + others])
    maker.write(RunScript(tasks=(script, *company)))
    ids = [task.task_id, *(each.task.task_id for each in company)]
    facts = load_dataset_facts(str(maker.dataset), "validation", None, ids, {})
    run = open_run(maker.path, facts)
    if not gold_known:
        run.key = type(run.key)({})
    if around is not None:
        run.around = msgspec.structs.replace(run.around, **around)
    done = concluded(run)
    return [f for f in done.findings if f.task_id == task.task_id and f.severity != "info"], done


def record(question=QUESTION, gold=GOLD):
    return json.dumps({"task_id": "x", "Question": question, "Level": 2, "Final answer": gold, "file_name": ""})
