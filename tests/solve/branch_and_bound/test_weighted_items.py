"""Items of some rows are those of all rows, less the others."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.kernel_runner import (
    SECONDS_PER_WORK,
    SECONDS_PER_WORK_OF_FEW,
    estimate_seconds_per_work,
)
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from tests.solve.branch_and_bound.drawn import drawn_problem, varies


@pytest.mark.parametrize("seed", range(30))
def test_kept_items_are_in_the_order_of_every_feature(seed):
    problem = drawn_problem(seed, 20)
    if not varies(problem):
        return
    items = WeightedItems.from_problem(problem)
    is_selected = np.random.default_rng(seed).random(problem.data.n_rows) < 0.5
    kept = items.select_rows(is_selected)
    chosen = is_selected[items.row]
    assert (kept.row == items.row[chosen]).all() and (kept.rank == items.rank[:, chosen]).all()
    for name in ("label", "gain", "base"):
        assert (getattr(kept, name) == getattr(items, name)[chosen]).all()
    for order, rank in zip(kept.order, kept.rank, strict=True):
        assert sorted(order) == list(range(kept.row.size))
        assert (np.diff(rank[order]) >= 0).all()


def test_ranks_beyond_16_bits_are_compared_in_32():
    n = 33_000
    data = TrainingData.collect(np.arange(n)[:, None] / n, np.arange(n) % 2, 2)
    problem = build_problem(data, Skeleton.parse("1"), 0.1, "univariate")
    kept = WeightedItems.from_problem(problem).select_rows(np.arange(n) >= n - 10)
    assert kept.rank.max() == n - 1
    assert [array.dtype for array in kept.narrow] == [np.int32, np.int32]


@pytest.mark.parametrize(
    ("n_values", "seconds"),
    [(40, SECONDS_PER_WORK_OF_FEW), (19, SECONDS_PER_WORK_OF_FEW), (18, SECONDS_PER_WORK)],
)
def test_work_on_columns_of_few_values_counts_less(n_values, seconds):
    # all pairs of values: of the 2 n^2 places in both columns, 2 (n - 1) are splits
    X = np.stack(np.meshgrid(np.arange(n_values), np.arange(n_values)), axis=-1).reshape(-1, 2).astype(float)
    data = TrainingData.collect(X, X.sum(axis=1).astype(int) % 2, 2)
    items = WeightedItems.from_problem(build_problem(data, Skeleton.parse("1-2"), 0.1, "univariate"))
    assert items.rank.shape == (2, n_values**2)
    assert estimate_seconds_per_work(items) == seconds
