"""Cached judgments: a hit is what our key signed for exactly this; anything else is a miss, and is said."""

import base64
import json
import logging
import os
import socket
import stat

import pytest

from fakes import FakeModel
from gaia_harness.judge.cache import LARGEST_ENTRY, JudgeCache
from gaia_harness.judge.entry import PAYLOAD_TYPE, JudgeRequest
from gaia_harness.judge.llm import LlmJudge
from gaia_harness.judge.prompt import PROMPT_VERSION
from gaia_harness.signing.signers import generate_signer, sign_dsse

CASE = ("task-1", "Which island has the oldest lamp?", "the isle of Ostmar", "Ostmar")
OTHER = ("task-2", "Which island has the newest lamp?", "Velmar", "Velmar")
ADDRESS = "https://judge.example/v1"
YES, NO = '{"correct": true, "reason": "The same."}', '{"correct": false, "reason": "Judged anew."}'
KEY_IN_0_1 = "131974c6fe5f6f7729844ba2427ef037c09062b69489fabf411b68da4405ef13"
SIGNER, STRANGER = generate_signer(), generate_signer()


class Place:
    """A cache folder, and runs that use it one after another."""

    def __init__(self, folder, caplog):
        self.folder = folder
        self.caplog = caplog

    async def run(self, *cases, says=NO, signer=SIGNER, retired=(), address=ADDRESS):
        """Judge cases as a new process would; what came out, the events, the cache and its warnings."""
        self.caplog.clear()
        self.cache = JudgeCache(self.folder, signer, retired=retired)
        self.events = []
        self.model = FakeModel(says, address=address)
        judge = LlmJudge(self.model, self.cache, on_integrity=lambda kind, detail: self.events.append((kind, detail)))
        judgments = [await judge.judge(*case) for case in cases]
        self.warnings = [r.getMessage() for r in self.caplog.records if r.levelno == logging.WARNING]
        return judgments if len(judgments) > 1 else judgments[0]

    def file(self, case=CASE):
        key = asked(case).key()
        return self.folder / "judgments" / key[:2] / f"{key}.json"

    def entry(self, case=CASE):
        return json.loads(self.file(case).read_bytes())

    def write(self, entry, case=CASE):
        self.file(case).write_text(json.dumps(entry), "utf-8")


def asked(case):
    task_id, question, answer, expected = case
    return JudgeRequest(
        task_id=task_id, question=question, answer=answer, expected=expected, model="fake/model", address=ADDRESS,
        prompt_version=PROMPT_VERSION,
    )  # fmt: skip


@pytest.fixture
async def place(tmp_path, caplog):
    """A cache that has a good entry for each of the two cases."""
    place = Place(tmp_path / "cache", caplog)
    first = await place.run(CASE, OTHER, says=YES)
    assert [judgment.cache for judgment in first] == ["miss", "miss"]
    assert place.warnings == [] and place.events == []
    return place


async def test_what_was_judged_once_is_not_asked_again(place):
    judgment = await place.run(CASE)
    assert (judgment.verdict, judgment.reason, judgment.cached, judgment.cache) == (True, "The same.", True, "hit")
    assert (judgment.calls, judgment.input_tokens, judgment.output_tokens, judgment.error) == (0, 0, 0, None)
    assert place.model.requests == []
    assert (place.cache.hits, place.cache.integrity_events, place.cache.legacy_entries) == (1, 0, 0)
    assert place.warnings == [] and place.events == []


@pytest.mark.parametrize("changed", ["task_id", "question", "answer", "expected"])
async def test_another_question_is_a_plain_miss(place, changed):
    case = dict(zip(("task_id", "question", "answer", "expected"), CASE, strict=True)) | {changed: "Velmar"}
    judgment = await place.run(tuple(case.values()))
    assert (judgment.verdict, judgment.cache, judgment.calls) == (False, "miss", 1)
    assert place.events == [] and place.warnings == []


