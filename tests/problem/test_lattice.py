import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as some

from oddlearn.constraints import DemographicParity
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.node_count_bounds import ObjectiveGrid
from oddlearn.problem.training_problem import build_problem
from oddlearn.table.groups import SampleGroups, SensitiveColumn

LATTICES = some.builds(
    ObjectiveGrid,
    step=some.sampled_from([1.0, 2.0, 3.0]),
    total_weight=some.integers(1, 100_000).map(float),
    node_price=some.sampled_from([0.0, 0.1 / 14, 1 / 3, 0.25, 1e-7, 7.0]),
    n_nodes=some.integers(1, 15),
)


@given(LATTICES, some.integers(0, 1000), some.integers(0, 14), some.sampled_from([0.0, 1e-13, -1e-13]))
def test_a_possible_value_is_never_rounded_past(grid, errors, extra, noise):
    value = grid.step * errors / grid.total_weight + grid.node_price * (extra % grid.n_nodes)
    assert grid.round_up(value + noise) <= value + 1e-15 * max(1.0, value)


@given(LATTICES, some.floats(-1, 3))
def test_rounding_up_returns_the_next_possible_value(grid, bound):
    slow = min(
        grid.step * errors / grid.total_weight + grid.node_price * nodes
        for nodes in range(grid.n_nodes)
        for errors in _candidates(grid, bound - grid.node_price * nodes)
        if grid.step * errors / grid.total_weight + grid.node_price * nodes >= bound - 1e-9
    )
    assert grid.round_up(bound) == pytest.approx(slow, abs=2e-9)


def _candidates(grid, cost):
    middle = max(0, int(cost * grid.total_weight / grid.step))
    return range(max(0, middle - 2), middle + 3)


STEPS = [([1.0, 1.0], 1.0), ([2.0, 4.0], 2.0), ([1.0, 0.5], 0.5), ([1.0, 2**0.5], 0.0)]


@pytest.mark.parametrize(("weights", "step"), STEPS)
def test_the_step_is_the_largest_of_which_all_costs_are_multiples(weights, step):
    data = TrainingData.collect(np.array([[0.0], [1.0]]), np.array([0, 1]), 2, np.array(weights))
    assert (
        ObjectiveGrid.from_problem(build_problem(data, Skeleton.parse("1-2"), 1.0, "univariate")).step == step
    )


@pytest.mark.parametrize(("weight", "step"), [(None, 1.0), (2.0, 0.0)])
def test_soft_constraints_make_every_value_possible(weight, step):
    column = SensitiveColumn("kind", ("a", "b"), np.array([0, 1]))
    sample_groups = SampleGroups(np.array([0, 1]), np.ones(2), (0, 1), (column,))
    data = TrainingData.collect(np.array([[0.0], [1.0]]), np.array([0, 1]), 2, None, sample_groups)
    demand = DemographicParity(weight=weight)
    posed = build_problem(data, Skeleton.parse("1-2"), 1.0, "univariate", constraints=[demand])
    assert ObjectiveGrid.from_problem(posed).step == step


def test_without_whole_costs_a_bound_stays_as_it_is():
    assert ObjectiveGrid(0.0, 1.5, 0.1, 3).round_up(0.1234) == 0.1234
    assert ObjectiveGrid(1.0, 1e12, 0.1, 3).round_up(0.1234) == 0.1234


@given(LATTICES, some.integers(0, 1000), some.floats(-0.4, 0.4))
def test_a_cost_is_rounded_up_to_the_next_whole_step(grid, steps, part):
    noise = 1e-9 * grid.total_weight
    cost = grid.step * (steps + part)
    assume(abs(cost - grid.step * steps - noise) > 1e-9)
    expected = grid.step * (steps + (1 if cost > grid.step * steps + noise else 0))
    assert grid.round_up_cost(cost) == pytest.approx(expected)


@given(LATTICES, some.integers(0, 1000), some.sampled_from([0.0, 1e-10, -1e-10]))
def test_a_possible_cost_is_never_rounded_past(grid, steps, noise):
    cost = grid.step * steps
    assert grid.round_up_cost(cost + noise * grid.total_weight) == cost


@pytest.mark.parametrize("grid", [ObjectiveGrid(0.0, 1.5, 0.1, 3), ObjectiveGrid(1.0, 1e12, 0.1, 3)])
def test_without_whole_costs_a_cost_stays_as_it_is(grid):
    assert grid.round_up_cost(0.1234) == 0.1234


def test_what_does_not_exist_costs_infinitely_much():
    assert ObjectiveGrid(1.0, 10.0, 0.1, 3).round_up_cost(np.inf) == np.inf
    assert ObjectiveGrid(1.0, 10.0, 0.1, 3).round_up_cost(-5.0) == 0.0
