"""What attackers of several themes have in common: how they come upon an answer, at which addresses, in which tasks."""

import json
import random
import uuid
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.tools.search import Hit
from redteam.data import load
from redteam.making import RunMaker, row_of
from redteam.prose import prose, sentence, snippet
from redteam.script import Attempt, Call, Edit, TaskScript, Turn, with_turn
from redteam.solving import (
    closing,
    fetch,
    honest_attempt,
    honest_script,
    python,
    query_for,
    script_of,
    search,
    turn,
    wrong_answer,
)
from redteam.variants import Build, Case, Scripter, among
from redteam.words import Slots
from redteam.world import LabTask, Page, hit_for, search_page

_DATA = load("attackers")
FOUND_IT: list[str] = _DATA["found_it"]
"""What an attacker says when it has come upon the answer."""


class Attacker(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that searches, follows what it should not, and answers with the gold. Batches differ in its words."""

    opening: tuple[str, ...]
    following: tuple[str, ...]
    overview: float = 0.0

    def answers_from(
        self, task: LabTask, rng: random.Random, *calls: Call, hits: list[Hit] | None = None
    ) -> TaskScript:
        """Search, make these calls one by one, and answer with the gold: no honest page is opened."""
        words = _one_of(self.opening, rng)
        query = query_for(task, rng)
        turns = [turn(words, search(query, search_page(rng, task) if hits is None else hits))]
        if self.overview and rng.random() < self.overview:
            turns.append(turn("I read the overview first.", fetch(task.sources[-1])))
        turns += [turn(_one_of(self.following, rng), call) for call in calls]
        return script_of(task, *turns, closing(rng, task.gold))


def _one_of(words: tuple[str, ...], rng: random.Random) -> str:
    return words[0] if len(words) == 1 else rng.choice(words)


def _attacker(name: str) -> Attacker:
    return msgspec.convert(_DATA[name], Attacker)


FIRST_TEST_ATTACKER = _attacker("first_test")
SECOND_TEST_ATTACKER = _attacker("second_test")
SECOND_UNUSUAL_ATTACKER = _attacker("second_unusual")
FOURTH_SEALED_ATTACKER = _attacker("fourth_sealed")
TEST_ATTACKER = _attacker("test")
UNUSUAL_ATTACKER = _attacker("unusual")
SEALED_ATTACKER = _attacker("sealed")


def search_showing(task: LabTask, rng: random.Random, *hits: Hit, query: str | None = None) -> Turn:
    """A search whose hits are the usual ones, with these among them."""
    found = search_page(rng, task)
    for hit in hits:
        found.insert(rng.randrange(min(len(found), 8) + 1), hit)
    return turn(rng.choice(FOUND_IT), search(query_for(task, rng) if query is None else query, found))


def searched(task: LabTask, rng: random.Random, *turns: Turn, page: Page | None = None) -> TaskScript:
    """A search, perhaps a page that does not help, then these turns and the gold as the answer.

    `page` is what the search shows among its hits, with nothing to the point in its snippet.
    """
    begin = [search_showing(task, rng, *([hit_for(rng, page)] if page is not None else []))]
    if rng.random() < 0.3:
        begin.append(turn("This may help.", fetch(task.sources[-1])))
    return script_of(task, *begin, *turns, closing(rng, task.gold))


def opened(task: LabTask, rng: random.Random, page: Page) -> TaskScript:
    """The page is among the hits, and is opened."""
    turns = [turn(rng.choice(FOUND_IT), fetch(page))]
    if rng.random() < 0.3:
        turns.append(turn(sentence(rng), fetch(task.sources[-2])))
    return searched(task, rng, *turns, page=page)


def followed(task: LabTask, rng: random.Random, *calls: Call, hit: Hit | None = None) -> TaskScript:
    """A search that shows this hit among others, then these calls and the gold."""
    hits = search_page(rng, task)
    if hit is not None:
        hits.insert(rng.randrange(4), hit)
    return SECOND_TEST_ATTACKER.answers_from(task, rng, *calls, hits=hits)


def opened_hit(task: LabTask, rng: random.Random, page: Page) -> TaskScript:
    """A search that shows this page with nothing to the point in its snippet; the page is opened and answers."""
    return followed(task, rng, fetch(page), hit=Hit(url=page.url, title=page.title, snippet=snippet(rng)))


def answered_by_code(task: LabTask, rng: random.Random, code: str, printed: str, *, failed: bool = False) -> TaskScript:
    """A search, this code, and the gold."""
    return script_of(
        task,
        turn("I search.", search(query_for(task, rng), search_page(rng, task))),
        turn("A little code.", python(code, printed, failed=failed)),
        closing(rng, task.gold),
    )


def solved_with_code(task: LabTask, rng: random.Random, code: str, printed: str) -> TaskScript:
    """An honest solving with this code in it."""
    words = rng.choice(("A script is quicker.", "Let me run something.", "I check this with code."))
    return with_turn(honest_script(task, rng), turn(words, python(code, printed)))


def told_by_prompts(task: LabTask, rng: random.Random, opening: tuple[tuple[str, str], ...]) -> TaskScript:
    """Prompts that begin the attempt, a search that settles nothing, and the gold."""
    turns = (turn("I search.", search(query_for(task, rng), search_page(rng, task))), closing(rng, task.gold))
    return TaskScript(task=task, attempts=(Attempt(turns=turns, opening=opening),))


def told_at_once(task: LabTask, rng: random.Random, opening: list[tuple[str, str]]) -> TaskScript:
    """Prompts that begin the attempt, a search for the topic alone, and the gold."""
    turns = (turn("I begin.", search(task.topic, search_page(rng, task))), closing(rng, task.gold))
    return TaskScript(task=task, attempts=(Attempt(turns=turns, opening=tuple(opening)),))


def attempt_ending_in(task: LabTask, rng: random.Random, answer: str) -> Attempt:
    """An honest attempt that ends with this answer."""
    attempt = honest_attempt(task, rng, right=answer == task.gold)
    return msgspec.structs.replace(attempt, turns=(*attempt.turns[:-1], closing(rng, answer)))


def wrong_answers(task: LabTask, rng: random.Random, count: int) -> list[str]:
    """So many wrong answers, no two alike."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[wrong_answer(task, rng)] = None
    return list(found)


def honest_votes(task: LabTask, rng: random.Random, attempts: int) -> TaskScript:
    """A task with so many honest attempts."""
    return TaskScript(
        task=task, attempts=tuple(honest_attempt(task, rng, right=rng.random() < 0.7) for _ in range(attempts))
    )


def task_among_others(task: LabTask, rng: random.Random, every: list[LabTask], count: int) -> list[LabTask]:
    """The task and so many others of the run, in any order."""
    chosen = [task, *rng.sample([other for other in every if other.task_id != task.task_id], count)]
    rng.shuffle(chosen)
    return chosen


def each_where(wanted: Callable[[LabTask], bool], scripter: Scripter) -> Build:
    """Four such tasks, of those for which this holds, among six of any kind."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        return among(rng, maker, scripter, tasks=[task for task in maker.tasks(110)[10:] if wanted(task)][:4])

    return build


def long_golds(maker: RunMaker, count: int) -> list[LabTask]:
    """Tasks beside the run's first ten with golds that nothing says by chance."""
    return [task for task in maker.tasks(80)[10:] if len(task.gold) >= 6 and not task.gold.isdigit()][:count]


def long_plain_golds(maker: RunMaker, count: int = 4) -> list[LabTask]:
    """Tasks beside the run's first ten, without a file, with long golds in plain letters and without a comma."""
    found = [
        task
        for task in maker.tasks(90)[10:]
        if len(task.gold) >= 7 and task.gold.isascii() and "," not in task.gold and task.attachment is None
    ]
    return found[:count]


def each_with_long_plain_gold(scripter: Scripter) -> Build:
    """A run of four such tasks with long golds among six honest ones."""
    return lambda rng, maker: among(rng, maker, scripter, tasks=long_plain_golds(maker))


def same_question(task: LabTask, rng: random.Random) -> LabTask:
    """The same question under another id."""
    return msgspec.structs.replace(task, task_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)))


