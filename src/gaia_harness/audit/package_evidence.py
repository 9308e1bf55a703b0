"""The evidence of a package: that of its run, without questions and gold answers, which it does not carry."""

from pathlib import Path

import msgspec

from gaia_harness.audit.evidence import DatasetFacts, RunEvidence
from gaia_harness.records.documents import read_document
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.replay import read_log_facts


class _Metadata(msgspec.Struct):
    facts: RunFacts


def read_package_facts(folder: Path) -> RunFacts:
    """What the run says about itself, as its package tells it."""
    return read_document(folder / "metadata.json", _Metadata).facts


def open_package(folder: Path, dataset: DatasetFacts | None) -> RunEvidence:
    """The evidence of a package. Without the data set there are no questions and no golds, and checks say so."""
    return RunEvidence(
        folder,
        read_package_facts(folder),
        read_log_facts(folder / "log.jsonl"),
        questions={} if dataset is None else dataset.questions,
        key=None if dataset is None else dataset.key,
        dataset=dataset,
    )
