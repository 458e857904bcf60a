from fractions import Fraction

import numpy as np
import pytest

from oddlearn.diagram.splits import (
    BLOCK_ROWS,
    MultivariateSplit,
    UnivariateSplit,
    short_threshold_between,
    split_from_dict,
    threshold_between,
)
from oddlearn.errors import InvalidInputError, ModelFileError

X = np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]])


def test_a_key_equal_to_the_threshold_is_on_the_positive_side():
    assert UnivariateSplit(0, 0.5).side(X).tolist() == [False, True, True]
    assert MultivariateSplit(np.array([1.0, -1.0]), 0.0).side(X).tolist() == [False, True, True]


def test_float32_rows_are_compared_in_double_precision():
    rows = np.array([[0.1]], dtype=np.float32)  # a little more than 0.1
    assert UnivariateSplit(0, 0.1).side(rows).tolist() == [True]
    assert UnivariateSplit(0, 0.100000002).side(rows).tolist() == [False]


def test_a_rescaled_split_takes_the_same_sides_in_raw_units():
    offset, half_span = np.array([10.0, -3.0]), np.array([2.5, 50.0])
    raw = offset + 2 * half_span * X
    for split in (UnivariateSplit(1, 0.4), MultivariateSplit(np.array([0.3, -0.7]), 0.1)):
        assert np.array_equal(split.to_raw_units(offset, half_span).side(raw), split.side(X))


def test_splits_are_equal_by_value():
    assert MultivariateSplit(np.array([1.0, 2]), 1) == MultivariateSplit([1, 2], 1.0)
    assert len({UnivariateSplit(0, 1), UnivariateSplit(0, 1.0), MultivariateSplit([1.0], 1)}) == 2


HOLES = np.array([[0.0], [np.nan], [1.0]])


@pytest.mark.parametrize(
    ("split", "sides"),
    [
        (UnivariateSplit(0, 0.5), [False, False, True]),
        (UnivariateSplit(0, 0.5, missing_positive=True), [False, True, True]),
        (UnivariateSplit.is_missing(0), [False, True, False]),
        (UnivariateSplit.is_missing(0, positive=False), [True, False, True]),
    ],
)
def test_a_missing_value_takes_the_side_the_split_says(split, sides):
    assert split.side(HOLES).tolist() == sides
    assert split_from_dict(split.to_dict()) == split


def test_a_split_may_ask_whether_a_value_is_missing():
    assert UnivariateSplit.is_missing(2) == UnivariateSplit(2, np.inf, missing_positive=True)
    assert UnivariateSplit.is_missing(2, positive=False) == UnivariateSplit(2, -np.inf)
    assert [UnivariateSplit(2, threshold).asks_missing for threshold in (-np.inf, 0.0)] == [True, False]
    with pytest.raises(InvalidInputError, match="finite"):
        UnivariateSplit.is_missing(2).with_missing(positive=False)


def test_another_threshold_keeps_the_side_of_missing_values():
    split = UnivariateSplit(0, 0.5).with_missing(positive=True).with_threshold(2.0)
    assert split == UnivariateSplit(0, 2.0, missing_positive=True)
    assert split.to_raw_units(np.array([1.0]), np.array([0.5])) == UnivariateSplit(0, 3.0, True)


@pytest.mark.parametrize("split", [UnivariateSplit(3, 0.1 + 0.2), MultivariateSplit([1 / 3, -2e-310], 1e300)])
def test_splits_survive_their_dictionary_exactly(split):
    assert split_from_dict(split.to_dict()) == split


@pytest.mark.parametrize("threshold", [np.nan, np.inf])
def test_thresholds_are_finite(threshold):
    with pytest.raises(InvalidInputError, match="finite"):
        UnivariateSplit(0, threshold)


@pytest.mark.parametrize(
    "document",
    [
        None,
        {"kind": "oblique", "threshold": 1.0},
        {"kind": "univariate", "feature": -1, "threshold": 1.0, "missing": "negative"},
        {"kind": "univariate", "feature": True, "threshold": 1.0, "missing": "negative"},
        {"kind": "univariate", "feature": 0, "threshold": float("nan"), "missing": "negative"},
        {"kind": "univariate", "feature": 0, "threshold": 10**400, "missing": "negative"},
        {"kind": "univariate", "feature": 0, "threshold": 1.0},
        {"kind": "univariate", "feature": 0, "threshold": 1.0, "missing": True},
        {"kind": "multivariate", "weights": [1.0], "threshold": None},
        {"kind": "multivariate", "weights": [1.0, "2"], "threshold": 1.0},
        {"kind": "multivariate", "weights": 3, "threshold": 1.0},
    ],
)
def test_a_damaged_split_is_refused(document):
    with pytest.raises(ModelFileError, match="model file"):
        split_from_dict(document)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [0, 1, BLOCK_ROWS, BLOCK_ROWS + 1, 2 * BLOCK_ROWS + 7])
