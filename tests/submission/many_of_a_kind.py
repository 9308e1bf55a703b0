"""Packages that are large by having very many of something, each of it small: by name, and by their size in bytes."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec
from stuffing import Stuffing, Turn, nothing

from gaia_harness.audit.findings import Finding, Findings
from gaia_harness.audit.report import Report, waive
from gaia_harness.audit.waivers import Waiver


def reports(count: int, *, waived: bool = False, waivers: bool = False) -> Callable[[Report], Report]:
    """Makes a report one of so many findings, or waivers, or findings that are waived."""

    def edit(report: Report) -> Report:
        rules, findings = [f"rule-{number:06}" for number in range(count)], Findings()
        for rule in rules if waived or not waivers else ():
            findings.keep(Finding(severity="high" if waived else "low", rule=rule, summary="x"))
        first = report.checks[0]
        checks = (findings.check(first.id, first.name, harness_gap=first.harness_gap), *report.checks[1:])
        excuses = [Waiver(task_id=None, rule=rule, reason="so", who="Bo") for rule in rules if waivers]
        return waive(msgspec.structs.replace(report, checks=checks), tuple(excuses))

    return edit


def nested(depth: int) -> dict[str, object]:
    """Objects within each other."""
    value: dict[str, object] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def together(stuffings: Sequence[Stuffing]) -> Stuffing:
    """One package of all that these are made of; of texts that there can be only one of, the longest."""
    one = Stuffing(turns=[turn for each in stuffings for turn in each.turns])
    bodies = one.turns and all(turn.body for turn in one.turns)  # all outputs are kept, or none
    one.turns = [replace(turn, body=bodies) for turn in one.turns]
    one.answers = [answer for each in stuffings if each.answers != ["7"] for answer in each.answers] or ["7"]
    one.system = max((each.system for each in stuffings), key=len)
    one.catalogue = max((each.catalogue for each in stuffings), key=len)
    one.user = max((each.user or "" for each in stuffings), key=len) or None
    for each in stuffings:
        one.catalogues |= each.catalogues
        one.entered |= each.entered
        for name in ("restarts", "lost", "judged", "runs", "signed"):
            setattr(one, name, getattr(one, name) + getattr(each, name))
        if each.edit_report is not nothing:
            one.edit_report = each.edit_report
    return one


MANY: dict[str, Callable[[int], Stuffing]] = {
    "restarts": lambda size: Stuffing(restarts=size // 100),
    "attempts that were cut off": lambda size: Stuffing(lost=size // 130),
    "resumes in the ledger": lambda size: Stuffing(lost=size // 850, entered=True),
    "attempts": lambda size: Stuffing(answers=["7"] * (size // 2600)),
    "attempts with other answers": lambda size: Stuffing(answers=[str(number) for number in range(size // 2600)]),
    "attempts without an answer": lambda size: Stuffing(answers=[None] * (size // 2600)),
    "catalogues": lambda size: Stuffing(answers=["7"] * (size // 3500), catalogues=True),
    "questions to the judge": lambda size: Stuffing(judged=size // 250),
    "other runs": lambda size: Stuffing(runs=size // 1450),
    "signed lines": lambda size: Stuffing(restarts=size // 350, signed=size // 350),
    "findings": lambda size: Stuffing(edit_report=reports(size // 400)),
    "unused waivers": lambda size: Stuffing(edit_report=reports(size // 160, waivers=True)),
    "waived findings": lambda size: Stuffing(edit_report=reports(size // 620, waived=True, waivers=True)),
    "tool calls": lambda size: Stuffing(turns=[Turn()] * (size // 1500)),
    "tools": lambda size: Stuffing(turns=[Turn(tool=f"tool-{number}") for number in range(size // 1500)]),
    "programs": lambda size: Stuffing(
        turns=[Turn(args={"code": f"x{n} = open('{n}').read()\nprint(x{n})"}) for n in range(size // 1550)]
    ),
    "commands": lambda size: Stuffing(
        turns=[Turn(tool="bash", args={"command": f"cat a{n} | sort > b{n}"}) for n in range(size // 1550)]
    ),
    "pages": lambda size: Stuffing(
        turns=[
            Turn(tool="web_fetch", args={"url": f"https://{n}.example/"}, sources=((f"https://{n}.example/", "x"),))
            for n in range(size // 1650)
        ]
    ),
    "searches": lambda size: Stuffing(
        turns=[Turn(tool="web_search", args={"query": f"lantern {n} of Skerrow"}) for n in range(size // 1550)]
    ),
    "files": lambda size: Stuffing(
        turns=[Turn(tool="read_file", args={"path": f"a/{n}.txt"}) for n in range(size // 1550)]
    ),
    "arguments": lambda size: Stuffing(
        turns=[Turn(args={f"a{n}": n for n in range(700)})] * (size // 9000)
    ),
    "nested arguments": lambda size: Stuffing(turns=[Turn(args=nested(40))] * (size // 1750)),
    "empty lists in arguments": lambda size: Stuffing(turns=[Turn(args={"a": [[]] * 2600})] * (size // 9400)),
    "outputs that are kept": lambda size: Stuffing(
        turns=[Turn(gives=f"{number}\n", body=True) for number in range(size // 1900)]
    ),
    "steps with one output": lambda size: Stuffing(turns=[Turn(gives="\0" * (16 << 20), body=True)] * (size // 26000)),
    "prompts": lambda size: Stuffing(turns=[Turn(more=(str(n),) * 100) for n in range(size // 35_000)]),
    "sources": lambda size: Stuffing(
        turns=[Turn(tool="web_search", sources=tuple((f"https://{n}.example/", "") for n in range(size // 70)))]
    ),
    "windows": lambda size: Stuffing(
        turns=[Turn(gives="x" * 1024, windows=("x",) * 8)] * (size // 3100)
    ),
    "catalogue": lambda size: Stuffing(
        catalogue=json.dumps([{"name": f"tool-{n}", "description": "", "parameters": {}} for n in range(size // 60)])
    ),
}  # fmt: skip
