"""The best single split between raw values: by brute force, in pieces, and as far as a budget reaches."""

import numpy as np
import pytest

from oddlearn.problem.evaluate import evaluate
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram import best_large_stump, stump_columns
from oddlearn.solve.histogram.best_large_stump import CollectBins, find_large_stump
from oddlearn.solve.histogram.large_bounds import EDGES, LargeBounds, build_stump
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from oddlearn.streaming import row_source
from tests.solve.histogram.raw_tables import FOREVER, raw_problem
from tests.solve.histogram.test_large_bounds import coarse_edges, least_stump


class LooksBudget(Budget):
    """A budget that is spent after so many looks at it, and counts these."""

    @classmethod
    def after(cls, n_looks):
        budget = cls(0.0, float("inf"))
        object.__setattr__(budget, "n_looks", n_looks)
        object.__setattr__(budget, "seen", 0)
        return budget

    @property
    def expired(self):
        object.__setattr__(self, "seen", self.seen + 1)
        return self.seen > self.n_looks


def one_edge(problem):
    """Return edges of two bins, with all values but the smallest in the upper one."""
    return tuple(np.array([np.nanmin(column) + 0.5]) for column in problem.data.X.T)


@pytest.mark.parametrize("piece", [1, 7, 1000])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_split_in_pieces_is_that_of_brute_force(seed, piece, monkeypatch):
    monkeypatch.setattr(stump_columns, "PIECE", piece)
    monkeypatch.setattr(row_source, "PART_ROWS", 23)
    problem = raw_problem(seed, n_rows=60, values=25)
    for edges in (one_edge(problem), coarse_edges(problem, 3)):
        found = find_large_stump(problem.data, edges, FOREVER)
        assert found.is_complete
        assert found.cost == pytest.approx(least_stump(problem), rel=1e-9)
        if found.split is not None:
            again = evaluate(problem, build_stump(found, problem.data)).cost
            assert again == pytest.approx(found.cost, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_budget_that_ends_anywhere_ends_the_search_and_proves_nothing_wrong(seed, monkeypatch):
    monkeypatch.setattr(stump_columns, "PIECE", 10)
    problem = raw_problem(seed, n_rows=60, values=25)
    edges, least = one_edge(problem), least_stump(problem)
    whole = LooksBudget.after(10**9)
    find_large_stump(problem.data, edges, whole)
    assert whole.seen > 10
    n_incomplete = 0
    for n_looks in range(whole.seen + 1):
        budget = LooksBudget.after(n_looks)
        found = find_large_stump(problem.data, edges, budget)
        # the loops over pieces, bins and columns each look once more
        assert budget.seen <= n_looks + 3
        if found is None:
            continue
        n_incomplete += not found.is_complete
        assert found.cost >= least * (1 - 1e-9)
        if found.is_complete:
            assert found.cost == pytest.approx(least, rel=1e-9)
        if found.split is not None:
            again = evaluate(problem, build_stump(found, problem.data)).cost
            assert again == pytest.approx(found.cost, rel=1e-9)
    assert n_incomplete > 5
    assert found.is_complete


def test_columns_that_take_too_long_to_sort_are_left_out_with_a_sentence(monkeypatch):
    monkeypatch.setattr(best_large_stump, "SECONDS_PER_SORT", 1e6)
    problem = raw_problem(1, n_rows=60, values=25)
    assert not find_large_stump(problem.data, one_edge(problem), Budget.of(60.0)).is_complete
    assert find_large_stump(problem.data, one_edge(problem), FOREVER).is_complete
    monkeypatch.setattr(LargeBounds, "_bound_two_levels", lambda self, state, data, budget: state)
    monkeypatch.setattr(best_large_stump, "can_improve", lambda bounds, best: np.ones(bounds.shape, bool))
    after = LargeBounds(uses_groups=False).run(SolveState.initial(problem), Budget.of(60.0), ignore)
    assert after.evidence[-1].text.startswith(EDGES.split("{")[0])
    assert after.bounds.cost[0] == 0


@pytest.mark.parametrize("seed", range(3))
def test_bins_of_one_value_are_collected_as_sums_by_class(seed):
    data = raw_problem(seed, n_rows=60, values=2).data
    block = data.source.take(np.arange(60))
    edges = np.full((3, 255), np.inf)
    edges[:, 0] = 0.5
    wanted = np.zeros((3, 256), dtype=bool)
    wanted[:, :2] = True
    found = CollectBins(edges, wanted, data.factor).add(block, None)
    for feature, (values, codes, weight) in ((one, pieces[0]) for one, pieces in found.items()):
        assert values.size <= 2 * data.n_classes
        for value, code, total in zip(values, codes, weight, strict=True):
            rows = (block.X[:, feature] == value) & (block.codes == code)
            own = np.ones(60) if block.weight is None else block.weight
            assert total == pytest.approx(np.floor(own[rows] * data.factor).sum(), rel=1e-12)


def test_a_column_without_collected_values_changes_nothing():
    costs = stump_columns.ColumnCosts(np.ones((1, 256, 2)), 1 - np.eye(2))
    column = stump_columns.ColumnValues.build(costs, 0, np.full(255, np.inf), np.empty((3, 0)), 1.0)
    best = stump_columns.LargeStump(5.0)
    assert column.improve(best, np.zeros(1), FOREVER) is best
