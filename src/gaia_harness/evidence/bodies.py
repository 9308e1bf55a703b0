"""Full texts on disk, named by the sha256 of their bytes: tool outputs compressed, prompts as they are."""

import contextlib
import hashlib
from pathlib import Path

from gaia_harness.errors import EvidenceError
from gaia_harness.files import sync_folder, write_atomic

LARGEST = 256 * 1024 * 1024


class TextStore:
    """A folder of texts. Each is written once, however often it is put."""

    def __init__(self, folder: Path, *, compressed: bool) -> None:
        self.folder = folder
        self._compressed = compressed

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
        write_atomic(path, _compress(data) if self._compressed else data)

    def get(self, sha256: str) -> bytes:
        """The bytes with this hash; an error where they are missing or are not those bytes."""
        path = self.path(sha256)
        try:
            with path.open("rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            raise EvidenceError(f"{path}: cannot be read: {error.strerror}") from error
        if len(data) > LARGEST:
            raise EvidenceError(f"{path}: larger than {LARGEST} bytes")
        if self._compressed:
            data = _decompress(data, path)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise EvidenceError(f"{path}: its content does not have the hash in its name")
        return data


def _compress(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(level=3).compress(data)


def _decompress(data: bytes, path: Path) -> bytes:
    import zstandard

    with contextlib.suppress(zstandard.ZstdError):
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            text = reader.read(LARGEST + 1)
        if len(text) <= LARGEST:
            return text
        raise EvidenceError(f"{path}: unpacks to more than {LARGEST} bytes")
    raise EvidenceError(f"{path}: not a zstd file")