def test_the_key_of_a_row_does_not_depend_on_the_other_rows(n_rows, dtype):
    random = np.random.default_rng(n_rows)
    rows = random.normal(size=(n_rows, 3)).astype(dtype)
    weights = [0.1, 0.0, -0.7]
    expected = [0.1 * float(row[0]) + -0.7 * float(row[2]) for row in rows]
    assert MultivariateSplit(np.array(weights), 0.0).key(rows).tolist() == expected


@pytest.mark.parametrize(
    ("low", "high", "threshold"),
    [
        (1.9, 3.0, 2.5),
        (2.4, 2.5, 2.45),
        (43, 44, 43.5),
        (53, 65, 60.0),
        (700, 1800, 1000.0),
        (-0.4, -0.2, -0.3),
        (-0.03, 0.02, 0.0),
        (0.0, 1e-5, 5e-6),
        (-1e300, 1e300, 0.0),
        (5.0, float(np.nextafter(5.0, 6.0)), float(np.nextafter(5.0, 6.0))),
        (5e-324, 1e-323, 1e-323),
    ],
)
def test_a_short_threshold_has_the_fewest_digits_in_the_middle_half_of_a_gap(low, high, threshold):
    assert short_threshold_between(low, high) == threshold


@pytest.mark.parametrize("seed", range(500))
def test_no_number_of_fewer_digits_lies_well_inside_the_gap_of_a_short_threshold(seed):
    rng = np.random.default_rng(seed)
    low = float(rng.normal() * 10.0 ** rng.integers(-300, 300))
    high = low + abs(low) * 10.0 ** -float(rng.integers(0, 17))
    high = max(high, float(np.nextafter(low, np.inf)))
    threshold = short_threshold_between(low, high)
    assert low < threshold <= high
    middle, reach = (Fraction(low) + Fraction(high)) / 2, (Fraction(high) - Fraction(low)) * 24 / 100
    n_digits = next(count for count in range(1, 18) if float(f"{threshold:.{count}g}") == threshold)
    shorter = (Fraction(f"{float(middle):.{count}g}") for count in range(1, min(n_digits, 15)))
    assert threshold == 0.0 or all(abs(number - middle) > reach for number in shorter)


def test_parts_of_a_split_that_cannot_be_are_refused():
    with pytest.raises(InvalidInputError, match="counted from 0"):
        UnivariateSplit(-1, 0.5)
    assert UnivariateSplit(0, 0.5).feature == 0
    for weights in ([[1.0]], [np.nan, 1.0], [np.inf]):
        with pytest.raises(InvalidInputError, match="one finite number per feature"):
            MultivariateSplit(weights, 0.5)
    assert MultivariateSplit([1.0], 0.5) != UnivariateSplit(0, 0.5)
    assert MultivariateSplit([1.0], 0.5) != MultivariateSplit([1.0], 0.6)
    assert MultivariateSplit([1.0], 0.5) != MultivariateSplit([1.1], 0.5)
    assert (MultivariateSplit([1.0, -3.0], 0.5).norm, UnivariateSplit(1, 0.5).norm) == (4.0, 1.0)
    assert UnivariateSplit(1, 0.5).dense_weights(3).tolist() == [0.0, 1.0, 0.0]
    with pytest.raises(ModelFileError, match=r"missing must be"):
        split_from_dict({"kind": "univariate", "feature": 0, "threshold": 0.5, "missing": "left"})


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.1, 0.2, 0.15),
        (0.0, 5e-324, 5e-324),
        (1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 2.0)),
        (-1.7e308, 1.7e308, 0.0),
        (1.7e308, 1.79e308, 1.745e308),
        (0.10954, 0.10956, 0.10955),
    ],
)
def test_a_threshold_lies_above_the_lower_value_and_at_most_at_the_higher(low, high, expected):
    assert threshold_between(low, high) == expected


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_few_rows_of_many_features_have_the_keys_of_many_rows(dtype, monkeypatch):
    random = np.random.default_rng(0)
    X = random.standard_normal((30, 1000)).astype(dtype)
    split = MultivariateSplit(np.where(random.random(1000) < 0.2, 0.0, random.standard_normal(1000)), 0.0)
    few = split.key(X)
    monkeypatch.setattr("oddlearn.diagram.splits.FEW_ROWS", 0)
    assert np.array_equal(few, split.key(X))
