"""Makes the attempts of a run on the machines of a Ray cluster. All that is kept is written here, by the driver.

A worker is an actor. Calls go to it directly and are small, so that nothing lies in Ray's object store, and what has
keys in it is sealed for that one worker.
"""

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import msgspec

from gaia_harness.agent import AgentResult
from gaia_harness.attempts.budget import Allowance
from gaia_harness.attempts.messages import Setup
from gaia_harness.attempts.ray_worker import RayWorker
from gaia_harness.attempts.workshop import Job, Listener
from gaia_harness.errors import RunError
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.run.executor import Place, WorkerLost
from gaia_harness.run.ray_cluster import SILENCE, connected
from gaia_harness.run.remote import Gone, Refused, Remote
from gaia_harness.version import __version__

log = logging.getLogger("gaia_harness")

MOST_STARTS = 3
"""Workers in a row that may die before they have said a word."""


class RayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which cluster, and what of it each attempt takes. Without an address one is started on this machine.

    `env` are names of variables that workers get beside those that they need by themselves.
    """

    address: str | None = None
    cpus: float = 1.0
    memory: int | None = None
    env: tuple[str, ...] = ()


@contextlib.asynccontextmanager
async def open_ray(
    options: RayOptions,
    setup: Setup,
    environment: Mapping[str, str | None],
    *,
    model: str,
    budget: Callable[[], Allowance],
) -> AsyncIterator["RayExecutor"]:
    """Connect to a cluster, or start one; the first of its workers is ready then."""
    cpus = math.ceil(options.cpus * setup.config.concurrency)
    async with connected(options.address, cpus=cpus):
        executor = RayExecutor(options, setup, environment, model, budget)
        try:
            await executor.open_first()
            yield executor
        finally:
            executor.close()


class RayExecutor:
    """See `Executor`. Each place has a worker of its own."""

    def __init__(
        self,
        options: RayOptions,
        setup: Setup,
        environment: Mapping[str, str | None],
        model: str,
        budget: Callable[[], Allowance],
    ) -> None:
        import ray

        self._ray = ray
        self._options = options
        self._setup = setup
        self._environment = environment
        self.model = model
        self.budget = budget
        self.isolation: dict[str, Any] = {}
        self._answered = False
        self._first: _Actor | None = None
        self._refused: dict[str, Refused] = {}  # by node
        self._actors: set[_Actor] = set()

    async def open_first(self) -> None:
        """Open the first worker: what isolates code there is what isolates it everywhere."""
        if self._options.address is None and not await asyncio.to_thread(self._machines):
            raise RunError(
                f"this machine does not have {self._asked()} for an attempt",
                hint="give less as --memory-per-attempt, or a larger cluster by --ray-address",
            )
        self._first = first = await self.new_worker()
        self.isolation = {} if first.remote is None else first.remote.isolation

    @property
    def answered(self) -> bool:
        """See `Executor`."""
        self._answered |= any(actor.remote is not None and actor.remote.answered for actor in self._actors)
        return self._answered

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[Place]:
        """See `Executor`."""
        place = _RayPlace(self)
        try:
            yield place
        finally:
            place.close()

    def close(self) -> None:
        """End all workers."""
        for actor in list(self._actors):
            self.end(actor)

    def end(self, actor: "_Actor") -> None:
        """End a worker, whatever it does."""
        self._answered = self.answered
        self._actors.discard(actor)
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._ray.kill(actor.handle)

    async def new_worker(self) -> "_Actor":
        """Have a worker started, on a machine that was not refused. RunError where that cannot be."""
        first, self._first = self._first, None
        if first is not None:
            return first
        died = 0
        while True:
            actor = self._start()
            self._actors.add(actor)
            try:
                actor.remote = await self._opened(actor)
            except Gone as gone:
                self.end(actor)
                died += 1
                if died == MOST_STARTS:
                    raise RunError(
                        f"the workers of the cluster do not start: {gone}",
                        hint=f"every machine needs: pip install 'gaia-harness[run,ray]=={__version__}'",
                    ) from gone
            except Refused as refused:
                self.end(actor)
                if refused.node not in self._refused:
                    self._refused[refused.node] = refused
                    log.warning("a worker is refused: %s", refused.message)
                if not await asyncio.to_thread(self._machines):
                    raise RunError(refused.message, hint=refused.hint) from refused
            except BaseException:
                self.end(actor)
                raise
            else:
                return actor

    async def _opened(self, actor: "_Actor") -> Remote:
        """The worker, once it runs. While there is no room for it, that is said."""
        opening = asyncio.ensure_future(
            Remote.open(actor, self._setup, self._environment, model=self.model, isolation=self.isolation or None)
        )
        began, told = time.monotonic(), 0.0
        try:
            while not opening.done():
                await asyncio.wait([opening], timeout=SILENCE)
                if not opening.done() and time.monotonic() - told > 6 * SILENCE:
                    told = time.monotonic()
                    await self._say_waiting(told - began)
            return opening.result()
        finally:
            opening.cancel()

    async def _say_waiting(self, seconds: float) -> None:
        asked = self._asked()
        some = await asyncio.to_thread(self._machines)
        why = (
            f"it starts, or all machines with {asked} are at work" if some else f"no machine of the cluster has {asked}"
        )
        log.warning("waiting for %.0f s for a worker: %s", seconds, why)

    def _asked(self) -> str:
        memory = self._options.memory
        return f"{self._options.cpus:g} CPU" + ("" if memory is None else f" and {memory / 2**30:.1f} GiB")

    def _machines(self) -> list[str]:
        """The nodes that may work for this run."""
        asked = {"CPU": self._options.cpus, "memory": self._options.memory or 0}
        try:
            nodes = self._ray.nodes()
        except Exception as error:
            raise RunError(f"the Ray cluster cannot be reached: {error}") from error
        return [
            node["NodeID"]
            for node in nodes
            if node["Alive"]
            and node["NodeID"] not in self._refused
            and all(node["Resources"].get(name, 0) >= amount for name, amount in asked.items())
        ]

    def _start(self) -> "_Actor":
        options: dict[str, Any] = {
            "num_cpus": self._options.cpus,
            "max_restarts": 0,  # what it was making is lost, and only the driver may begin it again
            "max_task_retries": 0,
            "scheduling_strategy": "SPREAD",
        }
        if self._options.memory is not None:
            options["memory"] = self._options.memory
        if self._refused:
            options["label_selector"] = {"ray.io/node-id": f"!in({','.join(self._refused)})"}
            del options["scheduling_strategy"]  # Ray takes one of the two
        try:
            return _Actor(self._ray, self._ray.remote(RayWorker).options(**options).remote())
        except Exception as error:
            raise RunError(f"the Ray cluster cannot be reached: {error}") from error


class _Actor:
    """One worker: calls it, and says when it is gone."""

    def __init__(self, ray: Any, handle: Any) -> None:
        self.remote: Remote | None = None  # until it is found fit
        self.handle = handle
        self._ray = ray

    async def __call__(self, method: str, *args: Any) -> Any:
        try:
            return await getattr(self.handle, method).remote(*args)
        except self._ray.exceptions.RayTaskError as error:  # a defect of ours
            raise Gone(f"{type(error.cause).__name__} in {method}: {error.cause}") from error
        except self._ray.exceptions.RayError as error:
            raise Gone(_in_a_line(error)) from error


class _RayPlace:
    """See `Place`."""

    def __init__(self, executor: RayExecutor) -> None:
        self._executor = executor
        self._actor: _Actor | None = None

    async def ready(self) -> None:
        """See `Place`."""
        if self._actor is None:
            self._actor = await self._executor.new_worker()

    async def attempt(self, job: Job, recorder: Recorder, listener: Listener) -> AgentResult:
        """See `Place`."""
        await self.ready()  # a vote's further attempts come without a wait in between
        remote = None if self._actor is None else self._actor.remote
        if remote is None:
            raise WorkerLost("there is no worker")
        whole = False
        try:
            result = await remote.attempt(job, recorder, listener, self._executor.budget())
            whole = True
            return result
        finally:
            if not whole:  # lost, or cut off: whatever it still does is nobody's
                self.close()

    def close(self) -> None:
        """Give the worker up."""
        actor, self._actor = self._actor, None
        if actor is not None:
            self._executor.end(actor)


def _in_a_line(error: Exception) -> str:
    """What Ray says, without what it says about itself: its first line, and why where it gives a cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if "Error:" in line and line != lines[0]]
    return " ".join([*lines[:1], *told[-1:]])[:300] or type(error).__name__
