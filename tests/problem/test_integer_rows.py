"""Constraint rows and penalties in integers, against all vectors of a few observables."""

import math
from itertools import product

import numpy as np
import pytest

from oddlearn.problem import LinearRows
from oddlearn.problem.cost_units import (
    MAX_FRACTIONS,
    MAX_INTEGER,
    CostUnits,
    ScaledIntegers,
    common_divisor,
    largest_step,
    scale_rows,
)

N_OBSERVABLES = 5
VECTORS = np.array(list(product([0.0, 1.0], repeat=N_OBSERVABLES)))

# small fractions, integers, and numbers without a common denominator
KINDS = ["fractions", "integers", "any"]


def random_rows(seed, penalty):
    random = np.random.default_rng(seed)
    kind = KINDS[seed % 3]
    matrix = random.integers(-4, 5, (3, N_OBSERVABLES)).astype(float)
    matrix = {"fractions": matrix / 6, "integers": matrix, "any": matrix * random.random(matrix.shape)}[kind]
    lower = np.sort(random.choice(matrix @ VECTORS.T[:, random.integers(32)], 3))
    upper = lower + random.random(3)
    lower[0], upper[1] = -np.inf, np.inf
    return LinearRows(matrix, lower, upper, ("a", "b", "c"), penalty)


def integer_violation(row, vector):
    value = int(row.coefficients @ vector[row.observables].astype(int))
    return max(0, row.lower - value, value - row.upper)


@pytest.mark.parametrize("seed", range(12))
def test_a_hard_row_in_integers_allows_what_the_row_allows(seed):
    rows = random_rows(seed, np.inf)
    for number, row in enumerate(scale_rows(rows)):
        assert not row.is_soft and row.is_exact
        for vector in VECTORS:
            violation = rows.row_violations(vector)[number]
            if violation <= 1e-9:
                assert integer_violation(row, vector) == 0
            elif violation > 1e-8:
                assert integer_violation(row, vector) > 0


@pytest.mark.parametrize("seed", range(12))
def test_the_violation_of_a_soft_row_is_scaled_up_to_its_loss(seed):
    rows = random_rows(seed, 0.7)
    for number, row in enumerate(scale_rows(rows)):
        assert row.is_soft and row.is_exact and row.penalty == 0.7
        scaled = np.array([row.scale * rows.row_violations(vector)[number] for vector in VECTORS])
        whole = np.array([integer_violation(row, vector) for vector in VECTORS])
        assert np.abs(whole - scaled).max() <= row.loss + 1e-9
        assert row.max_violation == max(whole.max(), 0)


@pytest.mark.parametrize("seed", range(12))
def test_cost_and_penalty_in_integers_are_off_by_no_more_than_the_loss(seed):
    random = np.random.default_rng(seed)
    rows, total_weight = random_rows(seed, random.random(3) * 2), 4.0
    cost = random.integers(0, 4, (2, 2)) / [1, 7, 1][seed % 3] + (seed % 4 == 3) * random.random((2, 2))
    units = CostUnits.from_costs(cost, rows, total_weight)
    soft = scale_rows(rows)
    for vector in VECTORS:
        violation = np.array([integer_violation(row, vector) for row in soft])
        for classes in product(range(2), repeat=2):
            true = cost[[0, 1], classes].sum() + total_weight * rows.total_penalty(vector)
            whole = int(units.cost[[0, 1], classes].sum() + units.penalty @ violation)
            assert abs(whole - units.scale * true) <= units.loss * (1 + 1e-9) + 1e-9
            assert whole <= 4 * MAX_INTEGER
            assert units.to_cost(whole) <= true + 1e-9
            assert units.min_cost_of(true) <= whole <= units.max_cost_below(true + 1e-6)


def test_fractions_with_a_common_denominator_lose_nothing():
    rows = LinearRows(np.array([[0.5, 1 / 3, 0, 0, -1]]), [-np.inf], [0.25], ("a",), 0.1)
    units = CostUnits.from_costs(np.array([[0.0, 0.3], [0.2, 0.0]]), rows, 5.0)
    (row,) = scale_rows(rows)
    assert (row.coefficients.tolist(), row.upper, row.scale) == ([6, 4, -12], 3, 12.0)
    assert row.lower < -MAX_INTEGER
    # 0.1 * 5 for 12 units of the row: 1 / 24 of a cost each, where costs are tenths
    assert (units.cost.tolist(), units.penalty.tolist()) == ([[0, 36], [24, 0]], [5])
    assert units.is_exact and units.loss < 1e-12


