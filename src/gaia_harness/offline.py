"""Audit, submit, verify and export: the part of the public API that asks no model and opens no connection."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gaia_harness.audit.evidence import DatasetFacts
from gaia_harness.audit.report import Report, audit
from gaia_harness.audit.waivers import Waiver
from gaia_harness.check_worker import find_checks, run_checks
from gaia_harness.errors import EvidenceError, GaiaError, UnreadableError, UsageError
from gaia_harness.evidence.redaction import named_secrets
from gaia_harness.records.facts import RunFacts
from gaia_harness.run.audit_input import load_dataset_facts, open_evidence
from gaia_harness.signing.allowed_signers import LARGEST, checked_identity, parse_allowed_signers
from gaia_harness.signing.keys import Ask, keys_folder
from gaia_harness.submission.archive import NOT_SIGNED, unpacked
from gaia_harness.submission.package import BuiltPackage, Submission, SubmissionRefused, build
from gaia_harness.submission.verdict import FAILED, UNREADABLE, WORDS, CheckLine, NotExamined, Trust, Verdict, verify
from gaia_harness.timestamps import later_of

if TYPE_CHECKING:
    from gaia_harness.exchange.export_source import Progress
    from gaia_harness.exchange.exporting import Exported
    from gaia_harness.viewing.page import WrittenPage
    from gaia_harness.viewing.story import Story

PathLike = str | os.PathLike[str]


def create_key(identity: str, *, env: Mapping[str, str] | None = None) -> str:
    """Make this user's signing key, without a passphrase; the line by which others can trust it (allowed_signers)."""
    keys = keys_folder(environment(env))
    keys.create("submit", identity)
    return keys.existing("submit").allowed_signer().line()


