"""One call of `gaia run` from configuration to summary: opens what a run needs, and closes it whatever happens."""

import contextlib
import logging
import platform
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import msgspec

from gaia_harness import __version__
from gaia_harness.errors import GaiaError, RunError
from gaia_harness.evidence.recording import Recording
from gaia_harness.evidence.redaction import secrets_in
from gaia_harness.judge.cache import JudgeCache
from gaia_harness.judge.llm import LlmJudge
from gaia_harness.models.base import Model
from gaia_harness.models.messages import Usage
from gaia_harness.models.prices import cost_usd, load_prices
from gaia_harness.models.registry import is_provider_endpoint, open_model
from gaia_harness.run.config import RunConfig
from gaia_harness.run.declaring import Declaration
from gaia_harness.run.folder import SCHEMA, DatasetRecord, RunFolder, RunRecord
from gaia_harness.run.journal import Journal
from gaia_harness.run.judging import cache_folder, open_cache
from gaia_harness.run.resume import Left, pick_up
from gaia_harness.run.runner import Runner, Stop, Watcher
from gaia_harness.run.summary import Summary
from gaia_harness.tasks.hub import hub_folders
from gaia_harness.tasks.loading import LoadedTasks, load_tasks
from gaia_harness.tools.kit import ToolConfig, ToolKit
from gaia_harness.witness.checkpoints import Checkpoints
from gaia_harness.witness.events import RunResumed, RunStarted
from gaia_harness.witness.keys import Ask, keys_folder
from gaia_harness.witness.ledger import Standing
from gaia_harness.witness.log import RunLog
from gaia_harness.witness.signing import PublicKey

log = logging.getLogger("gaia_harness")

RECORDED_PACKAGES = ("openai", "anthropic", "huggingface_hub", "httpx2", "trafilatura", "ddgs", "msgspec")


