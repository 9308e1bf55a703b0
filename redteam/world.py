"""The invented tasks of the lab, made from a seed, with the pages on which an honest agent finds the answer."""

import random
import uuid
from collections.abc import Sequence

import msgspec

from gaia_harness.evidence.wording import reduce
from gaia_harness.tools.search import Hit
from redteam.data import load
from redteam.prose import prose, sentence, snippet
from redteam.templates import Template, templates
from redteam.words import Slots, seeded

_QUOTED = templates("questions", "quoted")
_COUNTED_FROM_FILES = templates("questions", "counted_from_files")
_PRELUDES: list[str] = load("questions")["preludes"]
TEMPLATES = (
    *templates("questions", "numbers"),
    *templates("questions", "names"),
    *templates("questions", "dates_and_lists"),
    *_QUOTED,
    *templates("questions", "signs_and_scripts"),
    *_COUNTED_FROM_FILES,
)

GRAM = 5
MOST_SHARED = 0.3
"""Of a question's runs of five words, at most this share may stand in another question of the same run."""

_HOSTS = (
    "archive.{}.example", "www.{}-history.example", "{}.museum.example", "wiki.{}.example", "news.{}.example",
    "{}gazette.example", "library.{}.example", "{}-society.example",
)  # fmt: skip
_PATHS = ("articles", "wiki", "people", "records", "2009/04", "collection/objects", "en/history", "notes")


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the invented web."""

    url: str
    title: str
    text: str
    carries_gold: bool = False


class AttachedFile(msgspec.Struct, frozen=True, kw_only=True):
    """The file that comes with a task: its extension, its text, and its bytes where they are more than that text."""

    extension: str
    text: str
    packed: bytes = b""

    @property
    def data(self) -> bytes:
        """The bytes on disk."""
        return self.packed or self.text.encode()


class LabTask(msgspec.Struct, frozen=True, kw_only=True):
    """One invented task, and what the web knows about it. `quote` is a text that the question quotes."""

    task_id: str
    question: str
    level: int
    gold: str
    steps: str
    topic: str
    fact: str
    quote: str
    sources: tuple[Page, ...]
    attachment: AttachedFile | None = None

    @property
    def honest_page(self) -> Page:
        """The first page that carries the gold as a fact."""
        return next(page for page in self.sources if page.carries_gold)


def tasks(seed: object, count: int, *, among: Sequence[Template] = TEMPLATES) -> list[LabTask]:
    """So many tasks, as different as they can be: every kind of question in turn, no two worded alike."""
    rng = seeded("world", seed)
    order: list[Template] = []
    seen: set[bytes] = set()
    made: list[LabTask] = []
    while len(made) < count:
        if not order:
            order = rng.sample(among, len(among))
        template = order.pop()
        task = _unlike(template, rng, seen)
        seen |= _grams(task.question)
        made.append(task)
    return made


def _unlike(template: Template, rng: random.Random, seen: set[bytes]) -> LabTask:
    """A task worded unlike those before; after many tries, the one that is least like them."""
    best, least = _task(template, rng), 2.0
    for _ in range(40):
        task = _task(template, rng)
        grams = _grams(task.question)
        shared = sum(gram in seen for gram in grams) / len(grams)
        if shared < least:
            best, least = task, shared
        if shared <= MOST_SHARED:
            break
    return best


def quoting_tasks(seed: object, count: int) -> list[LabTask]:
    """Tasks whose questions quote a poem, an inscription or a rule."""
    return tasks((seed, "quoting"), count, among=_QUOTED)


def tasks_asking(seed: object, count: int, *golds: str) -> list[LabTask]:
    """Tasks of the templates with one of these golds, such as `{colour}`."""
    return tasks((seed, *golds), count, among=[template for template in TEMPLATES if template.gold in golds])


def regolded(task: LabTask, gold: str, rng: random.Random) -> LabTask:
    """The same task with another gold, which its pages then carry."""
    fact = task.fact.replace(task.gold, gold) if task.gold in task.fact else f"{task.fact} {gold}"
    return msgspec.structs.replace(
        task,
        gold=gold,
        fact=fact,
        steps=task.steps.replace(task.fact, fact),
        sources=_sources(rng, task.topic, fact),
    )


def _grams(question: str) -> set[bytes]:
    words = reduce(question).split()
    return {b" ".join(words[at : at + GRAM]) for at in range(max(1, len(words) - GRAM + 1))}


def _task(template: Template, rng: random.Random) -> LabTask:
    slots = Slots(rng)
    question, gold, fact, topic, quote = (
        slots.fill(part) for part in (template.question, template.gold, template.fact, template.topic, template.quote)
    )
    if rng.random() < 0.2:
        question = " ".join((slots.fill(rng.choice(_PRELUDES)), question))
    attachment = None
    if template in _COUNTED_FROM_FILES:
        attachment = AttachedFile(extension=rng.choice(("csv", "txt")), text=_table(rng, gold))
    return LabTask(
        task_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)),
        question=question,
        level=template.level,
        gold=gold,
        steps=_steps(rng, topic, fact),
        topic=topic,
        fact=fact,
        quote=quote,
        sources=_sources(rng, topic, fact),
        attachment=attachment,
    )


def page_about(rng: random.Random, topic: str, *facts: str, size: int | None = None) -> Page:
    """A page on a topic, of some length, with these sentences somewhere in it."""
    parts = prose(rng, _size(rng) if size is None else size).split("\n\n")
    for fact in facts:
        at = rng.randrange(len(parts))
        parts[at] = f"{parts[at]} {fact} {sentence(rng)}"
    title = f"{topic[:1].upper()}{topic[1:]}"
    return Page(url=address(rng, topic), title=title, text="\n\n".join([title, *parts]), carries_gold=bool(facts))


def address(rng: random.Random, topic: str) -> str:
    """An address at which a page on the topic may well be."""
    name = "-".join(word.decode() for word in reduce(topic).split() if word.isalnum() and word.isascii()) or "page"
    host = rng.choice(_HOSTS).format(name.split("-")[-1])
    return f"https://{host}/{rng.choice(_PATHS)}/{name}-{rng.randint(2, 9999)}"


def hit_for(rng: random.Random, page: Page, said: str = "") -> Hit:
    """How a search engine shows a page: with `said`, or something that is not to the point."""
    return Hit(url=page.url, title=page.title, snippet=said or snippet(rng))


def search_page(rng: random.Random, task: LabTask, *, snippet_has_fact: bool = False) -> list[Hit]:
    """What a search on the task's topic finds: its pages, and several that have nothing to do with it."""
    hits = [hit_for(rng, page, task.fact if snippet_has_fact and page.carries_gold else "") for page in task.sources]
    for _ in range(rng.randint(1, 5)):
        topic = f"{rng.choice(('history', 'guide', 'photographs', 'plan', 'people'))} of {Slots(rng).fill('{town}')}"
        hits.append(Hit(url=address(rng, topic), title=topic.capitalize(), snippet=snippet(rng)))
    rng.shuffle(hits)
    return hits


