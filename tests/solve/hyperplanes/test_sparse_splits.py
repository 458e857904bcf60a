"""The best split of one or two terms against brute force, the local search and the MILP."""

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.evaluate import evaluate
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.sparse_solver import SparseSplitSolver, improve_by_pairs
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.milp.solver import Milp
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.oracles import sparse_brute_force as brute


def test_pairs_of_numbers_cost_what_all_lines_do():
    for seed in range(80):
        problem = brute.draw_numbers(seed)
        bound, cost = brute.search_pairs(problem)
        assert bound == pytest.approx(brute.best_by_lines(problem), abs=1e-9), seed
        assert cost == pytest.approx(bound, abs=1e-9), seed


def test_no_split_with_categories_or_missing_values_costs_less_than_the_bound():
    n_proved = 0
    for seed in range(15):
        problem = brute.draw_columns(seed)
        bound, cost = brute.search_pairs(problem)
        best = brute.best_by_programs(problem)
        assert bound <= best + 1e-9 and cost >= best - 1e-9, seed
        n_proved += cost <= bound + 1e-9
    assert n_proved >= 12


def test_enumeration_search_and_milp_agree():
    for seed in (1, 2):
        problem = brute.draw_numbers(seed)
        bound, _ = brute.search_pairs(problem)
        state = SolveState.initial(problem)
        state = LocalSearch().run(state, Budget.of(30.0, max_iter=200), ignore)
        assert state.evaluation.cost == pytest.approx(bound, abs=1e-9), seed
        state = Milp().run(SolveState.initial(problem), Budget.of(30.0), ignore)
        assert state.is_optimal, seed
        assert state.evaluation.cost == pytest.approx(bound, abs=1e-9), seed


def test_the_search_resumes_where_it_stopped():
    random = np.random.default_rng(0)
    X = random.random((120, 5))
    problem = brute.pose(X, (X[:, 1] - X[:, 3] + 0.2 * random.random(120) > 0).astype(int), 2, range(5), 2)
    whole = SparseSplitSolver().run(SolveState.initial(problem), Budget.of(None), ignore)
    state, n_turns = SolveState.initial(problem), 0
    while "sparse_split" in state.resumable or n_turns == 0:
        state, n_turns = SparseSplitSolver().run(state, Budget.of(None).limit_work(1e-4), ignore), n_turns + 1
    assert n_turns > 2 and whole.is_optimal and state.is_optimal
    assert state.objective == whole.objective == whole.lower_bound


def test_nodes_get_the_best_split_for_their_arcs():
    random = np.random.default_rng(1)
    X = random.random((60, 4))
    problem = brute.pose(X, (X[:, 0] + X[:, 2] > 1).astype(int), 2, range(4), 2)
    arcs = (np.array([1]), np.array([2]), np.array([0]))
    start = DecisionDiagram((MultivariateSplit(np.eye(4)[1], 0.5),), *arcs, 2, 4)
    better = improve_by_pairs(problem, start, Budget.of(None))
    assert evaluate(problem, start).cost > 0 and evaluate(problem, better).cost == 0
    assert np.flatnonzero(better.splits[0].weights).tolist() == [0, 2]


def test_other_problems_are_refused_with_a_sentence():
    problem = brute.draw_numbers(1)
    assert SparseSplitSolver().unsupported_reasons(problem) == []
    X = problem.data.X.copy()
    wide = brute.pose(X * 1e7, np.zeros(len(X), dtype=int), 2, range(X.shape[1]), 1)
    assert "too far out" in SparseSplitSolver().unsupported_reasons(wide)[0]
    many = brute.pose(np.random.default_rng(0).random((5, 5)), np.arange(5) % 2, 2, range(5), 3)
    assert "at most 2 terms" in SparseSplitSolver().unsupported_reasons(many)[0]
