"""Every diagram of a skeleton 1, 1-1 or 1-2 on tiny data, in every order of its nodes."""

from itertools import pairwise, permutations, product

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.tolerances import VIOLATION_TOLERANCE


def least_costs(problem):
    """Return the least cost with k = 1, 2, ... nodes, wasted ones included; inf where none keeps the rows."""
    best = np.full(problem.skeleton.n_nodes, np.inf)
    for diagram in all_diagrams(problem):
        try:
            value = evaluate(problem, diagram)
        except DiagramMisfitError:
            continue
        if value.violation <= VIOLATION_TOLERANCE:
            place = max(value.n_nodes, 1) - 1
            best[place] = min(best[place], value.cost + problem.total_weight * value.penalty)
    return best


def all_diagrams(problem):
    """Yield constants, then all graphs with all splits."""
    sizes = (problem.data.n_classes, problem.data.n_features)
    yield from (DecisionDiagram.constant(code, *sizes) for code in range(sizes[0]))
    splits = list(all_splits(problem))
    for n_below in range(1 + sum(problem.skeleton.widths[1:])):
        layer = np.array([0] + [1] * n_below)
        for arcs, tests in product(all_graphs(n_below, sizes[0]), product(splits, repeat=1 + n_below)):
            negative, positive = np.array(arcs).T
            yield DecisionDiagram(tests, negative, positive, layer, *sizes)


def all_graphs(n_below, n_classes):
    """Return the pairs of targets of the root and of the nodes below, in every way."""
    nodes, terminals = range(1, 1 + n_below), range(1 + n_below, 1 + n_below + n_classes)
    roots = [pair for pair in permutations((*nodes, *terminals), 2) if set(nodes) <= set(pair)]
    return list(product(roots, *[list(permutations(terminals, 2))] * n_below))


def all_splits(problem):
    """Yield thresholds in every gap, and one below all; which rows arrive decides if a gap is wide enough."""
    yield UnivariateSplit(0, -1.0)
    for feature, column in enumerate(problem.data.X.T):
        for _, high in pairwise(np.unique(column)):
            yield UnivariateSplit(feature, float(high))
