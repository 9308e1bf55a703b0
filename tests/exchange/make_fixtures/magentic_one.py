"""Makes tests/exchange/fixtures/magentic-one: the real Magentic-One team with scripted replies of the model.

Run it in an environment of its own:

    pip install autogen-agentchat==0.4.9 'autogen-ext[magentic-one,openai]==0.4.9'
    python tests/exchange/make_fixtures/magentic_one.py

The agents, the group chat and the console are AutoGen's. Only the browser is stood in for, and the lines around the
log are those that agbench's run.sh prints. The task is one of the demo's.
"""

import asyncio
import contextlib
import io
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import autogen_core
from autogen_agentchat.agents import CodeExecutorAgent
from autogen_agentchat.teams import MagenticOneGroupChat
from autogen_agentchat.ui import Console
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelFamily, ModelInfo, RequestUsage
from autogen_ext.agents.file_surfer import FileSurfer
from autogen_ext.agents.magentic_one import MagenticOneCoderAgent
from autogen_ext.agents.web_surfer import MultimodalWebSurfer
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
from autogen_ext.models.replay import ReplayChatCompletionClient
from PIL import Image

OUT = Path(__file__).parent.parent / "fixtures" / "magentic-one"
TASK_ID = "101faa44-6982-5d73-a0fd-93c27042c7fe"
QUESTION = (
    "The guild of lighthouse keepers in the Orrel Isles publishes a table of all its lights. By how many metres is the "
    "tallest tower in that table taller than the shortest?"
)
FILE = f"{TASK_ID}.txt"
OFFER = (
    "The question is about a file, document or image, which can be accessed by the filename "
    f"'{FILE}' in the current working directory."
)
SEARCH = "https://www.bing.com/search?q=register+of+lights+Orrel+Isles&FORM=QBLH"
REGISTER = "https://lanternkeepers.example/register"
PAGES = {
    "about:blank": ("", ""),
    SEARCH: ("register of lights Orrel Isles - Search", "The Lanternkeepers' register\nhttps://lanternkeepers.example"),
    REGISTER: ("Register [of lights]", "Weeping Rock, 44 m\n---------- Minor lights ----------\nPinch Beacon, 7 m"),
    f"{REGISTER}#all": ("Register [of lights]", "Weeping Rock, 44 m\nThe Nag, 19 m\nPinch Beacon, 7 m"),
}
CONFIG = """\
model_config: &client
  provider: autogen_ext.models.openai.OpenAIChatCompletionClient
  config:
    model: acme-agent-7

#model_config: &client
#    config:
#      model: acme-agent-6
orchestrator_client: *client
"""


class BrowserStandIn:
    """What WebSurfer asks of the browser's page and of its driver, answered from PAGES."""

    url = "about:blank"

    async def visit_page(self, _: Any, url: str) -> tuple[bool, bool]:
        if url not in PAGES:
            raise ValueError(f"net::ERR_NAME_NOT_RESOLVED at {url}")
        self.url = url
        return True, True

    async def click_id(self, _: Any, target: str) -> None:
        self.url = f"{REGISTER}#{target}"

    async def title(self) -> str:
        return PAGES[self.url][0]

    async def get_visible_text(self, _: Any) -> str:
        return PAGES[self.url][1]

    async def get_page_markdown(self, _: Any) -> str:
        return PAGES[self.url][1]

    async def get_page_metadata(self, _: Any) -> dict[str, Any]:
        return {"meta_tags": {"og:url": self.url.partition("#")[0]}}

    async def get_interactive_rects(self, _: Any) -> dict[str, Any]:
        return {"all": {"tag_name": "a", "role": "link", "aria_name": "All lights", "v-scrollable": False, "rects": []}}

    async def get_visual_viewport(self, _: Any) -> dict[str, int]:
        return {"height": 900, "width": 1440, "pageTop": 0, "pageLeft": 0, "scrollHeight": 1800}

    async def get_focused_rect_id(self, _: Any) -> None:
        return None

    async def screenshot(self) -> bytes:
        picture = io.BytesIO()
        Image.new("RGB", (16, 16)).save(picture, "PNG")
        return picture.getvalue()

    async def sleep(self, *_: Any) -> None: ...

    async def wait_for_load_state(self) -> None: ...


def call(name: str, **args: str) -> CreateResult:
    return CreateResult(
        finish_reason="function_calls",
        content=[FunctionCall(id="1", name=name, arguments=json.dumps(args))],
        usage=RequestUsage(prompt_tokens=0, completion_tokens=0),
        cached=False,
    )


def ledger(speaker: str, instruction: str, *, done: bool = False, progress: bool = True) -> str:
    answers = {
        "is_request_satisfied": done,
        "is_progress_being_made": progress,
        "is_in_loop": False,
        "instruction_or_question": instruction,
        "next_speaker": speaker,
    }
    return json.dumps({key: {"answer": value, "reason": "so it is"} for key, value in answers.items()})


