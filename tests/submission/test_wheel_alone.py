"""Two people on one machine: one runs and submits; the other has the wheel alone, a list of signers and the package."""

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from submitter import World

ROOT = Path(__file__).parents[2]
NOBODY = 65534


class Stranger:
    """Somebody with a folder of their own and nothing of the project but its wheel.

    Another user of the machine, where these tests run as root and others may use the interpreter.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.user = NOBODY if os.geteuid() == 0 else None
        if self.user is not None and self._run("python", "-c", "").returncode:
            self.user = None

    def verify(self, package: Path, *options: str) -> subprocess.CompletedProcess[str]:
        return self._run("gaia", "verify", str(package), *options)

    def damaged(self, package: str, change: Callable[[Path], object]) -> Path:
        copy = Path(shutil.copytree(self.home / package, self.home / f"{package}-damaged"))
        change(copy)
        return copy

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                [self.home / "venv/bin" / program, *arguments],
                capture_output=True, text=True, env={"HOME": str(self.home)}, cwd=self.home, check=False,
                user=self.user, group=self.user, extra_groups=None if self.user is None else [],
            )  # fmt: skip
        except PermissionError:
            return subprocess.CompletedProcess(program, 126)


def install(folder: Path, wheel: Path) -> None:
    """A virtual environment with the wheel: by uv in a tenth of the time, by pip where uv is not there or fails."""
    uv, python = Path(sys.executable).with_name("uv"), folder / "bin/python"
    what = ["-q", "-c", ROOT / "constraints.txt", wheel]
    venv.create(folder, with_pip=False)
    fast = [uv, "pip", "install", "--python", python, *what]
    if uv.exists() and subprocess.run(fast, check=False, capture_output=True).returncode == 0:
        return
    venv.create(folder, with_pip=True, clear=True)
    subprocess.run([python, "-m", "pip", "install", *what], check=True, capture_output=True)


@pytest.fixture(scope="module")
def dirty(world: World) -> Path:
    run = world.run("dirty-run", "--level", "1", "--limit", "1", "--unsandboxed-python", code=3)
    return world.submit(run, "dirty-package", "--allow-dirty")


@pytest.fixture(scope="module")
def stranger(world: World, whole: Path, dirty: Path) -> Iterator[Stranger]:
    with tempfile.TemporaryDirectory(prefix="gaia-stranger-") as name:
        home = Path(name)
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", home / "dist"]
        subprocess.run(build, check=True, capture_output=True, cwd=ROOT)
        (wheel,) = (home / "dist").glob("gaia_harness-*.whl")
        install(home / "venv", wheel)
        shutil.copyfile(world.allowed, home / "allowed_signers")
        shutil.copytree(whole, home / "package")
        shutil.copyfile(whole.with_name("package.tar.gz"), home / "package.tar.gz")
        shutil.copytree(dirty, home / "dirty")
        (home / "runs").mkdir()
        subprocess.run([home / "venv/bin/gaia", "verify", home / "package"], check=False, env={})  # compiled for all
        subprocess.run(["chmod", "-R", "a+rX", home], check=True)
        (home / "runs").chmod(0o777)
        yield Stranger(home)


SIGNERS = ("--allowed-signers", "allowed_signers")


def test_the_wheel_alone_brings_no_model_and_no_connection(stranger):
    extra = "import importlib.util as u; print([n for n in ('httpx2', 'openai', 'pyarrow') if u.find_spec(n)])"
    assert stranger._run("python", "-c", extra).stdout.strip() == "[]"


@pytest.mark.parametrize("package", ["package", "package.tar.gz"])
def test_a_package_is_verified(stranger, package):
    done = stranger.verify(stranger.home / package, *SIGNERS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verdict    verified" in done.stdout


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda copy: (copy / "README.md").write_text("All answers are right."), id="edited"),
        pytest.param(lambda copy: (copy / "results.jsonl").unlink(), id="removed", marks=pytest.mark.cases),
        pytest.param(lambda copy: (copy / "notes.txt").touch(), id="added", marks=pytest.mark.cases),
        pytest.param(lambda copy: os.truncate(copy / "log.jsonl", 99), id="cut", marks=pytest.mark.cases),
    ],
)
def test_after_a_manipulation_it_fails(stranger, change):
    copy = stranger.damaged("package", change)
    try:
        done = stranger.verify(copy, *SIGNERS)
        assert done.returncode == 1, done.stdout + done.stderr
        assert "1 file set      FAILED" in done.stdout
    finally:
        shutil.rmtree(copy)


@pytest.mark.cases
def test_without_a_list_of_signers_nobody_is_authenticated(stranger):
    assert stranger.verify(stranger.home / "package").returncode == 3


def test_a_package_that_is_not_clean(stranger):
    done = stranger.verify(stranger.home / "dirty", *SIGNERS)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "python ran without a sandbox" in done.stdout
    assert stranger.verify(stranger.home / "dirty", *SIGNERS, "--accept-dirty").returncode == 0


INSTALL = "pip install 'gaia-harness[run]'"


def test_validate_says_once_what_is_missing_and_how_to_install_it(stranger):
    done = stranger._run("gaia", "validate")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FAIL  packages not installed: " in done.stdout
    assert f"next: {INSTALL}" in done.stdout
    assert done.stdout.count("pypdf") == 1
    assert "FAIL  sandbox  cannot be tried before the packages above are installed" in done.stdout
    assert "defect" not in done.stderr


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (["run", "--dataset", "demo", "--model", "scripted/demo", "--out", "runs/x"], 1, "packages that are not"),
        pytest.param(
            ["run", "--model", "openai/x"], 1, "huggingface_hub, which is not installed", marks=pytest.mark.cases
        ),
        pytest.param(
            ["audit", "package", "--dataset", "hub"],
            2,
            "huggingface_hub, which is not installed",
            marks=pytest.mark.cases,
        ),
        (["verify", "package", "--dataset", "hub"], 2, "huggingface_hub, which is not installed"),
    ],
)
def test_a_command_that_needs_more_says_how_to_install_it(stranger, command, code, words):
    done = stranger._run("gaia", *command)
    assert done.returncode == code, done.stdout + done.stderr
    assert words in done.stderr
    assert f"next:  {INSTALL}" in done.stderr
    assert "defect" not in done.stderr
