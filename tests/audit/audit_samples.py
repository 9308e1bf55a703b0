"""Small runs on disk, made with the real recorder and log, whose every line a test may bend before it is audited."""

import hashlib
import json
import shutil
from pathlib import Path

import msgspec

from gaia_harness.audit.evidence import DatasetFacts, RunEvidence, open_run
from gaia_harness.evidence.recording import Recording
from gaia_harness.judge import scorer
from gaia_harness.records.events import (
    AttemptFinished,
    AttemptStarted,
    Judged,
    RunClosed,
    RunResumed,
    RunStarted,
    TaskFinished,
)
from gaia_harness.records.intent import ATTEMPT_POLICY, FILE_NAME, Intent, task_list_sha256
from gaia_harness.records.ledger import Head
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.trajectories import decode, encode
from gaia_harness.signing.intent import sign_intent
from gaia_harness.signing.signers import generate_signer
from gaia_harness.tasks.answers import AnswerKey, Gold

MODEL = "openai/pelican-4"
DIGEST = "d" * 64
RUN_ID = "0123456789abcdef" * 2
QUESTION = "How many lanterns hung on the {} pier of Ossel when the ferry office burned down in the wet spring of 1911?"
PIERS = (
    "northern",
    "crooked",
    "painted",
    "sunken",
    "bishop's",
    "old",
    "upper",
    "glass",
    "windy",
    "third",
    "red",
    "low",
)


def task_id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


