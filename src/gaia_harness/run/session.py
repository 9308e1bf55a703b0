"""One call of `gaia run`, from configuration to summary; closes what it opened whatever happens."""

import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gaia_harness.attempts.boxing import same_agent
from gaia_harness.attempts.budget import HINT, Budget, Cost, Metered
from gaia_harness.attempts.messages import Setup
from gaia_harness.attempts.opening import open_run_model, open_run_transcription, open_workshop, pricing, run_pricing
from gaia_harness.disclosure import disclosed_endpoint, third_parties
from gaia_harness.errors import RunError, UsageError
from gaia_harness.evidence.redaction import secrets_in
from gaia_harness.judge.cache import JudgeCache
from gaia_harness.judge.llm import LlmJudge
from gaia_harness.models.base import Model
from gaia_harness.models.registry import address_hint
from gaia_harness.models.third_party import model_provenance
from gaia_harness.protocol import NOT_OFFERED, PYTHON, UNSANDBOXED
from gaia_harness.records.config import RunConfig
from gaia_harness.records.intent import FILE_NAME
from gaia_harness.records.ledger import LedgerStanding
from gaia_harness.records.run import RunRecord
from gaia_harness.records.summary import Summary
from gaia_harness.run import custom_prompt
from gaia_harness.run.at_work import AtWork
from gaia_harness.run.boxed_run import origin_of, refuse_other_box, refuse_run_within, warn_of_box
from gaia_harness.run.declaring import Declaration
from gaia_harness.run.executor import Executor, Local
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.journal import Journal
from gaia_harness.run.judging import open_cache
from gaia_harness.run.opening import (
    check_options,
    hidden_paths,
    load,
    new_record,
    now,
    open_judge_model,
    origin,
    refuse_needless_prices,
    refuse_secrets,
    warn_of_unmasked,
    warn_of_unread_audio,
)
from gaia_harness.run.pausing import Pausing
from gaia_harness.run.ray_cluster import need_ray
from gaia_harness.run.remote import needed_environment
from gaia_harness.run.results import cost_of
from gaia_harness.run.resume import ResumeState, load_resume_state
from gaia_harness.run.run_files import python_not_offered
from gaia_harness.run.runner import Runner, Stop, Watcher
from gaia_harness.run.writer import RunWriter
from gaia_harness.signing.keys import Ask
from gaia_harness.signing.signers import PublicKey

if TYPE_CHECKING:
    from gaia_harness.run.ray_executor import RayOptions

log = logging.getLogger("gaia_harness")


