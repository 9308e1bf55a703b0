"""What earlier versions wrote is read for ever: packages verify, runs are audited, resumed and submitted."""

import hashlib
import shutil
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gaia_command import Ran, gaia, lines, summary

FROZEN = Path(__file__).parents[2] / "conformance" / "frozen"
VERSIONS = sorted(path.name for path in FROZEN.iterdir() if path.is_dir())
IDENTITY = "frozen@example.org"
TRUST = ("--allowed-signers", "allowed_signers", "--identity", IDENTITY)
PACKAGES = {"closed": 0, "closed.tar.gz": 0, "voted": 0, "resumed": 0, "unsandboxed": 4, "waived": 4}
AUDITS = {"closed": 0, "voted": 0, "resumed": 0, "unsandboxed": 1, "interrupted": 0, "interrupted-undeclared": 0}
KEYS = {
    "submit_ed25519": ("gaia-harness frozen {}: a throw-away key that everybody knows", IDENTITY),
    "cache_ed25519": ("gaia-harness frozen {}: the throw-away key of a judge cache", "gaia-harness-cache"),
}


class Home:
    """A copy of what a version left on its user's machine, the keys included."""

    def __init__(self, version: str, folder: Path) -> None:
        shutil.copytree(FROZEN / version, folder)
        self.folder = folder
        keys = folder / "keys"
        keys.mkdir(mode=0o700)
        (folder / "ledgers").rename(keys / "ledgers")
        for name, (text, comment) in KEYS.items():
            private = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(text.format(version).encode()).digest())
            openssh = serialization.PrivateFormat.OpenSSH
            pem = private.private_bytes(serialization.Encoding.PEM, openssh, serialization.NoEncryption())
            (keys / name).touch(mode=0o600)
            (keys / name).write_bytes(pem)
            line = private.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
            (keys / f"{name}.pub").write_bytes(line + b" " + comment.encode() + b"\n")
        (folder / "bin").mkdir()  # a path without bubblewrap: the runs were made so, and must be resumed so

    def gaia(self, *args: str) -> Ran:
        keys, cache, path = (str(self.folder / name) for name in ("keys", "cache", "bin"))
        return gaia(*args, cwd=self.folder, PATH=path, GAIA_KEYS_DIR=keys, GAIA_CACHE_DIR=cache)

    def submits(self, run: str) -> None:
        submitted = self.gaia("submit", f"runs/{run}", "--out", "package")
        assert submitted.code == 0, submitted.said
        verified = self.gaia("verify", "package", *TRUST, "--dataset", "dataset")
        assert verified.code == 0, verified.said


@pytest.fixture(params=VERSIONS)
def home(request, tmp_path):
    return Home(request.param, tmp_path / "home")


@pytest.mark.parametrize("dataset", [(), ("--dataset", "dataset")], ids=["alone", "with the data set"])
@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_package_of_an_earlier_version_verifies(version, package, dataset):
    done = gaia("verify", f"packages/{package}", *TRUST, *dataset, cwd=FROZEN / version)
    assert done.code == PACKAGES[package], done.said


@pytest.mark.parametrize("run", AUDITS)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_of_an_earlier_version_is_audited(version, run):
    done = gaia("audit", f"runs/{run}", cwd=FROZEN / version)
    assert done.code == AUDITS[run], done.said


@pytest.mark.parametrize("run", ["closed", "voted", "resumed"])
def test_a_run_of_an_earlier_version_is_submitted(home, run):
    home.submits(run)


@pytest.mark.parametrize("run", ["interrupted", "interrupted-undeclared"])
def test_an_interrupted_run_of_an_earlier_version_is_resumed(home, run):
    folder = home.folder / "runs" / run
    before = (folder / "results.jsonl").read_bytes()
    resumed = home.gaia("run", "--resume", f"runs/{run}")
    assert resumed.code == 0, resumed.said
    assert (folder / "results.jsonl").read_bytes().startswith(before)
    assert len(lines(folder / "results.jsonl")) == summary(folder)["total"] == 6
    if run == "interrupted":
        home.submits(run)
