"""`python -m gaia_harness` in a stranger's folder."""

import subprocess
import sys

from gaia_command import gaia

OTHERS = ("msgspec", "click", "zstandard", "cryptography", "rfc8785", "rich", "platformdirs", "bcrypt")


def test_nothing_is_imported_from_the_folder_that_somebody_stands_in(tmp_path):
    trap = tmp_path / "trap"
    trap.mkdir()
    # `python -m` itself has these before it comes to us, from wherever it finds them: `gaia` or `python -P` has not
    early = subprocess.check_output([sys.executable, "-I", "-c", "import runpy, sys; print(*sys.modules)"], text=True)
    names = {*OTHERS, *sys.stdlib_module_names} - set(early.split())
    assert {"msgspec", "click", "logging", "json", "hashlib"} <= names
    for name in names:
        (trap / f"{name}.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'a').write('{name} ')\n")
    ran = gaia("verify", ".", cwd=trap)
    sprung = tmp_path / "sprung"
    assert not sprung.exists(), sprung.read_text()
    assert ran.code == 2
    assert "not a package" in ran.err
