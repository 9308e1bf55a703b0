"""Pauses a run when the model's service or the disk fails: such failures are not answers."""

import time

from gaia_harness.errors import ModelFault, RunError
from gaia_harness.run.disk_reserve import DiskFull

OUTAGES_IN_A_ROW = 3
"""Tasks that an outage ended, with no task finished in between. Each call has been retried already."""


class NotFinished(RunError):
    """A task ended without a result through no fault of the agent: a resume tries it again."""

    def __init__(self, message: str, *, hint: str | None, fault: ModelFault) -> None:
        super().__init__(message, hint=hint)
        self.fault = fault


class RequestRefused(RunError):
    """The model refused a task's request before it answered any: whether that is a result is still open."""


class Pausing:
    """Counts what went wrong, and says when no further task should be started and why."""

    def __init__(self) -> None:
        self.reason: str | None = None
        """Why the run is to pause; None while it goes on."""
        self.since: float | None = None
        self.hint: str | None = None
        self.no_access = False
        """The key or the model's name is wrong, or the server refuses every request: no task can run."""
        self.unfinished: dict[str, str] = {}
        """Tasks that were begun and came to nothing, and why."""
        self._in_a_row = 0

    def answered(self) -> None:
        """A task was finished."""
        self._in_a_row = 0

    def disk_is_full(self) -> None:
        """Nothing more than what is finished now can be kept."""
        self._pause("the disk is full", "make room on the disk of the run's folder")

    def refused(self, refusal: RequestRefused) -> None:
        """A task was refused, and nobody has had an answer yet."""
        self._in_a_row += 1
        if self._in_a_row >= OUTAGES_IN_A_ROW:
            self.nothing_but_refusals(refusal)

    def nothing_but_refusals(self, refusal: RequestRefused) -> None:
        """The model has refused every task so far."""
        if self.reason is None:
            self.no_access = True
            self._pause(f"no task was answered, the last one for this reason: {refusal.message}", refusal.hint)

    def lost(self, loss: RunError, *, at_work: int) -> None:
        """An attempt was lost with its worker. As many as are at work may be lost at once."""
        self._in_a_row += 1
        if self._in_a_row >= at_work + OUTAGES_IN_A_ROW:
            self._pause(f"{self._in_a_row} attempts in a row were lost, the last one so: {loss.message}", loss.hint)

    def no_place(self, error: RunError) -> None:
        """No further attempt can be made anywhere."""
        self._pause(error.message, error.hint)

    def interrupted(self, task_id: str, interruption: NotFinished | DiskFull) -> None:
        """A task ended without a result."""
        self.unfinished[task_id] = interruption.message
        if isinstance(interruption, DiskFull):
            self.disk_is_full()
            return
        if interruption.fault == "max_cost":
            self._pause(interruption.message, interruption.hint)
            return
        self._in_a_row += 1
        self.hint = interruption.hint or self.hint
        if interruption.fault == "access":
            self.no_access = True
            self._pause(interruption.message, interruption.hint)
        elif self._in_a_row >= OUTAGES_IN_A_ROW:
            said = f"{self._in_a_row} tasks in a row could not be done, the last one for this reason: "
            self._pause(said + interruption.message, interruption.hint)

    def _pause(self, reason: str, hint: str | None) -> None:
        if self.reason is None:
            self.reason, self.hint, self.since = reason, hint, time.monotonic()
