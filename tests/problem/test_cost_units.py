"""Integers in place of costs and coefficients, and what that loses."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from oddlearn.problem import LinearRows
from oddlearn.problem.cost_units import MAX_INTEGER, ScaledIntegers, scale_rows
from tests.solve.cpsat.proving import noisy


@pytest.mark.parametrize(
    ("given", "whole"),
    [
        ([0.0, 2.0, 6.0], [0, 1, 3]),
        ([0.37, 0.74, 1.11], [1, 2, 3]),
        ([0.5, 1 / 3], [3, 2]),
        ([0.1, 0.25], [2, 5]),
        ([0.0, 0.0], [0, 0]),
        ([-1 / 7, 1 / 3], [-3, 7]),
    ],
)
def test_fractions_become_small_integers(given, whole):
    made = ScaledIntegers.from_numbers(np.array(given), float(np.abs(given).sum()))
    assert made.values.tolist() == whole
    assert made.error.max() < 1e-12
    np.testing.assert_allclose(made.values, made.scale * np.array(given), atol=1e-12)


def test_other_numbers_become_large_integers_and_lose_less_than_one():
    given = np.random.default_rng(0).random(50)
    made = ScaledIntegers.from_numbers(given, given.sum())
    assert made.values.sum() <= MAX_INTEGER
    assert made.error.max() <= 1
    np.testing.assert_allclose(made.values / made.scale, given, rtol=0, atol=made.error.max() / made.scale)


def test_costs_are_bounded_from_the_right_sides():
    random = np.random.default_rng(1)
    problem = noisy(6, 1)
    for cost in (np.array(problem.cost), random.random(problem.cost.shape), problem.cost * 0.37):
        costs = replace(problem, cost=cost).cost_units
        for _ in range(50):
            classes = random.integers(0, 2, 6)
            total = cost[np.arange(6), classes].sum()
            whole = int(costs.cost[np.arange(6), classes].sum())
            assert costs.to_cost(whole) <= total
            assert costs.min_cost_of(total) <= whole <= costs.max_cost_below(total + 1e-9)
            assert costs.to_cost(whole) == pytest.approx(total, abs=1e-9)


def test_no_diagram_loses_more_than_the_loss():
    for seed in range(5):
        random = np.random.default_rng(seed)
        problem = noisy(40, 1)
        cost = random.random(problem.cost.shape)
        costs = replace(problem, cost=cost).cost_units
        lost = costs.cost - costs.scale * cost
        # the classes that lose most, row by row, in either direction
        assert max(lost.max(axis=1).sum(), (-lost).max(axis=1).sum()) <= costs.loss


def test_integer_costs_below_a_cost_are_strictly_below():
    costs = noisy(6, 1).cost_units
    assert costs.max_cost_below(3.0 - 1e-9) == 2
    assert costs.max_cost_below(0.0) <= 0
    assert costs.min_cost_of(3.0) == costs.min_cost_of(2.5) == 3


def test_rows_keep_their_limits_up_to_the_tolerance():
    problem = noisy(4, 1)
    matrix = np.zeros((2, problem.layout.size))
    matrix[0, :3], matrix[1, :2] = 1 / 3, np.pi
    rows = LinearRows(csr_array(matrix), [-np.inf, 3.0], [2 / 3, np.inf], ("a", "b"))
    first, second = scale_rows(rows)
    assert (first.coefficients.tolist(), first.upper) == ([1, 1, 1], 2)
    assert first.lower < -MAX_INTEGER
    assert second.coefficients.sum() >= second.lower > second.coefficients[0] * 0.9
    assert first.is_exact and second.is_exact
