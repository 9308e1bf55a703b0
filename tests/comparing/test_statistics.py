"""The statistics of comparisons, against published examples and against their own definitions."""

import math
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.comparing.statistics import (
    holm,
    mcnemar_exact,
    mean_and_error,
    newcombe_paired,
    pass_all,
    pass_at,
    quantile,
    ratio_intervals,
)

COUNTS = st.integers(0, 60)


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        # Fagerland, Lydersen, Laake, Statistical Analysis of Contingency Tables (2017), chapter 8: the data of Cavo and
        # others (2012), with the figures of the authors' own R package `contingencytables`
        ((59, 16, 6, 80), -0.1186, -0.0046),
        ((1, 0, 0, 1), -0.5734, 0.5734),
    ],
)
def test_the_paired_interval_is_that_of_published_examples(table, low, high):
    found = newcombe_paired(*table)
    assert (round(found[0], 4), round(found[1], 4)) == (low, high)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        (6, 16, 0.052479),  # Cavo and others (2012), as above
        (1, 7, 18 / 256),  # twice the probability of at most 1 of 8
        (0, 5, 0.0625),
        (10, 0, 2 / 1024),
        (3, 3, 1.0),
        (0, 0, 1.0),
    ],
)
def test_mcnemar_is_that_of_published_examples(first, second, p):
    assert mcnemar_exact(first, second) == pytest.approx(p, abs=5e-7)


@pytest.mark.parametrize(
    ("p_values", "corrected"),
    [
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),  # the usual example: 3, 1, 2 and 4 times p, in order
        ([0.5], [0.5]),
        ([], []),
        ([0.9, 0.8], [1.0, 1.0]),
    ],
)
def test_holm_multiplies_by_what_is_left_and_never_goes_back(p_values, corrected):
    assert holm(p_values) == pytest.approx(corrected)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_paired_interval_holds_the_difference_and_turns_with_it(both, first, second, neither):
    low, high = newcombe_paired(both, first, second, neither)
    total = both + first + second + neither
    difference = (second - first) / total if total else 0.0
    assert -1 <= low <= difference + 1e-12
    assert difference - 1e-12 <= high <= 1
    assert newcombe_paired(both, second, first, neither) == pytest.approx((-high, -low))
    assert newcombe_paired(neither, first, second, both) == pytest.approx((low, high))


@given(COUNTS, COUNTS)
def test_mcnemar_is_the_sum_of_all_outcomes_that_are_no_likelier(first, second):
    n, least = first + second, min(first, second)
    extreme = [k for k in range(n + 1) if k <= least or k >= n - least]
    expected = Fraction(sum(math.comb(n, k) for k in extreme), 2**n)
    assert mcnemar_exact(first, second) == float(expected) == mcnemar_exact(second, first)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_keeps_the_order_and_lies_between_p_and_bonferroni(p_values):
    corrected = holm(p_values)
    for p, fixed in zip(p_values, corrected, strict=True):
        assert p <= fixed <= max(min(1.0, len(p_values) * p), fixed)
        assert fixed <= 1
    by_p = sorted(zip(p_values, corrected, strict=True))
    assert [fixed for _, fixed in by_p] == sorted(corrected)


@given(st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_and_pass_all_k_are_means_over_all_choices_of_k_runs(case):
    runs, right, k = case
    outcomes = [True] * right + [False] * (runs - right)
    chosen = list(combinations(outcomes, k))
    assert pass_at(runs, right, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert pass_all(runs, right, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


def test_bootstrap_intervals_are_the_same_every_time_and_hold_the_ratio():
    first = [float(1 + n % 7) for n in range(60)]
    second = [2 * value + n % 3 for n, value in enumerate(first)]
    (interval,) = ratio_intervals([(first, second)], resamples=300)
    assert (interval,) == tuple(ratio_intervals([(first, second)], resamples=300))
    assert interval[0] < sum(second) / sum(first) < interval[1]
    assert ratio_intervals([(first, second)], resamples=300, seed=1)[0] != interval
    (turned,) = ratio_intervals([(second, first)], resamples=300)
    assert turned == pytest.approx((1 / interval[1], 1 / interval[0]), rel=0.01)
    assert ratio_intervals([(first, first)], resamples=50) == [(1.0, 1.0)]


def test_bootstrap_of_nothing_or_of_a_first_that_may_be_nothing_has_no_interval():
    assert ratio_intervals([([], [])]) == [None]
    assert ratio_intervals([([0.0, 0.0, 1.0], [1.0, 1.0, 1.0])], resamples=200) == [None]


def test_means_and_quantiles():
    assert mean_and_error([0.5]) == (0.5, None)
    mean, error = mean_and_error([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0])
    assert (mean, error) == (5.0, pytest.approx(math.sqrt(32 / 7 / 8)))
    assert [quantile([1.0, 2.0, 4.0], share) for share in (0, 0.25, 0.5, 1)] == [1.0, 1.5, 2.0, 4.0]
