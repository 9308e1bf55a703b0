"""Agents made for HAL: called as HAL calls them, in a copy of their folder with the task's file in it."""

import json

import pytest
from boxed import QUESTION, ask, boxed_agent, folder_of

from gaia_harness.box.agents import find_agent
from gaia_harness.errors import UsageError
from gaia_harness.tools.base import Attachment

AGENT = """
import json, os, pathlib, helper

def run(input, **kwargs):
    ((task_id, task),) = input.items()
    pathlib.Path("notes.txt").write_text("agents for HAL write into their own folder")
    print(json.dumps([task, kwargs, helper.NAME, pathlib.Path(task["file_name"]).read_text(), sorted(os.listdir("."))]))
    return {task_id: ANSWER}
"""


@pytest.mark.parametrize("answer", ["'seven'", "{'raw_response': 'seven', 'confidence': 0.5}"])
async def test_an_agent_for_hal_finds_what_hal_gives_it(tmp_path, answer):
    toml = 'command = "python3"\nvariables = { HAL_ARGUMENTS = "{\\"budget\\": 5}" }\n'
    files = {"helper.py": "NAME = 'Grimble'\n", "agent.toml": toml}
    folder = folder_of(tmp_path / "agent", AGENT.replace("ANSWER", answer), files)
    (tmp_path / "3b1-mine.csv").write_text("day,delay\n")
    boxed = boxed_agent(folder, given="hal:main.run")
    try:
        got = await ask(boxed, attachment=Attachment(path=tmp_path / "3b1-mine.csv", name="attachment.csv"))
    finally:
        await boxed.aclose()
    assert got.result.answer == "seven", got.ended
    task, kwargs, name, text, listed = got.said
    assert (task["Question"], task["task_id"], task["files"]) == (
        QUESTION,
        "task",
        {"attachment.csv": "attachment.csv"},
    )
    assert kwargs == {"model_name": "gpt-4o", "benchmark_name": "gaia", "budget": 5}
    assert (name, text) == ("Grimble", "day,delay\n")
    assert {"attachment.csv", "helper.py", "main.py", "notes.txt"} <= set(listed)
    assert "Annotator" not in json.dumps(task)


def test_a_hal_agent_without_a_folder_or_a_function_is_wrong_use(tmp_path):
    for given, folder, why in (("hal:main.run", None, "--agent-dir is missing"), ("hal:run", tmp_path, "not a module")):
        with pytest.raises(UsageError, match=why):
            find_agent(given, folder, "openai/x", {"PATH": "/usr/bin"})
