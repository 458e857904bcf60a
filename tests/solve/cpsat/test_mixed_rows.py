"""Rows on different observables in one problem: each means what it means alone."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.cpsat.solver import CpSat
from tests.solve.cpsat import enumeration
from tests.solve.cpsat.proving import objective_of, prove_all


def mixed_problem(minimum, lower_of_class):
    """Return a problem that two nodes solve, with a minimum of rows at one of them and a row on a class."""
    data = TrainingData.collect(np.arange(4.0).reshape(-1, 1), np.array([0, 1, 0, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.01, "univariate")
    matrix = np.zeros((2, problem.layout.size))
    matrix[0, problem.layout.reached[:, 1]] = 1.0
    matrix[1, problem.layout.assigned[:, 1]] = 1.0
    lower, upper = np.array([minimum, lower_of_class]), np.array([np.inf, np.inf])
    rows = LinearRows(csr_array(matrix), lower, upper, ("slot", "class"), [np.inf, np.inf])
    return replace(problem, rows=rows)


def test_a_row_on_a_slot_means_the_same_beside_a_row_on_a_class():
    problems = [mixed_problem(minimum, least) for minimum in (2.0, 3.0) for least in (1.0, 3.0)]
    proofs = prove_all([(CpSat(), problem) for problem in problems])
    found = []
    for problem, proof in zip(problems, proofs, strict=True):
        costs = enumeration.least_costs(problem)
        best = (costs / problem.total_weight + problem.node_price * np.arange(costs.size)).min()
        assert proof.bounds.lower_bound(problem) == pytest.approx(best, abs=1e-9)
        assert objective_of(problem, proof) == pytest.approx(best, abs=1e-9)
        found.append(best)
    # with three rows at one node, or three of the class, there is an error
    assert [best > 0.2 for best in found] == [False, True, True, True]
