"""A whole package in which one file is another: it must never be accepted, and never end in anything but a verdict."""

import shutil

import samples

from gaia_harness.errors import GaiaError
from gaia_harness.submission.file_set import REQUIRED
from gaia_harness.submission.verdict import verify

LONGEST = 32_768
PLACE = samples.place()
NAMES = (*REQUIRED, *(f"bodies/{path.name}" for path in sorted((samples.VOTED / "bodies").iterdir())[:2]))
WHOLE = {name: (samples.VOTED / name).read_bytes() for name in NAMES}
FOLDER = PLACE / "package"


def seeds() -> list[bytes]:
    """The first byte says which file it is."""
    return [bytes([number]) + WHOLE[name] for number, name in enumerate(NAMES)]


def read(data: bytes) -> None:
    if not FOLDER.exists():
        shutil.copytree(samples.VOTED, FOLDER)
    name = NAMES[(data[0] if data else 0) % len(NAMES)]
    content = data[1:]
    (FOLDER / name).write_bytes(content)
    try:
        code = verify(FOLDER).exit_code
    except GaiaError:
        code = 1
    finally:
        (FOLDER / name).write_bytes(WHOLE[name])
    assert code == (3 if content == WHOLE[name] else 1), f"{name}: exit {code}"
