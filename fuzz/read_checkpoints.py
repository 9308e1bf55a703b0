"""A file of checkpoints, and each as a signed note: no other text may ever come out than one that was signed."""

import samples

from gaia_harness.errors import GaiaError
from gaia_harness.signing.checkpoints import read_checkpoints
from gaia_harness.signing.signers import open_note

LONGEST = 4_096
PLACE = samples.place()
FILES = samples.contents("checkpoints")
ORIGINS = [data.split(b"\n", 1)[0].decode() for data in FILES]
SIGNED = {part + b"\n" for data in FILES for part in data.split(b"\n\n")[0::2] if part}


def seeds() -> list[bytes]:
    return FILES


def read(data: bytes) -> None:
    (PLACE / "checkpoints").write_bytes(data)
    for origin in ORIGINS:
        try:
            points = read_checkpoints(PLACE / "checkpoints", origin, key=samples.SIGNER.public)
        except GaiaError:
            continue
        assert all(point.text().encode() in SIGNED for point in points)
    try:
        text = open_note(data.decode("utf-8", "surrogateescape"), ORIGINS[0], samples.SIGNER.public)
    except GaiaError:
        return
    assert text.encode() in SIGNED
