"""Every solver: a solve that ends with its diagram places the hyperplanes at the maximal margin."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from oddlearn.diagram.routing import route_reference
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.loop import solve
from oddlearn.solve.schedule import AutoSchedule, build_schedule
from oddlearn.solve.solver import ignore
from oddlearn.solve.step import Step
from tests.contracts.test_solvers import PROBLEMS, SOLVERS

SECONDS = 20.0
TOLERANCE = 1e-7

HYPERPLANES = [problem for problem in PROBLEMS if problem.split == "multivariate" and not len(problem.rows)]


def solve_by(solver, problem):
    """Return the state of a solve with one solver, and the polish without the regressions that follow it."""
    schedule = build_schedule("multivariate", LocalSearch(), AutoSchedule(), Budget.of(SECONDS))
    assert [step.solver.name for step in schedule.final] == ["maximise_margins", "regularise_hyperplanes"]
    own = replace(schedule, steps=(Step(solver),), final=schedule.final[:1])
    return solve(problem, own, Budget.of(SECONDS, max_iter=20), ignore).state


def widest_gap(rows, side):
    """Return the widest gap of weights of absolute sum 1 between two sets of rows, as one linear program."""
    n, d = rows.shape
    sign = np.where(side, -1.0, 1.0)[:, None]
    # positive and negative parts of the weights, then the ends of the gap: low, high
    ends = np.column_stack([np.where(side, 0.0, -1.0), np.where(side, 1.0, 0.0)])
    upper = np.vstack([np.hstack([sign * rows, -sign * rows, ends]), np.r_[np.ones(2 * d), 0.0, 0.0]])
    found = linprog(
        np.r_[np.zeros(2 * d), 1.0, -1.0],
        upper,
        np.r_[np.zeros(n), 1.0],
        bounds=[(0, None)] * (2 * d) + [(None, None)] * 2,
    )
    assert found.status == 0
    return -found.fun


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solve_ends_with_hyperplanes_of_maximal_margin(name):
    for problem in HYPERPLANES:
        if SOLVERS[name].unsupported_reasons(problem):
            continue
        diagram = solve_by(SOLVERS[name], problem).diagram
        trace = route_reference(diagram, problem.data.X)
        for node, split in enumerate(diagram.splits):
            reached = trace.reached[:, node]
            side, rows = trace.sides[reached, node], problem.data.X[reached]
            if len(np.unique(side)) != 2:
                continue
            key = split.key(rows)
            gap = (key[side].min() - key[~side].max()) / np.abs(split.weights).sum()
            used = slice(None) if problem.term_limit is None else split.weights != 0
            assert gap >= widest_gap(rows[:, used], side) - TOLERANCE


def test_the_judge_of_margins_is_right():
    rows = np.array([[0.0, 0.0], [0.2, 0.9], [1.0, 0.1], [0.8, 1.0]])
    side = np.array([False, False, True, True])
    assert widest_gap(rows, side) == pytest.approx(0.6)
