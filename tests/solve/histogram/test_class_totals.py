"""Bounds of large tables from the weight of each class, against all diagrams and all sets of classes."""

from itertools import combinations

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.problem.evaluate import evaluate
from oddlearn.solve import large_tables
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.class_totals import ClassTotalBounds
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.oracles.tiny import tiny_problem
from tests.solve.histogram.raw_tables import raw_problem
from tests.solve.histogram.test_large_bounds import least_stump

FOREVER = Budget.of(None)


def row_by_row(problem, n_predicted):
    """Return the least cost if every row has the cheapest of so many classes: rows one by one, all sets."""
    cost = problem.data.class_weight @ problem.data.cost_matrix
    n_classes = cost.shape[1]
    sets = combinations(range(n_classes), min(n_predicted, n_classes))
    return min(sum(min(row[code] for code in chosen) for row in cost) for chosen in sets)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_are_those_of_all_sets_of_classes_and_below_every_single_split(seed):
    problem = raw_problem(seed, n_rows=50)
    after = ClassTotalBounds().run(SolveState.initial(problem), FOREVER, ignore)
    expected = [row_by_row(problem, count + 2) for count in range(problem.skeleton.n_nodes)]
    np.testing.assert_allclose(after.bounds.cost, expected, rtol=1e-9, atol=1e-9)
    assert after.bounds.cost[0] <= least_stump(problem) + 1e-9
    assert after.lower_bound == max(0.0, after.evidence[-1].bound)


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
@pytest.mark.parametrize("price", [0.01, 0.4])
@pytest.mark.filterwarnings("ignore:The diagram never predicts")
def test_two_nodes_for_three_classes_are_proved_by_the_classes(split, price, monkeypatch):
    monkeypatch.setattr(large_tables, "WIDE_SUM_CELLS", 5_000)
    monkeypatch.setattr(large_tables, "WIDE_CELLS", 5_000)
    X = np.random.default_rng(0).normal(size=(90, 120))
    y = np.digitize(X[:, 3], [-0.4, 0.4])
    model = OptimalDecisionDiagramClassifier(
        "1-2", node_price=price, split=split, random_state=0, time_limit=20
    ).fit(X, y)
    assert model.certificate_.evidence[0].solver == "class_count"
    rarest = np.bincount(y).min() / 90
    assert model.objective_ == pytest.approx(min(price, rarest)) and model.is_optimal_


def test_small_tables_have_other_bounds():
    problem = tiny_problem(0)
    state = SolveState.initial(problem)
    assert "large tables only" in ClassTotalBounds().unsupported_reasons(problem)[0]
    assert ClassTotalBounds().run(state, FOREVER, ignore) is state
    assert evaluate(problem, state.diagram).objective == state.objective
