"""docs/ names every file and every field of a real run, package, report and verdict, and no others."""

import base64
import json
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from handbook import DOCS, rows, sections, spans

from gaia_command import lines
from gaia_harness.audit import report as audit_report
from gaia_harness.evidence import bodies
from gaia_harness.records import events, intent, ledger, origin, trajectories
from gaia_harness.run import folder, results, summary
from gaia_harness.submission import (
    content_checks,
    decompression,
    file_set,
    hashing,
    metadata,
    tar_reading,
    unpacking,
    verdict,
    zip_reading,
)
from gaia_harness.submission import results as package_results

FORMATS = sections(DOCS / "formats.md")
REPORT = sections(DOCS / "audit.md")["The report"]
VERDICT = sections(DOCS / "verifying.md")[""]
FREE = ("args", "versions", "levels", "pass_rate_by_level", "served_models", "options", "origin")
"""Below these the names are data: a tool's arguments, packages, levels, models, options (those of run.json); or are
described in a part of their own."""

_NAME = re.compile(r"_?[a-z][a-zA-Z0-9_]*")
_FILE = re.compile(r"^\.|\.(json|jsonl|checkpoints)$")


def names_in(text: str) -> set[str]:
    """Everything in backticks that could be the name of a field."""
    named = [span for span in spans(text) if not _FILE.search(span)]
    return {part for span in named for part in span.split(".") if _NAME.fullmatch(span.replace(".", "_"))}


def fields_in(value: Any) -> Iterator[str]:
    """Every name in a JSON value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            if name == "tools" and "names" not in inner:  # by tool, in a run's files
                yield from fields_in(list(inner.values()))
            elif name not in FREE:
                yield from fields_in(inner)
            elif name in ("levels", "pass_rate_by_level") and isinstance(inner, dict):
                yield from fields_in(list(inner.values()))
    elif isinstance(value, list):
        for inner in value:
            yield from fields_in(inner)


def fields_of(kind: Any, seen: set[Any] | None = None) -> set[str]:
    """Every name that a type of the program can write, tags and their values too."""
    seen = set() if seen is None else seen
    if kind in seen:
        return set()
    seen.add(kind)
    found: set[str] = set()
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        found |= set(kind.__struct_fields__)
        config = kind.__struct_config__
        found |= {str(part) for part in (config.tag_field, config.tag) if part}
        kinds = typing.get_type_hints(kind, include_extras=False).values()
    else:
        kinds = typing.get_args(kind)
    for inner in kinds:
        found |= fields_of(inner, seen)
    return found


def document(path: Path) -> Any:
    return json.loads(path.read_bytes())


def payload(path: Path) -> Any:
    return json.loads(base64.b64decode(document(path)["payload"]))


class Described(msgspec.Struct):
    """A part of a page, what it describes, the types behind that, and what else it names: values, other parts."""

    text: str
    real: typing.Callable[[Path], Any]
    kinds: tuple[Any, ...] = ()
    values: str = ""


CASES = {
    "run.json": Described(
        FORMATS["run.json"],
        lambda at: [document(at / "runs" / name / "run.json") for name in ("full", "declared", "recorded")],
        (folder.RunRecord,),
        "running interrupted closed aborted unsandboxed watched reason transcription attachment_sha256 question agent",
    ),
    "origin": Described(
        FORMATS["origin"],
        lambda at: document(at / "runs/recorded/run.json")["origin"],
        (origin.Origin,),
        "live imported search fetch read code look delegate answer other context_sha256 tokens isolation prompts "
        "replies thoughts times",
    ),
    "results.jsonl": Described(
        FORMATS["results.jsonl"],
        lambda at: lines(at / "runs/full/results.jsonl"),
        (results.TaskResult,),
        "number list text off miss hit legacy tampered",
    ),
    "summary.json": Described(
        FORMATS["summary.json"],
        lambda at: [document(at / "runs" / name / "summary.json") for name in ("full", "recorded")],
        (summary.Summary,),
        "primary majority",
    ),
    "trajectories.jsonl": Described(
        FORMATS["trajectories.jsonl"],
        lambda at: [lines(at / name / "trajectories.jsonl") for name in ("full", "recorded")],
        (trajectories.Trajectory,),
        "system tools user context find",
    ),
    "log.jsonl": Described(
        FORMATS["log.jsonl"],
        lambda at: lines(at / "full/log.jsonl"),
        (events.AnyEvent,),
        "complete aborted level correct answer error turns wall_ms input_tokens output_tokens tools_used voting "
        "selected_attempt votes cast answers cost_usd judge cache",
    ),
    "intent.dsse.json": Described(
        FORMATS["intent.dsse.json"],
        lambda at: [payload(at / name / "intent.dsse.json") for name in ("full", "recorded")],
        (intent.Intent,),
        "config data",
    ),
    "the ledger": Described(
        FORMATS["The ledger"],
        lambda at: lines(at / "full/ledger.jsonl"),
        (ledger.AnyEntry,),
    ),
    "results.jsonl of a package": Described(
        FORMATS["results.jsonl of a package"],
        lambda at: lines(at / "full/results.jsonl"),
        (package_results.ResultLine,),
        "wall_ms",
    ),
    "metadata.json": Described(
        FORMATS["metadata.json"],
        lambda at: [document(at / name / "metadata.json") for name in ("package", "full", "recorded")],
        (metadata.Metadata,),
        "hub demo folder transcription agent integrity_event run_closed task_list_sha256 outcome_sha256",
    ),
    "attestation.dsse.json": Described(
        FORMATS["attestation.dsse.json"],
        lambda at: [payload(at / name / "attestation.dsse.json") for name in ("full", "recorded")],
        (),
        "submitter said hosts",
    ),
    "envelopes": Described(
        FORMATS["Keys and signatures"],
        lambda at: document(at / "full/attestation.dsse.json"),
        (),
        "submit_ed25519 cache_ed25519 trusted",
    ),
    "the judge cache": Described(
        FORMATS["The judge cache"],
        lambda at: {**document(next((at / "cache/judgments").rglob("*.json"))), "envelope": None},
    ),
    "audit-report.json": Described(
        REPORT,
        lambda at: document(at / "full/audit-report.json"),
        (audit_report.Report,),
        "pass fail warn skip critical high medium low info lowered refused unused",
    ),
    "verify --json": Described(
        VERDICT,
        lambda at: json.loads(msgspec.json.encode(verdict.verify(at / "full"))),
        (verdict.Verdict,),
        "ok FAILED skipped error package",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_field_of_the_real_file_is_documented(world, case):
    described = CASES[case]
    assert set(fields_in(described.real(world.root))) - names_in(described.text) == set()


@pytest.mark.parametrize("case", CASES)
def test_every_field_that_is_documented_is_one_of_the_program(world, case):
    described = CASES[case]
    known = set(fields_in(described.real(world.root))) | fields_of(described.kinds) | set(described.values.split())
    for kind in described.kinds:
        known |= fields_of(kind)
    assert names_in(described.text) - known == set()


def test_a_field_that_is_not_there_would_be_noticed():
    assert names_in("`run_id`, `standing.said` and `prety` (`not a name`)") == {"run_id", "standing", "said", "prety"}
    assert {"seq", "type", "prompt", "windows", "by_source", "thoughts"} <= fields_of(trajectories.Trajectory)
    assert set(fields_in([{"a": {"b": 1}, "args": {"c": 1}}])) == {"a", "b", "args"}


def tree(text: str, name: str) -> set[str]:
    """The files that a block with a folder's tree names."""
    block = re.search(rf"^```\n{name}/\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert block is not None
    return set(block[1].split())


def files_of(place: Path) -> set[str]:
    named = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}
    return {re.sub(r"[0-9a-f]{64}", "<sha256>", name) for name in named}


