"""Whether any call opened the file that came with a task: by roles of tools, not by their names."""

import pytest
from tool_samples import Sample

from gaia_harness.audit.attachments import attachment_of, opened_the_attachment
from gaia_harness.audit.timeline import Surroundings

AROUND = Surroundings(tools={"browse": "fetch", "look_at_file": "read", "run_it": "code", "ask_around": "search"})


@pytest.mark.parametrize(
    ("tool", "args", "is_error", "opened"),
    [
        ("look_at_file", {"path": "attachment.csv"}, False, True),
        ("look_at_file", {"path": "attachment.csv"}, True, False),
        ("run_it", {"code": "print(open('attachment.csv').read())"}, False, True),
        ("run_it", {"code": "import os\nprint(os.listdir('.'))"}, False, True),
        ("run_it", {"code": "print(6 * 7)"}, False, False),
        ("browse", {"url": "https://a.example/attachment.csv"}, False, False),
        ("ask_around", {"query": "attachment.csv"}, False, False),
    ],
)
def test_a_call_opened_the_file_or_did_not(tmp_path, tool, args, is_error, opened):
    steps = Sample(tmp_path).call(tool, args, "a,b", is_error=is_error).evidence().trajectory.steps
    assert opened_the_attachment(steps, "attachment.csv", AROUND) is opened


def test_our_own_tools_need_no_declaration(tmp_path):
    steps = Sample(tmp_path).call("file_read", {"path": "attachment.csv"}, "a,b").evidence().trajectory.steps
    assert opened_the_attachment(steps, "attachment.csv")


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("How many lamps?\n\nA file comes with this question: attachment.csv", "attachment.csv"),
        (
            "How many lamps?" + " wicks" * 2_000 + "\n\nA file comes with this question: attachment.csv",
            "attachment.csv",
        ),
        ("How many lamps?", ""),
    ],
)
def test_the_files_name_stands_in_the_prompt_however_long_it_is(tmp_path, asked, name):
    sample = Sample(tmp_path)
    sample.begin(user=asked)
    assert attachment_of(sample.evidence().trajectory.steps, sample.settings.prompts) == name
