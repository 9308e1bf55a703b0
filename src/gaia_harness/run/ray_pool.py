"""Makes many calls of one function on the machines of a Ray cluster: audits of many runs, cases of the attack lab.

Workers read what they are told to read by themselves: the folders must be where they are on this machine.
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from gaia_harness.attempts.versions import versions
from gaia_harness.errors import GaiaError, RunError
from gaia_harness.records.sources import source_sha256
from gaia_harness.run.ray_cluster import SILENCE, connected
from gaia_harness.run.ray_executor import RayOptions

log = logging.getLogger("gaia_harness")


class RayPool:
    """A pool of workers, used as those of `concurrent.futures` are."""

    def __init__(self, ray: Any, options: RayOptions) -> None:
        self._ray = ray
        asked: dict[str, Any] = {"num_cpus": options.cpus, "scheduling_strategy": "SPREAD"}
        if options.memory is not None:
            asked["memory"] = options.memory
        self._call = ray.remote(_call).options(**asked)

    def submit(self, function: Callable[..., Any], *args: Any) -> "RayFuture":
        """Have a function of an installed module called."""
        return RayFuture(
            self._ray, self._call.remote(function, args, _Driver(socket.gethostname(), versions(), source_sha256()))
        )


class RayFuture:
    """What a call will give."""

    def __init__(self, ray: Any, ref: Any) -> None:
        self._ray = ray
        self._ref = ref

    def result(self) -> Any:
        """Wait for it. GaiaError where the call failed with one, or its worker cannot make it."""
        try:
            seconds = waited = SILENCE
            while not self._ray.wait([self._ref], timeout=seconds)[0]:
                log.warning("waiting for %.0f s for a worker: none is free, or it is not done", waited)
                seconds, waited = waited, 2 * waited
            return self._ray.get(self._ref)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, GaiaError):
                raise error.cause from error
            raise RunError(f"a worker failed: {type(error.cause).__name__}: {error.cause}"[:500]) from error
        except self._ray.exceptions.RayError as error:
            raise RunError(f"a worker was lost: {next(iter(str(error).splitlines()), '')}"[:500]) from error


@contextlib.contextmanager
def ray_pool(options: RayOptions, *, at_once: int) -> Iterator[RayPool]:
    """A pool on the cluster that is asked for; on one that is started here, so many calls go on at once."""
    with asyncio.Runner() as runner:
        connection = connected(options.address, cpus=at_once)
        runner.run(connection.__aenter__())
        try:
            import ray

            yield RayPool(ray, options)
        finally:
            runner.run(connection.__aexit__(None, None, None))


class _Driver(msgspec.Struct, frozen=True):
    machine: str
    versions: dict[str, str]
    source_sha256: str


def _call(function: Callable[..., Any], args: tuple[Any, ...], driver: _Driver) -> Any:
    """On the worker: the same call with another version could give another result."""
    here = socket.gethostname()
    if (versions(), source_sha256()) != (driver.versions, driver.source_sha256):
        raise RunError(
            f"{here}: has gaia-harness {versions()['gaia_harness']} or its packages in other versions "
            f"than this machine, {driver.versions['gaia_harness']}",
            hint="install the same on every machine of the cluster",
        )
    try:
        return function(*args)
    except GaiaError as error:
        if here != driver.machine:  # where what is said of a folder is so
            error.message = f"on {here}: {error.message}"
        raise
