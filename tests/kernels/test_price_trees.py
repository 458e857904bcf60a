"""Trees with a price per node and no depth limit: the kernel against all trees, with each part turned off."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.kernels.branch_and_bound import price_sets
from oddlearn.kernels.branch_and_bound.price_solver import PriceTreeSolver
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.packed_items import PackedItems
from oddlearn.solve.branch_and_bound.price_items import PriceItems
from tests.oracles.any_depth import AnyDepth

SWITCHES = {
    "BOUND_CACHE": 1,
    "MONOTONE_BOUNDS": 2,
    "LIPSCHITZ_BOUNDS": 4,
    "MIN_SUPPORT": 8,
    "BUDGET_SLACK": 16,
    "PARENT_BOUNDS": 32,
    "COLUMN_SKIP": 64,
    "SIMILAR_SETS": 128,
    "TWO_NODES": 256,
    "CLASS_BOUNDS": 512,
}
DISABLED = [0, *SWITCHES.values(), sum(SWITCHES.values())]


def draw_problem(seed, n_rows, n_features, n_values):
    """Return a random problem: ties, duplicate rows, weights, costs, 2 to 5 classes, many kinds of prices."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(*n_rows)), int(random.integers(*n_features))
    # two classes have bounds of their own
    n_classes, total = int(random.choice([2, 2, 2, 3, 4, 5])), 0.0
    X = random.integers(0, int(random.integers(*n_values)), (n, d)).astype(float)
    X[:, -1] = -X[:, 0] if random.random() < 0.3 else X[:, -1]
    codes = (X.sum(axis=1) % n_classes).astype(int)
    is_noise = random.random(n) < random.choice([0.15, 1.0])
    codes = np.where(is_noise, random.integers(0, n_classes, n), codes)
    weights = [None, random.integers(1, 5, n).astype(float), random.random(n) + 0.05][random.integers(3)]
    costs = [None, None, random.integers(1, 5, (n_classes, n_classes)), random.random((n_classes,) * 2) + 0.1]
    matrix = costs[random.integers(4)]
    if matrix is not None:
        matrix = matrix * (1.0 - np.eye(n_classes))
    data = TrainingData.collect(X, codes, n_classes, weights)
    total = data.total_weight
    prices = [random.integers(1, 5) / total, random.integers(1, 9) / 3 / total, random.random() * 0.2 + 0.005]
    price = float(prices[random.integers(3)])
    skeleton = Skeleton.tree(3)
    return random, build_problem(data, skeleton, None, "univariate", cost_matrix=matrix, node_price=price)


def build_kernel(problem, random, disabled=0, max_bytes=2**28):
    """Return the items and a kernel on them, every second time as bits."""
    items = PriceItems.from_problem(problem)
    is_packed, n_classes = random.random() < 0.5, problem.data.n_classes
    packed = PackedItems.from_items(items, n_classes, max_words=np.inf) if is_packed else None
    words = random.integers(0, 2**64, (2, items.label.size), dtype=np.uint64)
    log_entries = int(random.choice([0, 2, 12]))
    return items, PriceTreeSolver(items, words, n_classes, log_entries, max_bytes, disabled, packed)


def has_splits(problem):
    items = PriceItems.from_problem(problem)
    return items is not None and items.features.size > 0


def check_bounds(problem, items, kernel, random, truth):
    """Ask with several budgets; the tree has the cost that is claimed."""
    unit, noise = float(problem.cost.max()) / 2, 1e-9 * max(1.0, truth)
    for cost in random.permutation([truth - unit, truth, truth + 1e-6, truth + unit, 1e6 * unit]):
        budget = items.budget_of(cost)
        lower, upper = kernel.bound(budget, 100.0)
        assert not kernel.is_stopped
        assert items.lower_cost(lower) <= truth + noise
        assert items.lower_cost(upper) >= truth - noise
        assert lower == upper or lower >= budget
        if lower == upper:
            assert items.lower_cost(lower) == pytest.approx(truth, abs=noise)
            assert tree_cost(problem, items, kernel.tree(100.0)) == pytest.approx(truth, abs=noise)


