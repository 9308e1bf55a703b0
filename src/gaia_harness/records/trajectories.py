"""trajectories.jsonl: one line per task, and the rules for a valid line."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from gaia_harness import strict_json
from gaia_harness.errors import EvidenceError
from gaia_harness.figures import counted
from gaia_harness.files import read_lines
from gaia_harness.records.excerpt import sound
from gaia_harness.records.line_work import too_long
from gaia_harness.records.masks import LEAST_HIDDEN, MASK
from gaia_harness.records.steps import (
    ADDRESS_HEAD,
    ARGUMENT_HEAD,
    MOST_WINDOWS,
    OUTPUT_HEAD,
    PROMPT_HEAD,
    WINDOW,
    WORDS_HEAD,
    Answer,
    Count,
    LlmCall,
    Prompt,
    Shortened,
    Step,
    Thoughts,
    ToolCallStep,
    ToolResultStep,
)


class Trajectory(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """How one task went: the steps of all its attempts in one ordered list."""

    task_id: str
    model: str
    turns: Count
    final_answer: str | None
    input_tokens: Count | None
    output_tokens: Count | None
    voting_attempts: Count
    selected_attempt: Count
    tools_used: tuple[str, ...]
    steps: tuple[Step, ...]


FILE_NAME = "trajectories.jsonl"

LONGEST_LINE = 64 << 20
"""Longer lines are not read: a task of ours has a few hundred KB, and what is read must fit into memory."""

_decoder = msgspec.json.Decoder(Trajectory)
_STEPS = b',"steps":['
_HEX = re.compile(r"[0-9a-f]*").fullmatch
_NOTHING = hashlib.sha256(b"").hexdigest()


def encode(value: Trajectory | Sequence[Step]) -> bytes:
    """The bytes of a line, without its newline; of steps alone, a JSON array. No text makes this fail."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, which JSON in UTF-8 cannot hold
        return msgspec.json.encode(sound(msgspec.to_builtins(value)))


def decode(line: bytes, *, where: str) -> Trajectory:
    """A line as a trajectory. Everything that this format forbids is an error that names the place."""
    return decode_line(line, where=where)[0]


def decode_line(line: bytes, *, where: str) -> tuple[Trajectory, bool]:
    """The same, and whether the line is to the last byte what we would write."""
    try:
        trajectory = _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EvidenceError(f"{where}: not a trajectory: {error}") from error
    as_ours = encode(trajectory) == line
    if not as_ours:
        # written by another program; what its JSON may hide (a key twice, say) is looked for at leisure
        try:
            strict_json.loads(line, where=where)
        except strict_json.JsonError as error:
            raise EvidenceError(error.message) from error
    check(trajectory, where=where)
    return trajectory, as_ours


class ReadLine(msgspec.Struct, frozen=True):
    """A line of the file, without its newline, as its readers get it: sound, with its trajectory, or with a fault.

    `as_ours`: it is to the last byte what we would write.
    """

    data: bytes
    trajectory: Trajectory | None
    as_ours: bool = False
    fault: str | None = None


def read_line(data: bytes, number: int) -> ReadLine:
    """Check a line of trajectories.jsonl, given with its newline, by itself."""
    line = data.removesuffix(b"\n")
    where = f"{FILE_NAME}:{number}"
    if len(data) > LONGEST_LINE:
        return ReadLine(line, None, fault=f"{where}: {too_long(LONGEST_LINE)}")
    if len(line) == len(data):
        return ReadLine(line, None, fault=f"{where}: the line is cut short")
    try:
        trajectory, as_ours = decode_line(line, where=where)
    except EvidenceError as error:
        return ReadLine(line, None, fault=error.message)
    return ReadLine(line, trajectory, as_ours)


def steps_as_written(line: bytes) -> memoryview | None:
    """The array of the steps as it stands in a line without its newline, if it is the last thing in it.

    What begins it stands in no text before it: there, quotes are escaped.
    """
    at = line.find(_STEPS)
    return memoryview(line)[at + len(_STEPS) - 1 : -1] if at >= 0 and line.endswith(b"]}") else None


def hash_prefixes(steps: Sequence[Step], ends: Iterable[int]) -> Iterator[str]:
    """The hashes of the first steps, as a JSON array, up to each of these ends in order: each step is encoded once."""
    hasher = hashlib.sha256(b"[")
    done = 0
    for end in ends:
        if end > done:
            hasher.update((b"," if done else b"") + encode(steps[done:end])[1:-1])
            done = end
        whole = hasher.copy()
        whole.update(b"]")
        yield whole.hexdigest()


