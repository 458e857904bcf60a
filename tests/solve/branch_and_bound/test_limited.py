"""The branch and bound under limits on numbers of nodes."""

import math
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.constraints import MaxDepth, MaxNodes, MaxNodesPerLayer, MinFlow
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.layer_widths import enumerate_layer_widths
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from tests.oracles.constrained import feasible_objectives
from tests.oracles.tiny_constrained import constrained_problem
from tests.solve.cpsat.proving import prove

BATCH = 20


def drawn(skeleton, *constraints, tree_only=False):
    random = np.random.default_rng(0)
    data = TrainingData.collect(random.random((40, 3)).round(2), random.integers(0, 2, 40), 2)
    widths = Skeleton.parse(skeleton).widths
    return build_problem(data, Skeleton(widths, tree_only), 0.05, "univariate", constraints=constraints)


@pytest.mark.parametrize("first", range(2000, 2020, BATCH))
def test_the_limited_optimum_of_tiny_problems_is_proved(first):
    for seed in range(first, first + BATCH):
        problem = constrained_problem(seed, kinds=("limits",))
        assert BranchAndBound().unsupported_reasons(problem) == []
        proof = prove(BranchAndBound(), problem)
        value = evaluate(problem, proof.diagram or best_constant(problem))
        truth = feasible_objectives(problem)
        assert value.violation == 0
        assert value.objective == pytest.approx(truth.min())
        assert proof.bounds.lower_bound(problem) == pytest.approx(truth.min())
        bounds = proof.bounds.objectives(problem)
        assert all(bounds[:count].min() <= truth[count - 1] + 1e-9 for count in range(1, truth.size + 1))


@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_a_limit_is_worth_the_optimum_of_the_diagrams_within_it(most, tree_only):
    limited = drawn("1-2-4", MaxNodes(most), tree_only=tree_only)
    proof = prove(BranchAndBound(), limited)
    value = evaluate(limited, proof.diagram or best_constant(limited))
    assert value.n_nodes <= most
    assert proof.bounds.lower_bound(limited) == pytest.approx(value.objective)
    assert math.isinf(proof.bounds.cost[most:].min())


def test_a_limit_on_layers_is_a_smaller_skeleton():
    limited = drawn("1-2-4", MaxDepth(2))
    smaller = replace(drawn("1-2"), node_price=limited.node_price)
    proofs = [prove(BranchAndBound(), problem) for problem in (limited, smaller)]
    bounds = [
        proof.bounds.lower_bound(problem) for proof, problem in zip(proofs, (limited, smaller), strict=True)
    ]
    assert bounds[0] == pytest.approx(bounds[1])


def test_other_constraints_are_objected_to():
    assert BranchAndBound().unsupported_reasons(drawn("1-2", MaxNodes(2), MaxNodesPerLayer(1))) == []
    (objection,) = BranchAndBound().unsupported_reasons(drawn("1-2", MaxNodes(2), MinFlow(3)))
    assert "limits on numbers of nodes only" in objection
    assert BranchAndBound().unsupported_reasons(constrained_problem(0, kinds=("fair",)))


def test_a_limit_below_one_node_is_objected_to():
    problem = drawn("1-2")
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.used] = 1.0
    nothing = replace(problem, rows=LinearRows(matrix, [-np.inf], [0.0], ("no node",)))
    assert "room for one node" in BranchAndBound().unsupported_reasons(nothing)[0]


def test_layer_widths_outside_a_limit_are_left_out():
    widths = (1, 2, 4)
    within = [found for found in enumerate_layer_widths(4, widths) if max(found) <= 2]
    assert list(enumerate_layer_widths(4, widths, lambda found: max(found) <= 2)) == within
    assert within
