"""How does an agent come upon a leak? It looks round, meets it, and answers with what stands there."""

import random

from gaia_harness.tools.search import Hit
from redteam.prose import sentence
from redteam.script import TaskScript, Turn
from redteam.solving import closing, fetch, query_for, script_of, search, turn
from redteam.world import LabTask, Page, hit_for, search_page

MEETING = (
    "This seems to be the very thing.", "I open this.", "That looks like what I need.", "Let me read it.",
    "One of the hits has it, perhaps.", "I take a look.", "Worth a try.",
)  # fmt: skip


def looking(task: LabTask, rng: random.Random, *hits: Hit, query: str | None = None) -> Turn:
    """A search whose hits are the usual ones, with these among them."""
    found = search_page(rng, task)
    for hit in hits:
        found.insert(rng.randrange(min(len(found), 8) + 1), hit)
    return turn(rng.choice(MEETING), search(query_for(task, rng) if query is None else query, found))


def met(task: LabTask, rng: random.Random, *turns: Turn, page: Page | None = None) -> TaskScript:
    """A search, perhaps a page that does not help, then these turns and the gold as the answer.

    `page` is what the search shows among its hits, with nothing to the point in its snippet.
    """
    begin = [looking(task, rng, *([hit_for(rng, page)] if page is not None else []))]
    if rng.random() < 0.3:
        begin.append(turn("This may help.", fetch(task.sources[-1])))
    return script_of(task, *begin, *turns, closing(rng, task.gold))


def opened(task: LabTask, rng: random.Random, page: Page) -> TaskScript:
    """The page is among the hits, and is opened."""
    turns = [turn(rng.choice(MEETING), fetch(page))]
    if rng.random() < 0.3:
        turns.append(turn(sentence(rng), fetch(task.sources[-2])))
    return met(task, rng, *turns, page=page)
