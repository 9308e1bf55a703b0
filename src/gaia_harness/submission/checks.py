"""Checks of a package's files, signatures, intent and ledger."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from gaia_harness import strict_json
from gaia_harness.disclosure import (
    DisclosedEndpoint,
    disclosed_endpoint,
    disclosed_options,
    third_parties,
    third_parties_of,
    transcription_base_url,
    transcription_model,
)
from gaia_harness.errors import EvidenceError
from gaia_harness.figures import counted
from gaia_harness.protocol import PYTHON, UNSANDBOXED
from gaia_harness.records.intent import Intent, compare, compare_start
from gaia_harness.records.ledger import AnyEntry, CloseEntry, IntentEntry, ResumeEntry, in_force, ledger_standing
from gaia_harness.records.origin import is_unknown
from gaia_harness.shortening import shorten
from gaia_harness.signing.allowed_signers import NAMESPACE
from gaia_harness.signing.intent import source_sha256
from gaia_harness.signing.ledger import head_at
from gaia_harness.signing.signers import SignatureError, check_ssh
from gaia_harness.submission.attestation import (
    PREDICATE_TYPE,
    STATEMENT_TYPE,
    open_attestation,
)
from gaia_harness.submission.examination import Examination, Unavailable
from gaia_harness.submission.file_set import (
    ATTESTATION,
    INTENT,
    LEDGER,
    LOG,
    METADATA,
    SIGNATURE,
    SUMS,
    listing_faults,
)
from gaia_harness.submission.log_reading import LogReading
from gaia_harness.timestamps import later_of, parse_timestamp
from gaia_harness.urls import shown_address

T = TypeVar("T")

IN_FACTS = ("system_prompt_sha256", "price_in", "price_out")
"""Options that a package's facts repeat, because its figures hang on them."""

_OPTIONS = ("model", "judge_model", "seed", "voting_attempts", "dataset")
"""What an intent says by itself and again among its options."""


class Fault(Exception):
    """What is wrong, one sentence or several; each begins with a file, and a line where there is one."""

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.faults = faults


def available(what: str, part: Callable[[], T]) -> T:
    """A part that another check is about."""
    try:
        return part()
    except EvidenceError as error:
        raise Unavailable(f"{what} does not hold") from error


def check_file_set(package: Examination) -> str:
    """1. Exactly what is listed, and every file as it is listed."""
    faults = list(package.files.faults)
    try:
        sums = package.sums
    except EvidenceError as error:
        raise Fault(*faults, error.message) from error
    faults += listing_faults(package.files, sums)
    for name in sorted(sums.keys() & package.files.sizes.keys()):
        try:
            if package.hash_of(name) != sums[name]:
                faults.append(f"{name}: its content is not what {SUMS} lists")
        except EvidenceError as error:
            faults.append(error.message)
    if faults:
        raise Fault(*faults)
    sizes = package.files.sizes
    return f"{counted(len(sizes), 'file')}, {sum(sizes.values()):,} bytes, each as listed"


def check_signatures(package: Examination) -> str:
    """2. Both signatures by the same key, over the same files. Who that key belongs to is asked elsewhere."""
    key = package.key
    data = package.files.read(SUMS)
    try:
        check_ssh(package.files.read(SIGNATURE).decode("ascii"), NAMESPACE, data, [key])
    except SignatureError as error:
        raise Fault(f"{SIGNATURE}: {error.message}") from error
    said = _statement(package)
    sums = available(SUMS, lambda: package.sums)
    expected = {**sums, SUMS: hashlib.sha256(data).hexdigest()}
    if said.get("_type") != STATEMENT_TYPE or said.get("predicateType") != PREDICATE_TYPE:
        raise Fault(f"{ATTESTATION}: not a statement about a submission")
    if said.get("subject") != [{"name": name, "digest": {"sha256": h}} for name, h in sorted(expected.items())]:
        raise Fault(f"{ATTESTATION}: is about other files than {SUMS}")
    return f"{SIGNATURE} and {ATTESTATION} by {key.fingerprint}"


