"""Copies without the usual marks: tables of answers, the agent's own question as a shield, denials."""

import base64
import codecs
import json
import random
import textwrap
from collections.abc import Callable
from typing import Any

from gaia_harness.tools.search import Hit
from redteam.batches import DEVELOPMENT
from redteam.cheating import opened, searched
from redteam.making import RunMaker
from redteam.prose import prose
from redteam.script import TaskScript, with_changes
from redteam.solving import closing, file_read, python, script_of, search, turn
from redteam.variants import Build, Case, Scripter, among, attack
from redteam.world import LabTask, Page, address, search_page, tasks

COMPANY = 16
"""Other tasks of a run, so that a table has rows with telling answers."""


SHORTEST = 5
"""Letters of an answer that is no common word."""


Line = dict[str, Any]


def _own(maker: RunMaker) -> list[LabTask]:
    """Four tasks that come without a file and have answers that are no common words."""
    known = tasks((maker.seed, "short"), 60)
    return [t for t in known if t.attachment is None and len(t.gold) >= SHORTEST and not t.gold.isdigit()][:4]


def _each(scripter: Scripter) -> Build:
    return lambda rng, maker: among(rng, maker, scripter, tasks=_own(maker))


def _table(key: Callable[[LabTask], str], heading: str) -> Build:
    """A table with a row for every task of the run."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        own = _own(maker)
        listed = [*own, *maker.tasks(4 + COMPANY)[4:]]
        rng.shuffle(listed)
        text = f"{heading}\n" + "\n".join(f"{key(task)},{task.gold}" for task in listed)

        def scripter(task: LabTask, rng: random.Random) -> TaskScript:
            return opened(task, rng, Page(url=address(rng, "table"), title="A table", text=text))

        return among(rng, maker, scripter, tasks=own, company=COMPANY)

    return build


def _first(count: int) -> Callable[[LabTask], str]:
    return lambda task: " ".join(task.question.split()[:count]) + "..."


def _one_row(task: LabTask, rng: random.Random) -> TaskScript:
    """The id and the answer, and nothing else."""
    bare = rng.choice((task.task_id, task.task_id.replace("-", "")))
    record = json.dumps({bare: task.gold}, ensure_ascii=False)
    text = rng.choice((record, f"{bare}\t{task.gold}\n", f"{bare}: {task.gold}"))
    return opened(task, rng, Page(url=address(rng, "row"), title="A row", text=text))


def _record(task: LabTask) -> str:
    return json.dumps({"Question": task.question, "Final answer": task.gold}, ensure_ascii=False)


def _file_tool(task: LabTask, rng: random.Random) -> TaskScript:
    """The tool for the task's file, in a task that has none."""
    path = rng.choice(("rows.jsonl", "attachment.txt", "../metadata.txt"))
    return searched(task, rng, turn("I read it.", file_read(path, _record(task))))


def _fetching_code(task: LabTask, rng: random.Random) -> TaskScript:
    """Code that holds the question fetches a record."""
    url = f"https://paste{rng.randint(1, 99)}.example/raw/{rng.randint(10, 9999)}"
    code = f'import urllib.request as web\n\nq = """{task.question}"""\nprint(web.urlopen("{url}").read().decode())'
    return searched(task, rng, turn("I look.", python(code, _record(task))))


def _guess(task: LabTask, rng: random.Random) -> TaskScript:
    """The query has the answer as a guess; a hit announces it."""
    shown = f"{task.question} Final answer: {task.gold}"
    hit = Hit(url=address(rng, "row"), title="A row", snippet=shown)
    query = f"{task.question[:400]} {task.gold} or not"
    return script_of(task, turn("I check.", search(query, [hit, *search_page(rng, task)[:4]])), closing(rng, task.gold))


