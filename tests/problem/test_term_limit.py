"""A limit on the terms of weighted sums: counted on the user's columns, part of the problem."""

from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.term_limit import TermLimit
from oddlearn.solve.state import SolveState
from tests.oracles.sparse_brute_force import pose

X = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [0.0, 1.0, 1.0], [1.0, 1.0, 0.2]])
PROBLEM = pose(X, np.array([0, 0, 1, 1]), 2, [0, 0, 1], 1)


def stump(*weights):
    arcs = (np.array([1]), np.array([2]), np.array([0]))
    return DecisionDiagram((MultivariateSplit(np.array(weights), 0.5),), *arcs, 2, 3)


def test_all_features_of_one_column_are_one_term():
    limit = PROBLEM.term_limit
    assert limit.allows(stump(0.4, 0.6, 0.0)) and limit.allows(stump(0.0, 0.0, 1.0))
    assert not limit.allows(stump(0.4, 0.0, 0.6))
    assert limit.features_of(limit.used_columns(np.array([0.0, 2.0, 0.0]))).tolist() == [0, 1]
    assert limit.select_features(np.array([1.0, 1.0, 1.9]), np.ones(3)).tolist() == [0, 1]


def test_a_limit_that_allows_all_columns_is_none():
    assert TermLimit.build(None, [0, 0, 1]) is None and TermLimit.build(2, [0, 0, 1]) is None
    assert TermLimit.build(1, [4, 4, 7]).column_of.tolist() == [0, 0, 1]


def test_a_diagram_with_more_terms_is_refused():
    assert evaluate(PROBLEM, stump(0.0, 1.0, 0.0)).cost == 0
    with pytest.raises(DiagramMisfitError, match="more than 1 terms"):
        evaluate(PROBLEM, stump(0.0, 0.9, 0.1))
    assert SolveState.initial(PROBLEM, warm_start=stump(0.0, 0.9, 0.1)).warm_start is None
    assert SolveState.initial(PROBLEM).offer(stump(0.0, 0.9, 0.1), trusted=False).diagram.n_nodes == 0


def test_the_limit_is_part_of_the_problem():
    limits = (None, TermLimit(1, [0, 0, 1]), TermLimit(1, [0, 1, 1]), TermLimit(2, [0, 1, 2]))
    assert len({replace(PROBLEM, term_limit=limit).digest for limit in limits}) == 4
