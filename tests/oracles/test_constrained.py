import math
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.problem import LinearRows
from tests.oracles.brute_force import optimal_objective
from tests.oracles.by_nodes import least_costs
from tests.oracles.constrained import feasible_objectives, feasible_optimum
from tests.oracles.tiny import tiny_problem
from tests.solve.milp.test_milp_constraints import best_of_all, small_problem, stability


@pytest.mark.parametrize("seed", range(6))
def test_without_rows_it_is_the_plain_optimum(seed):
    problem = tiny_problem(seed, most_rows=4, tree_only=seed % 3 == 0)
    assert feasible_optimum(problem) == pytest.approx(optimal_objective(problem))
    counts = np.arange(problem.skeleton.n_nodes)
    expected = least_costs(problem) / problem.total_weight + problem.node_price * counts
    np.testing.assert_allclose(feasible_objectives(problem), expected)


@pytest.mark.parametrize("seed", range(4))
def test_it_agrees_with_diagrams_written_out_one_by_one(seed):
    problem = stability(small_problem(seed), 3)
    assert feasible_optimum(problem) == pytest.approx(best_of_all(problem))


def test_there_may_be_no_diagram():
    problem = tiny_problem(0)
    matrix = np.ones((1, problem.layout.size))
    impossible = replace(problem, rows=LinearRows(matrix, [-np.inf], [-1.0], ("less than nothing",)))
    assert math.isinf(feasible_optimum(impossible))
