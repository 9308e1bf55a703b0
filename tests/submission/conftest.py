"""Two real runs with their packages, made once: every test works on a copy."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from forging import Package, copy_of
from leaky_run import LeakyRun, leaky_run
from submitter import ADA, World

from gaia_harness.signing.keys import KeyFolder


@pytest.fixture(scope="session")
def world(tmp_path_factory) -> World:
    """Ada's, with both runs. The first process of the tests that needs it makes it, the others have a copy."""
    root = tmp_path_factory.mktemp("world") / "ada"
    mine = tmp_path_factory.getbasetemp()
    shared = (mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine) / "ada"
    world = World(root, KeyFolder(root / "keys"))
    with shared.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if shared.exists():
            shutil.copytree(shared, root)
            return world
        root.mkdir()
        make_runs(world)
        shutil.copytree(root, shared.with_suffix(".new"))
        shared.with_suffix(".new").rename(shared)
    return world


def make_runs(world: World) -> None:
    world.keys.create("submit", ADA)
    world.submit(world.run("run", "--level", "1"), "package", "--archive")
    other = world.run(
        "other-run", "--level", "2", "--limit", "3", "--voting-attempts", "2", "--evidence-full-bodies",
        "--judge-model", "scripted/judge", "--judge-all",
    )  # fmt: skip
    world.submit(other, "other-package")


@pytest.fixture(scope="session")
def run(world) -> Path:
    return world.root / "run"


@pytest.fixture(scope="session")
def whole(world) -> Path:
    """The package of that run, with its archive beside it."""
    return world.root / "package"


@pytest.fixture(scope="session")
def other(world) -> Path:
    """A later package by the same person: two attempts a task, every output kept in full."""
    return world.root / "other-package"


@pytest.fixture
def package(whole, world, tmp_path) -> Package:
    return copy_of(whole, tmp_path / "copy", world.signer)


@pytest.fixture
def voted(other, world, tmp_path) -> Package:
    return copy_of(other, tmp_path / "voted", world.signer)


@pytest.fixture
def copies(whole, world, tmp_path) -> Callable[[str], Package]:
    return lambda name: copy_of(whole, tmp_path / name, world.signer)


@pytest.fixture
def met_a_leak(tmp_path) -> LeakyRun:
    return leaky_run(tmp_path)
