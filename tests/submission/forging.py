"""A forger's workshop: changes a package and signs it again, as deep as the forger cares to go."""

import base64
import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import rfc8785

from gaia_harness.audit.report import Report, encode_report
from gaia_harness.signing.allowed_signers import NAMESPACE
from gaia_harness.signing.checkpoints import Checkpoint
from gaia_harness.signing.intent import PAYLOAD_TYPE as INTENT_TYPE
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import Signer, sign_dsse, sign_note, sign_ssh
from gaia_harness.submission.attestation import sign_attestation
from gaia_harness.submission.examination import Examination
from gaia_harness.submission.file_set import list_files, write_sums
from gaia_harness.submission.guessable import guessable_golds
from gaia_harness.submission.metadata import compute, encode_metadata, read_metadata
from gaia_harness.submission.metadata_check import _sources
from gaia_harness.submission.readme import readme
from gaia_harness.submission.results import result_line
from gaia_harness.submission.trajectory_pass import examine_lines
from gaia_harness.submission.verdict import Verdict, verify


def compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@dataclass
class Package:
    """A copy of a package, to be changed."""

    folder: Path
    signer: Signer

    def path(self, name: str) -> Path:
        return self.folder / name

    def lines(self, name: str) -> list[bytes]:
        return self.path(name).read_bytes().splitlines(keepends=True)

    def set_lines(self, name: str, lines: list[bytes]) -> None:
        self.path(name).write_bytes(b"".join(lines))

    def json_lines(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines(name)]

    def set_json_lines(self, name: str, values: list[dict[str, Any]]) -> None:
        self.set_lines(name, [compact(value) + b"\n" for value in values])

    def json(self, name: str) -> Any:
        return json.loads(self.path(name).read_bytes())

    def set_json(self, name: str, value: Any) -> None:
        """Indented as our documents are."""
        self.path(name).write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")

    def edit_facts(self, task: int, **changes: Any) -> None:
        value = self.json("metadata.json")
        value["facts"]["tasks"][task].update(changes)
        self.set_json("metadata.json", value)

    def intent(self) -> dict[str, Any]:
        return json.loads(base64.b64decode(self.json("intent.dsse.json")["payload"]))

    def set_intent(self, value: dict[str, Any], signer: Signer | None = None) -> None:
        self.path("intent.dsse.json").write_bytes(sign_dsse(signer or self.signer, INTENT_TYPE, rfc8785.dumps(value)))

    # what a forger with the key can make good again, from the outermost to the innermost

    def sign_files(self, signer: Signer | None = None) -> None:
        """SHA256SUMS, its signature and the attestation."""
        by = signer or self.signer
        names = [path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()]
        unlisted = ("SHA256SUMS", "SHA256SUMS.sig", "attestation.dsse.json")
        sums = {
            name: hashlib.sha256(self.path(name).read_bytes()).hexdigest() for name in names if name not in unlisted
        }
        listed = write_sums(sums)
        self.path("SHA256SUMS").write_bytes(listed)
        self.path("SHA256SUMS.sig").write_text(sign_ssh(by, NAMESPACE, listed))
        metadata = read_metadata(self.path("metadata.json").read_bytes())
        subjects = {**sums, "SHA256SUMS": hashlib.sha256(listed).hexdigest()}
        self.path("attestation.dsse.json").write_bytes(sign_attestation(by, metadata, subjects))

    def make_results(self) -> None:
        """results.jsonl from facts and trajectories, in the order of the log."""
        facts = {t.task_id: t for t in read_metadata(self.path("metadata.json").read_bytes()).facts.tasks}
        traces = {
            line.task_id: line.trace
            for line in examine_lines(self.path("trajectories.jsonl"))
            if hasattr(line, "trace")
        }
        done = [e["task_id"] for e in self.json_lines("log.jsonl") if e["event"] == "task_finished"]
        self.set_lines("results.jsonl", [result_line(facts[i], traces.get(i, "")) + b"\n" for i in done if i in facts])

    def make_report(self, **changes: Any) -> None:
        """The report about the files as they now are; the findings stay."""
        report = msgspec.json.decode(self.path("audit-report.json").read_bytes(), type=Report)
        metadata = read_metadata(self.path("metadata.json").read_bytes())
        inputs = msgspec.structs.replace(
            report.inputs,
            trajectories_sha256=self._sha256("trajectories.jsonl"),
            log_sha256=self._sha256("log.jsonl"),
            intent_sha256=self._sha256("intent.dsse.json"),
            facts_sha256=metadata.facts.sha256(),
        )
        totals = report.totals
        if metadata.pass_rate is not None:
            totals = msgspec.structs.replace(totals, raw=metadata.pass_rate, audited=metadata.audited_pass_rate)
        report = msgspec.structs.replace(report, inputs=inputs, totals=totals, **changes)
        self.path("audit-report.json").write_bytes(encode_report(report))

    def make_metadata(self) -> None:
        """metadata.json, the report and README as the files give them."""
        for _ in range(2):  # the report's totals are metadata's, and metadata has the report's outcome
            self.sign_files()
            examination = Examination(list_files(self.folder))
            try:
                metadata = compute(_sources(examination, examination.metadata))
                guessable = guessable_golds(metadata.facts, examination.log)
            finally:
                examination.close()
            self.path("metadata.json").write_bytes(encode_metadata(metadata))
            self.make_report()
        self.path("README.md").write_bytes(readme(metadata, guessable))

    def chain_log(self, *, bind: bool = True, checkpoint_at: list[int] | None = None) -> None:
        """Numbers, hashes of lines, checkpoints and the ledger's entries, for the log as it now is."""
        events = self.json_lines("log.jsonl")
        if bind:
            self._bind(events)
        for number, event in enumerate(events):
            event["seq"] = number
        events[0]["intent_sha256"] = self._sha256("intent.dsse.json")
        self.set_json_lines("log.jsonl", events)
        sizes = checkpoint_at or [1, len(events)]
        roots = self.write_checkpoints("checkpoints", "log.jsonl", f"gaia-harness/run/{events[0]['run_id']}", sizes)
        entries = self.json_lines("ledger.jsonl")
        for entry in entries:
            if entry["run_id"] == events[0]["run_id"] and entry["entry"] == "close":
                entry["log_size"], entry["log_root"] = len(events), roots[len(events)]
            if entry["run_id"] == events[0]["run_id"] and entry["entry"] == "resume":
                entry["log_root"] = roots[entry["log_size"]]
            if entry["run_id"] == events[0]["run_id"] and entry["entry"] == "intent":
                entry["intent_sha256"] = events[0]["intent_sha256"]
        self.set_json_lines("ledger.jsonl", entries)
        self.chain_ledger()

    def chain_ledger(self) -> None:
        entries = self.json_lines("ledger.jsonl")
        for number, entry in enumerate(entries):
            entry["seq"] = number
        self.set_json_lines("ledger.jsonl", entries)
        origin = f"gaia-harness/ledger/{self.signer.public.key_id}"
        self.write_checkpoints("ledger.checkpoints", "ledger.jsonl", origin, list(range(1, len(entries) + 1)))

    def write_checkpoints(
        self, name: str, log: str, origin: str, sizes: list[int], signer: Signer | None = None
    ) -> dict[int, str]:
        tree, roots = Tree(), {}
        notes = []
        for line in self.lines(log):
            tree.append(line[:-1])
            roots[tree.size] = tree.root().hex()
            if tree.size in sizes:
                text = Checkpoint(origin, tree.size, tree.root()).text()
                notes.append(sign_note(signer or self.signer, origin, text).encode() + b"\n")
        self.path(name).write_bytes(b"".join(notes))
        return roots

    def forge(self, depth: str) -> None:
        """Sign again from this depth outwards: files, metadata, ledger, log."""
        if depth == "log":
            self.chain_log()
        elif depth == "ledger":
            self.chain_ledger()
        if depth != "files":
            self.make_results()
            self.make_metadata()
        self.sign_files()

    def verify(self, **options: Any) -> Verdict:
        return verify(self.folder, **options)

    def _sha256(self, name: str) -> str:
        return hashlib.sha256(self.path(name).read_bytes()).hexdigest()

    def _bind(self, events: list[dict[str, Any]]) -> None:
        """The hashes that the log has of trajectories and facts."""
        by_task = {}
        for line in self.lines("trajectories.jsonl"):
            value = json.loads(line)
            by_task[value["task_id"]] = line[:-1], value["steps"]
        facts = {t.task_id: t for t in read_metadata(self.path("metadata.json").read_bytes()).facts.tasks}
        for event in events:
            if event["event"] == "task_finished" and event["task_id"] in by_task:
                event["trajectory_sha256"] = hashlib.sha256(by_task[event["task_id"]][0]).hexdigest()
                event["outcome_sha256"] = facts[event["task_id"]].sha256()
            if event["event"] == "attempt_finished" and event["task_id"] in by_task:
                steps = [s for s in by_task[event["task_id"]][1] if s["attempt"] <= event["attempt"]]
                event["steps"] = len(steps)
                event["steps_sha256"] = hashlib.sha256(compact(steps)).hexdigest()


def copy_of(package: Path, target: Path, signer: Signer) -> Package:
    return Package(Path(shutil.copytree(package, target)), signer)
