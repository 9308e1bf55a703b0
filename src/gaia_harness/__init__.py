"""gaia-harness: run GAIA, keep the evidence, and show that a score was earned.

The names in `__all__` are the public API (docs/api.md). They are imported when one is first used.
"""

from gaia_harness.version import __version__

TYPE_CHECKING = False  # not from typing: `python -m gaia_harness` imports nothing from the folder it is called in
if TYPE_CHECKING:
    from gaia_harness.api import (
        Assistant,
        Attachment,
        AttemptWriter,
        BuiltPackage,
        Check,
        Finding,
        GaiaError,
        Image,
        Limits,
        Model,
        ModelError,
        NotExamined,
        Origin,
        Recording,
        Reply,
        Report,
        Request,
        RunConfig,
        RunEvidence,
        RunWriter,
        Selection,
        Source,
        SourceText,
        SubmissionRefused,
        Summary,
        System,
        Task,
        TaskEvidence,
        Tool,
        ToolCall,
        ToolError,
        ToolOutput,
        ToolResult,
        ToolSpec,
        Usage,
        User,
        Verdict,
        Waiver,
        Watcher,
        audit_run,
        create_key,
        export_run,
        live,
        load_tasks,
        resume_run,
        resume_run_async,
        run_tasks,
        run_tasks_async,
        submit_run,
        verify_package,
        view_run,
    )

__all__ = [
    "Assistant",
    "Attachment",
    "AttemptWriter",
    "BuiltPackage",
    "Check",
    "Finding",
    "GaiaError",
    "Image",
    "Limits",
    "Model",
    "ModelError",
    "NotExamined",
    "Origin",
    "Recording",
    "Reply",
    "Report",
    "Request",
    "RunConfig",
    "RunEvidence",
    "RunWriter",
    "Selection",
    "Source",
    "SourceText",
    "SubmissionRefused",
    "Summary",
    "System",
    "Task",
    "TaskEvidence",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolOutput",
    "ToolResult",
    "ToolSpec",
    "Usage",
    "User",
    "Verdict",
    "Waiver",
    "Watcher",
    "__version__",
    "audit_run",
    "create_key",
    "export_run",
    "live",
    "load_tasks",
    "resume_run",
    "resume_run_async",
    "run_tasks",
    "run_tasks_async",
    "submit_run",
    "verify_package",
    "view_run",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'gaia_harness' has no attribute {name!r}")
    from gaia_harness import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted(__all__)
