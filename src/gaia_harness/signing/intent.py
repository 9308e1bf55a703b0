"""Signs the intent of a run before its first model call, and opens signed intents."""

import secrets
from collections.abc import Iterable
from typing import Any

import msgspec
import rfc8785

from gaia_harness.disclosure import is_exact
from gaia_harness.errors import EvidenceError
from gaia_harness.records.intent import Intent, options_sha256
from gaia_harness.records.sources import files_sha256 as files_sha256
from gaia_harness.records.sources import source_files as source_files
from gaia_harness.records.sources import source_sha256 as source_sha256
from gaia_harness.signing.signers import PublicKey, SignatureError, Signer, open_dsse, sign_dsse

PAYLOAD_TYPE = "application/vnd.gaia-harness.intent.v1+json"


def nonce() -> str:
    """A random nonce."""
    return secrets.token_hex(16)


def sign_intent(signer: Signer, intent: Intent) -> bytes:
    """The intent as a DSSE envelope."""
    value: Any = msgspec.to_builtins(intent)
    return sign_dsse(signer, PAYLOAD_TYPE, rfc8785.dumps(value))


def open_intent(envelope: bytes, keys: Iterable[PublicKey], *, where: str) -> tuple[Intent, PublicKey]:
    """The intent in an envelope that one of these keys has signed."""
    try:
        payload, key = open_dsse(envelope, PAYLOAD_TYPE, keys)
        intent = msgspec.json.decode(payload, type=Intent)
        canonical = rfc8785.dumps(msgspec.to_builtins(intent))
        disclosed = _disclosed(intent)
    except SignatureError as error:
        raise EvidenceError(f"{where}: {error.message}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, rfc8785.CanonicalizationError, RecursionError) as error:
        raise EvidenceError(f"{where}: not an intent: {error}") from error
    if canonical != payload:
        raise EvidenceError(f"{where}: the intent is not written as it must be")
    if disclosed is not None:
        raise EvidenceError(f"{where}: {disclosed}")
    return intent, key


def _disclosed(intent: Intent) -> str | None:
    """What is wrong with what an intent discloses, by itself."""
    given = [value is not msgspec.UNSET for value in (intent.endpoint, intent.judge_endpoint, intent.options)]
    if not any(given):
        return None
    if not all(given):
        return "of endpoint, judge_endpoint and options one is missing"
    options = {} if intent.options is msgspec.UNSET else intent.options
    if not is_exact(options):
        return "an option is a number that is not whole"
    if options_sha256(options) != intent.config_sha256:
        return "config_sha256 is not that of the options"
    return None
