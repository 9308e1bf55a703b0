"""What must a verifier refuse, and what accept? Builds the packages of this folder, one defect each.

    .venv/bin/python conformance/build.py

The run is made by the attack lab from a seed, and signed with a throw-away key that everybody knows (cases.py).
The same sources give the same bytes; the packages say that they are of another version of the program, because they
are meant to last longer than one.
"""

import contextlib
import hashlib
import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests" / "submission")]

from cases import CASES, IDENTITY, SIGNER  # noqa: E402
from forging import Package, copy_of  # noqa: E402

from gaia_harness.audit.evidence import open_run  # noqa: E402
from gaia_harness.records.config import RunConfig  # noqa: E402
from gaia_harness.records.intent import FILE_NAME  # noqa: E402
from gaia_harness.records.ledger import CloseEntry, Head, IntentEntry  # noqa: E402
from gaia_harness.run.audit_input import load_dataset_facts  # noqa: E402
from gaia_harness.signing.allowed_signers import NAMESPACE, AllowedSigner  # noqa: E402
from gaia_harness.signing.intent import open_intent  # noqa: E402
from gaia_harness.signing.ledger import Ledger  # noqa: E402
from gaia_harness.signing.merkle import Tree  # noqa: E402
from gaia_harness.submission.package import Submission  # noqa: E402
from gaia_harness.submission.package import build as build_package  # noqa: E402
from redteam.logbook import clock  # noqa: E402
from redteam.making import RunMaker  # noqa: E402
from redteam.script import JUDGE, MODEL, RunScript, TaskScript  # noqa: E402
from redteam.solving import attempt_of, closing, fetch, turn  # noqa: E402
from redteam.world import Page, tasks  # noqa: E402

SUBMITTED_AT = "2026-11-03T12:00:00Z"
SOURCE = hashlib.sha256(b"gaia-harness conformance: no version of the program has these sources").hexdigest()


def _run(folder: Path, ledger: Ledger, *, attempts: int = 1, python: str = "bubblewrap 0.8.0") -> Path:
    """A run of three tasks, declared and closed in the ledger."""
    rng = random.Random(folder.name)  # noqa: S311 - the same every time is what is wanted
    head = ledger.head()
    scripts = []
    for task in tasks(f"conformance/{folder.name}", 3):
        page = Page(url=task.honest_page.url, title=task.honest_page.title, text=task.honest_page.text[:600])
        one = (turn("I look.", fetch(page)), closing(rng, task.gold))
        scripts.append(TaskScript(task=task, attempts=tuple(attempt_of(*one) for _ in range(attempts))))
    maker = RunMaker(folder, f"conformance/{folder.name}", source=SOURCE)
    maker.signer = SIGNER
    config = RunConfig(
        model=MODEL, judge_model=JUDGE, submit_intent=True, voting_attempts=attempts, evidence_full_bodies=attempts > 1
    )
    isolation = {"python": python, "web_search": "searxng"}
    maker.write(RunScript(tasks=tuple(scripts), config=config, isolation=isolation, edit_intent=_stands_on(head)))
    data = (maker.path / FILE_NAME).read_bytes()
    intent, _ = open_intent(data, [SIGNER.public], where=FILE_NAME)
    tree = Tree()
    for line in (maker.path / "log.jsonl").read_bytes().splitlines():
        tree.append(line)
    ledger.add(
        IntentEntry(
            run_id=intent.run_id, task_list_sha256=intent.task_list_sha256, dataset_digest=intent.dataset_digest,
            gaia_split=intent.gaia_split, model=intent.model, intent_sha256=hashlib.sha256(data).hexdigest(),
            keeps_head=True,
        )
    )  # fmt: skip
    ledger.add(CloseEntry(run_id=intent.run_id, status="complete", log_size=tree.size, log_root=tree.root().hex()))
    return maker.path


def _stands_on(head: Head) -> Callable[[dict[str, Any]], None]:
    return lambda intent: intent.update(ledger=msgspec.to_builtins(head))


def _package(run: Path, ledger: Ledger, out: Path) -> Path:
    record = json.loads((run / "run.json").read_text())["dataset"]
    facts = load_dataset_facts(record["name"], record["gaia_split"], None, tuple(record["task_ids"]), {})
    by = Submission(
        signer=SIGNER, identity=IDENTITY, ledger=ledger.folder, submitted_at=SUBMITTED_AT, waivers=()
    )  # fmt: skip
    build_package(open_run(run, facts), out, by, allow_dirty=True)
    package = Package(out, SIGNER)
    report = package.json("audit-report.json")
    report["inputs"]["harness_source_sha256"] = SOURCE
    package.set_json("audit-report.json", report)
    package.make_metadata()
    package.sign_files()
    return out


@contextlib.contextmanager
def _apart() -> Iterator[None]:
    """In a folder whose name gets into nothing."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="gaia-conformance-") as place:
        os.chdir(place)
        try:
            yield
        finally:
            os.chdir(before)


def build(target: Path) -> None:
    """Write every case into this folder, in place of those that are there."""
    target = target.resolve()
    target.mkdir(exist_ok=True)
    for old in (*target.glob("*_pass"), *target.glob("*_fail")):
        shutil.rmtree(old)
    with _apart():
        ledger = Ledger(Path("ledger"), SIGNER, lambda: clock(0))
        bases = {}
        for name, options in {
            "plain": {},
            "voted": {"attempts": 2},
            "dirty": {"python": "unsandboxed"},
        }.items():
            run = _run(Path(name), ledger, **options)
            bases[name] = _package(run, ledger, Path(f"{name}-package"))
        for each in CASES:
            folder = target / each.name
            folder.mkdir()
            (folder / "expected.json").write_bytes(
                msgspec.json.format(msgspec.json.encode(each.expected), indent=2) + b"\n"
            )
            if not each.expected.package.startswith(".."):
                each.make(copy_of(bases[each.base], folder / "package", SIGNER))
    line = AllowedSigner(IDENTITY, SIGNER.public, namespaces=NAMESPACE).line()
    (target / "allowed_signers").write_text(
        "# A throw-away key: its private half comes from a text in cases.py. Trust it for these packages only.\n"
        f"{line}\n"
    )


if __name__ == "__main__":
    build(HERE)
