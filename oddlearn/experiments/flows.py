"""The samples that pass each node of a diagram, as a short text that a table can hold.

Nodes are separated by spaces, in the order of the diagram (the root first), and each is
``layer:negative:positive:samples``, where a child is the number of a node, or ``c`` and the number of a class
for a terminal. The constant classifier is the empty text.
"""

from __future__ import annotations

from dataclasses import dataclass

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram


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
    """Return the nodes that a text of ``flows_text`` names."""
    fields = (part.split(":") for part in text.split())
    return tuple(
        Flow(int(layer), negative, positive, int(samples)) for layer, negative, positive, samples in fields
    )


def _child(diagram: DecisionDiagram, target: int) -> str:
    return str(target) if target < diagram.n_nodes else f"c{target - diagram.n_nodes}"
