"""What can sandboxed code read of the machine? Not the hub's cache or a data set, wherever they lie, and no paths."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gaia_command import gaia
from gaia_harness.errors import GaiaError
from gaia_harness.run.opening import hidden_paths
from gaia_harness.tools.hiding import Mount, mounts, visible_paths
from gaia_harness.tools.python import PythonTool
from gaia_harness.tools.sandbox import Sandbox, find_sandbox

GOLD = "the gold is forty-two herons"
BLOB = "hub/datasets--gaia-benchmark--GAIA/blobs/1f"
SNAPSHOT = "hub/datasets--gaia-benchmark--GAIA/snapshots/682d/metadata.jsonl"
LOOK = """
import os
found = []
for top in TOPS:
    for folder, _, files in os.walk(top):
        for name in files:
            try:
                if "forty-two herons" in open(os.path.join(folder, name)).read():
                    found.append(os.path.join(folder, name))
            except (OSError, UnicodeDecodeError):
                pass
print("BROKEN" if found else "HELD", found)
"""


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    search = asyncio.run(find_sandbox())
    if search.sandbox is None:
        pytest.skip(f"no sandbox here: {search.reason}")
    return search.sandbox


@pytest.fixture
def prefix(sandbox):
    """A folder that the sandbox shows, like the prefix of an interpreter; not in /tmp, which is another one inside."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        (Path(folder) / "share").mkdir()
        Path(folder).chmod(0o755)
        yield Path(folder)


def hub(home: Path) -> Path:
    """A cache of the hub, with an answer in it."""
    for name in (BLOB, SNAPSHOT):
        (home / name).parent.mkdir(parents=True)
    (home / BLOB).write_text(GOLD)
    (home / SNAPSHOT).symlink_to("../../blobs/1f")
    return home


def hidden(tmp_path: Path, env: dict[str, str], dataset: str = "hub") -> tuple[Path, ...]:
    return hidden_paths(dataset, tmp_path / "run", env)


async def looked(sandbox: Sandbox, prefix: Path, *paths: Path) -> str:
    """What a program finds that looks everywhere beneath the prefix."""
    here = Sandbox(sandbox._bwrap, "test", hidden=paths, interpreter=(sandbox._python, prefix))
    here._prefixes = (prefix, *sandbox._prefixes)
    return (await PythonTool(here).call({"code": LOOK.replace("TOPS", repr([str(prefix), "/packages"]))})).text


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        ("HF_HOME", "."),
        ("HF_HUB_CACHE", "hub"),
        ("HUGGINGFACE_HUB_CACHE", "hub"),
        ("HF_DATASETS_CACHE", "hub"),
        ("XDG_CACHE_HOME", ".."),
    ],
)
async def test_the_hub_cache_is_hidden_beneath_the_interpreter(variable, place, sandbox, prefix, tmp_path):
    home = hub(prefix / "share" / "huggingface")
    assert (await looked(sandbox, prefix)).startswith("BROKEN")
    env = {variable: str(home / place)}
    assert (await looked(sandbox, prefix, *hidden(tmp_path, env))).startswith("HELD")


async def test_a_hub_cache_behind_links_is_hidden(sandbox, prefix, tmp_path):
    home = hub(prefix / "share" / "cache")
    (tmp_path / "link").symlink_to(home)
    assert (await looked(sandbox, prefix, *hidden(tmp_path, {"HF_HOME": str(tmp_path / "link")}))).startswith("HELD")
    shutil.move(home / "hub" / "datasets--gaia-benchmark--GAIA", prefix / "moved")
    (home / "hub" / "datasets--gaia-benchmark--GAIA").symlink_to(prefix / "moved")
    (prefix / "single").write_text(GOLD)
    (home / "hub" / "single").symlink_to(prefix / "single")
    found = await looked(sandbox, prefix, *hidden(tmp_path, {"HF_HOME": str(home)}))
    assert found.startswith("HELD"), found


async def test_a_data_set_folder_is_hidden(sandbox, prefix, tmp_path):
    (prefix / "gaia").mkdir()
    (prefix / "gaia" / "metadata.jsonl").write_text(GOLD)
    assert (await looked(sandbox, prefix)).startswith("BROKEN")
    paths = hidden(tmp_path, {}, str(prefix / "gaia"))
    assert (await looked(sandbox, prefix, *paths)).startswith("HELD")


