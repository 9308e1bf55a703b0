"""Somebody who has a package, knows all of the data set but one answer, and has a list of answers that it may be.

A guess is confirmed when something that only comes out with this guess has a hash, or the beginning of a hash, that
stands anywhere in the package: in its text, in a file's name, within base64 or within a compressed body.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import rfc8785

from gaia_harness.evidence.bodies import unpack
from gaia_harness.judge import prompt, scorer
from gaia_harness.models.messages import Request

SHORTEST = 16
"""Hex digits of a hash that are enough to confirm a guess: findings name prompts by so many."""

_HEX = re.compile(rb"(?<![0-9A-Za-z])[0-9A-Fa-f]{%d,128}(?![0-9A-Za-z])" % SHORTEST)
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{22,}={0,2}")
_ALGORITHMS = ("sha256", "sha1", "md5", "sha512", "sha3_256", "blake2b", "blake2s")


@dataclass(frozen=True)
class Known:
    """What is known of the data set: every question, and every answer but the one that is guessed."""

    questions: dict[str, str]
    golds: dict[str, str]
    steps: dict[str, str]


def texts_in(package: Path) -> Iterator[bytes]:
    """Everything that can be read in a package: names, files, and what is packed or encoded within them."""
    for path in sorted(package.rglob("*")):
        yield path.name.encode()
        if path.is_file():
            data = path.read_bytes()
            yield from _with_blocks(b"".join(unpack([data])) if path.suffix == ".zst" else data)


def _with_blocks(data: bytes) -> Iterator[bytes]:
    yield data
    for block in _BASE64.findall(data):
        raw = block.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
        try:
            decoded = base64.b64decode(raw + b"=" * (-len(raw) % 4))
        except binascii.Error:
            continue
        yield decoded
        if len(decoded) > 100:
            yield from _with_blocks(decoded)


def hashes_in(package: Path) -> set[str]:
    """The first digits of everything in a package that may be a hash, written as hex, base64 or raw."""
    found: set[str] = set()
    for text in texts_in(package):
        found.update(match[:SHORTEST].decode().lower() for match in _HEX.findall(text))
        if 16 <= len(text) <= 64:
            found.add(text.hex()[:SHORTEST])
        if 32 < len(text) <= 64:  # a checkpoint's signature has the key's number before it
            found.update(text[start:].hex()[:SHORTEST] for start in range(1, len(text) - 31))
    return found


def confirmed(package: Path, known: Known, task_id: str, guesses: Iterable[str]) -> dict[str, set[str]]:
    """The guesses at a task's answer that a hash in the package confirms, with the names of what gave them away."""
    hashes = hashes_in(package)
    facts = json.loads((package / "metadata.json").read_bytes())
    told = next(task for task in facts["facts"]["tasks"] if task["task_id"] == task_id)
    found: dict[str, set[str]] = {}
    for guess in guesses:
        for name, data in constructions(known, told, guess):
            algorithms = _ALGORITHMS if name == "plain" else ("sha256",)
            for algorithm in algorithms:
                if hashlib.new(algorithm, data, usedforsecurity=False).hexdigest()[:SHORTEST] in hashes:
                    found.setdefault(guess, set()).add(name)
    return found


def constructions(known: Known, told: dict[str, Any], guess: str) -> Iterator[tuple[str, bytes]]:
    """What somebody may have hashed that has the answer in it."""
    task_id, answer, question = told["task_id"], told["answer"], known.questions[told["task_id"]]
    yield from (("plain", text.encode()) for text in _plain(task_id, question, answer, guess))
    for line in _results(told, question, guess):
        yield "result line", line
        yield "result line", line + b"\n"
        yield "result line", rfc8785.dumps(json.loads(line))
        yield "Merkle leaf", b"\0" + line
    for said in [answer] if answer is not None else []:
        messages = prompt.judge_messages(question, said, guess)
        request = Request(messages=messages, max_output_tokens=4096)
        user = [{"role": role, "content": m.text} for role, m in zip(("system", "user"), messages, strict=True)]
        for data in (
            messages[-1].text.encode(),
            "\n".join(m.text for m in messages).encode(),
            msgspec.json.encode(request),
            msgspec.json.encode(messages),
            json.dumps(user).encode(),
            rfc8785.dumps([prompt.PROMPT_VERSION, *(m.text for m in messages)]),
        ):
            yield "judge's prompt", data
    answers = {**known.golds, task_id: guess}
    for steps in (known.steps, dict.fromkeys(answers)):
        every = {each: [gold, steps.get(each)] for each, gold in answers.items()}
        yield "answer key", rfc8785.dumps(every)
        yield "answer key", rfc8785.dumps({task_id: every[task_id]})
        yield "answer key", rfc8785.dumps(every[task_id])
    yield "answer key", rfc8785.dumps(answers)


def _plain(task_id: str, question: str, answer: str | None, guess: str) -> Iterator[str]:
    for form in {guess, guess.lower(), guess.strip(), json.dumps(guess)}:
        yield form
        yield form + "\n"
        for one, other in ((task_id, form), (form, task_id), (question, form), (form, question), (answer or "", form)):
            for mark in ("", " ", ":", "|", "\n", "\0", ","):
                yield f"{one}{mark}{other}"
    models = ("scripted/judge", "openai/agent", "")
    parts: list[list[Any]] = [[task_id, guess], [question, guess], [task_id, question, guess]]
    for model in models:
        for version in ("1", "2"):
            parts += [
                [task_id, answer, guess, model, version],  # the key of a judgment in 0.1
                [task_id, question, answer, guess, model, "", version],
                [task_id, question, answer, guess, model, None, version],
                [task_id, answer, guess, question, model, "", version],
            ]
    for part in parts:
        yield rfc8785.dumps(part).decode()


def _results(told: dict[str, Any], question: str, guess: str) -> Iterator[bytes]:
    """The line of results.jsonl as 0.1 wrote it. Of the judge, everything but its reason and tokens is told."""
    voting = told["voting"]
    first = scorer.question_scorer(voting["answers"][0], guess) if voting["answers"] else None
    for judge in _judgments(told):
        yield msgspec.json.encode(
            {
                **{name: told[name] for name in ("task_id", "level")},
                "question": question,
                **{name: told[name] for name in ("model", "correct", "answer")},
                "expected_output": guess,
                **{name: told[name] for name in ("error", "turns", "wall_ms", "input_tokens", "output_tokens")},
                **{name: told[name] for name in ("cost_usd", "attempts", "tools_used")},
                "scoring": {"scorer": scorer.NAME, "version": scorer.VERSION, "rule": scorer.rule_for(guess)},
                "voting": {**voting, "first_attempt_correct": first},
                "judge": judge,
            }
        )


def _judgments(told: dict[str, Any]) -> Iterator[dict[str, Any] | None]:
    """Of the bundled judge: its reasons are two, and its tokens a few hundred."""
    if told["judge"] is None:
        yield None
        return
    said = told["judge"]
    for version in ("1", "2"):
        shape = {
            "verdict": said["verdict"],
            "reason": "not what the reference answer says" if not said["verdict"] else "the same but for its form",
            "error": None,
            "model": said["model"],
            "prompt_version": version,
            "prompt_sha256": _template(version),
            "cached": said["cached"],
            "cache": said["cache"],
        }
        if said["cached"]:
            yield {**shape, "calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}
            continue
        for tokens in range(300, 700):
            yield {**shape, "calls": 1, "input_tokens": tokens, "output_tokens": 17, "cost_usd": 0.0}


def _template(version: str) -> str:
    return hashlib.sha256(rfc8785.dumps([version, prompt._RULES, prompt._CASE])).hexdigest()
