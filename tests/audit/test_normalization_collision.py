"""AUD-5: scores come out again, and no answer is right only because the scorer overlooks what matters."""

import pytest
from audit_samples import SampleRun, examine, rules
from hypothesis import given
from hypothesis import strategies as st

from counted_work import no_stall
from gaia_harness.audit.normalization_collision import NormalizationCollision, reads_otherwise
from gaia_harness.judge.scorer import question_scorer


def look(sample, **options):
    return examine(NormalizationCollision, sample.open(**options))


def found(answer, gold):
    assert question_scorer(answer, gold), "the scorer takes them for the same, or there is nothing to ask"
    return reads_otherwise(answer, gold)


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
    assert (finding.severity, finding.rule, finding.excerpt) == ("medium", "reads-otherwise", "1,5")
    assert "15" not in finding.summary


def test_a_run_that_claims_nothing_where_there_is_a_gold(tmp_path):
    sample = SampleRun(tmp_path).add(0)
    sample.results[0]["correct"] = None
    assert rules(look(sample)) == {("medium", "score-not-reproduced")}


def test_without_golds_a_claim_cannot_be_checked(tmp_path):
    sample = SampleRun(tmp_path).add(0, gold=None)
    sample.results[0]["correct"] = True
    check = look(sample)
    assert check.status == "skip" and "gold" in check.harness_gap


def test_golds_that_only_the_run_states_are_a_skip(tmp_path):
    check = look(SampleRun(tmp_path).add(0), dataset=False)
    assert check.status == "skip" and "itself states" in check.harness_gap


@pytest.mark.parametrize(("kept", "said"), [(0, "2 scores"), (1, "1 score")])
def test_results_that_are_gone_are_a_gap(tmp_path, kept, said):
    sample = SampleRun(tmp_path).add(0).add(1)
    del sample.results[kept:]
    check = look(sample)
    gap = f"{said} cannot be computed again: the result or the gold answer is not at hand"
    assert (check.status, check.harness_gap) == ("skip", gap)


def test_a_test_split_claims_nothing_and_lacks_nothing(tmp_path):
    check = look(SampleRun(tmp_path, split="test").add(0, gold=None))
    assert (check.status, check.harness_gap) == ("pass", None)