def tree_cost(problem, items, nodes):
    """Return the cost of a tree of the kernel, nodes included."""

    def below(place, rows):
        if place < 0:
            return problem.cost[rows].sum(axis=0).min()
        feature, rank, negative, positive = nodes[place]
        column = problem.data.X[:, items.items.features[items.features[feature]]]
        is_below = column <= items.items.values[items.features[feature]][rank]
        assert (rows & is_below).any()
        assert (rows & ~is_below).any()
        return below(negative, rows & is_below) + below(positive, rows & ~is_below)

    price = problem.node_price * problem.total_weight * max(0, len(nodes) - 1)
    return price + below(0 if nodes else -1, np.ones(problem.data.n_rows, dtype=bool))


def test_the_switches_have_the_numbers_that_are_tested():
    assert {name: getattr(price_sets, name) for name in SWITCHES} == SWITCHES


@pytest.mark.parametrize("disabled", DISABLED)
def test_tiny_tables_have_the_best_of_all_trees(disabled):
    for seed in range(25):
        random, problem = draw_problem([seed, disabled], (2, 12), (1, 5), (2, 6))
        if has_splits(problem):
            items, kernel = build_kernel(problem, random, disabled)
            check_bounds(problem, items, kernel, random, AnyDepth(problem).least_cost())


@pytest.mark.parametrize("disabled", DISABLED)
def test_tables_of_few_values_and_many_rows_have_the_best_of_all_trees(disabled):
    """A stump that is cut off at the price and called exact shows here, not on tiny tables."""
    for seed in range(4):
        random, problem = draw_problem([seed, 77, disabled], (20, 61), (2, 4), (3, 5))
        if has_splits(problem):
            items, kernel = build_kernel(problem, random, disabled)
            check_bounds(problem, items, kernel, random, AnyDepth(problem).least_cost())


def test_a_call_that_is_stopped_has_a_bound_and_the_next_goes_on():
    n_stopped = 0
    for seed in range(40):
        random, problem = draw_problem([seed, 5], (8, 30), (2, 4), (2, 5))
        if not has_splits(problem):
            continue
        items, kernel = build_kernel(problem, random)
        truth = AnyDepth(problem).least_cost()
        for _ in range(200):
            kernel.clear_stop()
            kernel.limit_work(float(random.integers(1, 2000)))
            lower, upper = kernel.bound(2**58, 100.0)
            assert items.lower_cost(lower) <= truth + 1e-9 * max(1.0, truth)
            assert items.lower_cost(upper) >= truth - 1e-9 * max(1.0, truth)
            n_stopped += kernel.is_stopped
            if not kernel.is_stopped:
                break
        kernel.clear_stop()
        kernel.limit_work(1e18)
        lower, upper = kernel.bound(2**58, 100.0)
        assert lower == upper
        assert items.lower_cost(lower) == pytest.approx(truth)
    assert n_stopped > 20


def test_too_little_memory_ends_the_search_with_a_bound():
    n_short = 0
    for seed in range(40):
        random, problem = draw_problem([seed, 6], (20, 40), (3, 5), (3, 5))
        if not has_splits(problem):
            continue
        items, kernel = build_kernel(problem, random, max_bytes=int(random.integers(10, 60)) * 1000)
        lower, _ = kernel.bound(2**58, 100.0)
        truth = AnyDepth(problem).least_cost()
        assert items.lower_cost(max(0, lower)) <= truth + 1e-9 * max(1.0, truth)
        assert kernel.stop_reason in ("", "memory")
        n_short += kernel.stop_reason == "memory"
    assert n_short > 5


def test_classes_that_leaves_must_predict_end_the_search_early():
    """Six classes of 20 rows, a node for 15: at least a node for each class but one, or 20 errors."""
    random = np.random.default_rng(3)
    codes = np.repeat(np.arange(6), 20)
    X = codes[:, None] + random.normal(0, 2, (120, 4))
    data = TrainingData.collect(X, codes, 6, None)
    problem = build_problem(data, Skeleton.tree(3), None, "univariate", node_price=15 / 120)
    items = PriceItems.from_problem(problem)
    words = random.integers(0, 2**64, (2, items.label.size), dtype=np.uint64)
    evaluated, bounds = [], []
    for disabled in (0, SWITCHES["CLASS_BOUNDS"]):
        kernel = PriceTreeSolver(items, words, 6, 12, 2**28, disabled, None)
        bounds.append(kernel.bound(2**58, 100.0))
        evaluated.append(kernel.counts[1])
    assert bounds[0] == bounds[1]
    assert bounds[0][0] == bounds[0][1]
    assert evaluated[0] < evaluated[1] / 3
