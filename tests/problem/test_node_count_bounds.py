import math

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.root_bounds.solver import compute_root_bounds
from tests.oracles.brute_force import optimal_objective
from tests.oracles.by_nodes import least_costs
from tests.oracles.tiny import tiny_problem


def striped():
    """Classes 0 1 0 along one feature: one node leaves one error in 3, two leave none."""
    data = TrainingData.collect(np.array([[0.0], [0.5], [1.0]]), np.array([0, 1, 0]), 2)
    return build_problem(data, Skeleton.parse("1-1-1"), 0.2, "univariate", 1e-4)


@pytest.mark.parametrize("block", range(3))
def test_the_least_costs_of_brute_force_give_its_optimum(block):
    for seed in range(20 * block, 20 * block + 20):
        problem = tiny_problem(seed, tree_only=seed % 2 == 0)
        bounds = NodeCountBounds(least_costs(problem))
        assert bounds.lower_bound(problem) == pytest.approx(optimal_objective(problem), abs=1e-12), seed


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
@pytest.mark.parametrize("block", range(3))
def test_no_free_floor_exceeds_the_least_cost_with_so_many_nodes(split, block):
    for seed in range(20 * block, 20 * block + 20):
        problem = tiny_problem(seed, split, most_rows=5, tree_only=seed % 3 == 0)
        bounds, _, _ = compute_root_bounds(problem, 5.0)
        assert (bounds.cost <= least_costs(problem) + 1e-9).all(), seed


def test_the_last_floor_holds_for_all_later_counts():
    assert NodeCountBounds.from_costs([5.0, 3.0], 4).cost.tolist() == [5.0, 3.0, 3.0, 3.0]
    assert NodeCountBounds.from_costs([5.0, 3.0], 1).cost.tolist() == [5.0]


def test_every_floor_is_rounded_up_to_a_possible_value():
    bounds = NodeCountBounds(np.array([0.2, 0.0, 1.0 + 1e-12]))
    assert bounds.objectives(striped()) == pytest.approx([1 / 3, 0.1, 1 / 3 + 0.2])
    assert bounds.lower_bound(striped()) == pytest.approx(0.1)


def test_counts_that_could_beat_the_objective_are_open():
    bounds = NodeCountBounds(np.array([1.0, 0.0, 0.0]))
    assert bounds.unresolved_node_counts(striped(), 0.5) == (1, 2, 3)
    assert bounds.unresolved_node_counts(striped(), 1 / 3) == (2, 3)
    assert bounds.unresolved_node_counts(striped(), 0.2 + 1e-12) == (2,)
    assert bounds.unresolved_node_counts(striped(), 0.1) == ()


def test_a_floor_is_raised_and_never_lowered():
    bounds = NodeCountBounds(np.array([1.0, 0.5, 0.0]))
    assert bounds.tightened(2, 0.7).cost.tolist() == [1.0, 0.7, 0.0]
    assert bounds.tightened(2, 0.3).cost.tolist() == [1.0, 0.5, 0.0]
    assert bounds.merged(NodeCountBounds(np.array([0.0, 2.0, 1.0]))).cost.tolist() == [1.0, 2.0, 1.0]


def test_a_bound_on_the_objective_raises_the_cost_without_the_price_of_nodes():
    bounds = NodeCountBounds(np.zeros(3)).tightened_by_objective(striped(), 3, 1 / 3 + 0.2)
    assert bounds.cost == pytest.approx([0.0, 0.0, 1.0])
    assert math.isinf(bounds.tightened_by_objective(striped(), 2, math.inf).objectives(striped())[1])
    assert bounds.tightened_by_objective(striped(), 2, -math.inf).cost.tolist() == bounds.cost.tolist()


@pytest.mark.parametrize("seed", range(60))
def test_a_bound_a_little_below_a_value_is_lifted_to_it_and_not_past_it(seed):
    problem = tiny_problem(seed)
    value = evaluate(problem, best_constant(problem))
    bounds = NodeCountBounds(np.zeros(problem.skeleton.n_nodes)).tightened_by_objective(
        problem, 1, value.objective - 1e-6
    )
    assert bounds.objectives(problem)[0] <= value.objective + 1e-12
    assert bounds.objectives(problem)[0] >= value.objective - 1.1e-6
