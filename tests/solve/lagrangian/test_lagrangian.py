"""Bounds from priced constraints against all diagrams of tiny problems."""

import math
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.constraints import MinFlow
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import pose
from oddlearn.solve.budget import Budget
from oddlearn.solve.lagrangian.solver import dual_bound, objections_to_dual
from tests.oracles.constrained import feasible_optimum
from tests.oracles.tiny_constrained import constrained_problem

SEEDS = [seed for seed in range(60) if not objections_to_dual(constrained_problem(seed))]


@pytest.fixture(scope="module")
def cases():
    """Problems with their optimum and the bounds proved with and without knowing it."""
    found = []
    for problem in map(constrained_problem, SEEDS):
        best = feasible_optimum(problem)
        blind = dual_bound(problem, math.inf, Budget.of(30))
        told = dual_bound(problem, best, Budget.of(30))
        found.append((problem, best, blind, told))
    return found


def test_no_bound_is_above_the_best_diagram_that_keeps_the_constraints(cases):
    assert len(cases) > 30
    for problem, best, blind, told in cases:
        assert blind.bound <= best + 1e-9
        assert told.bound <= best + 1e-9
        assert told.floors.lower_bound(problem) <= best + 1e-9


def test_most_bounds_are_the_optimum_or_close_to_it(cases):
    finite = [(best, told.bound) for _, best, _, told in cases if math.isfinite(best)]
    met = [bound >= best - 1e-9 for best, bound in finite]
    assert sum(met) > 0.4 * len(met)


def test_pricing_proves_more_than_dropping(cases):
    for problem, best, _, told in cases[::3]:
        dropped = pose(problem.data, problem.skeleton, problem.alpha, problem.split, problem.margin)
        if math.isfinite(best):
            assert told.bound >= feasible_optimum(dropped) - 1e-9


def test_what_is_found_on_the_way_keeps_the_constraints(cases):
    diagrams = [(problem, best, blind.diagram) for problem, best, blind, _ in cases if blind.diagram]
    assert len(diagrams) > 10
    for problem, best, diagram in diagrams:
        value = evaluate(problem, diagram)
        assert value.excess == 0
        assert value.objective >= best - 1e-9


def test_it_ends_with_the_time():
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((300, 8)), random.integers(0, 2, 300), 2)
    problem = pose(data, Skeleton.parse("1-2-4-4"), 0.01, "univariate", 1e-4, None, [MinFlow(40)])
    dual = dual_bound(problem, 0.5, Budget.of(0.2))
    assert (dual.evidence.ending, 0.0 <= dual.bound < 0.5) == ("time", True)


def test_it_objects_to_what_it_cannot_price():
    free = constrained_problem(0, kinds=("limits",))
    assert "limits on nodes" in objections_to_dual(free)[0]
    slanted = constrained_problem(0, split="multivariate", kinds=("fair",))
    assert any("univariate" in objection for objection in objections_to_dual(slanted))


def with_demand(least):
    """Return six samples, the last two of class 1, and the demand that so many are given class 1."""
    data = TrainingData.collect(np.linspace(0, 1, 6)[:, None], np.array([0, 0, 0, 0, 1, 1]), 2)
    problem = pose(data, Skeleton.parse("1-1"), 0.0, "univariate")
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.assigned[:, 1]] = problem.data.class_weight.sum(axis=1)
    return replace(problem, rows=LinearRows(matrix, [least], [np.inf], ("class 1",)))


def test_the_first_prices_are_0_and_the_second_go_all_the_way_to_the_best_objective():
    # without the demand nobody is misjudged and 2 are given class 1; with 4 of them, 2 of 6 are misjudged:
    # a price of 1/6 makes up for each
    dual = dual_bound(with_demand(4.0), 2 / 6, Budget.of(30))
    assert (dual.bound, dual.evidence.ending) == (pytest.approx(2 / 6), "optimal")
    assert "2 prices tried" in dual.evidence.text


def test_a_demand_that_the_best_diagram_keeps_needs_no_price():
    dual = dual_bound(with_demand(2.0), 0.0, Budget.of(30))
    assert (dual.bound, dual.evidence.ending) == (0.0, "optimal")
    assert "prices" not in dual.evidence.text


def test_prices_are_found_without_an_objective_to_go_for():
    problem = with_demand(4.0)
    dual = dual_bound(problem, math.inf, Budget.of(30))
    assert dual.bound == pytest.approx(2 / 6) == pytest.approx(feasible_optimum(problem))
    assert dual.floors.lower_bound(problem) == pytest.approx(2 / 6)


@pytest.mark.parametrize("seed", [2, 12, 25, 27, 34])
def test_prices_go_on_from_the_best_so_far(seed):
    problem = constrained_problem(seed, kinds=("fair", "soft"))
    best = feasible_optimum(problem)
    # always from 0 it would end below three quarters
    assert 0.9 * best <= dual_bound(problem, best, Budget.of(30)).bound <= best + 1e-9
