"""What the search hands back cannot be bettered at any one node: looked at by trying everything."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.local_search.search_threads import MultiStart

ENOUGH = 10**9


def drawn(seed, n_classes, skeleton, n_values, share_of_zeros, costs="errors", alpha=0.05):
    """A problem with more rows than a feature has bins, unless values are rounded; costs of several kinds."""
    random = np.random.default_rng(seed)
    X = random.random((90, 6))
    if n_values:
        X = np.round(X * n_values) / n_values
    X[random.random(X.shape) < share_of_zeros] = 0.0
    y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * random.random(90) > 0.8).astype(int)
    y = (y + (X[:, 3] > 0.7) * random.integers(0, n_classes, 90)) % n_classes
    y[:n_classes] = np.arange(n_classes)
    weight = matrix = None
    if costs == "counts":
        weight = random.integers(1, 4, 90).astype(float)
    elif costs == "weights":
        weight = random.random(90) + 0.1
    elif costs == "matrix":
        matrix = random.integers(0, 5, (n_classes, n_classes)).astype(float)
    elif costs == "large":
        weight = random.integers(1, 1000, 90).astype(float)
    data = TrainingData.collect(X, y, n_classes, weight)
    return build_problem(data, Skeleton.parse(skeleton), alpha, "univariate", cost_matrix=matrix)


def searched(problem, seed, max_iter):
    """Best diagram as slots, and its objective in units of weight."""
    chain = MultiStart.create(problem, SearchTable.from_problem(problem), seed, 1).threads[0]
    chain.run(ENOUGH, ENOUGH, max_iter, ENOUGH, -1.0)
    child, feature, threshold, _, active = chain.diagram()
    return child, feature, threshold, active, chain.objective


def sides_of(problem, feature, threshold):
    """Whether each row is on the positive side of each node."""
    values = problem.data.X[:, np.maximum(feature, 0)]
    return ((values >= threshold) | (feature < 0)).T


def costs_from(problem, child, sides):
    """Cost of each row from each node on, then at each terminal."""
    n_nodes = len(child)
    cost = np.vstack([np.zeros((n_nodes, problem.data.n_rows)), problem.cost.T])
    for v in reversed(range(n_nodes)):
        cost[v] = np.where(sides[v], cost[child[v, 1]], cost[child[v, 0]])
    return cost


def arrivals(child, active, sides):
    """Whether each row passes each node."""
    here = np.zeros(sides.shape, dtype=bool)
    here[0] = True
    for v in np.flatnonzero(active):
        for side in (0, 1):
            if child[v, side] < len(child):
                here[child[v, side]] |= here[v] & (sides[v] == side)
    return here


def n_reached(child):
    reached = {0}
    for v in range(len(child)):
        if v in reached:
            reached |= {int(target) for target in child[v] if target < len(child)}
    return len(reached)


def best_change(problem, child, active, sides, node):
    """The least objective when one node gets any split and any two targets, all else as it is."""
    cost, here = costs_from(problem, child, sides), arrivals(child, active, sides)[node]
    price, elsewhere = problem.node_price * problem.total_weight, cost[0][~here].sum()
    layer = problem.skeleton.layer_of
    targets = [u for u in range(len(child)) if active[u] and layer[u] == layer[node] + 1]
    targets += range(len(child), len(cost))
    nodes = {}
    for pair in itertools.product(targets, repeat=2):
        changed = child.copy()
        changed[node] = pair
        nodes[pair] = n_reached(changed)
    least = np.inf
    for column in problem.data.X[here].T:
        values = np.unique(column)
        middles = (values[1:] + values[:-1]) / 2
        for low in (column < middle for middle in middles):
            below, above = cost[:, here][:, low].sum(axis=1), cost[:, here][:, ~low].sum(axis=1)
            least = min(least, *(below[a] + above[b] + price * (k - 1) for (a, b), k in nodes.items()))
    return elsewhere + least


def assert_node_optimal(problem, seed, max_iter):
    child, feature, threshold, active, objective = searched(problem, seed, max_iter)
    sides = sides_of(problem, feature, threshold)
    for node in np.flatnonzero(active):
        assert best_change(problem, child, active, sides, node) >= objective - 1e-6


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize(("n_values", "share_of_zeros"), [(0, 0.0), (9, 0.0), (9, 0.8), (1, 0.8)])
@pytest.mark.parametrize("max_iter", [20, 400])
def test_no_node_of_the_best_diagram_has_a_better_split_or_better_arcs(
    n_classes, n_values, share_of_zeros, max_iter
):
    for seed, skeleton in enumerate(["1-2-3-3", "1-2-2-2-2"]):
        problem = drawn(seed, n_classes, skeleton, n_values, share_of_zeros)
        assert_node_optimal(problem, seed, max_iter)


@pytest.mark.parametrize("n_classes", [2, 3, 12])
@pytest.mark.parametrize("n_values", [0, 9])
@pytest.mark.parametrize("costs", ["counts", "weights", "matrix", "large"])
def test_nor_with_other_costs(n_classes, n_values, costs):
    for seed, skeleton in enumerate(["1-2-3-3", "1-2-4"]):
        assert_node_optimal(drawn(seed, n_classes, skeleton, n_values, 0.0, costs), seed, 100)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("costs", ["errors", "weights", "matrix"])
def test_nor_after_a_single_descent(n_classes, costs):
    for seed in range(8):
        problem = drawn(seed, n_classes, "1-2-3", 9 * (seed % 2), 0.0, costs, alpha=0.01)
        assert_node_optimal(problem, seed, 1)


def test_nor_in_a_wide_tree():
    assert_node_optimal(drawn(0, 3, "1-2-4-8-16", 0, 0.0), 0, 50)


def with_class_rows(problem, seed, n_rows):
    """Soft rows on the classes given, with random coefficients and limits on one or both sides."""
    random = np.random.default_rng(seed)
    matrix = np.zeros((n_rows, problem.layout.size))
    n_samples, n_classes = problem.cost.shape
    for row in matrix:
        chosen = random.random((n_samples, n_classes)) < 0.5
        row[problem.layout.assigned] = chosen * random.integers(-2, 3, (n_samples, n_classes))
    lower, upper = random.integers(-12, 0, n_rows), random.integers(0, 12, n_rows)
    lower = np.where(np.arange(n_rows) % 3 == 1, -np.inf, lower)
    upper = np.where(np.arange(n_rows) % 3 == 2, np.inf, upper)
    labels = tuple(f"row {number}" for number in range(n_rows))
    prices = (random.integers(1, 8, n_rows) / 4) / problem.total_weight
    return replace(problem, rows=LinearRows(matrix, lower, upper, labels, prices))


def classes_from(problem, child, sides):
    """Class of each row from each node on, then at each terminal."""
    n_nodes, n_classes = len(child), problem.data.n_classes
    code = np.zeros((n_nodes + n_classes, problem.data.n_rows), dtype=int)
    code[n_nodes:] = np.arange(n_classes)[:, None]
    for v in reversed(range(n_nodes)):
        code[v] = np.where(sides[v], code[child[v, 1]], code[child[v, 0]])
    return code


def penalty(problem, activity):
    rows = problem.rows
    violation = np.maximum(rows.lower - activity, activity - rows.upper).clip(0)
    return violation @ (rows.penalty * problem.total_weight)


def best_change_with_rows(problem, child, active, sides, node):
    """The least cost and penalty when one node gets any split and any two targets, all else as it is."""
    code, here = classes_from(problem, child, sides), arrivals(child, active, sides)[node]
    at = np.arange(problem.data.n_rows)
    cost = problem.cost[at, code]  # from each node on, by sample
    coefficients = np.asarray(problem.rows.matrix.todense())[:, problem.layout.assigned]
    does = coefficients[:, at, code]  # to each row, from each node on, by sample
    price, elsewhere = problem.node_price * problem.total_weight, cost[0][~here].sum()
    others = does[:, 0][:, ~here].sum(axis=1)
    layer = problem.skeleton.layer_of
    targets = [u for u in range(len(child)) if active[u] and layer[u] == layer[node] + 1]
    targets += range(len(child), len(code))
    least = np.inf
    for a, b in itertools.permutations(targets, 2):
        changed = child.copy()
        changed[node] = a, b
        nodes = price * (n_reached(changed) - 1)
        for column in problem.data.X[here].T:
            for value in np.unique(column)[1:]:
                low = column < value
                paid = cost[a][here][low].sum() + cost[b][here][~low].sum()
                done = does[:, a][:, here][:, low].sum(axis=1) + does[:, b][:, here][:, ~low].sum(axis=1)
                least = min(least, elsewhere + paid + nodes + penalty(problem, others + done))
    return least


@pytest.mark.parametrize("n_rows", [1, 2, 4])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("max_iter", [1, 30])
def test_nor_under_rows_on_the_classes_given(n_rows, n_classes, max_iter):
    for seed in range(2):
        problem = with_class_rows(drawn(seed, n_classes, "1-2-2", 9, 0.0, alpha=0.01), seed, n_rows)
        child, feature, threshold, active, objective = searched(problem, seed, max_iter)
        sides = sides_of(problem, feature, threshold)
        activity = np.zeros(problem.layout.size)
        codes = classes_from(problem, child, sides)[0]
        activity[problem.layout.assigned[np.arange(problem.data.n_rows), codes]] = 1.0
        paid = costs_from(problem, child, sides)[0].sum() + penalty(problem, problem.rows.matrix @ activity)
        nodes = problem.node_price * problem.total_weight * (active.sum() - 1)
        assert objective == pytest.approx(paid + nodes)
        for node in np.flatnonzero(active):
            assert best_change_with_rows(problem, child, active, sides, node) >= objective - 1e-6
