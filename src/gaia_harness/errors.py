"""The error classes. Each message is written for the person at the terminal.

Every error of ours is a `GaiaError`. Its message says what happened and where; `hint` says what to do next.
Anything else that reaches the command line is a bug.
"""

from typing import Literal


class GaiaError(Exception):
    """Base of all errors that we raise on purpose."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if hint is not None:
            self.add_note(f"next: {hint}")  # for programs that let it go as far as a traceback


class UsageError(GaiaError):
    """The command was asked for something that cannot be meant: exit code 2."""


class UnreadableError(UsageError):
    """What was given cannot be read, or is no package at all: that says nothing about anybody's work."""


class DatasetError(GaiaError):
    """The tasks cannot be loaded as asked."""


class NotInstalledError(DatasetError):
    """The tasks cannot be loaded without a package that is not installed."""


ModelFault = Literal["request", "outage", "access", "max_cost"]
"""Why a model gave no reply.

request: this one request was refused; the next may be answered.
outage: the service cannot answer now (no credit, refused or lost connections, time-outs, HTTP 429 and 5xx).
access: the key or the model's name is wrong; no request will be answered.
max_cost: it was not asked, because the run may cost no more.
"""


class ModelError(GaiaError):
    """The model gave no usable reply."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        request_sha256: str | None = None,
        fault: ModelFault = "request",
    ) -> None:
        super().__init__(message, hint=hint)
        self.request_sha256 = request_sha256
        self.fault: ModelFault = fault


class ContextOverflowError(ModelError):
    """The model's server refused the request because the conversation is too long for the model."""


class ToolError(GaiaError):
    """A tool could not do what was asked. The message is given back to the model as the tool's result."""


class EvidenceError(GaiaError):
    """What was recorded is not as it must be, or cannot be recorded. The message names file and line."""


class RunError(GaiaError):
    """The run cannot be started, continued or saved."""
