"""What the scan finds in a tool's output, and what it keeps of it."""

import codecs
import sys

import pytest
from evidence_samples import (
    ANSWER,
    FINGERPRINT,
    OTHER,
    OTHER_QUESTION,
    QUESTION,
    QUESTIONS,
    TASK,
    THIRD_QUESTION,
    filler,
    fingerprint,
    look,
)
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.evidence.fingerprint import Fingerprint
from gaia_harness.evidence.matcher import CompiledMatcher, PlainMatcher
from gaia_harness.evidence.recorder import Recorder, RecorderSettings
from gaia_harness.evidence.scan import scan
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import Source

PLAIN = fingerprint(build=PlainMatcher)
COMPILED = fingerprint(build=CompiledMatcher)
LEAK = f"{QUESTION}\nThat one is easy: {ANSWER}."


def kept(found) -> str:
    return "\n".join(window.text for window in found.windows)


def sources_of(*parts: str, urls: tuple[str, ...] = ()) -> tuple[str, list[Source]]:
    """One text of several hits, with where each of them stands."""
    text, sources = "", []
    for number, part in enumerate(parts):
        url = urls[number] if urls else f"https://hit{number}.example/"
        sources.append(Source(url=url, title="", offset=len(to_bytes(text)), bytes=len(to_bytes(part))))
        text += part
    return text, sources


@pytest.mark.parametrize("before", [0, 1, 700, 5_000])
@pytest.mark.parametrize("after", [0, 3_000])
def test_a_copy_is_found_wherever_it_stands_and_what_follows_it_is_kept(before, after):
    found = look(f"{filler(before)} {LEAK} {filler(after, seed=2)}")
    assert found.scan.copy == 1.0
    assert found.flagged
    assert ANSWER in kept(found)
    assert QUESTION in kept(found).replace("\n", " ") or QUESTION[-60:] in kept(found)


def test_an_honest_page_has_no_copy_no_window_and_is_not_kept():
    found = look(filler(3_000))
    assert found.scan.copy < 0.1
    assert found.windows == ()
    assert not found.flagged


def test_what_stands_before_a_copy_is_kept_too():
    assert ANSWER in kept(look(f"{filler(2_000)} Answer: {ANSWER}. {QUESTION} {filler(2_000)}"))


@pytest.mark.parametrize(("words", "keeps"), [(11, True), (8, False)])
def test_a_row_of_ten_words_is_kept_with_what_follows_it_however_little_of_the_question_it_is(words, keeps):
    row = " ".join(QUESTION.split()[-words:])
    found = look(f"{filler(3_000)} ... {row} Answer: {ANSWER} ... {filler(3_000, seed=2)}")
    assert not found.flagged
    assert (ANSWER in kept(found)) is keeps


def test_half_a_copy_counts_by_its_share():
    words = QUESTION.split()
    share = look(f"{filler(50)} {' '.join(words[: len(words) // 2])} {filler(50)}").scan.copy
    assert 0.3 < share < 0.5


def test_pieces_strewn_over_a_long_page_are_no_copy():
    words = QUESTION.split()
    pieces = [" ".join(words[i : i + 6]) for i in range(0, len(words) - 5, 6)]
    found = look(" ".join(f"{piece} {filler(300, seed=i)}" for i, piece in enumerate(pieces)))
    assert 0 < found.scan.copy < 0.3


def test_every_copy_of_several_is_kept_with_what_follows_it():
    decoy = f"{QUESTION} Nobody knows. "
    found = look(f"{decoy} {filler(1_000)} {LEAK} {filler(1_000)}")
    assert ANSWER in kept(found)
    assert "Nobody knows" in kept(found)


def test_the_end_of_a_very_long_question_is_kept_with_what_follows_it():
    question = filler(1_500, seed=7)
    task = Fingerprint({TASK: question})
    found = scan(f"{filler(500)} {question} Surely {ANSWER}.", task, TASK)
    assert found.scan.copy >= 0.5
    assert ANSWER in kept(found)


@pytest.mark.parametrize("words", ["", "Why", "Which bird", "Which bird is it then"])
def test_short_questions_are_scanned_for_and_their_echo_is_taken_out(words):
    task = Fingerprint({TASK: words})
    found = scan(f"so: {words} indeed", task, TASK)
    assert found.scan.copy == (1.0 if words else 0.0)
    assert scan(f"so: {words} indeed", task, TASK, sent=f"tell me: {words}").scan.copy == 0.0


def test_other_questions_are_counted():
    found = look(f"{OTHER_QUESTION} {filler(200)} {THIRD_QUESTION}")
    assert (found.scan.questions, found.scan.together, found.scan.copy) == (2, 2, 0.0)
    assert found.flagged
    assert OTHER_QUESTION[-50:] in kept(found)


