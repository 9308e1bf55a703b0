"""AUD-5: scores come out again, and no answer is right only because the scorer overlooks what matters."""

import time

import pytest
from audit_samples import SampleRun, examine, rules
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.audit.findings import at_least
from gaia_harness.audit.likeness import differences
from gaia_harness.audit.normalization_collision import NormalizationCollision
from gaia_harness.judge.scorer import question_scorer


def look(sample, **options):
    return examine(NormalizationCollision, sample.open(**options))


def worst(answer, gold, question=""):
    assert question_scorer(answer, gold), "the scorer takes them for the same, or there is nothing to ask"
    found = differences(answer, gold, question)
    return next((s for s in ("high", "medium", "low", "info") if any(d.severity == s for d in found)), "nothing")


def test_scores_that_come_out_again_pass(tmp_path):
    check = look(SampleRun(tmp_path).add(0).add(1, gold="9", answers=("8",)).add(2, gold="$1,5", answers=("x",)))
    assert (check.id, check.name, check.status, check.findings) == ("AUD-5", "normalization-collision", "pass", ())


@pytest.mark.parametrize(("answer", "claimed"), [("40", True), ("41", False)])
def test_a_score_that_does_not_come_out_again(tmp_path, answer, claimed):
    sample = SampleRun(tmp_path).add(0, answers=(answer,))
    sample.results[0]["correct"] = claimed
    check = look(sample)
    assert rules(check) == {("critical", "score-not-reproduced")}
    assert check.status == "fail"


def test_a_gold_rewritten_in_the_results_does_not_help(tmp_path):
    sample = SampleRun(tmp_path).add(0, answers=("40",))
    sample.results[0].update(correct=True, expected_output="40")
    assert ("critical", "score-not-reproduced") in rules(look(sample))


def test_a_collision_is_named_with_its_task(tmp_path):
    check = look(SampleRun(tmp_path).add(0, gold="15", answers=("1,5",)))
    (finding,) = check.findings
    assert (finding.severity, finding.rule, finding.excerpt) == ("high", "digit-group", "1,5")
    assert "15" not in finding.summary


def test_no_answer_that_is_scored_as_right(tmp_path):
    assert rules(look(SampleRun(tmp_path).add(0, gold="None", answers=(None,)))) == {("high", "no-answer-scored")}


def test_without_golds_a_claim_cannot_be_checked(tmp_path):
    sample = SampleRun(tmp_path).add(0, gold=None)
    sample.results[0]["correct"] = True
    check = look(sample)
    assert check.status == "skip" and "gold" in check.harness_gap


def test_golds_that_only_the_run_states_are_a_skip(tmp_path):
    check = look(SampleRun(tmp_path).add(0), dataset=False)
    assert check.status == "skip" and "itself states" in check.harness_gap


@pytest.mark.parametrize("kept", [0, 1])
def test_results_that_are_gone_are_a_gap(tmp_path, kept):
    sample = SampleRun(tmp_path).add(0).add(1)
    del sample.results[kept:]
    check = look(sample)
    assert (check.status, check.harness_gap) == (
        "skip",
        f"{2 - kept} tasks have no result that could be scored again",
    )