async def test_the_same_model_name_at_another_address_is_a_plain_miss(place):
    for address in ("https://other.example/v1", "https://judge.example/v2", "http://judge.example/v1", ""):
        judgment = await place.run(CASE, address=address)
        assert (judgment.verdict, judgment.cache, judgment.calls) == (False, "miss", 1)
        assert place.events == [] and place.warnings == []
    assert (await place.run(CASE)).cache == "hit"


async def test_an_entry_of_0_1_is_no_answer_to_anything(place):
    """It said neither which question was asked nor where. Left where it lies, nobody looks at it."""
    new = asked(CASE).key()
    old = {**place.entry()["judgment"], "cache_key": KEY_IN_0_1}
    del old["question"], old["address"]
    payload = json.dumps(old, sort_keys=True, separators=(",", ":")).encode()
    envelope = json.loads(sign_dsse(SIGNER, "application/vnd.gaia-harness.judgment.v1+json", payload))
    place.file().unlink()
    path = place.folder / "judgments" / KEY_IN_0_1[:2] / f"{KEY_IN_0_1}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"judgment": old, "envelope": envelope}))
    judgment = await place.run(CASE)
    assert (judgment.verdict, judgment.cache) == (False, "miss")
    assert (place.cache.integrity_events, place.cache.legacy_entries, place.warnings) == (0, 0, [])
    place.file().write_bytes(path.read_bytes())  # under the name of the new kind, it is somebody's doing
    assert (await place.run(CASE)).cache == "tampered"
    assert new != KEY_IN_0_1


async def test_another_model_or_prompt_is_another_entry():
    one = asked(CASE)
    others = [JudgeRequest(**{name: getattr(one, name) for name in one.__struct_fields__} | {name: "other"})
              for name in one.__struct_fields__]  # fmt: skip
    assert len({each.key() for each in [one, *others]}) == 8


async def test_the_key_is_the_hash_that_others_compute():
    # printf '["task-1","Which island has the oldest lamp?","the isle of Ostmar","Ostmar","fake/model",\
    # "https://judge.example/v1","1"]' | sha256sum, in one line
    assert asked(CASE).key() == "3490f49b345b4fbddace1c473bec2546978e9830a8f052bb3f915b0c9753f654"


