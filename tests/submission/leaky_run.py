"""A declared run of the lab in which one answer was found before a copy of its question turned up: a high finding."""

import hashlib
import random
from dataclasses import dataclass
from pathlib import Path

from submitter import AT

from gaia_harness.audit.evidence import DatasetFacts, RunEvidence, open_run
from gaia_harness.audit.report import audit
from gaia_harness.audit.waivers import Waiver
from gaia_harness.records.config import RunConfig
from gaia_harness.records.intent import FILE_NAME
from gaia_harness.records.ledger import CloseEntry, IntentEntry
from gaia_harness.records.stated import read_run
from gaia_harness.signing.allowed_signers import parse_allowed_signers
from gaia_harness.signing.intent import open_intent
from gaia_harness.signing.ledger import Ledger
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import LocalSigner
from gaia_harness.submission.package import Submission
from gaia_harness.submission.verdict import Trust
from gaia_harness.tasks.answers import AnswerKey, Gold
from redteam.logbook import clock
from redteam.making import RunMaker
from redteam.script import JUDGE, MODEL, RunScript
from redteam.solving import closing, fetch, honest_script, script_of, turn
from redteam.world import Page, tasks

BO = "bo@example.org"


@dataclass(frozen=True)
class LeakyRun:
    """The run, the task with the finding, the data set, and how Bo submits it."""

    signer: LocalSigner
    task_id: str
    evidence: RunEvidence
    dataset: DatasetFacts
    dataset_folder: Path
    ledger: Path

    @property
    def allowed(self) -> str:
        return f"{BO} {self.signer.public.openssh()}\n"

    @property
    def trust(self) -> Trust:
        return Trust(signers=parse_allowed_signers(self.allowed))

    @property
    def waiver(self) -> Waiver:
        """For the one high finding."""
        rule = next(
            finding.rule
            for finding in audit(self.evidence, audited_at=AT).checks[0].findings
            if finding.severity == "high" and finding.task_id == self.task_id
        )
        return Waiver(task_id=self.task_id, rule=rule, reason="the answer was there before, see step 3", who="Bo")

    def submission(self, *waivers: Waiver) -> Submission:
        return Submission(signer=self.signer, identity=BO, ledger=self.ledger, submitted_at=AT, waivers=waivers)


def leaky_run(folder: Path) -> LeakyRun:
    first, *others = tasks("waived", 4)
    leak = Page(url="https://q.example/", title="q", text=f"Question: {first.question}\nFinal answer: {first.gold}")
    rng = random.Random(1)
    found = turn(f"FINAL ANSWER: {first.gold}", fetch(leak))
    scripts = (script_of(first, found, closing(rng, first.gold)), *(honest_script(task, rng) for task in others))
    maker = RunMaker(folder / "lab", "waived")
    maker.write(RunScript(tasks=scripts, config=RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True)))
    ledger = Ledger(folder / "ledger", maker.signer, lambda: clock(0))
    data = (maker.path / FILE_NAME).read_bytes()
    intent, _ = open_intent(data, [maker.signer.public], where=FILE_NAME)
    tree = Tree()
    for line in (maker.path / "log.jsonl").read_bytes().splitlines():
        tree.append(line)
    ledger.add(
        IntentEntry(
            run_id=intent.run_id,
            task_list_sha256=intent.task_list_sha256,
            dataset_digest=intent.dataset_digest,
            gaia_split=intent.gaia_split,
            model=intent.model,
            intent_sha256=hashlib.sha256(data).hexdigest(),
            keeps_head=True,
        )
    )
    ledger.add(CloseEntry(run_id=intent.run_id, status="complete", log_size=tree.size, log_root=tree.root().hex()))
    stated = read_run(maker.path)
    facts = DatasetFacts(
        questions=stated.questions,
        levels={task.task_id: task.level for task in stated.facts.tasks},
        key=AnswerKey({task_id: Gold(answer=gold) for task_id, gold in (stated.golds or {}).items()}),
        digest=stated.facts.dataset_digest,
    )
    return LeakyRun(maker.signer, first.task_id, open_run(maker.path, facts), facts, maker.dataset, ledger.folder)