def _statement(package: Examination) -> dict[str, Any]:
    payload = open_attestation(package.files.read(ATTESTATION), package.key)
    try:
        said = strict_json.loads(payload, where=ATTESTATION)
    except strict_json.JsonError as error:
        raise Fault(error.message) from error
    if not isinstance(said, dict):
        raise Fault(f"{ATTESTATION}: not a statement")
    return said


def check_intent(package: Examination) -> str:
    """3. Signed by the same key before the first step, and what the run then did."""
    available(SIGNATURE, lambda: package.key)
    intent = package.intent
    log = available(LOG, lambda: package.log)
    started = log.started
    facts = available(METADATA, lambda: package.metadata).facts
    if parse_timestamp(intent.created_at) is None:
        raise Fault(f"{INTENT}: {intent.created_at[:40]!a} is not a time as we write it")
    if intent.created_at > started.time:
        raise Fault(f"{INTENT}: made at {intent.created_at}, after the run began ({LOG}:1, {started.time})")
    if started.intent_sha256 != hashlib.sha256(package.files.read(INTENT)).hexdigest():
        raise Fault(f"{INTENT}: not the intent that {LOG}:1 names")
    require_equal(compare_start(intent, started), INTENT, f"{LOG}:1")
    in_facts = compare(intent, facts) | {
        "levels": (intent.levels, tuple(sorted({task.level for task in facts.tasks}))),
        "model of the tasks": ({intent.model}, {task.model for task in facts.tasks}),
        "submit_intent": (True, facts.submit_intent),
        "record_evidence": (True, facts.record_evidence),
    }
    if intent.options is not msgspec.UNSET:
        in_facts["selection"] = (intent.options.get("selection"), disclosed_options(facts.selection))
        if intent.origin is msgspec.UNSET:
            unsandboxed = facts.isolation.get(PYTHON) == UNSANDBOXED
            in_facts["unsandboxed_python"] = (intent.options.get("unsandboxed_python"), unsandboxed)
        stated = disclosed_options(
            {name: value for name in IN_FACTS if (value := getattr(facts, name)) is not msgspec.UNSET}
        )
        for name in IN_FACTS:
            in_facts[name] = (intent.options.get(name), stated.get(name))
    require_equal(in_facts, INTENT, f"facts in {METADATA}")
    if log.of_version_0_1 and intent.source_sha256 == source_sha256():
        raise Fault(f"{LOG}:1: names no schema, as only version 0.1 did, and {INTENT} names this very program")
    if intent.origin is not msgspec.UNSET and intent.origin.kind != "live":
        raise Fault(f"{INTENT}: of a run that was {intent.origin.describe()}: only what was recorded live is submitted")
    if is_unknown(intent.origin, "replies"):
        raise Fault(f"{INTENT}: says that what the model said is not known, where the run was recorded live")
    _endpoints(intent)
    if intent.options is not msgspec.UNSET:
        listener = {"transcription": (_transcriber(intent), facts.isolation.get("transcription"))}
        require_equal(listener, INTENT, f"facts in {METADATA}")
        if intent.origin is msgspec.UNSET:  # another program has its own way to its models
            check_third_parties(intent.options, facts.isolation)
    chosen = facts.selection.describe()
    tasks = f"{counted(intent.tasks, 'task')}{f' ({chosen})' if chosen else ''}"
    return f"signed {intent.created_at}, before the first step; {tasks}, {intent.model}"


def check_third_parties(options: Mapping[str, Any], isolation: Mapping[str, str]) -> None:
    """Where each model and tool of others comes from is said, and no tool is there that was not asked for."""
    needed, said = third_parties_of(options), third_parties(isolation).keys()
    for name in sorted(needed - said):
        raise Fault(f"{METADATA}: isolation does not say where the {name[:80]!a} of the options comes from")
    for name in sorted(said - needed):
        if name.startswith("tool "):
            raise Fault(f"{METADATA}: isolation has the {name[:80]!a}, which is not among the options")


def _transcriber(intent: Intent) -> str | None:
    """The model that transcribed audio and its address, as `isolation` says it."""
    model, endpoint = _transcription(intent)
    return None if not endpoint else f"{str(model).strip()} at {endpoint.address}"


