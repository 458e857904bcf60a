"""Optimal decision trees of depth 4 from another package, as a yardstick.

pycontree (ConTree) takes continuous features as they are. pystreed wants them made binary first and cannot be
imported without scikit-survival, so that it is not offered.

The package charges the root split as well: with an optimum of one split or more that shifts every tree by
the same price and the optimum is ours. When it returns no split at all it has not shown that one split is
worse at a free root, and the case is left out. So are optima with a split closer than our margin.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from _data import Reference, problem_of, training_set
from _store import Store

from oddlearn.diagram import DecisionDiagram, Skeleton, UnivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem import evaluate

DEPTH = 4


class Yardstick:
    """Columns of the file of optima; an empty objective means not known."""

    COLUMNS = ("dataset", "alpha", "limit", "objective", "seconds")


def optimal_tree(store: Store, row: Reference, limit: float) -> float | None:
    """Return the objective of the optimal tree of depth 4, None where it is not known within the limit."""
    found = store.find(row.dataset, row.alpha, limit)
    if found is None:
        began = time.perf_counter()
        objective = _prove(row, limit)
        seconds = round(time.perf_counter() - began, 3)
        shown = "" if objective is None else objective
        found = store.add(
            dataset=row.dataset, alpha=row.alpha, limit=limit, objective=shown, seconds=seconds
        )
    return float(found["objective"]) if found["objective"] else None


def _prove(row: Reference, limit: float) -> float | None:
    from pycontree import ConTree  # only this benchmark needs it

    skeleton = Skeleton.tree(DEPTH)
    problem = problem_of(row.dataset, skeleton, row.alpha, "univariate")
    X, codes, n_classes = training_set(row.dataset)
    observed, labels = np.unique(codes, return_inverse=True)
    model = ConTree(max_depth=DEPTH, complexity_cost=problem.node_price, time_limit=limit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it ran out of time, which is asked for below
        model.fit(X, labels)
    if not model._config.is_within_time_limit() or model.tree_.is_leaf_node():
        return None
    try:
        return evaluate(problem, as_diagram(model.tree_, observed, n_classes, X.shape[1])).objective
    except DiagramMisfitError:
        return None


def as_diagram(tree: Any, observed: np.ndarray, n_classes: int, n_features: int) -> DecisionDiagram:  # noqa: ANN401
    """Return the package's tree as a diagram; its left side is ``x <= threshold``."""
    nodes, layer = [tree], [0]
    for place, node in enumerate(nodes):  # grows while it is read: breadth first
        for child in (node.get_left(), node.get_right()):
            if not child.is_leaf_node():
                nodes.append(child)
                layer.append(layer[place] + 1)
    splits = [
        UnivariateSplit(node.get_split_feature(), np.nextafter(node.get_split_threshold(), np.inf))
        for node in nodes
    ]
    inner = iter(range(1, len(nodes)))
    ends = [
        len(nodes) + int(observed[child.get_label()]) if child.is_leaf_node() else next(inner)
        for node in nodes
        for child in (node.get_left(), node.get_right())
    ]
    return DecisionDiagram(tuple(splits), ends[::2], ends[1::2], layer, n_classes, n_features)
