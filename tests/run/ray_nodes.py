"""A Ray cluster of several nodes on this machine, each with its own processes, and runs on it."""

import contextlib
import importlib.util
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gaia_command import Ran, own_folders

TOKEN = secrets.token_hex(20)  # by which a test knows the processes of its own cluster
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_enable_metrics_collection": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": TOKEN,
    "RAY_health_check_period_ms": "500",  # a dead node is noticed in seconds
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_timeout_ms": "2000",
    "RAY_health_check_failure_threshold": "3",
}
NAMES = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV")


def small_environment(**more: str) -> dict[str, str]:
    """What a machine of the cluster has: no key of anybody."""
    return {name: os.environ[name] for name in NAMES if name in os.environ} | QUIET | more


@contextlib.contextmanager
def only(environment):
    """This process' environment, which processes that Ray starts inherit."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class Nodes:
    """The cluster: a head that does no work, and nodes that come and go."""

    def __init__(self):
        with only(small_environment()):
            from ray.cluster_utils import Cluster

            # no disk behind it, so that an object store can be full
            config = {"automatic_object_spilling_enabled": False, "local_fs_capacity_threshold": 0.0}
            head = {"num_cpus": 0, "include_dashboard": False, "_system_config": config}
            self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self.address = self._cluster.address
        self._own: list = []

    def add(self, cpus=2, **options):
        environment = options.pop("environment", {})
        with only(small_environment()):
            node = self._cluster.add_node(num_cpus=cpus, env_vars=environment, **options)
        self._own.append(node)
        return node

    def kill(self, node):
        """At once, as when a machine loses its power: the raylet and all workers."""
        raylet = node.all_processes["raylet"][0].process.pid
        for pid in (*children(raylet), raylet):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def workers(self):
        """The process ids of our workers."""
        return [
            pid
            for pid in (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
            if _title(pid).startswith("ray::RayWorker") and self._of_ours(pid)
        ]

    def _of_ours(self, pid):
        with contextlib.suppress(OSError):
            return TOKEN.encode() in Path(f"/proc/{pid}/environ").read_bytes()
        return False

    def head(self):
        """The process ids of the head: Ray's control store, its log monitor and the rest."""
        processes = [each.process.pid for kind in self._cluster.head_node.all_processes.values() for each in kind]
        return [pid for each in processes for pid in (each, *children(each))]

    def clear(self):
        for node in self._own:
            with contextlib.suppress(Exception):
                self._cluster.remove_node(node, allow_graceful=False)
        self._own.clear()

    def close(self):
        self._cluster.shutdown()


def _title(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode("utf-8", "replace")
    return ""


def children(pid):
    found = []
    with contextlib.suppress(OSError):
        for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found += [*children(int(each)), int(each)]
    return found


class Running:
    """`gaia`, or another program, under way: a process of its own that is not forked from one with other threads."""

    def __init__(self, folder, *args, program=("-m", "gaia_harness"), **env):
        self.folder = folder
        self._said = [Path(folder, f"said.{name}").open("w+b") for name in ("out", "err")]  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, *program, *map(str, args)],
            stdin=subprocess.DEVNULL, stdout=self._said[0], stderr=self._said[1],
            env=small_environment(**own_folders(), **env), start_new_session=True,
        )  # fmt: skip

    def signal(self, number):
        os.killpg(self.process.pid, number)  # as a terminal does

    def wait(self, timeout=240):
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = None
        out, err = ((file.seek(0) or file.read()).decode() for file in self._said)
        for file in self._said:
            file.close()
        assert code is not None, f"it does not end: {out}{err}"
        assert "Traceback" not in err, err
        return Ran(code, out, err)


def until(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.05)


needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None,
    reason="ray is not installed: pip install 'gaia-harness[ray]'",
)
