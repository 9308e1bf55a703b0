"""Magentic-One as agbench records it: one folder per task and repetition, with the console's log.

`TASK_ID/N/console_log.txt` has the turns of the team as AutoGen's `Console` prints them. Which part of a turn is a
model's words and which came from outside is told by the fixed sentences of the team's agents (autogen-ext, 0.4 and
later). `expected_answer.txt`, which lies beside the log, is never opened.
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun, NeutralSource, NeutralStep
from gaia_harness.protocol import MARKER, ToolRole

NAME = "magentic-one"

LOG = "console_log.txt"
_BEGINNING = b"RUN.SH STARTING !#!#"
_STARTED, _COMPLETE, _EXITED = "SCENARIO.PY STARTING !#!#", "SCENARIO.PY COMPLETE !#!#", "SCENARIO.PY EXITED WITH CODE:"
_IN_DOCKER = "AUTOGEN_TESTBED_SETTING: [Docker]"
_CRASH = "Error processing publish message for "

_USER, _ORCHESTRATOR = "user", "MagenticOneOrchestrator"
_CODERS, _TERMINALS = ("Assistant", "Coder"), ("ComputerTerminal", "Executor")
_BROWSER, _FILES = "WebSurfer", "FileSurfer"
_KNOWN = frozenset({_USER, _ORCHESTRATOR, *_CODERS, *_TERMINALS, _BROWSER, _FILES})

# `---------- NAME ----------`, and since AutoGen 0.5 `---------- TextMessage (NAME) ----------`
_HEADER = re.compile(r"^-{10} (?:[A-Za-z]{1,64} \(([A-Za-z_]\w{0,63})\)|([A-Za-z_]\w{0,63})) -{10}\n", re.MULTILINE)

_TASK = "We are working to address the following user request:\n\n"
_MEMBERS = "\n\n\nTo answer this request we have assembled the following team:\n\n"
_FACTS = "\n\n\nHere is an initial fact sheet to consider:\n\n"
_PLAN = "\n\n\nHere is the plan to follow as best as possible:\n\n"
_MEMBER = re.compile(r"^([A-Za-z_]\w{0,63}): ", re.MULTILINE)
_FILE_OFFERED = "The question is about a file, document or image, which can be accessed by the filename '"
_FILE_PLACE = "' in the current working directory."
_REPETITION = re.compile(r"[0-9]{1,9}")
_EXCEPTION = re.compile(r"^[A-Za-z_][\w.]{0,200}: .+", re.MULTILINE)
_CODE = re.compile(r"```(?:\s*([\w\+\-]+))?\n([\s\S]*?)```")  # as AutoGen's CodeExecutorAgent finds it
_MODEL = re.compile(r"^[ \t]+model:[ \t]*[\"']?([^\s\"'#]+)", re.MULTILINE)

# What WebSurfer says that it did, in the words of its program: the tool, what stands before and behind the values that
# it was called with, and the names of those.
_INTO = "' into '"
_ACTIONS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("web_search", "I typed '", "' into the browser search bar.", ("query",)),
    ("visit_url", "I typed '", "' into the browser address bar.", ("url",)),
    ("input_text", "I typed '", "'.", ("text_value", "input_field_name")),
    ("input_text", "I input '", "'.", ("text_value",)),
    ("click", "I clicked '", "'.", ("target_name",)),
    ("click", "I clicked the control.", "", ()),
    ("history_back", "I clicked the browser back button.", "", ()),
    ("scroll_up", "I scrolled up one page in the browser.", "", ()),
    ("scroll_down", "I scrolled down one page in the browser.", "", ()),
    ("scroll_element_up", "I scrolled '", "' up.", ("target_name",)),
    ("scroll_element_up", "I scrolled the control up.", "", ()),
    ("scroll_element_down", "I scrolled '", "' down.", ("target_name",)),
    ("scroll_element_down", "I scrolled the control down.", "", ()),
    ("hover", "I hovered over '", "'.", ("target_name",)),
    ("hover", "I hovered over the control.", "", ()),
    ("sleep", "I am waiting a short period of time before taking further action.", "", ()),
)
_PAGE = "The web browser is open to the page ["
_VISIBLE = "The following text is visible in the viewport:\n\n"
_METADATA = "\n\nThe following metadata was extracted from the webpage:\n\n"
_SCREENSHOT = "\nHere is a screenshot of the page."
_OWN_PAGES = ("data:", "about:")  # what the browser shows of itself, such as that a download is done
_ADDRESSES = ("https://", "http://", "file://", "about:")
_WEB_ERROR, _FILE_ERROR = "Web surfing error:\n", "File surfing error:\n"
_FILE_VIEW = re.compile(
    r"Path: (?P<path>[^\n]*)\n(?:Title: (?P<title>[^\n]*)\n)?Viewport position: Showing page \d+ of \d+\.\n={23}\n"
)
_FILE_FAILURES = ("UnsupportedFormatException", "FileConversionException.", "FileNotFoundError")
_NO_CODE = "No code blocks found in the thread."
_FAILED = "The script ran, then exited with an error (POSIX exit code: "

_ROLES: dict[str, ToolRole] = {
    "web_search": "search",
    **{tool: "fetch" for tool, *_ in _ACTIONS if tool != "web_search"},
    _BROWSER: "fetch",
    _FILES: "read",
    **dict.fromkeys(_TERMINALS, "code"),
}

_GAPS = (
    "the prompts of the agents' models and the Orchestrator's progress ledgers are not in the console log",
    "the agents' tool calls are there only as the log describes them: a click names what was clicked, FileSurfer's "
    "action is not named, and code is what stood in the messages since the terminal's last turn",
    "pictures and screenshots that models saw are not in the log; pages are there as far as the browser's window went",
    "turns are told apart by lines of the log: a page or an output that has such a line looks like a turn",
)
_NO_PAGE = "where WebSurfer answered from a page or summed it up, the page's text is not in the log"


def inputs(path: Path) -> Sequence[InputFile]:
    """The console logs beneath a folder of results, of one task or of one repetition; or the one named."""
    if not path.is_dir():
        return [InputFile(str(path), path)]
    found = []
    for folder, folders, files in os.walk(path):
        if LOG in files:
            folders.clear()  # what lies deeper is what the agents made
            log = Path(folder, LOG)
            if _regular(log):
                found.append(log)
        folders.sort(key=lambda name: (len(name) if _REPETITION.fullmatch(name) else 0, name))
    return [InputFile(str(log), log) for log in found]


def detect(file: InputFile) -> bool:
    """Whether it is the console log of agbench, by its first line."""
    try:
        return file.head(len(_BEGINNING)) == _BEGINNING
    except OSError:
        return False


def read(file: InputFile, on_fault: OnFault) -> Iterator[NeutralRun]:
    """The one task-run of the log."""
    try:
        run = _read(file)
    except ImportRefused as error:
        on_fault(error)
    except OSError as error:
        on_fault(ImportRefused(f"{file.name}: cannot be read: {error.strerror}"))
    else:
        yield run


def _read(file: InputFile) -> NeutralRun:
    log = _text(file)
    folder = file.path.absolute().parent
    repeated = _REPETITION.fullmatch(folder.name) is not None
    task_folder = folder.parent if repeated else folder
    start = log.find(_STARTED + "\n")
    if start < 0:
        raise ImportRefused(f"{file.name}: no line says that the scenario started ({_STARTED})")
    body, error = _scenario(log, start + len(_STARTED) + 1)
    turns, crash = _turns(file.name, log, body)
    prompt = _sibling(folder / "prompt.txt")
    team = _Team()
    for name, text in turns:
        team.turn(name, text)
    asked = turns[0][1].strip() if turns[0][0] == _USER else ""
    without_file, _, attached = asked.removesuffix(_FILE_PLACE).rpartition(_FILE_OFFERED)
    if not (without_file and asked.endswith(_FILE_PLACE)):
        without_file, attached = asked, ""
    question = (without_file if prompt is None else prompt).strip()
    models = set(_MODEL.findall(_sibling(folder / "config.yaml") or ""))
    return NeutralRun(
        task_id=task_folder.name or None,
        question=question or None,
        run=task_folder.parent.name or "magentic-one",
        attempt=_attempt(folder) if repeated else None,
        model=models.pop() if len(models) == 1 else None,
        answer=_answer(turns[-1]) if crash is None else None,
        error=crash or error,
        steps=tuple(team.steps),
        tools=team.tools,
        workdir="/workspace" if _IN_DOCKER in log[:start] else None,
        isolation="docker" if _IN_DOCKER in log[:start] else None,
        attachments=(attached,) if attached else (),
        gaps=(*_GAPS, *sorted(team.gaps)),
    )


def _text(file: InputFile) -> str:
    data = file.whole()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ImportRefused(f"{file.name}:{line}: invalid UTF-8 at byte {error.start + 1}") from None


def _scenario(log: str, start: int) -> tuple[slice, str | None]:
    """Where in the log the scenario's own output stands, and how it ended if not well."""
    for sign in (_COMPLETE, _EXITED):
        end = log.rfind("\n" + sign, start - 1)
        if end >= 0:
            line = log[end + 1 :].split("\n", 1)[0]
            return slice(start, end + 1), None if sign == _COMPLETE else line.removesuffix(" !#!#")
    return slice(start, len(log)), "the console log ends before the scenario does"