async def test_an_entry_can_be_read_by_people_and_by_nobody_else(place):
    entry = place.entry()
    assert entry["judgment"] == {
        "task_id": "task-1", "question": "Which island has the oldest lamp?", "answer": "the isle of Ostmar",
        "expected": "Ostmar", "model": "fake/model", "address": ADDRESS, "prompt_version": PROMPT_VERSION,
        "verdict": True, "reason": "The same.", "cache_key": asked(CASE).key(),
    }  # fmt: skip
    payload = base64.b64decode(entry["envelope"]["payload"])
    assert payload == json.dumps(entry["judgment"], sort_keys=True, separators=(",", ":")).encode()
    assert b'\n    "verdict": true,\n' in place.file().read_bytes()
    assert stat.S_IMODE(place.file().stat().st_mode) == 0o600
    for folder in (place.folder, place.folder / "judgments", place.file().parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_an_entry_that_was_only_laid_out_anew_is_a_hit(place):
    place.write(place.entry())
    assert (await place.run(CASE)).cached


async def test_no_verdict_is_not_cached(place):
    case = ("task-3", "How many lamps?", "3", "4")
    assert (await place.run(case, says="Hm.")).verdict is None
    assert not place.file(case).exists()
    assert (await place.run(case)).cache == "miss"


# Each of these takes a place with good entries for CASE and OTHER and does something to the one for CASE.


def show(name, value):
    def manipulate(place):
        entry = place.entry()
        entry["judgment"][name] = value
        place.write(entry)

    return manipulate


def repack(**changes):
    """Change what is shown and what is signed alike, and keep the signature."""

    def manipulate(place):
        entry = place.entry()
        entry["judgment"].update(changes)
        entry["envelope"]["payload"] = base64.b64encode(
            json.dumps(entry["judgment"], sort_keys=True, separators=(",", ":")).encode()
        ).decode()
        place.write(entry)

    return manipulate


def drop(*names):
    def manipulate(place):
        entry = place.entry()
        part = entry
        for name in names[:-1]:
            part = part[name]
        del part[names[-1]]
        place.write(entry)

    return manipulate


def resign(signer, payload_type, **changes):
    def manipulate(place):
        judgment = place.entry()["judgment"] | changes
        payload = json.dumps(judgment, sort_keys=True, separators=(",", ":")).encode()
        place.write({"judgment": judgment, "envelope": json.loads(sign_dsse(signer, payload_type, payload))})

    return manipulate


def sign_bytes(payload):
    def manipulate(place):
        envelope = json.loads(sign_dsse(SIGNER, PAYLOAD_TYPE, payload))
        place.write({"judgment": place.entry()["judgment"], "envelope": envelope})

    return manipulate


def bytes_of(data):
    return lambda place: place.file().write_bytes(data)


def no_signature(place):
    entry = place.entry()
    entry["envelope"]["signatures"] = []
    place.write(entry)


def stranger_under_our_name(place):
    resign(STRANGER, PAYLOAD_TYPE)(place)
    entry = place.entry()
    entry["envelope"]["signatures"][0]["keyid"] = SIGNER.public.key_id
    place.write(entry)


def signature_of_another(place):
    entry = place.entry()
    entry["envelope"]["signatures"] = place.entry(OTHER)["envelope"]["signatures"]
    place.write(entry)


def envelope_of_another(place):
    place.write({"judgment": place.entry()["judgment"], "envelope": place.entry(OTHER)["envelope"]})


def instead(make):
    def manipulate(place):
        place.file().unlink()
        make(place.file())

    return manipulate


def link(path):
    good = path.with_name("elsewhere.json")
    good.write_text("{}")
    path.symlink_to(good)


def link_to_the_good_entry(place):
    place.file().rename(place.folder / "good.json")
    place.file().symlink_to(place.folder / "good.json")


def huge(place):
    os.truncate(place.file(), 100_000_000)


def bind_socket(path):
    here = os.open(path.parent, os.O_RDONLY)  # the whole path may be too long for a socket's name
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(f"/proc/self/fd/{here}/{path.name[:40]}")
    os.close(here)
    (path.parent / path.name[:40]).rename(path)


MANIPULATIONS = {
    "verdict flipped by hand": (show("verdict", False), "fields", "verdict"),
    "verdict as a number": (show("verdict", 1), "fields", "verdict"),
    "answer edited": (show("answer", "Velmar"), "fields", "answer"),
    "expected edited": (show("expected", "Velmar"), "fields", "expected"),
    "reason edited": (show("reason", "Because."), "fields", "reason"),
    "task edited": (show("task_id", "task-2"), "fields", "task_id"),
    "question edited": (show("question", "Which?"), "fields", "question"),
    "address edited": (show("address", "https://other.example"), "fields", "address"),
    "model edited": (show("model", "fake/better"), "fields", "model"),
    "prompt version edited": (show("prompt_version", "0"), "fields", "prompt_version"),
    "key edited": (show("cache_key", "0" * 64), "fields", "cache_key"),
    "field added": (show("note\x1b[2J", "!"), "fields", "others"),
    "field removed": (drop("judgment", "reason"), "fields", "reason"),
    "verdict flipped in the payload too": (repack(verdict=False), "signature", "does not fit"),
    "reason edited in the payload too": (repack(reason="x"), "signature", "does not fit"),
    "signature list emptied": (no_signature, "signature", "exactly one signature"),
    "signature removed": (drop("envelope", "signatures"), "signature", "signatures"),
    "envelope removed": (drop("envelope"), "format", "envelope"),
    "only the envelope left": (drop("judgment"), "format", "judgment"),
    "only the judgment's fields left": (lambda p: p.write(p.entry()["judgment"]), "format", "envelope"),
    "a bare envelope": (lambda p: p.write(p.entry()["envelope"]), "format", "envelope"),
    "signature of another entry": (signature_of_another, "signature", "does not fit"),
    "envelope of another entry": (envelope_of_another, "fields", "signed for something else: task_id"),
    "another entry under this name": (lambda p: p.file().write_bytes(p.file(OTHER).read_bytes()),
                                      "fields", "signed for something else: task_id"),
    "a stranger's signature": (resign(STRANGER, PAYLOAD_TYPE), "signature", "unknown key"),
    "a stranger's signature under our name": (stranger_under_our_name, "signature", "does not fit"),
    "our signature for another purpose": (resign(SIGNER, "application/vnd.in-toto+json"), "signature", "holds"),
    "our signature, no verdict": (resign(SIGNER, PAYLOAD_TYPE, verdict=None), "format", "not a judgment"),
    "our signature, a long reason": (resign(SIGNER, PAYLOAD_TYPE, reason="x" * 201), "format", "not a judgment"),
    "our signature, another name": (resign(SIGNER, PAYLOAD_TYPE, more=1), "fields", "others"),
    "our signature on a list": (sign_bytes(b"[]"), "format", "not a judgment"),
    "our signature on no JSON": (sign_bytes(b"\xff"), "format", "UTF-8"),
    "cut short": (lambda p: os.truncate(p.file(), 200), "format", "not JSON"),
    "empty": (bytes_of(b""), "format", "not JSON"),
    "garbage": (bytes_of(bytes(range(256)) * 20), "format", "UTF-8"),
    "zeros": (bytes_of(bytes(1000)), "format", "not JSON"),
    "null": (bytes_of(b"null"), "format", "judgment"),
    "an empty object": (bytes_of(b"{}"), "format", "judgment"),
    "deep nesting": (bytes_of(b"[" * 500_000), "format", "nested"),
    "verdict twice": (lambda p: p.file().write_bytes(
        p.file().read_bytes().replace(b'"verdict": true', b'"verdict": false, "verdict": true')), "format", "twice"),
    "a directory": (instead(lambda path: path.mkdir()), "file", "not a regular file"),
    "a link": (instead(link), "file", "a link"),
    "a link to a good entry": (link_to_the_good_entry, "file", "a link"),
    "a dangling link": (instead(lambda path: path.symlink_to("nowhere")), "file", "a link"),
    "a pipe": (instead(os.mkfifo), "file", "not a regular file"),
    "a socket": (instead(bind_socket), "file", "not a regular file"),
    "100 MB": (huge, "file", "100000000 bytes"),
    "a byte too large": (lambda p: os.truncate(p.file(), LARGEST_ENTRY + 1), "file", "more than an entry can have"),
}  # fmt: skip


@pytest.mark.parametrize("what", MANIPULATIONS)
async def test_a_manipulated_entry_is_judged_again_and_said(place, what):
    manipulate, kind, detail = MANIPULATIONS[what]
    manipulate(place)
    judgment = await place.run(CASE)
    assert (judgment.verdict, judgment.reason, judgment.cached) == (False, "Judged anew.", False)
    assert (judgment.cache, judgment.calls, len(place.model.requests)) == ("tampered", 1, 1)
    [(event_kind, event_detail)] = place.events
    assert event_kind == f"judge_cache_{kind}"
    assert event_detail.startswith("the judgment of 'task-1': ")  # not its key, by which a gold could be guessed
    assert detail in event_detail
    assert event_detail.isprintable()
    assert (place.cache.integrity_events, place.cache.legacy_entries, place.cache.hits) == (1, 0, 0)
    assert f"judgments/{place.file().parent.name}/{place.file().name}: " in place.warnings[0]
    assert detail in place.warnings[0]
    if what == "a directory":  # it is left to whoever made it
        assert "cannot be kept" in place.warnings[1]
        return
    assert len(place.warnings) == 1
    again = await place.run(CASE)  # the entry is a good one again
    assert (again.verdict, again.cache, place.events, place.warnings) == (False, "hit", [], [])


async def test_the_target_of_a_link_is_left_alone(place):
    link_to_the_good_entry(place)
    before = (place.folder / "good.json").read_bytes()
    await place.run(CASE)
    assert (place.folder / "good.json").read_bytes() == before
    assert not place.file().is_symlink()


async def test_every_manipulated_entry_is_counted(place):
    show("verdict", False)(place)
    place.file(OTHER).write_bytes(b"?")
    await place.run(CASE, OTHER)
    assert place.cache.integrity_events == len(place.events) == len(place.warnings) == 2


@pytest.mark.parametrize(
    "old",
    [{"correct": True, "reason": "The same."}, {"verdict": True}, {"task_id": "task-1", "is_correct": True, "v": 1}],
)
async def test_entries_of_the_old_kind_are_judged_again_signed_and_counted_apart(place, old):
    for case in (CASE, OTHER):
        place.write(old, case)
    judgments = await place.run(CASE, OTHER)
    assert [(j.verdict, j.cache, j.cached, j.calls) for j in judgments] == [(False, "legacy", False, 1)] * 2
    assert (place.cache.legacy_entries, place.cache.integrity_events, place.events) == (2, 0, [])
    [warning] = place.warnings
    assert "without a signature" in warning
    assert [j.cache for j in await place.run(CASE, OTHER)] == ["hit", "hit"]
    assert place.cache.legacy_entries == 0


async def test_entries_of_a_retired_key_of_ours_are_judged_again_and_said_once(place):
    new = generate_signer()
    judgments = await place.run(CASE, OTHER, signer=new, retired=[STRANGER.public, SIGNER.public])
    assert [(j.verdict, j.cache) for j in judgments] == [(False, "legacy")] * 2
    assert (place.cache.legacy_entries, place.cache.integrity_events, place.events) == (2, 0, [])
    [warning] = place.warnings
    assert "retired" in warning and SIGNER.public.fingerprint in warning
    again = await place.run(CASE, OTHER, signer=new, retired=[SIGNER.public])
    assert [j.cache for j in again] == ["hit", "hit"]


async def test_entries_of_a_key_that_was_never_ours_are_events(place):
    await place.run(CASE, OTHER, signer=generate_signer(), retired=[STRANGER.public])
    assert place.cache.integrity_events == len(place.events) == 2
    assert place.cache.legacy_entries == 0


@pytest.mark.parametrize("what", ["verdict flipped by hand", "another entry under this name"])
async def test_a_manipulated_entry_of_a_retired_key_is_an_event(place, what):
    MANIPULATIONS[what][0](place)
    judgment = await place.run(CASE, signer=generate_signer(), retired=[SIGNER.public])
    assert judgment.cache == "tampered"
    assert len(place.events) == 1


async def test_an_answer_with_a_lone_surrogate_is_judged_and_not_cached(place):
    case = ("task-1", "Which?", "Ostmar \ud800", "Ostmar")
    for _ in range(2):
        judgment = await place.run(case)
        assert (judgment.verdict, judgment.cache, judgment.calls) == (False, "miss", 1)
    assert len(list(place.folder.rglob("*.json"))) == 2


async def test_an_answer_too_long_for_an_entry_is_judged_and_not_cached(place):
    case = ("task-1", "Which?", "x" * 600_000, "Ostmar")
    for _ in range(2):
        judgment = await place.run(case)
        assert (judgment.verdict, judgment.cache, place.events) == (False, "miss", [])


async def test_the_longest_answer_an_agent_can_give_is_cached(place):
    case = ("task-1", "Which?", "\x01" * 10_000, "Ostmar")
    await place.run(case)
    assert (await place.run(case)).cached
