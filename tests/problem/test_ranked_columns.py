"""Columns sorted once: orders, distinct values and ranks as numpy's own functions give them."""

import pickle

import numpy as np
import pytest

from oddlearn.problem import ranked_columns
from oddlearn.problem.ranked_columns import RankedColumns
from oddlearn.problem.training_data import TrainingData


def draw_tables():
    random = np.random.default_rng(0)
    yield random.normal(size=(50, 3))
    yield random.integers(0, 5, (60, 4)).astype(float)
    yield random.integers(-3, 70_000, (200, 2)).astype(float)
    yield np.column_stack([random.integers(0, 65_536, 300), np.arange(300) % 2 - 0.5]).astype(float)
    yield np.array([[0.0, 65_535.0], [0.0, 65_536.0], [0.0, 0.5], [0.0, 65_535.5]])
    yield np.empty((4, 0))
    yield np.nextafter(np.ones((5, 2)), np.array([2.0, 0.0])) * np.array([1.0, 1e300])


@pytest.mark.parametrize("X", list(draw_tables()))
@pytest.mark.parametrize("block_cells", [1, 100, 1_000_000])
@pytest.mark.parametrize("asked_first", [None, 1])
def test_columns_are_ranked_as_numpy_ranks_them(X, block_cells, asked_first, monkeypatch):
    monkeypatch.setattr(ranked_columns, "MAX_BLOCK_CELLS", block_cells)
    columns = RankedColumns(X)
    if asked_first is not None and asked_first < X.shape[1]:
        columns.order(asked_first)
    np.testing.assert_array_equal(columns.orders(), np.argsort(X.T, axis=1, kind="stable"))
    for feature, column in enumerate(X.T):
        np.testing.assert_array_equal(RankedColumns(X).order(feature), np.argsort(column, kind="stable"))
        values, ranks = columns.values_and_ranks(feature)
        expected = np.unique(column, return_inverse=True)
        np.testing.assert_array_equal(values, expected[0])
        np.testing.assert_array_equal(ranks, expected[1])


def test_data_are_sorted_once_and_pickled_without_the_orders():
    data = TrainingData.collect(np.random.default_rng(1).normal(size=(500, 20)), np.arange(500) % 2, 2)
    assert data.ranked_columns is data.ranked_columns
    before = len(pickle.dumps(data))
    data.ranked_columns.orders()
    again = pickle.loads(pickle.dumps(data))
    assert len(pickle.dumps(data)) == before
    np.testing.assert_array_equal(again.ranked_columns.orders(), data.ranked_columns.orders())
