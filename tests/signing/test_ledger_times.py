"""A ledger never goes back in time, whatever the clock does and whatever an older version wrote into it."""

from gaia_harness.records.ledger import CloseEntry
from gaia_harness.signing.ledger import Ledger, read_ledger
from gaia_harness.signing.signers import LocalSigner


def test_a_new_entry_is_not_earlier_than_any_before_it(tmp_path, monkeypatch):
    signer = LocalSigner(bytes(range(32)))

    def enter(time: str) -> None:
        entry = CloseEntry(run_id="r", status="complete", log_size=1, log_root="0" * 64)
        Ledger(tmp_path / "ledger", signer, lambda: time).add(entry)

    with monkeypatch.context() as older:  # which wrote the time that the clock had
        older.setattr("gaia_harness.signing.ledger.later_of", lambda before, now: now)
        enter("2031-05-04T00:00:09.000Z")
        enter("2031-05-04T00:00:02.000Z")
    enter("2031-05-04T00:00:05.000Z")
    enter("2031-05-04T00:00:10.000Z")
    times = [entry.time[-7:-5] for entry in read_ledger(tmp_path / "ledger", signer.public)[1]]
    assert times == ["09", "02", "09", "10"]
