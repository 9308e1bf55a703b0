"""The live cases in the figures of the lab."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from redteam.figures import LiveFigures
from redteam.live.cases import run_all
from redteam.variants import Kind


def measure_live(progress: Callable[[str], None]) -> tuple[LiveFigures, ...]:
    """Run every live case. An honest one is `caught` when it was left alone."""
    figures = []
    with tempfile.TemporaryDirectory(prefix="gaia-live-") as folder:
        for outcome in run_all(Path(folder)):
            case = outcome.case
            progress(f"{case.family}/{case.name}")
            figures.append(
                LiveFigures(
                    family=case.family,
                    name=case.name,
                    kind=case.kind,
                    caught=not outcome.gated if case.kind is Kind.HONEST else outcome.caught,
                    findings=tuple(
                        sorted({f"{check} {found.rule} ({found.severity})" for check, found in outcome.findings})
                    ),
                )
            )
    return tuple(figures)
