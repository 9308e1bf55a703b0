"""Packages of one task that verify, with whatever texts somebody wants to keep a verifier busy with."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import msgspec
from forging import Package

from gaia_harness.audit.evidence import DatasetFacts
from gaia_harness.audit.report import Report, encode_report, waive
from gaia_harness.figures import Rate, rate
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.records.intent import task_list_sha256
from gaia_harness.records.steps import ARGUMENT_HEAD, OUTPUT_HEAD, PROMPT_HEAD, WINDOW
from gaia_harness.run.audit_input import load_dataset_facts

ANOTHER_VERSION = "0" * 64


def demo(facts: Any) -> DatasetFacts:
    """The tasks of a run, which are some of the demo's."""
    return load_dataset_facts("demo", facts.gaia_split, None, facts.task_ids, {})


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def kept(text: str, limit: int) -> dict[str, Any]:
    """What a step has of a text."""
    data = text.encode()
    head = data[:limit].decode("utf-8", "ignore")
    return {"bytes": len(data), "head": head, "truncated": len(data) > limit, "redactions": 0}


@dataclass
class Turn:
    """What the model says and asks a tool for, and what that gives back."""

    says: str = "Let me see."
    thinks: str = ""
    tool: str = "python"
    args: Any = field(default_factory=lambda: {"code": "print(1)"})
    gives: str = "1\n"
    windows: tuple[str, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()
    more: tuple[str, ...] = ()  # prompts of further roles that come with the next request


@dataclass
class Stuffing:
    """What one task's attempts are made of; `answers` are as many as there are attempts."""

    answers: list[str | None] = field(default_factory=lambda: ["7"])
    turns: list[Turn] = field(default_factory=list)  # of the first attempt
    system: str = "You are careful."
    catalogue: str = "[]"
    user: str | None = None


class _Steps:
    """Steps in their order, with their numbers."""

    def __init__(self, model: str, prompts: dict[str, str], question: str) -> None:
        self.done: list[dict[str, Any]] = []
        self.attempt, self.turn = 0, 1
        self._model, self._prompts, self._question = model, prompts, question

    def begin(self, stuffing: Stuffing) -> None:
        self.attempt, self.turn = self.attempt + 1, 1
        for role, text in (("system", stuffing.system), ("tools", stuffing.catalogue)):
            self._prompts[sha256(text)] = text
            self.prompt(role, text)
        self.prompt("user", self._question if stuffing.user is None else stuffing.user)

    def prompt(self, role: str, text: str) -> None:
        said = {"role": role, "content_sha256": sha256(text), **kept(text, PROMPT_HEAD)}
        self._add("prompt", **said, context_sha256=sha256("request"))

    def says(self, text: str, thoughts: str = "") -> None:
        mind = {"sha256": sha256(thoughts), **kept(thoughts, OUTPUT_HEAD)} if thoughts else None
        self._add(
            "llm_call", model=self._model, output_sha256=sha256(text), **kept(text, OUTPUT_HEAD), tokens_in=1,
            tokens_out=1, stop_reason=None, latency_ms=0, response_id=None, thoughts=mind,
        )  # fmt: skip

    def use(self, turn: Turn) -> None:
        self.says(turn.says, turn.thinks)
        name = {"call_id": f"call_{self.turn}", "name": turn.tool}
        cut = kept(turn.args, ARGUMENT_HEAD)["head"] if isinstance(turn.args, str) else turn.args
        self._add("tool_call", **name, args=cut, args_sha256=sha256("args"), args_truncated=[], redactions=0)
        output = kept(turn.gives, OUTPUT_HEAD)
        size = output["bytes"]
        windows = [
            {"offset": 0, "bytes": min(size, WINDOW), "at": 0, "why": "copy", "view": "", "source": None, "text": text}
            for text in turn.windows
        ]
        sources = [{"url": url, "title": title, "offset": 0, "bytes": size} for url, title in turn.sources]
        self._add(
            "tool_result", **name, output_sha256=sha256(turn.gives), **output, is_error=False, sources=sources,
            scan=None, windows=windows, body=False,
        )  # fmt: skip
        self.turn += 1
        self.prompt("context", "")
        for text in turn.more:
            self.prompt("user", text)

    def _add(self, kind: str, **fields: Any) -> None:
        place = {"type": kind, "seq": len(self.done), "attempt": self.attempt, "turn": self.turn}
        self.done.append(place | fields)


def stuff(package: Package, stuffing: Stuffing) -> Package:
    """Make this package one of a single task with these texts, and sign all of it."""
    start, *_, close = package.json_lines("log.jsonl")
    line, metadata = package.json_lines("trajectories.jsonl")[0], package.json("metadata.json")
    facts, task_id, count = metadata["facts"], line["task_id"], len(stuffing.answers)
    data = load_dataset_facts("demo", facts["gaia_split"], None, [task_id], {})
    prompts: dict[str, str] = {}
    steps = _Steps(facts["model"], prompts, data.questions[task_id])
    time, log = start["time"], [start]
    for number, answer in enumerate(stuffing.answers, start=1):
        steps.begin(stuffing)
        for turn in stuffing.turns if number == 1 else ():
            steps.use(turn)
        steps.says("I cannot tell." if answer is None else f"FINAL ANSWER: {answer}")
        named = {"seq": 0, "time": time, "task_id": task_id, "attempt": number}
        log += [
            {"event": "attempt_started", **named},
            {"event": "attempt_finished", **named, "steps": 0, "steps_sha256": ""},
        ]
    bound = {"trajectory_sha256": "", "result_sha256": "0" * 64, "outcome_sha256": "", "salted": True}
    log.append({"event": "task_finished", "seq": 0, "time": time, "task_id": task_id, "attempts": count, **bound})
    log.append(close | {"tasks": 1, "finished": 1, "attempts": count})
    calls = sum(step["type"] == "llm_call" for step in steps.done)
    tools = sorted({step["name"] for step in steps.done if step["type"] == "tool_call"})
    sums = {"turns": calls, "input_tokens": calls, "output_tokens": calls, "tools_used": tools}
    answer, gold = stuffing.answers[0], data.key.get(task_id)
    chosen = {"selected_attempt": 1, "voting_attempts": count}
    line |= sums | chosen | {"steps": steps.done, "final_answer": answer}
    one = next(task for task in facts["tasks"] if task["task_id"] == task_id) | sums
    one |= {"answer": answer, "correct": question_scorer(answer, gold.answer), "attempts": count}
    cast = [vote for vote in stuffing.answers if vote is not None]
    one["voting"] = {
        "selected_attempt": 1, "votes": cast.count(answer), "cast": len(cast), "answers": stuffing.answers,
    }  # fmt: skip
    said = {"tasks": 1, "task_list_sha256": task_list_sha256([task_id]), "dataset_digest": data.digest}
    said |= {"voting_attempts": count, "levels": [one["level"]]}
    facts |= {"tasks": [one], "task_ids": [task_id], "voting_attempts": count, "dataset_digest": data.digest}
    start |= {name: said[name] for name in ("tasks", "voting_attempts", "dataset_digest")}
    package.set_json_lines("log.jsonl", log)
    package.set_json_lines("trajectories.jsonl", [line])
    package.set_json("metadata.json", metadata)
    intent = package.intent() | said | {"source_sha256": ANOTHER_VERSION}
    for name in ("endpoint", "judge_endpoint", "options"):  # a version that discloses nothing of its options
        intent.pop(name, None)
    package.set_intent(intent)
    entries = package.json_lines("ledger.jsonl")
    for entry in entries:
        entry |= {name: value for name, value in said.items() if name in entry}
    package.set_json_lines("ledger.jsonl", entries)
    for path in package.path("prompts").iterdir():
        path.unlink()
    for name, text in prompts.items():
        package.path("prompts").joinpath(name).write_text(text)
    _say_nothing(package, rate(int(one["correct"]), 1))
    package.forge("log")
    return package


def say_another_version(package: Package) -> None:
    """Let the report be by another version, so that a verifier does not compare it with its own, byte for byte."""
    report = package.json("audit-report.json")
    report["inputs"]["harness_source_sha256"] = ANOTHER_VERSION
    package.set_json("audit-report.json", report)


def _say_nothing(package: Package, score: Rate) -> None:
    """A report without findings, by another version: a verifier makes its own."""
    report = msgspec.json.decode(package.path("audit-report.json").read_bytes(), type=Report)
    checks = tuple(
        msgspec.structs.replace(check, findings=(), status="skip" if check.harness_gap else "pass")
        for check in report.checks
    )
    totals = msgspec.structs.replace(report.totals, tasks=1, finished=1, raw=score, tasks_not_counted=())
    report = waive(msgspec.structs.replace(report, checks=checks, totals=totals), ())
    package.path("audit-report.json").write_bytes(encode_report(report))
    say_another_version(package)