def _endpoints(intent: Intent) -> None:
    """What is said to be a provider's own address must be one, and what the options name must be what was asked."""
    for name, model, endpoint in (
        ("endpoint", intent.model, intent.endpoint),
        ("judge_endpoint", intent.judge_model, intent.judge_endpoint),
        ("transcription_endpoint", *_transcription(intent)),
    ):
        if endpoint is msgspec.UNSET:
            continue
        if (model is None) is not (endpoint is None):
            raise Fault(f"{INTENT}: {name} does not fit the model {short(model)}")
        if model is not None and endpoint is not None and endpoint != disclosed_endpoint(model, endpoint.address):
            own = "not " if endpoint.own else ""
            raise Fault(f"{INTENT}: {name}: {short(endpoint.address)} is {own}the own address of {short(model)}")
    if intent.options is not msgspec.UNSET:
        said: dict[str, tuple[object, object]] = {
            name: (getattr(intent, name), intent.options.get(name)) for name in _OPTIONS
        }
        for name, given, endpoint in (
            ("base_url", intent.options.get("base_url"), intent.endpoint),
            ("judge_base_url", intent.options.get("judge_base_url"), intent.judge_endpoint),
            ("transcription_base_url", transcription_base_url(intent.options), intent.transcription_endpoint),
        ):
            if endpoint and endpoint.address and isinstance(given, str) and given.strip():
                said[name] = (endpoint.address, shown_address(given.strip()).rstrip("/"))
        require_equal(said, INTENT, "its options")


def _transcription(intent: Intent) -> tuple[str | None, DisclosedEndpoint | msgspec.UnsetType | None]:
    """Which model transcribed audio, and where; unset where nothing of a run's options is disclosed."""
    if intent.options is msgspec.UNSET:
        return None, intent.transcription_endpoint
    return transcription_model(intent.options), intent.transcription_endpoint or None


def check_ledger(package: Examination) -> str:
    """6. Consistent, this run in it from its declaration to its end, and how it stands among the others."""
    available(SIGNATURE, lambda: package.key)
    _, entries = package.ledger
    intent = available(INTENT, lambda: package.intent)
    log = available(LOG, lambda: package.log)
    ours = [entry for entry in entries if entry.run_id == intent.run_id]
    intended = [entry for entry in ours if isinstance(entry, IntentEntry)]
    closed = [entry for entry in ours if isinstance(entry, CloseEntry)]
    if len(intended) != 1:
        raise Fault(f"{LEDGER}: the run {intent.run_id[:40]!a} is in it {len(intended)} times")
    if len(closed) != 1:
        raise Fault(f"{LEDGER}: the end of the run {intent.run_id[:40]!a} is in it {len(closed)} times")
    where = f"{LEDGER}:{intended[0].seq + 1}"
    require_equal(
        {
            "intent_sha256": (intended[0].intent_sha256, hashlib.sha256(package.files.read(INTENT)).hexdigest()),
            "task_list_sha256": (intended[0].task_list_sha256, intent.task_list_sha256),
            "dataset_digest": (intended[0].dataset_digest, intent.dataset_digest),
            "gaia_split": (intended[0].gaia_split, intent.gaia_split),
            "model": (intended[0].model, intent.model),
        },
        where,
        INTENT,
    )
    for entry in entries:
        if parse_timestamp(entry.time) is None:
            raise Fault(f"{LEDGER}:{entry.seq + 1}: {entry.time[:40]!a} is not a time as we write it")
    size = intent.ledger.size
    if not 0 <= size <= intended[0].seq or head_at(entries, size) != intent.ledger.root:
        raise Fault(f"{LEDGER}: does not begin with the ledger of {size} entries that the intent names")
    seen = in_force(ours, intent.run_id)
    for entry in seen:
        where = f"{LEDGER}:{entry.seq + 1}"
        if entry.seq < intended[0].seq:
            raise Fault(f"{where}: stands before the run was declared")
        if log.roots.get(entry.log_size) != entry.log_root:
            raise Fault(f"{where}: has seen another log of {entry.log_size} lines")
    _resumes(log, frozenset(entry.log_size for entry in seen if isinstance(entry, ResumeEntry)))
    _rollbacks(log, ours, seen)
    if (closed[0].status, closed[0].log_size, closed[0].log_root) != ("complete", log.size, log.root):
        raise Fault(f"{LEDGER}:{closed[0].seq + 1}: the end of the run is not that of its log")
    if closed[0].seq != max(entry.seq for entry in ours):
        raise Fault(f"{LEDGER}:{closed[0].seq + 2}: the run goes on behind its end")
    _heads(log, ours)
    _in_time(package, entries, None if log.of_version_0_1 else intent.run_id)
    return f"{counted(len(entries), 'entry', 'entries')}; {ledger_standing(entries, intent.run_id)}"


