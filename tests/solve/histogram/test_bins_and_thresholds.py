"""Edges of bins, values in bins, thresholds moved between raw values."""

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.kernels.histogram.bins import MAX_EDGES, MISSING_BIN, assign_bins
from oddlearn.kernels.histogram.row_hashes import sum_row_hashes
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.scaling import centre_thresholds
from oddlearn.solve.histogram.binned_diagram import BinnedDiagram
from oddlearn.solve.histogram.binned_table import EdgeChooser
from oddlearn.solve.histogram.threshold_snap import snap_thresholds
from tests.solve.histogram.raw_tables import (
    FOREVER,
    bin_all,
    bin_problem,
    random_diagram,
    raw_problem,
    start_polish,
)


def stump(threshold, n_features=3):
    return DecisionDiagram(
        (UnivariateSplit(0, threshold),), np.array([1]), np.array([2]), np.array([0]), 2, n_features
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_bin_is_the_number_of_edges_at_or_below_a_value(dtype, order):
    random = np.random.default_rng(0)
    X = np.asarray(random.integers(0, 300, (2000, 4)) / 7, dtype=dtype, order=order)
    X[random.random(X.shape) < 0.05] = np.nan
    edges = np.full((4, MAX_EDGES + 1), np.inf)
    for column in range(4):
        edges[column, : 60 * column] = np.sort(random.choice(300, 60 * column, replace=False)) / 7
    bins = np.empty((4, 2000), dtype=np.uint8)
    assign_bins(X, edges, bins)
    for column in range(4):
        expected = np.searchsorted(edges[column], X[:, column].astype(float), side="right")
        assert np.array_equal(bins[column], np.where(np.isnan(X[:, column]), MISSING_BIN, expected))


@pytest.mark.parametrize("zoom", [False, True])
def test_edges_are_few_and_hold_the_thresholds_in_use(zoom):
    sample = np.random.default_rng(0).normal(size=(5000, 3))
    diagrams = [stump(0.3), stump(-1.0)]
    first, second, _ = EdgeChooser(sample).choose(np.arange(3), diagrams, zoom=zoom)
    assert {0.3, -1.0} <= set(first.tolist())
    assert 200 < first.size <= MAX_EDGES and 200 < second.size <= MAX_EDGES
    near = np.abs(first - 0.3).min(where=first != 0.3, initial=1.0)
    assert near < (0.002 if zoom else 0.02)


def test_few_values_have_an_edge_between_any_two():
    sample = np.array([[1.0], [5.0], [2.0], [2.0], [np.nan]])
    (edges,) = EdgeChooser(sample).choose(np.arange(1), [])
    assert edges.tolist() == [1.5, 3.5]


@pytest.mark.parametrize("seed", range(6))
def test_a_diagram_comes_back_from_its_bins(seed):
    problem = raw_problem(seed, n_rows=200)
    diagram = random_diagram(problem, bin_all(problem), seed).to_diagram(problem, bin_all(problem))
    table = bin_all(problem, [diagram])
    again = BinnedDiagram.from_diagram(problem, table, diagram).to_diagram(problem, table)
    assert np.array_equal(again.predict(problem.data.X), diagram.predict(problem.data.X))
    assert again.n_nodes == diagram.n_nodes


@pytest.mark.parametrize("seed", range(6))
def test_thresholds_move_to_raw_values_and_never_make_it_worse(seed):
    problem = raw_problem(seed, n_rows=2000, values=1000)
    random = np.random.default_rng(seed)
    edges = tuple(np.sort(random.choice(1000, 8, replace=False)) + 0.5 for _ in range(3))
    table = bin_problem(problem, edges)
    polish = start_polish(problem, table, seed)
    polish.run(FOREVER)
    before = polish.objective()
    n_moved = snap_thresholds(table, polish.diagram, problem.data.n_classes, FOREVER)
    moved = polish.diagram.to_diagram(problem, table)
    assert evaluate(problem, moved).objective == pytest.approx(polish.objective(), abs=1e-12)
    assert polish.objective() < before if n_moved else polish.objective() == before
    assert all((np.diff(one) > 0).all() for one in table.edges)


@pytest.mark.parametrize("seed", range(6))
def test_centred_thresholds_route_alike_and_missing_values_have_a_side(seed):
    problem = raw_problem(seed, n_rows=300)
    diagram = random_diagram(problem, bin_all(problem), seed).to_diagram(problem, bin_all(problem))
    centred = centre_thresholds(diagram, problem.data)
    assert np.array_equal(centred.predict(problem.data.X), diagram.predict(problem.data.X))


def test_the_hash_of_rows_depends_on_all_but_their_order():
    random = np.random.default_rng(0)
    X, weight, cost = random.normal(size=(103, 4)), random.random((103, 2)), random.random((103, 2))
    X[5, 2] = np.nan
    base = sum_row_hashes(X, weight, cost)
    order = random.permutation(103)
    assert sum_row_hashes(X[order], weight[order], cost[order]) == base
    assert sum_row_hashes(np.asfortranarray(X), weight, cost) == base
    for array in (X, weight, cost):
        kept = array[102, 1]
        array[102, 1] += 1e-9
        assert sum_row_hashes(X, weight, cost) != base
        array[102, 1] = kept
    X[[0, 1], 3] = X[[1, 0], 3]  # same values, other rows
    assert sum_row_hashes(X, weight, cost) != base


@pytest.mark.parametrize("seed", range(8))
def test_a_threshold_becomes_the_best_of_all_near_its_edge(seed):
    """One node, one edge, first or last of its column: every threshold between two rows is tried."""
    problem = raw_problem(seed, n_rows=120, values=40)
    n_edges = 1 + seed % 3
    edges = tuple(np.linspace(10.5, 30.5, n_edges) if n_edges > 1 else np.array([20.5]) for _ in range(3))
    table = bin_problem(problem, edges)
    diagram = random_diagram(problem, table, seed)
    n_slots = problem.skeleton.n_nodes
    diagram.child[:] = n_slots, n_slots + 1
    diagram.column[0], diagram.low[0], diagram.high[0] = 0, n_edges, 254
    diagram.drop_unreachable()
    lowest = edges[0][-2] if n_edges > 1 else -np.inf
    values = problem.data.X[:, 0].astype(float)
    inside = np.unique(values[values >= lowest])
    cost = problem.data.class_weight @ problem.cost_matrix
    costs = [cost[np.arange(120), (values >= value).astype(int)].sum() for value in inside[1:]]
    present = cost[np.arange(120), (values >= edges[0][-1]).astype(int)].sum()
    n_moved = snap_thresholds(table, diagram, problem.data.n_classes, FOREVER)
    after = evaluate(problem, diagram.to_diagram(problem, table)).cost
    assert after == pytest.approx(min(min(costs), present))
    assert n_moved == (min(costs) < present - 1e-12)


def test_an_edge_of_two_nodes_is_not_moved():
    problem = raw_problem(1, n_rows=120, values=40)
    edges = tuple(np.array([20.5]) for _ in range(3))
    table = bin_problem(problem, edges)
    diagram = random_diagram(problem, table, 1)
    n_slots = problem.skeleton.n_nodes
    diagram.child[:] = n_slots, n_slots + 1
    diagram.child[0] = 1, n_slots
    diagram.column[:2], diagram.low[:2], diagram.high[:2] = 0, 1, 254
    diagram.drop_unreachable()
    assert diagram.active.sum() == 2
    assert snap_thresholds(table, diagram, problem.data.n_classes, FOREVER) == 0
    # nor is one below all bins, or above
    for low in (0, 2):
        diagram.low[:2] = low, low
        assert snap_thresholds(table, diagram, problem.data.n_classes, FOREVER) == 0


def test_splits_of_bins_are_those_of_their_edges():
    problem = raw_problem(1)
    table = bin_all(problem)
    edges, n_bins = table.edges[1], int(table.n_bins[1])
    assert table.has_missing[1] and not table.has_missing[0]
    diagram = random_diagram(problem, table, 1)
    cases = [
        ((1, 0, 254), UnivariateSplit.is_missing(1, positive=False)),
        ((1, 0, 255), None),
        ((1, 1, 254), UnivariateSplit(1, edges[0])),
        ((1, 1, 255), UnivariateSplit(1, edges[0], True)),
        ((1, edges.size, 255), UnivariateSplit(1, edges[-1], True)),
        ((1, edges.size + 1, 255), UnivariateSplit.is_missing(1)),
        ((1, n_bins + 5, 254), UnivariateSplit(1, np.finfo(float).max)),
        ((0, 1, 255), UnivariateSplit(0, table.edges[0][0])),
    ]
    for (column, low, high), expected in cases:
        diagram.column[0], diagram.low[0], diagram.high[0] = column, low, high
        assert diagram._split(table, 0) == expected
    for split in (UnivariateSplit.is_missing(1, positive=False), UnivariateSplit.is_missing(1)):
        stump = DecisionDiagram((split,), [1], [2], [0], problem.data.n_classes, 3)
        binned = BinnedDiagram.from_diagram(problem, table, stump)
        again = binned.to_diagram(problem, table)
        assert np.array_equal(again.predict(problem.data.X), stump.predict(problem.data.X))


def test_a_constant_has_no_bins():
    problem = raw_problem(1)
    table = bin_all(problem)
    constant = DecisionDiagram.constant(1, problem.data.n_classes, 3)
    assert BinnedDiagram.from_diagram(problem, table, constant).to_diagram(problem, table) == constant
