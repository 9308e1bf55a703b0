"""A secret is found and masked in whatever way each of its characters is escaped, and nothing of it is stored."""

import html
import json
import re
import tempfile
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
import zstandard
from evidence_samples import QUESTION, QUESTIONS, TASK, filler
from hypothesis import given, settings
from hypothesis import strategies as st

import thoroughness
from gaia_harness.evidence.recording import Recording
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.records.steps import Source


def units(character: str) -> list[int]:
    data = character.encode("utf-16-be")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]


ESCAPES = {
    "plain": str,
    "json": lambda c: "".join(f"\\u{unit:04x}" for unit in units(c)),
    "json in capitals": lambda c: "".join(f"\\u{unit:04X}" for unit in units(c)),
    "json, short": lambda c: "\\/" if c == "/" else json.dumps(c, ensure_ascii=False)[1:-1],
    "x": lambda c: f"\\x{ord(c):02x}" if ord(c) < 256 else "".join(f"\\u{unit:04x}" for unit in units(c)),
    "url": lambda c: "".join(f"%{byte:02X}" for byte in c.encode()),
    "url, small": lambda c: "".join(f"%{byte:02x}" for byte in c.encode()),
    "url where needed": lambda c: quote(c, safe=""),
    "html": lambda c: f"&#{ord(c)};",
    "html hex": lambda c: f"&#x{ord(c):X};",
    "html with zeros": lambda c: f"&#000{ord(c)};",
    "html where needed": html.escape,
}
ONE_UPON_ANOTHER = st.lists(st.sampled_from(sorted(ESCAPES)), min_size=1, max_size=3)
WAYS = st.lists(ONE_UPON_ANOTHER, min_size=1, max_size=24)
KEYS = (
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=8, max_size=24)
    | st.text(st.sampled_from('abcXYZ019"/+=é-_\\%&#;<>ux 😀'), min_size=8, max_size=24)
).filter(lambda key: len(set(key)) > 4 and key == key.strip())


def written(key: str, ways: list[list[str]]) -> str:
    """The key, each character escaped in its own way, and what that gave escaped again."""
    parts = []
    for number, part in enumerate(key):
        for way in ways[number % len(ways)]:
            if len(part) < 100:
                part = "".join(map(ESCAPES[way], part))
        parts.append(part)
    return "".join(parts)


