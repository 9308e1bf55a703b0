"""Texts that a run keeps whole, beside the beginnings of them in its steps: how much of them may be read."""

from pathlib import Path

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.records.steps import LlmCall, ToolResultStep

MOST_RATIO = 64
SPARE_BYTES = 32 << 20
"""Of the texts that a line names, so many times its own bytes are read, and its share of so much more: so the work is
linear in the file, and what is read for a task does not depend on others. Lines have been seen with texts of twice
their size."""

MOST_UNPACKED = 16
"""To how many times the size that a step states a text may unpack: masks may be longer than the secrets they hide."""


class KeptBodies(TextStore):
    """The outputs of one run. `unread` counts texts that were not read because too much was read for their task."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, compressed=True)
        self._ratio: float = MOST_RATIO
        self._left: float = SPARE_BYTES
        self.unread = 0

    def share(self, size: int) -> None:
        """Share what may be read among the lines of a file of this size."""
        self._ratio = MOST_RATIO + SPARE_BYTES / max(size, 1)

    def begin(self, size: int) -> None:
        """From here on, texts are read for a line of this size."""
        self._left = self._ratio * size

    def take(self, size: int) -> bool:
        """Whether a text of so many bytes may still be read for this line."""
        may = size <= self._left
        self._left -= size if may else 0
        self.unread += not may
        return may

    def text(self, step: ToolResultStep | LlmCall) -> str | None:
        """The whole of an output or of the model's words; None where it is missing, broken, too long, or too much."""
        if not self.take(step.bytes):
            return None
        try:
            return self.get(step.stored_sha256, largest=MOST_UNPACKED * step.bytes).decode("utf-8", "replace")
        except EvidenceError:
            self.unread += self.path(step.stored_sha256).exists()
            return None
