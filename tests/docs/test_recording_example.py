"""The code in docs/recording.md is that of the examples, or runs as it stands there."""

import subprocess
import sys

from handbook import DOCS, ROOT, fenced, rows, sections, text_of

from gaia_harness.protocol import ToolRole
from gaia_harness.records.origin import SAID
from gaia_harness.records.trajectories import read_trajectories

PAGE = DOCS / "recording.md"
WHOLE_RUN, SMOLAGENTS, *ALONE = fenced(text_of(PAGE), "python")


def test_the_page_shows_the_examples_as_they_are():
    assert (ROOT / "examples" / "record_another_loop.py").read_text("utf-8") == WHOLE_RUN
    assert SMOLAGENTS in (ROOT / "examples" / "smolagents_run.py").read_text("utf-8")


def test_the_recorder_alone_records_a_loop_that_is_not_ours(tmp_path):
    assert len(ALONE) == 2
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(ALONE)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "1 tide-1 11:40 7"
    (_, line, trajectory), *more = read_trajectories(tmp_path / "evidence" / "trajectories.jsonl")
    assert more == []
    assert trajectory.tools_used == ("timetable",)
    assert (trajectory.input_tokens, trajectory.output_tokens, trajectory.turns) == (110, 11, 2)
    assert done.stdout.startswith("tide-1 ")
    assert len(line) > 1000


def test_every_role_and_everything_that_can_be_unknown_is_described():
    named = {row[0].strip("`") for row in rows(sections(PAGE)["What to say of the run"])}
    assert {*ToolRole.__args__, *SAID} <= named