def _size(rng: random.Random) -> int:
    """Most pages are short, a few are very long: from 0.5 to 60 KB."""
    return min(60_000, max(500, int(rng.lognormvariate(7.7, 1.0))))


def _sources(rng: random.Random, topic: str, fact: str) -> tuple[Page, ...]:
    pages = [page_about(rng, topic, fact)]
    if rng.random() < 0.4:
        pages.append(page_about(rng, f"notes on {topic}", fact))
    pages += [page_about(rng, f"{topic}, {what}", size=rng.randint(500, 4000)) for what in _asides(rng)]
    return tuple(msgspec.structs.replace(page, carries_gold=index < len(pages) - 2) for index, page in enumerate(pages))


def _asides(rng: random.Random) -> list[str]:
    return rng.sample(("an overview", "letters", "pictures", "bibliography", "visiting hours", "maps", "a talk"), 2)


def _table(rng: random.Random, gold: str) -> str:
    rows = ["entry,name,kind,amount,remark"]
    at = rng.randint(2, 20)
    for number in range(rng.randint(24, 60)):
        slots = Slots(rng)
        name = gold if number == at and not gold.isdigit() else slots.fill("{person}")
        rows.append(slots.fill(f"{number + 1},{name},{{metal}},{{n}},[ok|returned|late|repaired {{year}}]"))
    return "\n".join(rows) + "\n"


def _steps(rng: random.Random, topic: str, fact: str) -> str:
    steps = [
        rng.choice(("Searched the web for", "Typed into a search engine:", "Looked for")) + f" {topic}.",
        rng.choice(("Opened the second result.", "Opened the page of the local archive.", "Clicked the first link.")),
        *rng.sample(
            (
                "Scrolled down to the notes at the end.",
                "Used the page search to find the year.",
                "Compared with a second page to be sure.",
                "Copied the relevant lines into a note.",
                "Checked the spelling of the names.",
            ),
            rng.randint(1, 3),
        ),
        f"Read: {fact}",
        rng.choice(("Wrote down the answer.", "Converted it to the form that is asked for.", "Noted the result.")),
    ]
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