def test_task_ids_are_told_apart():
    assert look(f"row {TASK}, 7").scan.own_id
    found = look(f"row {OTHER.upper()}, 7")
    assert not found.scan.own_id
    assert found.scan.other_ids == 1
    assert found.flagged
    assert OTHER.upper() in kept(found)


def test_signatures_of_data_sets_are_named():
    found = look('{"task_id": 1, "Question": "?", "Final answer": "x", "Annotator Metadata": {"Number of steps": 3}}')
    assert {"task_id", "final_answer", "annotator_metadata", "number_of_steps"} <= set(found.scan.signatures)


def test_a_question_in_other_words_is_covered_beside_a_signature_only():
    reworded = " ".join(reversed(QUESTION.split()))
    with_keys = look(f'{{"task_id": 3, "Question": "{reworded}", "Final answer": "{ANSWER}"}}')
    assert with_keys.scan.copy < 0.3
    assert with_keys.scan.cover > 0.9
    assert with_keys.flagged
    assert ANSWER in kept(with_keys)
    assert look(reworded).scan.cover == 0.0


def test_page_shapes_of_the_sources_are_named():
    text, sources = sources_of("a", "b", urls=("https://hub.example/datasets/lab/bench", "https://x.example/"))
    found = look(text, sources=sources)
    assert found.scan.pages == ("dataset-page",)
    assert [(part.source, part.pages) for part in found.scan.by_source] == [(0, ("dataset-page",))]
    assert found.flagged


# what the agent sent


def test_an_echo_of_what_the_agent_sent_is_no_copy():
    found = look(f"Results for: {QUESTION}\n{filler(300)}", sent=QUESTION)
    assert found.scan.copy < 0.1
    assert found.scan.echo == 1.0
    assert found.flagged


def test_an_echo_with_other_punctuation_and_case_is_no_copy():
    found = look(f"Results for: {QUESTION.upper().replace(' ', '  ')}", sent=QUESTION.rstrip("?"))
    assert (found.scan.copy, found.scan.echo) == (0.0, 1.0)


