"""The kernel's trees against all trees of tiny problems."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.kernels.branch_and_bound import row_sets
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from tests.solve.branch_and_bound.drawn import (
    build_kernel,
    checkered_problem,
    drawn_problem,
    many_classes_problem,
    noise_of,
    varies,
)
from tests.solve.branch_and_bound.oracle import best_tree_cost

BATCHES = [range(first, first + 100) for first in range(0, 900, 100)]


def draw(seed, draw_problem=drawn_problem):
    """Return a problem, prices of up to 4 levels, and which levels are single.

    Single levels come last: then no split gains by passing its rows on.
    """
    random = np.random.default_rng(1_000_000 + seed)
    levels = int(random.integers(1, 5))
    problem = draw_problem(seed, 9 if levels < 4 else 7)
    scale = problem.cost.max() or 1.0
    prices = scale * random.random(levels) * random.choice([0, 0.3, 1], levels)
    prices[0] *= random.random() < 0.3
    single = random.integers(0, 2, levels).astype(np.int32)
    single[0] = 0
    single[1:].sort()
    return random, problem, prices, single


def settings(random):
    """Much slack or none; a memory that keeps all, or next to nothing."""
    return {
        "SIDE_SLACK": float(random.choice([0.0, 0.02, 0.5])),
        "LOG_ENTRIES": int(random.choice([0, 1, 3, 12])),
    }


def check_bounds(problem, items, kernel, prices, single, random):
    """Ask with several cutoffs, now and then with nothing in memory."""
    truth, noise = items.to_units(best_tree_cost(problem, prices, single)), noise_of(problem) / items.step
    unit = max(1.0, float(items.gain.max()))
    cutoffs = [truth - 0.3 * unit, truth, truth + 1e-6 * unit, truth + 0.7 * unit, np.inf]
    for cutoff in random.permutation(cutoffs):
        if random.random() < 0.3:
            kernel.clear_bounds()
        value, is_exact = kernel.bound(prices / items.step, single, cutoff, 100.0)
        assert not kernel.is_stopped
        assert value <= truth + noise
        assert value >= (truth if is_exact else cutoff) - noise


@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_bounds_are_never_above_the_best_tree_and_exact_when_said(seeds):
    for seed in seeds:
        random, problem, prices, single = draw(seed)
        if varies(problem):
            items, kernel = build_kernel(problem, prices.size, **settings(random))
            check_bounds(problem, items, kernel, prices, single, random)


@pytest.mark.parametrize("seeds", BATCHES[:3], ids=str)
def test_bounds_are_right_with_more_classes_than_leaves(seeds):
    for seed in seeds:
        random, problem, prices, single = draw(seed, many_classes_problem)
        if varies(problem):
            items, kernel = build_kernel(problem, prices.size, **settings(random))
            check_bounds(problem, items, kernel, prices, single, random)


@pytest.mark.parametrize(
    ("single", "share"), [((0, 0), 0.4), ((0, 1), 0.4), ((0, 0, 0), 0.9), ((0, 1, 1), 0.4)]
)
def test_the_classes_that_leaves_can_predict_end_the_search_early(single, share):
    """Eight classes of 15 rows, three to eight leaves: few splits leave enough classes on both sides."""
    random, codes = np.random.default_rng(5), np.repeat(np.arange(8), 15)
    X = codes[:, None] + random.normal(0, 0.5, (120, 4))
    data = TrainingData.collect(X, codes, 8)
    problem = build_problem(data, Skeleton.tree(3), 0.0, "univariate")
    prices, single = np.zeros(len(single)), np.array(single, dtype=np.int32)
    values, sweeps = [], []
    for disabled in (0, row_sets.CLASS_BOUNDS):
        _, kernel = build_kernel(problem, prices.size, disabled=disabled)
        values.append(kernel.bound(prices, single, np.inf, 100.0))
        sweeps.append(kernel.sweeps)
    assert values[0] == values[1]
    assert sweeps[0] < share * sweeps[1]


@pytest.mark.parametrize("seeds", BATCHES[::3], ids=str)
def test_the_tree_that_is_shown_has_the_value_that_was_found(seeds):
    for seed in seeds:
        random, problem, prices, single = draw(seed)
        single[:] = 0
        if not varies(problem):
            continue
        items, kernel = build_kernel(problem, prices.size, **settings(random))
        value, _ = kernel.bound(prices / items.step, single, np.inf, 100.0)
        heap = kernel.tree(value, 100.0)
        assert len(heap) == 2**prices.size - 1
        cost = cost_of(problem, items, prices, heap, 0, np.arange(problem.data.n_rows))
        assert cost == pytest.approx(items.from_units(value), abs=noise_of(problem))


def cost_of(problem, items, prices, heap, place, rows):
    if place >= len(heap) or heap[place] is None:
        return problem.cost[rows].sum(axis=0).min()
    feature, rank = heap[place]
    column = problem.data.X[rows, items.features[feature]]
    low, high = items.values[feature][rank : rank + 2]
    assert column[column >= high].min() > column[column <= low].max()
    price = prices[(place + 1).bit_length() - 1]
    sides = (2 * place + 1, rows[column <= low]), (2 * place + 2, rows[column >= high])
    return price + sum(cost_of(problem, items, prices, heap, *side) for side in sides)


RELAXATIONS = [(0, 1, 0), (0, 0, 1, 0), (0, 1, 0, 0), (0, 1, 0, 1), (0, 1, 1, 0)]


@pytest.mark.parametrize("single", RELAXATIONS, ids=str)
def test_levels_that_widen_again_bound_trees_whose_splits_pass_rows_on(single):
    """A diagram's node may pass all its rows on, so that they meet others; its tree does so, too."""
    single = np.array(single, dtype=np.int32)
    prices = np.zeros(single.size)
    for seed in range(40):
        problem = checkered_problem(seed)
        if varies(problem):
            items, kernel = build_kernel(problem, prices.size)
            value, _ = kernel.bound(prices, single, np.inf, 100.0)
            assert items.from_units(value) <= best_tree_cost(problem, prices, single) + noise_of(problem)


def test_all_kinds_of_numbers_were_drawn():
    kinds = {WeightedItems.from_problem(draw(seed)[1]).narrow[0].dtype for seed in BATCHES[0]}
    assert kinds == {np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.float64)}


def test_values_may_be_asked_for_under_other_prices_after_forgetting():
    problem = drawn_problem(3, 10)
    items, kernel = build_kernel(problem, 3)
    single = np.zeros(3, dtype=np.int32)
    for price in (0.0, 0.4, 0.1, 5.0):
        prices = np.array([0.0, price, price])
        kernel.clear_bounds()
        value, _ = kernel.bound(prices / items.step, single, np.inf, 100.0)
        assert items.from_units(value) == pytest.approx(best_tree_cost(problem, prices, single))


def test_forgetting_thousands_of_times_mixes_nothing_up():
    problem = drawn_problem(3, 10)
    items, kernel = build_kernel(problem, 2)
    single = np.zeros(2, dtype=np.int32)
    for turn in range(4100):
        kernel.clear_bounds()
        if turn % 1000 > 995:
            prices = np.array([0.0, turn % 7 / 3])
            value, _ = kernel.bound(prices / items.step, single, np.inf, 100.0)
            assert items.from_units(value) == pytest.approx(best_tree_cost(problem, prices, single))
