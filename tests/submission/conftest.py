"""One real run with its package, made once: every test works on a copy."""

from collections.abc import Callable
from pathlib import Path

import pytest
from forging import Package, copy_of
from leaky_run import LeakyRun, leaky_run
from submitter import ADA, World

from gaia_harness.signing.keys import KeyFolder


@pytest.fixture(scope="session")
def world(tmp_path_factory) -> World:
    root = tmp_path_factory.mktemp("world")
    keys = KeyFolder(root / "keys")
    keys.create("submit", ADA)
    return World(root, keys)


@pytest.fixture(scope="session")
def run(world) -> Path:
    return world.run("run", "--level", "1")


@pytest.fixture(scope="session")
def whole(world, run) -> Path:
    """The package of that run, with its archive beside it."""
    return world.submit(run, "package", "--archive")


@pytest.fixture(scope="session")
def other(world, whole) -> Path:
    """A later package by the same person: two attempts a task, every output kept in full."""
    run = world.run(
        "other-run", "--level", "2", "--limit", "3", "--voting-attempts", "2", "--evidence-full-bodies",
        "--judge-model", "scripted/judge", "--judge-all",
    )  # fmt: skip
    return world.submit(run, "other-package")


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