def test_a_copy_that_is_longer_than_what_was_sent_counts():
    words = QUESTION.split()
    found = look(f"{filler(100)} {LEAK}", sent=" ".join(words[: len(words) * 2 // 3]))
    assert found.scan.copy == 1.0
    assert ANSWER in kept(found)


def test_a_copy_beside_an_echo_of_a_part_counts():
    part = " ".join(QUESTION.split()[:12])
    found = look(f"You searched for {part}.\n{filler(500)}\n{LEAK}", sent=part)
    assert found.scan.copy == 1.0


def test_another_question_that_the_agent_sent_is_an_echo_too():
    assert look(f"Results for {OTHER_QUESTION}", sent=OTHER_QUESTION).scan.questions == 0


def test_the_recorder_takes_the_echo_from_the_arguments_of_the_same_call():
    recorder = Recorder(task_id=TASK, settings=RecorderSettings(fingerprint=FINGERPRINT))
    recorder.tool_call(1, "a", "web_search", {"query": QUESTION, "more": ["x"]})
    recorder.tool_call(1, "b", "web_search", {"query": "skerrow ballad"})
    recorder.tool_result(1, "a", "web_search", f"Results for {QUESTION}")
    recorder.tool_result(1, "b", "web_search", f"Results for {QUESTION}")
    first, second = recorder.steps[2:]
    assert (first.scan.copy, first.scan.echo) == (0.0, 1.0)
    assert (second.scan.copy, second.scan.echo) == (1.0, 1.0)


# sources


def test_nothing_is_found_across_two_sources():
    words = QUESTION.split()
    half = len(words) // 2
    text, sources = sources_of(" ".join(words[:half]) + " ", " ".join(words[half:]))
    assert look(text).scan.copy == 1.0
    assert look(text, sources=sources).scan.copy < 0.5


def test_figures_are_kept_for_each_source():
    text, sources = sources_of(f"{filler(40)} {LEAK}\n", "{'task_id': 1, 'final_answer': 2}\n", filler(40))
    found = look(
        "é " + text, sources=[Source(url=s.url, title="", offset=s.offset + 3, bytes=s.bytes) for s in sources]
    )
    leak, keys = found.scan.by_source
    assert (leak.source, leak.copy, leak.signatures) == (0, 1.0, ())
    assert (keys.source, keys.copy, keys.signatures) == (1, 0.0, ("final_answer", "task_id"))
    assert {(window.why, window.source) for window in found.windows} == {("copy", 0), ("signature", 1)}


def test_a_copy_outside_all_sources_is_found():
    hits, sources = sources_of("one. ", "two. ")
    found = look(hits + LEAK, sources=sources)
    assert found.scan.copy == 1.0
    assert [part.source for part in found.scan.by_source] == [None]


@given(st.lists(st.tuples(st.integers(-50, 900), st.integers(-50, 900)), max_size=5))
def test_sources_that_overlap_or_lie_outside_break_nothing(places):
    sources = [Source(url="", title="", offset=offset, bytes=size) for offset, size in places]
    found = look(f"ä {LEAK}", sources=sources)
    for window in found.windows:
        assert (
            f"ä {LEAK}".encode()[window.offset : window.offset + window.bytes].decode("utf-8", "replace") == window.text
        )


# windows

PARTS = st.sampled_from(
    [
        QUESTION,
        LEAK,
        OTHER_QUESTION,
        TASK,
        OTHER,
        "task_id",
        "final answer",
        " é→★ ",
        "日本語 ",
        "\ud800",
        "½ ",
        " ",
        "x" * 600,
        "\x00\u200b",
        filler(150),
    ]
)


@given(st.lists(PARTS, max_size=14))
def test_windows_are_few_and_small_and_say_where_they_stand(parts):
    text = " ".join(parts)
    data = to_bytes(text)
    found = look(text)
    assert len(found.windows) <= 8
    for window in found.windows:
        assert 0 < window.bytes <= 1024
        if not window.view:
            assert data[window.offset : window.offset + window.bytes].decode("utf-8", "replace") == window.text


@given(
    st.lists(
        st.sampled_from([LEAK.encode(), b"\xff\xfe", b"\xed\xa0\x80", "é→".encode(), b"\xe2\x82", b" word "]),
        max_size=12,
    )
)
def test_offsets_are_right_in_bytes_that_are_no_text(parts):
    data = b" ".join(parts)
    for window in look(data).windows:
        assert data[window.offset : window.offset + window.bytes].decode("utf-8", "replace") == window.text


def test_windows_meet_the_find_in_text_full_of_signs_and_other_scripts():
    noise = "→ ★ ★ │ € ½ ﬁn … 日本語テキスト™ café e\u0301 \u200b\u00ad\u00a0· " * 800
    found = look(noise + LEAK + noise)
    assert found.scan.copy == 1.0
    assert ANSWER in kept(found)


def test_the_gold_is_no_input_and_alone_is_nothing():
    found = look(f"{filler(100)} {ANSWER} {filler(100)}")
    assert found.windows == ()
    assert not found.flagged


# the two matchers


@given(st.lists(PARTS | st.text(max_size=30), max_size=12), st.sampled_from(["", QUESTION, OTHER_QUESTION[:90]]))
def test_the_plain_matcher_gives_what_the_compiled_one_gives(parts, sent):
    text = " ".join(parts)
    assert scan(text, PLAIN, TASK, sent=sent) == scan(text, COMPILED, TASK, sent=sent)


@given(
    st.dictionaries(st.uuids().map(str), st.text(alphabet="ab é", max_size=24), max_size=4),
    st.text(alphabet="ab éA.", max_size=120),
)
def test_the_matchers_agree_on_questions_that_repeat_themselves(questions, text):
    first, second = (Fingerprint(questions, build=matcher) for matcher in (PlainMatcher, CompiledMatcher))
    task = next(iter(questions), "none")
    assert scan(text, first, task) == scan(text, second, task)


def test_a_task_that_is_not_of_the_run_is_scanned_for_the_questions_of_the_run():
    found = scan(LEAK, FINGERPRINT, "unknown")
    assert (found.scan.copy, found.scan.questions) == (0.0, 1)
    assert len(QUESTIONS) == 3


def test_without_the_compiled_matcher_the_plain_one_is_used(monkeypatch):
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)
    without = fingerprint()
    assert isinstance(without._matcher, PlainMatcher)
    assert scan(LEAK, without, TASK) == look(LEAK)


@pytest.mark.parametrize("text", [LEAK, f"{filler(40)} {QUESTION}", f"{QUESTION} {QUESTIONS[OTHER]}", filler(200)])
def test_many_questions_are_found_by_their_probes_as_few_are_by_all_their_pieces(text):
    few, many = Fingerprint(QUESTIONS), Fingerprint(QUESTIONS, whole=0)
    assert scan(text, few, TASK) == scan(text, many, TASK)
    turned = codecs.encode(text, "rot13")
    assert scan(turned, few, TASK).scan.copy == scan(turned, many, TASK).scan.copy
    assert scan(text[::-1], few, TASK).scan.copy == scan(text[::-1], many, TASK).scan.copy
