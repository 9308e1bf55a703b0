"""Compares a run with its signed intent and with the first line of its log."""

import contextlib
from typing import TypeVar

import msgspec

from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.errors import EvidenceError
from gaia_harness.records.intent import FILE_NAME, Intent, compare, compare_start, differences_from_record, different
from gaia_harness.records.run import read_as_written
from gaia_harness.signing.dsse import LARGEST, read_envelope
from gaia_harness.signing.intent import PAYLOAD_TYPE
from gaia_harness.signing.wire import SignatureError

T = TypeVar("T", bound=msgspec.Struct)


def read_intent(run: RunEvidence, kind: type[T]) -> T | str | None:
    """What the run was declared as, or why that cannot be read; None without a file. Signatures are not looked at."""
    if run.intent_sha256 is None:
        return None
    try:
        with (run.folder / FILE_NAME).open("rb") as file:
            envelope = read_envelope(file.read(LARGEST + 1))
        if envelope.payload_type != PAYLOAD_TYPE:
            return f"{FILE_NAME}: a payload of another kind"
        return msgspec.json.decode(envelope.payload, type=kind)
    except SignatureError as error:
        return f"{FILE_NAME}: {error.message}"
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return f"{FILE_NAME}: not an intent"


def differences(run: RunEvidence, intent: Intent | None) -> list[str]:
    """What the run says of itself otherwise than its log did when it began, or than it was declared."""
    facts, started = run.facts, run.log.started
    names = []
    if started is not None:
        begun = compare_start(facts, started)
        names += different(begun | {"submit_intent": (facts.submit_intent, started.intent_sha256 is not None)})
    if intent is not None:
        bound = run.intent_sha256 if started is None else started.intent_sha256
        names += different(compare(intent, facts) | {"log": (run.intent_sha256, bound)})
        with contextlib.suppress(EvidenceError):  # a package has no run.json, which tells of the options
            names += differences_from_record(intent, read_as_written(run.folder))
    return list(dict.fromkeys(names))
