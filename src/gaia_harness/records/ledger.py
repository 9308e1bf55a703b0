"""The ledger of an identity: every submission-bound run, aborted ones included, so that best-of-n shows."""

from collections.abc import Iterable

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.records.events import Rollback

FILE_NAME = "ledger.jsonl"
CHECKPOINTS = "ledger.checkpoints"


class Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long a log or a ledger is, and the head of its tree."""

    size: int
    root: str


class LedgerEntry(msgspec.Struct, frozen=True, kw_only=True, tag_field="entry", forbid_unknown_fields=True):
    """An entry has its place in the ledger and its time."""

    seq: int = -1
    time: str = ""


class IntentEntry(LedgerEntry, frozen=True, kw_only=True, tag="intent"):
    """A run was declared; the hash is of its signed intent."""

    run_id: str
    task_list_sha256: str
    dataset_digest: str
    gaia_split: str
    model: str
    intent_sha256: str
    keeps_head: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether the newest head of its log lies beside the ledger from here on; versions before 0.2 kept none."""


class ResumeEntry(LedgerEntry, frozen=True, kw_only=True, tag="resume"):
    """A run went on after a crash, with this many lines in its log and this head of its tree."""

    run_id: str
    log_size: int
    log_root: str
    keeps_head: bool | msgspec.UnsetType = msgspec.UNSET
    rollback: Rollback | msgspec.UnsetType = msgspec.UNSET


class CloseEntry(LedgerEntry, frozen=True, kw_only=True, tag="close"):
    """A run came to its end, `complete` or `aborted`, with this many lines in its log and this head of its tree."""

    run_id: str
    status: str
    log_size: int
    log_root: str


AnyEntry = IntentEntry | ResumeEntry | CloseEntry


class LedgerStanding(msgspec.Struct, frozen=True, kw_only=True):
    """The standing of a run in its signer's ledger: the k-th of n on its task list, and how many never closed.

    `elsewhere` are runs of the same ledger on any other list, which may differ by a single task.
    """

    number: int
    runs: int
    never_closed: int
    aborted: int
    elsewhere: int = 0

    def __str__(self) -> str:
        said = f"run {self.number} of {self.runs} on this task list"
        if self.aborted:
            said += f", {self.aborted} aborted"
        if self.never_closed:
            said += f", {self.never_closed} never closed"
        if self.elsewhere:
            said += f"; {self.elsewhere} on other task lists"
        return said


def in_force(entries: Iterable[AnyEntry], run_id: str) -> list[ResumeEntry | CloseEntry]:
    """What the ledger has seen of a run's log, without what a later, accepted rollback says is gone."""
    seen: list[ResumeEntry | CloseEntry] = []
    for entry in entries:
        if entry.run_id != run_id or not isinstance(entry, ResumeEntry | CloseEntry):
            continue
        if isinstance(entry, ResumeEntry) and entry.rollback is not msgspec.UNSET:
            while seen and isinstance(seen[-1], ResumeEntry) and seen[-1].log_size > entry.rollback.kept:
                seen.pop()
        seen.append(entry)
    return seen


def ledger_standing(entries: list[AnyEntry], run_id: str) -> LedgerStanding:
    """The standing of a run among all runs of this identity on the same task list."""
    intents = [entry for entry in entries if isinstance(entry, IntentEntry)]
    ours = next((entry for entry in intents if entry.run_id == run_id), None)
    if ours is None:
        raise EvidenceError(f"the run {run_id} is not in the ledger")
    same = [entry.run_id for entry in intents if entry.task_list_sha256 == ours.task_list_sha256]
    closes = {entry.run_id: entry.status for entry in entries if isinstance(entry, CloseEntry)}
    return LedgerStanding(
        number=same.index(run_id) + 1,
        runs=len(same),
        never_closed=sum(other not in closes for other in same),
        aborted=sum(closes.get(other) == "aborted" for other in same),
        elsewhere=len(intents) - len(same),
    )
