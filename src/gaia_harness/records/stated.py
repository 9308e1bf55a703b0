"""Reads what a run states about itself, from its directory or its package."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import msgspec

from gaia_harness import strict_json
from gaia_harness.errors import EvidenceError, UsageError
from gaia_harness.files import read_lines
from gaia_harness.records.documents import read_document
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.results import StatedResult
from gaia_harness.records.run import FILE_NAME, DatasetRecord, read_stated
from gaia_harness.records.summary import StatedSummary

LONGEST_RESULT = 16 << 20
MOST_FAULTS = 100
BEHIND = "the summary is behind: "
"""So begins what a summary says against the results that is true of an earlier moment."""


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a run, with what only its directory has: questions, golds (None of a package), what is broken."""

    facts: RunFacts
    questions: Mapping[str, str] = {}
    golds: Mapping[str, str] | None = None
    faults: tuple[str, ...] = ()


def read_run(folder: Path) -> Stated:
    """The facts of a run directory. What is broken in its results is a fault; without run.json it is no run."""
    if not (folder / FILE_NAME).is_file():
        raise UsageError(
            f"{folder}: neither a run nor a package (run.json and metadata.json are missing)",
            hint="name the folder that `gaia run --out` or `gaia submit --out` wrote",
        )
    run = read_stated(folder)
    faults: list[str] = []
    try:
        summary = read_document(folder / "summary.json", StatedSummary)
    except EvidenceError as error:
        faults.append(error.message)
        summary = StatedSummary(judge_cache_integrity_events=0)
    results = _read_results(folder / "results.jsonl", faults)
    facts = RunFacts(
        run_id=run.run_id,
        harness_version=run.versions.get("gaia_harness", ""),
        model=run.config.model,
        judge_model=run.config.judge_model,
        # a folder's name says nothing to anybody else; its digest does
        dataset=run.dataset.name if run.dataset.name in ("hub", "demo") else "folder",
        dataset_revision=run.dataset.revision,
        dataset_digest=run.dataset.digest,
        gaia_split=run.dataset.gaia_split,
        task_ids=run.dataset.task_ids,
        selection=run.config.selection,
        voting_attempts=run.config.voting_attempts,
        record_evidence=run.config.record_evidence,
        submit_intent=run.config.submit_intent,
        isolation=dict(sorted(run.isolation.items())),
        judge_cache_integrity_events=summary.judge_cache_integrity_events,
        contradictions=tuple(_contradictions(run.dataset, summary, results)),
        tasks=tuple(
            TaskFacts(**{name: getattr(each, name) for name in TaskFacts.__struct_fields__}) for each in results
        ),
        system_prompt_sha256=run.config.system_prompt_sha256,
        price_in=run.config.price_in,
        price_out=run.config.price_out,
        origin=run.origin,
    )
    return Stated(
        facts=facts,
        questions={result.task_id: result.question for result in results},
        golds={result.task_id: result.expected_output for result in results if result.expected_output is not None},
        faults=tuple(faults[:MOST_FAULTS]),
    )


def _read_results(path: Path, faults: list[str]) -> list[StatedResult]:
    """The results of tasks, the first of each, by id. What cannot be read is put into `faults`."""
    results: dict[str, StatedResult] = {}
    try:
        for line in read_lines(path, longest=LONGEST_RESULT):
            where = f"{path.name}:{line.number}"
            try:
                result = msgspec.convert(strict_json.loads(line.data, where=where), StatedResult)
            except strict_json.JsonError as error:
                faults.append(error.message)
            except msgspec.ValidationError as error:
                faults.append(f"{where}: not a result: {error}")
            else:
                if results.setdefault(result.task_id, result) is not result:
                    faults.append(f"{where}: the task {result.task_id[:80]!a} has a result already")
    except EvidenceError as error:
        faults.append(error.message)
    return sorted(results.values(), key=lambda result: result.task_id)


def _contradictions(dataset: DatasetRecord, summary: StatedSummary, results: Collection[StatedResult]) -> Iterator[str]:
    """What the summary says against the run and its results."""
    if summary.gaia_split is not None and summary.gaia_split != dataset.gaia_split:
        yield f"the summary is of split {summary.gaia_split[:40]!a}, the run of {dataset.gaia_split[:40]!a}"
    if summary.dataset_digest not in (None, dataset.digest):
        yield "the summary is of another data set than the run"
    if summary.total not in (None, len(dataset.task_ids)):
        yield f"the summary counts {summary.total} tasks, the run names {len(dataset.task_ids)}"
    passed = sum(result.correct is True for result in results)
    fewer = (summary.finished or 0) < len(results) and (summary.passed or 0) <= passed
    lead = BEHIND if fewer else "the summary "
    if summary.finished not in (None, len(results)):
        yield f"{lead}counts {summary.finished} results, there are {len(results)}"
    if summary.passed not in (None, passed):
        yield f"{lead}counts {summary.passed} correct answers, the results {passed}"
