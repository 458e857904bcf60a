"""The observables: the flat 0/1 vector a diagram produces on the training data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import Walk
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.slot_diagram import slots_of


@dataclass(frozen=True)
class Layout:
    """Where each observable stands: assigned[i, c], reached[i, v], positive[i, v], used[v], parted.

    Rows i are distinct rows, c classes and v node slots of the skeleton. ``positive`` says that the row
    leaves the node on its positive side, so that ``reached - positive`` is its negative side. ``parted`` says
    that rows leave the root on both sides: a root that parts nothing is how the constant diagram is written.
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
        """Places of assigned[i, c], shape (n_rows, n_classes)."""
        return np.arange(self.n_rows * self.n_classes).reshape(self.n_rows, self.n_classes)

    @property
    def reached(self) -> IntArray:
        """Places of reached[i, v], shape (n_rows, n_slots)."""
        first = self.n_rows * self.n_classes
        return first + np.arange(self.n_rows * self.n_slots).reshape(self.n_rows, self.n_slots)

    @property
    def positive(self) -> IntArray:
        """Places of positive[i, v], shape (n_rows, n_slots)."""
        return self.reached + self.n_rows * self.n_slots

    @property
    def used(self) -> IntArray:
        """Places of used[v], shape (n_slots,)."""
        return np.arange(self.parted - self.n_slots, self.parted)

    @property
    def parted(self) -> int:
        """Place of parted."""
        return self.size - 1


def observe(layout: Layout, skeleton: Skeleton, diagram: DecisionDiagram, steps: Walk) -> FloatArray:
    """Return the observables of a diagram from the walk of the distinct rows, shape (layout.size,)."""
    vector = np.zeros(layout.size)
    slots = slots_of(diagram, skeleton)
    predicted = diagram.arc_class[steps.final_arc]
    vector[layout.assigned[np.arange(layout.n_rows), predicted]] = 1.0
    vector[layout.reached[:, slots]] = steps.reached
    vector[layout.positive[:, slots]] = steps.reached & steps.sides
    vector[layout.used[slots]] = 1.0
    # the root is in use even in the constant diagram: it is a root that sends everything one way
    vector[layout.reached[:, 0]] = 1.0
    vector[layout.used[0]] = 1.0
    if diagram.n_nodes == 0:
        vector[layout.positive[:, 0]] = 1.0
    above = vector[layout.positive[:, 0]]
    vector[layout.parted] = above.any() and not above.all()
    return vector
