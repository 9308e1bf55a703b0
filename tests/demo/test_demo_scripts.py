"""Does the scripted model earn its score with the real tools, and lose it when one of them is broken?"""

import asyncio
import json
import re
from pathlib import Path

import msgspec
import pytest

import thoroughness
from gaia_harness.agent.loop import run_agent
from gaia_harness.demo.pages import DATA
from gaia_harness.demo.server import DemoServer
from gaia_harness.errors import ToolError
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.models.script import read_scripts
from gaia_harness.models.scripted import ScriptedModel, open_scripted
from gaia_harness.tasks.loading import load_tasks
from gaia_harness.tools.files import neutral_name
from gaia_harness.tools.kit import ToolConfig, ToolKit
from gaia_harness.tools.sandbox import find_sandbox

SCRIPTS = DATA / "scripts"
CAREFUL = Path(__file__).parent / "careful"
# What the scripts get wrong, as a careless reader would: the file's name, and the answer it comes to.
BELIEVED = {"winning-marrow": "48.6", "weeping-rock-lamp": "43.92", "latest-boat": "13:05"}
TOOLS = ("web_search", "web_fetch", "file_read", "python")
LOADED = load_tasks("demo", env={})
BY_FILE = {file.stem: json.loads(file.read_bytes()) for file in sorted(SCRIPTS.glob("*.json"))}
STEM_OF = {
    task.task_id: stem for task in LOADED.tasks for stem, script in BY_FILE.items() if script["when"] in task.question
}


class Broken:
    """A tool that offers itself like the real one and fails."""

    def __init__(self, tool):
        self.name, self.description, self.parameters = tool.name, tool.description, tool.parameters

    async def call(self, args):
        raise ToolError("out of order")


class Blind:
    """A tool that runs without an error and has nothing to say."""

    def __init__(self, tool):
        self.name, self.description, self.parameters = tool.name, tool.description, tool.parameters
        self._tool = tool

    async def call(self, args):
        output = await self._tool.call(args)
        return msgspec.structs.replace(output, text="(nothing)", images=(), sources=())


async def run_all(model, replaced=None, replace=None, tasks=LOADED.tasks, sandboxed=False):
    """The runs by script, with one tool replaced where this is asked for; in a sandbox where there is one."""
    sandboxed = sandboxed and (await find_sandbox(())).sandbox is not None
    with DemoServer() as server:
        config = ToolConfig(
            search_url=server.search_url, allow_hosts=(server.allow_host,), unsandboxed_python=not sandboxed
        )
        kit = await ToolKit.open(config, {})
        gate = asyncio.Semaphore(4)

        async def one(task):
            tools = [replace(tool) if tool.name == replaced else tool for tool in kit.for_task(task.attachment)]
            async with gate:
                name = neutral_name(task.attachment) if task.attachment else None
                return await run_agent(task.question, model, tools, attachment_name=name)

        try:
            runs = await asyncio.gather(*(one(task) for task in tasks))
        finally:
            await kit.aclose()
    return {STEM_OF[task.task_id]: run for task, run in zip(tasks, runs, strict=True)}


def gold(stem):
    return next(LOADED.key.get(task_id).answer for task_id, name in STEM_OF.items() if name == stem)


def tools_of(stem):
    return {call["tool"] for turn in BY_FILE[stem]["turns"] for call in turn.get("calls", ())}


def test_every_task_has_exactly_one_script_and_every_script_a_task():
    for task in LOADED.tasks:
        assert sum(script["when"] in task.question for script in BY_FILE.values()) == 1, task.question
    assert sorted(STEM_OF.values()) == sorted(BY_FILE)


def test_no_script_holds_an_answer():
    for task_id, stem in STEM_OF.items():
        answer = LOADED.key.get(task_id).answer
        script = {key: value for key, value in BY_FILE[stem].items() if key not in ("when", "note")}
        assert re.fullmatch(r"[\W_]*", re.sub(r"\{\w+\}", "", script["turns"][-1]["answer"])), stem
        if len(answer) > 2:  # "3" stands anywhere
            assert answer.lower() not in json.dumps(script, ensure_ascii=False).lower(), stem


def test_every_tool_has_work_and_some_turns_call_several_at_once():
    for tool in TOOLS:
        assert sum(tool in tools_of(stem) for stem in BY_FILE) >= 8
    assert any(len(turn.get("calls", ())) > 1 for script in BY_FILE.values() for turn in script["turns"])


def test_only_scripts_that_go_wrong_have_a_note():
    assert {stem for stem, script in BY_FILE.items() if script.get("note")} == set(BELIEVED)


async def test_the_scripts_find_the_answers_with_the_real_tools_and_three_come_out_wrong():
    runs = await run_all(open_scripted("demo"), sandboxed=True)
    for stem, run in runs.items():
        assert run.result.error is None
        if stem in BELIEVED:
            assert run.result.answer == BELIEVED[stem]
            assert not question_scorer(run.result.answer, gold(stem))
        else:
            assert question_scorer(run.result.answer, gold(stem)), (stem, run.result.answer, gold(stem))
        assert set(run.result.tools_used) == tools_of(stem)


async def test_what_goes_wrong_can_be_found_by_reading_on():
    model = ScriptedModel("scripted/careful", read_scripts(CAREFUL))
    tasks = [task for task in LOADED.tasks if STEM_OF[task.task_id] in BELIEVED]
    for stem, run in (await run_all(model, tasks=tasks)).items():
        assert question_scorer(run.result.answer, gold(stem)), (stem, run.result.answer)


@pytest.mark.parametrize("replace", [Broken, pytest.param(Blind, marks=pytest.mark.cases)])
@pytest.mark.parametrize("tool", TOOLS)
async def test_without_a_tool_every_task_that_uses_it_fails_and_no_other(tool, replace):
    use_it = [task for task in LOADED.tasks if tool in tools_of(STEM_OF[task.task_id])]
    do_not = [task for task in LOADED.tasks if task not in use_it]
    tasks = use_it + (do_not if thoroughness.asked else do_not[:4])
    for stem, run in (await run_all(open_scripted("demo"), tool, replace, tasks)).items():
        if tool in tools_of(stem):
            assert run.result.answer == "unknown", stem
        else:
            assert run.result.answer != "unknown", stem
