"""Costs of single splits by the kernel, against one column after the other in numpy, to the last bit."""

import numpy as np
import pytest

from oddlearn.problem.ranked_columns import RankedColumns
from oddlearn.solve.best_threshold import find_best_stump


@pytest.mark.parametrize("n_classes", [1, 2, 3, 5])
@pytest.mark.parametrize("n_values", [1, 2, 4, 1000])
def test_costs_of_single_splits_are_those_of_each_column_alone(n_classes, n_values):
    for seed in range(20):
        random = np.random.default_rng(seed)
        n_rows = int(random.integers(1, 40))
        X = random.integers(0, n_values, (n_rows, 6)).astype(float)
        cost = random.random((n_rows, n_classes)) * random.integers(0, 2, (n_rows, n_classes))
        ranked = RankedColumns(X)
        pairs = enumerate(ranked.columns)
        slow = [find_best_stump(column, ranked.order(place), cost, 0.0)[0] for place, column in pairs]
        np.testing.assert_array_equal(ranked.single_split_costs(cost, slice(0, 6)), slow)
        np.testing.assert_array_equal(RankedColumns(X).single_split_costs(cost, slice(2, 5)), slow[2:5])


def test_missing_values_are_above_all_others():
    X = np.array([[0.0], [np.nan], [1.0], [np.nan]])
    cost = np.array([[0.0, 1.0], [0.0, 5.0], [1.0, 0.0], [7.0, 0.0]])
    # the only split: below 1 or not; a missing value is not told from 1
    assert RankedColumns(X).single_split_costs(cost, slice(None)) == 0.0 + min(8.0, 5.0)
