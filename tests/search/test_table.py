"""What the search knows of every column, against plain numpy."""

import numpy as np
import pytest

from oddlearn.diagram import Skeleton
from oddlearn.problem import TrainingData, pose
from oddlearn.search.table import SearchTable


def laid_out(seed):
    """A table of columns with many values, with few, and mostly of one value."""
    random = np.random.default_rng(seed)
    X = random.random((100, 4))
    X[:, 1] = np.round(5 * X[:, 1]) / 5
    X[:, 2] = random.random(100) < 0.1
    X[:, 3] = np.where(random.random(100) < 0.7, 0.4, np.round(9 * X[:, 3]) / 9)
    data = TrainingData.collect(X, random.integers(0, 2, 100), 2)
    return SearchTable.of(pose(data, Skeleton.parse("1-2"), 0.1, "univariate"))


@pytest.mark.parametrize("seed", range(5))
def test_ranks_are_places_in_the_order(seed):
    table = laid_out(seed)
    for order, rank in zip(table.order, table.rank, strict=True):
        assert (order[rank] == np.arange(order.size)).all()


@pytest.mark.parametrize("seed", range(5))
def test_rare_samples_are_all_that_do_not_have_the_commonest_value(seed):
    table = laid_out(seed)
    assert table.n_bins[0] == 0
    assert table.rare_first[0] == table.rare_first[1] == 0
    assert table.rare_first[-1] == table.rare.size
    for j in range(1, 4):
        values, counts = np.unique(table.columns[j], return_counts=True)
        assert counts[table.common[j]] == counts.max()
        others = np.flatnonzero(table.columns[j] != values[table.common[j]])
        assert (table.rare[table.rare_first[j] : table.rare_first[j + 1]] == others).all()
