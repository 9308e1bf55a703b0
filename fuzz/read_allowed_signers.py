"""A file of allowed signers: whoever is read from it must be read from what we would write for them."""

import calendar
from datetime import UTC, datetime

import samples

from gaia_harness.errors import GaiaError
from gaia_harness.signing.allowed_signers import AllowedSigner, parse_allowed_signers
from gaia_harness.submission.signer import authenticate

LONGEST = 2_048
KEY = samples.SIGNER.public
WHEN = datetime(2026, 11, 3, tzinfo=UTC)
DAY = datetime(2026, 11, 2, tzinfo=UTC)


def seeds() -> list[bytes]:
    made = [
        AllowedSigner("ada@example.org", KEY),
        AllowedSigner("ada@example.org,!eve@example.org,*@example.org", KEY, "gaia-submission-v1,git", DAY, WHEN),
        AllowedSigner("a name", KEY, valid_before=WHEN),
    ]
    key = KEY.openssh()
    return [
        (samples.FOLDER / "allowed_signers").read_bytes(),
        *(signer.line().encode() + b"\n" for signer in made),
        f'"a,b" namespaces="x y",valid-after=20260101,valid-before="202601010000Z" {key} comment\r\n'.encode(),
        f'* cert-authority,namespaces="file" {key}\n'.encode(),
    ]


def read(data: bytes) -> None:
    try:
        signers = parse_allowed_signers(data.decode("utf-8", "surrogateescape"), local=calendar.timegm)
    except GaiaError:
        return
    for signer in signers:
        assert parse_allowed_signers(signer.line(), local=calendar.timegm) == [signer]
    for name in (None, "ada@example.org", "conformance@example.org"):
        authenticate(KEY, signers, name, "ada@example.org", WHEN)
