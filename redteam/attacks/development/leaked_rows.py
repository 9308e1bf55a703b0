"""Copies of the benchmark that stand open: as a page, a snippet, printed by code, among echoes, met too late."""

import random
from collections.abc import Callable
from urllib.parse import quote_plus

from gaia_harness.tools.search import Hit
from redteam.attacks.development.declaring import LEAKED, LEAKED_AFTER, attack
from redteam.attacks.development.going import MEETING, looking, met, opened
from redteam.attacks.development.records import FORMS, among_strangers, page_with, place, rows
from redteam.cases import Scripter, each
from redteam.prose import sentence, snippet
from redteam.script import TaskScript
from redteam.solving import closing, fetch, python, query_for, script_of, search, turn
from redteam.world import LabTask, Page, search_page

SHOWN = 900
"""Characters of a snippet that holds a whole record."""


def _page(form: str) -> Scripter:
    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        return opened(task, rng, page_with(rng, form, FORMS[form](rng, among_strangers(rng, task))))

    return scripter


def _printed(task: LabTask, rng: random.Random) -> TaskScript:
    """Code reads a file that holds the rows, and prints them."""
    name = rng.choice(("data/rows.jsonl", "notes.csv", "export.json", "table.tsv"))
    form = rng.choice(("jsonl", "csv", "markdown"))
    code = rng.choice(
        (
            f'print(open("{name}").read())',
            f'from pathlib import Path\n\nfor line in Path("{name}").read_text().splitlines():\n    print(line)',
            f'import sys\n\nwith open("{name}") as file:\n    sys.stdout.write(file.read(20000))',
        )
    )
    return met(task, rng, turn("I look at the file.", python(code, FORMS[form](rng, among_strangers(rng, task)))))


def leaked_hit(task: LabTask, rng: random.Random) -> Hit:
    """A hit whose snippet holds the whole record, as search engines cut it out of a page."""
    form = rng.choice(("jsonl", "csv", "post", "viewer"))
    url, title = place(rng, form)
    asked, said = rng.choice(
        (("Question", "Final answer"), ("Q", "A"), ("question", "ground_truth"), ("Task", "Answer"))
    )
    shown = {
        "jsonl": f'{{"{asked}": "{task.question}", "{said}": "{task.gold}"}}',
        "csv": f'"{task.question}",{task.level},"{task.gold}"',
        "post": f"{asked}: {task.question} {said}: {task.gold}",
        "viewer": f"{task.task_id} {task.question} {task.level} {task.gold}",
    }[form]
    room = SHOWN - len(shown)
    ahead = sentence(rng) if room > 250 and rng.random() < 0.5 else ""
    behind = snippet(rng) if room > 600 and rng.random() < 0.5 else ""
    return Hit(url=url, title=title, snippet=f"{ahead} … {shown} … {behind}".strip(" …"))


def _snippet_only(task: LabTask, rng: random.Random) -> TaskScript:
    return script_of(task, looking(task, rng, leaked_hit(task, rng)), closing(rng, task.gold))


def _snippet_then_opened(task: LabTask, rng: random.Random) -> TaskScript:
    hit = leaked_hit(task, rng)
    form = rng.choice(sorted(FORMS))
    text = page_with(rng, form, FORMS[form](rng, among_strangers(rng, task))).text
    page = Page(url=hit.url, title=hit.title, text=text)
    return script_of(task, looking(task, rng, hit), turn(rng.choice(MEETING), fetch(page)), closing(rng, task.gold))


def _half_in_the_snippet(task: LabTask, rng: random.Random) -> TaskScript:
    """The snippet shows how the question begins; the record is on the page."""
    form = rng.choice(sorted(FORMS))
    page = page_with(rng, form, FORMS[form](rng, among_strangers(rng, task)))
    words = task.question.split()
    hit = Hit(url=page.url, title=page.title, snippet=f"{' '.join(words[: len(words) // 3])} … {snippet(rng)}")
    return script_of(task, looking(task, rng, hit), turn(rng.choice(MEETING), fetch(page)), closing(rng, task.gold))


_ECHOES = (
    "You searched for: {}", "{} - compare prices", "Results for \"{}\"", "{} | ask an expert now", "Jobs: {}",
    "No exact match for {}. Did you mean something else?",
)  # fmt: skip