WHOLE: list[str | CreateResult] = [
    "1. GIVEN OR VERIFIED FACTS\n   - the guild publishes a table",
    "- **WebSurfer**: find the register of lights\n- **Assistant**: subtract",
    ledger("WebSurfer", "Please search for the register of lights of the Orrel Isles."),
    call("web_search", query="register of lights Orrel Isles"),
    ledger("WebSurfer", "Open the register."),
    call("visit_url", url=REGISTER),
    ledger("WebSurfer", "Click on 'All lights'."),
    call("click", target_id="all"),
    ledger("WebSurfer", "What is the shortest tower?"),
    call("answer_question", question="Which tower is the shortest?"),
    "The shortest tower on this page is Pinch Beacon.",
    ledger("WebSurfer", "Open the guild's other page."),
    call("visit_url", url="https://nowhere.example"),
    ledger("FileSurfer", "Read the keeper's note."),
    call("open_path", path=FILE),
    ledger("FileSurfer", "Is there a second note?"),
    "There is only one note in this folder.",
    ledger("ComputerTerminal", "Please run the script."),
    ledger("Assistant", "Write a script that subtracts."),
    "Here it is:\n```python\nprint('metres:', 44 - 7)\n```\nand a second one:\n```sh\nexit 3\n```",
    ledger("ComputerTerminal", "Please run the script."),
    ledger("", "", done=True),
    "The towers differ.\n\nFINAL ANSWER: 37",
]
CRASHED: list[str | CreateResult] = [
    "1. GIVEN OR VERIFIED FACTS\n   - none",
    "- **Assistant**: guess",
    ledger("Assistant", "Please guess."),
    "I would guess thirty.",
]  # no reply is left for the next ledger: the model client raises


async def play(replies: list[str | CreateResult]) -> None:
    model = ReplayChatCompletionClient(
        replies, ModelInfo(vision=False, function_calling=True, json_output=True, family=ModelFamily.GPT_4O)
    )
    surfer = MultimodalWebSurfer("WebSurfer", model)
    browser: Any = BrowserStandIn()
    surfer._page = surfer._playwright_controller = browser
    surfer.did_lazy_init = True

    async def stay(_: Any) -> None: ...

    surfer.on_reset = stay  # type: ignore[method-assign]
    team = MagenticOneGroupChat(
        [
            MagenticOneCoderAgent("Assistant", model),
            CodeExecutorAgent("ComputerTerminal", code_executor=LocalCommandLineCodeExecutor()),
            FileSurfer("FileSurfer", model, base_path=str(Path.cwd())),
            surfer,
        ],
        model_client=model,
    )
    with contextlib.suppress(ValueError):
        await Console(team.run_stream(task=f"{QUESTION}\n\n{OFFER}"))


def record(number: int, replies: list[str | CreateResult]) -> None:
    folder = OUT / "orrel_level_1__MagenticOne" / TASK_ID / str(number)
    folder.mkdir(parents=True)
    printed, errors = io.StringIO(), io.StringIO()
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as workspace, contextlib.redirect_stdout(printed):
        os.chdir(workspace)
        Path(FILE).write_text("The Nag is 19 m tall.\n", encoding="utf-8")
        print("RUN.SH STARTING !#!#\nAUTOGEN_TESTBED_SETTING: [Docker]\nSCENARIO.PY STARTING !#!#")
        with contextlib.redirect_stderr(errors):
            asyncio.run(play(replies))
        print(errors.getvalue(), end="")
        print("SCENARIO.PY COMPLETE !#!#\nSCENARIO.PY RUNTIME: 12 !#!#\nRUN.SH COMPLETE !#!#")
        os.chdir(home)
        log = printed.getvalue().replace(os.path.realpath(workspace), "/workspace").replace(workspace, "/workspace")
    packages = str(Path(autogen_core.__file__).parent.parent)
    log = log.replace(packages, "/usr/local/lib/python3.11/site-packages")
    log = log.replace(str(Path(__file__)), "/workspace/scenario.py")
    (folder / "console_log.txt").write_text(log, encoding="utf-8")
    (folder / "prompt.txt").write_text(QUESTION, encoding="utf-8")
    (folder / "expected_answer.txt").write_text("THE GOLD ANSWER", encoding="utf-8")
    (folder / "config.yaml").write_text(CONFIG, encoding="utf-8")
    (folder / "timestamp.txt").write_text("agbench version: 0.0.1a1\n", encoding="utf-8")


if __name__ == "__main__":
    shutil.rmtree(OUT, ignore_errors=True)
    record(0, WHOLE)
    record(1, CRASHED)