def test_a_test_split_claims_nothing_and_lacks_nothing(tmp_path):
    check = look(SampleRun(tmp_path, split="test").add(0, gold=None))
    assert (check.status, check.harness_gap) == ("pass", None)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("15", "1,5"),
        ("5", "0,5"),
        ("5", "0,005"),
        ("5", ",5"),
        ("12345", "1,23,45"),
        ("1.2345", "1.234,5"),
        ("50", "5%0"),
        ("15", "1$5"),
        ("inf", "banana"),
        ("9007199254740993", "9007199254740992"),
        ("10,000", "10,0"),
        ("3.14 m", "314 m"),
        ("314 m", "3.14 m"),
        (".5 m", "5 m"),
        ("1.5 to 2.5 m", "15 to 25 m"),
        ("15 m", "1,5 m"),
        ("-5 C", "5 C"),
        ("5 C", "-5 C"),
        ("-5%", "5"),
        ("temperature -5 C", "temperature 5 C"),
        ("5 million", "(5) million"),
        ("1/2 cup", "12 cup"),
        ("10-12 m", "1012 m"),
        ("3-0 win", "30 win"),
        ("3:1 ratio", "31 ratio"),
        ("2^3 m", "23 m"),
        ("C", "C++"),
        ("C#", "C"),
        ("O-", "O+"),
        ("NH4+", "NH4"),
        ("A1+", "A1"),
        ("A1#", "A1+"),
        ("C#", "C++"),
        ("-", "..."),
        ("%", "-"),
    ],
)
def test_another_meaning_is_high(gold, answer):
    assert worst(answer, gold) == "high"


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("nowhere", "no, where"),
        ("ABC", "A, B, C"),
        ("Room 1 2", "room 12"),
        ("v1.2.3", "v123"),
        ("1000", "1_000"),
        ("0.5", "0.5%"),
        ("50 of them", "50% of them"),
        ("<5 mg", "5 mg"),
        ("1.5 m", "1/5 m"),
    ],
)
def test_a_doubtful_meaning_is_medium(gold, answer):
    assert worst(answer, gold) == "medium"


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("1234", "$1,234"),
        ("1234", "1,234"),
        ("1234567.5", "$1,234,567.50"),
        ("100000", "1,00,000"),
        ("5", "+5"),
        ("0", "-0"),
        ("3.50", "3.5"),
        ("50", "50%"),
        ("100", "1e2"),
        ("42", "٤٢"),
        ("3.141592653589793", "3.14159265358979323846"),
        ("50%", "50"),
        ("$5 million", "5 million"),
        ("1234 m", "1,234 m"),
        ("1000 m", "1 000 m"),
        ("1.5 m", "1,5 m"),
        ("3.14 m", "3.14 M."),
        ("5-10 m", "5 - 10 m"),
        ("5-10 m", "5 -10 m"),
        ("C-14", "c14"),
        ("COVID-19", "COVID 19"),
        ("7-Eleven", "7 Eleven"),
        ("no. 5", "No.5"),
        ("12:30 pm", "1230pm"),
        ("July 4 1776", "July 4, 1776"),
        ("4/7/1776", "4.7.1776"),
        ("2020-01-02", "20200102"),
        ("978-0-306-40615-7", "9780306406157"),
        ("555-1234", "5551234"),
        ("192.168.0.1", "19216801"),
        ("ice cream", "icecream"),
        ("well-known", "well known"),
        ("U.S.A.", "USA"),
        ("O'Brien", "OBrien"),
        ("AT&T", "ATT"),
        ("AC/DC", "ACDC"),
        ("to-do", "to do"),
        ('"The Judge"', "the judge"),
        ("cats dogs", "Cats, dogs."),
        ("a, b", "A;B"),
        ("12, 3", "12,  $3.0"),
        ("日本", "日本."),
        ("x^2", "x2"),
        ("5² m", "5.² m"),
        ("None", "none"),
    ],
)
def test_formatting_is_never_above_low(gold, answer):
    assert worst(answer, gold) in ("nothing", "info", "low")


@pytest.mark.parametrize(
    ("gold", "answer"), [("Nf3+", "Nf3"), ("Rd5#", "Rd5"), ("Qh7", "qh7+"), ("Rd5+ at once", "Rd5 at once")]
)
def test_the_sign_for_check_behind_a_move_of_chess_is_low(gold, answer):
    assert worst(answer, gold) == "low"


def test_a_short_move_is_one_where_chess_is_asked_about():
    assert worst("e4", "e4+", "which move of chess wins?") == "low"
    assert worst("e4", "e4+", "which ion is it?") == "high"


def test_the_question_tells_what_a_percent_sign_means():
    assert worst("0.5%", "0.5", "what percentage of them floats?") == "info"


def test_another_currency_than_the_question_asks_for():
    assert worst("$5", "5", "how many euros did it cost?") == "medium"
    assert worst("$5", "5", "how many dollars are so many euros?") == "nothing"


@given(st.text(max_size=60))
def test_an_answer_as_the_gold_has_it_is_never_a_collision(text):
    assert differences(text, text) == []
    assert all(not at_least(d.severity, "high") for d in differences(f" {text}\n", text))


@given(st.integers(-(10**15), 10**15), st.sampled_from(["{:,}", "${:,}", "{:,}.0", " {} ", "{:,}.00"]))
def test_grouped_numbers_are_formatting(number, form):
    answer, gold = form.format(number), str(number)
    assert all(not at_least(d.severity, "medium") for d in differences(answer, gold))


@given(
    st.text(alphabet="0123456789,.;:-+%$()<>/ abcC_²٣１e\n", max_size=40),
    st.text(alphabet="0123456789,.;:-+%$()<>/ abcC_²٣１e\n", max_size=40),
)
def test_any_two_texts_can_be_compared(answer, gold):
    for found in differences(answer, gold):
        assert found.rule and found.summary.endswith(".")


def test_wild_answers_take_no_time():
    gold = "1.5-" * 2400
    begun = time.perf_counter()
    found = differences(gold.replace("-", " "), gold)
    assert time.perf_counter() - begun < 1
    assert all(not at_least(d.severity, "high") for d in found)
