"""The best threshold along a key, against every threshold."""

from itertools import pairwise

import numpy as np
import pytest

from oddlearn.solve.best_threshold import find_best_stump, find_best_threshold

MARGINS = (0.0, 0.25, 0.3, 5.0)


def gaps(values, margin):
    """Return the neighbours that are as far apart as the margin."""
    known = np.unique(values)
    return [(low, high) for low, high in pairwise(known) if high - low >= margin - 1e-9]


@pytest.mark.parametrize("margin", MARGINS)
def test_a_stump_is_the_best_of_all_thresholds_with_the_margin(margin):
    for seed in range(30):
        random = np.random.default_rng(seed)
        column, cost = random.integers(0, 5, 8) / 4, random.random((8, 3))
        values = [
            cost[column <= low].sum(axis=0).min() + cost[column >= high].sum(axis=0).min()
            for low, high in gaps(column, margin)
        ]
        least, threshold = find_best_stump(column, np.argsort(column), cost, margin)
        assert least == pytest.approx(min(values, default=np.inf))
        if values:
            is_above = column >= threshold
            paid = cost[~is_above].sum(axis=0).min() + cost[is_above].sum(axis=0).min()
            assert paid == pytest.approx(least)


def test_a_column_without_a_gap_has_no_stump():
    assert find_best_stump(np.ones(4), np.arange(4), np.ones((4, 2)), 0.0)[0] == np.inf
    assert find_best_threshold(np.ones(4), np.ones(4), np.zeros(4), 0.0)[0] == np.inf


@pytest.mark.parametrize("margin", MARGINS)
def test_a_threshold_is_the_best_of_all_and_in_the_widest_gap_of_those(margin):
    for seed in range(30):
        random = np.random.default_rng(seed)
        key = np.cumsum(random.integers(0, 3, 8)) / 4
        negative, positive = random.integers(0, 3, (2, 8)).astype(float)
        shuffled = random.permutation(8)
        ways = [
            (negative[key <= low].sum() + positive[key >= high].sum(), low - high, (low + high) / 2)
            for low, high in gaps(key, margin)
        ]
        least, threshold = find_best_threshold(key[shuffled], negative[shuffled], positive[shuffled], margin)
        if not ways:
            assert least == np.inf
            continue
        best = [way for way in ways if way[:2] == min(ways)[:2]]
        assert least == pytest.approx(min(ways)[0])
        assert any(threshold == pytest.approx(way[2]) for way in best)
