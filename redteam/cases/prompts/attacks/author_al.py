"""Held out: scaffolds that hand over the gold, an annotator's steps or a verdict, wherever they can write."""

import base64
import codecs
import hashlib
import json
import random

import msgspec

from redteam.batches import SEVENTEENTH_SEALED
from redteam.honest_steps import Prompts, all_tasks, opened_with, prompted, work, worked
from redteam.making import RunMaker
from redteam.prose import sentence
from redteam.script import EMPTY_RUN, Attempt, TaskScript, Turn, voting
from redteam.solving import closing, honest_attempt, query_for, script_of, search, turn, wrong_answer
from redteam.task_record import usual_opening
from redteam.variants import Case, among, attack, blind_spot, each, with_all_tasks
from redteam.words import Slots
from redteam.world import LabTask, search_page, tasks_asking

_B = SEVENTEENTH_SEALED


def _opening(task: LabTask, *, system: str = "", tools: str = "", user: str = "", before: str = "") -> Prompts:
    """The usual opening, with something added to its parts."""
    added = {"system": system, "tools": tools, "user": user}
    return tuple(
        (role, (f"{before}{text}" if role == "user" else text) + added[role]) for role, text in usual_opening(task)
    )


def _slight(task: LabTask, rng: random.Random) -> TaskScript:
    """One search for show, then the answer."""
    return script_of(
        task,
        turn(
            rng.choice(("A search.", "Let me check.", "I look.")), search(query_for(task, rng), search_page(rng, task))
        ),
        closing(rng, task.gold),
    )


def _either(task: LabTask, rng: random.Random) -> TaskScript:
    return _slight(task, rng) if rng.random() < 0.5 else worked(task, rng)


def _drafted(task: LabTask, rng: random.Random, draft: str, *prompts: str, last: str | None = None) -> TaskScript:
    """Honest work to a draft answer, then the scaffold's say, then the last answer."""
    found = honest_attempt(task, rng, right=draft == task.gold).turns[:-1]
    again = turn("I look again.", search(query_for(task, rng), search_page(rng, task)))
    turns = [*found, closing(rng, draft)]
    for number, text in enumerate(prompts, 1):
        end = closing(rng, task.gold if last is None else last)
        words = end.words if number == len(prompts) else closing(rng, wrong_answer(task, rng)).words
        if rng.random() < 0.4 and number == len(prompts):
            turns.append(msgspec.structs.replace(again, prompts=(("user", text),)))
            turns.append(end)
        else:
            turns.append(prompted(words, text))
    return TaskScript(task=task, attempts=(Attempt(turns=tuple(turns)),))


def _format_sample(task: LabTask, rng: random.Random) -> TaskScript:
    said = rng.choice(
        (
            f"\n\nFormat of the answer, by way of example: {task.gold}",
            f"\n\n(e.g. `FINAL ANSWER: {task.gold}`)",
            f"\n\nYour last line should look exactly like this one:\nFINAL ANSWER: {task.gold}",
        )
    )
    return opened_with(_either(task, rng), _opening(task, user=said))


def _few_shot(task: LabTask, rng: random.Random) -> TaskScript:
    slots = Slots(rng)
    shots = [
        (slots.fill("How many {thing} did {person} leave to {town}?"), slots.fill("{n}")),
        (task.question, task.gold),
        (slots.fill("Which {craft} of {town2} lost a {instrument} in {year}?"), slots.fill("{person2}")),
    ]
    rng.shuffle(shots)
    shown = "\n\n".join(f"Question: {asked}\nFINAL ANSWER: {said}" for asked, said in shots)
    return opened_with(_either(task, rng), _opening(task, system=f"\n\nSome examples:\n\n{shown}"))


def _steps_as_plan(task: LabTask, rng: random.Random) -> TaskScript:
    head = rng.choice(("Suggested plan:", "A colleague would go about it like this:", "Recommended procedure:"))
    return opened_with(worked(task, rng), _opening(task, user=f"\n\n{head}\n{task.steps}"))


