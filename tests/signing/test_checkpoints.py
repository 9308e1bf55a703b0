"""Checkpoints: how long the log was, again and again, and never shorter."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.errors import EvidenceError
from gaia_harness.signing.checkpoints import EVERY_SECONDS, Checkpoints, read_checkpoints
from gaia_harness.signing.merkle import Tree, root_of

ORIGIN = "gaia-harness.example/run/1"
LEAVES = [b"one", b"two", b"three"]


def write(path, *, now=lambda: 0.0) -> Checkpoints:
    tree = Tree()
    points = Checkpoints(path, ORIGIN, tree, monotonic=now)
    points.now()
    for leaf in LEAVES:
        tree.append(leaf)
        points.now()
    points.close()
    return points


@pytest.fixture
def path(tmp_path):
    write(tmp_path / "checkpoints")
    return tmp_path / "checkpoints"


def test_written_checkpoints_are_read(path):
    points = read_checkpoints(path, ORIGIN)
    assert [(point.size, point.root) for point in points] == [(n, root_of(LEAVES[:n])) for n in range(4)]
    assert path.read_text().split("\n\n")[1] + "\n" == points[1].text()


def test_no_file_has_no_checkpoints(tmp_path):
    assert read_checkpoints(tmp_path / "checkpoints", ORIGIN) == []


def test_a_checkpoint_is_made_at_most_every_few_seconds(tmp_path):
    times = iter([0.0, 0.0, 1.0, EVERY_SECONDS, EVERY_SECONDS, EVERY_SECONDS + 1])
    points = Checkpoints(tmp_path / "checkpoints", ORIGIN, Tree(), monotonic=lambda: next(times))
    for _ in range(4):
        points.maybe()
    points.close()
    assert len(read_checkpoints(tmp_path / "checkpoints", ORIGIN)) == 2


def block(size: str, root: str, origin: str = ORIGIN) -> bytes:
    return f"{origin}\n{size}\n{root}\n\n".encode()


ROOT = base64.b64encode(root_of(LEAVES)).decode()
LOOSE = ROOT[:-2] + chr(ord(ROOT[-2]) + 1) + "="  # other unused bits, the same bytes
assert base64.b64decode(LOOSE) == base64.b64decode(ROOT)


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (block("2", base64.b64encode(root_of(LEAVES[:2])).decode()), "5 is of a shorter log"),
        (block("3", base64.b64encode(bytes(32)).decode()), "5 is of another log of the same length"),
        (block("4", ROOT, origin="elsewhere"), "5 is of another log, 'elsewhere'"),
        (block("4", LOOSE), "5: not a checkpoint as"),
        (block("4", ROOT.rstrip("=")), "5: not a checkpoint"),
        (block("4", ROOT[:8] + " " + ROOT[8:]), "5: not a checkpoint"),
        (block("4", base64.b64encode(b"short").decode()), "5: not a checkpoint as"),
        (block("04", ROOT), "5: not a checkpoint as"),
        (block("+4", ROOT), "5: not a checkpoint as"),
        (block(" 4", ROOT), "5: not a checkpoint as"),
        (block("4_0", ROOT), "5: not a checkpoint as"),
        (block("-4", ROOT), "5: not a checkpoint as"),
        (block("４", ROOT), "5: not a checkpoint as"),
        (block("9" * 5_000, ROOT), "5: not a checkpoint"),
        (block("4", ROOT + "\nextension"), "5: not a checkpoint"),
        (block("4\r", ROOT), "5: not a checkpoint"),
        (b"\n\n", "5: not a checkpoint"),
        (b"\xff\n\n", "5: not a checkpoint"),
    ],
)
def test_a_checkpoint_that_was_tampered_with_is_refused(path, added, message):
    for heal in (False, True):
        with path.open("ab") as file:
            file.write(added)
        with pytest.raises(EvidenceError, match=f"checkpoint {message}") as caught:
            read_checkpoints(path, ORIGIN, heal=heal)
        assert caught.value.message.startswith(str(path))


@given(cut=st.integers(1, 120))
def test_a_last_checkpoint_that_was_cut_short_is_healed_when_asked(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("points") / "checkpoints"
    write(path)
    whole = path.read_bytes()
    torn = whole[:-cut]
    path.write_bytes(torn)
    if not torn.endswith(b"\n\n"):
        with pytest.raises(EvidenceError, match="the last checkpoint is cut short"):
            read_checkpoints(path, ORIGIN)
    points = read_checkpoints(path, ORIGIN, heal=True)
    assert [point.size for point in points] == list(range(len(points)))
    assert path.read_bytes() == "".join(point.text() + "\n" for point in points).encode()
    assert whole.startswith(path.read_bytes())
    assert read_checkpoints(path, ORIGIN) == points


def test_a_file_that_is_too_large_is_refused_unread(path):
    with path.open("r+b") as file:
        file.truncate(65 * 1024 * 1024)
    with pytest.raises(EvidenceError, match="larger than"):
        read_checkpoints(path, ORIGIN)
