"""Full texts on disk, named by the sha256 of their bytes: tool outputs compressed, prompts as they are."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gaia_harness.errors import EvidenceError
from gaia_harness.files import open_plain, read_whole, sync_folder, write_atomic

LARGEST = 256 * 1024 * 1024
PIECE = 1024
"""So much is unpacked at once: of zeros it makes 32 MiB."""

MOST_RATIO = 200
SPARE_BYTES = 1 << 30
"""All outputs of a run unpack to so many times what they take packed and so much more at most: beyond is a bomb."""

_MAGIC = b"\x28\xb5\x2f\xfd"


class NotOneFrame(EvidenceError):
    """A file is not exactly one zstd frame. The message does not name the file."""


class TextStore:
    """A folder of texts. Each is written once, however often it is put."""

    def __init__(
        self, folder: Path, *, compressed: bool, writing: Callable[[Callable[[], None]], None] = lambda write: write()
    ) -> None:
        """`writing` makes each write, so that somebody can find room for it on a full disk."""
        self.folder = folder
        self._compressed = compressed
        self._writing = writing

    def path(self, sha256: str) -> Path:
        """Where the text with this hash is."""
        return self.folder / (f"{sha256}.zst" if self._compressed else sha256)

    def put(self, sha256: str, data: bytes) -> None:
        """Keep these bytes, of which this is the hash."""
        path = self.path(sha256)
        if path.exists():
            return
        if not self.folder.exists():
            self.folder.mkdir(exist_ok=True)
            sync_folder(self.folder.parent)
        self._writing(lambda: write_atomic(path, _compress(data) if self._compressed else data))

    def get(self, sha256: str, *, largest: int = LARGEST) -> bytes:
        """The bytes with this hash; an error if they are missing, do not match, or exceed the limit."""
        path = self.path(sha256)
        try:
            with open_plain(path) as file:
                data = read_whole(file, str(path), largest=LARGEST if self._compressed else largest)
            if self._compressed:
                data = b"".join(unpack([data], largest=largest))
        except FileNotFoundError as error:
            raise EvidenceError(f"{path}: cannot be read: {error.strerror}") from error
        except NotOneFrame as error:
            raise EvidenceError(f"{path}: {error.message}") from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise EvidenceError(f"{path}: its content does not have the hash in its name")
        return data


def _compress(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(level=3).compress(data)


def beginning(path: Path, size: int) -> bytes:
    """The first bytes of a compressed text, without unpacking the rest of it."""
    import zstandard

    try:
        with open_plain(path) as file, zstandard.ZstdDecompressor().stream_reader(file) as text:
            return text.read(size)
    except zstandard.ZstdError:
        raise NotOneFrame("not a zstd file") from None


def most_unpacked(packed: int) -> int:
    """The limit on the unpacked size of outputs, by their packed size."""
    return MOST_RATIO * packed + SPARE_BYTES


def unpack(blocks: Iterable[bytes | memoryview], *, largest: int = LARGEST) -> Iterator[bytes]:
    """What a compressed text unpacks to, piece by piece; it must be one zstd frame from its first byte to its last.

    In a frame that is passed over, or behind the last, anything could be carried along.
    """
    import zstandard

    frame = zstandard.ZstdDecompressor().decompressobj()
    size = at = 0
    for block in blocks:
        if at == 0 and block and bytes(block[: len(_MAGIC)]) != _MAGIC:
            raise NotOneFrame("not a zstd file")
        for start in range(0, len(block), PIECE):
            if frame.eof:
                raise NotOneFrame("has something behind its end")
            try:
                text = frame.decompress(block[start : start + PIECE])
            except zstandard.ZstdError:
                raise NotOneFrame("not a zstd file") from None
            size += len(text)
            if size > largest:
                raise NotOneFrame(f"unpacks to more than {largest} bytes")
            yield text
        at += len(block)
    if at == 0:
        raise NotOneFrame("is empty, and that does not have the hash in its name")
    if not frame.eof:
        raise NotOneFrame("not a zstd file that is whole: it is cut short")
    if frame.unused_data:
        raise NotOneFrame("has something behind its end")
