"""Bounds of the Lagrangian relaxation against all diagrams of tiny problems."""

import math
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.constraints import MinFlow
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.tolerances import VIOLATION_TOLERANCE
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.lagrangian.solver import Lagrangian, SubgradientMethod, _RelaxableRows
from tests.oracles.constrained import feasible_optimum
from tests.oracles.tiny_constrained import constrained_problem

SEEDS = [seed for seed in range(30) if not Lagrangian().unsupported_reasons(constrained_problem(seed))]


def run_method(problem, objective, budget):
    method = SubgradientMethod(problem, objective, budget)
    method.run()
    return method


@pytest.fixture(scope="module")
def cases():
    """Problems with their optimum and the bounds proved with and without knowing it."""
    found = []
    for problem in map(constrained_problem, SEEDS):
        best = feasible_optimum(problem)
        blind = run_method(problem, math.inf, Budget.of(30))
        told = run_method(problem, best, Budget.of(30))
        found.append((problem, best, blind, told))
    return found


def test_no_bound_is_above_the_best_diagram_that_keeps_the_constraints(cases):
    assert len(cases) > 15
    for problem, best, blind, told in cases:
        assert blind.lower_bound <= best + 1e-9
        assert told.lower_bound <= best + 1e-9
        assert told.bounds.lower_bound(problem) <= best + 1e-9


def test_most_bounds_are_the_optimum_or_close_to_it(cases):
    finite = [(best, told.lower_bound) for _, best, _, told in cases if math.isfinite(best)]
    met = [bound >= best - 1e-9 for best, bound in finite]
    assert sum(met) > 0.4 * len(met)


def test_pricing_proves_more_than_dropping(cases):
    for problem, best, _, told in cases[::3]:
        shape = (problem.data, problem.skeleton, None, problem.split, problem.margin)
        dropped = build_problem(*shape, node_price=problem.node_price)
        if math.isfinite(best):
            assert told.lower_bound >= feasible_optimum(dropped) - 1e-9


def test_what_is_found_on_the_way_keeps_the_constraints(cases):
    diagrams = [(problem, best, blind.diagram) for problem, best, blind, _ in cases if blind.diagram]
    assert len(diagrams) > 10
    for problem, best, diagram in diagrams:
        value = evaluate(problem, diagram)
        assert value.violation == 0
        assert value.objective >= best - 1e-9


def test_it_ends_with_the_time():
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((300, 8)), random.integers(0, 2, 300), 2)
    problem = build_problem(data, Skeleton.parse("1-2-4-4"), 0.01, "univariate", 1e-4, None, [MinFlow(40)])
    method = run_method(problem, 0.5, Budget.of(0.2))
    assert (method.evidence.status, 0.0 <= method.lower_bound < 0.5) == ("time", True)


def test_it_says_why_it_cannot_relax():
    free = constrained_problem(0, kinds=("limits",))
    assert "limits on nodes" in Lagrangian().unsupported_reasons(free)[0]
    slanted = constrained_problem(0, split="multivariate", kinds=("fair",))
    assert any("univariate" in reason for reason in Lagrangian().unsupported_reasons(slanted))


def with_demand(least):
    """Return six samples, the last two of class 1, and the demand that so many are given class 1."""
    data = TrainingData.collect(np.linspace(0, 1, 6)[:, None], np.array([0, 0, 0, 0, 1, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-1"), 0.0, "univariate")
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.assigned[:, 1]] = problem.data.class_weight.sum(axis=1)
    return replace(problem, rows=LinearRows(matrix, [least], [np.inf], ("class 1",)))


def test_the_first_prices_are_0_and_the_second_go_all_the_way_to_the_best_objective():
    # without the demand nobody is misjudged and 2 are given class 1; with 4 of them, 2 of 6 are misjudged:
    # a price of 1/6 makes up for each
    method = run_method(with_demand(4.0), 2 / 6, Budget.of(30))
    assert (method.lower_bound, method.evidence.status) == (pytest.approx(2 / 6), "optimal")
    assert "2 sets of multipliers" in method.evidence.text


def test_a_demand_that_the_best_diagram_keeps_needs_no_price():
    method = run_method(with_demand(2.0), 0.0, Budget.of(30))
    assert (method.lower_bound, method.evidence.status) == (0.0, "optimal")
    assert "multipliers" not in method.evidence.text


def test_prices_are_found_without_an_objective_to_go_for():
    problem = with_demand(4.0)
    method = run_method(problem, math.inf, Budget.of(30))
    assert method.lower_bound == pytest.approx(2 / 6) == pytest.approx(feasible_optimum(problem))
    assert method.bounds.lower_bound(problem) == pytest.approx(2 / 6)


@pytest.mark.parametrize("seed", [2, 12, 25, 27, 34])
def test_prices_go_on_from_the_best_so_far(seed):
    problem = constrained_problem(seed, kinds=("fair", "soft"))
    best = feasible_optimum(problem)
    # always from 0 it would end below three quarters
    assert 0.9 * best <= run_method(problem, best, Budget.of(30)).lower_bound <= best + 1e-9


def test_the_seconds_of_all_runs_are_told(monkeypatch):
    method = SubgradientMethod(constrained_problem(SEEDS[0]), math.inf, Budget.of(30))
    monkeypatch.setattr(method, "_improve_multipliers", lambda: None)
    now = iter([10.0, 12.5, 20.0, 21.0])
    monkeypatch.setattr("oddlearn.solve.lagrangian.solver.time.perf_counter", lambda: next(now))
    method.run()
    assert method._seconds == 2.5
    method.run()
    assert method._seconds == 3.5


def test_a_hard_row_may_be_violated_by_the_tolerance_and_a_soft_one_at_its_penalty():
    problem = with_demand(4.0)
    matrix = np.vstack([problem.rows.matrix.toarray()] * 2)
    matrix[:, -1] = [1.0, 0.0]  # not of classes: that row is left out
    matrix = np.vstack([matrix, matrix[1:]])
    rows = LinearRows(matrix, [1.0, 4.0, 3.0], [np.inf, 5.0, np.inf], "abc", [np.inf, np.inf, 2.0])
    found = _RelaxableRows.from_problem(replace(problem, rows=rows))
    assert found.limit.tolist() == [4.0 - VIOLATION_TOLERANCE, -5.0 - VIOLATION_TOLERANCE, 3.0]
    assert found.max_multiplier.tolist() == [np.inf, np.inf, 2.0]
    expected = matrix[1, : problem.cost.size]
    assert found.matrix.tolist() == [expected.tolist(), (-expected).tolist(), expected.tolist()]
