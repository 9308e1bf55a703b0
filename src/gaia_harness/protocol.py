"""Which answer do a model's words give? One rule for the agent, and for whoever reads its words later."""

import re
from collections.abc import Iterator

LONGEST = 10_000
"""An answer is cut here: GAIA's are a few words, and what is longer is wrong whatever it says."""

CUT_SHORT = frozenset(("length", "max_tokens", "model_context_window_exceeded"))
"""Stop reasons of a reply that ends where there was no more room, and not where the model had said all."""

# Every quantifier is possessive, or a reply full of white space would take the square of its length.
_MARKER = re.compile(
    r"[^\S\n]*+(?:[*_#>`~•+-]++[^\S\n]*+)*+"  # markup before it: bold, a heading, a quote, a list
    r"FINAL[^\S\n]++ANSWER[^\S\n]*+(?:[*_`]++[^\S\n]*+)?+[:：]",
    re.IGNORECASE,
)
_MARKER_ANYWHERE = re.compile(r"FINAL\s++ANSWER\s*+(?:(?:\*\*|__)\s*+)?[:：]", re.IGNORECASE)
_FENCE = re.compile(r"\s*+(?:`{3,}|~{3,})[\w+-]*\s*")
_WRAPPING = "*_` \t\r\n"
_BOXED = re.compile(r"\$*\\boxed\{([^{}]*)\}\$*")
_TEMPLATE = re.compile(
    r"(?:(?:insert|put|write) )?(?:the|your|my) (?:final |short |exact |own )*answer(?: here| goes here)?"
    r"|(?:final )?answer(?: goes)? here|\.{2,}|…+",
    re.IGNORECASE,
)
_BRACKETED = re.compile(
    r"<\W*(?:final[ _-])?answer\W*>|\[\W*(?:final )?answer\W*\]|\{\W*(?:final[ _-])?answer\W*\}", re.I
)


def final_answer(text: str) -> str | None:
    """What the last line that begins with `FINAL ANSWER:` gives; None where there is none, or only template words.

    Markup may stand before the marker and round the answer; the answer may also stand on the next line.
    """
    return next((answer for answer in _answers(text) if not is_template(answer)), None)


def has_only_template(text: str) -> bool:
    """Whether every answer that a text gives is one of the template: it repeats how an answer is to be given."""
    answers = list(_answers(text))
    return bool(answers) and all(map(is_template, answers))


def is_template(answer: str) -> bool:
    """Whether what stands where an answer should are the words that stand for one, such as `[YOUR FINAL ANSWER]`."""
    bare = " ".join(answer.split())
    return bool(_BRACKETED.fullmatch(bare) or _TEMPLATE.fullmatch(bare.strip("<>[](){}\"'“”‘’ ") or bare))


def readings(text: str) -> list[str]:
    """The answers that a reply may be taken to give: by the rule of today, and by that of version 0.1."""
    return [answer for answer in (final_answer(text), last_marked(text)) if answer is not None]


def last_marked(text: str) -> str | None:
    """What stands behind the last `FINAL ANSWER:`, wherever on its line.

    Version 0.1 took this for the answer. An audit still reads by it: what another agent took, or one of that version.
    """
    end = len(text)
    for marker in reversed(list(_MARKER_ANYWHERE.finditer(text))):
        for line in text[marker.end() : end].splitlines():
            answer = line.strip(_WRAPPING)
            if answer:
                return answer[:LONGEST]
        end = marker.start()
    return None


def _answers(text: str) -> Iterator[str]:
    """What stands behind each marker, the last one first; a marker with nothing behind it is left out."""
    lines = text.splitlines()
    end = len(lines)
    for number in range(len(lines) - 1, -1, -1):
        marker = _MARKER.match(lines[number])
        if marker is None:
            continue
        for line in (lines[number][marker.end() :], *lines[number + 1 : end]):
            answer = "" if _FENCE.fullmatch(line) else _unwrapped(line)
            if answer:
                yield answer[:LONGEST]
                break
        end = number


def _unwrapped(line: str) -> str:
    answer = line.strip(_WRAPPING)
    boxed = _BOXED.fullmatch(answer)
    return answer if boxed is None else boxed[1].strip(_WRAPPING)
