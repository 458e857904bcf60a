"""Brute force for the best split of at most two terms, and problems to judge solvers by.

``python -m tests.oracles.sparse_brute_force 0 10000`` compares the enumeration of pairs of numbers with it.
"""

import sys
from itertools import combinations, product

import numpy as np
from scipy.optimize import linprog

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.term_limit import TermLimit
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.sparse_solver import SparseSplitSearch
from oddlearn.table.groups import SampleGroups

MARGIN = 1e-4


def pose(X, y, n_classes, column_of, max_terms, weight=None, cost_matrix=None, skeleton="1", price=0.0):
    """Return the problem of rows in the unit box."""
    weight = np.ones(len(y)) if weight is None else weight
    groups = SampleGroups(y, weight, tuple(range(n_classes)), ())
    data = TrainingData.collect(X, y, n_classes, weight, groups)
    limit = TermLimit(max_terms, np.asarray(column_of))
    given = (Skeleton.parse(skeleton), None, "multivariate", MARGIN, cost_matrix)
    return build_problem(data, *given, node_price=price, term_limit=limit)


def draw_numbers(seed):
    """Return a tiny problem of numbers: 2 to 5 classes, weights, costs, equal rows, rows on a line."""
    random = np.random.default_rng(seed)
    n, d, n_classes, kind = (int(random.integers(*limits)) for limits in ((2, 10), (2, 6), (2, 6), (0, 4)))
    X = (
        random.random((n, d))
        if kind == 0
        else random.integers(0, random.integers(2, 5), (n, d)).astype(float)
    )
    if kind == 3:
        X = X[:, :1] * random.integers(-2, 3, d) + random.integers(0, 2, (n, d))
    if random.random() < 0.3:
        X = X[random.integers(0, n, n)]
    span = np.ptp(X, axis=0)
    X = (X - X.min(axis=0)) / np.where(span > 0, span, 1)
    costs = random.integers(0, 5, (n_classes, n_classes)) * (1.0 - np.eye(n_classes))
    y, weight = random.integers(0, n_classes, n), random.integers(1, 4, n).astype(float)
    cost_matrix = costs if random.random() < 0.4 else None
    return pose(X, y, n_classes, range(d), 1 if seed % 5 == 0 else 2, weight, cost_matrix)


def draw_columns(seed):
    """Return a tiny problem of columns of several features: categories, and numbers that may be missing."""
    random = np.random.default_rng(seed)
    n, parts, column_of = int(random.integers(3, 7)), [], []
    for column, kind in enumerate(random.choice(["number", "category", "missing"], 3)):
        numbers = random.integers(0, 4, (n, 1)) / 3.0
        features = numbers
        if kind == "category":
            features = np.eye(4)[random.integers(0, 4, n)]
        if kind == "missing":
            missing = random.random((n, 1)) < 0.4
            features = np.hstack([np.where(missing, 1 / 3, numbers), missing])
        parts.append(features)
        column_of += [column] * features.shape[1]
    n_classes = int(random.integers(2, 4))
    return pose(np.hstack(parts), random.integers(0, n_classes, n), n_classes, column_of, 2)


def best_by_lines(problem):
    """Return the least cost of a split of numbers: all lines through two points, turned a little, shifted."""
    X, cost = problem.data.X, problem.cost
    directions = [(np.eye(X.shape[1])[j], np.zeros(X.shape[1])) for j in range(X.shape[1])]
    for i, j in combinations(range(X.shape[1]), 2) if problem.term_limit.max_terms == 2 else ():
        for one, other in combinations(range(len(X)), 2):
            step = X[one, [i, j]] - X[other, [i, j]]
            along, across = np.zeros((2, X.shape[1]))
            along[[i, j]], across[[i, j]] = step, (-step[1], step[0])
            directions += [(across, along), (across, -along)]
    best = cost.sum(axis=0).min()
    for first, then in directions:
        keys = np.round(np.column_stack([X @ then, X @ first]), 10)
        order = np.lexsort(keys.T)
        below = np.cumsum(cost[order], axis=0)
        places = np.flatnonzero((np.diff(keys[order], axis=0) != 0).any(axis=1))
        if places.size:
            best = min(best, (below[places].min(axis=1) + (below[-1] - below[places]).min(axis=1)).min())
    return float(best)


def best_by_programs(problem):
    """Return the least cost of a split with the margin: all ways to divide the rows, by linear programs."""
    X, cost, limit = problem.data.X, problem.cost, problem.term_limit
    best = cost.sum(axis=0).min()
    for sides in product((False, True), repeat=len(X) - 1):
        side = np.array([False, *sides])
        value = cost[~side].sum(axis=0).min() + cost[side].sum(axis=0).min()
        pairs = combinations(range(limit.n_columns), limit.max_terms)
        if value < best and any(separates(X[:, limit.features_of(np.array(pair))], side) for pair in pairs):
            best = value
    return float(best)


def separates(X, side):
    """Return whether weights of absolute sum 1 put the sides at least the margin apart."""
    n, d = X.shape
    signed = np.where(side, -1.0, 1.0)[:, None] * X
    # variables: both parts of the weights, the threshold, the gap
    rows = np.column_stack([signed, -signed, np.where(side, 1.0, -1.0), np.where(side, 0.0, 1.0)])
    rows = np.vstack([rows, [*[1.0] * (2 * d), 0.0, 0.0]])
    bounds = [(0, None)] * (2 * d) + [(None, None)] * 2
    result = linprog([*[0.0] * (2 * d + 1), -1.0], rows, [*[0.0] * n, 1.0], bounds=bounds)
    return result.status == 0 and -result.fun >= MARGIN


def search_pairs(problem):
    """Return the least cost by the enumeration of pairs, and that of its diagram."""
    search = SparseSplitSearch.begin(problem)
    assert search.run(Budget.of(None))
    constant = problem.cost.sum(axis=0).min()
    return search.limit, constant if search.diagram is None else evaluate(problem, search.diagram).cost


if __name__ == "__main__":
    first, last = map(int, sys.argv[1:3])
    wrong = unproved = 0
    for seed in range(first, last):
        problem = draw_numbers(seed)
        bound, cost = search_pairs(problem)
        wrong += abs(bound - best_by_lines(problem)) > 1e-9
        unproved += cost > bound + 1e-9
    print(f"{last - first} problems: {wrong} wrong, {unproved} with a diagram that costs more than the bound")  # noqa: T201