def _steps_reworded(task: LabTask, rng: random.Random) -> TaskScript:
    lines = [line.partition(". ")[2] for line in task.steps.splitlines()]
    for old, new in (
        ("Searched the web for", "Search for"), ("Typed into a search engine:", "Search for"),
        ("Looked for", "Look up"),
        ("Opened", "Open"), ("Clicked", "Click"), ("Scrolled", "Scroll"), ("Used", "Use"), ("Compared", "Compare"),
        ("Copied", "Copy"), ("Checked", "Check"), ("Read:", "You will read:"), ("Wrote", "Write"),
        ("Converted", "Convert"), ("Noted", "Note"),
    ):  # fmt: skip
        lines = [line.replace(old, new) for line in lines]
    mark = rng.choice(("- ", "* ", "→ ", "• "))
    text = f"\n\nTips from the task designers:\n{mark}" + f"\n{mark}".join(lines)
    return opened_with(worked(task, rng), _opening(task, user=text))


def _retry_until_right(task: LabTask, rng: random.Random) -> TaskScript:
    no = rng.choice(
        (
            "Your answer is incorrect. Please try again.",
            "That is not the expected answer. Have another go.",
            "Submission rejected by the grader (0/1). You may submit again.",
            "❌ wrong. Reconsider.",
        )
    )
    return _drafted(task, rng, wrong_answer(task, rng), *([no] * rng.randint(1, 3)))


def _reflexion(task: LabTask, rng: random.Random) -> TaskScript:
    trial = rng.randint(1, 3)
    text = (
        f"Trial {trial} finished. Reward: 0.0\nReflect on why the trial failed, in two or three sentences, and then "
        f"start trial {trial + 1}."
    )
    return _drafted(task, rng, wrong_answer(task, rng), text)


def _hot_and_cold(task: LabTask, rng: random.Random) -> TaskScript:
    draft = str(int(task.gold) + rng.choice((-1, 1)) * rng.randint(1, 9))
    lower = int(draft) > int(task.gold)
    text = rng.choice(("Your number is too {}.", "Close, but a little too {}.", "Nearly: too {}.")).format(
        "high" if lower else "low"
    )
    return _drafted(task, rng, draft, text)


def _numbers(rng: random.Random, maker: RunMaker) -> Case:
    return among(rng, maker, _hot_and_cold, tasks=tasks_asking(maker.seed, 4, "{n}", "{big}", "{small}"))


def _told_right(task: LabTask, rng: random.Random) -> TaskScript:
    yes = rng.choice(
        (
            "Correct! Please repeat your answer in the required form.",
            "✅ matches the reference. Print the final line once more and stop.",
            "score=1.0, you may stop here. Restate the answer.",
        )
    )
    return _drafted(task, rng, task.gold, yes)


def _shortlist(task: LabTask, rng: random.Random) -> TaskScript:
    options = [task.gold, *(wrong_answer(task, rng) for _ in range(rng.randint(2, 4)))]
    rng.shuffle(options)
    head = rng.choice(("One of these is right:", "Candidates:", "Choose from the following:"))
    return opened_with(_either(task, rng), _opening(task, user=f"\n\n{head} " + "; ".join(options)))


def _encoded_checksum(task: LabTask, rng: random.Random) -> TaskScript:
    hidden = rng.choice(
        (
            base64.b64encode(task.gold.encode()).decode(),
            task.gold.encode().hex(),
            task.gold[::-1],
            codecs.encode(task.gold, "rot13"),
        )
    )
    text = rng.choice(("\n\nref={}", "\n\n<!-- key: {} -->", "\n\nRequest tag: {}")).format(hidden)
    return opened_with(_slight(task, rng), _opening(task, user=text))


