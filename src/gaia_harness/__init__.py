"""gaia-harness: run GAIA, keep the evidence, and show that a score was earned.

The names in `__all__` are the public API; docs/api.md shows how they are used. Each is imported when it is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

from gaia_harness.version import __version__

if TYPE_CHECKING:
    from gaia_harness.api import (
        audit_run,
        create_key,
        resume_run,
        resume_run_async,
        run_tasks,
        run_tasks_async,
        submit_run,
        verify_package,
    )
    from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
    from gaia_harness.audit.findings import Check, Finding
    from gaia_harness.audit.report import Report
    from gaia_harness.audit.waivers import Waiver
    from gaia_harness.errors import GaiaError, ModelError, ToolError
    from gaia_harness.evidence.recording import Recording
    from gaia_harness.models.base import Model
    from gaia_harness.models.messages import Reply, Request, Usage
    from gaia_harness.records.config import Limits, RunConfig, Selection
    from gaia_harness.records.summary import Summary
    from gaia_harness.submission.package import Built, Refused
    from gaia_harness.submission.verdict import NotExamined, Verdict
    from gaia_harness.tasks.task import Task
    from gaia_harness.tools.base import Attachment, Tool, ToolOutput


__all__ = [
    "Attachment",
    "Built",
    "Check",
    "Finding",
    "GaiaError",
    "Limits",
    "Model",
    "ModelError",
    "NotExamined",
    "Recording",
    "Refused",
    "Reply",
    "Report",
    "Request",
    "RunConfig",
    "RunEvidence",
    "Selection",
    "Summary",
    "Task",
    "TaskEvidence",
    "Tool",
    "ToolError",
    "ToolOutput",
    "Usage",
    "Verdict",
    "Waiver",
    "__version__",
    "audit_run",
    "create_key",
    "resume_run",
    "resume_run_async",
    "run_tasks",
    "run_tasks_async",
    "submit_run",
    "verify_package",
]

_HOMES = {
    "api": (
        "audit_run",
        "create_key",
        "resume_run",
        "resume_run_async",
        "run_tasks",
        "run_tasks_async",
        "submit_run",
        "verify_package",
    ),
    "audit.evidence": ("RunEvidence", "TaskEvidence"),
    "audit.findings": ("Check", "Finding"),
    "audit.report": ("Report",),
    "audit.waivers": ("Waiver",),
    "errors": ("GaiaError", "ModelError", "ToolError"),
    "evidence.recording": ("Recording",),
    "models.base": ("Model",),
    "models.messages": ("Reply", "Request", "Usage"),
    "records.config": ("Limits", "RunConfig", "Selection"),
    "records.summary": ("Summary",),
    "submission.package": ("Built", "Refused"),
    "submission.verdict": ("NotExamined", "Verdict"),
    "tasks.task": ("Task",),
    "tools.base": ("Attachment", "Tool", "ToolOutput"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'gaia_harness' has no attribute {name!r}")
    return getattr(importlib.import_module(f"gaia_harness.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