def decode_unchecked(line: bytes) -> Trajectory:
    """A line that has been looked at before and holds up."""
    return _decoder.decode(line)


def read_trajectories(path: Path) -> Iterator[tuple[int, bytes, Trajectory]]:
    """The trajectories of a file, one at a time, each with its line number and its bytes."""
    for line in read_lines(path):
        where = f"{path}:{line.number}"
        if line.torn:
            raise EvidenceError(f"{where}: the line is cut short")
        data = line.data[:-1]
        yield line.number, data, decode(data, where=where)


class _Wrong(Exception):
    """What is wrong with a step; the place is put before it."""


def check(trajectory: Trajectory, *, where: str) -> None:
    """The rules that types cannot say: order, counts, sizes, and every tool result with its call."""
    attempt = turn = 1
    open_calls: dict[str, str | None] = {}
    shown: dict[str, int] = {}  # of each result of the attempt, in bytes
    left_out = 0
    hashes: list[str] = []
    index = 0
    try:
        for index, step in enumerate(trajectory.steps):
            if step.seq != index:
                raise _Wrong(f" says that it is step {step.seq}")
            if step.turn != turn or step.attempt != attempt:
                if step.attempt < 1 or step.turn < 1:
                    raise _Wrong(f" is of attempt {step.attempt}, turn {step.turn}: both count from 1")
                if (step.attempt, step.turn) < (attempt, turn) and index:
                    raise _Wrong(f" goes back from attempt {attempt}, turn {turn}")
                if step.attempt != attempt:
                    open_calls, shown, left_out = {}, {}, 0
                attempt, turn = step.attempt, step.turn
            if isinstance(step, ToolResultStep):
                if step.call_id not in open_calls or open_calls[step.call_id] != step.name:
                    raise _Wrong(" is a tool result without its call")
                open_calls[step.call_id] = None  # answered: neither a second result nor the same id again
                shown[step.call_id] = step.bytes
                hashes.append(step.output_sha256)
                _head(step, step.output_sha256, OUTPUT_HEAD)
                if step.sources or step.windows:
                    _parts(step)
                if step.kept_sha256 is not msgspec.UNSET:
                    _kept(step, step.output_sha256, whole=step.body)
            elif isinstance(step, Prompt):
                if step.context_sha256 is not None:
                    hashes.append(step.context_sha256)
                hashes.append(step.content_sha256)
                _head(step, step.content_sha256, PROMPT_HEAD)
                if step.shortened is not msgspec.UNSET:
                    left_out = _shortened(step, step.shortened, shown, left_out)
                if step.whole is not msgspec.UNSET and not (step.whole and step.truncated):
                    raise _Wrong(": says that a text is kept whole beside its head, which is all of it")
                if step.kept_sha256 is not msgspec.UNSET:
                    _kept(step, step.content_sha256, whole=step.is_stored)
            elif isinstance(step, ToolCallStep):
                hashes.append(step.args_sha256)
                _arguments(step)
                if step.call_id in open_calls:
                    raise _Wrong(f": the call {step.call_id!r} was made before")
                open_calls[step.call_id] = step.name
            elif isinstance(step, LlmCall):
                hashes.append(step.output_sha256)
                _words(step, step.output_sha256)
                if step.thoughts is not None:
                    hashes.append(step.thoughts.sha256)
                    _words(step.thoughts, step.thoughts.sha256)
            else:
                hashes.append(step.content_sha256)
                _head(step, step.content_sha256, WORDS_HEAD)
                if step.call_id is not None and step.call_id not in open_calls:
                    raise _Wrong(" is an answer that was handed in by a call that is not there")
            if step.parent is not msgspec.UNSET and not step.parent < index:
                raise _Wrong(f" is said to be by an agent that step {step.parent} started")
    except _Wrong as wrong:
        raise EvidenceError(f"{where}: step {index}{wrong}") from None
    if hashes and ({64} != set(map(len, hashes)) or not _HEX("".join(hashes))):
        raise EvidenceError(f"{where}: {_not_a_hash(trajectory.steps)} is not a sha256")