def _heads(log: LogReading, ours: Sequence[AnyEntry]) -> None:
    """Who writes logs of the newer schema keeps their newest head, from the declaration on; version 0.1 did neither."""
    for entry in ours:
        where = f"{LEDGER}:{entry.seq + 1}"
        if isinstance(entry, IntentEntry) and log.of_version_0_1 and entry.keeps_head is not msgspec.UNSET:
            raise Fault(f"{LOG}:1: names no schema, as only version 0.1 did, and {where} keeps its head")
        if isinstance(entry, IntentEntry | ResumeEntry) and not log.of_version_0_1 and entry.keeps_head is not True:
            raise Fault(f"{where}: keeps no head of the log, as only version 0.1 did")


def _in_time(package: Examination, entries: Sequence[AnyEntry], run_id: str | None) -> None:
    """No entry of this run is earlier than one before it; those of other runs may be by version 0.1, and are said."""
    latest, earlier = "", []
    for entry in entries:
        if later_of(latest, entry.time) == entry.time:
            latest = entry.time
        elif entry.run_id == run_id:
            raise Fault(f"{LEDGER}:{entry.seq + 1}: is of an earlier time than a line before it")
        else:
            earlier.append(entry.seq + 1)
    if earlier:
        package.notes.append(went_back(LEDGER, earlier))


def went_back(name: str, lines: Sequence[int]) -> str:
    """The note on times that run backwards, as version 0.1 may have written them."""
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return f"{name}:{lines[0]}{more}: an earlier time than before: a clock was set back, or times are not as they were"


def _resumes(log: LogReading, entered: frozenset[int]) -> None:
    """Every restart must be in the ledger, which hears of it before anything is done; a crash may come before that."""
    resumed = set(log.resumed)
    begins = 2  # the first line on which the run does something
    while begins in resumed:
        begins += 1
    for line in log.resumed:
        if line not in entered and line + 1 not in resumed and line > begins:
            raise Fault(f"{LOG}:{line}: the run was resumed, and {LEDGER} does not say so")


def _rollbacks(log: LogReading, ours: Sequence[AnyEntry], seen: Sequence[AnyEntry]) -> None:
    """What ledger and log say of a rollback must be the same, and no less than what the ledger had seen before."""
    in_log = {rollback.kept + 1: rollback for rollback in log.interruptions.total("").rollbacks}
    still = {entry.seq for entry in seen}
    longest = 0
    for entry in ours:
        if not isinstance(entry, ResumeEntry):
            continue
        where, rollback = f"{LEDGER}:{entry.seq + 1}", entry.rollback
        if entry.seq in still and rollback != in_log.get(entry.log_size, msgspec.UNSET):
            raise Fault(f"{where}: does not say of a rollback what {LOG}:{entry.log_size} says")
        if rollback is not msgspec.UNSET:
            if longest > rollback.kept and (rollback.seen is None or rollback.seen < longest):
                raise Fault(f"{where}: a rollback from fewer lines than the {longest} that the ledger had seen")
            longest = rollback.kept
        longest = max(longest, entry.log_size)


def require_equal(said: Mapping[str, tuple[object, object]], here: str, there: str) -> None:
    """Require that both values of each named pair are equal."""
    for name, (a, b) in said.items():
        if a != b:
            raise Fault(f"{here}: {name} is {short(a)}, and in {there} {short(b)}")


def short(value: object) -> str:
    """A value as a line of a terminal can show it."""
    if value is msgspec.UNSET:
        return "nothing"
    text = ascii(msgspec.to_builtins(value)) if not isinstance(value, set) else ascii(sorted(value))
    return shorten(text, 120)
