"""Records that look thin or odd and are sound: other loops, servers that report nothing, work done in the head."""

import hashlib
import json
import random
import uuid
from typing import Any

import msgspec

from gaia_harness import protocol
from gaia_harness.disclosure import disclosed_options
from gaia_harness.records.config import RunConfig
from gaia_harness.records.intent import options_sha256
from gaia_harness.records.origin import Origin
from gaia_harness.records.run import OPTIONS_OF_ANY_AGENT
from gaia_harness.records.trajectories import Trajectory
from redteam.batches import SIXTEENTH_SEALED
from redteam.honest_steps import maybe_wrong, opened_with, tool, worked
from redteam.making import RunMaker
from redteam.prose import prose
from redteam.script import EMPTY_RUN, MODEL, Attempt, Call, RunScript, TaskScript, Turn, declared, with_changes
from redteam.solving import (
    calculation,
    closing,
    fetch,
    honest_attempt,
    honest_script,
    query_for,
    search,
    turn,
)
from redteam.task_record import usual_opening
from redteam.variants import Case, among, each, honest, whole
from redteam.words import seeded, words_of
from redteam.world import LabTask, page_about, search_page

Json = dict[str, Any]


def _in_order(line: Json) -> None:
    """Put the fields of a changed line into the order in which they are written."""
    built: Json = msgspec.to_builtins(msgspec.convert(line, Trajectory))
    line.clear()
    line.update(built)


def _of_origin(isolation: dict[str, str], origin: Origin) -> RunScript:
    """A run that another program made and recorded live, declared as `RunWriter` declares it."""
    config = RunConfig(model=MODEL, submit_intent=True)
    added = {"endpoint": {"address": "", "own": False}, "judge_endpoint": None, "origin": msgspec.to_builtins(origin)}

    def record(document: Json) -> None:
        document["config"] = {name: document["config"][name] for name in OPTIONS_OF_ANY_AGENT}
        document.update(added)

    def intent(document: Json) -> None:
        built = msgspec.to_builtins(msgspec.structs.replace(config, dataset=document["dataset"]))
        options = disclosed_options({name: built[name] for name in OPTIONS_OF_ANY_AGENT})
        document.update(added, options=options, config_sha256=options_sha256(options), dataset=options["dataset"])

    def summary(document: Json) -> None:
        document["origin"] = added["origin"]

    return msgspec.structs.replace(
        EMPTY_RUN,
        config=config,
        isolation=isolation,
        edit_record=record,
        edit_intent=intent,
        edit_summary=summary,
    )


def _handed_in(answer: str, call_id: str) -> Any:
    """The answer as a step of its own behind the call that hands it in; requests whose hashes nobody knows."""

    def edit(line: Json) -> None:
        for step in line["steps"]:
            if step["type"] == "prompt":
                step["context_sha256"] = None
        data = answer.encode()
        last = line["steps"][-1]
        line["steps"].append(
            {
                "type": "answer",
                "seq": last["seq"] + 1,
                "attempt": last["attempt"],
                "turn": last["turn"],
                "content_sha256": hashlib.sha256(data).hexdigest(),
                "bytes": len(data),
                "head": answer,
                "truncated": False,
                "redactions": 0,
                "call_id": call_id,
            }
        )
        _in_order(line)

    return edit


