"""Prices of nodes in integers: exact where they can be, never above the price, and far from any overflow."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.price_items import MAX_TOTAL, PriceItems, _scale_price
from tests.solve.branch_and_bound.test_branch_and_bound import check_proof


@pytest.mark.parametrize(
    ("price", "total", "expected"),
    [
        (3.0, 10.0, (1, 3)),
        (0.25, 10.0, (4, 1)),
        (0.1, 1000.0, (10, 1)),
        (2 / 3, 5.0, (3, 2)),
        (7 / 65536, 5.0, (65536, 7)),
        (0.0, 5.0, (1, 0)),
        (-1.0, 5.0, (1, 0)),
        (float(MAX_TOTAL), 5.0, (1, 0)),
        (1e-30, 5.0, (2**52, 0)),
    ],
)
def test_a_price_that_is_a_fraction_is_exact(price, total, expected):
    assert _scale_price(price, total) == expected


@pytest.mark.parametrize("seed", range(20))
def test_any_other_price_is_rounded_down_by_less_than_one_integer(seed):
    random = np.random.default_rng(seed)
    price, total = float(random.random() * 10.0 ** random.integers(-6, 6)), 10.0 ** random.integers(0, 12)
    unit, number = _scale_price(price, total)
    assert -(2.0**-48) * price <= price - number / unit < 1 / unit  # a fraction is exact up to rounding
    assert 8 * (total * unit + number) <= MAX_TOTAL
    # as fine as there is room for
    assert (
        unit == 1
        or 8 * (total + price) * unit > MAX_TOTAL / 4
        or price == pytest.approx(number / unit, rel=2.0**-48)
    )


def weighted(weights, alpha=0.3):
    X, codes = np.arange(len(weights), dtype=float)[:, None], np.arange(len(weights)) % 2
    data = TrainingData.collect(X, codes, 2, np.array(weights, dtype=float))
    return build_problem(data, Skeleton((1, 2), tree_only=False), alpha, "univariate")


@pytest.mark.parametrize(
    ("weights", "has_signs"),
    [
        ([1, 2, 3, 1], True),
        ([2**27 - 1, 2**27, 2**27, 2**27 + 1], True),  # 2 ** 29 in all
        ([2**27, 2**27, 2**27, 2**27 + 1], False),
        ([2**30 - 1, 2**30 + 1, 2**30, 2**30 + 5], False),
    ],
)
def test_gains_have_signs_while_their_sums_fit_into_32_bits(weights, has_signs):
    problem = weighted(weights)
    items = PriceItems.from_problem(problem)
    assert items.gain.sum() == sum(weights) * items.unit
    if has_signs:
        assert items.signed_gain.tolist() == [w if k % 2 == 0 else -w for k, w in enumerate(weights)]
    else:
        assert items.signed_gain.size == 0
    check_proof(problem)


def test_budgets_and_costs_are_on_the_safe_side():
    for weights in ([1, 2, 3, 1], [0.3, 0.1, 0.7, 1.1], [1 / 3, 2 / 3, 1, np.pi]):
        items = PriceItems.from_problem(weighted(weights))
        for cost in np.linspace(0.0, sum(weights), 40):
            budget = items.budget_of(cost)
            # what costs at least the budget in integers costs no less than the cost, rounding apart
            assert items.lower_cost(budget) >= cost - 1e-6
            assert items.lower_cost(budget - 1) <= cost + 1e-9
