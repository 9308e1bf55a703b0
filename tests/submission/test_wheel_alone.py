"""The wheel alone, in an empty environment, is enough to verify a package."""

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_built_wheel_verifies_a_package_without_the_extra_run(whole, world, tmp_path):
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path / "dist", ROOT]
    subprocess.run(pip, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("gaia_harness-*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    install = [python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel]
    subprocess.run(install, check=True, capture_output=True)
    extra = "import importlib.util as u; print([n for n in ('httpx2', 'openai', 'pyarrow') if u.find_spec(n)])"
    assert subprocess.check_output([python, "-c", extra], text=True).strip() == "[]"
    gaia = tmp_path / "empty" / "bin" / "gaia"
    for options, code in ((["--allowed-signers", world.allowed], 0), ([], 3)):
        done = subprocess.run(
            [gaia, "verify", whole, *options], capture_output=True, text=True, env={"HOME": str(tmp_path)}, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