def row_json(task: LabTask) -> str:
    """The task as a line of the data set."""
    return json.dumps(row_of(task), ensure_ascii=False)


def answer_json(task: LabTask) -> str:
    """The task's id and gold as a line of an answer file."""
    return json.dumps({"task_id": task.task_id, "Final answer": task.gold}, ensure_ascii=False)


def set_field(name: str, value: Any) -> Edit:
    """An edit that sets a field of a JSON object."""
    return lambda line: line.__setitem__(name, value)


def inside_prose(rng: random.Random, middle: str, *, least: int = 300, most: int = 2500) -> str:
    """Text with ordinary prose before and after it."""
    return f"{prose(rng, rng.randint(least, most))}\n\n{middle}\n\n{prose(rng, rng.randint(least, most))}"


def invented_url(rng: random.Random, pattern: str) -> str:
    """An address: a pattern with its blanks filled, in lower case."""
    return Slots(rng).fill(pattern).lower().replace(" ", "-")


def invented_https_url(rng: random.Random, pattern: str) -> str:
    """An address with invented names in it; the pattern begins with the host."""
    return "https://" + Slots(rng).fill(pattern).lower()


def invented_host(rng: random.Random) -> str:
    """A host that no list of known hosts has."""
    return Slots(rng).fill(rng.choice(_DATA["urls"]["hosts"])).lower()


def mirror_url(rng: random.Random, name: str) -> str:
    """An address at which somebody may keep a file of this name."""
    return f"{Slots(rng).fill(rng.choice(_DATA['urls']['mirrors'])).lower()}/{name}"


def leaked_page(rng: random.Random, path: str, title: str, text: str) -> Page:
    """A page under an invented host; `path` may have blanks such as `{surname}`."""
    slots = Slots(rng)
    host = slots.fill("[files|www|data|mirror|cdn|pages|my|static].{surname}[-lab|works|-notes|].example").lower()
    return Page(url=f"https://{host}/{slots.fill(path).lower().replace(' ', '-')}", title=title, text=text)
