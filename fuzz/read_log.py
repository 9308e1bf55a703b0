"""log.jsonl, with heads that are signed for whatever it has become: so that the rules behind them are reached."""

import samples

from gaia_harness.errors import GaiaError
from gaia_harness.signing.checkpoints import Checkpoint
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import sign_note
from gaia_harness.submission.log_reading import read_run_log

LONGEST = 8_192
PLACE = samples.place()
ORIGIN = f"gaia-harness/run/{samples.RUN_ID}"


def seeds() -> list[bytes]:
    return samples.contents("log.jsonl")


def read(data: bytes) -> None:
    tree = Tree()
    for line in data.split(b"\n")[:-1]:
        tree.append(line)
    (PLACE / "log.jsonl").write_bytes(data)
    note = sign_note(samples.SIGNER, ORIGIN, Checkpoint(ORIGIN, tree.size, tree.root()).text())
    (PLACE / "checkpoints").write_bytes(note.encode() + b"\n")
    try:
        reading = read_run_log(PLACE, samples.RUN_ID, samples.SIGNER.public, roots_at=[1, 5])
    except GaiaError:
        return
    assert reading.size == tree.size
    assert reading.closed.finished == len(reading.finished)