def _turns(name: str, log: str, body: slice) -> tuple[list[tuple[str, str]], str | None]:
    """The turns of the team, and the error of the program that stands behind the last, if one does."""
    text = log[body]
    members = text.find(_MEMBERS)
    team = text[members + len(_MEMBERS) : text.find(_FACTS, members)] if members >= 0 else ""
    names = _KNOWN.union(_MEMBER.findall(team))
    headers = [found for found in _HEADER.finditer(text) if (found[1] or found[2]) in names]
    if not headers:
        line = log.count("\n", 0, body.start) + 1
        raise ImportRefused(f"{name}:{line}: no turn of an agent of Magentic-One behind the start of the scenario")
    turns, crash = [], list[str]()
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        said = text[header.end() : following.start() if following else len(text)].removesuffix("\n")
        crashed = 0 if said.startswith(_CRASH) else said.find("\n" + _CRASH)
        if crashed >= 0:
            crash = crash or _EXCEPTION.findall(said, crashed)[-1:] or ["the scenario crashed"]
            said = said if following else said[:crashed]
        turns.append((header[1] or header[2], said))
    return turns, crash[0] if crash else None


def _answer(last: tuple[str, str]) -> str | None:
    """What stands behind the marker in the Orchestrator's last words, as agbench scores it."""
    name, said = last
    if name != _ORCHESTRATOR or MARKER not in said:
        return None
    return said.split(MARKER, 1)[1].split("\n", 1)[0].strip()


