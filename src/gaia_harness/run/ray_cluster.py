"""Connects to a Ray cluster, or starts one on this machine: on loopback alone, without a dashboard, and quietly."""

import asyncio
import contextlib
import importlib
import importlib.util
import logging
import os
import re
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any

from gaia_harness.errors import RunError, UsageError

log = logging.getLogger("gaia_harness")

SILENCE = 10.0
"""Seconds after which somebody who waits is told what for."""

ANSWER = 5.0
"""Seconds that a machine has to take a connection. Ray itself would try for a quarter of an hour."""

STORE_BYTES = 80 << 20
"""Of the object store, in which nothing of ours lies: the least that Ray takes."""

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # or it warns of what it may change one day
    "RAY_enable_metrics_collection": "0",
}
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # what keeps Ray on 127.0.0.1, also on Linux
_HANDED_ON = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|PYTHON\w+|VIRTUAL_ENV|LD_LIBRARY_PATH|XDG_\w+"
    r"|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|(?:https?|all|no)_proxy|RAY_\w+",
    re.IGNORECASE,
)
"""Variables that processes of a cluster of ours get. No key is among them: those that are needed travel sealed."""


def need_ray() -> None:
    """RunError where Ray is not installed. It is not imported here: then it reads its settings from the environment."""
    if importlib.util.find_spec("ray") is None:
        raise RunError("--executor ray needs Ray, which is not installed", hint="pip install 'gaia-harness[ray]'")


@contextlib.asynccontextmanager
async def connected(address: str | None, *, cpus: int) -> AsyncIterator[None]:
    """While this lasts, this process is the driver of a cluster: that at the address, or one of its own."""
    need_ray()
    if address is not None:
        await asyncio.to_thread(check_address, address)
    variables = _QUIET if address else _QUIET | _LOOPBACK
    if address is None and "ray" not in sys.modules:  # it is read when Ray is imported
        variables = variables | {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    with _environment(variables):
        import ray

        logging.getLogger("ray").setLevel(logging.CRITICAL)
        _keep_off_stdout()
        if ray.is_initialized():
            raise RunError("this process is connected to a Ray cluster already", hint="call ray.shutdown() before")
        # not in this thread, where Ray would take over the signals
        try:
            connecting = asyncio.to_thread(_connect, ray, address) if address else asyncio.to_thread(_start, ray, cpus)
            await _said_while_waiting(connecting)
            _take_back_sigterm()
            yield
        finally:
            await asyncio.shield(asyncio.to_thread(ray.shutdown))


def _keep_off_stdout() -> None:
    """Ray prints what lost nodes have logged to standard output, where a report may be. There is no setting for it."""
    internals: Any = importlib.import_module("ray._private.worker")
    if hasattr(internals, "print_to_stdstream"):
        internals.print_to_stdstream = lambda *_, **__: None


async def _said_while_waiting(work: Coroutine[Any, Any, None]) -> None:
    doing, began = asyncio.ensure_future(work), time.monotonic()
    while not (await asyncio.wait([doing], timeout=SILENCE))[0]:
        log.warning("waiting for %.0f s for Ray, which does not answer yet", time.monotonic() - began)
    doing.result()


def check_address(address: str) -> None:
    """RunError where nobody takes a connection there; UsageError where it is no address."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16 or "/" in host:
        remote = "://" in address
        raise UsageError(
            f"--ray-address {address}: "
            + ("a driver is itself on a machine of the cluster" if remote else "no address"),
            hint="run gaia on one of its machines, with --ray-address auto or HOST:PORT",
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), ANSWER).close()
    except OSError as error:
        raise RunError(
            f"nobody answers at --ray-address {address}: {error.strerror or error}",
            hint="look whether the head of the cluster runs there, and for a firewall in between",
        ) from error


def _take_back_sigterm() -> None:
    """Below Python, Ray has put a handler before ours that prints a stack and ends the process."""
    handler = signal.getsignal(signal.SIGTERM)
    if handler is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, handler)
        signal.siginterrupt(signal.SIGTERM, False)


def _connect(ray: Any, address: str) -> None:
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL, configure_logging=False)
    except Exception as error:
        said = next(iter(str(error).splitlines()), type(error).__name__)
        raise RunError(
            f"there is no Ray cluster that this machine is part of at {address}: {said[:300]}",
            hint="on this machine: ray start --address HOST:PORT, then give --ray-address auto; both with the token of "
            "the cluster, where it has one (RAY_AUTH_TOKEN)",
        ) from error


def _start(ray: Any, cpus: int) -> None:
    with _only_handed_on():
        try:
            ray.init(
                address="local",
                num_cpus=cpus,
                num_gpus=0,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.CRITICAL,
                configure_logging=False,
                object_store_memory=STORE_BYTES,
                _node_ip_address="127.0.0.1",
            )
        except Exception as error:
            said = next(iter(str(error).splitlines()), type(error).__name__)
            raise RunError(f"Ray does not start on this machine: {said[:300]}") from error


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Ray reads what it is to do from the environment, now and later."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _only_handed_on() -> Iterator[None]:
    """Processes that are started meanwhile inherit no secret of this one."""
    left_out = {name: value for name, value in os.environ.items() if _HANDED_ON.fullmatch(name) is None}
    for name in left_out:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(left_out)
