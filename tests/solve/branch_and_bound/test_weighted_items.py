"""Items of some rows are those of all rows, less the others."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import pose
from oddlearn.solve.branch_and_bound.weighted_items import Items
from tests.solve.branch_and_bound.drawn import drawn_problem, varies


@pytest.mark.parametrize("seed", range(30))
def test_kept_items_are_in_the_order_of_every_feature(seed):
    problem = drawn_problem(seed, 20)
    if not varies(problem):
        return
    items = Items.of(problem)
    is_kept = np.random.default_rng(seed).random(problem.data.n_rows) < 0.5
    kept = items.kept(is_kept)
    chosen = is_kept[items.row]
    assert (kept.row == items.row[chosen]).all() and (kept.rank == items.rank[:, chosen]).all()
    for name in ("label", "gain", "base"):
        assert (getattr(kept, name) == getattr(items, name)[chosen]).all()
    for order, rank in zip(kept.order, kept.rank, strict=True):
        assert sorted(order) == list(range(kept.row.size))
        assert (np.diff(rank[order]) >= 0).all()


def test_ranks_beyond_16_bits_are_compared_in_32():
    n = 33_000
    data = TrainingData.collect(np.arange(n)[:, None] / n, np.arange(n) % 2, 2)
    problem = pose(data, Skeleton.parse("1"), 0.1, "univariate")
    kept = Items.of(problem).kept(np.arange(n) >= n - 10)
    assert kept.rank.max() == n - 1
    assert [array.dtype for array in kept.narrow] == [np.int32, np.int32]
