"""The example in docs/recording.md runs as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

from gaia_harness.records.trajectories import read_trajectories

PAGE = Path(__file__).parents[2] / "docs" / "recording.md"


def test_the_documented_example_records_a_loop_that_is_not_ours(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 2
    recording = [line for line in blocks[0].splitlines() if line.strip() and not line.strip().startswith("#")]
    assert len(recording) <= 20
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "1 tide-1 11:40 7"
    (_, line, trajectory), *more = read_trajectories(tmp_path / "evidence" / "trajectories.jsonl")
    assert more == []
    assert trajectory.tools_used == ("timetable",)
    assert (trajectory.input_tokens, trajectory.output_tokens, trajectory.turns) == (110, 11, 2)
    assert done.stdout.startswith("tide-1 ")
    assert len(line) > 1000
