"""Diagrams of fewer layers, where all of them take too long to evaluate."""

import numpy as np
import pytest

from oddlearn import MaxNodes
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram import solver as histogram_solver
from oddlearn.solve.histogram.hyperplane_search import HyperplaneSearch
from oddlearn.solve.histogram.solver import HistogramSearch, leave_out_layers
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from oddlearn.streaming.memory_rows import MemoryRows
from tests.solve.histogram.raw_tables import bin_all, random_diagram, raw_problem
from tests.solve.histogram.test_histogram_search import small_is_large  # noqa: F401


@pytest.fixture
def second_a_layer(monkeypatch):
    """Let the evaluation of a diagram take a second for each layer."""
    monkeypatch.setattr(histogram_solver, "offer_seconds", lambda problem: 1.0 * problem.skeleton.depth)


@pytest.mark.parametrize(("seconds", "widths"), [(10.0, (1, 2, 3)), (3.0, (1, 2)), (2.0, (1,))])
def test_as_many_layers_are_searched_as_the_time_allows(seconds, widths, second_a_layer):
    problem = raw_problem(0)
    part = leave_out_layers(problem, seconds)
    assert part.skeleton.widths == widths and part.data is problem.data
    assert part.node_price == problem.node_price
    assert (part is problem) == (widths == (1, 2, 3))


def test_without_time_for_one_layer_nothing_is_searched(second_a_layer):
    assert leave_out_layers(raw_problem(0), 1.0) is None
    state = SolveState.initial(raw_problem(0))
    assert HistogramSearch().run(state, Budget.of(1.0), ignore).diagram == state.diagram


def test_constraints_are_for_the_whole_skeleton(second_a_layer):
    problem = raw_problem(0, constraints=(MaxNodes(4),))
    assert leave_out_layers(problem, 10.0) is problem
    assert leave_out_layers(problem, 3.0) is None


def test_a_shallow_diagram_solves_the_whole_problem(monkeypatch, small_is_large):  # noqa: F811
    monkeypatch.setattr(histogram_solver, "offer_seconds", lambda problem: 1.0 * problem.skeleton.depth)
    problem = raw_problem(3, n_rows=400)
    before = SolveState.initial(problem)
    after = HistogramSearch().run(before, Budget.of(2.0, 30), ignore)
    assert after.problem is problem and np.array_equal(after.diagram.layer, [0])
    assert after.objective == pytest.approx(evaluate(problem, after.diagram).objective)
    assert after.objective < before.objective


def test_a_start_of_more_layers_is_left_out(second_a_layer):
    problem = raw_problem(1)
    deep = random_diagram(problem, bin_all(problem), 1).to_diagram(problem, bin_all(problem))
    shallow = leave_out_layers(problem, 2.0)
    assert histogram_solver._if_it_fits(deep, problem) is deep
    assert histogram_solver._if_it_fits(deep, shallow) is None
    assert histogram_solver._if_it_fits(None, shallow) is None


def linear_problem(n_rows=400):
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, 3))
    codes = (X @ [1.0, 1.0, 0.0] > 0).astype(int)
    data = LargeData(MemoryRows.from_arrays(X, codes, None), 1 - np.eye(2))
    return build_problem(data, Skeleton((1, 2)), 0.01, "multivariate", None)


@pytest.mark.parametrize(
    ("seconds", "searched"),
    [
        (100.0, [("multivariate", (1, 2))]),
        (30.0, [("univariate", (1, 2)), ("multivariate", (1,))]),
        (11.5, [("univariate", (1, 2))]),  # too short for a hyperplane
    ],
)
def test_where_hyperplanes_take_too_long_single_features_and_then_one_hyperplane_are_searched(
    seconds,
    searched,
    monkeypatch,
    small_is_large,  # noqa: F811
):
    asked, run, search = [], HyperplaneSearch.run, HistogramSearch.search

    def run_one(own, *given):
        asked.append((own.problem.split, own.problem.skeleton.widths))
        return run(own, *given)

    def search_one(own, problem, start, budget, *given):
        asked.append((problem.split, problem.skeleton.widths))
        return search(own, problem, start, budget, *given)

    monkeypatch.setattr(HyperplaneSearch, "run", run_one)
    monkeypatch.setattr(HistogramSearch, "search", search_one)
    of_layer = {"multivariate": 10.0, "univariate": 0.01}
    monkeypatch.setattr(
        histogram_solver, "offer_seconds", lambda problem: of_layer[problem.split] * problem.skeleton.depth
    )
    problem = linear_problem()
    after = HistogramSearch().run(SolveState.initial(problem), Budget.of(seconds, 30), ignore)
    assert asked == searched
    assert after.objective == pytest.approx(evaluate(problem, after.diagram).objective)
    assert after.objective < 0.05 or searched[-1][0] == "univariate"
