"""Several declared runs of one person that begin at the same moment."""

import subprocess

import thoroughness
from gaia_command import command, environment
from gaia_harness.records.ledger import CloseEntry, IntentEntry
from gaia_harness.signing.keys import KeyFolder
from gaia_harness.signing.ledger import read_ledger

RUNS = thoroughness.of(24)


def test_runs_that_begin_together_all_begin(tmp_path):
    """Each names the ledger's head in its intent: nobody may write between that and its own entry."""
    key = KeyFolder(tmp_path / "keys").create("submit", "ada@example.org").public
    env = environment(GAIA_KEYS_DIR=str(tmp_path / "keys"), GAIA_CACHE_DIR=str(tmp_path / "cache"))
    processes = [
        subprocess.Popen(
            command(
                "run", "--dataset", "demo", "--model", "scripted/demo", "--limit", "1", "--submit-intent",
                "--out", tmp_path / f"run-{number}",
            ),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env,
        )
        for number in range(RUNS)
    ]  # fmt: skip
    said = [process.communicate(timeout=300)[1] for process in processes]
    failed = [err for process, err in zip(processes, said, strict=True) if process.returncode]
    assert failed == []
    _, entries = read_ledger(tmp_path / "keys" / "ledgers" / key.key_id, key)
    assert sum(isinstance(entry, IntentEntry) for entry in entries) == RUNS
    assert sum(isinstance(entry, CloseEntry) for entry in entries) == RUNS
