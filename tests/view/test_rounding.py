"""Rounded numbers put every row on the side of the true ones."""

import numpy as np
import pytest

from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.view.rounding import exact_split, round_splits, shorten
from tests.export.code.cases import lacking
from tests.export.examples import drawn


def column(*values):
    return np.array(values, dtype=float)[:, None]


@pytest.mark.parametrize(
    ("threshold", "rows", "shown"),
    [
        (2.4512345, column(1.9, 3.0), 2.5),
        (2.4512345, column(2.4, 2.5), 2.45),
        # six digits are short
        (2.45123, column(1.9, 3.0), 2.45123),
        (59.0, column(53, 65), 59.0),
        (43.512345, column(43, 44), 43.5),
        (101.5, column(101, 102), 101.5),
        (1250.5125, column(700, 1800), 1300.0),
        (-0.3125001, column(-0.4, -0.2), -0.3),
        # a quarter of the way to the next row is just near enough
        (2.00006103515625, column(1.99981689453125, 2.00030517578125), 2.0),
        (1.99993896484375, column(1.99969482421875, 2.00018310546875), 2.0),
        # no row is near on one side: as far away as the other
        (2.4512345, column(3.0), 2.5),
        (2.1001001, column(1.0), 2.0),
    ],
)
def test_a_threshold_has_the_fewest_digits_that_stay_well_inside_its_gap(threshold, rows, shown):
    assert shorten(UnivariateSplit(0, threshold), rows).threshold == shown


def test_a_row_just_below_a_threshold_stays_below_it():
    threshold = float(np.nextafter(5.0, 6.0))
    assert shorten(UnivariateSplit(0, threshold), column(5.0)).threshold == threshold
    assert shorten(UnivariateSplit(0, threshold), column(5.0, threshold)).threshold == threshold


def test_a_row_on_the_threshold_stays_on_the_positive_side():
    assert shorten(UnivariateSplit(0, 2.3451234), column(2.3451234, 1.0)).threshold <= 2.3451234


def test_rows_with_a_missing_value_do_not_keep_a_threshold_from_being_rounded():
    rows = column(1.9, np.nan, 3.0, np.nan)
    for positive in (True, False):
        shown = shorten(UnivariateSplit(0, 2.4512345, positive), rows)
        assert shown.threshold == 2.5
        assert shown.side(rows).tolist() == [False, positive, True, positive]
    rows = np.array([[0.0, np.nan], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert shorten(MultivariateSplit(np.array([1.0, 2.0]), 1.5), rows).side(rows).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("seed", range(10))
def test_missing_values_stay_on_their_side(seed):
    given = lacking(seed, "mixed")
    for split, shown in zip(given.diagram.splits, round_splits(given.diagram, given.X), strict=True):
        if isinstance(split, UnivariateSplit):
            assert np.array_equal(shown.side(given.X), split.side(given.X))
            assert shown.asks_missing == split.asks_missing


@pytest.mark.parametrize("seed", range(30))
def test_the_shown_diagram_routes_every_row_as_the_true_one(seed):
    diagram, _, X = drawn(seed)
    steps = route_reference(diagram, X)
    for node, shown in enumerate(round_splits(diagram, X)):
        reached = steps.reached[:, node]
        assert shown.is_exact
        assert np.array_equal(shown.side(X[reached]), steps.sides[reached, node])


@pytest.mark.parametrize("seed", range(30))
def test_a_shown_threshold_keeps_the_rows_that_do_not_come_by_too(seed):
    # rules combine thresholds of different nodes
    diagram, _, X = drawn(seed, "univariate")
    for split, shown in zip(diagram.splits, round_splits(diagram, X), strict=True):
        assert np.array_equal(shown.side(X), split.side(X))


@pytest.mark.parametrize("seed", range(20))
def test_exact_numbers_agree_with_the_split_to_the_last_bit(seed):
    random = np.random.default_rng(seed)
    rows, weights = random.normal(size=(50, 6)), random.normal(size=6)
    for key in MultivariateSplit(weights, 0.0).key(rows):
        split = MultivariateSplit(weights, float(key))
        assert np.array_equal(exact_split(split).side(rows), split.side(rows))


def test_rounding_is_marked_where_it_loses_something():
    split = MultivariateSplit(np.array([0.5, -0.25]), 1.23456)
    assert not exact_split(split).round(3).is_exact
    assert exact_split(split.with_threshold(1.25)).round(3).is_exact


def test_short_sums_are_shown_as_they_are_with_the_heaviest_term_first():
    # the first feature moves the sum by 100, the second by 200, the third by 3
    rows = np.array([[0, 0, 0], [100, 0.0, 1], [0, 1.0, 0], [100, 1.0, 1]])
    shown = shorten(MultivariateSplit(np.array([1.0, 200.0, 3.25]), 150.125), rows)
    assert (shown.features, shown.weights) == ((1, 0, 2), (200.0, 1.0, 3.25))
    assert (shown.threshold, shown.is_flipped, shown.is_exact) == (150.125, False, True)


def test_a_long_sum_is_shown_in_numbers_that_keep_the_rows():
    rows = np.random.default_rng(0).random((200, 3))
    rows = rows[np.abs(rows[:, 0] + rows[:, 1] - 1) > 0.05]
    shown = shorten(MultivariateSplit(np.array([1.0, 1.0000001, 0.001]), 1.0), rows)
    assert set(shown.features) == {0, 1}
    assert (shown.weights, shown.threshold) == ((1.0, 1.0), 1.0)


def test_a_sum_with_a_negative_first_term_is_turned_around():
    rows = np.array([[0.0], [1.0]])
    shown = shorten(MultivariateSplit(np.array([-2.0]), -1.0), rows)
    assert (shown.weights, shown.threshold, shown.is_flipped) == ((2.0,), 1.0, True)
    assert shown.side(rows).tolist() == [True, False]


def test_a_long_sum_that_parts_no_rows_has_no_short_form():
    assert shorten(MultivariateSplit(np.array([1.0]), 7.000000001), column(1.0, 2.0)) is None
    assert shorten(MultivariateSplit(np.array([1.0]), 7.0), column(1.0, 2.0)).threshold == 7.0
