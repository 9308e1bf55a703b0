"""OWL's results on GAIA: a JSON list with one object per task, its rounds under `history`.

In a round a user agent instructs, an assistant calls tools and replies; OWL's program adds fixed texts to both. Those
are told from the models' words as `OwlGaiaRolePlaying` of the repository camel-ai/owl writes them. `ground_truth`, the
gold answer, is dropped.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.exchange.hits import are_hits, as_text, hits_as_text
from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import ImportRefused, InputFile, files_in, parse
from gaia_harness.exchange.neutral import NeutralRun, NeutralSource, NeutralStep
from gaia_harness.protocol import ToolRole

NAME = "owl"

# the first element, as far as the answer: OWL writes its fields in this order
_HEAD = re.compile(rb'\s*\[\s*\{\s*"task_id"\s*:\s*"[^"]*"\s*,\s*"question"\s*:')

_USER = "user"
_ADDED_TO_USER = (
    "\n\n            Here are auxiliary information about the overall task, which may help you understand",
    "\n\n            Now please make a final answer of the original task based on our conversation",
)
_ADDED_TO_ASSISTANT = (
    "\n\n                Provide me with the next instruction and input (if needed) based on my response and our "
    "current task:",
)
_ASKED_TO_DECOMPOSE = (
    "Please decompose the task into several sub-tasks and find the answer step-by-step.",
    "Please decompose the task step-by-step.",
)
_FILES = " Here are the necessary "
_FILE = re.compile(r"(?:(?:document|image|table|python) )?files: (?P<path>[^\n]+)")
_TABLE_HINT = (
    ", for processing excel file, you can write python code and leverage excel toolkit to process the file "
    "step-by-step and get the information."
)
_ECHO = "Executed the code below:\n```py\n{}\n```\n"
_ANSWER_BEGIN, _ANSWER_END = "<final_answer>", "</final_answer>"

# the tools that OWL gives its assistant, from the toolkits of camel-ai
_ROLES: dict[str, ToolRole] = {
    "tavily_search": "search",
    "search_archived_webpage": "fetch",
    "extract_document_content": "read",
    "extract_excel_content": "read",
    "execute_code": "code",
    "execute_command": "code",
    "browse_url": "delegate",
    "ask_question_about_image": "look",
    "image_to_text": "look",
    "ask_question_about_audio": "look",
    "audio2text": "look",
    "ask_question_about_video": "look",
}
_SEARCH = re.compile(r"search_(?:google|duckduckgo|wiki|bing|brave|bocha|baidu|exa|linkup|tavily|alibaba_tongxiao)")

_GAPS = (
    "the system prompts and the descriptions of the tools are not in the file",
    "in a round the calls of tools stand before the assistant's reply: words between two calls are not in the file",
    "results that are lists or objects are written as JSON here: as what text the model saw them is not in the file",
    "the code that execute_code repeats before its output is left out of the output here",
    "tokens are counted for the whole task only",
)
_ONLY_REPORTED = "what browse_url did inside is not in the file, only its report"


class _Call(msgspec.Struct):
    tool_name: str
    args: Any = None
    result: Any = None
    tool_call_id: str | None = None


class _Round(msgspec.Struct):
    user: str
    assistant: str
    tool_calls: list[_Call] | None = None


class _Row(msgspec.Struct):
    """One task of the file, without `ground_truth`."""

    question: str
    history: list[_Round] | None
    model_answer: str | None
    task_id: str | None = None
    score: bool | int | None = None


def inputs(path: Path) -> Sequence[InputFile]:
    """The result lists in a folder, or the file that was named."""
    files = files_in(path, ".json")
    return [file for file in files if detect(file)] if path.is_dir() else files


def detect(file: InputFile) -> bool:
    """Whether it is a list whose first element has OWL's fields."""
    try:
        head = file.head()
    except OSError:
        return False
    head = head.removeprefix(b"\xef\xbb\xbf")
    return _HEAD.match(head) is not None and b'"model_answer"' in head and b'"score"' in head


def read(file: InputFile, on_fault: OnFault) -> Iterator[NeutralRun]:
    """The task-runs of the list."""
    for number, data in file.elements():
        where = f"{file.name}: element {number}"
        try:
            run = _run(parse(data, where), where, file.path.stem)
        except ImportRefused as error:
            on_fault(error)
            continue
        yield run


