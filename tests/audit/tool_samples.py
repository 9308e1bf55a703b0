"""Tasks with tool calls, prompts and answers of every kind, made with the real recorder and kept in memory."""

import json
from collections.abc import Sequence
from pathlib import Path

from gaia_harness.audit.evidence import DatasetFacts, RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check
from gaia_harness.audit.texts import Texts
from gaia_harness.audit.timeline import Surroundings
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.recorder import Recorder, RecorderSettings
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.protocol import OWN_ROLES
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.outcome import JudgeFacts, TaskFacts, VotingFacts
from gaia_harness.records.replay import LogFacts, TaskLog
from gaia_harness.records.stated import Stated
from gaia_harness.records.trajectories import Trajectory, check
from gaia_harness.signing.dsse import Envelope, write_envelope
from gaia_harness.signing.intent import PAYLOAD_TYPE
from gaia_harness.tasks.answers import AnswerKey, Gold

QUESTIONS = {
    "5b1f0c1e-77aa-4d0e-9c55-0d2f6a1b9e01": "Which bird does the widow of Pinch Beacon mistake for a whistle?",
    "c0ffee00-1234-4abc-8def-00112233aabb": "How many brass buttons were missing from the harbour master's coat?",
    "9d8c7b6a-5f4e-4d3c-8b2a-190817263544": "What colour was the ribbon that the curator tied around the sulking fern?",
    "1a2b3c4d-0000-4000-8000-00000000000a": "In which year did the lamp of Yarrow Head first burn through the night?",
    "1a2b3c4d-0000-4000-8000-00000000000b": "Which three islands does the mail boat Thimble call at on Sundays?",
}
FIRST, SECOND, THIRD, FOURTH, FIFTH = QUESTIONS
GOLDS = {
    FIRST: Gold(
        answer="the corncrake of Farrowby",
        annotator_steps="1. Find the 1911 ferry timetable in the Skerrow town archive.\n"
        "2. Turn to its back and read the third verse of the printed ballad.\n"
        "3. Note the bird that the widow hears before the fog lifts.",
    ),
    SECOND: Gold(answer="3"),
    THIRD: Gold(answer="violet"),
    FOURTH: Gold(answer="18594"),
    FIFTH: Gold(answer="Skerrow, Ossel, Farrowby"),
}
SYSTEM = "You answer questions. Use the tools. The answer must be a number or a few words, nothing else."


class Sample:
    """One task: take down what happens with `recorder`, then look at `evidence()`."""

    def __init__(self, folder: Path, task_id: str = FIRST) -> None:
        self.task_id = task_id
        self.folder = folder
        self.settings = RecorderSettings(prompts=TextStore(folder / "prompts", compressed=False))
        self.recorders = [Recorder(task_id=task_id, settings=self.settings)]

    @property
    def recorder(self) -> Recorder:
        return self.recorders[-1]

    def again(self) -> Recorder:
        steps = sum(len(recorder.steps) for recorder in self.recorders)
        self.recorders.append(
            Recorder(task_id=self.task_id, attempt=len(self.recorders) + 1, first_seq=steps, settings=self.settings)
        )
        return self.recorder

    def begin(self, *, system: str = SYSTEM, user: str | None = None) -> Recorder:
        for role, text in (("system", system), ("tools", "[]"), ("user", user or QUESTIONS[self.task_id])):
            self.recorder.prompt(1, role, text, context_sha256="a" * 64)
        return self.recorder

    def call(
        self, name: str, args: dict, output: str = "ok", *, is_error: bool = False, result: bool = True
    ) -> "Sample":
        number = len(self.recorder.steps)
        self.recorder.tool_call(1, f"call-{number}", name, args)
        if result:
            self.recorder.tool_result(1, f"call-{number}", name, output, is_error=is_error)
        return self

    def python(self, code: str, output: str = "ok", *, is_error: bool = False) -> "Sample":
        return self.call("python", {"code": code}, output, is_error=is_error)

    def evidence(
        self,
        answer: str | None = "an answer",
        *,
        judge: bool | str | None = "",
        answers: Sequence[str | None] | None = None,
    ) -> TaskEvidence:
        steps = tuple(step for recorder in self.recorders for step in recorder.steps)
        assert not any(recorder.failures for recorder in self.recorders)
        trajectory = Trajectory(
            task_id=self.task_id, model="m", turns=1, final_answer=answer, input_tokens=1, output_tokens=1,
            voting_attempts=1, selected_attempt=1, tools_used=(), steps=steps,
        )  # fmt: skip
        check(trajectory, where="sample")
        facts = TaskFacts(
            task_id=self.task_id, level=1, model="m", correct=None, answer=answer, error=None, turns=1, wall_ms=1,
            input_tokens=1, output_tokens=1, attempts=1, tools_used=(),
            voting=VotingFacts(selected_attempt=1, votes=1, cast=1, answers=tuple(answers or (answer,))),
            judge=None if judge == "" else JudgeFacts(model="j", verdict=judge, cached=False, cache="off"),
        )  # fmt: skip
        gold = GOLDS[self.task_id]
        return TaskEvidence(
            task_id=self.task_id, place="trajectories.jsonl:1", trajectory=trajectory, line_sha256="0" * 64, fault=None,
            facts=facts, log=TaskLog() if judge == "" else TaskLog(judged=[(5, judge)]),
            question=QUESTIONS[self.task_id], gold=gold, correct=question_scorer(answer, gold.answer),
            has_file=False, around=Surroundings(tools=OWN_ROLES),
            texts=Texts(self.folder),
        )  # fmt: skip


def run_of(
    folder: Path,
    *,
    isolation: dict[str, str] | None = None,
    integrity: int = 0,
    log: LogFacts | None = None,
    submit_intent: bool = False,
    dataset: bool = True,
    golds: dict[str, Gold] = GOLDS,
) -> RunEvidence:
    """A run whose tasks are the ones above."""
    facts = RunFacts(
        run_id="r", harness_version="0", model="m", judge_model="j", dataset="folder", dataset_revision=None,
        dataset_digest="d", gaia_split="validation", task_ids=tuple(QUESTIONS), voting_attempts=1, record_evidence=True,
        submit_intent=submit_intent, isolation={"python": "bubblewrap 0.8.0"} if isolation is None else isolation,
        judge_cache_integrity_events=integrity, tasks=(),
    )  # fmt: skip
    key = AnswerKey(golds)
    known = DatasetFacts(questions=QUESTIONS, levels=dict.fromkeys(QUESTIONS, 1), key=key, digest="d")
    run = RunEvidence(folder, Stated(facts=facts), known if dataset else None)
    run.log, run.questions, run.key = log or LogFacts(), QUESTIONS, key if golds else None
    return run


def examined(check_class: type, run: RunEvidence, *tasks: TaskEvidence) -> Check:
    """What a check says about these tasks."""
    examiner = check_class(run)
    notes = [note for task in tasks if (note := examiner.look(task)) is not None]
    return examiner.conclude(notes) if hasattr(examiner, "noted") else examiner.conclude()


def worst(check_: Check) -> str | None:
    """The severity of the worst finding, if there is any."""
    return check_.findings[0].severity if check_.findings else None


def write_intent(folder: Path, source_sha256: str) -> None:
    """The intent of a run that names its sources."""
    payload = json.dumps({"source_sha256": source_sha256}).encode()
    envelope = Envelope(payload_type=PAYLOAD_TYPE, payload=payload, key_id="k", signature=b"s")
    (folder / "intent.dsse.json").write_bytes(write_envelope(envelope))