def _attempt(folder: Path) -> int:
    """Which repetition of the task this is, counted from 1 among those that are there."""
    others = (
        found for found in folder.parent.iterdir() if _REPETITION.fullmatch(found.name) and (found / LOG).is_file()
    )
    return sorted({int(folder.name), *(int(found.name) for found in others)}).index(int(folder.name)) + 1


def _sibling(path: Path) -> str | None:
    """The text of a small file beside the log; a link could lead anywhere and is not followed."""
    if not _regular(path):
        return None
    try:
        return InputFile(str(path), path).whole(1 << 20).decode("utf-8", "replace")
    except OSError:
        return None


def _regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


class _Team:
    """Turns of the team to steps, one after the other."""

    def __init__(self) -> None:
        self.steps: list[NeutralStep] = []
        self.tools: dict[str, ToolRole] = {}
        self.gaps: set[str] = set()
        self._for_terminal: list[str] = []  # what the terminal finds code in: the messages since its last turn

    def turn(self, name: str, said: str) -> None:
        if name == _USER:
            self.steps.append(NeutralStep(type="prompt", role="user", text=said))
            return
        if name in _TERMINALS:
            self._terminal(name, said)
            self._for_terminal = []
            return
        if name == _ORCHESTRATOR and self._ledger(said):
            self._for_terminal = []  # a new plan resets the team
        elif not (name == _BROWSER and self._browser(said)) and not (name == _FILES and self._file_viewer(said)):
            self._words(said, None if name == _ORCHESTRATOR else name)
            if name == _BROWSER:
                self.gaps.add(_NO_PAGE)
            elif name not in _KNOWN:
                self.gaps.add(f"{name} is no agent of Magentic-One: all of its turns are taken as a model's words")
        if not (name == _BROWSER and said.endswith("\n<image>")):
            self._for_terminal.append(said)

    def _words(self, said: str, agent: str | None) -> None:
        self.steps.append(NeutralStep(type="llm_call", text=said, agent=agent))

    def _ledger(self, said: str) -> bool:
        """The program's frame with task and team, and in it the model's facts and its plan."""
        members = said.find(_MEMBERS) if said.startswith(("\n" + _TASK, _TASK)) else -1
        facts = said.find(_FACTS, members) if members >= 0 else -1
        if facts < 0:
            return False
        facts += len(_FACTS)
        self.steps.append(NeutralStep(type="prompt", role="user", text=said[:facts]))
        sheet, _, plan = said[facts:].partition(_PLAN)
        for words in (sheet, plan.removesuffix("\n")):
            if words:
                self._words(words, None)
        return True

    def _call(
        self,
        agent: str,
        tool: str,
        result: str,
        *,
        args: dict[str, str] | None = None,
        role: ToolRole | None = None,
        is_error: bool = False,
        source: NeutralSource | None = None,
    ) -> None:
        self.tools[tool] = _ROLES[tool]
        call_id = str(len(self.steps) + 1)
        self.steps += (
            NeutralStep(type="tool_call", name=tool, args=args, role=role, call_id=call_id, agent=agent),
            NeutralStep(
                type="tool_result",
                name=tool,
                text=result,
                call_id=call_id,
                is_error=is_error,
                agent=agent,
                url=source.url if source else None,
                sources=(source,) if source else (),
            ),
        )

    def _browser(self, said: str) -> bool:
        """WebSurfer's report of an action and of the page behind it. False for a model's own words."""
        if said.startswith(_WEB_ERROR):
            self._call(_BROWSER, _BROWSER, said, is_error=True)
            return True
        at = said.find("\n\n" + _PAGE)
        if at < 0:
            return False
        action = _action(said[:at])
        if action is None:
            return False
        tool, args = action
        role: ToolRole | None = None
        if tool == "visit_url" and " " in args["url"] and not args["url"].startswith(_ADDRESSES):
            role = "search"  # the browser asks its search engine for what is no address
        page = said[at + 2 :]
        self._call(_BROWSER, tool, page, args=args, role=role, source=_page(page))
        return True

    def _file_viewer(self, said: str) -> bool:
        if said.startswith(_FILE_ERROR):
            self._call(_FILES, _FILES, said, is_error=True)
            return True
        view = _FILE_VIEW.match(said)
        if view:
            self._call(_FILES, _FILES, said, args={"path": view["path"]}, is_error=view["title"] in _FILE_FAILURES)
        return view is not None

    def _terminal(self, name: str, said: str) -> None:
        args = None
        if not said.startswith(_NO_CODE):
            blocks = [block for message in self._for_terminal for block in _CODE.findall(message)]
            if blocks:
                args = {"code": "\n".join(code for _, code in blocks), "language": " ".join(kind for kind, _ in blocks)}
        self._call(name, name, said, args=args, is_error=said.startswith((_NO_CODE, _FAILED)))


def _action(sentence: str) -> tuple[str, dict[str, str]] | None:
    """Which of WebSurfer's tools the sentence tells of, and what it was called with."""
    for tool, before, behind, names in _ACTIONS:
        if not names and sentence == before:
            return tool, {}
        if names and sentence.startswith(before) and sentence[len(before) :].endswith(behind):
            values = [sentence[len(before) : -len(behind)]]
            if len(names) == 2:
                values = values[0].rsplit(_INTO, 1)
            if len(values) == len(names):
                return tool, dict(zip(names, values, strict=True))
    return None


def _page(text: str) -> NeutralSource | None:
    """The page that the browser showed, by `[title](address).` in the first line."""
    line = text.split("\n", 1)[0]
    middle = line.rfind("](")
    if middle < 0 or not line.endswith(").") or line.startswith(_OWN_PAGES, middle + 2):
        return None
    begin = text.find(_VISIBLE)
    visible = text[begin + len(_VISIBLE) :] if begin >= 0 else ""
    for behind in (_METADATA, _SCREENSHOT):
        visible = visible[:end] if (end := visible.rfind(behind)) >= 0 else visible
    return NeutralSource(url=line[middle + 2 : -2], title=line[len(_PAGE) : middle], text=visible)
