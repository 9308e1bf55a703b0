"""Compares a run with its signed intent and with the first line of its log."""

import msgspec

from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.errors import EvidenceError
from gaia_harness.records.intent import FILE_NAME, Intent, compare, compare_start, differences_from_record, different
from gaia_harness.records.run import read_as_written
from gaia_harness.signing.dsse import LARGEST, read_envelope
from gaia_harness.signing.intent import PAYLOAD_TYPE
from gaia_harness.signing.wire import SignatureError

UNDER_WAY = ("running", "interrupted")
"""What run.json says of a run that is not closed."""


def read_intent(run: RunEvidence) -> Intent | str | None:
    """What the run was declared as, or why that cannot be read; None without a file. Signatures are not looked at."""
    if run.intent_sha256 is None:
        return None
    try:
        with (run.folder / FILE_NAME).open("rb") as file:
            envelope = read_envelope(file.read(LARGEST + 1))
        if envelope.payload_type != PAYLOAD_TYPE:
            return f"{FILE_NAME}: a payload of another kind"
        return msgspec.json.decode(envelope.payload, type=Intent)
    except SignatureError as error:
        return f"{FILE_NAME}: {error.message}"
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return f"{FILE_NAME}: not an intent"


def differs_from_log(run: RunEvidence) -> list[str]:
    """What the run says of itself otherwise than its log did when it began."""
    facts, started = run.facts, run.log.started
    if started is None:
        return []
    compared = compare_start(facts, started)
    compared["submit_intent"] = (facts.submit_intent, started.intent_sha256 is not None)
    return different(compared)


def differs_from_intent(run: RunEvidence, intent: Intent) -> list[str]:
    """What the run says of itself otherwise than it was declared."""
    started = run.log.started
    compared = compare(intent, run.facts)
    compared["log"] = (run.intent_sha256, run.intent_sha256 if started is None else started.intent_sha256)
    return different(compared) + _unlike_record(run, intent)


class Ending(msgspec.Struct, frozen=True):
    """How a run says that it ended, beside what its log says."""

    goes_on: bool  # at work, or killed: the log has no end, and run.json does not say otherwise
    unsaved: bool  # killed before it could save how it ended, be it just behind the end of its log


def ending_of(run: RunEvidence) -> Ending:
    """Read run.json for it. A package has none: it is made of a run that has ended."""
    try:
        said = read_as_written(run.folder).get("state")
    except EvidenceError:
        said = None
    state = said if isinstance(said, str) else None
    return Ending(goes_on=state in UNDER_WAY and run.log.closed is None, unsaved=state in UNDER_WAY)


def _unlike_record(run: RunEvidence, intent: Intent) -> list[str]:
    """What run.json has otherwise of the options, the seed among them, and of the addresses; a package has none."""
    try:
        return differences_from_record(intent, read_as_written(run.folder))
    except EvidenceError:
        return []
