"""Rows of fairness constraints against the textbook, sample by sample, and against fairlearn."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from fairlearn import metrics
from sklearn.metrics import accuracy_score

from oddlearn.constraints import (
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    OverallAccuracyEquality,
    PredictiveEquality,
)
from oddlearn.errors import InvalidInputError
from oddlearn.table.groups import SensitiveColumn, cross_columns
from tests.constraints.people import crowd

CONSTRAINTS = [
    DemographicParity,
    EqualOpportunity,
    PredictiveEquality,
    EqualizedOdds,
    OverallAccuracyEquality,
]


def textbook(kind, some, group, favourable):
    """Return the rates of a group by adding up one sample after the other."""
    happened = possible = 0.0
    for truth, given, weight, own in zip(some.truth, some.given, some.weight, some.groups, strict=True):
        counts = {
            "selection rate": True,
            "accuracy": True,
            "true positive rate": truth == favourable,
            "false positive rate": truth != favourable,
        }[kind]
        if own == group and counts:
            possible += weight
            happened += weight * (given == truth if kind == "accuracy" else given == favourable)
    return happened / possible


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize(("n_classes", "n_groups"), [(2, 2), (2, 3), (3, 2)])
def test_rates_and_excesses_are_those_of_the_textbook(constraint, n_classes, n_groups):
    for seed in range(10):
        some = crowd(seed, n_classes=n_classes, n_groups=n_groups)
        by_ratio = constraint(0.8, favourable=0)
        by_difference = constraint(difference=0.1, favourable=0)
        slow = [[textbook(kind, some, group, 0) for group in range(n_groups)] for kind in by_ratio.used_kinds]
        found = [rates.compute(some.observables) for rates in by_ratio.rates(some.data, some.layout)]
        np.testing.assert_allclose(found, slow, rtol=1e-12)
        short = [max(0.0, 0.8 * of[b] - of[a]) for of in slow for a, b in permutations(range(n_groups), 2)]
        row_violations = by_ratio.rows(some.data, some.layout).row_violations(some.observables)
        np.testing.assert_allclose(row_violations, short, atol=1e-12)
        pairs = list(combinations(range(n_groups), 2))
        apart = [max(0.0, abs(of[a] - of[b]) - 0.1) for of in slow for a, b in pairs]
        row_violations = by_difference.rows(some.data, some.layout).row_violations(some.observables)
        np.testing.assert_allclose(row_violations, apart, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_kept_exactly_when_fairlearn_says_so(seed):
    some = crowd(seed, n_groups=2 + seed % 2)
    options = {"sensitive_features": some.groups, "sample_weight": some.weight}
    pairs = [
        (DemographicParity, metrics.demographic_parity_ratio, metrics.demographic_parity_difference),
        (EqualOpportunity, metrics.equal_opportunity_ratio, metrics.equal_opportunity_difference),
        (EqualizedOdds, metrics.equalized_odds_ratio, metrics.equalized_odds_difference),
    ]
    for constraint, ratio, difference in pairs:
        reached = ratio(some.truth, some.given, **options)
        apart = difference(some.truth, some.given, **options)
        for step, is_kept in ((-1e-6, True), (1e-6, False)):
            by_ratio = constraint(reached + step).rows(some.data, some.layout)
            by_difference = constraint(difference=apart - step).rows(some.data, some.layout)
            assert (by_ratio.max_violation(some.observables) <= 1e-9) == is_kept
            assert (by_difference.max_violation(some.observables) <= 1e-9) == is_kept


@pytest.mark.parametrize("seed", range(5))
def test_error_rates_are_those_of_fairlearn(seed):
    some = crowd(seed, n_groups=3)
    pairs = [
        (PredictiveEquality(), metrics.false_positive_rate),
        (OverallAccuracyEquality(), accuracy_score),
    ]
    for constraint, metric in pairs:
        frame = metrics.MetricFrame(
            metrics=metric,
            y_true=some.truth,
            y_pred=some.given,
            sensitive_features=some.groups,
            sample_params={"sample_weight": some.weight},
        )
        (rates,) = constraint.rates(some.data, some.layout)
        np.testing.assert_allclose(rates.compute(some.observables), frame.by_group, rtol=1e-12)


def test_the_paper_compares_counts():
    for seed in range(10):
        some = crowd(seed, n_groups=2)
        counts = [(some.weight * (some.given == 1))[some.groups == group].sum() for group in (0, 1)]
        rows = DemographicParity(0.7, form="count").rows(some.data, some.layout)
        short = [max(0.0, 0.7 * counts[b] - counts[a]) / some.weight.sum() for a, b in ((0, 1), (1, 0))]
        np.testing.assert_allclose(rows.row_violations(some.observables), short, atol=1e-12)


def test_a_weight_makes_the_rows_soft():
    some = crowd(0)
    hard, soft = DemographicParity(1.0), DemographicParity(1.0, weight=2.5)
    for_all = hard.rows(some.data, some.layout)
    priced = soft.rows(some.data, some.layout)
    assert for_all.max_violation(some.observables) > 0 == for_all.total_penalty(some.observables)
    assert priced.max_violation(some.observables) == 0
    expected = 2.5 * for_all.row_violations(some.observables).sum()
    assert priced.total_penalty(some.observables) == pytest.approx(expected)


def test_columns_are_compared_one_by_one_or_crossed():
    some = crowd(3, n_groups=2)
    random = np.random.default_rng(3)
    other = SensitiveColumn("age", ("old", "young"), random.integers(0, 2, some.groups.size))
    sample_groups = some.data.sample_groups
    both = replace(sample_groups, columns=(*sample_groups.columns, other))
    data = type(some.data)(some.data.X, some.data.class_weight, some.data.distinct_row_of, both)
    assert len(DemographicParity().rows(data, some.layout)) == 2 + 2
    assert len(DemographicParity(columns="age").rows(data, some.layout)) == 2
    (rates,) = DemographicParity(intersection=True).rates(data, some.layout)
    assert rates.levels == ("a and old", "a and young", "b and old", "b and young")
    pair = (some.groups == 1) & (other.codes == 0)
    slow = (some.weight * (some.given == 1))[pair].sum() / some.weight[pair].sum()
    assert rates.compute(some.observables)[2] == pytest.approx(slow)


def test_groups_that_are_not_named_are_left_out():
    some = crowd(1, n_groups=3)
    (rates,) = DemographicParity(groups=["c", "a"]).rates(some.data, some.layout)
    assert rates.levels == ("c", "a")
    slow = [textbook("selection rate", some, group, 1) for group in (2, 0)]
    np.testing.assert_allclose(rates.compute(some.observables), slow)


def test_crossed_columns_have_only_groups_that_occur():
    first = SensitiveColumn("a", ("x", "y"), np.array([0, 1, 1]))
    second = SensitiveColumn("b", (1, 2), np.array([0, 1, 1]))
    both = cross_columns((first, second))
    assert (both.name, both.levels, both.codes.tolist()) == ("a and b", ("x and 1", "y and 2"), [0, 1, 1])


def test_named_groups_are_kept_as_plain_values_whatever_holds_them():
    assert DemographicParity(groups=["c", "a"]) == DemographicParity(groups=("c", "a"))
    (first, second) = DemographicParity(groups=np.array([3, 1])).groups
    assert (first, second) == (3, 1) and type(first) is int


@pytest.mark.parametrize("groups", ["ab", ["a"], 3, [("a", "b"), "c"]])
def test_groups_that_name_no_two_values_are_refused(groups):
    with pytest.raises(InvalidInputError, match="groups is"):
        DemographicParity(groups=groups)
