"""Three Parquet tables for pandas, polars or DuckDB: steps, results and findings."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.audit.findings import Check
from gaia_harness.audit.report import Report, audit, encode_report
from gaia_harness.errors import EvidenceError, UsageError
from gaia_harness.exchange.export_source import ExportedTask, ExportSource, Told
from gaia_harness.records.steps import Answer, LlmCall, Prompt, ToolCallStep, ToolResultStep
from gaia_harness.run.audit_input import open_evidence
from gaia_harness.submission.file_set import REPORT, list_files
from gaia_harness.submission.metadata import read_exactly

NAME = "parquet"
FOLDER = True
ENDING = ""

GROUP = 16 << 20
"""Bytes of text that are put together before they are written."""

STEPS = {
    "task_id": "string", "seq": "int64", "attempt": "int64", "turn": "int64", "type": "string", "agent": "string",
    "parent": "int64", "role": "string", "name": "string", "call_id": "string", "text": "string", "args": "string",
    "thoughts": "string", "cut": "bool", "is_error": "bool", "bytes": "int64", "sha256": "string",
    "context_sha256": "string", "redactions": "int64", "sources": "string", "model": "string", "tokens_in": "int64",
    "tokens_out": "int64", "tokens_cached": "int64", "stop_reason": "string", "latency_ms": "int64",
}  # fmt: skip
RESULTS = {
    "run_id": "string", "task_id": "string", "level": "int64", "model": "string", "correct": "bool",
    "answer": "string", "error": "string", "turns": "int64", "wall_ms": "int64", "input_tokens": "int64",
    "output_tokens": "int64", "cost_usd": "float64", "attempts": "int64", "selected_attempt": "int64",
    "votes": "int64", "cast": "int64", "answers": "string", "tools_used": "string", "judge_model": "string",
    "judge_verdict": "bool", "question": "string",
}  # fmt: skip
FINDINGS = {
    "check": "string", "check_name": "string", "check_status": "string", "severity": "string", "rule": "string",
    "summary": "string", "task_id": "string", "attempt": "int64", "seq": "int64", "field": "string",
    "offset": "int64", "source": "int64", "view": "string", "excerpt": "string", "waived_by": "string",
    "waived_reason": "string",
}  # fmt: skip
"""The columns of each table. `args`, `sources`, `answers` and `tools_used` are JSON."""


def write(source: ExportSource, out: Path) -> list[str]:
    """The three tables. Findings of a package are those of its report; a run is audited for them."""
    arrow = _library()
    report = _report(source)
    with (
        _Table(arrow, out / "steps.parquet", STEPS) as steps,
        _Table(arrow, out / "results.parquet", RESULTS) as results,
    ):
        for task in source.tasks():
            results.add(_result(source.info.run_id, task))
            for attempt in task.attempts:
                for told in attempt.steps:
                    steps.add(_step(task.facts.task_id, told))
    with _Table(arrow, out / "findings.parquet", FINDINGS) as findings:
        for check in report.checks:
            for row in _findings(check):
                findings.add(row)
    return [f"gap of the audit: {gap}" for gap in report.attestation.harness_gaps]


def _library() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            "Parquet is written with pyarrow, which is not installed", hint="pip install 'gaia-harness[run]'"
        ) from None
    return pyarrow


def _report(source: ExportSource) -> Report:
    if source.info.is_package:
        return read_exactly(list_files(source.folder).read(REPORT), Report, encode_report, where=REPORT)
    source.progress("auditing", 0, len(source.results))
    return audit(open_evidence(source.folder, None, source.env), audited_at="")


class _Table:
    """A table that is written in groups of rows, so that memory stays flat."""

    def __init__(self, arrow: Any, path: Path, columns: dict[str, str]) -> None:
        self._arrow = arrow
        self._name = path.name
        self._schema = arrow.schema([(name, arrow.type_for_alias(kind)) for name, kind in columns.items()])
        self._writer = arrow.parquet.ParquetWriter(path, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []
        self._size = 0

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        self._size += 200 + sum(len(value) for value in row.values() if isinstance(value, str))
        if self._size > GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            try:
                table = self._arrow.Table.from_pylist(self._rows, schema=self._schema)
            except (OverflowError, ValueError, TypeError) as error:  # numbers that only a hostile run has
                raise EvidenceError(f"{self._name}: cannot be written as Parquet: {error}") from error
            self._writer.write_table(table)
        self._rows, self._size = [], 0

    def __enter__(self) -> "_Table":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._flush()
        self._writer.close()


def _step(task_id: str, told: Told) -> dict[str, Any]:
    step = told.step
    row: dict[str, Any] = {
        "task_id": task_id, "seq": step.seq, "attempt": step.attempt, "turn": step.turn,
        "type": step.__struct_config__.tag, "agent": step.agent or None,
        "parent": step.parent if isinstance(step.parent, int) else None, "text": told.text,
        "cut": told.cut or told.thoughts_cut, "redactions": step.redactions,
    }  # fmt: skip
    if isinstance(step, ToolCallStep):
        row |= {"name": step.name, "call_id": step.call_id, "sha256": step.args_sha256}
        if not isinstance(step.args, str):
            row |= {"text": None, "args": _json(step.args)}
        return row
    row["bytes"] = step.bytes
    if isinstance(step, Prompt):
        row |= {"role": step.role, "sha256": step.content_sha256, "context_sha256": step.context_sha256}
    elif isinstance(step, Answer):
        row |= {"call_id": step.call_id, "sha256": step.content_sha256}
    elif isinstance(step, LlmCall):
        row |= {
            "sha256": step.output_sha256, "thoughts": told.thoughts or None, "model": step.model,
            "tokens_in": step.tokens_in, "tokens_out": step.tokens_out, "stop_reason": step.stop_reason,
            "tokens_cached": step.tokens_cached if isinstance(step.tokens_cached, int) else None,
            "latency_ms": step.latency_ms,
        }  # fmt: skip
    elif isinstance(step, ToolResultStep):
        row |= {
            "name": step.name, "call_id": step.call_id, "sha256": step.output_sha256, "is_error": step.is_error,
            "sources": _json(step.sources) if step.sources else None,
        }  # fmt: skip
    return row


def _result(run_id: str, task: ExportedTask) -> dict[str, Any]:
    facts = task.facts
    return {
        "run_id": run_id, "task_id": facts.task_id, "level": facts.level, "model": facts.model,
        "correct": facts.correct, "answer": facts.answer, "error": facts.error, "turns": facts.turns,
        "wall_ms": facts.wall_ms, "input_tokens": facts.input_tokens, "output_tokens": facts.output_tokens,
        "cost_usd": facts.cost_usd, "attempts": facts.attempts, "selected_attempt": facts.voting.selected_attempt,
        "votes": facts.voting.votes, "cast": facts.voting.cast, "answers": _json(facts.voting.answers),
        "tools_used": _json(facts.tools_used), "judge_model": facts.judge.model if facts.judge else None,
        "judge_verdict": facts.judge.verdict if facts.judge else None, "question": task.question,
    }  # fmt: skip


def _findings(check: Check) -> Iterator[dict[str, Any]]:
    for finding in check.findings:
        yield {
            "check": check.id, "check_name": check.name, "check_status": check.status, "severity": finding.severity,
            "rule": finding.rule, "summary": finding.summary, "task_id": finding.task_id, "attempt": finding.attempt,
            "seq": finding.seq, "field": finding.field, "offset": finding.offset, "source": finding.source,
            "view": finding.view, "excerpt": finding.excerpt,
            "waived_by": finding.waived.who if finding.waived else None,
            "waived_reason": finding.waived.reason if finding.waived else None,
        }  # fmt: skip


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
