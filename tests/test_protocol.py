"""What the agent says is what the audit knows; and answers are read by one rule."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness import protocol
from gaia_harness.audit.attachments import file_named
from gaia_harness.audit.oracle_leakage.verdicts import lower, verdict_in
from gaia_harness.protocol import (
    LONGEST_ANSWER,
    REMARKS,
    final_answer,
    has_only_template,
    is_template,
    last_marked,
    readings,
)
from gaia_harness.records.steps import Prompt
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.files import FileRead, neutral_name


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("FINAL ANSWER: 17", "17"),
        ("so it is.\n\nFinal answer: Quill Island", "Quill Island"),
        ("**FINAL ANSWER:** 3, 4", "3, 4"),
        ("**FINAL ANSWER: egg**", "egg"),
        ("FINAL ANSWER:\n\n  42\nmore talk", "42"),
        ("FINAL ANSWER: 1\nNo, wait.\nFINAL ANSWER: 2", "2"),
        ("FINAL ANSWER：７", "７"),
        ("FINAL  ANSWER : `x = 1`", "x = 1"),
        ('FINAL ANSWER: "To be, or not"', '"To be, or not"'),
        ("FINAL ANSWER: -0.5", "-0.5"),
        ("FINAL ANSWER: 42\nFINAL ANSWER:", "42"),
        ("FINAL ANSWER:\nFINAL ANSWER: **", None),
        ("FINAL ANSWER:", None),
        ("FINAL ANSWER: **", None),
        ("the final answer is 3", None),
        ("", None),
        # markup before the marker
        ("# FINAL ANSWER: 5", "5"),
        ("> **Final answer**: 42", "42"),
        ("- FINAL ANSWER: 42", "42"),
        ("  * _FINAL ANSWER:_ 42", "42"),
        ("`FINAL ANSWER:` 42", "42"),
        ("```\nFINAL ANSWER: 42\n```", "42"),
        # only a line that begins with the marker
        ("So the FINAL ANSWER: 42", None),
        ("I must end with 'FINAL ANSWER: 42' at last.", None),
        ("FINAL ANSWER: 42\nI wrote FINAL ANSWER: 43 first, and it was no line.", "42"),
        ('print("FINAL ANSWER: 3")', None),
        ("FINAL\nANSWER: 3", None),
        ("1. FINAL ANSWER: 4", None),
        # markup round the answer
        ("FINAL ANSWER: **42**", "42"),
        ("FINAL ANSWER:\n```text\n42\n```", "42"),
        ("FINAL ANSWER: \\boxed{42}", "42"),
        ("FINAL ANSWER: $\\boxed{4, 2}$", "4, 2"),
        ("FINAL ANSWER: \\boxed{\\frac{1}{2}}", "\\boxed{\\frac{1}{2}}"),
        # words of a template are no answer; an earlier answer stands
        ("FINAL ANSWER: your answer", None),
        ("FINAL ANSWER: [YOUR FINAL ANSWER]", None),
        ("FINAL ANSWER: <answer>", None),
        ("FINAL ANSWER: ...", None),
        ("FINAL ANSWER: 42\n\nThe form was:\n> FINAL ANSWER: your answer", "42"),
        ("As asked, FINAL ANSWER: your answer\nFINAL ANSWER: 42", "42"),
        # and these may be answers
        ("FINAL ANSWER: (3, 4)", "(3, 4)"),
        ("FINAL ANSWER: [1, 2]", "[1, 2]"),
        ("FINAL ANSWER: answer", "answer"),
        ("FINAL ANSWER: <br>", "<br>"),
        ("FINAL ANSWER: x", "x"),
        ("FINAL ANSWER: .", "."),
    ],
)
def test_answer_stands_behind_the_last_marker_that_begins_a_line(text, answer):
    assert final_answer(text) == answer


@pytest.mark.parametrize("text", [protocol.SYSTEM, protocol.NO_ANSWER_YET, protocol.LAST_TURN, protocol.NO_ROOM])
def test_our_own_words_repeated_are_no_answer(text):
    assert final_answer(text) is None
    assert has_only_template(text)


@pytest.mark.parametrize(
    "words",
    [
        "your answer", "Your Final Answer", "[YOUR FINAL ANSWER]", "<your answer>", "{answer}", "<ANSWER>", "[answer]",
        "(your answer here)", '"your answer"', "...", "…", "<...>", "answer here", "insert your answer here",
    ],
)  # fmt: skip
def test_words_of_a_template_are_no_answer(words):
    assert is_template(words)


def test_a_remark_of_the_agent_is_no_verdict_to_the_audit():
    for remark in REMARKS:
        assert verdict_in(lower(remark)) is None


def test_the_rule_of_the_first_version_is_still_read():
    text = "FINAL ANSWER: 1\nNo: FINAL ANSWER: 2"
    assert last_marked(text) == "2"
    assert readings(text) == ["1", "2"]
    assert readings("nothing") == []


@given(st.text(st.sampled_from("FINALANSWERfinalanswer :*_#>`-\n\r\u2028\\boxed{}[]<>.…42"), max_size=80))
def test_whatever_is_cut_or_repeated_is_read(text):
    for part in (text, "FINAL ANSWER: " + text, "FINAL ANSWER:" + text + "\nFINAL ANSWER:" + text):
        answer = final_answer(part)
        assert answer is None or (answer.strip() and len(answer.splitlines()) == 1 and not is_template(answer))
        assert not (has_only_template(part) and answer)


@given(st.integers(min_value=0, max_value=60))
def test_a_reply_cut_anywhere_gives_a_beginning_of_its_answer_or_none(end):
    text = "I looked it up.\n\n**FINAL ANSWER:** Quill Island, 1911"
    answer = final_answer(text[:end])
    assert answer is None or "Quill Island, 1911".startswith(answer)


@given(st.text(max_size=200))
def test_any_text_gives_a_bounded_answer_on_one_line_or_none(text):
    answer = final_answer("FINAL ANSWER: " + text)
    assert answer is None or (answer and len(answer) <= LONGEST_ANSWER and len(answer.splitlines()) == 1)


def test_white_space_is_read_once():
    """Were it read in the square of its length, this would take an hour."""
    assert final_answer("FINAL ANSWER" + " " * 1_000_000 + "x") is None
    assert final_answer("FINAL" + "\n" * 1_000_000 + "ANSWER") is None
    assert final_answer("* " * 1_000_000 + "FINAL ANSWER") is None
    assert final_answer("FINAL ANSWER:\n" * 300_000) is None
    assert last_marked("FINAL ANSWER" + " " * 1_000_000 + "x") is None
    assert not is_template("<" * 10_000 + "your " * 1_000)


def test_an_endless_answer_is_cut():
    assert len(final_answer("FINAL ANSWER: " + "a" * 1_000_000) or "") == LONGEST_ANSWER


def test_the_file_of_a_task_is_found_in_what_the_agent_is_told(tmp_path):
    name = neutral_name(Path("3f2a.XLSX"))
    assert name == "attachment.xlsx"
    said = FileRead(Attachment(path=tmp_path, name=name), None).description
    assert file_named(json.dumps([{"description": said}])) == name
    assert file_named(protocol.question("How many?", name)) == name


def prompt(role: str, text: str) -> Prompt:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Prompt(
        seq=0, attempt=1, turn=1, role=role, context_sha256=None, content_sha256=sha256,
        bytes=len(text), head=text, truncated=False, redactions=0,
    )  # fmt: skip