class Session:
    """What is needed for a run, found to be in order before anything is written."""

    def __init__(
        self, config: RunConfig, env: Mapping[str, str], *, model: Model | None = None, ask: Ask | None = None
    ) -> None:
        """`model` is one of your own; without it, the one that the configuration names is opened.

        `ask` asks for the passphrase of the submitter's key, if it has one and nobody else knows it.
        """
        self.config = config
        self.env = env
        self.declaration = Declaration.open(env, now, ask) if config.submit_intent else None
        self.loaded = load(config, env)
        self.model = open_run_model(config, env) if model is None else model
        self.judge_model = open_judge_model(config, env)
        self.advice: str | None = None
        self.standing: Standing | None = None

    async def start(self, out: Path, watcher: Watcher, stop: Stop) -> Summary:
        """Run in a new folder."""
        with RunFolder.create(out) as folder:
            return await self._run(folder, None, watcher, stop)

    async def resume(self, folder: RunFolder, record: RunRecord, watcher: Watcher, stop: Stop) -> Summary:
        """Finish a run that was started before, over the very same tasks."""
        if self.loaded.digest != record.dataset.digest:
            raise RunError(
                f"{folder.path}: the data set is not the one this run was started with "
                f"(digest {self.loaded.digest[:12]}…, then {record.dataset.digest[:12]}…)",
                hint="bring back that data set, or start a new run",
            )
        return await self._run(folder, record, watcher, stop)

    async def _run(self, folder: RunFolder, record: RunRecord | None, watcher: Watcher, stop: Stop) -> Summary:
        async with contextlib.AsyncExitStack() as open_things:
            open_things.push_async_callback(self.model.aclose)
            tools = open_things.enter_context(demo_web(self.config))
            tools = msgspec.structs.replace(tools, hidden=hidden_paths(self.config.dataset, folder.path, self.env))
            kit = await ToolKit.open(tools, self.env)
            open_things.push_async_callback(kit.aclose)
            _warn_of_isolation(kit)
            if record is None:
                record = new_record(self.config, self.loaded, kit)
            elif record.isolation.get("python") != kit.isolation["python"]:
                raise RunError(
                    f"{folder.path}: this run was started with python in {record.isolation.get('python')!r}; "
                    f"now it would be {kit.isolation['python']!r}",
                    hint="resume it where it was started, or start a new run",
                )
            left = pick_up(folder.path, origin(record), key=self._key())
            if left.started is not None and left.started.run_id != record.run_id:
                raise RunError(f"{folder.path / 'log.jsonl'}:1: this is the log of another run, {left.started.run_id}")
            if left.closed == "aborted":
                raise RunError(f"{folder.path}: this run was abandoned", hint="start a new run")
            record = msgspec.structs.replace(record, state="running", finished_at=None)
            folder.write_record(record)
            cache = None if self.judge_model is None else open_cache(self.env)
            journal = self._journal(folder, record, left, cache)
            open_things.callback(journal.close)
            runner = Runner(
                self.config,
                self.loaded,
                self.model,
                kit,
                journal,
                cost=pricing(self.config.model, self.config.base_url, self.env),
                watcher=watcher,
                stop=stop,
                begun=left.attempts,
                judge=self._judge(open_things, journal, cache),
            )
            self._save(folder, journal, self._summary(runner, record, closing=False))
            try:
                await runner.run(left.results)
            finally:
                summary = self._close(folder, record, runner, closed=left.closed is not None)
                self.advice = next((hint for hint, _ in runner.hints.most_common(1)), None)
        return summary

    def _key(self) -> PublicKey | None:
        return None if self.declaration is None else self.declaration.signer.public

    def _judge(
        self, open_things: contextlib.AsyncExitStack, journal: Journal, cache: JudgeCache | None
    ) -> LlmJudge | None:
        if self.judge_model is None or self.config.judge_model is None:
            return None
        open_things.push_async_callback(self.judge_model.aclose)
        cost = pricing(self.config.judge_model, self.config.judge_base_url, self.env)
        return LlmJudge(self.judge_model, cache, cost=cost, on_integrity=journal.integrity_event)

    def _journal(self, folder: RunFolder, record: RunRecord, left: Left, cache: JudgeCache | None) -> Journal:
        intent_sha256 = None
        if self.declaration is not None:
            key = None if cache is None else cache.public_key
            intent_sha256 = self.declaration.intend(folder.path, record, self.loaded, key, left)
        run_log = RunLog(folder.path / "log.jsonl", now, tree=left.tree)
        recording = None
        if self.config.record_evidence:
            recording = Recording(
                folder.path,
                {task.task_id: task.question for task in self.loaded.tasks},
                secrets=secrets_in(self.env),
                full_bodies=self.config.evidence_full_bodies,
            )
        signer = None if self.declaration is None else self.declaration.signer
        checkpoints = Checkpoints(folder.path / "checkpoints", origin(record), left.tree, signer=signer)
        journal = Journal(
            folder.path,
            run_log,
            checkpoints,
            recording,
            failures=left.failures,
            integrity_events=left.integrity_events,
        )
        if left.closed is not None:
            journal.checkpoint()
            return journal
        if left.tree.size:
            journal.add(RunResumed(healed=left.healed))
        else:
            journal.add(
                RunStarted(
                    run_id=record.run_id,
                    model=self.config.model,
                    gaia_split=self.loaded.split,
                    voting_attempts=self.config.voting_attempts,
                    tasks=len(self.loaded.tasks),
                    dataset_digest=self.loaded.digest,
                    record_evidence=self.config.record_evidence,
                    intent_sha256=intent_sha256,
                )
            )
        journal.checkpoint()
        self._enter(record, intent_sha256, journal)
        return journal

    def _enter(self, record: RunRecord, intent_sha256: str | None, journal: Journal) -> None:
        """Into the ledger, before any model is called."""
        if self.declaration is None or intent_sha256 is None:
            return
        self.declaration.enter(record, intent_sha256, journal.run_log.tree)
        self.standing = self.declaration.standing(record.run_id)
        if self.standing.never_closed > 1:
            log.warning(
                "%d other declared runs on this task list were never closed, which shows in every package: "
                "finish each with --resume DIR, or close it with --abandon DIR",
                self.standing.never_closed - 1,
            )

    def _close(self, folder: RunFolder, record: RunRecord, runner: Runner, *, closed: bool) -> Summary:
        """Close the log if every task is done, and save the summary: of an interrupted run too."""
        tally, journal = runner.tally, runner.journal
        complete, entered = tally.finished == tally.total, True
        if complete and not closed:
            reasons = self._reasons(runner, record, closing=True)
            journal.close_run(
                status="complete",
                tasks=tally.total,
                finished=tally.finished,
                attempts=tally.attempts,
                submittable=not reasons,
            )
        elif not complete:
            journal.checkpoint()
        if complete and self.declaration is not None:
            try:
                self.declaration.close(record.run_id, "complete", journal.run_log.tree)
                self.standing = self.declaration.standing(record.run_id)
            except (OSError, GaiaError) as error:
                journal.failed(f"the ledger cannot be written: {error}")
                entered = False
        summary = self._summary(runner, record, closing=complete)
        state = "closed" if complete and entered else "interrupted"
        if not self._save(folder, journal, summary, msgspec.structs.replace(record, state=state, finished_at=now())):
            summary = self._summary(runner, record, closing=complete)
        return summary

    def _save(self, folder: RunFolder, journal: Journal, summary: Summary, record: RunRecord | None = None) -> bool:
        """Whether it could be saved. Where not, what stood there before says that the run is not submittable."""
        try:
            if record is not None:
                folder.write_record(record)
            folder.write_summary(summary)
        except OSError as error:
            journal.failed(f"{folder.path}: the summary cannot be saved: {error.strerror}")
            return False
        return True

    def _reasons(self, runner: Runner, record: RunRecord, *, closing: bool) -> list[str]:
        reasons = []
        if not self.config.record_evidence:
            reasons.append("evidence recording was off (--record-evidence=false)")
        if not self.config.submit_intent:
            reasons.append("the run was not started with --submit-intent")
        if not closing:
            reasons.append("the run is not closed")
        if record.isolation.get("python") == "unsandboxed":
            reasons.append("python ran without a sandbox")
        if events := runner.journal.integrity_events:
            reasons.append(f"{events} entries of the judge cache were not as they were signed")
        reasons += [f"recording failed: {failure}" for failure in runner.journal.failures]
        return reasons

    def _summary(self, runner: Runner, record: RunRecord, *, closing: bool) -> Summary:
        return runner.tally.summary(
            seed=self.config.seed,
            dataset=self.loaded.dataset,
            dataset_revision=self.loaded.revision,
            dataset_digest=self.loaded.digest,
            split=self.loaded.split,
            voting_attempts=self.config.voting_attempts,
            integrity_events=runner.journal.integrity_events,
            non_submittable_reasons=self._reasons(runner, record, closing=closing),
        )


