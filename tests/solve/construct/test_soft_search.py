"""The search by soft diagrams: in turns, from random graphs and near the incumbent, within all limits."""

import numpy as np
import pytest

from oddlearn.constraints import MaxNodes
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.term_limit import TermLimit
from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.soft_search import SoftDiagrams
from oddlearn.solve.root_bounds.solver import RootBounds
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState


def checks(n_classes=2, skeleton="1-2-4-4", alpha=0.05, n_rows=240, **options):
    """Return the problem of a box in the middle, or of stripes with more classes."""
    X = np.random.default_rng(3).random((n_rows, 2))
    inside = (np.abs(X - 0.5) < 0.3).all(axis=1)
    y = inside.astype(int) if n_classes == 2 else (n_classes * X[:, 0]).astype(int)
    data = TrainingData.collect(X, y, n_classes)
    return build_problem(data, Skeleton.parse(skeleton), alpha, "multivariate", **options)


def search(problem, work=0.05, state=None, seed=0):
    budget = Budget.of(None)
    return SoftDiagrams(seed).run(state or SolveState.initial(problem), budget.limit_work(work), ignore)


@pytest.mark.parametrize("skeleton", ["1-2-4-4", Skeleton.tree(4), "1-1-1-1"])
def test_a_box_is_found_with_four_hyperplanes(skeleton):
    found = search(checks(skeleton=skeleton), work=0.6)
    assert found.evaluation.cost <= 2
    assert found.evaluation.n_nodes <= 4


def test_stripes_of_four_classes_are_found():
    found = search(checks(n_classes=4), work=0.6)
    assert found.evaluation.cost == 0
    assert found.evaluation.n_nodes == 3


def test_the_same_seed_finds_the_same():
    first, again = (search(checks()).diagram for _ in range(2))
    assert [one.weights.tolist() for one in first.splits] == [one.weights.tolist() for one in again.splits]


def test_a_turn_that_is_too_short_for_a_fit_is_saved_up():
    state, problem = None, checks()
    for _ in range(50):
        state = search(problem, 0.001, state)
    soft = state.resumable["soft_diagrams"]
    assert 1 <= soft.n_fits < 50
    assert state.objective < SolveState.initial(problem).objective


def test_fits_that_find_nothing_leave_turns_to_others():
    state = search(checks(), work=0.4)
    soft = state.resumable["soft_diagrams"]
    soft.failed = 0.0
    first = soft.choose_share(state)
    soft.failed = 10.0
    assert soft.choose_share(state) <= first / 4


def test_nothing_is_done_when_time_is_up():
    problem = checks()
    state = SolveState.initial(problem)
    assert SoftDiagrams().run(state, Budget.of(0.0), ignore).diagram is state.diagram


def test_the_incumbent_is_never_worse_than_before():
    state = search(checks(), 0.05)
    for _ in range(5):
        after = search(state.problem, 0.05, state)
        assert after.objective <= state.objective
        state = after


def test_a_solved_problem_ends_it():
    X = np.linspace(0, 1, 40)[:, None]
    data = TrainingData.collect(X, (X[:, 0] > 0.5).astype(int), 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.1, "multivariate")
    state = RootBounds().run(SolveState.initial(problem), Budget.of(None), ignore)
    assert state.is_finished
    assert SoftDiagrams().run(state, Budget.of(None).limit_work(1.0), ignore).diagram is state.diagram


def test_it_says_what_it_does_not_take():
    solver = SoftDiagrams()
    limited = checks(term_limit=TermLimit.build(1, [0, 1]))
    assert solver.unsupported_reasons(checks()) == []
    assert "constraints" in solver.unsupported_reasons(checks(constraints=[MaxNodes(3)]))[0]
    assert "terms" in solver.unsupported_reasons(limited)[0]
    data = TrainingData.collect(np.arange(4.0)[:, None], np.array([0, 1, 0, 1]), 2)
    univariate = build_problem(data, Skeleton.parse("1-2"), 0.1, "univariate")
    assert "univariate" in solver.unsupported_reasons(univariate)[0]
