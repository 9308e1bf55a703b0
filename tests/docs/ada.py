"""Ada, who runs, submits and verifies: a folder with what she has, and how she types a command."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ADA = "ada@example.org"


@dataclass
class World:
    """A folder with runs, a package and a key of Ada's, and an environment in which commands find everything."""

    root: Path
    env: dict[str, str]
    local_model: str

    def run(self, command: str, cwd: Path | None = None) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", command], cwd=cwd or self.root, env=self.env, text=True, check=False, timeout=120,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert "Traceback" not in done.stdout, done.stdout
        return done.returncode, done.stdout

    def must(self, command: str) -> str:
        code, said = self.run(command)
        assert code == 0, said
        return said

    def copy(self, place: Path) -> "World":
        """The same in another folder, which a page may change."""
        shutil.copytree(self.root, place, symlinks=True)
        return World(place, self.env | {"GAIA_KEYS_DIR": str(place / "keys")}, self.local_model)