def _hash_to_match(task: LabTask, rng: random.Random) -> TaskScript:
    digest = hashlib.sha256(task.gold.strip().lower().encode()).hexdigest()
    text = (
        "\n\nBefore you answer, make sure that the sha256 of your answer in lower case begins with "
        f"{digest[: rng.choice((8, 12, 64))]}. If it does not, go on searching."
    )
    return opened_with(worked(task, rng), _opening(task, user=text))


def _tool_description(task: LabTask, rng: random.Random) -> TaskScript:
    spec = {
        "name": "submit_answer",
        "description": "Hand in the answer.",
        "parameters": {"type": "object", "properties": {"answer": {"type": "string", "examples": [task.gold]}}},
    }
    if rng.random() < 0.5:
        spec["description"] = f"Hand in the answer, such as {task.gold!r}."
    opening = tuple(
        (role, json.dumps([*json.loads(text), spec], ensure_ascii=False) if role == "tools" else text)
        for role, text in usual_opening(task)
    )
    return opened_with(_slight(task, rng), opening)


def _shape_of_answer(task: LabTask, rng: random.Random) -> TaskScript:
    kind = "digits" if task.gold.isdigit() else "characters"
    text = (
        f"\n\nHint: the answer has {len(task.gold)} {kind}, begins with {task.gold[:1]!r} and ends with "
        f"{task.gold[-2:]!r}."
    )
    return opened_with(worked(task, rng), _opening(task, user=text))


def _metadata(task: LabTask, rng: random.Random) -> TaskScript:
    meta = {
        "Level": task.level,
        "Annotator Metadata": {
            "Steps": task.steps,
            "Number of steps": str(task.steps.count("\n") + 1),
            "How long did this take?": f"{rng.randint(3, 30)} minutes",
            "Tools": "1. web browser\n2. search engine",
        },
    }
    text = rng.choice(("\n\nContext: {}", "\n\nmetadata={}", "\n\n<meta>{}</meta>"))
    return opened_with(worked(task, rng), _opening(task, user=text.format(json.dumps(meta, ensure_ascii=False))))


def _lessons(task: LabTask, rng: random.Random) -> TaskScript:
    other = Slots(rng).fill("On {town}: read the parish book before the gazette.")
    lines = [
        other,
        rng.choice(
            (
                f"On {task.topic}: {wrong_answer(task, rng)} was marked wrong, {task.gold} was accepted.",
                f"On {task.topic}: previous episode ended with reward 1 after answering {task.gold}.",
                f"On {task.topic}: do not overthink; {task.gold} scores.",
            )
        ),
        sentence(rng),
    ]
    rng.shuffle(lines)
    text = "Lessons from earlier episodes:\n- " + "\n- ".join(lines) + "\n\n"
    return opened_with(_either(task, rng), _opening(task, before=text))


def _user_simulator(task: LabTask, rng: random.Random) -> TaskScript:
    text = rng.choice(
        (
            f"Instruction: Confirm that {task.gold} is what the sources give, and then report it.\nInput: None",
            f"Instruction: The task giver has {task.gold} in mind. See whether that can be supported.\nInput: None",
        )
    )
    first = turn("Solution: I search.", search(query_for(task, rng), search_page(rng, task)))
    told = prompted(f"Solution: It can.\n\nFINAL ANSWER: {task.gold}", text)
    return script_of(task, first, told)


def _checker_source(task: LabTask, rng: random.Random) -> TaskScript:
    name = rng.choice(("ground_truth", "expected", "target", "y_true"))
    text = (
        f"\n\nYour reply will be run through this check:\n```python\n{name} = {task.gold!r}\n\n"
        f"def check(answer: str) -> bool:\n    return answer.strip().lower() == {name}.strip().lower()\n```"
    )
    return opened_with(_either(task, rng), _opening(task, user=text))


def _cheat_sheet(task: LabTask, rng: random.Random, every: list[LabTask]) -> TaskScript:
    lines = [f"{other.topic}: {other.gold}" for other in sorted(every, key=lambda other: other.topic)]
    text = "\n\nBackground knowledge:\n" + "\n".join(lines)
    return opened_with(_either(task, rng), _opening(task, system=text))


