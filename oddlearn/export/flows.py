"""How much training weight took each arc and passed each node, and of which classes it was."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.diagram.trace import walk, weights_on_arcs

# inflow and outflow of a node may differ by this share: sums of weights that are not whole numbers
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Flows:
    """Training weight in a diagram, nan where it is not known.

    Attributes
    ----------
    on_arc : (n_arcs,) float
        Weight on each arc ``2 * node + side``.
    at_node : (n_nodes,) float
        Weight that passes each node.
    mix : (n_nodes, n_classes) float
        The same by class.
    total : float
        Of all samples; 0 when nothing is known.
    """

    on_arc: FloatArray
    at_node: FloatArray
    mix: FloatArray
    total: float

    @property
    def unit(self) -> str:
        """What the numbers count: samples, or weight when they are not whole."""
        known = self.on_arc[~np.isnan(self.on_arc)]
        return "samples" if np.array_equal(known, np.round(known)) else "weight"

    def share(self, weight: float) -> float:
        """Return a weight as a share of the total, nan when one of them is not known."""
        return weight / self.total if self.total > 0 else math.nan


def flows_of(diagram: DecisionDiagram, notes: Notes, X: NDArray[np.floating] | None = None) -> Flows:
    """Return the flows a diagram's notes tell of.

    Notes of older models, and some made by hand, know the final arcs only. An arc to a node that no other
    arc leads to then carries what leaves that node; for arcs to shared nodes only the rows can tell, and only
    when they weigh 1 each.

    Parameters
    ----------
    diagram : DecisionDiagram
    notes : Notes
    X : (n, n_features) float, optional
        The training rows, in the diagram's units.
    """
    weights = known_weights(diagram, notes)
    on_arc = weights.sum(axis=1)
    if X is not None and np.isnan(on_arc).any() and _are_counts(diagram, notes, X):
        on_arc = _counts(diagram, X)
    total = float(notes.arc_weights[diagram.arc_class >= 0].sum())
    if diagram.n_nodes == 0:
        return Flows(on_arc, np.empty(0), np.empty((0, diagram.n_classes)), total)
    mix = weights[0::2] + weights[1::2]
    mix[0] = notes.arc_weights[diagram.arc_class >= 0].sum(axis=0)
    return Flows(on_arc, on_arc[0::2] + on_arc[1::2], mix, total)


def flows_of_rows(diagram: DecisionDiagram, X: NDArray[np.floating]) -> Flows:
    """Return how many rows of X take each arc; their classes are those the diagram predicts."""
    weights = weights_on_arcs(diagram, X, np.eye(diagram.n_classes)[diagram.predict(X)])
    return flows_of(diagram, Notes(None, tuple(range(diagram.n_classes)), weights))


def weight_text(weight: float) -> str:
    """Return a weight as text: whole numbers without decimals."""
    return f"{weight:.0f}" if weight == round(weight) else f"{weight:.4g}"


def share_text(share: float) -> str:
    """Return a share in percent: whole ones, but never 0 for something or 100 for less than everything."""
    percent = 100 * share
    if 0 < percent < 1 or 99 < percent < 100:
        return f"{'<1' if percent < 1 else '>99'} %"
    return f"{percent:.0f} %"


def known_weights(diagram: DecisionDiagram, notes: Notes) -> FloatArray:
    """Return the weight of each class on each arc, nan on arcs the notes do not tell of."""
    weights = np.array(notes.arc_weights)
    into = [_arcs_into(diagram, node) for node in range(diagram.n_nodes)]
    if all(_is_kept(weights, node, into[node]) for node in range(1, diagram.n_nodes)):
        return weights
    weights[diagram.arc_class < 0] = math.nan
    for node in reversed(range(1, diagram.n_nodes)):
        if diagram.in_degree[node] == 1:
            weights[into[node]] = weights[2 * node] + weights[2 * node + 1]
    return weights


def _is_kept(weights: FloatArray, node: int, into: BoolArray) -> bool:
    """Return True when what the notes send into a node is what they send out of it."""
    leaving = weights[2 * node] + weights[2 * node + 1]
    return bool(np.allclose(weights[into].sum(axis=0), leaving, rtol=ROUNDING, atol=0.0))


def _arcs_into(diagram: DecisionDiagram, node: int) -> BoolArray:
    return np.asarray(np.column_stack([diagram.negative, diagram.positive]).ravel() == node)


def _are_counts(diagram: DecisionDiagram, notes: Notes, X: NDArray[np.floating]) -> bool:
    """Return True when the weights in the notes are numbers of rows of X: no sample was weighted."""
    final = diagram.arc_class >= 0
    return np.array_equal(_counts(diagram, X)[final], notes.arc_weights.sum(axis=1)[final])


def _counts(diagram: DecisionDiagram, X: NDArray[np.floating]) -> FloatArray:
    steps = walk(diagram, X)
    positive = (steps.reached & steps.sides).sum(axis=0)
    negative = steps.reached.sum(axis=0) - positive
    return np.column_stack([negative, positive]).ravel().astype(np.float64)
