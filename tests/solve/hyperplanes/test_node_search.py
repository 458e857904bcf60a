"""The best hyperplane of one node after the other: never worse, and the best where rows are few."""

from itertools import product

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.branch_and_cut import SingleHyperplaneSearch
from oddlearn.solve.hyperplanes.node_search import (
    NodeHyperplanes,
    NodeSearches,
    build_node_problem,
    orient_split,
)
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.oracles.brute_force import largest_gap


def random_problem(seed, n_rows=8):
    random = np.random.default_rng(seed)
    X, codes = random.random((n_rows, 2)), random.integers(0, 3, n_rows)
    data = TrainingData.collect(X, codes, 3, random.integers(1, 4, n_rows).astype(float))
    return build_problem(data, Skeleton.parse("1-2"), 0.01, "multivariate")


def random_chain(seed):
    """A diagram of two nodes with random hyperplanes: class 0 beside the second node, 1 and 2 below it."""
    random = np.random.default_rng([seed, 1])
    weights = random.standard_normal((2, 2))
    splits = [MultivariateSplit(w / np.abs(w).sum(), float(w.sum() / np.abs(w).sum()) / 2) for w in weights]
    return DecisionDiagram(tuple(splits), [2, 3], [1, 4], [0, 1], 3, 2)


def improve(problem, diagram, seconds=20.0):
    state = SolveState.initial(problem, diagram)
    return NodeHyperplanes().run(state, Budget.of(seconds), ignore)


def best_of_second_node(problem, diagram):
    """Return the least cost of all ways to part the rows of the second node in two, classes 1 and 2."""
    X, cost = problem.data.X, problem.cost
    at = diagram.splits[0].side(X)
    least, members = np.inf, np.flatnonzero(at)
    for bits in product([False, True], repeat=members.size):
        positive = np.array(bits, dtype=bool)
        rows = X[members]
        paid = cost[members[positive], 2].sum() + cost[members[~positive], 1].sum()
        is_split = positive.any() and not positive.all()
        if is_split and paid < least and largest_gap(rows[positive], rows[~positive]) >= problem.margin:
            least = paid
    return least + cost[~at, 0].sum()


@pytest.mark.parametrize("seed", range(25))
def test_no_node_can_be_improved_any_more(seed):
    problem, diagram = random_problem(seed), random_chain(seed)
    try:
        before = evaluate(problem, diagram).objective
    except ValueError:
        return
    state = improve(problem, diagram)
    assert state.objective <= before + 1e-12
    assert not state.resumable
    if state.diagram.n_nodes == 2 and (state.diagram.negative[0], state.diagram.positive[0]) == (2, 1):
        assert state.evaluation.cost <= best_of_second_node(problem, state.diagram) + 1e-9


def test_without_time_the_search_can_be_resumed():
    problem = random_problem(3, n_rows=60)
    state = improve(problem, random_chain(3), seconds=0.0)
    assert state.diagram == random_chain(3)


@pytest.mark.parametrize("flip", [False, True])
def test_the_positive_side_of_a_split_is_that_of_the_second_class(flip):
    X = np.array([[0.0], [0.2], [0.8], [1.0]])
    problem = build_problem(
        TrainingData.collect(X, np.array([0, 0, 1, 1]), 2), Skeleton.parse("1-1"), 0.1, "multivariate"
    )
    costs = [problem.cost[:, 0], problem.cost[:, 1]]
    node = build_node_problem(problem, np.ones(4, dtype=bool), *(costs[::-1] if flip else costs))
    search = SingleHyperplaneSearch(node)
    search.run(np.inf, Budget.of(20.0))
    side = orient_split(search.diagram).side(X)
    assert side.tolist() == ([True, True, False, False] if flip else [False, False, True, True])


def test_rows_that_cost_the_same_on_both_sides_are_no_problem_to_solve():
    problem = random_problem(0)
    costs = problem.cost[:, 0]
    assert build_node_problem(problem, np.ones(len(costs), dtype=bool), costs, costs) is None
    assert build_node_problem(problem, np.zeros(len(costs), dtype=bool), costs, problem.cost[:, 1]) is None


def test_a_diagram_that_is_refused_leaves_the_other_nodes_to_be_searched(monkeypatch):
    problem, chain = random_problem(3, n_rows=60), random_chain(3)
    others = [DecisionDiagram(chain.splits, ends, [1, 4], [0, 1], 3, 2) for ends in ([2, 3], [3, 2], [3, 3])]
    start, *_, worst = sorted(others, key=lambda other: evaluate(problem, other).objective)
    assert evaluate(problem, start).objective < evaluate(problem, worst).objective
    found = [worst, worst]
    search = NodeSearches.improve
    monkeypatch.setattr(NodeSearches, "improve", lambda *given: found.pop() if found else search(*given))
    state = improve(problem, start, seconds=2.0)
    assert not found
    assert state.objective < evaluate(problem, start).objective
