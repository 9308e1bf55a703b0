"""What is the whole text of a step, as far as the run keeps it beside the step, and as far as it may be read?"""

from pathlib import Path

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.records.steps import Answer, LlmCall, Prompt, ToolResultStep

MOST_RATIO = 64
SPARE_BYTES = 32 << 20
"""Of the texts that a line names, so many times its own bytes are read, and its share of so much more: so the work is
linear in the file, and what is read for a task does not depend on others. Lines have been seen with texts of twice
their size."""

MOST_UNPACKED = 16
"""To how many times the size that a step states a text may unpack: masks may be longer than the secrets they hide."""

MOST_HELD, LONGEST_HELD = 32, 1 << 20
"""Long texts held in memory: prompts that many tasks begin with, and pages that are read several times in a row."""


class Texts:
    """The texts of one run. `unread` counts those that were not read because they are too long, or too much."""

    def __init__(self, folder: Path) -> None:
        self.prompts = TextStore(folder / "prompts", compressed=False)
        self.bodies = TextStore(folder / "bodies", compressed=True)
        self.unread = 0
        self._ratio: float = MOST_RATIO
        self._left: float = SPARE_BYTES
        self._held: dict[str, str] = {}

    def share(self, size: int) -> None:
        """Share what may be read among the lines of a file of this size."""
        self._ratio = MOST_RATIO + SPARE_BYTES / max(size, 1)

    def begin(self, size: int) -> None:
        """From here on, texts are read for a line of this size."""
        self._left = self._ratio * size

    def reply(self, step: LlmCall) -> str:
        """What the model said without what it thought: an answer is read from this."""
        return self._whole(step) if step.truncated and step.body is True else step.head

    def of(self, step: Prompt | LlmCall | ToolResultStep | Answer) -> str:
        """All that is kept of a step's text: the whole of it, or its beginning and the windows cut from it."""
        if type(step) is LlmCall:
            said = self.reply(step)
            return said if step.thoughts is None else f"{step.thoughts.head}\n{said}"
        if type(step) is Prompt and step.truncated and step.is_stored:
            return self._whole(step)
        if type(step) is ToolResultStep and step.truncated:
            return self._whole(step) if step.body else in_step(step)
        return step.head

    def _whole(self, step: Prompt | LlmCall | ToolResultStep) -> str:
        """The text that is kept beside a step, if it is there and may be read."""
        text = self._held.get(step.stored_sha256)
        if text is not None and type(step) is not Prompt:
            return text
        if step.bytes > self._left:
            self.unread += 1
            return in_step(step)
        self._left -= step.bytes  # a prompt is paid for by every task that has it, whoever read it first
        text = self._read(step) if text is None else text
        if text is not None and len(text) <= LONGEST_HELD:
            if len(self._held) >= MOST_HELD:
                self._held.clear()
            self._held[step.stored_sha256] = text
        return in_step(step) if text is None else text

    def _read(self, step: Prompt | LlmCall | ToolResultStep) -> str | None:
        """The text in its file. One that is missing or broken is for the verifier to say."""
        name = step.stored_sha256
        try:
            if type(step) is Prompt:
                return self.prompts.get(name).decode("utf-8", "replace")
            return self.bodies.get(name, largest=MOST_UNPACKED * step.bytes).decode("utf-8", "replace")
        except EvidenceError:
            self.unread += type(step) is not Prompt and self.bodies.path(name).exists()
            return None


def in_step(step: Prompt | LlmCall | ToolResultStep) -> str:
    """What a step itself has of its text."""
    windows = step.windows if type(step) is ToolResultStep else ()
    return "\n".join((step.head, *(window.text for window in windows)))
