"""Masks secrets in everything that is stored. Hashes are taken before masking."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import takewhile
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import msgspec

from gaia_harness.evidence.escaped_secrets import BEHIND_A_CUT, EscapedSecrets
from gaia_harness.evidence.escapes import encoded, readings
from gaia_harness.records.masks import LEAST_HIDDEN, MASKED, SHORTEST_SECRET

T = TypeVar("T")

LOOK_AROUND = 4096
"""How far beyond a cut a secret is still recognised, so that no half of one is kept."""

_ALL_MASKS = "".join(f"{MASKED}{kind}]" for kind in LEAST_HIDDEN)

LONG_WORD = 20
"""Few texts have a word of so many characters, and few tokens are shorter."""

_WORDS = bytes(0x78 if c < 128 and (chr(c).isalnum() or c in b"+/_.-") else 0x20 for c in range(256))

# A token begins where a word does; `n` of `\n` and `D` of `%3D` are no letters of a word.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2}))"
_TOKENS = tuple(
    (kind, beginning, re.compile(_START + shape))
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
    for beginning in beginnings
)
_OTHER_TOKENS = tuple(token for token in _TOKENS if LEAST_HIDDEN[token[0]] < LONG_WORD or token[0] == "private_key")
"""Well-known tokens, all and those that are not one long word: few texts have one, or a word that long."""

SHORTEST_TOKEN = 15
"""No shape fits into less."""

LONG_TEXT = 512
MOST_CLEAN = 32
"""So many texts of more characters than that, but not whole bodies, are known to be masked already."""

EDGE = 256
"""Characters; nothing but a private key is longer and yet begins or ends at a cut that it did not have."""

MOST_ROUNDS = 8
"""A mask may part two secrets that overlapped: so often the masked text is looked at again."""

LONGEST_START = 64
LONGEST_ESCAPED = 2048
"""How far beyond a cut a secret is looked for that is one long word, or that is escaped."""

CUT_OFF = 12
"""So much of a secret at the end of a text that was cut, as messages are, is masked too."""

FILLER = "\ufdd0"
"""Takes the place of each character of a secret in a text whose encodings are about to be undone; no text has it."""

_NO_TEXT = frozenset({int, float, bool, type(None), msgspec.UnsetType})
_FILLED = re.compile(f"{FILLER}+")
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$")


def secrets_in(env: Mapping[str, str]) -> tuple[str, ...]:
    """The values of an environment that are keys in use, by the names of their variables; passwords in addresses."""
    return tuple(named_secrets(env))


_ON_OR_OFF = ("", "0", "1", "true", "false", "yes", "no", "on", "off")


def named_secrets(env: Mapping[str, str]) -> dict[str, str]:
    """The secrets of an environment, each with the name of its variable."""
    return {value: name for value, name in _named(env).items() if can_be_masked(value)}


def unmasked_names(env: Mapping[str, str]) -> tuple[str, ...]:
    """The variables whose values would be secrets if they could be masked. One that is on or off holds no key."""
    named = {
        name for value, name in _named(env).items() if value.lower() not in _ON_OR_OFF and not can_be_masked(value)
    }
    return tuple(sorted(named))


def _named(env: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in sorted(env.items()):
        value = value.strip()
        if _SECRET_NAME.search(name.upper()):
            found.setdefault(value, name)
        elif "://" in value and "@" in value and (password := _password(value)):
            found.setdefault(password, name)
            found.setdefault(unquote(password), name)
    return found


def can_be_masked(value: str) -> bool:
    """What is part of a mask cannot be hidden by one."""
    return len(value) >= SHORTEST_SECRET and value not in _ALL_MASKS


def _password(address: str) -> str | None:
    try:
        return urlsplit(address).password
    except ValueError:
        return None


class Redactor:
    """Masks the given secrets, however they are escaped or encoded, and everything of a well-known shape."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = tuple(sorted(set(filter(can_be_masked, secrets))))
        self._clean: set[str] = set()  # heads and windows, which are masked by themselves and then with their step
        self._beginnings = tuple((secret[:CUT_OFF], secret) for secret in self._secrets)
        self._read = self._forms(readings)
        self._encoded = self._forms(encoded)
        self._long_word = b"x" * min([LONG_WORD, *map(len, self._encoded)])

    @cached_property
    def _escaped(self) -> EscapedSecrets:
        forms = {**dict(zip(self._secrets, self._secrets, strict=True)), **self._read, **self._encoded}
        return EscapedSecrets(forms, least_cut_off=CUT_OFF)

    def _forms(self, forms: Callable[[str], Iterable[str]]) -> dict[str, str]:
        """Forms of the secrets, each with its secret."""
        return {form: secret for secret in self._secrets for form in forms(secret) if can_be_masked(form)}

    def hide(self, value: T) -> T:
        """The same value with every secret masked in all its strings, whatever it is made of."""
        return self.hide_and_count(value)[0]

    def hide_and_count(self, value: T) -> tuple[T, int]:
        """The same, and how many were masked. What has none is given back as it is."""
        hidden: Any = value
        count = 0
        if isinstance(value, str):
            return self.mask(value)  # type: ignore[return-value]
        if isinstance(value, msgspec.Struct):
            changed = {}
            for name in value.__struct_fields__:
                old = getattr(value, name)
                if old.__class__ in _NO_TEXT or old == ():
                    continue
                field, found = self.hide_and_count(old)
                if found:
                    changed[name] = field
                    count += found
            hidden = msgspec.structs.replace(value, **changed) if changed else value
        elif isinstance(value, dict):
            hidden = {}
            for name, item in value.items():
                name, in_name = self.hide_and_count(name)
                item, in_item = self.hide_and_count(item)
                count += in_name + in_item
                while in_name and name in hidden:  # two secrets are two names
                    name += "'"
                hidden[name] = item
        elif isinstance(value, list | tuple):
            items = [self.hide_and_count(item) for item in value]
            count = sum(found for _, found in items)
            parts = [item for item, _ in items]
            hidden = value._make(parts) if hasattr(value, "_make") else type(value)(parts)
        return (hidden if count else value), count

    def hide_bytes(self, data: bytes) -> bytes:
        """A whole text as it is kept, which may be no text: the same bytes where nothing is masked."""
        masked, count = self.mask(data.decode("utf-8", "surrogateescape"))
        return masked.encode("utf-8", "surrogateescape") if count else data

    def holds(self, text: str) -> str | None:
        """The first of the given secrets that a text contains, in any form."""
        forms = {**dict(zip(self._secrets, self._secrets, strict=True)), **self._read, **self._encoded}
        plain = next((secret for form, secret in forms.items() if form in text), None)
        return plain or next((span.secret for span in self._escaped.spans(text, whole=True)), None)

    def fill(self, text: str) -> str:
        """The text, as long as it is, without the given secrets: so that undoing an encoding cannot join half of one
        with what stands beside it."""
        parts, done = [], 0
        for begin, stop in sorted(
            self._key_spans(text, len(text), self._encoded if self._has_long_words(text) else ())
        ):
            if stop > done:
                begin = max(begin, done)
                parts += [text[done:begin], FILLER * (stop - begin)]
                done = stop
        return "".join([*parts, text[done:]]) if parts else text

    def mask_filled(self, text: str, start: int, end: int) -> tuple[str, int]:
        """As `mask`, of a text that was filled before it was decoded."""
        masked, count = self.mask(text, start, end)
        masked, filled = _FILLED.subn(f"{MASKED}key]", masked)
        return masked, count + filled

    def mask(self, text: str, start: int = 0, end: int | None = None) -> tuple[str, int]:
        """The characters from `start` to `end` with every secret masked, also one that begins or ends outside them;
        and how many were masked. To mask what was masked changes nothing."""
        if end is None and text in self._clean:
            return text, 0
        end = len(text) if end is None else end
        masked, count = self._mask(text, start, end)
        more = count or (end - start < len(text) and self._at_an_edge(masked))
        for _ in range(MOST_ROUNDS):
            if not more:
                break
            masked, more = self._mask(masked, 0, len(masked))
            count += more
        if LONG_TEXT < len(masked) <= LOOK_AROUND * 2:
            if len(self._clean) >= MOST_CLEAN:
                self._clean.clear()
            self._clean.add(masked)
        return masked, count

    def _at_an_edge(self, piece: str) -> int:
        """Whether a piece shows what the whole did not, as it begins or ends in a word that was longer."""
        if "-----BEGIN " in piece:
            return 1
        edges = piece if len(piece) <= 2 * EDGE else f"{piece[:EDGE]}\0{piece[-EDGE:]}"
        return self._mask(edges, 0, len(edges))[1]

    def _mask(self, text: str, start: int, end: int) -> tuple[str, int]:
        if end - start < SHORTEST_SECRET and len(text) < SHORTEST_SECRET:
            return text[start:end], 0
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
        near = text if len(text) <= end + LONGEST_START else text[: end + LONGEST_START]
        long_words = self._has_long_words(near)
        for begin, stop in self._key_spans(text, end, self._encoded if long_words else ()):
            yield begin, stop, "key"
        if len(text) < SHORTEST_TOKEN:
            return
        for kind, beginning, shape in _TOKENS if long_words else _OTHER_TOKENS:
            if beginning in near:
                done = 0
                for place in _places(text, beginning, end):
                    if place >= done and (match := shape.match(text, place)):
                        done = match.end()
                        yield place, done, kind

    def _has_long_words(self, text: str) -> bool:
        return self._long_word in text.encode("utf-8", "replace").translate(_WORDS)

    def _key_spans(self, text: str, end: int, encoded_forms: Iterable[str]) -> Iterator[tuple[int, int]]:
        """The given secrets alone."""
        if not self._secrets:
            return
        for beginning, secret in self._beginnings:
            for place in _places(text, beginning, end):
                if stop := _end_of(secret, text, place):
                    yield place, stop
        for forms in (self._read, encoded_forms):
            for form in forms:
                yield from ((place, place + len(form)) for place in _places(text, form, end))
        near = text[: end + LONGEST_ESCAPED]
        if "\\" in near or "%" in near or "&" in near:
            for span in self._escaped.spans(near, goes_on=len(near) < len(text)):
                yield span.begin, span.stop


def _end_of(secret: str, text: str, place: int) -> int | None:
    """Where a secret ends that begins here, be it cut off; None where it is only something that begins alike."""
    if text.startswith(secret, place):
        return place + len(secret)
    if secret[0] in "/~":  # the path of a file with keys: its folder is no secret
        return None
    alike = zip(secret, text[place : place + len(secret)], strict=False)
    stop = place + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], alike))
    return stop if stop == len(text) or text[stop] in BEHIND_A_CUT else None


def _places(text: str, part: str, end: int) -> Iterator[int]:
    last = end + len(part)
    place = text.find(part, 0, last)
    while place >= 0:
        yield place
        place = text.find(part, place + 1, last)