def _code_agent(rng: random.Random, maker: RunMaker) -> Case:
    """An agent that writes code in which tools are called, and hands its answer in by one of them."""
    system = (
        "You are an expert assistant who solves tasks by writing code. Proceed by thought, code and observation. Use "
        f"final_answer(...) at the end.\n\n{prose(rng, 700)}"
    )

    def scripter(task: LabTask, dice: random.Random) -> TaskScript:
        said = maybe_wrong(task, dice, 0.8)
        query = query_for(task, dice)
        hits = search(query, search_page(dice, task)).output
        page = fetch(task.honest_page).output
        turns = (
            turn("Thought: I search the web.", Call(name="web_search", args={"query": query}, output=hits)),
            turn("Thought: I open it.", Call(name="visit_webpage", args={"url": task.honest_page.url}, output=page)),
            turn("Thought: I know it now.", tool("final_answer", said, answer=said)),
        )
        return TaskScript(
            task=task,
            attempts=(
                Attempt(
                    turns=turns, opening=(("system", system), ("user", f"New task:\n{task.question}")), answer=said
                ),
            ),
            edit_trajectory=_handed_in(said, "call_3_1"),
        )

    origin = Origin(
        kind="live",
        recorded_by=rng.choice(("smolagents 1.22", "smol-runner 0.4", "acme-code-agent 2.1")),
        tools={"web_search": "search", "visit_webpage": "fetch", "final_answer": "answer"},
        unknown=("context_sha256", "isolation"),
    )
    run = _of_origin({}, origin)
    return among(rng, maker, scripter, tasks=_plain(maker, 10), company=0, run=run)


def _plain(maker: RunMaker, count: int) -> list[LabTask]:
    """Tasks without a file."""
    return [task for task in maker.tasks(3 * count) if task.attachment is None][:count]


def _with_helpers(rng: random.Random, maker: RunMaker) -> Case:
    """An agent of the command line that sends a helper to read, and answers by itself."""

    def scripter(task: LabTask, dice: random.Random) -> TaskScript:
        said = maybe_wrong(task, dice, 0.8)
        report = f"I looked at two pages. {task.fact}"
        page = fetch(task.honest_page).output
        turns = (
            turn("I send somebody.", tool("Task", report, description="look it up", prompt=task.question)),
            turn("Let me see for myself.", Call(name="WebFetch", args={"url": task.honest_page.url}, output=page)),
            turn("A quick sum.", tool("Bash", str(dice.randint(2, 90)), command=f"expr {dice.randint(2, 40)} + 1")),
            closing(dice, said),
        )

        def unhashed(line: Json) -> None:
            for step in line["steps"]:
                if step["type"] == "prompt":
                    step["context_sha256"] = None

        opening = (("system", "You are an interactive agent of the command line."), ("user", task.question))
        return TaskScript(task=task, attempts=(Attempt(turns=turns, opening=opening),), edit_trajectory=unhashed)

    origin = Origin(
        kind="live",
        recorded_by=rng.choice(("claude-code 3.1 by hooks", "codex 0.61 by its log", "term-agent 0.9")),
        tools={"Task": "delegate", "WebFetch": "fetch", "Bash": "code"},
        unknown=("context_sha256", "sub-agents", "thoughts"),
        workdir="/home/agent/task",
    )
    boxed = {"agent": "podman container without a network beside a proxy, no volume of the host"}
    run = _of_origin(boxed, origin)
    return among(rng, maker, scripter, tasks=_plain(maker, 10), company=0, run=run)


def _uncounted_tokens(rng: random.Random, maker: RunMaker) -> Case:
    """A server of one's own that reports no tokens."""

    def scripter(task: LabTask, dice: random.Random) -> TaskScript:
        script = honest_script(task, dice, right=dice.random() < 0.6)
        turns = tuple(
            msgspec.structs.replace(each_turn, tokens_in=None, tokens_out=None)
            for each_turn in script.attempts[0].turns
        )
        return with_changes(script, attempts=(Attempt(turns=turns),))

    return among(rng, maker, scripter, cases=10, company=0)


