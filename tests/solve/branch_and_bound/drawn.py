"""Random problems for the branch and bound, and kernels that work on them."""

from dataclasses import replace
from functools import partial
from unittest.mock import patch

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.kernels.branch_and_bound.diagram_solver import DiagramSolver
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound import kernel_runner

# no split of the root is finished
NONE_FINISHED = np.empty((0, 3), dtype=np.int32)


def drawn_problem(seed, most_rows, skeleton="1", alpha=0.1, tree_only=False):
    """Return a random problem: ties, values as close as numbers can be, conflicts, weights and costs."""
    random = np.random.default_rng(seed)
    n, d, n_classes = (int(random.integers(*ends)) for ends in ((2, most_rows + 1), (1, 4), (2, 5)))
    X = 1 + random.integers(0, 5, (n, d)) / 4 + random.choice([0, 0, 2**-51, 2**-50, 0.0012], (n, d))
    weights = [None, random.integers(1, 4, n).astype(float), random.random(n) + 0.1][random.integers(3)]
    data = TrainingData.collect(X, random.integers(0, n_classes, n), n_classes, weights)
    widths = Skeleton.parse(skeleton).widths
    costs = _costs(random, n_classes)
    return build_problem(data, Skeleton(widths, tree_only), alpha, "univariate", cost_matrix=costs)


def many_classes_problem(seed, most_rows):
    """Return a random problem of 4 to 8 classes, more than the leaves of small trees."""
    random = np.random.default_rng([seed, 4])
    n, d, n_classes = (int(random.integers(*ends)) for ends in ((4, most_rows + 1), (1, 4), (4, 9)))
    X = random.integers(0, 5, (n, d)).astype(float)
    weights = [None, random.integers(1, 4, n).astype(float), random.random(n) + 0.1][random.integers(3)]
    data = TrainingData.collect(X, random.integers(0, n_classes, n), n_classes, weights)
    costs = _costs(random, n_classes)
    return build_problem(data, Skeleton.parse("1"), 0.1, "univariate", cost_matrix=costs)


def checkered_problem(seed, skeleton="1", alpha=0.1):
    """Return a random problem of bits whose class is mostly a parity: single splits are worth little."""
    random = np.random.default_rng(seed)
    d = int(random.integers(2, 4))
    X = random.integers(0, 2, (int(random.integers(4, 8)), d)).astype(float)
    codes = (X @ (random.random(d) < 0.8)).astype(int) % 2
    codes[random.random(len(codes)) < 0.1] = 2
    data = TrainingData.collect(X, codes, 3)
    return build_problem(data, Skeleton.parse(skeleton), alpha, "univariate")


def _costs(random, n_classes):
    """None, small ones, fractions, and integers that need 32 bits."""
    kind = random.integers(0, 6)
    if kind < 2:
        return None
    most, unit = [(4, 1.0), (4, 0.37), (20_000, 1.0), (900_000, 1.0)][kind - 2]
    matrix = random.integers(0, most, (n_classes, n_classes)) * unit
    np.fill_diagonal(matrix, 0.0)
    return matrix if matrix.any() else None


def varies(problem):
    return bool(np.ptp(problem.data.X, axis=0).any())


def build_kernel(problem, levels, LOG_ENTRIES=10, SIDE_SLACK=0.0, disabled=0, **others):
    """Return the items of a problem and a kernel with these settings, parts of it turned off."""
    others["DiagramSolver"] = partial(DiagramSolver, disabled=disabled)
    with patch.multiple(kernel_runner, LOG_ENTRIES=LOG_ENTRIES, SIDE_SLACK=SIDE_SLACK, **others):
        made = kernel_runner.KernelRunner(problem, levels, 0)
    return made.items, made.kernel


def tree_value(problem, prices, single=None, **settings):
    """Return what the kernel takes for the least cost of a tree, as a total cost."""
    levels = len(prices)
    single = np.zeros(levels, dtype=np.int32) if single is None else single
    if not varies(problem):
        return float(problem.cost.sum(axis=0).min())
    items, kernel = build_kernel(problem, levels, **settings)
    value, is_exact = kernel.bound(np.asarray(prices, dtype=float) / items.step, single, np.inf, 100.0)
    assert is_exact and not kernel.is_stopped
    return items.from_units(value)


def part_of(problem, rows):
    """Return the problem of some of the rows; their costs stay what they are."""
    data = TrainingData(problem.data.X[rows], problem.data.class_weight[rows], np.arange(len(rows)))
    return replace(problem, data=data, cost=problem.cost[rows])


def noise_of(problem):
    """What sums of costs may differ by because of rounding."""
    return 1e-9 * max(1.0, float(problem.cost.sum()))