class Session:
    """What is needed for a run, found to be in order before anything is written."""

    def __init__(
        self,
        config: RunConfig,
        env: Mapping[str, str],
        *,
        model: Model | None = None,
        ask: Ask | None = None,
        system_prompt: str | None = None,
        ray: "RayOptions | None" = None,
    ) -> None:
        """`model` is one of your own; without it, the one that the configuration names is opened.

        `ask` asks for the passphrase of the submitter's key, if it has one and nobody else knows it.
        `system_prompt` is the text that the configuration names by its hash; a run that is resumed has it already.
        With `ray`, attempts are made on the machines of a cluster.
        """
        check_options(config, env)
        self.config = config
        self.env = env
        self.system_prompt = system_prompt
        self.declaration = Declaration.open(env, now, ask) if config.submit_intent else None
        self.loaded = load(config, env)
        self.model = open_run_model(config, env) if model is None else model
        self.judge_model = open_judge_model(config, env)
        self.endpoint = disclosed_endpoint(self.model.name, self.model.address)
        self.judge_endpoint = (
            None if self.judge_model is None else disclosed_endpoint(self.judge_model.name, self.judge_model.address)
        )
        self.transcription = open_run_transcription(config, env)
        self.transcription_endpoint = (
            None
            if self.transcription is None
            else disclosed_endpoint(self.transcription.model, self.transcription.address)
        )
        self.advice: str | None = None
        self.standing: LedgerStanding | None = None
        self.pausing = Pausing()
        self.budget = Budget()
        self.at_work: dict[str, AtWork] = {}
        """The tasks that are under way, by their ids."""
        self._accept_rollback = False
        self.ray = ray
        if ray is not None:
            if unset := next((name for name in ray.env if name not in env), None):
                raise UsageError(
                    f"--ray-env {unset}: it is not set here, and workers get no value but yours",
                    hint=f"set it, as in {unset}=… gaia run …, or leave out --ray-env {unset}",
                )
            need_ray()
            if model is not None:
                raise UsageError("a model of your own is asked in this process alone", hint="leave out `ray`")

    async def start(self, out: Path, watcher: Watcher, stop: Stop) -> Summary:
        """Run in a new folder."""
        refuse_needless_prices(self.config, self.env)
        refuse_run_within(self.config.agent, out)
        endpoints = (self.endpoint, self.judge_endpoint, self.transcription_endpoint)
        refuse_secrets(self.config, self.loaded, endpoints, self.env, self.system_prompt)
        text, named = self.system_prompt, self.config.system_prompt_sha256
        if (msgspec.UNSET if text is None else custom_prompt.sha256_of(text)) != named:
            raise RunError("the system prompt is not the one that the configuration names")
        with RunFolder.create(out, secrets_in(self.env)) as folder:
            if text is not None:
                custom_prompt.warn(text)
            return await self._run(folder, None, watcher, stop)

    async def resume(
        self, folder: RunFolder, record: RunRecord, watcher: Watcher, stop: Stop, *, accept_rollback: bool = False
    ) -> Summary:
        """Finish a run that was started before, over the very same tasks.

        With `accept_rollback`, also if it is on record that the run had gone further; that is disclosed.
        """
        self._accept_rollback = accept_rollback
        if self.loaded.digest != record.dataset.digest:
            raise RunError(
                f"{folder.path}: the data set is not the one this run was started with "
                f"(digest {self.loaded.digest[:12]}…, then {record.dataset.digest[:12]}…)",
                hint="bring back that data set, or start a new run",
            )
        if record.endpoint is not msgspec.UNSET:
            self._same_endpoints(folder.path, record)
        if self.config.system_prompt_sha256 is not msgspec.UNSET:
            self.system_prompt = custom_prompt.load_stored(folder.path, self.config.system_prompt_sha256)
        return await self._run(folder, record, watcher, stop)

    async def _run(self, folder: RunFolder, record: RunRecord | None, watcher: Watcher, stop: Stop) -> Summary:
        async with contextlib.AsyncExitStack() as open_things:
            executor = await open_things.enter_async_context(self._executor(folder.path))
            isolation = executor.isolation | model_provenance(self.model, self.judge_model)
            _warn_of_isolation(isolation)
            warn_of_box(self.config.agent, isolation)
            warn_of_unmasked(self.env)
            warn_of_unread_audio(self.config, self.loaded)
            is_new = record is None
            if record is None:
                record = self._disclosed(new_record(self.config, self.loaded, isolation))
                if self.config.agent is not msgspec.UNSET:
                    agent = same_agent(self.config.agent, self.config.model, self.env)
                    record = msgspec.structs.replace(record, origin=origin_of(agent))
            elif _kind(record.isolation.get(PYTHON)) != _kind(isolation[PYTHON]):
                raise RunError(
                    f"{folder.path}: this run was started with python in {record.isolation.get('python')!r}; "
                    f"now it would be {isolation['python']!r}",
                    hint="resume it where it was started, or start a new run",
                )
            else:
                refuse_other_box(folder.path, record.isolation, isolation)
                _same_third_parties(folder.path, record.isolation, isolation)
            state = load_resume_state(folder.path, origin(record), key=self._key())
            if state.started is None and not (folder.path / FILE_NAME).exists():  # begun, and declared nowhere yet
                record = self._disclosed(record)
            cost = run_pricing(self.config, self.env)
            self.budget = self._budget(state, cost)
            if is_new and self.system_prompt is not None:
                custom_prompt.store(folder.path, self.system_prompt)
            cache = None if self.judge_model is None else open_cache(self.env)
            writer = RunWriter.of(
                folder,
                record,
                self.loaded,
                state,
                env=self.env,
                declaration=self.declaration,
                cache_key=None if cache is None else cache.public_key,
                accept_rollback=self._accept_rollback,
            )
            open_things.callback(writer.release)
            journal = writer.begin()
            self.standing = writer.standing
            runner = Runner(
                self.config,
                self.loaded,
                executor,
                writer,
                cost=cost,
                watcher=watcher,
                stop=stop,
                judge=self._judge(open_things, journal, cache),
                budget=self.budget,
                at_work=self.at_work,
            )
            writer.tally.add_lost(state.lost_tools)
            try:
                await runner.run(state.results)
            finally:
                self.pausing = runner.pausing
                summary = writer.close(paused=runner.pausing.reason)
                if writer.disk_is_full:
                    runner.pausing.disk_is_full()  # found when the run was closed
                self.standing = writer.standing
                self.advice = runner.pausing.hint or next((hint for hint, _ in runner.hints.most_common(1)), None)
        return summary

    def _disclosed(self, record: RunRecord) -> RunRecord:
        return msgspec.structs.replace(
            record,
            endpoint=self.endpoint,
            judge_endpoint=self.judge_endpoint,
            transcription_endpoint=self.transcription_endpoint or msgspec.UNSET,
        )

    def _same_endpoints(self, folder: Path, record: RunRecord) -> None:
        """A run whose answers come from two places would be disclosed as one of a single place."""
        for model, then, now_at in (
            (self.config.model, record.endpoint, self.endpoint),
            (self.config.judge_model, record.judge_endpoint, self.judge_endpoint),
            (self.config.transcription_model or None, record.transcription_endpoint, self.transcription_endpoint),
        ):
            if model is not None and then != now_at:
                address = getattr(then, "address", "") or "no address"
                raise RunError(
                    f"{folder}: this run asks {model} at {address}; now it would be asked at "
                    f"{getattr(now_at, 'address', '') or 'no address'}",
                    hint=address_hint(model, address),
                )

    def _key(self) -> PublicKey | None:
        return None if self.declaration is None else self.declaration.signer.public

    def _budget(self, state: ResumeState, cost: Cost) -> Budget:
        """What the run may still cost. One that cannot ask a single question more is not begun again."""
        limit = self.config.max_cost
        if limit is msgspec.UNSET:
            return Budget()
        budget = Budget(limit, cost_of(state.results, cost) + state.lost_usd)
        if budget.reason is not None and len(state.results) < len(self.loaded.tasks):
            raise UsageError(budget.reason, hint=HINT)
        return budget

    def _judge(
        self, open_things: contextlib.AsyncExitStack, journal: Journal, cache: JudgeCache | None
    ) -> LlmJudge | None:
        if self.judge_model is None or self.config.judge_model is None:
            return None
        open_things.push_async_callback(self.judge_model.aclose)
        cost = pricing(self.config.judge_model, self.config.judge_base_url, self.env)
        metered = Metered(self.judge_model, cost, lambda: self.budget)
        return LlmJudge(metered, cache, cost=cost, on_integrity=journal.integrity_event)

    @contextlib.asynccontextmanager
    async def _executor(self, folder: Path) -> AsyncIterator[Executor]:
        """Where attempts are made: in this process, or on the machines of a cluster."""
        config, hidden = self.config, hidden_paths(self.config.dataset, folder, self.env)
        if self.ray is None:
            async with open_workshop(
                config,
                self.env,
                model=self.model,
                transcription=self.transcription,
                budget=lambda: self.budget,
                hidden=hidden,
                system_prompt=self.system_prompt,
            ) as workshop:
                yield Local(workshop)
            return
        from gaia_harness.run.ray_executor import open_ray

        await self.model.aclose()  # it is the workers that ask
        if self.transcription is not None:
            await self.transcription.aclose()
        agent = (
            () if config.agent is msgspec.UNSET else same_agent(config.agent, config.model, self.env).file.environment
        )
        setup = Setup(
            config=config,
            hidden=tuple(map(str, hidden)),
            system_prompt=self.system_prompt,
            questions={task.task_id: task.question for task in self.loaded.tasks} if config.record_evidence else None,
            limited=config.max_cost is not msgspec.UNSET,
        )
        environment = needed_environment(config, self.env, agent=tuple(agent), also=self.ray.env)
        async with open_ray(
            self.ray, setup, environment, model=self.model.name, budget=lambda: self.budget
        ) as executor:
            yield executor


def _kind(isolation: object) -> str:
    """How Python is contained, without the version of what contains it."""
    return str(isolation).split(" ")[0]


def _same_third_parties(folder: Path, then: Mapping[str, object], now: Mapping[str, object]) -> None:
    """A run is finished with the very models and tools of other packages that it was begun with."""
    for name in sorted({*third_parties(then), *third_parties(now)}):
        if then.get(name) != now.get(name):
            raise RunError(
                f"{folder}: this run was started with the {name} from {then.get(name, 'nowhere')}; "
                f"now it would be from {now.get(name, 'nowhere')}",
                hint="install that version again, or start a new run",
            )


def _warn_of_isolation(isolation: Mapping[str, object]) -> None:
    if isolation[PYTHON] == NOT_OFFERED:
        log.warning("%s; `gaia validate` says what to do", python_not_offered(isolation))
    elif isolation[PYTHON] == UNSANDBOXED:
        log.warning("python runs WITHOUT a sandbox: what a model writes can read and change what you can")
