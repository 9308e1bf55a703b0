"""metadata.json: what is accepted is written in one way only, and README and attestation can be made from it."""

import samples

from gaia_harness.errors import GaiaError
from gaia_harness.submission.attestation import statement
from gaia_harness.submission.metadata import encode_metadata, read_metadata
from gaia_harness.submission.readme import readme

LONGEST = 16_384


def seeds() -> list[bytes]:
    return samples.contents("metadata.json")


def read(data: bytes) -> None:
    try:
        metadata = read_metadata(data)
    except GaiaError:
        return
    assert encode_metadata(metadata) == data
    readme(metadata, 0)
    statement(metadata, {})
