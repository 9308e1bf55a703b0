"""Full texts on disk, under the hash of what they are."""

import hashlib
import io
import os

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence import bodies
from gaia_harness.evidence.bodies import TextStore


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def store(tmp_path):
    return TextStore(tmp_path / "bodies", compressed=True)


@given(data=st.binary(max_size=2000))
def test_what_is_put_is_got(tmp_path_factory, data):
    for compressed in (True, False):
        store = TextStore(tmp_path_factory.mktemp("b") / "bodies", compressed=compressed)
        store.put(sha256(data), data)
        assert store.get(sha256(data)) == data


def test_a_text_is_written_once_however_often_it_is_put(store):
    data = b"the same page " * 5000
    store.put(sha256(data), data)
    path = store.path(sha256(data))
    before = (path.stat().st_ino, path.stat().st_mtime_ns)
    store.put(sha256(data), data)
    TextStore(store.folder, compressed=True).put(sha256(data), data)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == before
    assert [p.name for p in store.folder.iterdir()] == [f"{sha256(data)}.zst"]
    assert path.stat().st_size < len(data) / 50


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not have the hash"),
        (b"garbage that is no frame", "not a zstd file"),
        (zstandard.compress(b"another text"), "does not have the hash"),
        (zstandard.compress(b"the text" * 1000)[:-7], "."),
    ],
)
def test_what_is_not_that_text_is_refused(store, content, message):
    name = sha256(b"the text" * 1000)
    store.folder.mkdir()
    store.path(name).write_bytes(content)
    with pytest.raises(EvidenceError, match=message) as caught:
        store.get(name)
    assert name in caught.value.message


def test_a_bomb_is_refused_without_being_unpacked(store):
    packed = io.BytesIO()
    with zstandard.ZstdCompressor().stream_writer(packed, closefd=False) as writer:
        for _ in range(bodies.LARGEST // (1 << 22) + 2):
            writer.write(bytes(1 << 22))
    assert len(packed.getvalue()) < 100_000
    store.folder.mkdir()
    store.path("0" * 64).write_bytes(packed.getvalue())
    with pytest.raises(EvidenceError, match="unpacks to more than"):
        store.get("0" * 64)


def test_a_missing_text_and_one_that_is_too_large_are_refused(store):
    with pytest.raises(EvidenceError, match="cannot be read"):
        store.get("1" * 64)
    store.folder.mkdir()
    with store.path("1" * 64).open("wb") as file:
        os.truncate(file.fileno(), bodies.LARGEST + 10)
    with pytest.raises(EvidenceError, match="larger than"):
        store.get("1" * 64)
