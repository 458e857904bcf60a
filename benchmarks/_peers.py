"""Optimal trees from other packages, as diagrams of ours.

pycontree (ConTree) takes continuous features as they are; pystreed (STreeD) wants columns of 0 and 1, which
are made of all thresholds between the values of each feature. Both find trees whose sides may be closer
together than our margin, and both charge the root split as well. With an optimum of one split or more that
shifts every tree by the same price, so that the optimum is ours; an optimum without a split says less.
"""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit

# pystreed looks at pairs of columns: more are out of its reach
MOST_COLUMNS = 300


@dataclass(frozen=True)
class Branching:
    """A node of a tree; what follows on each side is a node or a class code."""

    feature: int
    threshold: float
    negative: Branching | int
    positive: Branching | int


@dataclass(frozen=True)
class Task:
    """What a package is to solve: errors per sample plus a price per split, on trees of a depth."""

    X: np.ndarray
    labels: np.ndarray
    n_classes: int
    depth: int
    price: float
    limit: float


@dataclass(frozen=True)
class Answer:
    """What a package says: its tree, whether it calls it optimal, and the seconds of its fit."""

    root: Branching | int
    is_proved: bool
    seconds: float

    @property
    def has_split(self) -> bool:
        return isinstance(self.root, Branching)

    def diagram(self, task: Task) -> DecisionDiagram:
        return as_diagram(self.root, task.n_classes, task.X.shape[1])


def missing(name: str) -> str | None:
    """Return, in a sentence, why a package cannot be used, None if it can."""
    try:
        importlib.import_module(name)
    except ImportError as error:
        return f'{name} is left out, it cannot be imported ({error}): pip install "oddlearn[bench]".'
    return None


def contree(task: Task) -> Answer | None:
    """Ask pycontree."""
    from pycontree import ConTree

    observed, labels = np.unique(task.labels, return_inverse=True)
    model = ConTree(max_depth=task.depth, complexity_cost=task.price, time_limit=task.limit)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it ran out of time, which is asked for below
        model.fit(task.X, labels)
    seconds = time.perf_counter() - began

    def read(tree: Any) -> Branching | int:  # noqa: ANN401
        if tree.is_leaf_node():
            return int(observed[tree.get_label()])
        # its left side is x <= threshold
        threshold = float(np.nextafter(tree.get_split_threshold(), np.inf))
        return Branching(tree.get_split_feature(), threshold, read(tree.get_left()), read(tree.get_right()))

    return Answer(read(model.tree_), bool(model._config.is_within_time_limit()), seconds)


def streed(task: Task) -> Answer | None:
    """Ask pystreed, None where there are too many columns; to make the columns is not counted as its time."""
    from pystreed import STreeDClassifier

    columns = thresholds(task.X)
    if not 0 < len(columns) <= MOST_COLUMNS:
        return None
    table = np.column_stack([task.X[:, feature] >= threshold for feature, threshold in columns])
    observed, labels = np.unique(task.labels, return_inverse=True)
    model = STreeDClassifier(
        "cost-complex-accuracy", max_depth=task.depth, cost_complexity=task.price, time_limit=task.limit
    )
    began = time.perf_counter()
    model.fit(table.astype(np.intc), labels.astype(np.intc))
    seconds = time.perf_counter() - began

    def read(tree: Any) -> Branching | int:  # noqa: ANN401
        if tree.is_leaf_node():
            return int(observed[tree.label])
        feature, threshold = columns[tree.feature]
        return Branching(feature, threshold, read(tree.left_child), read(tree.right_child))

    if not model.is_fitted():
        return Answer(int(observed[np.bincount(labels).argmax()]), False, seconds)
    return Answer(read(model.tree_), bool(model.fit_result.is_optimal()), seconds)


PEERS: dict[str, Callable[[Task], Answer | None]] = {"pycontree": contree, "pystreed": streed}


def thresholds(X: np.ndarray) -> list[tuple[int, float]]:
    """Return feature and threshold between all neighbouring values of each feature."""
    values = [np.unique(column) for column in X.T]
    return [(feature, float(above)) for feature, column in enumerate(values) for _, above in pairwise(column)]


def as_diagram(root: Branching | int, n_classes: int, n_features: int) -> DecisionDiagram:
    """Return a tree as a diagram."""
    if isinstance(root, int):
        return DecisionDiagram.constant(root, n_classes, n_features)
    nodes, layer = [root], [0]
    for place, node in enumerate(nodes):  # grows while it is read: breadth first
        for child in (node.negative, node.positive):
            if isinstance(child, Branching):
                nodes.append(child)
                layer.append(layer[place] + 1)
    inner = iter(range(1, len(nodes)))
    ends = [
        next(inner) if isinstance(child, Branching) else len(nodes) + child
        for node in nodes
        for child in (node.negative, node.positive)
    ]
    splits = tuple(UnivariateSplit(node.feature, node.threshold) for node in nodes)
    return DecisionDiagram(splits, ends[::2], ends[1::2], layer, n_classes, n_features)
