"""Random tables in raw units, with missing values, weights and costs, and random diagrams on their bins."""

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.binned_diagram import BinnedDiagram
from oddlearn.solve.histogram.binned_table import EdgeChooser, bin_rows
from oddlearn.solve.histogram.layer_polish import LayerPolish, StructureLimits
from oddlearn.solve.histogram.projected_rows import problem_rows
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.table.groups import SampleGroups

FOREVER = Budget.of(None)


def raw_problem(seed, n_rows=60, constraints=(), tree_only=False, values=5, widths=(1, 2, 3)):
    """Return a problem of 3 columns, one of them with missing values, its rows as they are."""
    random = np.random.default_rng(seed)
    n_classes = int(random.integers(2, 5))
    X = random.integers(0, values, (n_rows, 3)).astype([np.float64, np.float32][seed % 2])
    X[random.random(n_rows) < 0.2, 1] = np.nan
    codes = random.integers(0, n_classes, n_rows)
    weight = [np.ones(n_rows), random.integers(1, 4, n_rows) * 1.0, random.random(n_rows) + 0.1][seed % 3]
    groups = SampleGroups(codes, weight, tuple(range(n_classes)))
    data = LargeData(MemoryRows.from_arrays(X, codes, weight), 1 - np.eye(n_classes), groups)
    costs = None if seed % 2 else random.integers(1, 4, (n_classes, n_classes)) * (1 - np.eye(n_classes))
    skeleton = Skeleton(widths, tree_only=tree_only)
    return build_problem(data, skeleton, [0.0, 0.1, 0.5][seed % 3], "univariate", None, costs, constraints)


def bin_all(problem, diagrams=(), flow=None):
    """Return all rows of a problem in bins of all features."""
    features = np.arange(problem.data.n_features)
    edges = EdgeChooser(problem.data.X).choose(features, diagrams)
    return bin_problem(problem, edges, flow)


def bin_problem(problem, edges, flow=None):
    """Return all rows of a problem in bins of all features with these edges."""
    rows = problem_rows(problem, np.empty(0) if flow is None else flow)
    features = np.arange(problem.data.n_features)
    return bin_rows(rows, problem.cost_matrix, problem.total_weight, features, edges, FOREVER)


def random_diagram(problem, table, seed):
    """Return a random diagram on bins; nodes that no arc reaches are inactive."""
    random, skeleton = np.random.default_rng([seed, 1]), problem.skeleton
    n_slots, n_classes = skeleton.n_nodes, problem.data.n_classes
    child = np.zeros((n_slots, 2), dtype=np.int32)
    free = {layer: list(range(*skeleton.first[layer : layer + 2])) for layer in range(1, skeleton.depth)}
    for slot in range(n_slots):
        following = free.get(int(skeleton.layer_of[slot]) + 1, [])
        targets = [*following, *range(n_slots, n_slots + n_classes)]
        child[slot] = random.choice(targets, 2, replace=False)
        if skeleton.tree_only:
            free[int(skeleton.layer_of[slot]) + 1] = [one for one in following if one not in child[slot]]
    column = random.integers(0, 3, n_slots).astype(np.int32)
    low = random.integers(1, table.n_bins[column]).astype(np.uint8)
    high = np.where(random.random(n_slots) < 0.5, 255, 254).astype(np.uint8)
    diagram = BinnedDiagram(child, column, low, high, np.ones(n_slots, dtype=np.uint8))
    diagram.drop_unreachable()
    return diagram


def start_polish(problem, table, seed, n_jobs=1):
    """Return the descent from a random diagram."""
    limits = StructureLimits.from_problem(problem)
    return LayerPolish(problem, table, random_diagram(problem, table, seed), limits, n_jobs=n_jobs)
