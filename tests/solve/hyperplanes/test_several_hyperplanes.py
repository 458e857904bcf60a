"""Diagrams of two and three hyperplanes: topologies, bounds and diagrams."""

import re
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.term_limit import TermLimit
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.hyperplane_steps import few_nodes_are_unresolved
from oddlearn.solve.hyperplanes.several_solver import SeveralHyperplanesSearch, SeveralHyperplanesSolver
from oddlearn.solve.hyperplanes.topologies import Topology, list_topologies
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.oracles.check_topologies import check_problem


def posed(X, codes, skeleton="1-2-4", alpha=0.1):
    return build_problem(TrainingData.collect(X, codes, 2), Skeleton.parse(skeleton), alpha, "multivariate")


def solve(problem, seconds=20.0):
    return SeveralHyperplanesSolver().run(SolveState.initial(problem), Budget.of(seconds), ignore)


@pytest.mark.parametrize(
    ("skeleton", "n_nodes", "n_classes", "count"),
    [
        ("1-2-4", 2, 2, 2),
        ("1-2-4", 3, 2, 5),
        ("1-2-4", 2, 3, 9),
        ("1-2-4", 3, 3, 33),
        ("1-2", 3, 2, 1),
        ("1-1-1", 3, 2, 4),
        ("1-1", 3, 2, 0),
        ("1", 2, 2, 0),
        ("1-2-4", 3, 1, 0),
        ("1-2-4", 4, 2, 7),
        ("1-2-4-8", 4, 2, 15),
        ("1-2-4-8", 7, 2, 119),
    ],
)
def test_all_topologies_are_listed(skeleton, n_nodes, n_classes, count):
    found = list_topologies(Skeleton.parse(skeleton), n_nodes, n_classes)
    assert len(set(found)) == len(found) == count


def test_the_ways_to_a_class_are_those_of_the_graph():
    chain = Topology(((-1, 1), (-2, -1)))
    assert sorted(chain.paths([0])) == [[(0, 0)], [(0, 1), (1, 1)]]
    assert chain.paths([1]) == [[(0, 1), (1, 0)]]
    assert chain.paths([2]) == []


def test_steps_are_left_out_where_both_sides_lead_to_the_class():
    chain = Topology(((-1, 1), (-1, 2), (-2, -1)))
    assert chain.ways([0]) == [[(0, 0)], [(1, 0)], [(2, 1)]]
    assert chain.ways([1]) == [[(0, 1), (1, 1), (2, 0)]]
    assert chain.ways([0, 1]) == [[]]


def test_the_nodes_of_a_tree_are_not_shared():
    shared = set(list_topologies(Skeleton((1, 2, 4)), 4, 2))
    trees = set(list_topologies(Skeleton((1, 2, 4), True), 4, 2))
    assert len(trees) == 4 and trees < shared


def test_the_work_left_is_none_at_first_and_none_at_the_end():
    X = np.linspace(0, 1, 12)[:, None]
    state, solver = (
        SolveState.initial(posed(X, np.arange(12) // 3 % 2, alpha=0.01)),
        SeveralHyperplanesSolver(),
    )
    assert solver.estimate_work(state) == 0
    state = solver.run(state, Budget.of(None).limit_work(0.01), ignore)
    assert solver.estimate_work(state) == 0  # too early to judge
    state = solver.run(state, Budget.of(20.0), ignore)
    assert solver.estimate_work(state) == 0 and solver.name not in state.resumable


def test_the_work_left_goes_by_the_bounds_that_have_risen():
    random = np.random.default_rng(0)
    problem = posed(random.random((40, 2)), random.integers(0, 2, 40), alpha=0.01)
    state, search = SolveState.initial(problem), SeveralHyperplanesSearch.from_problem(problem)
    search._work = dict.fromkeys(search.searches, 1.0)
    assert search.estimate_work(state) == np.inf  # no bound has risen
    for each in [each for searches in search.searches.values() for each in searches]:
        each.bound = 1.0
    assert 0 < search.estimate_work(state) < np.inf


@pytest.mark.parametrize("seed", (0, 1, 2, 3, 4, 5, 7, 9, 10, 11))
def test_bounds_are_those_of_all_diagrams(seed):
    check_problem(seed)


def test_two_classes_in_opposite_corners_need_two_hyperplanes():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    state = solve(posed(X, np.array([0, 1, 1, 0]), alpha=0.01))
    assert state.evaluation.n_nodes == 2 and state.evaluation.cost == 0
    text = r"routes of rows in \d topologies, \d+ conflict sets, \d+ cores"
    assert re.fullmatch(text, state.evidence[-1].text)


def test_four_stripes_need_three_hyperplanes():
    X = np.linspace(0, 1, 12)[:, None]
    codes = np.arange(12) // 3 % 2
    state = solve(posed(X, codes, alpha=0.01))
    assert state.evaluation.n_nodes == 3 and state.evaluation.cost == 0
    # two errors less than a grid of three: then two nodes are no better
    assert state.bounds.cost[1] == pytest.approx(2, rel=1e-5)


def test_a_topology_is_left_when_the_budget_is_spent_and_when_it_is_solved():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    search = SeveralHyperplanesSearch.from_problem(posed(X, np.array([0, 1, 1, 0]))).searches[2][0]
    search.run(Budget.of(0.0))
    assert search.diagram is None and not search.has_ended
    budget = Budget.of(20.0)
    search.run(budget)
    assert search.is_solved and search.has_ended and not budget.expired
    done = budget.meter.seconds
    search.run(budget)
    assert budget.meter.seconds == done > 0


def test_without_time_nothing_is_claimed():
    random = np.random.default_rng(0)
    state = solve(posed(random.random((30, 3)), random.integers(0, 2, 30)), seconds=0.0)
    assert not state.bounds.cost.any()


def test_it_takes_turns_once_at_most_seven_nodes_could_be_better():
    X = np.linspace(0, 1, 24)[:, None]
    state = SolveState.initial(posed(X, np.arange(24) // 3 % 2, skeleton="1-2-4-8", alpha=0.01))
    assert not few_nodes_are_unresolved(state)  # eight nodes could be better than the constant
    state = replace(state, bounds=NodeCountBounds(np.array([0.0] * 7 + [12.0] * 8)))
    assert few_nodes_are_unresolved(state)
    state = replace(state, bounds=NodeCountBounds(np.array([0.0] + [12.0] * 14)))
    assert not few_nodes_are_unresolved(state)  # one node alone has a solver of its own


def test_a_limit_on_terms_or_other_splits_are_refused_in_a_sentence():
    problem = posed(np.eye(3), np.array([0, 1, 0]))
    solver = SeveralHyperplanesSolver()
    assert not solver.unsupported_reasons(problem)
    (reason,) = solver.unsupported_reasons(replace(problem, term_limit=TermLimit(1, np.arange(3))))
    assert reason.endswith("terms only.")
    (reason,) = solver.unsupported_reasons(replace(problem, split="univariate"))
    assert "not univariate" in reason
