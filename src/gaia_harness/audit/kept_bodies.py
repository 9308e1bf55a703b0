"""Is an output that is kept whole the one that its step speaks of, by its size and by what the step shows of it?"""

from gaia_harness.errors import EvidenceError, GaiaError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.redaction import MASK
from gaia_harness.evidence.steps import OUTPUT_HEAD, ToolResultStep
from gaia_harness.files import open_plain

FRAME_HEADER = 18
"""Bytes, at most, at the beginning of a compressed text: they say how long it is."""


def untruth(step: ToolResultStep, bodies: TextStore) -> str | None:
    """What a step says of its output that is not so; None where all is well, or nothing is kept."""
    size = _size(step, bodies)
    if size is None:
        return None
    masked = step.stored_sha256 != step.output_sha256  # then it may be longer or shorter than it was
    if size != step.bytes and not masked:
        return f"{step.bytes} bytes are said, and {size} are kept"
    if (masked or step.redactions or "\ufffd" in step.head) and not _shows(step, bodies):
        return "its beginning is not what is kept"
    return None


def _size(step: ToolResultStep, bodies: TextStore) -> int | None:
    """By the header alone, which costs next to nothing."""
    import zstandard

    try:
        with open_plain(bodies.path(step.stored_sha256)) as file:
            size = zstandard.frame_content_size(file.read(FRAME_HEADER))
        return size if size >= 0 else len(bodies.get(step.stored_sha256))
    except (OSError, GaiaError, zstandard.ZstdError):
        return None  # that it is missing or broken is for the verifier to say


def _shows(step: ToolResultStep, bodies: TextStore) -> bool:
    """Whether what is not masked in a head stands in the output's beginning, in this order."""
    try:
        data = bodies.get(step.stored_sha256)
    except EvidenceError:
        return True
    if step.stored_sha256 != step.output_sha256:
        text = data[: 4 * OUTPUT_HEAD].decode("utf-8", "replace")  # a mask may be longer than what it hides
        if MASK.search(data.decode("utf-8", "replace")) is None:
            return False
    else:
        text = data[: OUTPUT_HEAD + 4].decode("utf-8", "replace")  # a character more, which the cut may have spared
    first, *others = MASK.sub("\0", step.head).split("\0") if step.redactions else [step.head]
    at = len(first) if text.startswith(first) else -1
    for part in others:
        at = text.find(part, at) + len(part) if at >= 0 and text.find(part, at) >= 0 else -1
    return at >= 0