def _warn_of_isolation(kit: ToolKit) -> None:
    if kit.isolation["python"] == "not offered":
        log.warning("the python tool is not offered: %s", kit.isolation.get("reason", "there is no sandbox"))
    elif kit.isolation["python"] == "unsandboxed":
        log.warning("python runs WITHOUT a sandbox: what a model writes can read and change what you can")


def hidden_paths(dataset: str, folder: Path, env: Mapping[str, str]) -> tuple[Path, ...]:
    """What code in the sandbox must not read, wherever it lies: results, judgments, keys, the data set's answers."""
    own = () if dataset in ("hub", "demo") else (Path(dataset),)
    return (folder, *own, *hub_folders(env), cache_folder(env), keys_folder(env).path)


def origin(record: RunRecord) -> str:
    """The name of the run's log in its checkpoints."""
    return f"gaia-harness/run/{record.run_id}"


def load(config: RunConfig, env: Mapping[str, str]) -> LoadedTasks:
    """The tasks that the configuration asks for."""
    return load_tasks(config.dataset, split=config.split, selection=config.selection, revision=config.revision, env=env)


def open_run_model(config: RunConfig, env: Mapping[str, str]) -> Model:
    """The model that the configuration asks for."""
    return _open(config.model, config.base_url, config, env)


def open_judge_model(config: RunConfig, env: Mapping[str, str]) -> Model | None:
    """The model that is asked for a second opinion, if there is to be one."""
    if config.judge_model is None:
        return None
    return _open(config.judge_model, config.judge_base_url, config, env)


def _open(name: str, base_url: str | None, config: RunConfig, env: Mapping[str, str]) -> Model:
    return open_model(
        name, base_url=base_url, env=env, call_timeout=config.call_timeout, max_retries=config.max_retries
    )


def pricing(model: str, base_url: str | None, env: Mapping[str, str]) -> Callable[[Usage], float | None]:
    """What usage costs. Somebody else's server behind a provider's model name has no price that we know."""
    if not is_provider_endpoint(model, base_url, env):
        return lambda usage: None
    table = load_prices()
    return lambda usage: cost_usd(table, model, usage)


@contextlib.contextmanager
def demo_web(config: RunConfig) -> Iterator[ToolConfig]:
    """The tools' configuration. The demo's tasks come with their own small web, unless another is named."""
    tools = ToolConfig(
        search_url=config.search_url,
        allow_hosts=config.allow_hosts,
        unsandboxed_python=config.unsandboxed_python,
    )
    if config.dataset != "demo" or config.search_url is not None:
        yield tools
        return
    from gaia_harness.demo.server import DemoServer

    with DemoServer() as server:
        yield msgspec.structs.replace(
            tools, search_url=server.search_url, allow_hosts=(*tools.allow_hosts, server.allow_host)
        )


def new_record(config: RunConfig, loaded: LoadedTasks, kit: ToolKit) -> RunRecord:
    """run.json at the start."""
    return RunRecord(
        schema=SCHEMA,
        run_id=secrets.token_hex(16),
        state="running",
        started_at=now(),
        finished_at=None,
        config=config,
        dataset=DatasetRecord(
            name=loaded.dataset,
            gaia_split=loaded.split,
            revision=loaded.revision,
            digest=loaded.digest,
            task_ids=tuple(task.task_id for task in loaded.tasks),
        ),
        versions=versions(),
        isolation=kit.isolation,
    )


def versions() -> dict[str, str]:
    """What this run was made with."""
    found = {"gaia_harness": __version__, "python": platform.python_version(), "platform": sys.platform}
    for package in RECORDED_PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def now() -> str:
    """The time, in UTC, as records keep it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