def _run(value: Any, where: str, name: str) -> NeutralRun:
    try:
        row = msgspec.convert(value, _Row)
    except msgspec.ValidationError as error:
        raise ImportRefused(f"{where}: {error}") from None
    question, attached = _question(row.question)
    steps: list[NeutralStep] = []
    tools: dict[str, ToolRole] = {}
    for played in row.history or ():
        _round(played, steps, tools)
    if row.model_answer is not None and steps and _handed_in(steps[-1].text) == row.model_answer.strip():
        steps.append(NeutralStep(type="answer", text=row.model_answer))
    return NeutralRun(
        task_id=row.task_id,
        question=question,
        run=name,
        answer=row.model_answer,
        correct=None if row.score is None else bool(row.score),
        error=None if steps else "the file has no history of this task: OWL did not run it, or failed",
        steps=tuple(steps),
        tools=tools,
        attachments=(attached,) if attached else (),
        gaps=(*_GAPS, _ONLY_REPORTED) if "browse_url" in tools else _GAPS,
    )


def _question(asked: str) -> tuple[str, str | None]:
    """The question without what OWL's program puts behind it, and the path of the task's file."""
    for sentence in _ASKED_TO_DECOMPOSE:
        if asked.endswith(sentence):
            asked = asked.removesuffix(sentence).removesuffix(" ")
            break
    before, sign, behind = asked.removesuffix(_TABLE_HINT).rpartition(_FILES)
    file = _FILE.fullmatch(behind) if sign else None
    return (before, file["path"]) if file else (asked, None)


def _round(played: _Round, steps: list[NeutralStep], tools: dict[str, ToolRole]) -> None:
    said, added = _split(played.user, _ADDED_TO_USER)
    if said:
        steps.append(NeutralStep(type="llm_call", text=said, agent=_USER))
    if added:
        steps.append(NeutralStep(type="prompt", role="user", text=added))
    for call in played.tool_calls or ():
        tools[call.tool_name] = _role(call.tool_name)
        call_id = call.tool_call_id or f"step {len(steps)}"
        args = call.args if isinstance(call.args, dict) else None
        text, sources = _result(call.result)
        if args is not None and isinstance(args.get("code"), str):
            text = text.removeprefix(_ECHO.format(args["code"]))  # the model's own words, not what came back
        steps += (
            NeutralStep(
                type="tool_call",
                name=call.tool_name,
                args=args,
                text="" if args is not None else as_text(call.args),
                call_id=call_id,
            ),
            NeutralStep(
                type="tool_result",
                name=call.tool_name,
                text=text,
                sources=sources,
                is_error=isinstance(call.result, dict) and set(call.result) == {"error"},
                call_id=call_id,
            ),
        )
    said, added = _split(played.assistant, _ADDED_TO_ASSISTANT)
    if said:
        steps.append(NeutralStep(type="llm_call", text=said))
    if added:
        steps.append(NeutralStep(type="prompt", role="user", text=added, agent=_USER))


def _split(text: str, added: tuple[str, ...]) -> tuple[str, str]:
    """A model's words, and what the program put behind them."""
    at = max(text.rfind(sign) for sign in added)
    return (text, "") if at < 0 else (text[:at], text[at:].strip())


def _role(tool: str) -> ToolRole:
    return "search" if _SEARCH.fullmatch(tool) else _ROLES.get(tool, "other")


def _result(value: Any) -> tuple[str, tuple[NeutralSource, ...]]:
    """A result as text, and the hits in it where it is a list of hits."""
    if isinstance(value, dict) and set(value) == {"results"} and are_hits(value["results"]):
        text, sources = hits_as_text(value["results"])
        return f'{{"results": {text}}}', sources
    return hits_as_text(value) if are_hits(value) else (as_text(value), ())


def _handed_in(text: str) -> str | None:
    begin = text.find(_ANSWER_BEGIN)
    end = text.find(_ANSWER_END, begin)
    return text[begin + len(_ANSWER_BEGIN) : end].strip() if begin >= 0 <= end else None
