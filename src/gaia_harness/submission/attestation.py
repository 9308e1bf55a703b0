"""attestation.dsse.json: an in-toto Statement about every file of a package, signed by the submitter."""

from collections.abc import Mapping
from typing import Any

import msgspec
import rfc8785

from gaia_harness.errors import EvidenceError
from gaia_harness.figures import Rate
from gaia_harness.records.intent import DISCLOSED
from gaia_harness.records.package import Metadata
from gaia_harness.signing.signers import PublicKey, SignatureError, Signer, open_dsse, sign_dsse
from gaia_harness.submission.file_set import ATTESTATION

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:gaia-harness:submission:v1"


def statement(metadata: Metadata, subjects: Mapping[str, str]) -> bytes:
    """The RFC 8785 form of the statement; `subjects` are hashes by name. There is no float in it."""
    value: dict[str, Any] = {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": sha256}} for name, sha256 in sorted(subjects.items())],
        "predicateType": PREDICATE_TYPE,
        "predicate": _predicate(metadata),
    }
    return rfc8785.dumps(value)


def sign_attestation(signer: Signer, metadata: Metadata, subjects: Mapping[str, str]) -> bytes:
    """The statement in its envelope."""
    return sign_dsse(signer, PAYLOAD_TYPE, statement(metadata, subjects))


def open_attestation(envelope: bytes, key: PublicKey) -> bytes:
    """The statement, as it was signed by this key."""
    try:
        return open_dsse(envelope, PAYLOAD_TYPE, [key])[0]
    except SignatureError as error:
        raise EvidenceError(f"{ATTESTATION}: {error.message}") from error


def _predicate(metadata: Metadata) -> dict[str, Any]:
    later: dict[str, Any] = {
        name: msgspec.to_builtins(value)
        for name in (*DISCLOSED, "served_models", "hosts", "options", "interruptions")
        if (value := getattr(metadata, name)) is not msgspec.UNSET
    }
    return {
        "run_id": metadata.run_id,
        "identity": metadata.submitter.identity,
        "submitted_at": metadata.submitted_at,
        "harness": {
            "name": metadata.harness.name,
            "version": metadata.harness.version,
            "source_sha256": metadata.harness.source_sha256,
        },
        "model": metadata.model,
        "gaia_split": metadata.gaia_split,
        "voting_attempts": metadata.voting_attempts,
        "totals": {
            "tasks": metadata.totals.tasks,
            "finished": metadata.totals.finished,
            "attempts": metadata.totals.attempts,
        },
        "pass_rate": _rate(metadata.pass_rate),
        "pass_rate_by_level": {level: _rate(rate) for level, rate in metadata.pass_rate_by_level.items()},
        "audited_pass_rate": _rate(metadata.audited_pass_rate),
        "audit": {"clean": metadata.audit.clean, "strict_clean": metadata.audit.strict_clean},
        "dirty": None if metadata.dirty is None else list(metadata.dirty),
        "standing": metadata.standing.said,
        **later,
        "log": {"size": metadata.log.size, "root": metadata.log.root},
        "ledger": {"size": metadata.ledger.size, "root": metadata.ledger.root},
    }


def _rate(rate: Rate | None) -> dict[str, Any] | None:
    """Shares as text with four digits: two programs may print a float in two ways."""
    if rate is None:
        return None
    return {
        "passed": rate.passed,
        "total": rate.total,
        "share": f"{rate.pass_rate:.4f}",
        "interval_95": [f"{rate.low:.4f}", f"{rate.high:.4f}"],
    }
