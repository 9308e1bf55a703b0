"""Honest records with gaps, oddities and detours."""

import random
from typing import Any

import msgspec

from gaia_harness.protocol import LAST_TURN
from gaia_harness.tools.base import ToolOutput
from redteam.batches import SEVENTEENTH_SEALED
from redteam.honest_steps import maybe_wrong, prompted, worked
from redteam.making import RunMaker
from redteam.prose import prose
from redteam.script import EMPTY_RUN, Attempt, Call, TaskScript, Turn, with_changes
from redteam.solving import (
    closing,
    fetch,
    honest_script,
    query_for,
    refused,
    script_of,
    search,
    tool_call,
    turn,
    wrong_answer,
)
from redteam.variants import Case, each, honest, honest_tasks, whole, with_other_tasks
from redteam.words import Slots
from redteam.world import LabTask, address, page_about, search_page


def _no_token_counts(task: LabTask, rng: random.Random) -> TaskScript:
    """A server of one's own that does not count."""
    first = honest_script(task, rng, right=rng.random() < 0.8).attempts[0]
    turns = tuple(msgspec.structs.replace(each, tokens_in=None, tokens_out=None) for each in first.turns)
    return TaskScript(task=task, attempts=(Attempt(turns=turns),))


def _bad_json(task: LabTask, rng: random.Random) -> TaskScript:
    query = query_for(task, rng)
    raw = rng.choice((f'{{"query": "{query}', f"query={query}", f'{{"query": "{query}",}}', "<tool_call>web_search"))
    broken = Call(
        name="web_search",
        args=None,
        output=ToolOutput(text="The arguments are not a JSON object.", is_error=True),
        raw=raw,
    )
    again = turn("I mistyped that.", search(query, search_page(rng, task)))
    return script_of(
        task,
        turn("I search.", broken),
        again,
        turn("I open it.", fetch(task.honest_page)),
        closing(rng, maybe_wrong(task, rng)),
    )


def _not_offered(task: LabTask, rng: random.Random) -> TaskScript:
    answer = maybe_wrong(task, rng)
    name, args = rng.choice(
        (
            ("bash", {"command": "ls"}),
            ("visit_webpage", {"url": task.sources[0].url}),
            ("final_answer", {"answer": answer}),
            ("wikipedia_search", {"query": task.topic}),
        )
    )
    missing = turn("I try this first.", tool_call(name, args, f"There is no tool {name}.", failed=True))
    return worked(task, rng, missing, last=closing(rng, answer))


def _snippet_only(task: LabTask, rng: random.Random) -> TaskScript:
    """The hit itself says it, and no page is opened."""
    hits = search_page(rng, task, snippet_has_fact=True)
    return script_of(task, turn("I search.", search(query_for(task, rng), hits)), closing(rng, task.gold))


def _blocked_guess(task: LabTask, rng: random.Random) -> TaskScript:
    """Nothing can be opened, and the model guesses."""
    turns = [
        turn("I look for it.", search(query_for(task, rng), search_page(rng, task))),
        *(turn("Blocked. Another one.", refused(address(rng, task.topic), 403)) for _ in range(rng.randint(2, 4))),
    ]
    guess = Turn(
        words="No page could be opened, so that this is a guess from what I remember.\n\nFINAL ANSWER: "
        f"{wrong_answer(task, rng)}"
    )
    return script_of(task, *turns, guess)


def _long_thoughts(task: LabTask, rng: random.Random) -> TaskScript:
    script = honest_script(task, rng, right=rng.random() < 0.8)
    first = script.attempts[0]
    thoughtful = tuple(
        msgspec.structs.replace(each, thoughts=prose(rng, rng.choice((900, 9000, 70_000)))) for each in first.turns
    )
    return with_changes(script, attempts=(Attempt(turns=thoughtful),))


def _same_page(task: LabTask, rng: random.Random, others: list[LabTask]) -> TaskScript:
    """One page serves several tasks of the run."""
    facts = [task.fact, *(other.fact for other in rng.sample(others, 2))]
    page = page_about(rng, Slots(rng).fill("miscellany of {town}"), *facts)
    return script_of(
        task,
        turn("I search.", search(query_for(task, rng), search_page(rng, task))),
        turn("A miscellany with a bit of everything.", fetch(page)),
        closing(rng, task.gold),
    )