class SampleRun:
    """A run of a few tasks. `events`, `results` and `lines` (trajectories) may be changed until it is opened."""

    def __init__(self, folder: Path, *, voting_attempts: int = 1, split: str = "validation", dataset: str = "folder"):
        self.folder = folder
        self.voting_attempts = voting_attempts
        self.run = {
            "run_id": RUN_ID,
            "config": {
                "model": MODEL,
                "dataset": dataset,
                "record_evidence": True,
                "submit_intent": False,
                "voting_attempts": voting_attempts,
                "judge_model": None,
            },
            "dataset": {"name": dataset, "gaia_split": split, "revision": None, "digest": DIGEST, "task_ids": []},
            "versions": {"gaia_harness": "0.1.0"},
            "isolation": {"python": "bubblewrap 0.8.0"},
        }
        self.summary = {"judge_cache_integrity_events": 0}
        self.intent_sha256: str | None = None
        self.events: list = []
        self.results: list[dict] = []
        self.lines: list[dict] = []
        self.golds: dict[str, str] = {}
        self.levels: dict[str, int] = {}
        self.questions = {task_id(n): QUESTION.format(pier) for n, pier in enumerate(PIERS)}
        self.recording = Recording(folder / "made", self.questions)

    def add(
        self,
        number: int = 0,
        *,
        gold: str | None = "41",
        answers=("41",),
        replies=None,
        level: int = 1,
        cut_off: int = 0,
        before: int = 0,
        done_when_cut_off: bool = False,
        judged: bool | None = None,
        tools: bool = True,
        tokens: int | None = 20,
        work=None,
    ) -> "SampleRun":
        """One task; `cut_off` attempts, each by a crash of its own, go before those of `answers`.

        `before` attempts stand in the log already. `work` records an attempt in its own way.
        """
        task = task_id(number)
        question = self.questions.setdefault(task, QUESTION.format(f"{number}th"))
        self.run["dataset"]["task_ids"].append(task)
        for lost in range(1, cut_off + 1):
            self.events.append(AttemptStarted(task_id=task, attempt=lost))
            if done_when_cut_off:
                self.events.append(AttemptFinished(task_id=task, attempt=lost, steps=3, steps_sha256="a" * 64))
            self.events.append(RunResumed())
        cut_off += before
        recording = self.recording.task(
            task, model=MODEL, voting_attempts=self.voting_attempts, attempts_before=cut_off
        )
        for place, answer in enumerate(answers):
            self.events.append(AttemptStarted(task_id=task, attempt=cut_off + place + 1))
            reply = f"The harbour book says so.\n\nFINAL ANSWER: {answer}" if answer is not None else "I cannot tell."
            reply = reply if replies is None else replies[place]
            if work is None:
                _work(recording.attempt(), question, reply, tools, tokens)
            else:
                work(recording.attempt(), question, reply)
            self.events.append(
                AttemptFinished(
                    task_id=task,
                    attempt=cut_off + place + 1,
                    steps=len(recording.steps),
                    steps_sha256=recording.steps_sha256(),
                )
            )
        chosen, votes, cast = _majority(answers)
        answer = answers[chosen]
        trajectory = recording.finish(answer, selected_attempt=cut_off + chosen + 1).trajectory
        self.lines.append(json.loads(encode(trajectory)))
        correct = None if gold is None else scorer.question_scorer(answer, gold)
        self.results.append(
            {
                "task_id": task,
                "level": level,
                "question": question,
                "model": MODEL,
                "correct": correct,
                "answer": answer,
                "expected_output": gold,
                "error": None if answer is not None else "no answer within 30 turns",
                "turns": trajectory.turns,
                "wall_ms": 1200,
                "input_tokens": trajectory.input_tokens,
                "output_tokens": trajectory.output_tokens,
                "cost_usd": None,
                "attempts": cut_off + len(answers),
                "tools_used": list(trajectory.tools_used),
                "voting": {
                    "selected_attempt": cut_off + chosen + 1,
                    "votes": votes,
                    "cast": cast,
                    "answers": list(answers),
                },
                "judge": None,
            }
        )
        if judged is not None:
            self.results[-1]["judge"] = {"model": "openai/judge", "verdict": judged, "cached": False, "cache": "off"}
            self.events.append(
                Judged(task_id=task, model="openai/judge", prompt_sha256="b" * 64, verdict=judged, cached=False)
            )
        self.events.append(TaskFinished(task_id=task, attempts=cut_off + len(answers), trajectory_sha256=None,
                                        result_sha256=None))  # fmt: skip
        self.bind(len(self.results) - 1)
        if gold is not None:
            self.golds[task] = gold
        self.levels[task] = level
        return self

    def import_from(self, tools=None, unknown=("context_sha256", "tokens")) -> "SampleRun":
        """Let the run be one of another program, with the roles of its tools."""
        self.run["origin"] = {"kind": "imported", "recorded_by": "gaia-harness 0.3", "format": "other", "files": [],
                              "tools": tools or {}, "unknown": list(unknown)}  # fmt: skip
        return self

    def bind(self, place: int = 0) -> None:
        """Let the log bind a task's lines as they stand now, as somebody would who forges all of it."""
        task, data = self.results[place]["task_id"], _line(self.lines[place])
        facts = msgspec.convert(self.results[place], TaskFacts)
        for at, event in enumerate(self.events):
            if isinstance(event, TaskFinished) and event.task_id == task:
                self.events[at] = msgspec.structs.replace(
                    event,
                    trajectory_sha256=hashlib.sha256(data).hexdigest(),
                    result_sha256=hashlib.sha256(json.dumps(self.results[place]).encode()).hexdigest(),
                    outcome_sha256=facts.sha256(),
                )

    def bind_steps(self, place: int = 0) -> None:
        """Let the log bind the steps of a task of one attempt as they stand now."""
        trajectory = decode(_line(self.lines[place]), where="")
        for at, event in enumerate(self.events):
            if isinstance(event, AttemptFinished) and event.task_id == trajectory.task_id:
                self.events[at] = msgspec.structs.replace(
                    event,
                    steps=len(trajectory.steps),
                    steps_sha256=hashlib.sha256(encode(trajectory.steps)).hexdigest(),
                )

    def declare(self, **changes) -> None:
        """Sign an intent for the run as it stands, and let its log begin with it."""
        self.run["config"]["submit_intent"] = True
        listed = self.run["dataset"]["task_ids"]
        values = {
            "run_id": RUN_ID,
            "created_at": "2026-01-02T03:04:05.678Z",
            "task_list_sha256": task_list_sha256(listed),
            "tasks": len(listed),
            "gaia_split": self.run["dataset"]["gaia_split"],
            "levels": (1,),
            "dataset": self.run["dataset"]["name"],
            "dataset_revision": None,
            "dataset_digest": DIGEST,
            "config_sha256": hashlib.sha256(msgspec.json.encode(self.run["config"])).hexdigest(),
            "harness_version": "0.1.0",
            "source_sha256": "f" * 64,
            "model": MODEL,
            "judge_model": None,
            "seed": None,
            "voting_attempts": self.voting_attempts,
            "attempt_policy": ATTEMPT_POLICY,
            "cache_public_key": None,
            "ledger": Head(size=0, root="0" * 64),
            "nonce": "0" * 32,
        }
        envelope = sign_intent(generate_signer(), Intent(**(values | changes)))
        (self.folder / FILE_NAME).write_bytes(envelope)
        self.intent_sha256 = hashlib.sha256(envelope).hexdigest()

    def started(self, **changes) -> RunStarted:
        values = {
            "run_id": RUN_ID,
            "model": MODEL,
            "gaia_split": self.run["dataset"]["gaia_split"],
            "voting_attempts": self.voting_attempts,
            "tasks": len(self.run["dataset"]["task_ids"]),
            "dataset_digest": DIGEST,
            "record_evidence": True,
            "intent_sha256": self.intent_sha256,
        }
        return RunStarted(**(values | changes))

    def closed(self, **changes) -> RunClosed:
        attempts = sum(isinstance(event, AttemptStarted) for event in self.events)
        finished = len({event.task_id for event in self.events if isinstance(event, TaskFinished)})
        tasks = len(self.run["dataset"]["task_ids"])
        values = {"status": "complete", "tasks": tasks, "finished": finished, "attempts": attempts, "submittable": True}
        return RunClosed(**(values | changes))

    def open(self, *, started=None, closed=None, log: bool = True, dataset: bool = True, **facts) -> RunEvidence:
        """Write it all down and open it. `closed=False` leaves the log without its end."""
        self.recording.close()
        start = self.started() if started is None else started
        events = [start, *self.events]
        if closed is not False:
            events.append(closed or self.closed())
        written = [
            msgspec.json.encode(msgspec.structs.replace(event, seq=seq, time="2026-01-02T03:04:05.678Z")) + b"\n"
            for seq, event in enumerate(events)
        ]
        if log:
            (self.folder / "log.jsonl").write_bytes(b"".join(written))
        (self.folder / "run.json").write_text(json.dumps(self.run), "utf-8")
        for texts in ("bodies", "prompts"):
            if (self.folder / "made" / texts).is_dir():
                shutil.copytree(self.folder / "made" / texts, self.folder / texts, dirs_exist_ok=True)
        (self.folder / "summary.json").write_text(json.dumps(self.summary), "utf-8")
        (self.folder / "results.jsonl").write_bytes(b"".join(json.dumps(r).encode() + b"\n" for r in self.results))
        (self.folder / "trajectories.jsonl").write_bytes(b"".join(_line(t) + b"\n" for t in self.lines))
        known = DatasetFacts(
            questions=dict(self.questions),
            levels=dict(self.levels),
            key=AnswerKey({task: Gold(answer=gold) for task, gold in self.golds.items()}),
            digest=DIGEST,
        )
        values = {name: getattr(known, name) for name in DatasetFacts.__struct_fields__} | facts
        return open_run(self.folder, DatasetFacts(**values) if dataset else None)


