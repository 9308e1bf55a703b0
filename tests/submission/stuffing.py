"""Packages of one task that verify, with whatever texts somebody wants to keep a verifier busy with."""

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import zstandard
from forging import Package

from gaia_harness.audit.evidence import DatasetFacts
from gaia_harness.audit.report import Report, encode_report, waive
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.figures import Rate, rate
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.records.intent import task_list_sha256
from gaia_harness.records.steps import ARGUMENT_HEAD, OUTPUT_HEAD, PROMPT_HEAD, WINDOW, WORDS_HEAD
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
    body: bool = False  # whether all of what it gives is kept


def nothing(report: Report) -> Report:
    """A report as it is."""
    return report


@dataclass
class Stuffing:
    """What one task's attempts are made of; `answers` are as many as there are attempts.

    Before them, `restarts` of the run come to nothing, then so many attempts are `lost`, each of them by a resume that
    the ledger has seen if they are `entered` there, or else all by one. `judged` is how often a judge is asked.
    """

    answers: list[str | None] = field(default_factory=lambda: ["7"])
    turns: list[Turn] = field(default_factory=list)  # of the first attempt
    system: str = "You are careful."
    catalogue: str = "[]"
    catalogues: bool = False  # whether each attempt has one of its own
    user: str | None = None
    restarts: int = 0
    lost: int = 0
    entered: bool = False
    judged: int = 0
    runs: int = 0  # others in the ledger, declared and ended
    signed: int = 0  # a checkpoint behind so many of the first lines of the log
    edit_report: Callable[[Report], Report] = nothing


class _Steps:
    """Steps in their order, with their numbers."""

    def __init__(self, model: str, prompts: dict[str, str], question: str, lost: int) -> None:
        self.done: list[dict[str, Any]] = []
        self.bodies: dict[str, str] = {}
        self.attempt, self.turn = lost, 1
        self._model, self._prompts, self._question = model, prompts, question

    def begin(self, stuffing: Stuffing) -> None:
        self.attempt, self.turn = self.attempt + 1, 1
        catalogue = stuffing.catalogue + " " * self.attempt * stuffing.catalogues
        for role, text in (("system", stuffing.system), ("tools", catalogue)):
            self._prompts[sha256(text)] = text
            self.prompt(role, text)
        self.prompt("user", self._question if stuffing.user is None else stuffing.user)

    def prompt(self, role: str, text: str) -> None:
        said = {"role": role, "content_sha256": sha256(text), **kept(text, PROMPT_HEAD)}
        self._add("prompt", **said, context_sha256=sha256("request"))

    def says(self, text: str, thoughts: str = "") -> None:
        mind = {"sha256": sha256(thoughts), **self._words(thoughts)} if thoughts else None
        words = self._words(text)
        whole = {"body": words.pop("body")} if "body" in words else {}  # the last field of a step
        self._add(
            "llm_call", model=self._model, output_sha256=sha256(text), **words, tokens_in=1,
            tokens_out=1, stop_reason=None, latency_ms=0, response_id=None, thoughts=mind, **whole,
        )  # fmt: skip

    def _words(self, text: str) -> dict[str, Any]:
        """What a step has of the model's words; longer ones are kept whole beside it."""
        said = kept(text, WORDS_HEAD)
        if said["truncated"]:
            self.bodies[sha256(text)] = text
            said["body"] = True
        return said

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
            scan=None, windows=windows, body=turn.body,
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
    steps = _Steps(facts["model"], prompts, data.questions[task_id], stuffing.lost)
    time, first = start["time"], stuffing.lost + 1
    log, resumes = _begun(stuffing, start, task_id)
    for number, answer in enumerate(stuffing.answers, start=first):
        steps.begin(stuffing)
        for turn in stuffing.turns if number == first else ():
            steps.use(turn)
        steps.says("I cannot tell." if answer is None else f"FINAL ANSWER: {answer}")
        named = {"seq": 0, "time": time, "task_id": task_id, "attempt": number}
        log += [
            {"event": "attempt_started", **named},
            {"event": "attempt_finished", **named, "steps": 0, "steps_sha256": ""},
        ]
    bound = {"trajectory_sha256": "", "result_sha256": "0" * 64, "outcome_sha256": "", "salted": True}
    made = stuffing.lost + count
    log.append({"event": "task_finished", "seq": 0, "time": time, "task_id": task_id, "attempts": made, **bound})
    log.append(close | {"tasks": 1, "finished": 1, "attempts": made})
    calls = sum(step["type"] == "llm_call" for step in steps.done)
    tools = sorted({step["name"] for step in steps.done if step["type"] == "tool_call"})
    sums = {"turns": calls, "input_tokens": calls, "output_tokens": calls, "tools_used": tools}
    answer, gold = stuffing.answers[0], data.key.get(task_id)
    chosen = {"selected_attempt": first, "voting_attempts": count}
    line |= sums | chosen | {"steps": steps.done, "final_answer": answer}
    one = next(task for task in facts["tasks"] if task["task_id"] == task_id) | sums
    one |= {"answer": answer, "correct": question_scorer(answer, gold.answer), "attempts": made}
    cast = [vote for vote in stuffing.answers if vote is not None]
    one["voting"] = {
        "selected_attempt": first, "votes": cast.count(answer), "cast": len(cast), "answers": stuffing.answers,
    }  # fmt: skip
    said = {"tasks": 1, "task_list_sha256": task_list_sha256([task_id]), "dataset_digest": data.digest}
    said |= {"voting_attempts": count, "levels": [one["level"]]}
    if stuffing.judged:
        said["judge_model"] = facts["judge_model"] = "scripted/judge"
    facts |= {"tasks": [one], "task_ids": [task_id], "voting_attempts": count, "dataset_digest": data.digest}
    start |= {name: said[name] for name in ("tasks", "voting_attempts", "dataset_digest")}
    package.set_json_lines("log.jsonl", log)
    package.set_json_lines("trajectories.jsonl", [line])
    package.set_json("metadata.json", metadata)
    for name, text in steps.bodies.items():
        TextStore(package.folder / "bodies", compressed=True).put(name, text.encode())
    intent = package.intent() | said | {"source_sha256": ANOTHER_VERSION}
    for name in ("endpoint", "judge_endpoint", "options"):  # a version that discloses nothing of its options
        intent.pop(name, None)
    package.set_intent(intent)
    entries = package.json_lines("ledger.jsonl")
    for entry in entries:
        entry |= {name: value for name, value in said.items() if name in entry}
    package.set_json_lines("ledger.jsonl", _entered(stuffing, entries, resumes))
    for path in package.path("prompts").iterdir():
        path.unlink()
    for name, text in prompts.items():
        package.path("prompts").joinpath(name).write_text(text)
    for turn in stuffing.turns:
        if turn.body:
            package.path("bodies").mkdir(exist_ok=True)
            package.path("bodies").joinpath(f"{sha256(turn.gives)}.zst").write_bytes(
                zstandard.compress(turn.gives.encode())
            )
    _say_nothing(package, rate(int(one["correct"]), 1), stuffing.edit_report)
    package.chain_log(checkpoint_at=[*range(1, stuffing.signed + 1), len(log)])
    package.forge("metadata")
    return package


