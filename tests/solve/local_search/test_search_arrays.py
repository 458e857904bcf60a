"""What the search knows of every column, against plain numpy."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.local_search.search_threads import MultiStart


def laid_out(seed):
    """A table of columns with many values, with few, and mostly of one value."""
    random = np.random.default_rng(seed)
    X = random.random((100, 4))
    X[:, 1] = np.round(5 * X[:, 1]) / 5
    X[:, 2] = random.random(100) < 0.1
    X[:, 3] = np.where(random.random(100) < 0.7, 0.4, np.round(9 * X[:, 3]) / 9)
    data = TrainingData.collect(X, random.integers(0, 2, 100), 2)
    return SearchTable.from_problem(build_problem(data, Skeleton.parse("1-2"), 0.1, "univariate"))


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


@pytest.mark.parametrize("seed", range(5))
def test_tied_with_next_says_where_the_next_value_is_the_same(seed):
    table = laid_out(seed)
    for column, joined in zip(table.columns, table.tied_with_next, strict=True):
        ordered = np.sort(column)
        assert (joined[:-1] == np.where(ordered[1:] == ordered[:-1], 32767, 0)).all()
        assert joined[-1] == 0


def draw_ranks(n_rows):
    return np.random.default_rng(0).integers(0, 9, (n_rows, 2)).astype(float)


def test_sorted_values_are_there_only_where_ties_are_not_and_4_bytes_hold_them():
    X, y = draw_ranks(40), [0, 1] * 20
    assert SearchTable.from_problem(posed(y, 2, X=X)).ordered.size == 0
    weight = np.arange(1.0, 41.0) / 7
    table = SearchTable.from_problem(posed(y, 2, X=X, sample_weight=weight))
    assert table.tied_with_next.size == 0
    assert (table.ordered == np.sort(table.columns, axis=1)).all()
    for other in (X + 0.1, X + 2**25):
        assert SearchTable.from_problem(posed(y, 2, X=other, sample_weight=weight)).ordered.size == 0


@pytest.mark.parametrize("shift", [0.0, 2.0**25])
def test_a_search_goes_the_same_way_whether_sorted_values_are_stored_or_looked_up(shift):
    random = np.random.default_rng(1)
    X, weight = random.integers(0, 60, (200, 4)) + shift, random.random(200)
    y = ((X[:, 0] > shift + 20) ^ (X[:, 1] > shift + 30)).astype(int)
    data = TrainingData.collect(X, y, 2, weight)
    problem = build_problem(data, Skeleton.parse("1-2-2"), 0.05, "univariate")
    table = SearchTable.from_problem(problem)
    assert (table.ordered.size == 0) == (shift > 0)
    without = replace(table, ordered=np.empty((0, 0), dtype=np.float32))
    found = []
    for arrays in (table, without):
        thread = MultiStart.create(problem, arrays, 0, 1).threads[0]
        thread.run(60.0, 1e18, 200, 1000, -1.0)
        found.append((thread.objective, thread.work))
    assert found[0] == found[1]


def posed(y, n_classes, X=None, sample_weight=None, cost_matrix=None):
    X = np.linspace(0, 1, len(y))[:, None] if X is None else X
    data = TrainingData.collect(X, np.array(y), n_classes, sample_weight)
    return build_problem(data, Skeleton.parse("1-2"), 0.1, "univariate", cost_matrix=cost_matrix)


def test_there_are_labels_where_errors_are_counted_whatever_they_weigh():
    y = [2, 0, 1, 1, 0, 2]
    for weight in (None, np.arange(1.0, 7.0), np.arange(1.0, 7.0) / 7):
        assert SearchTable.from_problem(posed(y, 3, sample_weight=weight)).label.tolist() == y


def test_there_are_no_labels_with_two_classes_or_with_costs_that_differ_or_with_conflicts():
    y = [2, 0, 1, 1, 0, 2]
    assert SearchTable.from_problem(posed([0, 1, 1], 2)).label.size == 0
    matrix = np.array([[0, 1, 2], [1, 0, 1], [1, 1, 0]])
    assert SearchTable.from_problem(posed(y, 3, cost_matrix=matrix)).label.size == 0
    X = np.array([[0.0], [0.0], [0.5], [0.6], [0.8], [1.0]])
    assert SearchTable.from_problem(posed(y, 3, X=X)).label.size == 0


def test_ties_are_noted_only_where_costs_are_integers_and_rows_are_few():
    y = [2, 0, 1, 1, 0, 2]
    for divisor, size in ((1, 6), (7, 0)):
        problem = posed(y, 3, sample_weight=np.arange(1.0, 7.0) / divisor)
        assert SearchTable.from_problem(problem).tied_with_next.size == size
    assert SearchTable.from_problem(posed([0, 1] * 16384, 2)).tied_with_next.size == 0


def test_hyperplanes_have_no_ties():
    X, y = np.random.default_rng(0).random((30, 3)), np.arange(30) % 2
    problem = build_problem(TrainingData.collect(X, y, 2), Skeleton.parse("1-2"), 0.1, "multivariate")
    assert SearchTable.from_problem(problem).tied_with_next.size == 0


# columns, order, rank and bins of one value take 17 bytes, ties 2 more; columns of ranks are there already
@pytest.mark.parametrize(
    ("split", "order", "most"), [("univariate", "F", 14), ("univariate", "C", 22), ("multivariate", "C", 20)]
)
def test_building_the_arrays_takes_no_memory_but_theirs(split, order, most):
    X, y = np.random.default_rng(0).random((2_000, 1_000)), np.arange(2_000) % 2
    X = np.asarray(X, order=order)
    problem = build_problem(TrainingData.collect(X, y, 2), Skeleton.parse("1-2"), 0.1, split)
    tracemalloc.start()
    SearchTable.from_problem(problem)
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most_bytes < most * X.size
