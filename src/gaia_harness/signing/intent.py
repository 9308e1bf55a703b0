"""What a run is going to do, said and signed before its first model call."""

import hashlib
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import rfc8785

from gaia_harness.disclosure import AskedAt, disclosed_options, is_exact
from gaia_harness.errors import EvidenceError
from gaia_harness.signing.signers import PublicKey, SignatureError, Signer, open_dsse, sign_dsse

PAYLOAD_TYPE = "application/vnd.gaia-harness.intent.v1+json"
FILE_NAME = "intent.dsse.json"
ATTEMPT_POLICY = "every started attempt is logged before its first model call, counted, and never dropped"


ENDPOINTS = ("endpoint", "judge_endpoint", "transcription_endpoint")
"""Where run.json and intent say that models are asked."""


class LedgerHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long the signer's ledger was before this run, and the head of its tree."""

    size: int
    root: str


class Intent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The signed statement. Whatever a run does that is not this, shows.

    Version 0.1 did not disclose `endpoint`, `judge_endpoint` and `options`; all others have the three of them.
    `transcription_endpoint` is there where the options name a transcription model.
    """

    run_id: str
    created_at: str
    task_list_sha256: str
    tasks: int
    gaia_split: str
    levels: tuple[int, ...]
    dataset: str
    dataset_revision: str | None
    dataset_digest: str
    config_sha256: str
    harness_version: str
    source_sha256: str
    model: str
    judge_model: str | None
    seed: int | None
    voting_attempts: int
    attempt_policy: str
    cache_public_key: str | None
    ledger: LedgerHead
    nonce: str
    endpoint: AskedAt | msgspec.UnsetType = msgspec.UNSET
    judge_endpoint: AskedAt | msgspec.UnsetType | None = msgspec.UNSET
    options: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    transcription_endpoint: AskedAt | msgspec.UnsetType = msgspec.UNSET


def task_list_sha256(task_ids: Sequence[str]) -> str:
    """The hash of a task list: of the RFC 8785 form of the array of its ids, in their order."""
    return hashlib.sha256(rfc8785.dumps(list(task_ids))).hexdigest()


def config_sha256(config: object) -> str:
    """The hash by which an intent of version 0.1 names the options of a run: a `RunConfig`, or that of run.json.

    It is of the compact JSON, and must stay the same for a declared run under every later version. So an option that is
    added to `RunConfig` (or to a struct within it) is declared last, as `T | UnsetType = UNSET`: a run that was begun
    without it has it neither in run.json nor in the hash. No option is ever renamed, moved, removed or retyped.
    """
    return hashlib.sha256(msgspec.json.encode(config)).hexdigest()


def options_sha256(options: Mapping[str, Any]) -> str:
    """The hash by which an intent names the options that it discloses: of their RFC 8785 form."""
    return hashlib.sha256(rfc8785.dumps(dict(options))).hexdigest()


def unlike_record(intent: Intent, record: Mapping[str, Any]) -> list[str]:
    """What a run's record, as run.json has it, says otherwise than the intent."""
    config = record.get("config")
    try:
        if intent.options is msgspec.UNSET:
            same = config_sha256(config) == intent.config_sha256
        else:
            found = options_sha256(disclosed_options(config))
            same = found == options_sha256(intent.options) == intent.config_sha256
    except (TypeError, ValueError, RecursionError):
        same = False
    declared: dict[str, Any] = msgspec.to_builtins(intent)
    names = [name for name in ENDPOINTS if record.get(name) != declared.get(name)]
    return names if same else ["configuration", *names]


@cache
def source_sha256() -> str:
    """The hash of this program's own sources, as they were when it was asked for first."""
    return files_sha256(source_files(Path(str(resources.files("gaia_harness")))))


def source_files(root: Path) -> list[tuple[str, bytes]]:
    """The sources of a package, sorted by path: each one's path within it, and its bytes. Folders of data have none."""
    paths = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in ("data", "__pycache__")]
        paths += [Path(folder, name) for name in names if name.endswith(".py")]
    return [(path.relative_to(root).as_posix(), path.read_bytes()) for path in sorted(paths)]


def files_sha256(files: Iterable[tuple[str, bytes]]) -> str:
    """The hash of files, sorted by path: of the RFC 8785 form of [path, sha256] for each."""
    return hashlib.sha256(rfc8785.dumps([[path, hashlib.sha256(data).hexdigest()] for path, data in files])).hexdigest()


def nonce() -> str:
    """Something that nobody could know before."""
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
