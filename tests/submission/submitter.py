"""Somebody who runs and submits, and what a verifier has from elsewhere."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gaia_command import gaia
from gaia_harness.offline import verify_package
from gaia_harness.signing.keys import KeyFolder, StoredKey
from gaia_harness.signing.signers import Signer
from gaia_harness.submission.verdict import NotExamined, Verdict

AT = "2030-01-02T03:04:05Z"
ADA = "ada@example.org"


@dataclass(frozen=True)
class World:
    """A folder for runs, packages and keys of one person."""

    root: Path
    keys: KeyFolder

    @property
    def env(self) -> dict[str, str]:
        return {"GAIA_KEYS_DIR": str(self.keys.path), "GAIA_CACHE_DIR": str(self.root / "cache")}

    @property
    def stored(self) -> StoredKey:
        return self.keys.existing("submit")

    @property
    def signer(self) -> Signer:
        return self.keys.signer("submit", env={})

    @property
    def allowed(self) -> Path:
        path = self.root / "allowed_signers"
        path.write_text(self.stored.allowed_signer().line() + "\n")
        return path

    def run(self, name: str, *options: str, code: int = 0) -> Path:
        out = self.root / name
        ran = gaia(
            "run", "--dataset", "demo", "--model", "scripted/demo", "--submit-intent", "--out", out, *options,
            **self.env,
        )  # fmt: skip
        assert ran.code == code, ran.said
        return out

    def submit(self, run: Path, name: str, *options: str) -> Path:
        out = self.root / name
        ran = gaia("submit", run, "--out", out, "--submitted-at", AT, *options, **self.env)
        assert ran.code == 0, ran.said
        return out


def examined(package: Path, **options: Any) -> Verdict | NotExamined:
    """What `gaia verify` finds, for somebody who has no keys of their own."""
    return verify_package(package, env={"GAIA_KEYS_DIR": "/nonexistent"}, **options)