def examine(check, run: RunEvidence):
    """One check over one run."""
    examiner = check(run)
    notes = [note for task in run.tasks() if (note := examiner.look(task)) is not None]
    return examiner.conclude(notes) if hasattr(examiner, "noted") else examiner.conclude()


def rules(check) -> set[tuple[str, str]]:
    """Severity and rule of each finding."""
    return {(finding.severity, finding.rule) for finding in check.findings}


def gating(check) -> list:
    return [finding for finding in check.findings if finding.severity in ("critical", "high")]


def nothing_above_low(check) -> bool:
    return all(finding.severity in ("low", "info") for finding in check.findings)


def text_fields(text: str) -> dict:
    """The fields of a step that say what its text is, for a step that a test rewrites."""
    data = text.encode()
    return {"head": text, "bytes": len(data), "output_sha256": hashlib.sha256(data).hexdigest()}


def _work(recorder, question: str, reply: str, tools: bool, tokens: int | None) -> None:
    named = {"model": "pelican-4-2026-01-01", "tokens_in": None if tokens is None else 300, "tokens_out": tokens}
    recorder.prompt(1, "system", "You answer questions.", context_sha256="c" * 64)
    recorder.prompt(1, "user", question, context_sha256="c" * 64)
    turn = 1
    if tools:
        recorder.llm_call(1, "I look it up.", **named)
        recorder.tool_call(1, "call_1", "web_search", {"query": "lanterns of Ossel"})
        recorder.tool_result(1, "call_1", "web_search", "The harbour book of Ossel counts the lanterns.")
        recorder.prompt(2, "context", "", context_sha256="e" * 64)
        turn = 2
    recorder.llm_call(turn, reply, **named)


def _majority(answers) -> tuple[int, int, int]:
    """The most frequent answer, the earliest of equals: place, votes, cast; without the harness's own rule."""
    cast = [answer for answer in answers if answer is not None]
    if not cast:
        return 0, 0, 0
    best = max(cast, key=lambda answer: (cast.count(answer), -cast.index(answer)))
    return list(answers).index(best), cast.count(best), len(cast)


def _line(trajectory: dict) -> bytes:
    return json.dumps(trajectory, separators=(",", ":"), ensure_ascii=False).encode()
