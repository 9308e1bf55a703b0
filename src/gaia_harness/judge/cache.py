"""The cache of the LLM judge: signed judgments in files, verified whenever one is read.

`<folder>/judgments/<2 hex>/<key>.json`. Whatever is not exactly a judgment that our key signed for exactly this
question is a miss, and is said; a cache that cannot be read or written costs calls, but never stops a run.
"""

import errno
import logging
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from gaia_harness.errors import GaiaError
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.files import write_atomic
from gaia_harness.judge.entry import EntryError, JudgeRequest, UnsignedEntry, read_entry, write_entry
from gaia_harness.judge.verdict import LONGEST_REASON, JudgeVerdict
from gaia_harness.signing.signers import PublicKey, Signer

LARGEST_ENTRY = 1024 * 1024
"""Bytes: an answer has at most 10,000 characters, and nothing else in an entry is longer."""

_log = logging.getLogger("gaia_harness")

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC  # never waits, as on a pipe
# What says something about the file itself; what else can go wrong says something about the machine.
_ABOUT_THE_FILE = {errno.ELOOP: "a link", errno.ENXIO: "not a regular file", errno.EACCES: "not ours to read"}


class Lookup(msgspec.Struct, frozen=True):
    """What the cache had: a `hit`, a `miss`, a `legacy` entry, or a `tampered` one, with what is wrong with it.

    Only a hit has a verdict. `off` stands for no cache at all.
    """

    state: str
    verdict: JudgeVerdict | None = None
    kind: str = ""
    detail: str = ""


MISS = Lookup("miss")


class JudgeCache:
    """Judgments of this machine, signed by its cache key. Any number of processes may use a folder at once."""

    def __init__(
        self,
        folder: Path,
        signer: Signer,
        *,
        retired: Iterable[PublicKey] = (),
        warn: Callable[[str], None] = _log.warning,
        redactor: Redactor = Redactor(),  # noqa: B008 - it never changes
    ) -> None:
        self._redactor = redactor
        self.hits = 0
        self.integrity_events = 0
        self.legacy_entries = 0
        self._folder = folder / "judgments"
        self._signer = signer
        self._keys = (signer.public, *retired)
        self._warn = warn
        self._said: set[str] = set()  # what is said once: a handful of fixed things

    @property
    def public_key(self) -> PublicKey:
        """The key that signs here."""
        return self._keys[0]

    def get(self, asked: JudgeRequest) -> Lookup:
        """What there is about exactly this. All but a hit is to be judged again."""
        asked = self._redactor.hide(asked)
        key = asked.key()
        if key is None:
            return MISS
        try:
            data = _read(self._file(key))
        except FileNotFoundError:
            return MISS
        except OSError as error:
            self._once("read", f"the judge cache cannot be read, so answers are judged again: {_of(error)}")
            return MISS
        except EntryError as error:
            return self._tampered(asked, key, error)
        try:
            verdict, signed_by = read_entry(data, asked, key, self._keys)
        except UnsignedEntry:
            return self._legacy("unsigned", "without a signature, from an older version")
        except EntryError as error:
            return self._tampered(asked, key, error)
        if signed_by != self._keys[0]:
            return self._legacy("retired", f"signed by a key of ours that is retired ({signed_by.fingerprint})")
        self.hits += 1
        return Lookup("hit", verdict)

    def put(self, asked: JudgeRequest, verdict: JudgeVerdict) -> None:
        """Keep a judgment, in the place of whatever is there. One that cannot be kept is lost, and said once."""
        asked, verdict = self._redactor.hide((asked, verdict))
        verdict = verdict._replace(reason=verdict.reason[:LONGEST_REASON])  # a mask may be longer than what it hides
        key = asked.key()
        if key is None:
            return
        path = Path(self._file(key))
        try:
            data = write_entry(asked, key, verdict, self._signer)
            if len(data) > LARGEST_ENTRY:
                return
            self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for folder in (self._folder, path.parent):
                folder.mkdir(mode=0o700, exist_ok=True)
            write_atomic(path, data, mode=0o600)
        except OSError as error:
            self._once("write", f"judgments cannot be kept in the judge cache: {_of(error)}")
        except GaiaError as error:
            self._once("write", f"judgments cannot be signed for the judge cache: {error.message}")

    def _file(self, key: str) -> str:
        return f"{self._folder}/{key[:2]}/{key}.json"  # making a Path would take longer than reading the file

    def _tampered(self, asked: JudgeRequest, key: str, error: EntryError) -> Lookup:
        self.integrity_events += 1
        place = f"judgments/{key[:2]}/{key}.json"
        self._warn(
            f"an entry of the judge cache is not as it was signed, so the answer is judged again: "
            f"{place}: {error.message}"
        )
        # the log is for everybody, and with the key, which is a hash, every guess at the gold could be checked
        detail = f"the judgment of {asked.task_id[:80]!a}: {error.message}"
        return Lookup("tampered", kind=f"judge_cache_{error.kind}", detail=detail)

    def _legacy(self, kind: str, what: str) -> Lookup:
        self.legacy_entries += 1
        self._once(kind, f"the judge cache has entries {what}: they are judged again and signed")
        return Lookup("legacy")

    def _once(self, about: str, text: str) -> None:
        if about not in self._said:
            self._said.add(about)
            self._warn(text)


def _read(path: str) -> bytes:
    try:
        descriptor = os.open(path, _OPEN)
    except OSError as error:
        if error.errno in _ABOUT_THE_FILE and os.path.lexists(path):
            raise EntryError("file", _ABOUT_THE_FILE[error.errno]) from None
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise EntryError("file", "not a regular file")
        if status.st_size > LARGEST_ENTRY:
            raise EntryError("file", f"{status.st_size} bytes, more than an entry can have")
        return os.read(descriptor, status.st_size)  # entries are replaced, never rewritten: their size holds
    finally:
        os.close(descriptor)


def _of(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
