import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as some

from oddlearn.constraints import DemographicParity
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.node_count_bounds import Lattice
from oddlearn.problem.training_problem import pose
from oddlearn.table.groups import People, SensitiveColumn

LATTICES = some.builds(
    Lattice,
    step=some.sampled_from([1.0, 2.0, 3.0]),
    total_weight=some.integers(1, 100_000).map(float),
    node_price=some.sampled_from([0.0, 0.1 / 14, 1 / 3, 0.25, 1e-7, 7.0]),
    n_nodes=some.integers(1, 15),
)


@given(LATTICES, some.integers(0, 1000), some.integers(0, 14), some.sampled_from([0.0, 1e-13, -1e-13]))
def test_a_possible_value_is_never_rounded_past(lattice, errors, extra, noise):
    value = lattice.step * errors / lattice.total_weight + lattice.node_price * (extra % lattice.n_nodes)
    assert lattice.round_up(value + noise) <= value + 1e-15 * max(1.0, value)


@given(LATTICES, some.floats(-1, 3))
def test_rounding_up_returns_the_next_possible_value(lattice, bound):
    slow = min(
        lattice.step * errors / lattice.total_weight + lattice.node_price * nodes
        for nodes in range(lattice.n_nodes)
        for errors in _candidates(lattice, bound - lattice.node_price * nodes)
        if lattice.step * errors / lattice.total_weight + lattice.node_price * nodes >= bound - 1e-9
    )
    assert lattice.round_up(bound) == pytest.approx(slow, abs=2e-9)


def _candidates(lattice, cost):
    middle = max(0, int(cost * lattice.total_weight / lattice.step))
    return range(max(0, middle - 2), middle + 3)


@pytest.mark.parametrize(("weights", "step"), [([1.0, 1.0], 1.0), ([2.0, 4.0], 2.0), ([1.0, 0.5], 0.0)])
def test_the_step_is_the_common_divisor_of_whole_costs(weights, step):
    data = TrainingData.collect(np.array([[0.0], [1.0]]), np.array([0, 1]), 2, np.array(weights))
    assert Lattice.of(pose(data, Skeleton.parse("1-2"), 1.0, "univariate")).step == step


@pytest.mark.parametrize(("weight", "step"), [(None, 1.0), (2.0, 0.0)])
def test_soft_constraints_make_every_value_possible(weight, step):
    column = SensitiveColumn("kind", ("a", "b"), np.array([0, 1]))
    people = People(np.array([0, 1]), np.ones(2), (0, 1), (column,))
    data = TrainingData.collect(np.array([[0.0], [1.0]]), np.array([0, 1]), 2, None, people)
    demand = DemographicParity(weight=weight)
    posed = pose(data, Skeleton.parse("1-2"), 1.0, "univariate", constraints=[demand])
    assert Lattice.of(posed).step == step


def test_without_whole_costs_a_bound_stays_as_it_is():
    assert Lattice(0.0, 1.5, 0.1, 3).round_up(0.1234) == 0.1234
    assert Lattice(1.0, 1e12, 0.1, 3).round_up(0.1234) == 0.1234


@given(LATTICES, some.integers(0, 1000), some.floats(-0.4, 0.4))
def test_a_cost_is_rounded_up_to_the_next_whole_step(lattice, steps, part):
    noise = 1e-9 * lattice.total_weight
    cost = lattice.step * (steps + part)
    assume(abs(cost - lattice.step * steps - noise) > 1e-9)
    expected = lattice.step * (steps + (1 if cost > lattice.step * steps + noise else 0))
    assert lattice.round_up_cost(cost) == pytest.approx(expected)


@given(LATTICES, some.integers(0, 1000), some.sampled_from([0.0, 1e-10, -1e-10]))
def test_a_possible_cost_is_never_rounded_past(lattice, steps, noise):
    cost = lattice.step * steps
    assert lattice.round_up_cost(cost + noise * lattice.total_weight) == cost


@pytest.mark.parametrize("lattice", [Lattice(0.0, 1.5, 0.1, 3), Lattice(1.0, 1e12, 0.1, 3)])
def test_without_whole_costs_a_cost_stays_as_it_is(lattice):
    assert lattice.round_up_cost(0.1234) == 0.1234


def test_what_does_not_exist_costs_infinitely_much():
    assert Lattice(1.0, 10.0, 0.1, 3).round_up_cost(np.inf) == np.inf
    assert Lattice(1.0, 10.0, 0.1, 3).round_up_cost(-5.0) == 0.0
