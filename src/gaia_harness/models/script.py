"""The script format of the scripted model: one JSON file per task, validated when it is read.

    {"note": "for people only",
     "when": "a phrase of the question",
     "turns": [
       {"say": "I look for the page.", "calls": [{"tool": "web_search", "args": {"query": "…"}}]},
       {"take": {"url": {"from": "web_search", "pattern": "(http://\\S+)"}},
        "calls": [{"tool": "web_fetch", "args": {"url": "{url}"}}]},
       {"take": {"year": {"from": "web_fetch", "pattern": "lit in (\\d+)"}}, "answer": "{year}"}]}

Every value is taken from the result of a tool by a pattern; the answer is made of such values, and of punctuation and
spaces between them, so that a script cannot know what it is asked for. In calls and later patterns `{name}` stands for
a value; `{name!r}` is the value as a Python literal, to be put into code. A list of texts is one text of several lines.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from gaia_harness.errors import ModelError

LONGEST_FILE = 100_000
MOST_SCRIPTS = 1000

_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)(!r)?\}")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_WORD = re.compile(r"\w|[{}]")


class Take(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value out of a tool's result: group 1 of the first match, or of all matches, joined.

    `index` counts the results of that tool (of any, if none is named) from 0, or from the last by -1. Values that
    were taken before stand in the pattern for exactly their text.
    """

    pattern: Annotated[str, msgspec.Meta(max_length=1000)]
    source: str | None = msgspec.field(default=None, name="from")
    index: int = -1
    all: bool = False
    join: str = ", "


class Call(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool to call. Text among the arguments may hold placeholders; a list is a text of several lines."""

    tool: str
    args: dict[str, str | int | list[str]]

    def filled(self, values: Mapping[str, str]) -> dict[str, str | int]:
        """The arguments with the values in their places."""
        texts = {key: "\n".join(arg) if isinstance(arg, list) else arg for key, arg in self.args.items()}
        return {key: fill(arg, values) if isinstance(arg, str) else arg for key, arg in texts.items()}


class Turn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reply: it calls tools, or it answers."""

    say: str = ""
    take: dict[str, Take] = {}
    calls: tuple[Call, ...] = ()
    answer: str | None = None


class Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one task is worked on."""

    when: str
    turns: tuple[Turn, ...]
    note: str = ""


def read_scripts(folder: Path) -> tuple[Script, ...]:
    """All scripts of a folder, in the order of their names."""
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix == ".json")
    except OSError as error:
        raise ModelError(
            f"{folder}: no folder of scripts: {error.strerror}",
            hint="Use --model scripted/demo, or scripted/FOLDER with a folder of *.json scripts.",
        ) from None
    if not files or len(files) > MOST_SCRIPTS:
        raise ModelError(f"{folder}: {len(files)} scripts (*.json); there must be from 1 to {MOST_SCRIPTS}")
    scripts = {file: _read(file) for file in files}
    for file, script in scripts.items():
        for other, longer in scripts.items():
            if other != file and script.when in longer.when:
                raise ModelError(f"{file}: its `when` fits the question of {other.name} as well")
    return tuple(scripts.values())


def fill(template: str, values: Mapping[str, str], quote: Callable[[str], str] = str) -> str:
    """The template with the values, quoted, in the place of their names; other braces stay as they are."""

    def value(match: re.Match[str]) -> str:
        name, literal = match.groups()
        if name not in values:
            return match[0]
        return repr(values[name]) if literal else quote(values[name])

    return _PLACEHOLDER.sub(value, template)


def _read(file: Path) -> Script:
    try:
        with file.open("rb") as stream:
            data = stream.read(LONGEST_FILE + 1)
        if len(data) > LONGEST_FILE:
            raise ModelError(f"{file}: longer than {LONGEST_FILE:,} bytes")
        script = msgspec.json.decode(data, type=Script)
    except OSError as error:
        raise ModelError(f"{file}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ModelError(f"{file}: not a script: {error}") from None
    for fault in _faults(script):
        raise ModelError(f"{file}: {fault}")
    return script


def _faults(script: Script) -> Iterable[str]:
    if not script.when.strip():
        yield "`when` is empty"
    if not script.turns or script.turns[-1].answer is None:
        yield "the last turn must have an answer"
    if not any(turn.calls for turn in script.turns):
        yield "there is no tool call: an answer must come out of tool results"
    known: set[str] = set()
    names = {name for turn in script.turns for name in turn.take}
    for number, turn in enumerate(script.turns, 1):
        if (turn.answer is None) != (number < len(script.turns)):
            yield f"turn {number}: only the last turn answers"
        if bool(turn.calls) == (turn.answer is not None):
            yield f"turn {number}: it must either call tools or answer"
        for name, take in turn.take.items():
            yield from (f"turn {number}: {fault}" for fault in _take_faults(name, take))
        known.update(turn.take)
        for name in sorted(_used(turn) & names - known):
            yield f"turn {number}: {{{name}}} is used before it is taken"
    answer = script.turns[-1].answer or ""
    asked = [match[1] for match in _PLACEHOLDER.finditer(answer)]
    if not asked or not known.issuperset(asked):
        yield "the answer must be made of values that were taken, such as {year}"
    if _WORD.search(_PLACEHOLDER.sub("", answer)) or "!r}" in answer:
        yield "the answer may hold nothing but values, punctuation and spaces"


def _used(turn: Turn) -> set[str]:
    templates = [turn.say, *(str(arg) for call in turn.calls for arg in call.args.values())]
    return {match[1] for template in templates for match in _PLACEHOLDER.finditer(template)}


def _take_faults(name: str, take: Take) -> Iterable[str]:
    if not _NAME.fullmatch(name):
        yield f"{name!r} cannot be the name of a value"
    try:
        pattern = re.compile(take.pattern)
    except (re.error, OverflowError, RecursionError) as error:
        yield f"the pattern of {name} is not a regular expression: {error}"
    else:
        if pattern.groups != 1:
            yield f"the pattern of {name} must have one group"