def _begun(stuffing: Stuffing, start: dict[str, Any], task_id: str) -> tuple[list[dict[str, Any]], list[int]]:
    """The log up to the attempts that are not lost, and which of its lines are resumes that the ledger has seen."""
    time, log, resumes = start["time"], [start], []
    resumed = {"event": "run_resumed", "seq": 0, "time": time, "healed": [], "concurrency": 4}
    log += [resumed.copy() for _ in range(stuffing.restarts)]
    for number in range(1, stuffing.lost + 1):
        log.append({"event": "attempt_started", "seq": 0, "time": time, "task_id": task_id, "attempt": number})
        if stuffing.entered or number == stuffing.lost:
            log.append(resumed.copy())
            resumes.append(len(log))
    judged = {"task_id": task_id, "model": "scripted/judge", "prompt_sha256": "0" * 64, "verdict": False}
    for _ in range(stuffing.judged):
        log.append({"event": "judged", "seq": 0, "time": time, **judged, "cached": False})
    return log, resumes


def _entered(stuffing: Stuffing, entries: list[dict[str, Any]], resumes: list[int]) -> list[dict[str, Any]]:
    """The ledger with its resumes, and with other runs behind the end of this one."""
    intent, close = entries[0], entries[-1]
    seen = {"entry": "resume", "seq": 0, "time": intent["time"], "run_id": intent["run_id"]}
    mine = [seen | {"log_size": line, "log_root": "", "keeps_head": True} for line in resumes]
    others = []
    for number in range(stuffing.runs):
        run_id = {"run_id": str(uuid.UUID(int=number)), "time": close["time"]}
        others += [intent | run_id, close | run_id]
    return [*entries[:-1], *mine, close, *others]


def say_another_version(package: Package) -> None:
    """Let the report be by another version, so that a verifier does not compare it with its own, byte for byte."""
    report = package.json("audit-report.json")
    report["inputs"]["harness_source_sha256"] = ANOTHER_VERSION
    package.set_json("audit-report.json", report)


def _say_nothing(package: Package, score: Rate, edit: Callable[[Report], Report]) -> None:
    """A report without findings, by another version: a verifier makes its own."""
    report = msgspec.json.decode(package.path("audit-report.json").read_bytes(), type=Report)
    checks = tuple(
        msgspec.structs.replace(check, findings=(), status="skip" if check.harness_gap else "pass")
        for check in report.checks
    )
    totals = msgspec.structs.replace(report.totals, tasks=1, finished=1, raw=score, tasks_not_counted=())
    report = edit(waive(msgspec.structs.replace(report, checks=checks, totals=totals), ()))
    package.path("audit-report.json").write_bytes(encode_report(report))
    say_another_version(package)
