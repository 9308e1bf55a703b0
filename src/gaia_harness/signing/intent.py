"""Signs the intent of a run before its first model call, and opens signed intents."""

import hashlib
import os
import secrets
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import rfc8785

from gaia_harness.disclosure import is_exact
from gaia_harness.errors import EvidenceError
from gaia_harness.records.intent import Intent, options_sha256
from gaia_harness.signing.signers import PublicKey, SignatureError, Signer, open_dsse, sign_dsse

PAYLOAD_TYPE = "application/vnd.gaia-harness.intent.v1+json"


@cache
def source_sha256() -> str:
    """The hash of this program's own sources, as they were when it was asked for first."""
    return files_sha256(source_files(Path(str(resources.files("gaia_harness")))))


def source_files(root: Path) -> list[tuple[str, bytes]]:
    """The sources of a package, sorted by path: each one's path within it, and its bytes. Folders of data have none.

    They are the modules, and the tables beside them (.toml) that these read.
    """
    paths = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in ("data", "__pycache__")]
        paths += [Path(folder, name) for name in names if name.endswith((".py", ".toml"))]
    return [(path.relative_to(root).as_posix(), path.read_bytes()) for path in sorted(paths)]


def files_sha256(files: Iterable[tuple[str, bytes]]) -> str:
    """The hash of files, sorted by path: of the RFC 8785 form of [path, sha256] for each."""
    return hashlib.sha256(rfc8785.dumps([[path, hashlib.sha256(data).hexdigest()] for path, data in files])).hexdigest()


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
