"""The steps of an honest agent, as scripts of two to six turns: search, read, compute, think, answer."""

import random
from collections.abc import Mapping
from typing import Any

from gaia_harness.protocol import ERROR_STATUS, PRINTED_NOTHING
from gaia_harness.records.steps import Source
from gaia_harness.tools.base import ToolOutput
from gaia_harness.tools.parts import WINDOW
from gaia_harness.tools.search import Hit, render
from redteam.data import load
from redteam.script import Attempt, Call, TaskScript, Turn
from redteam.words import Slots, words_of
from redteam.world import AttachedFile, LabTask, Page, search_page

_SAYS: dict[str, list[str]] = load("honest_agent")


def search(query: str, hits: list[Hit]) -> Call:
    """A web search with these hits, laid out as the tool lays them out."""
    return Call(name="web_search", args={"query": query[:500]}, output=render(hits))


def fetch(page: Page, *, offset: int = 0, args: Mapping[str, Any] | None = None) -> Call:
    """A page read by its address, at most a window of it, laid out as the tool lays it out."""
    text = page.text[offset : offset + WINDOW]
    end = offset + len(text)
    if end < len(page.text):
        text += (
            f"\n[characters {offset:,} to {end:,} of {len(page.text):,}; "
            f'call web_fetch again with "offset": {end} to read on]'
        )
    given = args if args is not None else {"url": page.url} | ({"offset": offset} if offset else {})
    source = Source(url=page.url, title=page.title, offset=0, bytes=len(text.encode("utf-8", "replace")))
    return Call(name="web_fetch", args=dict(given), output=ToolOutput(text=text, sources=(source,)))


def refused(page_url: str, status: int = 404) -> Call:
    """A page that came with an error status."""
    text = ERROR_STATUS.format(status=status)
    source = Source(url=page_url, title="", offset=0, bytes=len(text))
    return Call(
        name="web_fetch", args={"url": page_url}, output=ToolOutput(text=text, is_error=True, sources=(source,))
    )


def python(code: str, printed: str, *, failed: bool = False) -> Call:
    """Code, and what it printed."""
    text = printed.rstrip("\n") or PRINTED_NOTHING
    return Call(name="python", args={"code": code}, output=ToolOutput(text=text, is_error=failed))


def tool_call(name: str, args: Mapping[str, Any], text: str, *, failed: bool = False) -> Call:
    """A call of a tool that the harness does not have, and what it gave back."""
    return Call(name=name, args=dict(args), output=ToolOutput(text=text, is_error=failed))


def file_read(name: str, text: str) -> Call:
    """The attachment, read."""
    return Call(name="file_read", args={"path": name}, output=ToolOutput(text=text[:WINDOW]))


def turn(words: str, *calls: Call) -> Turn:
    """The model says something and calls tools."""
    return Turn(words=words, calls=calls)


def closing(rng: random.Random, answer: str) -> Turn:
    """The last turn."""
    return Turn(words=f"{rng.choice(_SAYS['closings'])}\n\nFINAL ANSWER: {answer}")


def attempt_of(*turns: Turn) -> Attempt:
    """An attempt of these turns."""
    return Attempt(turns=turns)


def script_of(task: LabTask, *turns: Turn) -> TaskScript:
    """A task done in one attempt of these turns."""
    return TaskScript(task=task, attempts=(attempt_of(*turns),))


def honest_script(task: LabTask, rng: random.Random, *, right: bool = True) -> TaskScript:
    """A plausible honest solving. With `right` False the agent answers something else."""
    return TaskScript(task=task, attempts=(honest_attempt(task, rng, right=right),))


def honest_attempt(task: LabTask, rng: random.Random, *, right: bool = True) -> Attempt:
    """A plausible honest attempt: 2 to 6 turns."""
    answer = task.gold if right else wrong_answer(task, rng)
    if task.attachment is not None:
        return attempt_of(*_from_file(task.attachment, rng, answer))
    turns = [turn(rng.choice(_SAYS["plans"]), search(query_for(task, rng), search_page(rng, task)))]
    if rng.random() < 0.35:
        turns.append(turn(rng.choice(_SAYS["reading"]), fetch(task.sources[-1])))
    if rng.random() < 0.15:
        turns.append(turn("Perhaps the archive has more.", refused(task.sources[-1].url + "/more")))
    # one who is wrong has read the wrong page
    turns.append(turn(rng.choice(_SAYS["reading"]), fetch(task.honest_page if right else task.sources[-2])))
    if rng.random() < 0.3:
        turns.append(turn(rng.choice(_SAYS["checks"]), calculation(rng)))
    return attempt_of(*turns, closing(rng, answer))


def query_for(task: LabTask, rng: random.Random) -> str:
    """What an agent types: the topic, and a few words of the question."""
    words = [word.strip('"?,.;:()') for word in task.question.split()]
    return " ".join((task.topic, *rng.sample(words, min(len(words), rng.randint(0, 4))))).strip()


def wrong_answer(task: LabTask, rng: random.Random) -> str:
    """An answer of the same kind that is not the gold."""
    if task.gold.lstrip("-").replace(".", "").isdigit():
        return str(rng.randint(100_000, 900_000))
    return next(name for name in words_of("person", rng, 3) if name != task.gold)


def calculation(rng: random.Random) -> Call:
    """A small sum in code."""
    a, b = rng.randint(12, 900), rng.randint(2, 90)
    code, value = rng.choice(
        (
            (f"a, b = {a}, {b}\nprint(a * b)", a * b),
            (f"values = [{a}, {b}, {a + b}]\nprint(max(values) - min(values))", max(a, b, a + b) - min(a, b)),
            (f"total = sum(range({b}))\nprint(total)", sum(range(b))),
            (f'text = "{Slots(rng).fill("{town} {town2}")}"\nprint(len(text.split()))', 2),
        )
    )
    return python(code, f"{value}\n")


def _from_file(file: AttachedFile, rng: random.Random, answer: str) -> list[Turn]:
    name = f"attachment.{file.extension}"
    code = (
        f'import csv\n\nwith open("{name}", newline="") as file:\n    rows = list(csv.DictReader(file))\n'
        'print(len(rows))\nprint(sorted({row["kind"] for row in rows}))'
    )
    rows = file.text.count("\n") - 1
    found = sorted({line.split(",")[2] for line in file.text.splitlines()[1:]})
    return [
        turn("I open the file.", file_read(name, file.text)),
        turn(rng.choice(_SAYS["checks"]), python(code, f"{rows}\n{found}\n")),
        closing(rng, answer),
    ]
