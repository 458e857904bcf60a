"""The kernels' answers as diagrams: splits given by rank, targets given by node or leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from oddlearn.diagram.arrays import BoolArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit, threshold_between
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems

# feature and rank of a node's split (feature -1: all rows take the negative side), then the targets of its
# negative and positive side in the next layer (-1: a leaf)
KernelNode = tuple[int, int, int, int]
Layers = Sequence[Sequence[KernelNode]]

# splits as feature and rank; the children of entry k are entries 2 k + 1 and 2 k + 2
HeapOrderedTree = Sequence[tuple[int, int] | None]

# thresholds lie in the unit box, or among ranks: this one is below all values
ALL_POSITIVE = UnivariateSplit(0, -1.0)


@dataclass(frozen=True, eq=False)
class _Node:
    """A node of the diagram; each child is a node or a class."""

    split: UnivariateSplit
    negative: _Node | int
    positive: _Node | int


def decode_diagram(problem: TrainingProblem, items: WeightedItems, layers: Layers) -> DecisionDiagram:
    """Return the diagram of the nodes found in each layer.

    Leaves get the cheapest class of their rows. A node whose two sides lead to the same class becomes a leaf.
    A node that passes all its rows through keeps its place, with an unused leaf on its other side.
    """
    rows_by_layer = _route_rows(problem, items, layers)
    children: list[_Node | int] = []
    for nodes, arriving in zip(reversed(layers), reversed(rows_by_layer), strict=True):
        children = [
            _decode_node(problem, items, node, rows, children)
            for node, rows in zip(nodes, arriving, strict=True)
        ]
    return _build_diagram(problem, children[0])


def layers_from_tree(tree: HeapOrderedTree) -> list[list[KernelNode]]:
    """Return the splits of a tree as nodes in layers."""
    layers: list[list[KernelNode]] = []
    entries = [0]
    while entries:
        next_entries: list[int] = []
        nodes: list[KernelNode] = []
        for entry in entries:
            split = tree[entry]
            targets = []
            for child in (2 * entry + 1, 2 * entry + 2):
                has_child = split is not None and child < len(tree) and tree[child] is not None
                targets.append(len(next_entries) if has_child else -1)
                next_entries.extend([child] if has_child else [])
            feature, rank = split or (-1, 0)
            nodes.append((feature, rank, targets[0], targets[1]))
        layers.append(nodes)
        entries = next_entries
    return layers


def _route_rows(problem: TrainingProblem, items: WeightedItems, layers: Layers) -> list[list[BoolArray]]:
    """Return the rows that arrive at each node of each layer."""
    rows_by_layer = [[np.ones(problem.data.n_rows, dtype=bool)]]
    for nodes, next_nodes in pairwise(layers):
        arriving = [np.zeros(problem.data.n_rows, dtype=bool) for _ in next_nodes]
        for node, rows in zip(nodes, rows_by_layer[-1], strict=True):
            for target, flow in zip(node[2:], _split_rows(problem, items, node, rows), strict=True):
                if target >= 0:
                    arriving[target] |= flow
        rows_by_layer.append(arriving)
    return rows_by_layer


def _split_rows(
    problem: TrainingProblem, items: WeightedItems, node: KernelNode, rows: BoolArray
) -> tuple[BoolArray, BoolArray]:
    """Return the rows on the negative and on the positive side of a node."""
    feature, rank = node[:2]
    if feature < 0:
        return rows, np.zeros_like(rows)
    is_above = problem.data.X[:, items.features[feature]] > items.values[feature][rank]
    return rows & ~is_above, rows & is_above


def _decode_node(
    problem: TrainingProblem,
    items: WeightedItems,
    node: KernelNode,
    rows: BoolArray,
    next_layer: Sequence[_Node | int],
) -> _Node | int:
    flows = _split_rows(problem, items, node, rows)
    negative = next_layer[node[2]] if node[2] >= 0 else _cheapest_class(problem, flows[0])
    if node[0] < 0:
        return negative if isinstance(negative, int) else _Node(ALL_POSITIVE, 0, negative)
    positive = next_layer[node[3]] if node[3] >= 0 else _cheapest_class(problem, flows[1])
    if isinstance(negative, int) and negative == positive:
        return negative
    feature = int(items.features[node[0]])
    column = problem.data.X[:, feature]
    threshold = threshold_between(column[flows[0]].max(), column[flows[1]].min())
    return _Node(UnivariateSplit(feature, threshold), negative, positive)


def _cheapest_class(problem: TrainingProblem, rows: BoolArray) -> int:
    return int(problem.cost[rows].sum(axis=0).argmin())


def _build_diagram(problem: TrainingProblem, root: _Node | int) -> DecisionDiagram:
    """Return the diagram below a root, with its nodes numbered layer by layer."""
    n_classes, n_features = problem.data.n_classes, problem.data.n_features
    if isinstance(root, int):
        return DecisionDiagram.constant(root, n_classes, n_features)
    layers = [[root]]
    while layers[-1]:
        children = [child for node in layers[-1] for child in (node.negative, node.positive)]
        layers.append(list({id(child): child for child in children if isinstance(child, _Node)}.values()))
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
