"""ledger.jsonl, with heads that are signed for whatever it has become."""

import samples

from gaia_harness.errors import GaiaError
from gaia_harness.records.ledger import IntentEntry, ledger_standing
from gaia_harness.signing.checkpoints import Checkpoint
from gaia_harness.signing.ledger import origin, read_ledger
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import sign_note

LONGEST = 8_192
PLACE = samples.place()


def seeds() -> list[bytes]:
    return samples.contents("ledger.jsonl")


def read(data: bytes) -> None:
    tree = Tree()
    for line in data.split(b"\n")[:-1]:
        tree.append(line)
    name = origin(samples.SIGNER.public)
    note = sign_note(samples.SIGNER, name, Checkpoint(name, tree.size, tree.root()).text())
    (PLACE / "ledger.jsonl").write_bytes(data)
    (PLACE / "ledger.checkpoints").write_bytes(note.encode() + b"\n")
    try:
        _, entries = read_ledger(PLACE, samples.SIGNER.public)
    except GaiaError:
        return
    for entry in entries:
        if isinstance(entry, IntentEntry):
            found = ledger_standing(entries, entry.run_id)
            assert 1 <= found.number <= found.runs