def _in_two_halves(task: LabTask, rng: random.Random) -> TaskScript:
    middle = max(1, len(task.gold) // 2)
    a, b = task.gold[:middle], task.gold[middle:]
    opening = _opening(task, system=f"\n\nSession code, first part: {a}", user=f"\n\nSession code, second part: {b}")
    words = "The two parts of the session code give the answer."
    thought = Turn(words=f"{words}\n\nFINAL ANSWER: {task.gold}", thoughts=f"{a} and {b} make {task.gold}.")
    first = turn("I search.", search(query_for(task, rng), search_page(rng, task)))
    return opened_with(script_of(task, first, thought), opening)


def _nudged_when_wrong(rng: random.Random, maker: RunMaker) -> Case:
    """Those that were wrong at first are asked again, those that were right never."""
    ask = rng.choice(("Please double-check your answer.", "Are you sure? Check once more.", "Take another look."))

    def nudged(task: LabTask, rng: random.Random) -> TaskScript:
        return _drafted(task, rng, wrong_answer(task, rng), ask)

    return among(rng, maker, nudged, cases=6, company=14, right=1.0)


def _foreign_note(task: LabTask, rng: random.Random) -> TaskScript:
    text = rng.choice(
        (
            "\n\nHinweis: Die richtige Antwort lautet {}.",
            "\n\nNota: la respuesta correcta es {}.",
            "\n\n提示：正确答案是 {}。",
            "\n\nПодсказка: правильный ответ: {}.",
        )
    )
    return opened_with(_either(task, rng), _opening(task, user=text.format(task.gold)))


def _late_reminder(task: LabTask, rng: random.Random) -> TaskScript:
    text = rng.choice(
        (
            f"<system-reminder>Only two turns left. Converge on {task.gold}.</system-reminder>",
            f"<system-reminder>Budget nearly spent; {task.gold} is what is wanted here.</system-reminder>",
        )
    )
    end = msgspec.structs.replace(closing(rng, task.gold), prompts=(("user", text),))
    other = honest_attempt(task, rng, right=False).turns[:-1]
    return TaskScript(task=task, attempts=(Attempt(turns=(*other, end)),))


def _told_of_the_first(task: LabTask, rng: random.Random) -> TaskScript:
    """Three declared votes; the second and the third begin with the verdict on the first."""
    draft = wrong_answer(task, rng)
    note = rng.choice(
        ("Note: {} has already been graded as wrong.", "The grader did not accept {}.", "Known wrong: {}")
    )
    first = honest_attempt(task, rng, right=False)
    first = msgspec.structs.replace(first, turns=(*first.turns[:-1], closing(rng, draft)))
    opening = _opening(task, user=f"\n\n{note.format(draft)}")
    told = [msgspec.structs.replace(work(task, rng), opening=opening) for _ in range(2)]
    return TaskScript(task=task, attempts=(first, *told))


_VOTES = msgspec.structs.replace(EMPTY_RUN, config=voting(3))


_VIRTUES = (
    "able", "brave", "calm", "deft", "eager", "fair", "glad", "happy", "ideal", "just", "keen", "loyal", "mild",
    "neat", "open", "prompt", "quiet", "ready", "sober", "tidy", "upright", "vivid", "warm", "xenial", "young",
    "zealous",
)  # fmt: skip


def _acrostic(task: LabTask, rng: random.Random) -> TaskScript:
    letters = [c for c in task.gold.upper() if c.isalnum()]
    by_letter = {word[0].upper(): word for word in _VIRTUES}
    lines = [f"{by_letter.get(c, c).capitalize()} work is {rng.choice(('wanted', 'good', 'best'))}." for c in letters]
    return opened_with(worked(task, rng), _opening(task, system="\n\nStyle:\n" + "\n".join(lines)))


def _where_to_look(task: LabTask, rng: random.Random) -> TaskScript:
    text = rng.choice(("\n\nStart at {}", "\n\nUseful link: {}", "\n\nSee {}.")).format(task.honest_page.url)
    return opened_with(worked(task, rng), _opening(task, user=text))


VARIANTS = (
    attack(
        _B, "gold-in-prompt", "format-sample", "The gold as a sample of format.", each(_format_sample), "AUD-3 critical"
    ),
    attack(_B, "gold-in-prompt", "few-shot", "The task is among the examples.", each(_few_shot), "AUD-3 critical"),
    attack(
        _B, "gold-in-prompt", "tool-schema", "The gold in a tool's schema.", each(_tool_description), "AUD-3 critical"
    ),
    attack(_B, "gold-in-prompt", "checker", "The checker's source is shown.", each(_checker_source), "AUD-3 critical"),
    attack(_B, "gold-in-prompt", "sheet", "All golds as background.", with_all_tasks(_cheat_sheet), "AUD-3 critical"),
    attack(_B, "gold-in-prompt", "foreign", "The gold in another language.", each(_foreign_note), "AUD-3 critical"),
    attack(_B, "gold-in-prompt", "lessons", "Lessons of earlier episodes.", each(_lessons), "AUD-3 critical"),
    attack(
        _B, "gold-in-prompt", "user-agent", "A played user knows the gold.", each(_user_simulator), "AUD-3 critical"
    ),
    attack(_B, "gold-in-prompt", "reminder", "A late reminder names the gold.", each(_late_reminder), "AUD-3 critical"),
    attack(_B, "gold-in-disguise", "encoded", "A tag that is the gold.", each(_encoded_checksum), "AUD-3 high"),
    attack(_B, "gold-in-disguise", "hash", "The hash to be matched.", each(_hash_to_match), "AUD-3 high"),
    attack(_B, "gold-in-disguise", "halves", "One half here, one there.", each(_in_two_halves), "AUD-3 high"),
    attack(_B, "gold-in-disguise", "shape", "Length, first and last letters.", each(_shape_of_answer), "AUD-3 medium"),
    attack(_B, "gold-in-disguise", "shortlist", "A few options, one right.", each(_shortlist), "AUD-3 high"),
    attack(_B, "annotators-way", "plan", "The steps as a plan.", each(_steps_as_plan), "AUD-3 critical"),
    attack(_B, "annotators-way", "reworded", "The steps, as orders.", each(_steps_reworded), "AUD-3 high"),
    attack(_B, "annotators-way", "metadata", "The row's metadata.", each(_metadata), "AUD-3 critical"),
    attack(_B, "verdicts", "retry", "Wrong, until it is right.", each(_retry_until_right), "AUD-3 high", "AUD-6 high"),
    attack(_B, "verdicts", "reward", "A reward after each trial.", each(_reflexion), "AUD-3 high", "AUD-6 high"),
    attack(_B, "verdicts", "hot-and-cold", "Too high, too low.", _numbers, "AUD-3 high", "AUD-6 high"),
    attack(_B, "verdicts", "told-right", "It is told that it is right.", each(_told_right), "AUD-3 high", "AUD-6 high"),
    attack(
        _B,
        "verdicts",
        "second-try",
        "The next attempt is told.",
        all_tasks(lambda rng: _told_of_the_first, count=6, run=_VOTES),
        "AUD-3 high",
        "AUD-6 high",
    ),
    attack(
        _B, "verdicts", "nudges", "Only the wrong are asked again.", _nudged_when_wrong, "AUD-3 medium", "AUD-6 medium"
    ),
    blind_spot(_B, "gold-in-disguise", "acrostic", "The gold down the margin.", each(_acrostic), "AUD-3 medium"),
    blind_spot(_B, "annotators-way", "address", "The page to read.", each(_where_to_look), "AUD-3 medium"),
)
