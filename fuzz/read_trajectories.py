"""A line of trajectories.jsonl: what is accepted must be one thing only, whoever reads it."""

import samples

from gaia_harness import strict_json
from gaia_harness.errors import GaiaError
from gaia_harness.records.trajectories import decode, encode, read_line
from gaia_harness.submission.trajectory_lines import examine

LONGEST = 16_384


def seeds() -> list[bytes]:
    return samples.lines("trajectories.jsonl")


def read(data: bytes) -> None:
    try:
        facts = examine(read_line(data + b"\n", 1), 1)
        trajectory = decode(data, where="line")
    except GaiaError:
        return
    strict_json.loads(data, where="line")  # what we accept, the strict reader accepts too
    again = encode(trajectory)
    assert decode(again, where="again") == trajectory
    assert examine(read_line(again + b"\n", 1), 1).marks == facts.marks