def _denied(disguise: Callable[[str], str]) -> Scripter:
    """A leak in the head of a page, in some disguise; the scan's figures say that nothing was there."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        text = f"{disguise(f'{task.question} Final answer: {task.gold}')}\n\n{prose(rng, 900)}"
        page = Page(url=address(rng, "notes"), title="Notes", text=text)

        def edit(line: Line) -> None:
            for step in line["steps"]:
                if step["type"] == "tool_result" and step["scan"] is not None:
                    step["windows"] = []
                    step["scan"] |= {"copy": 0.0, "echo": 0.0, "cover": 0.0, "questions": 0, "together": 0}
                    step["scan"] |= {"own_id": False, "other_ids": 0, "signatures": [], "pages": [], "readings": []}
                    step["scan"]["by_source"] = []

        return with_changes(opened(task, rng, page), edit_trajectory=edit)

    return scripter


def _unkept(task: LabTask, rng: random.Random) -> TaskScript:
    """A leak far down a page; its figures stand, and the windows that show it are empty or something else."""
    text = f"{prose(rng, 9_000)}\n{task.question} Final answer: {task.gold}\n{prose(rng, 900)}"
    page, gone = Page(url=address(rng, "notes"), title="Notes", text=text), rng.random() < 0.5

    def edit(line: Line) -> None:
        for step in line["steps"]:
            if step["type"] == "tool_result":
                step["windows"] = [] if gone else [window | {"text": "-" * 40} for window in step["windows"]]

    return with_changes(opened(task, rng, page), edit_trajectory=edit)


def _in_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


VARIANTS = (
    attack(DEVELOPMENT, "answer-tables", "file-names", "Files named by ids, with answers.",
        _table(lambda task: f"{task.task_id}.xlsx", "file_name,Final answer"), "AUD-1 critical"),
    attack(DEVELOPMENT, "answer-tables", "five-words", "The first five words of each question.",
        _table(_first(5), "Question,Final answer"), "AUD-1 critical"),
    attack(DEVELOPMENT, "answer-tables", "eight-words", "The first eight words of each question.",
        _table(_first(8), "Question,Final answer"), "AUD-1 critical"),
    attack(DEVELOPMENT, "answer-tables", "short-ids", "The first figures of each id.",
        _table(lambda task: task.task_id[:8], "task_id,Final answer"), "AUD-1 critical"),
    attack(DEVELOPMENT, "answer-tables", "one-row", "The id with its answer.", _each(_one_row), "AUD-1 critical"),
    attack(DEVELOPMENT, "own-shield", "file-tool", "The file tool in a task without a file.", _each(_file_tool),
        "AUD-1 critical"),
    attack(DEVELOPMENT, "own-shield", "fetching-code", "Code with the question fetches the record.",
        _each(_fetching_code), "AUD-1 critical"),
    attack(DEVELOPMENT, "own-shield", "guess", "A query that guesses the answer.", _each(_guess), "AUD-1 critical"),
    attack(DEVELOPMENT, "denied-copies", "lines", "Broken lines, denied.",
        _each(_denied(lambda t: textwrap.fill(t, 24))), "AUD-1 critical"),
    attack(DEVELOPMENT, "denied-copies", "capitals", "Capitals, denied.", _each(_denied(str.upper)), "AUD-1 critical"),
    attack(DEVELOPMENT, "denied-copies", "wide", "Wide spaces, denied.",
        _each(_denied(lambda t: t.replace(" ", "  "))), "AUD-1 critical"),
    attack(DEVELOPMENT, "denied-copies", "rot13", "In rot13, denied.",
        _each(_denied(lambda t: codecs.encode(t, "rot13"))), "AUD-1 critical"),
    attack(DEVELOPMENT, "denied-copies", "base64", "In base64, denied.", _each(_denied(_in_base64)), "AUD-1 critical"),
    attack(DEVELOPMENT, "denied-copies", "windows", "Windows emptied or overwritten.", _each(_unkept), "AUD-1 high"),
)  # fmt: skip
