"""Bounds of large tables: the best single split by brute force, and sums over groups of rows."""

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram import best_large_stump, large_bounds
from oddlearn.solve.histogram.best_large_stump import CollectBins, CountBins, find_large_stump
from oddlearn.solve.histogram.large_bounds import LargeBounds, bound_by_groups, build_stump
from oddlearn.solve.histogram.stump_columns import LargeStump
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from oddlearn.streaming import row_source
from oddlearn.streaming.batch_rows import slice_block
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.table.groups import SampleGroups
from tests.solve.histogram.raw_tables import raw_problem
from tests.solve.histogram.test_histogram_search import noisy_table, small_is_large  # noqa: F401

FOREVER = Budget.of(None)


def every_stump(problem):
    """Yield every single split, with every pair of classes."""
    X, n_classes = problem.data.X, problem.data.n_classes
    for feature, column in enumerate(X.T):
        values = np.unique(column[~np.isnan(column)])
        thresholds = [*(values[:-1] / 2 + values[1:] / 2), values[-1] + 1]
        splits = [UnivariateSplit(feature, value, side) for value in thresholds for side in (False, True)]
        splits += [UnivariateSplit.is_missing(feature, positive=side) for side in (False, True)]
        for split in splits:
            for classes in np.ndindex(n_classes, n_classes):
                if classes[0] != classes[1]:
                    arcs = (np.array([1 + classes[0]]), np.array([1 + classes[1]]), np.array([0]))
                    yield DecisionDiagram((split,), *arcs, n_classes, X.shape[1])


def least_stump(problem):
    constants = [
        DecisionDiagram.constant(code, problem.data.n_classes, problem.data.n_features)
        for code in range(problem.data.n_classes)
    ]
    return min(evaluate(problem, diagram).cost for diagram in [*constants, *every_stump(problem)])


def coarse_edges(problem, n_edges):
    columns = [column[~np.isnan(column)] for column in problem.data.X.T]
    return tuple(np.unique(np.quantile(column, np.linspace(0.2, 0.8, n_edges))) for column in columns)


@pytest.mark.parametrize("n_edges", [1, 4])
@pytest.mark.parametrize("seed", range(8))
def test_the_best_single_split_is_that_of_brute_force(seed, n_edges, monkeypatch):
    monkeypatch.setattr(row_source, "PART_ROWS", 17)
    problem = raw_problem(seed, n_rows=60)
    found = find_large_stump(problem.data, coarse_edges(problem, n_edges), FOREVER)
    assert found.is_complete
    assert found.cost == pytest.approx(least_stump(problem), rel=1e-9)
    if found.split is not None:
        assert evaluate(problem, build_stump(found, problem.data)).cost == pytest.approx(found.cost, rel=1e-9)


def test_a_split_into_two_leaves_of_one_class_is_no_diagram():
    """Its cost may be below that of the constant by the rounding of sums of weights."""
    data = raw_problem(0).data
    split = UnivariateSplit(0, 0.5)
    assert build_stump(LargeStump(1.0, split, (1, 1)), data) is None
    assert build_stump(LargeStump(1.0, split, (0, 1)), data).n_nodes == 1
    assert build_stump(LargeStump(1.0), data) is None


@pytest.mark.parametrize("widths", [(1, 1), (1, 2)])
def test_weights_whose_sums_are_rounded_end_in_no_error(widths):
    """No split saves anything, but sums of weights over two sides are not the sum over all rows."""
    for seed in range(60):
        problem = rare_class_problem(seed, widths)
        state = SolveState.initial(problem).offer(best_constant(problem))
        after = LargeBounds(seed=0).run(state, Budget.of(60.0), ignore)
        assert after.objective <= state.objective
        assert after.lower_bound <= after.objective * (1 + 1e-12)


def rare_class_problem(seed, widths):
    """Return a problem of weights with many digits; few rows are of the second class."""
    random = np.random.default_rng(seed)
    X, weight = random.integers(0, 3, (200, 3)).astype(float), random.random(200) + 0.1
    codes = (random.random(200) < 0.03).astype(int)
    data = LargeData(
        MemoryRows.from_arrays(X, codes, weight), 1 - np.eye(2), SampleGroups(codes, weight, (0, 1))
    )
    return build_problem(data, Skeleton(widths), None, "univariate", node_price=0.0)


