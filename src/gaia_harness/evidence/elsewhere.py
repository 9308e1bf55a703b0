"""Takes over an attempt that a recorder on another machine takes down: its steps, and their full texts."""

import hashlib
from collections.abc import Mapping
from typing import Literal

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.records.steps import LlmCall, Prompt, Step, ToolResultStep


class TakenElsewhere:
    """Puts what comes from there into the recorder of the same attempt here, whose secrets are masked too.

    No method raises: see `Recorder`.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._renamed: dict[str, str] = {}  # texts of which another form is kept here than was sent

    def text(self, kind: Literal["prompts", "bodies"], sha256: str, data: bytes) -> None:
        """Keep a full text. Its step comes after it."""
        with self._recorder.taking():
            if hashlib.sha256(data).hexdigest() != sha256:
                raise EvidenceError("a text came with another hash than its own")
            settings = self._recorder.settings
            store = settings.prompts if kind == "prompts" else settings.bodies
            if store is not None:
                kept = settings.keep(store, sha256, data)
                if not isinstance(kept, msgspec.UnsetType):
                    self._renamed[sha256] = kept

    def step(self, step: Step) -> None:
        """Take down a step."""

        def checked() -> Step:
            if (step.seq, step.attempt) != (self._recorder.next_seq, self._recorder.attempt):
                raise EvidenceError(f"step {step.seq} of attempt {step.attempt} came out of its order")
            return _with_names(step, self._renamed) if self._renamed else step

        self._recorder.take(checked)


def _with_names(step: Step, renamed: Mapping[str, str]) -> Step:
    """The step with the hashes under which its full texts are kept here."""

    def kept(own: str, other: str | msgspec.UnsetType) -> str | msgspec.UnsetType:
        return renamed.get(own if isinstance(other, msgspec.UnsetType) else other, other)

    if isinstance(step, Prompt):
        return msgspec.structs.replace(step, kept_sha256=kept(step.content_sha256, step.kept_sha256))
    if isinstance(step, ToolResultStep):
        return msgspec.structs.replace(step, kept_sha256=kept(step.output_sha256, step.kept_sha256))
    if isinstance(step, LlmCall):
        mind = step.thoughts
        if mind is not None:
            mind = msgspec.structs.replace(mind, kept_sha256=kept(mind.sha256, mind.kept_sha256))
        return msgspec.structs.replace(step, kept_sha256=kept(step.output_sha256, step.kept_sha256), thoughts=mind)
    return step
