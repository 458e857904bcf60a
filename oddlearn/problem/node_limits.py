"""Limits on numbers of nodes among the constraint rows: recognised, so that engines can build them in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.problem.certificate import VIOLATION_TOLERANCE
from oddlearn.problem.problem import TrainingProblem


@dataclass(frozen=True, eq=False)
class NodeLimits:
    """The rows that limit numbers of nodes.

    Attributes
    ----------
    numbers : sequence of int
        Which rows of the problem they are.
    cap : (n_limits, n_layers) float
        What a node of each layer counts.
    room : (n_limits,) float
    """

    numbers: Sequence[int]
    cap: FloatArray
    room: FloatArray

    @classmethod
    def of(cls, problem: TrainingProblem) -> NodeLimits:
        """Return the hard rows that bound sums of used nodes from above, alike for all slots of a layer."""
        rows, layout = problem.rows, problem.layout
        first_of_layer = problem.skeleton.first[:-1]
        numbers, caps = [], []
        for number in np.flatnonzero(~rows.is_soft & (rows.lower <= 0) & np.isfinite(rows.upper)):
            places = rows.places(int(number))
            if places.size and not (layout.used[0] <= places.min() and places.max() <= layout.used[-1]):
                continue
            counted = np.zeros(layout.n_slots)
            counted[places - layout.used[0]] = rows.coefficients(int(number))
            by_layer = counted[first_of_layer]
            if (counted >= 0).all() and (counted == by_layer[problem.skeleton.layer_of]).all():
                numbers.append(int(number))
                caps.append(by_layer)
        return cls(numbers, np.array(caps).reshape(len(caps), first_of_layer.size), rows.upper[numbers])

    def allow(self, counts: Sequence[int]) -> bool:
        """Return whether a diagram with so many nodes in its layers, from the root down, is within them."""
        return bool((self.cap[:, : len(counts)] @ np.array(counts) <= self.room + VIOLATION_TOLERANCE).all())