def _puzzles(maker: RunMaker) -> list[LabTask]:
    """Questions that need a head and nothing else."""
    drawn = seeded("puzzles", maker.seed)
    made = []
    for task in maker.tasks(4):
        a, b, c = drawn.randint(3, 9), drawn.randint(11, 29), drawn.randint(2, 8)
        who, where = words_of("first", drawn, 1)[0], words_of("town", drawn, 1)[0]
        question, gold, reason = drawn.choice(
            (
                (
                    f"{who} climbs a mast of {a * b} hand-widths at {where}: {a} up every morning and none at night, "
                    f"but every {c}th morning is a day of rest. On which morning is the top reached?",
                    str(b + (b - 1) // (c - 1)),
                    f"{b} climbing mornings are needed, and after every {c - 1} of them comes a rest.",
                ),
                (
                    f"At {where} each of {b} bakers shakes hands with every other one, and then {a} of them leave and "
                    f"the others do it again. How many handshakes are that in all?",
                    str(b * (b - 1) // 2 + (b - a) * (b - a - 1) // 2),
                    f"{b} people make {b * (b - 1) // 2} pairs, and {b - a} make {(b - a) * (b - a - 1) // 2}.",
                ),
                (
                    f"{who} writes all whole numbers from 1 to {a * 100} on a wall in {where}. "
                    "How many digits are that?",
                    str(9 + 180 + 3 * (a * 100 - 99)),
                    f"9 of one digit, 90 of two, {a * 100 - 99} of three.",
                ),
            )
        )
        made.append(
            msgspec.structs.replace(
                task,
                task_id=str(uuid.UUID(int=drawn.getrandbits(128), version=4)),
                question=question,
                gold=gold,
                fact=reason,
                attachment=None,
                level=1,
            )
        )
    return made


def _in_the_head(rng: random.Random, maker: RunMaker) -> Case:
    def scripter(task: LabTask, dice: random.Random) -> TaskScript:
        said = maybe_wrong(task, dice, 0.8)
        thoughts = f"{task.question} Let me go through it. {task.fact} So {said}. I check with small numbers: it fits."
        words = f"No search is needed here. {task.fact}\n\nFINAL ANSWER: {said}"
        return TaskScript(task=task, attempts=(Attempt(turns=(Turn(words=words, thoughts=thoughts),)),))

    return among(rng, maker, scripter, tasks=_puzzles(maker))


def _made_shorter(task: LabTask, rng: random.Random) -> TaskScript:
    """Long pages that do not fit: older results are shown in part only."""
    note = "\n[the rest of this result is no longer shown]"
    long = page_about(rng, f"{task.topic}, all papers", size=30_000)
    more = turn("A long page.", fetch(long))
    shorter = Turn(
        words="I go on with what is left.", prompts=(("context", ""), ("shortened", note)), calls=(calculation(rng),)
    )
    script = worked(task, rng, more, shorter)
    turns = len(script.attempts[0].turns)
    call_id = f"call_{turns - 2}_1"

    def edit(line: Json) -> None:
        for step in line["steps"]:
            if step["type"] == "prompt" and step["role"] == "shortened":
                step["shortened"] = {"results": [{"call_id": call_id, "bytes": 2000}], "turns": 0}
        _in_order(line)

    return with_changes(script, edit_trajectory=edit)


def _dated_names(rng: random.Random, maker: RunMaker) -> Case:
    """The server names the snapshot that stands behind the model's name."""
    snapshot = f"{MODEL.partition('/')[2]}-2026-{rng.randint(1, 10):02}-{rng.randint(1, 28):02}"

    def scripter(task: LabTask, dice: random.Random) -> TaskScript:
        script = honest_script(task, dice, right=dice.random() < 0.6)
        turns = tuple(msgspec.structs.replace(each_turn, model=snapshot) for each_turn in script.attempts[0].turns)
        return with_changes(script, attempts=(Attempt(turns=turns),))

    return among(rng, maker, scripter, cases=10, company=0)


def _without_python(rng: random.Random, maker: RunMaker) -> Case:
    """A machine without bubblewrap: the tool is not offered, and nobody calls it."""

    def scripter(task: LabTask, dice: random.Random) -> TaskScript:
        right = dice.random() < 0.6
        kept = [
            each_turn
            for each_turn in honest_attempt(task, dice, right=right).turns
            if all(call.name != protocol.PYTHON for call in each_turn.calls)
        ]
        (system, tools, question) = usual_opening(task)
        offered = [spec for spec in json.loads(tools[1]) if spec["name"] != protocol.PYTHON]
        listed = json.dumps(offered, ensure_ascii=False, sort_keys=True)
        script = TaskScript(task=task, attempts=(Attempt(turns=tuple(kept)),))
        return opened_with(script, (system, ("tools", listed), question))

    isolation = {"python": protocol.NOT_OFFERED, "reason": "bwrap was not found", "web_search": "searxng"}
    run = msgspec.structs.replace(EMPTY_RUN, isolation=isolation)
    return among(rng, maker, scripter, tasks=_plain(maker, 10), company=0, run=run)


def _everything_kept(rng: random.Random, maker: RunMaker) -> Case:
    """Full bodies, and replies so long that their heads do not hold them."""
    scripts = []
    for task in maker.tasks(8):
        script = worked(task, rng, Turn(words=prose(rng, 70_000 if rng.random() < 0.4 else 3000)))
        scripts.append(script)
    return whole(RunScript(tasks=tuple(scripts), config=declared(evidence_full_bodies=True)))


def _ran_out_of_time(task: LabTask, rng: random.Random) -> TaskScript:
    """No answer, and an error that says why; the last call never came back."""
    found = honest_attempt(task, rng, right=False).turns[:-1]
    hanging = Turn(
        words="I try the archive.", calls=(Call(name="web_fetch", args={"url": task.sources[-1].url}, output=None),)
    )
    error = rng.choice(("--task-timeout 1800 is over", "the model's server refused the request: status 400"))
    return TaskScript(task=task, attempts=(Attempt(turns=(*found, hanging), answer=None, error=error),))


def _reminded(task: LabTask, rng: random.Random) -> TaskScript:
    """A reply without an answer, or with the template's own words, after which the loop asks for one."""
    words, remark = rng.choice(
        (
            ("I have all I need; it is on the page above.", protocol.NO_ANSWER_YET),
            ("One thing is still open.", protocol.NO_ANSWER_YET),
            ("I will end with this line:\nFINAL ANSWER: your answer", protocol.ONLY_TEMPLATE),
        )
    )
    last = closing(rng, maybe_wrong(task, rng))
    return worked(task, rng, Turn(words=words), last=msgspec.structs.replace(last, prompts=(("user", remark),)))


VARIANTS = (
    honest(
        SIXTEENTH_SEALED,
        "loops-of-others",
        "code-agent-recorded-live",
        "An agent of another framework, recorded live, that says what it does not know.",
        _code_agent,
    ),
    honest(
        SIXTEENTH_SEALED,
        "loops-of-others",
        "terminal-agent-with-helpers",
        "An agent of the command line with a helper of which only the report is known.",
        _with_helpers,
    ),
    honest(
        SIXTEENTH_SEALED,
        "modest-servers",
        "tokens-not-reported",
        "A server that reports no tokens.",
        _uncounted_tokens,
    ),
    honest(
        SIXTEENTH_SEALED,
        "modest-servers",
        "snapshot-named",
        "A server that answers with the name of a snapshot.",
        _dated_names,
    ),
    honest(
        SIXTEENTH_SEALED,
        "little-work",
        "solved-in-the-head",
        "Puzzles that need no tool, answered in one reply.",
        _in_the_head,
    ),
    honest(
        SIXTEENTH_SEALED,
        "little-work",
        "ran-out-of-time",
        "No answer, and the last call without a result.",
        each(_ran_out_of_time),
    ),
    honest(
        SIXTEENTH_SEALED,
        "full-to-the-brim",
        "results-made-shorter",
        "A conversation that became too long, with its oldest results cut.",
        each(_made_shorter),
    ),
    honest(
        SIXTEENTH_SEALED,
        "full-to-the-brim",
        "everything-kept",
        "Full bodies, and very long replies.",
        _everything_kept,
    ),
    honest(
        SIXTEENTH_SEALED,
        "modest-machines",
        "no-sandbox-no-python",
        "Without a sandbox python is not offered, and not called.",
        _without_python,
    ),
    honest(
        SIXTEENTH_SEALED,
        "little-work",
        "reminded-of-the-last-line",
        "The loop's own remark asks for an answer that the reply did not give.",
        each(_reminded),
    ),
)