# fmt: off
MATTER = [
    ("3.14 m", "314 m"), ("314 m", "3.14 m"), ("1.5 to 2.5 m", "15 to 25 m"), ("v1.2.3", "v123"),
    ("1234.5 m", "1.234,5 m"), ("15", "1,5"), ("5", "0,5"),
    ("5", "0,005"), ("5", ",5"), ("12345", "1,23,45"), ("1.2345", "1.234,5"), ("10,000", "10,0"),
    ("300000000", "3,0000,0000"), ("50", "5%0"), ("15", "1$5"), ("15 m", "1,5 m"), ("1/2 cup", "12 cup"),
    ("10-12 m", "1012 m"), ("3-0 win", "30 win"), ("3:1 ratio", "31 ratio"), ("2^3 m", "23 m"), ("-5 C", "5 C"),
    ("5 C", "-5 C"), ("-5%", "5"), ("temperature -5 C", "temperature 5 C"),
]
FORMATTING = [
    ("nowhere", "no, where"), ("1.5 m", "1/5 m"),
    ("1234", "$1,234"), ("1234", "1,234"), ("1234567.5", "$1,234,567.50"), ("100000", "1,00,000"), ("5", "+5"),
    ("0", "-0"), ("3.50", "3.5"), ("50", "50%"), ("100", "1e2"), ("42", "٤٢"),
    ("3.141592653589793", "3.14159265358979323846"), ("50%", "50"), ("$5 million", "5 million"),
    ("1234 m", "1,234 m"), ("1000 m", "1 000 m"), ("1.5 m", "1,5 m"), ("3.14 m", "3.14 M."), ("5-10 m", "5 - 10 m"),
    ("5-10 m", "5 -10 m"), ("C-14", "c14"), ("COVID-19", "COVID 19"), ("7-Eleven", "7 Eleven"), ("no. 5", "No.5"),
    ("July 4 1776", "July 4, 1776"), ("4/7/1776", "4.7.1776"), ("2020-01-02", "20200102"),
    ("978-0-306-40615-7", "978-03-064-0615-7"), ("0301 234567", "030 1234567"),
    ("978-0-306-40615-7", "9780306406157"), ("555-1234", "5551234"), ("192.168.0.1", "19216801"),
    ("ice cream", "icecream"), ("well-known", "well known"), ("U.S.A.", "USA"), ("O'Brien", "OBrien"),
    ("AT&T", "ATT"), ("AC/DC", "ACDC"), ("to-do", "to do"), ("\"The Judge\"", "the judge"),
    ("cats dogs", "Cats, dogs."), ("a, b", "A;B"), ("日本", "日本."), ("x^2", "x2"),
    ("5² m", "5.² m"), ("C++", "C ++"), ("O+", "O +"), ("C++ 17", "C++17"), ("C# m7", "C#m7"), ("B- maj7", "B-maj7"),
    ("-5 °C", "- 5 °C"), ("y=4x-7", "y = 4x - 7"), ("A+, B-", "A +, B -"), ("A-B-C", "A->B->C"),
    ("N-(4-tolyl)urea", "N-4-tolylurea"), ("Ca2+", "Ca(2+)"), ("Ca2+", "Ca^{2+}"),
    ("SO4^2-", "SO4 2-"), ("Mg2+", "Mg+2"), ("PO4-3", "PO4^3-"), ("Na+", "Na(+)"), ("Ca2+ and Mg2+", "Ca+2 and Mg+2"),
    ("[Fe(CN)6]4-", "Fe(CN)6^4-"), ("e-", "e^-"), ("1000 m", "1'000 m"), ("12'500 kg", "12 500 kg"),
    ("1000 m", "1_000 m"), ("-.-", "- . -"),
    ("[]", "[ ]"), ("&", "\"&\""), ("!", "!."), ("2H+ + O2- -> H2O", "2H(+) + O(2-) = H2O"),
    ("the ion Ca2+", "The ion Ca(2+)."), ("None", "none"), ("Nf3+", "Nf3"), ("Rd5#", "Rd5"),
    ("Rd5+ at once", "Rd5 at once"), ("e8=Q", "e8=Q+"), ("bxa1=N+", "bxa1=N"), ("O-O-O#", "O-O-O+"), ("O-O", "O-O+"),
]
# fmt: on


@pytest.mark.parametrize(("gold", "answer"), MATTER)
def test_what_changes_the_meaning_is_found(gold, answer):
    assert found(answer, gold)


@pytest.mark.parametrize(("gold", "answer"), FORMATTING)
def test_formatting_is_nothing(gold, answer):
    assert not found(answer, gold)


@given(st.text(max_size=60))
def test_an_answer_as_the_gold_has_it_is_never_a_collision(text):
    assert not reads_otherwise(text, text)
    assert not reads_otherwise(f" {text.strip()}\n", text.strip())


@given(st.integers(-(10**15), 10**15), st.sampled_from(["{:,}", "${:,}", "{:,}.0", " {} ", "{:,}.00"]))
def test_grouped_numbers_are_formatting(number, form):
    assert not reads_otherwise(form.format(number), str(number))


ODD = "0123456789,.;:-+%$()<>/ abcCİΣ_²٣１e\n"


@given(st.text(alphabet=ODD, max_size=40), st.text(alphabet=ODD, max_size=40))
def test_any_two_texts_can_be_compared(answer, gold):
    assert reads_otherwise(answer, gold) in (True, False)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("1.5 " * 2400, "1.5-" * 2400),
        ("a1+ " * 2400, "a1# " * 2400),
        ("1-1" + "a" * 9_900, "11" + "a" * 9_900),
        ("- " * 4_900, "." * 9_900),
        ("1,111" * 2_000, "1" * 8_000),
        ("((((" * 2400 + "a+", "a"),
        ("1" * 9_000, "1" * 9_000 + ".0"),
        (" " * 9_000 + "-1 m", "1 m"),
    ],
)
def test_wild_answers_do_not_stall(answer, gold):
    with no_stall():
        reads_otherwise(answer, gold)
