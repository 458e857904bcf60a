"""Diagrams from what the kernels found: cuts as ranks, targets as nodes or leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from oddlearn.diagram.arrays import BoolArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit, threshold_between
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.weighted_items import Items

# of a node: feature and rank of its cut (feature -1: all is negative), negative and positive target (-1: a
# leaf)
FoundNode = tuple[int, int, int, int]
Layers = Sequence[Sequence[FoundNode]]

# the splits of a tree in the order of a heap, as feature and rank
Heap = Sequence[tuple[int, int] | None]

# a threshold below the unit box
EVERYTHING_POSITIVE = UnivariateSplit(0, -1.0)


@dataclass(frozen=True, eq=False)
class _Node:
    """A node that is kept; what follows on each side is a node or a class."""

    split: UnivariateSplit
    negative: _Node | int
    positive: _Node | int


def diagram_of(problem: TrainingProblem, items: Items, layers: Layers) -> DecisionDiagram:
    """Return the diagram of the nodes found in each layer.

    A node whose sides get the same class becomes a leaf, and leaves get the class that costs least. A node
    without a cut passes its rows on: the side that nobody takes leads to a terminal.
    """
    reached = _reached(problem, items, layers)
    below: list[_Node | int] = []
    for nodes, arriving in zip(reversed(layers), reversed(reached), strict=True):
        below = [
            _resolved(problem, items, node, rows, below) for node, rows in zip(nodes, arriving, strict=True)
        ]
    return _numbered(problem, below[0])


def layers_of(heap: Heap) -> list[list[FoundNode]]:
    """Return the splits of a tree as nodes in layers."""
    layers: list[list[FoundNode]] = []
    places = [0]
    while places:
        ahead: list[int] = []
        nodes: list[FoundNode] = []
        for place in places:
            split = heap[place]
            targets = []
            for child in (2 * place + 1, 2 * place + 2):
                goes_on = split is not None and child < len(heap) and heap[child] is not None
                targets.append(len(ahead) if goes_on else -1)
                ahead.extend([child] if goes_on else [])
            feature, rank = split or (-1, 0)
            nodes.append((feature, rank, targets[0], targets[1]))
        layers.append(nodes)
        places = ahead
    return layers


def _reached(problem: TrainingProblem, items: Items, layers: Layers) -> list[list[BoolArray]]:
    """Return the rows that arrive at each node of each layer."""
    reached = [[np.ones(problem.data.n_rows, dtype=bool)]]
    for nodes, following in pairwise(layers):
        ahead = [np.zeros(problem.data.n_rows, dtype=bool) for _ in following]
        for node, rows in zip(nodes, reached[-1], strict=True):
            for target, flow in zip(node[2:], _flows(problem, items, node, rows), strict=True):
                if target >= 0:
                    ahead[target] |= flow
        reached.append(ahead)
    return reached


def _flows(
    problem: TrainingProblem, items: Items, node: FoundNode, rows: BoolArray
) -> tuple[BoolArray, BoolArray]:
    """Return the rows on the negative and on the positive side of a cut."""
    feature, rank = node[:2]
    if feature < 0:
        return rows, np.zeros_like(rows)
    high = problem.data.X[:, items.features[feature]] > items.values[feature][rank]
    return rows & ~high, rows & high


def _resolved(
    problem: TrainingProblem, items: Items, node: FoundNode, rows: BoolArray, below: Sequence[_Node | int]
) -> _Node | int:
    flows = _flows(problem, items, node, rows)
    if node[0] < 0:
        after = below[node[2]] if node[2] >= 0 else _cheapest(problem, rows)
        return after if isinstance(after, int) else _Node(EVERYTHING_POSITIVE, 0, after)
    sides = [
        below[target] if target >= 0 else _cheapest(problem, flow)
        for target, flow in zip(node[2:], flows, strict=True)
    ]
    if isinstance(sides[0], int) and sides[0] == sides[1]:
        return sides[0]
    column = problem.data.X[:, items.features[node[0]]]
    threshold = threshold_between(column[flows[0]].max(), column[flows[1]].min())
    return _Node(UnivariateSplit(int(items.features[node[0]]), threshold), sides[0], sides[1])


def _cheapest(problem: TrainingProblem, rows: BoolArray) -> int:
    return int(problem.cost[rows].sum(axis=0).argmin())


def _numbered(problem: TrainingProblem, root: _Node | int) -> DecisionDiagram:
    """Return the diagram below a root, its nodes listed layer by layer."""
    n_classes, n_features = problem.data.n_classes, problem.data.n_features
    if isinstance(root, int):
        return DecisionDiagram.constant(root, n_classes, n_features)
    layers = [[root]]
    while layers[-1]:
        after = [child for node in layers[-1] for child in (node.negative, node.positive)]
        layers.append(list({id(child): child for child in after if isinstance(child, _Node)}.values()))
    nodes = [node for layer in layers for node in layer]
    number = {id(node): place for place, node in enumerate(nodes)}

    def target(child: _Node | int) -> int:
        return len(nodes) + child if isinstance(child, int) else number[id(child)]

    return DecisionDiagram(
        tuple(node.split for node in nodes),
        np.array([target(node.negative) for node in nodes]),
        np.array([target(node.positive) for node in nodes]),
        np.repeat(np.arange(len(layers)), [len(layer) for layer in layers]),
        n_classes,
        n_features,
    )
