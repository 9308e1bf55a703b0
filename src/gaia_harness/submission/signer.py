"""Identifies the signer of a package by a list from elsewhere, never by the package."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from gaia_harness.signing.allowed_signers import NAMESPACE, AllowedSigner, matches
from gaia_harness.signing.signers import PublicKey


class Authentication(msgspec.Struct, frozen=True, kw_only=True):
    """Who signed, as far as the verifier's own list says; `identity` is None where it does not."""

    identity: str | None
    said: str


def authenticate(
    key: PublicKey, signers: Sequence[AllowedSigner] | None, identity: str | None, claimed: str, when: datetime
) -> Authentication:
    """Whether the key may sign as the identity, for submissions, at the time that the package names.

    Without an identity from the verifier it must be the one that the package claims: people read that one in it.
    """
    if signers is None:
        return _nobody("no allowed signers were given (--allowed-signers FILE, with the submitter's line)")
    lines = [signer for signer in signers if signer.key == key]
    if not lines:
        return _nobody(f"the key {key.fingerprint} is not among the allowed signers")
    if identity is None:
        names = {name for line in lines for name in line.principals.split(",") if _literal(name)}
        if len(names) != 1:
            return _nobody(
                f"the key {key.fingerprint} has {len(names)} names among the allowed signers: give --identity"
            )
        (identity,) = names
        if identity != claimed:
            return _nobody(
                f"the key is {identity}'s, and the package calls its signer {claimed[:80]!a}: "
                f"give --identity {identity} if that is right"
            )
    named = [line for line in lines if matches(identity, line.principals)]
    if not named:
        return _nobody(f"the key {key.fingerprint} is not {identity}'s")
    if not any(line.namespaces is None or matches(NAMESPACE, line.namespaces) for line in named):
        return _nobody(f"the key of {identity} is not for submissions ({NAMESPACE})")
    if not any(line.allows(identity, NAMESPACE, when) for line in named):
        return _nobody(f"the key of {identity} was not valid at the time of signing, {when.isoformat()}")
    return Authentication(identity=identity, said=f"{identity}, {key.fingerprint}, at the time that the package names")


def _nobody(why: str) -> Authentication:
    return Authentication(identity=None, said=why)


def _literal(name: str) -> bool:
    return not set(name) & set("*?!")
