"""Every solver: a solve that ends with its diagram ends with its hyperplanes regularised.

A solver may leave a hyperplane anywhere in its gap. The judge is the definition of the regression, minimised
by scipy.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from oddlearn.diagram.routing import costs_to_go, route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.constrained_logistic import (
    BARRIER_COEFFICIENTS,
    INTERCEPT_RIDGE,
    STRENGTH,
)
from oddlearn.solve.hyperplanes.polish import EVEN_DEVIATION, MAX_STRETCH
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.loop import solve
from oddlearn.solve.schedule import AutoSchedule, build_schedule
from oddlearn.solve.solver import ignore
from oddlearn.solve.step import Step
from tests.contracts.test_solvers import PROBLEMS, SOLVERS

SECONDS = 20.0
TOLERANCE = 0.02  # share of the least value; Newton's method ends after a few steps


def draw_clouds(seed):
    """Return ten rows of two features, of two classes that many hyperplanes separate."""
    random = np.random.default_rng(seed)
    codes = np.arange(10) % 2
    X = random.random((10, 2)) + 0.8 * codes[:, None]
    data = TrainingData.collect((X - X.min(axis=0)) / np.ptp(X, axis=0), codes, 2)
    return build_problem(data, Skeleton.parse("1-2"), 0.5, "multivariate")


HYPERPLANES = [problem for problem in PROBLEMS if problem.split == "multivariate" and not len(problem.rows)]
HYPERPLANES += [draw_clouds(seed) for seed in range(4)]


def solve_by(solver, problem, has_end):
    """Return the diagram of a solve with one solver, with or without the last step."""
    schedule = build_schedule("multivariate", LocalSearch(), AutoSchedule(), Budget.of(SECONDS))
    assert [step.solver.name for step in schedule.final] == ["regularise_hyperplanes"]
    own = replace(schedule, steps=(Step(solver),), final=schedule.final if has_end else ())
    return solve(problem, own, Budget.of(SECONDS, max_iter=20), ignore).state.diagram


def regression_value(point, signed, weight):
    """Return log loss, ridge and barrier of weights and intercept whose rows ``signed`` must be positive."""
    key = signed @ point
    if (key <= 0).any():
        return np.inf
    squares = 0.5 * (point[:-1] @ point[:-1] + INTERCEPT_RIDGE * point[-1] ** 2)
    loss = STRENGTH * (weight @ np.log1p(np.exp(-key))) + squares
    return loss - BARRIER_COEFFICIENTS[-1] * np.log(key).sum()


def minimise_value(start, signed, weight):
    """Return the least value of the regression from a start that has all rows right."""
    for _ in range(5):
        found = minimize(regression_value, start, (signed, weight), "Nelder-Mead", options={"maxiter": 4000})
        start = found.x
    return found.fun


def judge_last_node(problem, diagram):
    """Return the value of the last hyperplane's direction and the least of all; None where rows are wrong.

    The nodes below another one change after it, so that the last one alone has its final sides.
    """
    if not diagram.n_nodes:
        return None
    node, X = diagram.n_nodes - 1, problem.data.X
    costs = costs_to_go(diagram, X, problem.cost)
    reached = route_reference(diagram, X).reached[:, node]
    saved = (costs[diagram.negative[node]] - costs[diagram.positive[node]])[reached]
    split, rows = diagram.splits[node], X[reached][saved != 0]
    sign, weight = np.sign(saved[saved != 0]), np.abs(saved[saved != 0])
    key = split.key(rows) - split.threshold
    if np.unique(sign).size < 2 or (key * sign <= 0).any():
        return None
    used = slice(None) if problem.term_limit is None else split.weights != 0
    weight = weight * problem.data.n_rows / problem.total_weight
    deviation = np.sqrt(StandardScaler().fit(rows[:, used], sample_weight=weight).var_)
    stretch = np.minimum(MAX_STRETCH, EVEN_DEVIATION / np.maximum(deviation, 1e-12))
    line = np.column_stack([key + split.threshold, np.ones(len(rows))]) * sign[:, None]
    space = np.column_stack([rows[:, used] * stretch, np.ones(len(rows))]) * sign[:, None]
    own = split.weights[used] / stretch
    # along the direction only scale and intercept are free: its ridge is that of the whole vector
    norm = np.sqrt(own @ own)
    value = minimise_value(np.array([norm, -split.threshold]), line / [norm, 1.0], weight)
    return value, minimise_value(np.append(own, -split.threshold), space, weight)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solve_ends_with_regularised_hyperplanes(name):
    for problem in HYPERPLANES:
        if SOLVERS[name].unsupported_reasons(problem):
            continue
        judged = judge_last_node(problem, solve_by(SOLVERS[name], problem, has_end=True))
        if judged is not None:
            value, least = judged
            assert value <= least + TOLERANCE * abs(least)


def test_without_the_last_step_some_hyperplanes_are_not_regularised():
    names = ("local_search", "construct", "root_bounds", "milp")
    judged = [
        judge_last_node(problem, solve_by(SOLVERS[name], problem, has_end=False))
        for name in names
        for problem in HYPERPLANES
        if not SOLVERS[name].unsupported_reasons(problem)
    ]
    found = [pair for pair in judged if pair is not None]
    assert sum(value > least + 5 * TOLERANCE * abs(least) for value, least in found) >= len(names)


def test_the_judge_of_regressions_is_that_of_scikit_learn(monkeypatch):
    monkeypatch.setattr("tests.contracts.test_regularised_hyperplanes.BARRIER_COEFFICIENTS", (0.0,))
    X = np.array([[0.0, 0.0], [0.2, 0.9], [1.0, 0.1], [0.8, 1.0]])
    wanted = np.array([False, False, True, True])
    theirs = LogisticRegression(C=STRENGTH, tol=1e-10).fit(X, wanted)
    signed = np.column_stack([X, np.ones(4)]) * np.where(wanted, 1.0, -1.0)[:, None]
    point = np.append(theirs.coef_[0], theirs.intercept_[0])
    assert regression_value(point, signed, np.ones(4)) == pytest.approx(
        minimise_value(np.array([1.0, 0.0, -0.5]), signed, np.ones(4)), rel=1e-3
    )
