"""The observables: the flat 0/1 vector a diagram produces on the training data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import RoutingTrace
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.slot_diagram import assign_slots


@dataclass(frozen=True)
class ObservableLayout:
    """Indices of the observables: assigned[i, c], reached[i, v], positive[i, v], used[v], root_splits.

    Rows i are distinct rows, c classes and v node slots of the skeleton. ``positive`` is 1 if
    the row leaves the node on its positive side, so that ``reached - positive`` is its negative side.
    ``root_splits`` is 1 if rows leave the root on both sides: in the constant diagram the root is used and
    sends all rows to one side.
    """

    n_rows: int
    n_classes: int
    skeleton: Skeleton

    @property
    def n_slots(self) -> int:
        """Number of node slots."""
        return self.skeleton.n_nodes

    @property
    def size(self) -> int:
        """Length of the vector."""
        return self.n_rows * (self.n_classes + 2 * self.n_slots) + self.n_slots + 1

    @property
    def assigned(self) -> IntArray:
        """Indices of assigned[i, c], shape (n_rows, n_classes)."""
        return np.arange(self.n_rows * self.n_classes).reshape(self.n_rows, self.n_classes)

    @property
    def reached(self) -> IntArray:
        """Indices of reached[i, v], shape (n_rows, n_slots)."""
        first = self.n_rows * self.n_classes
        return first + np.arange(self.n_rows * self.n_slots).reshape(self.n_rows, self.n_slots)

    @property
    def positive(self) -> IntArray:
        """Indices of positive[i, v], shape (n_rows, n_slots)."""
        return self.reached + self.n_rows * self.n_slots

    @property
    def used(self) -> IntArray:
        """Indices of used[v], shape (n_slots,)."""
        return np.arange(self.root_splits - self.n_slots, self.root_splits)

    @property
    def root_splits(self) -> int:
        """Index of root_splits."""
        return self.size - 1


def compute_observables(
    layout: ObservableLayout, skeleton: Skeleton, diagram: DecisionDiagram, trace: RoutingTrace
) -> FloatArray:
    """Return the observables of a diagram from the trace of the distinct rows, shape (layout.size,)."""
    vector = np.zeros(layout.size)
    slots = assign_slots(diagram, skeleton)
    predicted = diagram.arc_class[trace.final_arc]
    vector[layout.assigned[np.arange(layout.n_rows), predicted]] = 1.0
    vector[layout.reached[:, slots]] = trace.reached
    vector[layout.positive[:, slots]] = trace.reached & trace.sides
    vector[layout.used[slots]] = 1.0
    # the root is used in the constant diagram too, and sends all rows to one side
    vector[layout.reached[:, 0]] = 1.0
    vector[layout.used[0]] = 1.0
    if diagram.n_nodes == 0:
        vector[layout.positive[:, 0]] = 1.0
    above = vector[layout.positive[:, 0]]
    vector[layout.root_splits] = above.any() and not above.all()
    return vector
