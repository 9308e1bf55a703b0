"""SHA256SUMS.sig: an SSH signature in its armour; none that is not ours may fit."""

import contextlib

import samples

from gaia_harness.errors import GaiaError
from gaia_harness.signing.allowed_signers import NAMESPACE
from gaia_harness.signing.signers import check_ssh
from gaia_harness.signing.sshsig import read_armored, write_armored
from gaia_harness.submission.file_set import read_sums, write_sums

LONGEST = 4_096
SUMS = (samples.PLAIN / "SHA256SUMS").read_bytes()
OURS = read_armored((samples.PLAIN / "SHA256SUMS.sig").read_text())


def seeds() -> list[bytes]:
    return [*samples.contents("SHA256SUMS.sig"), *samples.contents("SHA256SUMS")]


def read(data: bytes) -> None:
    with contextlib.suppress(GaiaError):
        assert write_sums(read_sums(data)) == data
    text = data.decode("utf-8", "surrogateescape")
    try:
        found = read_armored(text)
        assert read_armored(write_armored(found)) == found
        check_ssh(text, NAMESPACE, SUMS, [samples.SIGNER.public])
    except GaiaError:
        return
    assert found == OURS
