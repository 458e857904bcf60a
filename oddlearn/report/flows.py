"""How samples spread over the arcs of a diagram, class by class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.diagram.trace import weights_on_arcs
from oddlearn.export.flows import known_weights
from oddlearn.report.samples import Samples


@dataclass(frozen=True, eq=False)
class Flows:
    """What flows through each arc, in strands.

    Attributes
    ----------
    arcs : (n_arcs, n_strands) float
        One strand per class, or a single one when the classes of the samples are not known; nan where the
        notes do not tell.
    nodes : (n_nodes, n_strands) float
    has_classes : bool
    unit : str
        What is counted, such as "training samples".
    rows : str
        What the samples are, "training samples" or "samples", also where their weight is counted.
    """

    arcs: FloatArray
    nodes: FloatArray
    has_classes: bool
    unit: str
    rows: str

    @property
    def total(self) -> float:
        """All that enters the diagram."""
        return float(self.nodes[0].sum() if len(self.nodes) else self.arcs[0].sum())


def flows_of(diagram: DecisionDiagram, notes: Notes, samples: Samples | None) -> Flows:
    """Return the flows of the given samples, without them those of training as far as the notes tell."""
    if samples is None:
        counted = bool((notes.arc_weights == np.round(notes.arc_weights)).all())
        unit = "training samples" if counted else "training weight"
        return _flows(diagram, known_weights(diagram, notes), True, (unit, "training samples"))
    arcs = counted_arcs(diagram, samples.X, samples.codes, samples.weights)
    final = diagram.arc_class >= 0
    # weights are added up in another order than in training
    equal = np.array_equal if samples.weights is None else np.allclose
    is_training = samples.codes is not None and equal(arcs[final], notes.arc_weights[final])
    rows = "training samples" if is_training else "samples"
    unit = rows if samples.weights is None else rows.replace("samples", "weight")
    return _flows(diagram, arcs, samples.codes is not None, (unit, rows))


def _flows(diagram: DecisionDiagram, arcs: FloatArray, has_classes: bool, words: tuple[str, str]) -> Flows:
    nodes = arcs[0::2] + arcs[1::2] if diagram.n_nodes else arcs[:0]
    nodes[:1] = arcs[diagram.arc_class >= 0].sum(axis=0)  # all that arrives has passed the root
    return Flows(read_only_floats(arcs), read_only_floats(nodes), has_classes, *words)


def counted_arcs(
    diagram: DecisionDiagram, X: FloatArray, codes: IntArray | None, weights: FloatArray | None = None
) -> FloatArray:
    """Return how many rows of X, or what weight, take each arc, per class or in one column without codes."""
    one_hot = np.ones((len(X), 1)) if codes is None else np.eye(diagram.n_classes)[codes]
    return weights_on_arcs(diagram, X, one_hot if weights is None else one_hot * weights[:, None])
