"""Several declared runs of one person that begin at the same moment."""

import thoroughness
from gaia_command import Started
from gaia_harness.records.ledger import CloseEntry, IntentEntry
from gaia_harness.signing.keys import KeyFolder
from gaia_harness.signing.ledger import read_ledger

RUNS = thoroughness.of(24)


def test_runs_that_begin_together_all_begin(tmp_path):
    """Each names the ledger's head in its intent: nobody may write between that and its own entry."""
    key = KeyFolder(tmp_path / "keys").create("submit", "ada@example.org").public
    env = {"GAIA_KEYS_DIR": str(tmp_path / "keys"), "GAIA_CACHE_DIR": str(tmp_path / "cache")}
    one = ("-m", "gaia_harness", "run", "--dataset", "demo", "--model", "scripted/demo", "--limit", "1")
    started = [Started(*one, "--submit-intent", "--out", tmp_path / f"run-{n}", **env) for n in range(RUNS)]
    assert [ran.said for ran in (each.wait(300) for each in started) if ran.code] == []
    _, entries = read_ledger(tmp_path / "keys" / "ledgers" / key.key_id, key)
    assert sum(isinstance(entry, IntentEntry) for entry in entries) == RUNS
    assert sum(isinstance(entry, CloseEntry) for entry in entries) == RUNS
