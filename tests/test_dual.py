"""Bounds from priced constraints against all diagrams of tiny problems."""

import math

import numpy as np
import pytest

from oddlearn.constraints import MinFlow
from oddlearn.diagram import Skeleton
from oddlearn.dual import dual_bound, objections_to_dual
from oddlearn.engine import Budget
from oddlearn.problem import TrainingData, evaluate, pose
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