def _words(words: LlmCall | Thoughts, said: str) -> None:
    """Words that are longer than their head are kept whole; version 0.2 cut them sooner, and kept the rest nowhere."""
    if words.body is not msgspec.UNSET and not (words.body and words.truncated):
        raise _Wrong(": says that words are kept whole beside their head, which is all of them")
    _head(words, said, OUTPUT_HEAD if words.truncated and words.body is msgspec.UNSET else WORDS_HEAD)
    if words.kept_sha256 is not msgspec.UNSET:
        _kept(words, said, whole=words.body is True)


def _kept(step: Prompt | ToolResultStep | LlmCall | Thoughts, original: str, *, whole: bool) -> None:
    """A hash of its own has only a text that is kept, and not as it was."""
    if not _is_hash(step.stored_sha256):
        raise _Wrong(f": {step.stored_sha256[:80]!r} is not a sha256")
    if not whole or step.stored_sha256 == original:
        raise _Wrong(": says that a masked text is kept, and none is")


def _is_hash(text: str) -> bool:
    return len(text) == 64 and _HEX(text) is not None


def _not_a_hash(steps: Sequence[Step]) -> str:
    for index, step in enumerate(steps):
        for part in (step, getattr(step, "thoughts", None)):
            for name in ("content_sha256", "context_sha256", "args_sha256", "output_sha256", "sha256"):
                text = getattr(part, name, None)
                if text is not None and not _is_hash(text):
                    return f"step {index}: {text[:80]!r}"
    raise AssertionError


def _arguments(step: ToolCallStep) -> None:
    """Arguments may hold any JSON, each no more than is kept; what is more than text, every reader must read alike."""
    args, cut_names = step.args, step.args_truncated
    if isinstance(args, str):
        _within(args, ARGUMENT_HEAD, step.redactions, "arguments")
        if cut_names not in ((), ("*",)):
            raise _Wrong(": its arguments are one text, and args_truncated names others")
        return
    if cut_names and not (args.keys() >= set(cut_names) and len(cut_names) <= len(args)):
        raise _Wrong(": args_truncated names what is none of its arguments")
    only_text = True
    for value in args.values():
        if isinstance(value, str):
            _within(value, ARGUMENT_HEAD, step.redactions, "an argument")
        else:
            only_text = False
            _within(msgspec.json.encode(value).decode(), ARGUMENT_HEAD, step.redactions, "an argument")
    if only_text:
        return
    try:
        strict_json.loads(b"[[[[" + msgspec.json.encode(args) + b"]]]]", where="")  # as deep as in its line
    except strict_json.JsonError as error:
        raise _Wrong(error.message) from error


def _within(text: str, limit: int, redactions: int, what: str) -> None:
    """A text must not have more bytes than are kept of such a one, whatever is masked in it."""
    if 4 * len(text) <= limit:  # however many bytes a character has
        return
    size = len(text) if text.isascii() else len(text.encode()) - 2 * text.count("\ufffd")  # may stand for one byte
    if size > limit and size - _grown(text, redactions) > limit:
        raise _Wrong(f": {what} of {size} bytes, and {limit} are kept at most")


def _grown(text: str, redactions: int) -> int:
    """By how much masks can have made a text longer: at its ends, all but one character of a secret may be cut off."""
    grown = []
    for mask in MASK.finditer(text) if redactions else ():
        hidden = 1 if mask.start() == 0 or mask.end() == len(text) else LEAST_HIDDEN[mask[1]]
        grown.append(max(0, len(mask[0]) - hidden))
    return sum(sorted(grown)[-redactions:])


def _head(step: Prompt | LlmCall | ToolResultStep | Thoughts | Answer, said: str, limit: int) -> None:
    """A head must be what it says it is; one that is whole must be what was hashed, unless it was masked."""
    if step.truncated != (step.bytes > limit):
        claim = "cut" if step.truncated else "whole"
        raise _Wrong(f": a head of at most {limit} bytes cannot be {claim} when {step.bytes} are said")
    head = step.head
    plain = len(head) == (limit if step.truncated else step.bytes) and head.isascii()  # as nearly all are
    if (
        plain
        and not step.redactions
        and (step.truncated or said == (hashlib.sha256(head.encode()).hexdigest() if head else _NOTHING))
    ):
        return
    if head.isascii():
        most = least = len(head)
    else:
        most = len(head.encode())
        least = most - 2 * head.count("\ufffd")  # which may stand for one byte that was no text
    whole = limit if step.truncated else step.bytes
    masks = _masks(step) if step.redactions else ()
    if masks:
        if least + sum(masks) > whole:
            raise _Wrong(f": a head of {most} bytes is not the first {limit} of {step.bytes}, whatever is masked in it")
        return
    if not (least <= whole and most >= whole - (3 if step.truncated else 0)):
        raise _Wrong(f": a head of {most} bytes is not the first {limit} of {step.bytes}")
    if not step.truncated and least == most and hashlib.sha256(head.encode()).hexdigest() != said:
        if not _is_hash(said):
            raise _Wrong(f": {said[:80]!r} is not a sha256")
        raise _Wrong(": its text does not have the hash that it says")