def test_a_hub_cache_that_is_mounted_twice_is_hidden(prefix, tmp_path):
    """In a mount namespace of our own, so that nothing is left mounted."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount")
    home = hub(tmp_path / "elsewhere")
    (prefix / "share" / "seen").mkdir()
    script = f"""
import asyncio, pathlib, sys
sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}
from test_sandbox_hiding import looked
from gaia_harness.tools.sandbox import find_sandbox
async def main():
    sandbox = (await find_sandbox()).sandbox
    prefix = pathlib.Path({str(prefix)!r})
    print(await looked(sandbox, prefix))
    print(await looked(sandbox, prefix, pathlib.Path({str(home)!r})))
asyncio.run(main())
"""
    for part in (home, home / "hub" / "datasets--gaia-benchmark--GAIA"):
        mount = (
            f"mount --bind {part} {prefix}/share/seen && exec {sys.executable} -c '{script.replace(chr(39), chr(34))}'"
        )
        run = subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True, text=True)
        if "mount" in run.stderr and "denied" in run.stderr:
            pytest.skip("mounting is not allowed here")
        assert [line.split()[0] for line in run.stdout.splitlines()] == ["BROKEN", "HELD"], run.stderr


@pytest.mark.parametrize("folder", ["/", "/usr", sys.base_prefix, str(Path(os.__file__).parent.parent)])
async def test_a_cache_that_cannot_be_hidden_is_refused(folder, sandbox, tmp_path):
    with pytest.raises(GaiaError, match="cannot be hidden") as caught:
        await find_sandbox(hidden(tmp_path, {"HF_HOME": folder}))
    assert "HF_HOME" in caught.value.hint


def test_a_run_does_not_begin_where_the_hub_cache_cannot_be_hidden(sandbox, tmp_path):
    out = tmp_path / "run"
    ran = gaia("run", "--model", "scripted/demo", "--dataset", "demo", "--out", str(out), HF_HOME="/usr")
    assert ran.code == 1 and "/usr cannot be hidden" in ran.err and "HF_HOME" in ran.err
    assert not (out / "results.jsonl").exists()
    checked = gaia("validate", "--dataset", "demo", "--out", str(out), HF_HOME="/usr")
    assert checked.code == 1 and "/usr cannot be hidden" in checked.out + checked.err


async def test_a_virtual_environment_in_the_data_set_folder_is_no_obstacle(sandbox, tmp_path):
    environment = tmp_path / "set" / ".venv" / "bin"
    environment.mkdir(parents=True)
    (environment.parent / "pyvenv.cfg").touch()
    (environment / "python").symlink_to("/usr/bin/env")
    (tmp_path / "set" / "python").symlink_to(sys.base_prefix)
    here = Sandbox(sandbox._bwrap, "test", hidden=(tmp_path / "set",))
    code = "import subprocess\nsubprocess.run(['/usr/bin/env', 'true']).returncode"
    assert (await PythonTool(here).call({"code": code})).text == "0"


def test_places_follow_every_mount():
    root, data = Mount("8:1", Path("/"), Path("/")), Mount("8:2", Path("/"), Path("/data"))
    part, other = Mount("8:2", Path("/hf"), Path("/usr/hf")), Mount("8:3", Path("/"), Path("/usr/x"))
    deep = Mount("8:2", Path("/hf/hub/blobs"), Path("/opt/blobs"))
    assert set(visible_paths(Path("/data/hf/hub"), [root, data, part, other, deep])) == {
        Path("/data/hf/hub"),
        Path("/usr/hf/hub"),
        Path("/opt/blobs"),
    }
    line = r"36 35 98:0 /mnt1\040a /mnt2\134 rw,noatime master:1 - ext3 /dev/root rw"
    assert mounts(f"{line}\n4026 1 0:4 mnt:[402] /run/ns rw - nsfs nsfs rw\n\nx") == [
        Mount("98:0", Path("/mnt1 a"), Path("/mnt2\\"))
    ]


async def test_no_command_line_or_environment_inside_names_a_path_of_the_machine(sandbox, tmp_path):
    code = """
import os, pathlib
said = []
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("cmdline", "environ"):
        try:
            said.append(pathlib.Path("/proc", pid, name).read_bytes())
        except OSError:
            pass
print(b"".join(said).replace(b"\\0", b"\\n").decode())
"""
    text = (await PythonTool(sandbox).call({"code": code})).text
    site = str(Path(pytest.__file__).parents[1])
    assert "def confine" in text and "--args" in text  # that is what bwrap was called with
    assert site not in text and "gaia_harness" not in text and "--ro-bind" not in text