def _compacted(task: LabTask, rng: random.Random) -> TaskScript:
    """The loop sums up what came before, when the conversation is too long."""
    seen = "opened the file and counted" if task.attachment is not None else f"opened a page; noted: {task.fact}"
    notes = Slots(rng).fill(
        f"Summary of the work so far: {task.topic}; {seen} [Still to do: check the form of the answer.|Next: answer.]"
    )
    asked = f"The conversation was compacted. {notes} Continue from here."
    return worked(task, rng, last=prompted(f"I go on from the summary.\n\nFINAL ANSWER: {task.gold}", asked))


def _masked(task: LabTask, rng: random.Random) -> TaskScript:
    """A page on some programming interface shows a key, which the recorder masks."""
    key = "".join(rng.choice("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(36))
    said = f'curl -H "Authorization: Bearer ghp_{key}" https://api.registry.example/v2/items'
    page = page_about(rng, Slots(rng).fill("open data of {town}"), said, size=1500)
    return worked(task, rng, turn("Perhaps there is an interface for this.", fetch(page)))


def _wandered(task: LabTask, rng: random.Random) -> TaskScript:
    """Thirty turns, and no answer."""
    turns = [
        turn(
            rng.choice(("Not this one.", "Another try.", "Let me see.", "Hm.")),
            search(query_for(task, rng), search_page(rng, task)),
        )
        for _ in range(29)
    ]
    last = prompted("I still have not found it.", LAST_TURN)
    return TaskScript(task=task, attempts=(Attempt(turns=(*turns, last), answer=None),))


def _healed(rng: random.Random, maker: RunMaker) -> Case:
    """A crash left a line half-written, and the resume took it away."""
    scripts = honest_tasks(rng, maker, 14)
    at = rng.randint(3, 11)
    cut = tuple(with_changes(each, cut_off=1) if at <= place < at + 2 else each for place, each in enumerate(scripts))
    healed = rng.choice(
        (
            ["log.jsonl: a last line that was cut short"],
            [f"results.jsonl: line {at + 1}, which was not in the log yet"],
            [f"trajectories.jsonl: line {at + 1}, which was not in the log yet"],
        )
    )

    def heal(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for event in log:
            if event["event"] == "run_resumed":
                event["healed"] = healed
        return log

    return whole(msgspec.structs.replace(EMPTY_RUN, tasks=cut, edit_log=heal))


VARIANTS = (
    honest(
        SEVENTEENTH_SEALED,
        "odd-records",
        "an-no-token-counts",
        "A server that reports no tokens.",
        each(_no_token_counts),
    ),
    honest(
        SEVENTEENTH_SEALED, "odd-records", "an-bad-json", "A call that is no JSON, then a good one.", each(_bad_json)
    ),
    honest(
        SEVENTEENTH_SEALED, "odd-records", "an-not-offered", "A call of a tool that is not there.", each(_not_offered)
    ),
    honest(SEVENTEENTH_SEALED, "little-work", "an-snippet-only", "A search hit that says it all.", each(_snippet_only)),
    honest(
        SEVENTEENTH_SEALED,
        "little-work",
        "an-blocked-guess",
        "No page opens, and the guess is wrong.",
        each(_blocked_guess),
    ),
    honest(SEVENTEENTH_SEALED, "little-work", "an-wandered", "Thirty turns and no answer.", each(_wandered)),
    honest(SEVENTEENTH_SEALED, "odd-records", "an-long-thoughts", "Thoughts of many pages.", each(_long_thoughts)),
    honest(
        SEVENTEENTH_SEALED,
        "odd-records",
        "an-same-page",
        "One page that answers several questions of the run.",
        with_other_tasks(_same_page),
    ),
    honest(
        SEVENTEENTH_SEALED, "odd-records", "an-compacted", "A summary stands for what came before.", each(_compacted)
    ),
    honest(SEVENTEENTH_SEALED, "odd-records", "an-masked", "A page with a key on it.", each(_masked)),
    honest(SEVENTEENTH_SEALED, "odd-records", "an-healed", "A resume that mended a torn line.", _healed),
)