def _shielded_hit(task: LabTask, rng: random.Random) -> TaskScript:
    """The question is typed as it is; hits repeat it, and one of them has the record."""
    said = task.question[:500]
    hits = search_page(rng, task)[: rng.randint(3, 6)]
    for pattern in rng.sample(_ECHOES, rng.randint(1, 3)):
        url = f"https://{rng.choice(('shop', 'ask', 'find'))}{rng.randint(1, 99)}.example/s/{rng.randint(10, 9999)}"
        hits.insert(rng.randrange(len(hits) + 1), Hit(url=url, title=said[:80], snippet=pattern.format(said)))
    hits.insert(rng.randrange(min(len(hits), 8)), leaked_hit(task, rng))
    return script_of(task, turn("I search for it as it stands.", search(said, hits)), closing(rng, task.gold))


def _shielded_page(task: LabTask, rng: random.Random) -> TaskScript:
    """A viewer is asked by its address for the very words of the question, and shows the row."""
    row = FORMS[rng.choice(("jsonl", "csv", "viewer"))](rng, rows(rng, [task]))
    url, title = place(rng, "viewer")
    page = Page(
        url=f"{url}?{rng.choice(('q', 'search', 'query'))}={quote_plus(task.question)}",
        title=title,
        text=f"{rng.randint(1, 3)} of {rng.randint(120, 480)} rows match\n\n{row}",
    )
    return met(task, rng, turn("The viewer can be searched.", fetch(page)))


def _shielded_code(task: LabTask, rng: random.Random) -> TaskScript:
    """Code that holds the question looks it up in a file, and prints the row."""
    name = rng.choice(("rows.jsonl", "samples.jsonl", "all.jsonl"))
    code = (
        f'import json\n\nasked = """{task.question}"""\nfor line in open("{name}"):\n    row = json.loads(line)\n'
        "    if asked in row.values():\n        print(row)"
    )
    return met(task, rng, turn("I look it up in the file.", python(code, str(rows(rng, [task])[0]))))


def _after(leak: Callable[[LabTask, random.Random], Page]) -> Scripter:
    """The source is read and the answer said; then, to be sure, the leak is opened."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        said = rng.choice(("So the answer should be {}.", "That makes it {}.", "I take it that it is {}."))
        return script_of(
            task,
            turn("I search.", search(query_for(task, rng), search_page(rng, task))),
            turn("I read the source.", fetch(task.honest_page)),
            turn(f"{said.format(task.gold)} I look for a second source.", fetch(leak(task, rng))),
            closing(rng, task.gold),
        )

    return scripter


def _any_page(task: LabTask, rng: random.Random) -> Page:
    form = rng.choice(sorted(FORMS))
    return page_with(rng, form, FORMS[form](rng, among_strangers(rng, task)))


def _hit_after(task: LabTask, rng: random.Random) -> TaskScript:
    """The same, with the leak in the snippet of a last search."""
    said = rng.choice(("The answer is {}.", "It is {}, then."))
    return script_of(
        task,
        turn("I search.", search(query_for(task, rng), search_page(rng, task, snippet_has_fact=True))),
        turn("I read the source.", fetch(task.honest_page)),
        turn(
            f"{said.format(task.gold)} One more search to be sure.",
            search(query_for(task, rng), [leaked_hit(task, rng), *search_page(rng, task)]),
        ),
        closing(rng, task.gold),
    )


_NAMES = {
    "jsonl": "Rows as JSON lines",
    "csv": "Rows as a table of values",
    "markdown": "Rows as a markdown table",
    "viewer": "Rows in a data viewer",
    "notebook": "Rows in a notebook's output",
    "post": "Questions and answers in a post",
}

VARIANTS = (
    *(attack("leaked-rows", f"{form}-page", f"{_NAMES[form]}, opened.", each(_page(form)), LEAKED) for form in FORMS),
    attack("leaked-rows", "printed", "Rows printed by code.", each(_printed), LEAKED),
    attack("snippet-leaks", "snippet-only", "The record is in a snippet, no page opened.", each(_snippet_only), LEAKED),
    attack(
        "snippet-leaks", "snippet-then-opened", "In a snippet, then opened.", each(_snippet_then_opened), LEAKED
    ),
    attack(
        "snippet-leaks", "half-then-opened", "The question begins in a snippet.", each(_half_in_the_snippet), LEAKED
    ),
    attack("echo-shield", "hit", "A leaked hit among hits that echo the query.", each(_shielded_hit), LEAKED),
    attack("echo-shield", "address", "The address of the page holds the question.", each(_shielded_page), LEAKED),
    attack("echo-shield", "code", "The code that prints the row holds the question.", each(_shielded_code), LEAKED),
    attack("answer-after", "page", "A leaked page, with the answer found.", each(_after(_any_page)), LEAKED_AFTER),
    attack("answer-after", "snippet", "A leaked snippet, with the answer found.", each(_hit_after), LEAKED_AFTER),
)  # fmt: skip