_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def from_json(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        return _SHORT.get(match[2], match[2]) if match[2] else chr(int(match[1][1:], 16))

    text = re.sub(r'\\(?:(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|(["\\/bfnrt]))', one, text)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def read_in_every_way(text: str, times: int = 4) -> set[str]:
    """What somebody reads in a text who undoes escapes, by the standard library, in any order and so many times."""
    found = newest = {text}
    for _ in range(times):
        newest = {undo(each) for each in newest for undo in (html.unescape, unquote, from_json)} - found
        found = found | newest
    return found


@settings(max_examples=thoroughness.of(100))
@given(
    KEYS,
    WAYS,
    st.sampled_from(["", "\\", "%4", "&", "a", "%", "&#", "\\u00", "&amp", "%5C"]),
    st.sampled_from(["", "\\", "%4", "&", ";", "5", "a"]),
)
def test_a_key_is_masked_however_each_of_its_characters_is_escaped(key, ways, before, behind):
    masked, _ = Redactor([key]).mask(f"see {before}{written(key, ways)}{behind} there")
    assert not [reading for reading in read_in_every_way(masked) if key in reading]
    if not before + behind:
        assert masked.startswith("see ") and masked.endswith(" there")


@pytest.mark.parametrize(
    "text",
    [
        r"a\\b\"c\u0041\u0041", "100%25 &amp; more %41%42%43", r"C:\new\table \\server\share", "%%%%%%", "&&&&#&#&#6",
        "\\" * 99,
    ],
)  # fmt: skip
def test_a_text_with_escapes_but_without_the_key_stays_as_it_is(text):
    assert Redactor(['Zq7"private\\key%25&c', "another-key-91"]).mask(text) == (text, 0)


@settings(max_examples=thoroughness.of(100))
@given(KEYS, WAYS, st.integers(1, 24))
def test_of_an_escaped_key_that_a_message_cut_off_no_long_part_is_left(key, ways, size):
    text = f"see {written(key, ways)}"
    masked, _ = Redactor([key]).mask(text[: 4 + size * (len(text) - 4) // 24])
    beginnings = [key[:13]] if len(key) >= 13 else []  # 12, and the first sign of an escape that is cut in two
    assert not [part for part in beginnings for reading in read_in_every_way(masked) if part in reading]


FIELDS = (
    "system", "user", "output", "thoughts", "model", "stop_reason", "response_id", "call_id", "tool", "argument",
    "name of an argument", "inner argument", "raw argument", "result", "url", "title", "answer",
)  # fmt: skip


def record(folder: Path, key: str, field: str, text: str) -> None:
    """A task of a recorded run, with this text in one of its fields."""

    def at(name: str, other: str) -> str:
        return text if name == field else other

    with Recording(folder, QUESTIONS, secrets=[key], full_bodies=True) as recording:
        task = recording.task(TASK, model="agent")
        attempt = task.attempt()
        attempt.prompt(1, "system", at("system", "You look things up."), context_sha256=None)
        attempt.prompt(1, "user", at("user", "Look it up."), context_sha256=None)
        attempt.llm_call(
            1, at("output", "I look."), model=at("model", "agent-1"), stop_reason=at("stop_reason", "stop"),
            response_id=at("response_id", "r"), thoughts=at("thoughts", "hm"),
        )  # fmt: skip
        call_id, tool = at("call_id", "c"), at("tool", "look")
        args = {at("name of an argument", "q"): at("argument", "w"), "more": {"inner": [at("inner argument", "v")]}}
        raw = at("raw argument", "")
        attempt.tool_call(1, call_id, tool, None if raw else args, raw=raw or None)
        source = Source(url=at("url", "https://x.example/"), title=at("title", "t"), offset=0, bytes=9)
        attempt.tool_result(1, call_id, tool, at("result", "found"), sources=[source])
        assert not attempt.failures
        task.finish(at("answer", "42"))


def stored_texts(folder: Path) -> list[str]:
    """Every file as it is, and every string in those that are JSON."""
    found: list[str] = []
    for path in (path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        if path.suffix == ".zst":
            data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
        text = data.decode("utf-8", "surrogateescape")
        found.append(f"{path.name} {text}")
        if path.suffix == ".jsonl":
            queue = [json.loads(line) for line in text.splitlines()]
            while queue:
                item = queue.pop()
                if isinstance(item, str):
                    found.append(item)
                elif isinstance(item, dict):
                    queue += [*item, *item.values()]
                elif isinstance(item, list):
                    queue += item
    return found


@settings(max_examples=thoroughness.of(100))
@given(
    KEYS, WAYS, st.sampled_from(FIELDS), st.sampled_from([0, 0, 300, 2048, 4096, 8192]), st.integers(0, 200),
    st.booleans(),
)  # fmt: skip
def test_nothing_that_a_recorded_run_stores_has_the_key_or_decodes_to_it(key, ways, field, cut, back, asked):
    """Also where the key stands across the place at which an excerpt, or a window around a find, ends."""
    here = written(key, ways)
    question = QUESTION if asked else ""
    text = f"{question}{filler(1500)[: max(0, cut - min(back, len(here)))]}{here} {filler(200)} {here} {question}"
    with tempfile.TemporaryDirectory() as place:
        record(Path(place), key, field, text)
        for stored in stored_texts(Path(place)):
            for reading in read_in_every_way(stored, times=3):
                assert key not in reading
                if cut and len(stored) < 9000:  # no half of it either
                    assert not [at for at in range(len(key) - 7) if key[at : at + 8] in reading]
