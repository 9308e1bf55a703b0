"""How smolagents and its examples write things: tools, code, observations, the wrapping of a question."""

import itertools
import re
from collections.abc import Mapping

from gaia_harness.exchange.neutral import NeutralSource
from gaia_harness.protocol import ToolRole

CODE_TOOL = "python_interpreter"
ANSWER_TOOL = "final_answer"

ROLES: Mapping[str, ToolRole] = {
    CODE_TOOL: "code",
    ANSWER_TOOL: "answer",
    # smolagents' default tools
    "web_search": "search",
    "wikipedia_search": "search",
    "google_search": "search",
    "visit_webpage": "fetch",
    "transcriber": "look",
    "user_input": "other",
    # the browser and the readers of its example open_deep_research
    "visit_page": "fetch",
    "page_up": "fetch",
    "page_down": "fetch",
    "find_on_page_ctrl_f": "fetch",
    "find_next": "fetch",
    "find_archived_url": "fetch",
    "download_file": "fetch",
    "inspect_file_as_text": "read",
    "visualizer": "look",
}
"""The tools that smolagents and its examples bring along, by their documented names."""

LAST_WORD_ASKED = "output a FINAL ANSWER to the question"
"""What open_deep_research asks a model for when the agent is done; its reply is what is scored."""

OUT_OF_STEPS = "Reached max steps"
"""How the loop's remark begins when an agent has used up its steps: no tool's error."""

CUT = re.compile(r"\.\.\._This content has been truncated to stay below \d+ characters_\.\.\.")
"""What stands in an observation where a part of it was left out."""

_CODE = (
    re.compile(r"<code>(.*?)(?:</code>|\Z)", re.DOTALL),
    re.compile(r"```(?:python|py)?[ \t]*\n(.*?)(?:\n?```|\Z)", re.DOTALL),
)
_OBSERVED = re.compile(r"(?:Call id: (\S+)\n)?(Observation|Error):[ \t]*\n?")
_BEFORE = re.compile(r"\AYou have one question to answer\..*?Here is the task:\n", re.DOTALL)
_BEHIND = re.compile(
    r"\n\nTo solve the task above, you will have to use th(?:is|ese) attached files?:(?P<files>.*)\Z", re.DOTALL
)
_ATTACHED = re.compile(r"Attached [a-z ]+: (\S+)")
_HIT = re.compile(r"^(?:\d+\. )?\[([^\]\n]{0,500})\]\((https?://[^\s)]{1,2000})\)", re.MULTILINE)
_RESULTS = re.compile(r"^## (?:Search|Web) Results$", re.MULTILINE)
_ADDRESS = re.compile(r"(?:Web archive for url [^\n]*\n)?Address: (https?://\S+)(?:\nTitle: ([^\n]*))?")
_MOST_SOURCES = 100


def code_in(text: str) -> str | None:
    """The code of a code agent's reply, as smolagents takes it out: all blocks of it."""
    for pattern in _CODE:
        if blocks := pattern.findall(text):
            return "\n\n".join(block.strip("\n") for block in blocks)
    return None


def observed(text: str) -> tuple[str | None, bool, str] | None:
    """Of a message with a tool's output: the call's id, whether it is an error, and the output."""
    found = _OBSERVED.match(text)
    return None if found is None else (found[1], found[2] == "Error", text[found.end() :])


def is_copy_of_calls(text: str) -> bool:
    """Whether the message only repeats the calls of the reply before it."""
    return text.startswith("Calling tools:\n[")


def unwrapped(text: str) -> tuple[str, tuple[str, ...]]:
    """The question without the words of open_deep_research around it, and the paths of its files."""
    begin = _BEFORE.match(text)
    if begin is None:
        return text, ()
    text = text[begin.end() :]
    end = _BEHIND.search(text)
    if end is None:
        return text, ()
    return text[: end.start()], tuple(_ATTACHED.findall(end["files"]))


def sources_of(role: ToolRole, text: str) -> tuple[str | None, tuple[NeutralSource, ...]]:
    """The address of a page, and the hits of a search with their parts of the text, also where code printed them."""
    listed = _RESULTS.search(text) if role == "code" else None  # hits that code printed
    if role == "search" or listed:
        hits = list(itertools.islice(_HIT.finditer(text, listed.end() if listed else 0), _MOST_SOURCES))
        last = text.find("\n\n", hits[-1].end()) if listed and hits else -1
        ends = [*(hit.start() for hit in hits[1:]), len(text) if last < 0 else last]
        return None, tuple(
            NeutralSource(url=hit[2], title=hit[1], text=text[hit.start() : end])
            for hit, end in zip(hits, ends, strict=False)
        )
    if role == "fetch" and (page := _ADDRESS.match(text)):
        return page[1], (NeutralSource(url=page[1], title=page[2] or "", text=text),)
    return None, ()