def audit_run(
    folder: PathLike,
    *,
    dataset: str | None = None,
    waivers: Sequence[Waiver] = (),
    checks: Sequence[str] = (),
    audited_at: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Report:
    """Look for known exploits in a run or a package. `checks` are names of checks that other packages offer.

    Raises `GaiaError` where there is nothing that can be audited.
    """
    path, given = Path(folder), environment(env)
    plugins = find_checks(checks)
    try:
        report = audit(open_evidence(path, dataset, given), audited_at=audited_at or _now(), waivers=tuple(waivers))
    except OSError as error:
        raise UsageError(f"{error.filename or path}: cannot be read: {error.strerror or error}") from error
    if not plugins:
        return report
    return msgspec.structs.replace(report, third_party=run_checks(plugins, path, dataset, given))


def submit_run(
    run: PathLike,
    out: PathLike,
    *,
    dataset: str | None = None,
    allow_dirty: bool = False,
    strict: bool = False,
    waivers: Sequence[Waiver] = (),
    submitted_at: str | None = None,
    keep: bool = True,
    ask: Ask | None = None,
    env: Mapping[str, str] | None = None,
) -> BuiltPackage:
    """Audit a run and make a signed package of it in `out`, a new or empty folder; without `keep`, leave nothing.

    Raises `SubmissionRefused`, with every reason, for a run that cannot be submitted.
    `ask` asks for the key's passphrase.
    """
    folder, given = Path(run), environment(env)
    if not (folder / "run.json").is_file():
        raise UsageError(
            f"{folder}: there is no run here (run.json is missing)", hint="name a folder of `gaia run --out`"
        )
    evidence = open_evidence(folder, dataset, given)
    made_by = evidence.facts.origin
    if made_by is not msgspec.UNSET and made_by.kind == "imported":
        raise SubmissionRefused(
            (f"{made_by.describe()}: only runs that were recorded live are submitted",), dirty=False
        )
    keys = keys_folder(given)
    stored = keys.existing("submit")
    closed = evidence.log.closed
    by = Submission(
        signer=keys.signer("submit", env=given, ask=ask),
        identity=stored.identity,
        ledger=keys.path / "ledgers" / stored.public.key_id,
        submitted_at=submitted_at or later_of(closed.time if closed is not None else "", _now()),
        waivers=tuple(waivers),
        secrets=named_secrets(given),
    )
    try:
        return build(evidence, Path(out), by, allow_dirty=allow_dirty, strict=strict, keep=keep)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise GaiaError(
            f"{place}{error.strerror or error}", hint="the run is as it was; submit it again, or to another --out"
        ) from error


def verify_package(
    package: PathLike,
    *,
    allowed_signers: PathLike | None = None,
    identity: str | None = None,
    dataset: str | None = None,
    accept_dirty: bool = False,
    watch: Callable[[CheckLine], None] = lambda line: None,
    env: Mapping[str, str] | None = None,
) -> Verdict | NotExamined:
    """Check a package of somebody else: a folder, or a tar or zip file of one. Opens no connection, runs nothing in it.

    `allowed_signers` is a file of keys that you believe in; without it, those of `gaia keys trust`. `watch` sees each
    check as it is made. What cannot even be unpacked is `NotExamined`. `exit_code` is 0 only for "verified".
    """
    path, given = Path(package), environment(env)
    trust = _trust(None if allowed_signers is None else Path(allowed_signers), identity, given)

    def load(facts: RunFacts) -> DatasetFacts:
        return load_dataset_facts(dataset or "", facts.gaia_split, facts.dataset_revision, facts.task_ids, given)

    def examine(folder: Path) -> Verdict:
        return verify(
            folder, trust=trust, dataset=None if dataset is None else load, accept_dirty=accept_dirty, watch=watch
        )

    try:
        if not os.path.lexists(path):
            raise UnreadableError(f"{path}: there is no such package", hint="name a folder, or a tar or zip file")
        if not _is_file(path):
            return examine(path)
        with unpacked(path) as folder:
            verdict = examine(folder)
        return msgspec.structs.replace(verdict, notes=(*verdict.notes, NOT_SIGNED))
    except (EvidenceError, UnreadableError) as error:
        code = UNREADABLE if isinstance(error, UnreadableError) else FAILED
        return NotExamined(exit_code=code, verdict=WORDS[code], error=error.message, hint=error.hint)


def export_run(
    path: PathLike,
    out: PathLike,
    *,
    format: str,
    progress: "Progress" = lambda what, done, total: None,
    env: Mapping[str, str] | None = None,
) -> "Exported":
    """Write a run or a package in the format of another tool to `out`, which must not be there yet: docs/exporting.md.

    Leaves the whole of it or nothing, and never writes a gold answer. `progress` is told how far it is.
    """
    from gaia_harness.exchange.exporting import export

    return export(Path(path), format, Path(out), env=environment(env), progress=progress)


@contextlib.contextmanager
def open_story(
    path: PathLike,
    *,
    dataset: str | None = None,
    allowed_signers: PathLike | None = None,
    identity: str | None = None,
    redacted: bool = False,
    progress: "Progress" = lambda what, done, total: None,
    env: Mapping[str, str] | None = None,
) -> "Iterator[Story]":
    """What people look at: a run, which is audited, or a package or an archive of one, which is verified.

    The options are those of `verify_package`. `redacted`: without questions, texts and answers.
    """
    from gaia_harness.viewing.opening import open_story
    from gaia_harness.viewing.redacting import RedactedStory

    def verify(folder: Path) -> Verdict | NotExamined:
        return verify_package(folder, allowed_signers=allowed_signers, identity=identity, dataset=dataset, env=env)

    given = environment(env)
    with open_story(Path(path), verify=verify, dataset=dataset, env=given, progress=progress) as story:
        yield RedactedStory(story) if redacted else story


def view_run(
    path: PathLike,
    out: PathLike,
    *,
    task: str | None = None,
    step: int | None = None,
    finding: int | None = None,
    live: float = 0,
    redacted: bool = False,
    dataset: str | None = None,
    allowed_signers: PathLike | None = None,
    identity: str | None = None,
    progress: "Progress" = lambda what, done, total: None,
    env: Mapping[str, str] | None = None,
) -> "WrittenPage":
    """Write a run or a package as one HTML page that needs no network to `out`, in place of a page that was there.

    It opens at a task, by the beginning of its id, and at a step of it, or at a finding, and with `live` reloads itself
    after so many seconds. `progress` is told how far it is.
    """
    from gaia_harness.viewing.page import Start, write_page

    place = Start(task=task, step="" if step is None else str(step), finding=str(finding or ""))
    with open_story(
        path,
        dataset=dataset,
        allowed_signers=allowed_signers,
        identity=identity,
        redacted=redacted,
        progress=progress,
        env=env,
    ) as story:
        return write_page(story, Path(out), start=place, live=live, progress=progress)


def environment(env: Mapping[str, str] | None) -> dict[str, str]:
    """What was given, or the environment of this process."""
    return dict(os.environ if env is None else env)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _is_file(package: Path) -> bool:
    try:
        return package.is_file()
    except OSError as error:  # a link to where this user may not look
        raise UnreadableError(f"{package}: cannot be read: {error.strerror}") from error


def _trust(path: Path | None, identity: str | None, env: Mapping[str, str]) -> Trust:
    """Whom to believe: the file that was named, or those whom this user trusts."""
    name = None if identity is None else checked_identity(identity)
    if path is None:
        trusted = keys_folder(env).trusted()
        return Trust(signers=trusted or None, identity=name)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        return Trust(signers=parse_allowed_signers(data.decode()), identity=name)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8") from error
    except GaiaError as error:
        raise UsageError(f"{path}: {error.message}") from error