def test_the_files_of_a_run_and_of_a_package_are_those_of_the_page(world):
    text = (DOCS / "formats.md").read_text("utf-8")
    assert files_of(world.root / "runs/full") == tree(text, "DIR")
    assert files_of(world.root / "full") == tree(text, "PKG")
    assert files_of(world.root / "package") == tree(text, "PKG") - {"bodies/<sha256>.zst"}
    assert {name for name in tree(text, "PKG") if "<" not in name} == set(file_set.REQUIRED)


def test_the_limits_are_those_of_the_program():
    said = {row[0]: row[1] for row in rows(FORMATS["The package"])[1:]}
    mib = 1 << 20
    assert said == {
        "files in a package": f"{file_set.MOST_FILES:,}",
        "all files together": f"{file_set.MOST_BYTES >> 30} GiB",
        "a document that is read whole, and a text in `prompts/`": f"{file_set.LARGEST_DOCUMENT // mib} MiB",
        "`log.jsonl`": f"{file_set.LARGEST_LOG // mib} MiB",
        "a line of `trajectories.jsonl`": f"{trajectories.LONGEST_LINE // mib} MiB",
        "a line of `results.jsonl`": f"{content_checks.LONGEST_RESULT // mib} MiB",
        "a text in `bodies/`, stored and unpacked": f"{bodies.LARGEST // mib} MiB",
        "all texts in `bodies/` together, unpacked": f"{hashing.MOST_BYTES >> 30} GiB, and {bodies.MOST_RATIO} times "
        f"what they take packed and {bodies.SPARE_BYTES >> 30} GiB",
        "an archive, unpacked": f"{decompression.MOST_BYTES >> 30} GiB, and {decompression.MOST_RATIO} times its own "
        f"size and {decompression.SPARE_BYTES // mib} MiB",
        "memory for unpacking xz or Zstandard": f"{decompression.MOST_MEMORY // mib} MiB",
        "a tar file's pax header, a zip file's directory": f"{tar_reading.LARGEST_PAX >> 10} KiB, "
        f"{zip_reading.LARGEST_DIRECTORY // mib} MiB",
        "folders in an archive": f"{unpacking.MOST_FOLDERS}",
    }


def test_the_order_of_fields_is_that_of_the_page(world):
    for name, text in (("metadata.json", FORMATS["metadata.json"]), ("audit-report.json", REPORT)):
        table = [field for row in rows(text)[1:] for field in re.findall(r"`(\w+)`", row[0])]
        assert list(document(world.root / "recorded" / name)) == table
    for line in lines(world.root / "full/log.jsonl"):
        cells = {row[0]: row[1] for row in rows(FORMATS["log.jsonl"])}
        said = [field for field in re.findall(r"`(\w+)`", cells[f"`{line['event']}`"]) if field in line]
        assert list(line) == list(dict.fromkeys(["event", "seq", "time", *said]))


def test_a_package_says_which_private_data_may_be_inside(world):
    for name, bodies_said in {"package": "There is no `bodies/`", "full": "`bodies/` has every tool output"}.items():
        said = (world.root / name / "README.md").read_text("utf-8")
        assert "the beginnings of web pages" in said
        assert "questions of the benchmark" in said
        assert bodies_said in said