def test_hard_rows_leave_the_costs_alone():
    cost = np.array([[0.0, 2.0], [4.0, 0.0]])
    units = CostUnits.from_costs(cost, random_rows(1, np.inf), 3.0)
    assert (units.cost.tolist(), units.penalty.size, units.scale) == ([[0, 1], [2, 0]], 0, 0.5)
    assert units.loss < 1e-12
    assert units.rounding == pytest.approx(3e-9)
    # with a soft row they share their unit with its penalty
    assert CostUnits.from_costs(cost, random_rows(1, 0.25), 3.0).penalty.size == 3


def test_units_that_lose_too_much_are_not_exact():
    # sums up to 2**60 leave a resolution of 2**10 to each cost: the small one is lost
    cost = np.array([[0.0, 2.0**60], [1.5, 0.0]])
    units = CostUnits.from_costs(cost, LinearRows.none(3), 2.0)
    assert not units.is_exact and units.loss / units.scale >= 1.5
    assert units.cost.sum() <= MAX_INTEGER
    row = LinearRows(np.array([[2.0**60, np.pi]]), [-np.inf], [1.0], ("a",))
    assert not scale_rows(row)[0].is_exact


@pytest.mark.parametrize("whole", [True, False])
def test_sums_stay_below_the_largest_integer(whole):
    random = np.random.default_rng(0)
    numbers = random.random(10) * 2.0**60
    numbers = np.floor(numbers) if whole else numbers / 2.0**40
    made = ScaledIntegers.from_numbers(numbers, float(numbers.sum()))
    # a power of two, as large as possible
    assert MAX_INTEGER / 4 < made.values.sum() <= MAX_INTEGER + 10
    assert np.abs(made.values - made.scale * numbers).max() <= made.error.max() <= 1


def test_of_many_numbers_no_fractions_are_searched_for():
    numbers = np.arange(MAX_FRACTIONS + 2) / 7
    assert ScaledIntegers.from_numbers(numbers[: MAX_FRACTIONS // 10], 1e9).scale == pytest.approx(7)
    assert ScaledIntegers.from_numbers(numbers, float(numbers.sum())).scale > 100


@pytest.mark.parametrize("n_rows", [3, 70_000])
def test_the_common_divisor_is_that_of_all_blocks(n_rows):
    cost = np.full((n_rows, 2), 12.0)
    assert common_divisor(cost) == 12.0
    cost[-1, 1] = 18.0
    assert common_divisor(cost) == 6.0
    cost[-1, 0] = 35.0
    assert common_divisor(cost) == 1.0
    cost[-1, 0] = 12.5
    assert common_divisor(cost) == 0.0
    assert common_divisor(np.zeros((n_rows, 2))) == 0.0
    # sums of so large costs are not exact
    assert common_divisor(np.full((n_rows, 2), 2.0**50)) == 0.0
    assert common_divisor(np.empty((0, 2))) == 0.0


@pytest.mark.parametrize("n_rows", [3, 70_000])
def test_the_largest_step_is_that_of_all_blocks(n_rows):
    cost = np.full((n_rows, 2), 12.0)
    assert largest_step(cost) == 12.0
    cost[-1, 1] = 18.0
    assert largest_step(cost) == 6.0
    cost[-1, 0] = 35.0
    assert largest_step(cost) == 1.0
    cost[-1, 0] = 12.5
    assert largest_step(cost) == 0.5
    cost[-1, 0] = np.pi
    assert largest_step(cost) == 0.0
    assert largest_step(np.zeros((n_rows, 2))) == 0.0
    # sums of so large costs are not exact
    assert largest_step(np.full((n_rows, 2), 2.0**50)) == 0.0
    assert largest_step(np.empty((0, 2))) == 0.0
    assert largest_step(np.arange(MAX_FRACTIONS + 2.0)[:, None]) == 0.0


@pytest.mark.parametrize(("first", "second"), [(7, 11), (30, 70), (90, 10), (333, 668)])
def test_sums_of_balanced_weights_are_multiples_of_their_largest_step(first, second):
    weights = (first + second) / (2 * np.array([first, second]))
    step = largest_step(np.repeat(weights, [first, second])[:, None])
    assert step == pytest.approx((first + second) / (2 * math.lcm(first, second)), rel=1e-12)
    sums = np.add.outer(weights[0] * np.arange(first + 1), weights[1] * np.arange(second + 1))
    assert np.abs(sums / step - np.rint(sums / step)).max() <= 1e-9 * (first + second) / step

