"""Makes a run directory from a script, as `gaia run --submit-intent` writes one, but at once and from a seed.

The steps go through the real recorder with the real scan, the answers through the real scorer and the real vote. Only
the clock, the keys and the ids are made up: the same seed in the same folder gives the same bytes.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.fingerprint import Fingerprint
from gaia_harness.evidence.recorder import RecorderSettings
from gaia_harness.records.config import RunConfig
from gaia_harness.records.events import LOG_SCHEMA, IntegrityEvent, RecordingFailed, RunClosed, RunStarted
from gaia_harness.records.intent import ATTEMPT_POLICY, FILE_NAME, Intent, config_sha256, task_list_sha256
from gaia_harness.records.ledger import Head
from gaia_harness.records.results import TaskResult
from gaia_harness.records.run import SCHEMA, DatasetRecord, RunRecord
from gaia_harness.run.summary import Tally, not_submittable
from gaia_harness.signing.intent import sign_intent, source_sha256
from gaia_harness.signing.merkle import EMPTY_ROOT
from gaia_harness.signing.signers import LocalSigner
from gaia_harness.tasks.digest import digest_tasks
from gaia_harness.tasks.task import Task
from gaia_harness.version import __version__
from redteam.logbook import Logbook, clock
from redteam.script import RunScript, TaskScript
from redteam.task_record import TaskRecord, record_task
from redteam.world import LabTask
from redteam.world import tasks as world_tasks


class RunMaker:
    """Makes one run in `folder`/run, over the tasks in `folder`/dataset."""

    def __init__(self, folder: Path, seed: object, *, source: str | None = None) -> None:
        """`source` is the hash of the program's sources, where it is known already: it takes longer than a run."""
        self.seed = seed
        self.path = folder / "run"
        self.dataset = folder / "dataset"
        self.signer = LocalSigner(_bytes("key", seed))
        self._source = source

    def tasks(self, count: int) -> list[LabTask]:
        """So many tasks of this run's own."""
        return world_tasks(self.seed, count)

    def write(self, script: RunScript) -> list[TaskResult]:
        """Write the run and its data set; what its tasks came to, as the run has it."""
        self.path.mkdir(parents=True)
        self._write_dataset(script)
        asked = [self._task(entry.task, script.split) for entry in script.tasks]
        config = msgspec.structs.replace(script.config, dataset=str(self.dataset), split=script.split)
        digest = digest_tasks(asked)
        record = self._record(script, config, asked, digest)
        book = Logbook(self.seed, self.signer, f"gaia-harness/run/{record.run_id}")
        book.add(
            RunStarted(
                run_id=record.run_id,
                model=config.model,
                gaia_split=script.split,
                voting_attempts=config.voting_attempts,
                tasks=len(asked),
                dataset_digest=digest,
                record_evidence=config.record_evidence,
                intent_sha256=self._intend(script, record, asked) if script.intent else None,
                # one crash of a made run cuts off as many tasks as its script says: so many were at work
                concurrency=max(config.concurrency, sum(entry.cut_off > 0 for entry in script.tasks)),
                schema=LOG_SCHEMA,
            )
        )
        tally = Tally(_by_level(asked), has_gold=True)
        lines: dict[str, list[bytes]] = {"results.jsonl": [], "trajectories.jsonl": []}
        settings = self._settings(script)
        records = [self._record_task(entry, script, config, settings) for entry in script.tasks]
        for each in book.enter(records, config.concurrency):
            if each.script.lines:  # once, at the level that was asked: no tally passes more than there are
                tally.add(msgspec.structs.replace(each.result, level=each.script.task.level))
            for _ in range(each.script.lines):
                lines["results.jsonl"].append(each.result_line)
                lines["trajectories.jsonl"].append(each.trajectory_line)
        for event in script.events:
            book.add(event)
        reasons = _reasons(script, config)
        if script.closed:
            book.add(
                RunClosed(
                    status="complete",
                    tasks=tally.total,
                    finished=tally.finished,
                    attempts=tally.attempts,
                    submittable=not reasons,
                )
            )
        for name, content in lines.items():
            (self.path / name).write_bytes(b"".join(line + b"\n" for line in content))
        book.write(self.path, script)
        summary = tally.summary(
            seed=config.seed,
            dataset=config.dataset,
            dataset_revision=None,
            dataset_digest=digest,
            split=script.split,
            voting_attempts=config.voting_attempts,
            integrity_events=sum(isinstance(event, IntegrityEvent) for event in script.events),
            non_submittable_reasons=reasons,
            interruptions=book.interruptions.total(__version__),
        )
        finished = msgspec.structs.replace(record, state="closed" if script.closed else "interrupted")
        self._write_json("run.json", msgspec.structs.replace(finished, finished_at=book.time), script.edit_record)
        self._write_json("summary.json", summary, script.edit_summary)
        for name, data in script.files.items():
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_bytes(data)
        return [each.result for each in records if each.script.lines]

    def _settings(self, script: RunScript) -> RecorderSettings:
        return RecorderSettings(
            prompts=_QuickStore(self.path / "prompts", compressed=False),
            bodies=_QuickStore(self.path / "bodies", compressed=True),
            every_body=script.config.evidence_full_bodies,
            fingerprint=Fingerprint({entry.task.task_id: entry.task.question for entry in script.tasks}),
            standing={},
        )

    def _record_task(
        self, entry: TaskScript, script: RunScript, config: RunConfig, settings: RecorderSettings
    ) -> TaskRecord:
        return record_task(entry, self._task(entry.task, script.split), config, settings, self.seed)

    def _task(self, task: LabTask, split: str) -> Task:
        file = None
        if task.attachment is not None:
            file = self.dataset / "2023" / split / f"{task.task_id}.{task.attachment.extension}"
        return Task(task_id=task.task_id, question=task.question, level=task.level, attachment=file)

    def _write_dataset(self, script: RunScript) -> None:
        folder = self.dataset / "2023" / script.split
        folder.mkdir(parents=True)
        rows: dict[str, bytes] = {}  # a task that stands twice in the run stands once in the data set
        for task in (*(entry.task for entry in script.tasks), *script.dropped):
            row = row_of(task, script.split)
            if script.edit_rows is not None:
                script.edit_rows(row)
            rows.setdefault(task.task_id, msgspec.json.encode(row) + b"\n")
            if task.attachment is not None:
                (folder / row["file_name"]).write_bytes(task.attachment.data)
        (folder / "metadata.jsonl").write_bytes(b"".join(rows.values()))

    def _record(self, script: RunScript, config: RunConfig, asked: list[Task], digest: str) -> RunRecord:
        return RunRecord(
            schema=SCHEMA,
            run_id=_bytes("run", self.seed).hex()[:32],
            state="running",
            started_at=clock(0),
            finished_at=None,
            config=config,
            dataset=DatasetRecord(
                name=config.dataset,
                gaia_split=script.split,
                revision=None,
                digest=digest,
                task_ids=tuple(task.task_id for task in asked),
            ),
            versions={"gaia_harness": __version__, "python": "3.11.7", "platform": "linux"},
            isolation=dict(script.isolation),
        )

    def _intend(self, script: RunScript, record: RunRecord, asked: list[Task]) -> str:
        """Write the signed intent; its hash."""
        config = record.config
        intent = Intent(
            run_id=record.run_id,
            created_at=record.started_at,
            task_list_sha256=task_list_sha256(record.dataset.task_ids),
            tasks=len(asked),
            gaia_split=script.split,
            levels=tuple(sorted({task.level for task in asked})),
            dataset=config.dataset,
            dataset_revision=None,
            dataset_digest=record.dataset.digest,
            config_sha256=config_sha256(config),
            harness_version=__version__,
            source_sha256=self._source or source_sha256(),
            model=config.model,
            judge_model=config.judge_model,
            seed=config.seed,
            voting_attempts=config.voting_attempts,
            attempt_policy=ATTEMPT_POLICY,
            cache_public_key=LocalSigner(_bytes("cache", self.seed)).public.raw.hex() if config.judge_model else None,
            ledger=Head(size=0, root=EMPTY_ROOT.hex()),
            nonce=_bytes("nonce", self.seed).hex()[:32],
        )
        if script.edit_intent is not None:
            value = msgspec.to_builtins(intent)
            script.edit_intent(value)
            intent = msgspec.convert(value, Intent)
        envelope = sign_intent(self.signer, intent)
        (self.path / FILE_NAME).write_bytes(envelope)
        return hashlib.sha256(envelope).hexdigest()

    def _write_json(self, name: str, value: msgspec.Struct, edit: Any) -> None:
        content = msgspec.to_builtins(value)
        if edit is not None:
            edit(content)
        (self.path / name).write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")


