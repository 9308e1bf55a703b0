"""DSSE envelopes, of intents and attestations: no other payload may ever come out than one that was signed."""

import samples

from gaia_harness.errors import GaiaError
from gaia_harness.signing.dsse import read_envelope
from gaia_harness.signing.intent import open_intent
from gaia_harness.signing.signers import open_dsse
from gaia_harness.submission.attestation import PAYLOAD_TYPE, open_attestation

LONGEST = 8_192
KEY = samples.SIGNER.public
INTENTS, ATTESTATIONS = samples.contents("intent.dsse.json"), samples.contents("attestation.dsse.json")
SIGNED = {read_envelope(data).payload for data in (*INTENTS, *ATTESTATIONS)}


def seeds() -> list[bytes]:
    return [*INTENTS, *ATTESTATIONS]


def read(data: bytes) -> None:
    for what in (lambda: open_intent(data, [KEY], where="intent"), lambda: open_attestation(data, KEY)):
        try:
            what()
        except GaiaError:
            continue
        assert read_envelope(data).payload in SIGNED
    try:
        payload, _ = open_dsse(data, PAYLOAD_TYPE, [KEY])
    except GaiaError:
        return
    assert payload in SIGNED
