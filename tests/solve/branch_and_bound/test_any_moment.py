"""Proofs over diagrams and trees that are stopped at any moment: they claim nothing false, and go on.

The clock moves on by one tick whenever it is read, so that each tick is another place where the time is up.
Ticks are short: a kernel, which is given the time left, is stopped before its end, too.
"""

from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve import budget
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState

TICK = 1e-5  # seconds
MAX_STOPS = 15  # moments of a run that are tried


@pytest.fixture
def ticks(monkeypatch):
    """Return the clock, which counts how often it was read."""
    ticks = count(1)
    monkeypatch.setattr(budget, "time", SimpleNamespace(perf_counter=lambda: TICK * next(ticks)))
    return ticks


def pose(skeleton, price, seed):
    random = np.random.default_rng(seed)
    X, codes = random.integers(0, 9, (60, 4)).astype(float), random.integers(0, 2, 60)
    return build_problem(TrainingData.collect(X, codes, 2), skeleton, price, "univariate")


def run(state, seconds):
    return BranchAndBound().run(state, Budget.of(seconds), ignore)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("skeleton", "price"),
    [(Skeleton.parse("1-2-2"), 0.08), (Skeleton.tree(3), 0.08), (Skeleton.tree_of_nodes(5), 0.3)],
    ids=str,
)
def test_branch_and_bound(skeleton, price, seed, ticks):
    problem, before = pose(skeleton, price, seed), next(ticks)
    best = run(SolveState.initial(problem), None)
    n_ticks = next(ticks) - before
    assert best.is_optimal and best.evaluation.cost > 0 and n_ticks > 5
    for stop in np.unique(np.linspace(2, n_ticks, MAX_STOPS).astype(int)).tolist():
        state = run(SolveState.initial(problem), TICK * stop)
        assert state.lower_bound <= best.objective + 1e-9, stop
        assert state.objective >= best.objective - 1e-9, stop
        if not state.is_optimal:
            state = run(state, None)
        assert state.is_optimal and state.objective == pytest.approx(best.objective), stop
