"""How much training weight took each arc of a diagram, as far as the notes tell."""

from __future__ import annotations

import math

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.diagram.trace import walk


def arc_totals(diagram: DecisionDiagram, notes: Notes, X: FloatArray | None = None) -> FloatArray:
    """Return the weight on each arc ``2 * node + side``, nan where it is not known, shape (n_arcs,).

    The notes hold the weight of final arcs. An arc to a node that no other arc leads to carries what leaves
    that node; for an arc to a shared node only the rows can tell, and only when they weigh 1 each.

    Parameters
    ----------
    diagram : DecisionDiagram
    notes : Notes
    X : (n, n_features) float, optional
        The training rows, in the diagram's units. Where counting them gives the weights of the notes, all
        arcs are known.
    """
    if X is not None and are_counts(diagram, notes, X):
        return arc_counts(diagram, X)
    total = np.where(diagram.arc_class >= 0, notes.arc_weights.sum(axis=1), math.nan)
    for node in reversed(range(1, diagram.n_nodes)):
        if diagram.in_degree[node] == 1:
            total[arcs_into(diagram, node)] = total[2 * node : 2 * node + 2].sum()
    return total


def are_counts(diagram: DecisionDiagram, notes: Notes, X: FloatArray) -> bool:
    """Return True when the weights in the notes are numbers of rows of X: no sample was weighted."""
    final = diagram.arc_class >= 0
    weights = notes.arc_weights.sum(axis=1)[final]
    return diagram.n_nodes > 0 and np.array_equal(arc_counts(diagram, X)[final], weights)


def arcs_into(diagram: DecisionDiagram, node: int) -> list[int]:
    """Return the arcs that lead to a node."""
    ends = np.column_stack([diagram.negative, diagram.positive]).ravel()
    return [int(arc) for arc in np.flatnonzero(ends == node)]


def weight_text(weight: float) -> str:
    """Return a weight as text: whole numbers without decimals."""
    return f"{weight:.0f}" if weight == round(weight) else f"{weight:.4g}"


def arc_counts(diagram: DecisionDiagram, X: FloatArray) -> FloatArray:
    """Return how many rows of X take each arc, shape (n_arcs,)."""
    steps = walk(diagram, X)
    positive = (steps.reached & steps.sides).sum(axis=0)
    negative = steps.reached.sum(axis=0) - positive
    return np.column_stack([negative, positive]).ravel().astype(np.float64)