def _masks(step: Prompt | LlmCall | ToolResultStep | Thoughts | Answer) -> Sequence[int]:
    """By how much what the masks in a head hide is longer than they are, at least; nothing where none hides anything.

    A text may have had masks in it before: then those count that hide the least.
    """
    head = step.head
    longer = [
        (1 if step.truncated and mask.end() == len(head) else LEAST_HIDDEN[mask[1]]) - len(mask[0])
        for mask in MASK.finditer(head)
    ]
    longer.sort()
    if not isinstance(step, ToolResultStep):
        if len(longer) < step.redactions:
            secrets = counted(step.redactions, "secret is", "secrets are")
            raise _Wrong(f": {secrets} said to be masked in it, where {len(longer)} are")
        return longer[: step.redactions]
    # a tool result counts those in its windows and sources too: its head may have none that hides something
    if not step.truncated and hashlib.sha256(head.encode()).hexdigest() == step.output_sha256:
        return ()
    return longer[: max(1, min(step.redactions, sum(each < 0 for each in longer)))]


def is_proven(step: LlmCall, whole: str | None = None) -> bool:
    """Whether what is kept of a reply is the whole of it, by its hash: nothing cut, masked, or no text at all.

    `whole` is the text that is kept of one that is longer than its head.
    """
    if step.truncated:
        return whole is not None and hashlib.sha256(whole.encode()).hexdigest() == step.output_sha256
    if not step.redactions and "\ufffd" not in step.head:
        return True  # it was looked at when the line was read
    return hashlib.sha256(step.head.encode()).hexdigest() == step.output_sha256


def _shortened(step: Prompt, less: Shortened, shown: dict[str, int], left_out: int) -> int:
    """Only what was shown can be shortened, and never to more; how many turns are left out from here on."""
    if step.role != "shortened":
        raise _Wrong(f": something was left out by a prompt of the role {step.role[:80]!r}")
    if not less.results and less.turns <= left_out:
        raise _Wrong(": a shortened request that leaves nothing out")
    for result in less.results:
        if result.call_id not in shown:
            raise _Wrong(f": the result of {result.call_id[:80]!r}, which is not there, was shortened")
        if result.bytes > shown[result.call_id]:
            raise _Wrong(f": a result of {shown[result.call_id]} bytes was shortened to {result.bytes}")
        shown[result.call_id] = result.bytes
    if not left_out <= less.turns < step.turn:
        raise _Wrong(f": {less.turns} turns left out in turn {step.turn}, where {left_out} were before")
    return less.turns


def _parts(step: ToolResultStep) -> None:
    """Sources and windows must lie within the output, and be no more and no longer than are kept."""
    for source in step.sources:
        _within(source.url, ADDRESS_HEAD, step.redactions, "an address")
        _within(source.title, ADDRESS_HEAD, step.redactions, "a title")
        if source.offset + source.bytes > step.bytes:
            raise _Wrong(f": a source that is not within the {step.bytes} bytes of the output")
    if len(step.windows) > MOST_WINDOWS:
        raise _Wrong(f": {len(step.windows)} windows where {MOST_WINDOWS} are the most")
    for window in step.windows:
        if not 0 < window.bytes <= WINDOW:
            raise _Wrong(f": a window of {window.bytes} bytes at {window.offset}")
        over = len(window.text) - window.bytes  # a character has a byte at least
        if over > 0 and over > _grown(window.text, step.redactions):
            raise _Wrong(f": a window of {window.bytes} bytes with a text of {len(window.text)} characters")
        if not window.view and window.offset + window.bytes > step.bytes:
            raise _Wrong(f": a window that is not within the {step.bytes} bytes of the output")
