"""Keeps secrets out of stored text. Hashes are taken before, so that nothing else about the evidence changes."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

from gaia_harness.evidence.excerpt import to_bytes
from gaia_harness.evidence.views import views

SHORTEST_SECRET = 8
"""Shorter values would blot out ordinary words."""

LOOK_AROUND = 4096
"""How far beyond a cut a secret is still recognised, so that no half of one is kept."""

MASKED = "[masked "
"""What stands for a secret begins so."""

LEAST_HIDDEN = {
    "key": SHORTEST_SECRET,
    "openai": 23,
    "huggingface": 23,
    "github": 34,
    "gitlab": 26,
    "aws": 20,
    "google": 39,
    "slack": 15,
    "stripe": 28,
    "brave": 23,
    "tavily": 21,
    "jwt": 35,
    "private_key": 43,
}
"""What a mask may say that it hides, and how many characters that has at least."""

MASK = re.compile(re.escape(MASKED) + f"({'|'.join(LEAST_HIDDEN)})]")

# A token begins where a word does; `n` of `\n` and `D` of `%3D` are no letters of a word.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2}))"
_SHAPES = tuple(
    (kind, "_" if "_" in beginnings[0] else "-" if "-" in beginnings[0] else "", beginnings, re.compile(_START + shape))
    for kind, beginnings, shape in (
        ("openai", ("sk-",), r"sk-[A-Za-z0-9_-]{20,}"),  # Anthropic's begin with sk-ant- and are of this shape too
        ("huggingface", ("hf_",), r"hf_[A-Za-z0-9]{20,}"),
        ("github", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{30,}"),
        ("github", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{40,}"),
        ("gitlab", ("glpat-",), r"glpat-[A-Za-z0-9_-]{20,}"),
        ("aws", ("AKIA", "ASIA"), r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        ("google", ("AIza",), r"AIza[A-Za-z0-9_-]{35}"),
        ("slack", ("xox",), r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
        ("stripe", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[rs]k_(?:live|test)_[A-Za-z0-9]{20,}"),
        ("brave", ("BSA",), r"BSA[A-Za-z0-9_-]{20,}"),
        ("tavily", ("tvly-",), r"tvly-[A-Za-z0-9-]{16,}"),
        ("jwt", ("eyJ",), r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
        (
            "private_key",
            ("-----BEGIN ",),
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
            r"[A-Za-z0-9+/=\s\\]{16,}?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",  # also with its lines as \n
        ),
    )
)
"""Well-known tokens: most texts have none of the beginnings, or not even the mark in them, and are not searched
further."""

SHORTEST_TOKEN = 15
"""No shape fits into less."""


def secrets_in(env: Mapping[str, str]) -> tuple[str, ...]:
    """The values of an environment that are keys in use, by the names of their variables."""
    return tuple(
        value.strip()
        for name, value in sorted(env.items())
        if re.search(r"(KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS?)$", name.upper())
        and len(value.strip()) >= SHORTEST_SECRET
    )


class Redactor:
    """Masks the given secrets, also as they stand in JSON or in an address, and everything of a well-known shape."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets if len(secret) >= SHORTEST_SECRET for form in _forms(secret)}
        self._known = tuple(sorted(forms))

    def mask(self, text: str, start: int = 0, end: int | None = None) -> tuple[str, int]:
        """The characters from `start` to `end` with every secret masked, also one that begins or ends outside them;
        and how many were masked."""
        end = len(text) if end is None else end
        first = max(0, start - LOOK_AROUND)
        probe = text if first == 0 and len(text) <= end + LOOK_AROUND else text[first : end + LOOK_AROUND]
        kept, done, count = [], start, 0
        for begin, stop, kind in sorted(self._spans(probe, end - first)):
            begin, stop = begin + first, stop + first
            if begin >= end:
                break
            if stop <= done:
                continue
            if begin >= done or not count:  # else it overlaps one that is masked already
                kept += [text[done:begin], f"{MASKED}{kind}]"]
                count += 1
            done = stop
        if not count:
            return (text if start == 0 and end == len(text) else text[start:end]), 0
        kept.append(text[done:end])
        return "".join(kept), count

    def _spans(self, text: str, end: int) -> Iterator[tuple[int, int, str]]:
        """Secrets that begin before `end`, wherever they end."""
        for secret in self._known:
            yield from ((place, place + len(secret), "key") for place in _places(text, secret, end))
        if len(text) < SHORTEST_TOKEN:
            return
        for kind, mark, beginnings, shape in _SHAPES:
            for beginning in beginnings if mark in text else ():
                done = 0
                for place in _places(text, beginning, end):
                    if place >= done and (match := shape.match(text, place)):
                        done = match.end()
                        yield place, done, kind


def _places(text: str, part: str, end: int) -> Iterator[int]:
    last = end + len(part)
    place = text.find(part, 0, last)
    while place >= 0:
        yield place
        place = text.find(part, place + 1, last)


def _forms(secret: str) -> set[str]:
    """A secret as it is, as it stands in a JSON string or in an address, and as a reading of the text shows it."""
    address = to_bytes(secret)
    in_json = (json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False))
    readings = (view.text for view in views(secret) if len(view.text) >= SHORTEST_SECRET)
    return {secret, *in_json, quote(address), quote(address, safe=""), *readings}
