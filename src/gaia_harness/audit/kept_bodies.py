"""Tool outputs kept in full: unpacked as rarely as possible, and checked against the steps that name them."""

from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError, GaiaError
from gaia_harness.evidence.bodies import TextStore, beginning
from gaia_harness.files import open_plain
from gaia_harness.records.masks import MASK
from gaia_harness.records.steps import LlmCall, Thoughts, ToolResultStep

FRAME_HEADER = 18
"""Bytes, at most, at the beginning of a compressed text: they say how long it is."""

MOST_RATIO = 64
SPARE_BYTES = 32 << 20
"""Of the texts that a line names, so many times its own bytes are read, and its share of so much more: a line keeps the
first 4 KiB of an output, and has been seen with texts of twice its size. So the work stays linear in the file, and what
is read for a task does not depend on others."""

MASKED_RATIO = 16


class KeptBodies:
    """The outputs of one run. `unread` counts texts that were not read because too much was read for their task."""

    def __init__(self, folder: Path) -> None:
        self._store = TextStore(folder, compressed=True)
        self._sizes: dict[str, int | None] = {}
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
        if size > self._left:
            self.unread += 1
            return False
        self._left -= size
        return True

    def path(self, sha256: str) -> Path:
        """Where an output lies, packed."""
        return self._store.path(sha256)

    def size(self, sha256: str) -> int | None:
        """How many bytes an output has, None where it is missing or broken: that is for the verifier to say."""
        if sha256 not in self._sizes:
            self._sizes[sha256] = self._size(sha256)
        return self._sizes[sha256]

    def beginning(self, sha256: str, size: int) -> bytes | None:
        """The first bytes of an output; None where it is missing or broken."""
        try:
            return beginning(self._store.path(sha256), size)
        except (OSError, GaiaError):
            return None

    def text(self, step: ToolResultStep | LlmCall) -> str | None:
        """The whole of an output or of the model's words; None where it is missing, broken, too long, or too much."""
        if not self.take(step.bytes):
            return None
        try:
            return self._store.get(step.stored_sha256, largest=_most(step)).decode("utf-8", "replace")
        except EvidenceError:
            return None

    def _size(self, sha256: str) -> int | None:
        """By the header alone, which costs next to nothing; what has none is unpacked once."""
        import zstandard

        try:
            with open_plain(self._store.path(sha256)) as file:
                size = zstandard.frame_content_size(file.read(FRAME_HEADER))
            return size if size >= 0 else len(self._store.get(sha256))
        except (OSError, GaiaError, zstandard.ZstdError):
            return None


def _most(step: ToolResultStep | LlmCall) -> int:
    """To how many bytes an output may unpack: where secrets are masked in it, a mask may be longer than a secret."""
    return step.bytes if step.stored_sha256 == step.output_sha256 else MASKED_RATIO * step.bytes


def untruth(said: ToolResultStep | LlmCall | Thoughts, bodies: KeptBodies) -> str | None:
    """What is said of a text that is kept whole, and is not so; None where all is well, or nothing is kept."""
    size = bodies.size(said.stored_sha256)
    if size is None:
        return None
    masked = said.kept_sha256 is not msgspec.UNSET  # then it may be longer or shorter than it was
    if size != said.bytes and not masked:
        return f"{said.bytes} bytes are said, and {size} are kept"
    data = bodies.beginning(said.stored_sha256, (4 if masked else 1) * len(said.head.encode("utf-8", "replace")) + 4)
    if data is None:
        return None
    first, *others = MASK.sub("\0", said.head).split("\0") if said.redactions else [said.head]
    text = data.decode("utf-8", "replace")
    at = len(first) if text.startswith(first) else -1
    for part in others:  # what is not masked in its head must stand in its beginning, in this order
        at = text.find(part, at) + len(part) if at >= 0 and text.find(part, at) >= 0 else -1
    return None if at >= 0 else "its beginning is not what is kept"