class _QuickStore(TextStore):
    """The texts of a run that nobody will resume: written without waiting for the disk."""

    def put(self, sha256: str, data: bytes) -> None:
        """Keep these bytes, of which this is the hash."""
        path = self.path(sha256)
        if not path.exists():
            self.folder.mkdir(exist_ok=True)
            if self._compressed:
                import zstandard

                data = zstandard.ZstdCompressor(level=3).compress(data)
            path.write_bytes(data)


def row_of(task: LabTask, split: str = "validation") -> dict[str, Any]:
    """The task as a row of a data set in GAIA's layout."""
    file_name = "" if task.attachment is None else f"{task.task_id}.{task.attachment.extension}"
    return gaia_row(task.task_id, task.question, task.level, task.gold, task.steps, file_name, split)


def gaia_row(
    task_id: str, question: str, level: int, gold: str, steps: str, file_name: str, split: str
) -> dict[str, Any]:
    """A row of a data set in GAIA's layout."""
    return {
        "task_id": task_id,
        "Question": question,
        "Level": str(level),
        "Final answer": gold,
        "file_name": file_name,
        "file_path": f"2023/{split}/{file_name}" if file_name else "",
        "Annotator Metadata": {
            "Steps": steps,
            "Number of steps": str(steps.count("\n") + 1),
            "How long did this take?": "6 minutes",
            "Tools": "1. web browser\n2. search engine",
            "Number of tools": "2",
        },
    }


def _bytes(what: str, seed: object) -> bytes:
    return hashlib.sha256(f"lab/{what}/{seed}".encode()).digest()


def _by_level(asked: list[Task]) -> Mapping[int, int]:
    counts: dict[int, int] = {}
    for task in asked:
        counts[task.level] = counts.get(task.level, 0) + 1
    return counts


def _reasons(script: RunScript, config: RunConfig) -> list[str]:
    return not_submittable(
        recorded=config.record_evidence,
        declared=config.submit_intent and script.intent,
        closed=script.closed,
        sandboxed=script.isolation.get("python") != "unsandboxed",
        integrity_events=sum(isinstance(event, IntegrityEvent) for event in script.events),
        recording_failures=[event.reason for event in script.events if isinstance(event, RecordingFailed)],
    )