def test_without_room_for_raw_values_nothing_is_proved(monkeypatch):
    monkeypatch.setattr(best_large_stump, "MAX_VALUES", 0)
    problem = raw_problem(1, n_rows=60)
    found = find_large_stump(problem.data, coarse_edges(problem, 2), FOREVER)
    assert not found.is_complete
    assert found.cost >= least_stump(problem) - 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_bounds_of_groups_add_up_to_less_than_the_best_single_split(seed, monkeypatch):
    monkeypatch.setattr(large_bounds, "GROUP_ROWS", 25)
    monkeypatch.setattr(large_bounds, "MAX_GROUP_NODES", 99)
    problem = raw_problem(seed, n_rows=90)
    state = SolveState.initial(problem)
    after = bound_by_groups(state, 90, 0, Budget.of(30.0))
    assert 0 <= after.bounds.cost[0] <= least_stump(problem) + 1e-9
    assert "4 of 4 disjoint groups" in after.evidence[-1].text


# of column pairs alone: these prove the diagram best, and groups of rows are not reached
@pytest.mark.parametrize("solver", ["row_groups", "column_pairs"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.usefixtures("small_is_large")
def test_bounds_are_below_every_diagram_that_a_small_fit_proves_best(seed, solver, monkeypatch):
    monkeypatch.setattr(large_bounds, "GROUP_ROWS", 60)
    if solver == "row_groups":
        monkeypatch.setattr(large_bounds, "MAX_PAIR_CLASSES", 1)
    X, y = noisy_table(seed, n_rows=180)
    options = {"skeleton": "1-2", "alpha": 0.02, "random_state": 0, "time_limit": 20.0}
    large = OptimalDecisionDiagramClassifier(**options).fit(X, y)
    monkeypatch.undo()
    small = OptimalDecisionDiagramClassifier(**options).fit(X, y)
    assert small.certificate_.is_optimal
    assert {entry.solver for entry in large.certificate_.evidence} >= {"best_stump", solver}
    assert 0 < large.lower_bound_ <= small.objective_ + 1e-9 <= large.objective_ + 2e-9


@pytest.mark.parametrize(
    ("seconds", "most", "reason"),
    [(None, 99, "no time limit"), (60.0, 1, "at most 1 nodes"), (0.1, 99, "at least 0.2 s each")],
)
def test_groups_are_skipped_with_a_reason(seconds, most, reason, monkeypatch):
    monkeypatch.setattr(large_bounds, "MAX_GROUP_NODES", most)
    after = bound_by_groups(SolveState.initial(raw_problem(0, n_rows=60)), 60, 0, Budget.of(seconds))
    assert reason in after.evidence[-1].text


def test_bounds_that_do_not_fit_the_time_are_said_to_be_skipped():
    problem = raw_problem(0, n_rows=60)
    after = LargeBounds().run(SolveState.initial(problem), Budget.of(0.0), ignore)
    assert [entry.status for entry in after.evidence] == ["skipped", "skipped", "skipped"]


@pytest.mark.parametrize("seed", range(3))
def test_counts_and_values_of_parts_are_those_of_all_rows_together(seed):
    data = raw_problem(seed, n_rows=60).data
    block = data.source.take(np.arange(60))
    parts = [slice_block(block, slice(0, 23)), slice_block(block, slice(23, 60))]
    edges = np.full((3, 255), np.inf)
    edges[:, :2] = [0.5, 2.5]
    count = CountBins(edges, data.n_classes, data.factor)
    whole = count.add(block, None)
    assert whole.sum() == pytest.approx(3 * data.total_weight * data.factor, rel=1e-9)
    assert np.array_equal(count.merge(*(count.add(part, None) for part in parts)), whole)
    assert np.array_equal(count.add(parts[1], count.add(parts[0], None)), whole)
    wanted = np.zeros((3, 256), dtype=bool)
    wanted[0, 1] = wanted[2, 0] = True
    collect = CollectBins(edges, wanted, data.factor)
    merged = collect.merge(*(collect.add(part, None) for part in parts))
    together = collect.add(block, None)
    assert sorted(merged) == sorted(together) == [0, 2]
    for feature in (0, 2):
        sums = sum_by_value_and_class(together[feature])
        assert sum_by_value_and_class(merged[feature]) == pytest.approx(sums, rel=1e-12)


def sum_by_value_and_class(pieces):
    sums = {}
    for value, code, weight in np.hstack(pieces).T.tolist():
        sums[value, code] = sums.get((value, code), 0.0) + weight
    return sums
