"""Flows through a diagram: the weight of the samples of each class on each arc and at each node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.routing import weights_on_arcs
from oddlearn.view.number_text import count_text
from oddlearn.view.predictions import Predictions


@dataclass(frozen=True, eq=False)
class ArcFlows:
    """Weight on each arc and at each node, by class."""

    # (n_arcs, n_classes): weight per arc ``2 * node + side`` and class; a single column when the classes are
    # not known
    arcs: FloatArray
    nodes: FloatArray  # (n_nodes, n_classes): weight that passes each node
    has_classes: bool
    unit: str  # unit of the numbers, such as "training samples" or "weight"
    rows: str  # name of the samples, "training samples" or "samples", also where their weight is counted

    @property
    def prefix(self) -> str:
        """Text before a number: "weight " where it is not a number of samples."""
        return "weight " if self.unit.endswith("weight") else ""

    @property
    def total_text(self) -> str:
        """All samples, such as "200 training samples" or "training samples of weight 405"."""
        number = count_text(self.total)
        return f"{self.rows} of weight {number}" if self.prefix else f"{number} {self.rows}"

    @property
    def total(self) -> float:
        """Weight of all samples, 0 when nothing is known about them."""
        return float(self.nodes[0].sum() if len(self.nodes) else self.arcs[0].sum())

    def correct(self, diagram: DecisionDiagram) -> float:
        """Return the weight of the samples that final arcs give their class."""
        return sum(float(self.arcs[arc, diagram.arc_class[arc]]) for arc in diagram.final_arcs)

    def arc_weight(self, arc: int) -> float:
        """Return the weight on an arc."""
        return float(self.arcs[arc].sum())

    def node_weight(self, node: int) -> float:
        """Return the weight that passes a node."""
        return float(self.nodes[node].sum())

    def class_shares(self, node: int) -> tuple[float, ...]:
        """Return the share of each class at a node; empty when it is not known or no sample passes."""
        weights = self.nodes[node]
        total = float(weights.sum())
        if not self.has_classes or not total > 0:
            return ()
        return tuple(float(weight) / total for weight in weights)


def training_flows(diagram: DecisionDiagram, metadata: ModelMetadata) -> ArcFlows:
    """Return the flows of the training samples, as the metadata records them."""
    unit = "training weight" if metadata.is_weighted else "training samples"
    return _build_flows(diagram, metadata.arc_counts, True, unit, "training samples")


def sample_flows(diagram: DecisionDiagram, metadata: ModelMetadata, samples: Predictions) -> ArcFlows:
    """Return the flows of given samples, and whether they are those of training."""
    arcs = count_on_arcs(diagram, samples.X, samples.codes, samples.weights)
    final = list(diagram.final_arcs)
    is_training = samples.codes is not None and _agree(arcs[final], metadata, final)
    rows = "training samples" if is_training else "samples"
    unit = rows if samples.weights is None else rows.replace("samples", "weight")
    return _build_flows(diagram, arcs, samples.codes is not None, unit, rows)


def _agree(arcs: FloatArray, metadata: ModelMetadata, final: list[int]) -> bool:
    """Return True if numbers or weights on the final arcs are those of training; class weights count not."""
    # weights are added up in another order than in training
    return bool(np.allclose(arcs, metadata.arc_counts[final]))


def predicted_flows(diagram: DecisionDiagram, X: NDArray[np.floating]) -> ArcFlows:
    """Return the flows of the rows of X, with the classes that the diagram predicts."""
    return _build_flows(diagram, count_on_arcs(diagram, X, diagram.predict(X)), True, "samples", "samples")


def count_on_arcs(
    diagram: DecisionDiagram,
    X: NDArray[np.floating],
    codes: IntArray | None,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Return the number or weight of the rows of X on each arc, per class or in one column without codes."""
    one_hot = np.ones((len(X), 1)) if codes is None else np.eye(diagram.n_classes)[codes]
    return weights_on_arcs(diagram, X, one_hot if weights is None else one_hot * weights[:, None])


def _build_flows(
    diagram: DecisionDiagram, arcs: FloatArray, has_classes: bool, unit: str, rows: str
) -> ArcFlows:
    nodes = arcs[0::2] + arcs[1::2] if diagram.n_nodes else arcs[:0]
    return ArcFlows(read_only_floats(arcs), read_only_floats(nodes), has_classes, unit, rows)
