"""The nodes of a diagram with their numbers of samples, as a short text for one column of a table.

Nodes are separated by spaces, in the order of the diagram (root first). Each is written as
``layer:negative:positive:samples``, where a child is the number of a node, or ``c`` and the number of a class
for a terminal. A constant classifier is the empty text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import gt

from oddlearn.diagram.arrays import FloatArray, read_only_integers
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit

CACHE_SIZE = 2**15  # parsed texts to keep: a study has about 10,000 different ones in 30,000 rows

NODE = re.compile(r"(\d+):(c?\d+):(c?\d+):(\d+)", re.ASCII)
TEXT = re.compile(rf"{NODE.pattern}(?: {NODE.pattern})*", re.ASCII)


@dataclass(frozen=True)
class NodeFlow:
    """A node, its two children, and the number of training samples that reach it."""

    layer: int
    negative: str  # number of the child node, or "c" and the number of a class
    positive: str
    samples: int

    def __str__(self) -> str:
        return f"{self.layer}:{self.negative}:{self.positive}:{self.samples}"


def format_flows(diagram: DecisionDiagram, X: FloatArray) -> str:
    """Return the flows of the rows of X, shape (n, n_features), through a diagram."""
    samples = diagram.route(X).reached.sum(axis=0)
    flows = (
        NodeFlow(
            int(diagram.layer[node]),
            _child_text(diagram, int(diagram.negative[node])),
            _child_text(diagram, int(diagram.positive[node])),
            int(samples[node]),
        )
        for node in range(diagram.n_nodes)
    )
    return " ".join(map(str, flows))


def parse_flows(text: str) -> tuple[NodeFlow, ...]:
    """Return the nodes in a text of ``format_flows``; raise like ``parse_shape``."""
    parse_shape(text)
    return tuple(
        NodeFlow(int(layer), negative, positive, int(samples))
        for layer, negative, positive, samples in _match_nodes(text)
    )


def build_diagram(flows: Sequence[NodeFlow], n_classes: int) -> DecisionDiagram:
    """Return the diagram of one or more nodes, with placeholder splits: the text does not record them."""

    def target(child: str) -> int:
        return len(flows) + int(child[1:]) if child[0] == "c" else int(child)

    return DecisionDiagram(
        splits=(UnivariateSplit(0, 0.0),) * len(flows),
        negative=read_only_integers([target(flow.negative) for flow in flows]),
        positive=read_only_integers([target(flow.positive) for flow in flows]),
        layer=read_only_integers([flow.layer for flow in flows]),
        n_classes=n_classes,
        n_features=1,
    )


@dataclass(frozen=True)
class DiagramShape:
    """The shape of a diagram, as its flows tell it."""

    widths: tuple[int, ...]  # number of nodes in each layer
    is_tree: bool  # no node has two incoming arcs
    n_classes: int  # one more than the largest class number; 0 without nodes

    @property
    def n_nodes(self) -> int:
        """Number of nodes in all layers."""
        return sum(self.widths)

    def check(self, skeleton: Skeleton, is_tree: bool, n_classes: int) -> None:
        """Raise ValueError if the diagram does not fit the skeleton, the model or the classes of a trial."""
        too_wide = any(map(gt, self.widths, skeleton.widths))
        if too_wide or len(self.widths) > skeleton.depth:
            raise ValueError(f"flows does not fit the skeleton {skeleton}")
        if is_tree and not self.is_tree:
            raise ValueError("flows has two arcs to one node, and the trial is about trees")
        if self.n_classes > n_classes:
            raise ValueError(f"flows has a class {self.n_classes - 1}, and the data have {n_classes} classes")


@lru_cache(maxsize=CACHE_SIZE)
def parse_shape(text: str) -> DiagramShape:
    """Return the shape of the diagram in a text of ``format_flows``.

    Raises ValueError if the text has another form, or if its nodes and arcs are not those of a diagram.
    """
    nodes = _match_nodes(text)
    if not nodes:
        return DiagramShape((), True, 0)
    layers = [int(node[0]) for node in nodes]
    _check_nodes(layers, [int(node[3]) for node in nodes])
    children = [child for node in nodes for child in node[1:3]]
    targets = _check_arcs(layers, children)
    widths = tuple(layers.count(layer) for layer in range(layers[-1] + 1))
    codes = [int(child[1:]) for child in children if child[0] == "c"]
    return DiagramShape(widths, len(set(targets)) == len(targets), 1 + max(codes))


def _match_nodes(text: str) -> list[tuple[str, str, str, str]]:
    if text and TEXT.fullmatch(text) is None:
        raise ValueError(f"flows is {text[:40]!r}, and not nodes such as 0:1:c0:80 with spaces between")
    return NODE.findall(text)


def _check_nodes(layers: list[int], samples: list[int]) -> None:
    """Raise unless the nodes are in order of layers and the only root has the most samples."""
    if layers != sorted(layers) or layers[0] != 0 or layers.count(0) > 1:
        raise ValueError("flows does not list its nodes layer by layer, from one root in layer 0")
    if max(samples) > samples[0] or samples[0] == 0:
        raise ValueError(f"flows has {max(samples)} samples in a node, of {samples[0]} in all")


def _check_arcs(layers: list[int], children: list[str]) -> list[int]:
    """Return the end nodes of the arcs; raise unless each node but the root has a parent one layer above."""
    targets = []
    for number, child in enumerate(children):
        node = number // 2
        if child == children[number - 1] and number % 2:
            raise ValueError(f"flows has both arcs of node {node} lead to {child}")
        if child[0] != "c":
            target = int(child)
            if target >= len(layers) or layers[target] != layers[node] + 1:
                raise ValueError(f"flows has an arc from node {node} to {target}, which is no node below it")
            targets.append(target)
    unreached = set(range(1, len(layers))).difference(targets)
    if unreached:
        raise ValueError(f"flows has no arc to node {min(unreached)}")
    return targets


def _child_text(diagram: DecisionDiagram, target: int) -> str:
    return str(target) if target < diagram.n_nodes else f"c{target - diagram.n_nodes}"
