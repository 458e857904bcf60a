"""Rates of predictions against counting by hand."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.constraints.group_rates import RATES, rate_of_predictions, select_columns
from oddlearn.errors import InvalidInputError
from oddlearn.table.groups import SampleGroups, SensitiveColumn

TRUE = np.array([0, 0, 1, 1, 1, 2])
PREDICTED = np.array([0, 1, 1, 0, 1, 1])
WEIGHT = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


def by_hand(kind, favourable):
    """Return the weight of the samples where it happens over that of those that count, in a plain loop."""
    rate, counted, happened = RATES[kind], 0.0, 0.0
    for true, predicted, weight in zip(TRUE, PREDICTED, WEIGHT, strict=True):
        one = np.array([true]), np.array([predicted])
        if rate.is_counted(one[0], favourable)[0]:
            counted += weight
            happened += weight * bool(rate.happens(*one, favourable)[0])
    return happened / counted


@pytest.mark.parametrize("kind", RATES)
@pytest.mark.parametrize("favourable", [0, 1])
def test_a_rate_is_a_share_of_the_weight_that_counts(kind, favourable):
    found = rate_of_predictions(kind, TRUE, PREDICTED, WEIGHT, favourable)
    assert found == pytest.approx(by_hand(kind, favourable))


@pytest.mark.parametrize("kind", RATES)
@pytest.mark.parametrize("rows", [slice(0, 0), slice(None)])
def test_a_rate_of_nobody_is_not_a_number(kind, rows):
    """No samples at all, or none with weight: nothing is divided by zero."""
    nobody = rate_of_predictions(kind, TRUE[rows], PREDICTED[rows], 0 * WEIGHT[rows], 1)
    assert math.isnan(nobody)


GROUPS = SampleGroups(
    TRUE,
    WEIGHT,
    (0, 1, 2),
    (
        SensitiveColumn("kind", ("a", "b", "c"), np.array([0, 1, 2, 0, 1, 2])),
        SensitiveColumn("age", ("old", "young"), np.array([0, 0, 0, 1, 1, 1])),
        SensitiveColumn("town", ("Aix",), np.zeros(6, dtype=int)),
    ),
)
PEOPLE = SimpleNamespace(sample_groups=GROUPS)


def select(columns=None, groups=None, intersection=False, data=PEOPLE):
    found = select_columns("Parity", data, columns, groups, intersection)
    return [(column.name, column.levels, column.codes.tolist()) for column in found]


def test_columns_are_chosen_by_name():
    assert select(["age"]) == [("age", ("old", "young"), [0, 0, 0, 1, 1, 1])]
    assert [name for name, _, _ in select(["kind", "age"])] == ["kind", "age"]


def test_crossed_columns_are_one_with_the_groups_that_occur():
    ((name, levels, codes),) = select(["kind", "age"], intersection=True)
    assert "kind" in name and "age" in name and len(levels) == 6
    assert sorted(codes) == [0, 1, 2, 3, 4, 5]
    assert select(["age"], intersection=True) == select(["age"])


def test_groups_that_are_not_named_are_left_out():
    assert select(["kind"], ["c", "a"]) == [("kind", ("c", "a"), [1, -1, 0, 1, -1, 0])]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"columns": ["size"]},
            "There is no sensitive column 'size': give one of \\['kind', 'age', 'town'\\]",
        ),
        ({"columns": ["town"]}, "'town' has one group only, 'Aix': Parity compares two or more"),
        ({"groups": ["a", "b"]}, "is about one column, not \\['kind', 'age', 'town'\\]"),
        ({"columns": ["kind"], "groups": ["a", "a"]}, "names a group twice"),
        ({"columns": ["kind"], "groups": ["a", "z"]}, "The group 'z' of 'kind' has no training sample"),
        ({"columns": ["kind"], "groups": ["a"]}, "'kind' has one group only, 'a'"),
        ({"data": SimpleNamespace(sample_groups=None)}, "give fit the argument sensitive_features"),
        (
            {"data": SimpleNamespace(sample_groups=SampleGroups(TRUE, WEIGHT, (0, 1, 2)))},
            "sensitive_features",
        ),
    ],
)
def test_columns_and_groups_that_do_not_exist_are_refused(given, message):
    with pytest.raises(InvalidInputError, match=message):
        select(**given)
