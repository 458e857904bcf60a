"""Tables that are stored by columns: nothing but their memory differs."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.arrays import read_only_table, take_rows_of
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem import training_problem as problem_module
from oddlearn.problem.scaling import RankScaling
from oddlearn.problem.training_problem import build_problem


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_of_a_table_are_stored_as_the_table_is(order):
    table = np.array(np.random.default_rng(0).random((20, 3)), order=order)
    rows = np.array([3, 0, 19, 3])
    taken = take_rows_of(table, rows)
    assert (taken == table[rows]).all()
    assert taken.flags[f"{order}_CONTIGUOUS"]


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_table_is_shared_only_if_nobody_can_write_to_it(order):
    table = np.array(np.random.default_rng(0).random((20, 3)), order=order)
    copied = read_only_table(table)
    assert not np.shares_memory(copied, table)
    assert copied.flags[f"{order}_CONTIGUOUS"]
    assert read_only_table(copied) is copied
    part = read_only_table(copied[:, 1:])  # a view owns nothing
    assert not np.shares_memory(part, copied)
    assert (part == table[:, 1:]).all()


def draw_ranks():
    X = np.random.default_rng(0).integers(0, 9, (300, 4)).astype(float)
    X[:7, 2] = np.nan
    return RankScaling.rank(X)[1]


def test_columns_of_ranks_are_not_copied_also_where_values_are_missing():
    data = TrainingData.collect(draw_ranks(), np.arange(300) % 2, 2)
    assert data.n_features == 5
    assert np.shares_memory(data.ranked_columns.columns, data.X)


def test_a_digest_does_not_depend_on_how_the_table_is_stored(monkeypatch):
    data = TrainingData.collect(draw_ranks(), np.arange(300) % 2, 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.1, "univariate")
    by_rows = replace(problem, data=replace(data, X=np.array(data.X, order="C")))
    assert by_rows.data.X.flags.c_contiguous
    assert not data.X.flags.c_contiguous
    assert by_rows.digest == problem.digest
    monkeypatch.setattr(problem_module, "MAX_PART_CELLS", 7)
    assert replace(problem, node_price=problem.node_price).digest == problem.digest


def test_hashing_a_table_of_ranks_does_not_copy_it():
    X = np.asfortranarray(np.random.default_rng(0).random((2_000, 2_000)))
    problem = build_problem(
        TrainingData.collect(X, np.arange(2_000) % 2, 2), Skeleton.parse("1-2"), 0.1, "univariate"
    )
    tracemalloc.start()
    assert problem.digest
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 0.3 * X.nbytes
