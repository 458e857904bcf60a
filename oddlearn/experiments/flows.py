"""The samples that pass each node of a diagram, as a short text that a table can hold.

Nodes are separated by spaces, in the order of the diagram (the root first), and each is
``layer:negative:positive:samples``, where a child is the number of a node, or ``c`` and the number of a class
for a terminal. The constant classifier is the empty text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from operator import gt

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton

# so many texts are kept as they were read: a study has some 10,000 different ones in 30,000 rows
KEPT = 2**15

NODE = re.compile(r"(\d+):(c?\d+):(c?\d+):(\d+)", re.ASCII)
TEXT = re.compile(rf"{NODE.pattern}(?: {NODE.pattern})*", re.ASCII)


@dataclass(frozen=True)
class Flow:
    """A node, where its two sides lead, and how many training samples pass it.

    Attributes
    ----------
    layer : int
    negative, positive : str
        Number of the child, or "c" and the number of a class.
    samples : int
    """

    layer: int
    negative: str
    positive: str
    samples: int

    def __str__(self) -> str:
        return f"{self.layer}:{self.negative}:{self.positive}:{self.samples}"


def flows_text(diagram: DecisionDiagram, X: FloatArray) -> str:
    """Return the flows of the rows of X, shape (n, n_features), through a diagram."""
    passed = diagram.route(X).reached.sum(axis=0)
    nodes = range(diagram.n_nodes)
    return " ".join(
        str(
            Flow(
                int(diagram.layer[node]),
                _child(diagram, int(diagram.negative[node])),
                _child(diagram, int(diagram.positive[node])),
                int(passed[node]),
            )
        )
        for node in nodes
    )


def read_flows(text: str) -> tuple[Flow, ...]:
    """Return the nodes that a text of ``flows_text`` names; ``shape_of`` tells what is wrong with another."""
    shape_of(text)
    return tuple(
        Flow(int(layer), negative, positive, int(samples))
        for layer, negative, positive, samples in _parts(text)
    )


@dataclass(frozen=True)
class Shape:
    """What flows say of their diagram.

    Attributes
    ----------
    widths : tuple of int
        Nodes in each layer.
    is_tree : bool
        No node has two arcs that lead to it.
    n_classes : int
        One more than the highest number of a class; 0 without nodes.
    """

    widths: tuple[int, ...]
    is_tree: bool
    n_classes: int

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return sum(self.widths)

    def check(self, skeleton: Skeleton, is_tree: bool, n_classes: int) -> None:
        """Raise ValueError unless such a diagram can be trained for the skeleton and the classes."""
        too_wide = any(map(gt, self.widths, skeleton.widths))
        if too_wide or len(self.widths) > skeleton.depth:
            raise ValueError(f"flows does not fit the skeleton {skeleton}")
        if is_tree and not self.is_tree:
            raise ValueError("flows has two arcs to one node, and the trial is about trees")
        if self.n_classes > n_classes:
            raise ValueError(f"flows has a class {self.n_classes - 1}, and the data have {n_classes} classes")


@lru_cache(maxsize=KEPT)
def shape_of(text: str) -> Shape:
    """Return the shape of the diagram that a text of ``flows_text`` names.

    Raises
    ------
    ValueError
        When the text is not of this form, or when its nodes and arcs make no diagram.
    """
    parts = _parts(text)
    if not parts:
        return Shape((), True, 0)
    layers = [int(part[0]) for part in parts]
    _check_nodes(layers, [int(part[3]) for part in parts])
    children = [child for part in parts for child in part[1:3]]
    targets = _targets(layers, children)
    widths = tuple(layers.count(layer) for layer in range(layers[-1] + 1))
    codes = [int(child[1:]) for child in children if child[0] == "c"]
    return Shape(widths, len(set(targets)) == len(targets), 1 + max(codes))


def _parts(text: str) -> list[tuple[str, str, str, str]]:
    if text and TEXT.fullmatch(text) is None:
        raise ValueError(f"flows is {text[:40]!r}, and not nodes such as 0:1:c0:80 with spaces between")
    return NODE.findall(text)


def _check_nodes(layers: list[int], samples: list[int]) -> None:
    """Refuse nodes that are not in order, from one root that has most samples."""
    if layers != sorted(layers) or layers[0] != 0 or layers.count(0) > 1:
        raise ValueError("flows does not list its nodes layer by layer, from one root in layer 0")
    if max(samples) > samples[0] or samples[0] == 0:
        raise ValueError(f"flows has {max(samples)} samples in a node, of {samples[0]} in all")


def _targets(layers: list[int], children: list[str]) -> list[int]:
    """Return the nodes that arcs lead to; every one but the root must be, from the layer above it."""
    targets = []
    for place, child in enumerate(children):
        if child == children[place - 1] and place % 2:
            raise ValueError(f"flows has both arcs of node {place // 2} lead to {child}")
        if child[0] != "c":
            target = int(child)
            if target >= len(layers) or layers[target] != layers[place // 2] + 1:
                raise ValueError(
                    f"flows has an arc from node {place // 2} to {target}, which is no node below it"
                )
            targets.append(target)
    orphans = set(range(1, len(layers))).difference(targets)
    if orphans:
        raise ValueError(f"flows has no arc to node {min(orphans)}")
    return targets


def _child(diagram: DecisionDiagram, target: int) -> str:
    return str(target) if target < diagram.n_nodes else f"c{target - diagram.n_nodes}"
