"""Structure of the constraint rows: limits on numbers of nodes, symmetry of slots and of sides.

Ordering the nodes of a layer keeps an optimal diagram only if exchanging two of its slots maps the rows to
themselves. The paper's constraints do so; one written by a user may not. The same holds for the two sides of
a node: exact solvers may reverse a hyperplane, and send all rows to either side of a node that splits none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.tolerances import VIOLATION_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem

SIDES_DIFFER = (
    "A constraint tells the positive side of a node from its negative side, which this solver may "
    "exchange: write it for both sides alike."
)


@dataclass(frozen=True, eq=False)
class NodeLimits:
    """The rows that limit numbers of nodes."""

    numbers: Sequence[int]  # which rows of the problem they are
    coefficients: FloatArray  # (n_limits, n_layers): what a node of each layer counts
    limits: FloatArray  # (n_limits,)

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> NodeLimits:
        """Return the hard rows that bound sums of used nodes from above, alike for all slots of a layer."""
        rows, layout = problem.rows, problem.layout
        first_of_layer = problem.skeleton.first[:-1]
        numbers, caps = [], []
        for number in np.flatnonzero(~rows.is_soft & (rows.lower <= 0) & np.isfinite(rows.upper)):
            places = rows.columns_of(int(number))
            if places.size and not (layout.used[0] <= places.min() and places.max() <= layout.used[-1]):
                continue
            by_slot = np.zeros(layout.n_slots)
            by_slot[places - layout.used[0]] = rows.coefficients(int(number))
            by_layer = by_slot[first_of_layer]
            if (by_slot >= 0).all() and (by_slot == by_layer[problem.skeleton.layer_of]).all():
                numbers.append(int(number))
                caps.append(by_layer)
        return cls(numbers, np.array(caps).reshape(len(caps), first_of_layer.size), rows.upper[numbers])

    def allows(self, counts: Sequence[int]) -> bool:
        """Return whether a diagram with so many nodes in its layers, from the root down, is within them."""
        totals = self.coefficients[:, : len(counts)] @ np.array(counts)
        return bool((totals <= self.limits + VIOLATION_TOLERANCE).all())


def slots_are_symmetric(problem: TrainingProblem) -> bool:
    """Return whether every exchange of slots within a layer maps the constraint rows to themselves."""
    rows, layout = problem.rows, problem.layout
    # observables of slots come after those of classes
    if not (rows.matrix.indices >= layout.n_rows * layout.n_classes).any():
        return True
    layers = problem.skeleton.layer_of
    neighbours = np.flatnonzero(layers[:-1] == layers[1:])
    original = _count_rows(rows, np.arange(layout.size))
    return all(_count_rows(rows, _exchange_slots(layout, int(slot))) == original for slot in neighbours)


def sides_are_symmetric(problem: TrainingProblem) -> bool:
    """Return whether exchanging the sides of any node maps the constraint rows to themselves."""
    rows, layout = problem.rows, problem.layout
    positive = layout.positive
    if not ((rows.matrix.indices >= positive[0, 0]) & (rows.matrix.indices <= positive[-1, -1])).any():
        return True
    same = np.arange(layout.size)
    original = _count_rows(rows, same)
    exchanged = (_exchange_sides(rows, layout, slot) for slot in range(layout.n_slots))
    return all(_count_rows(each, same) == original for each in exchanged)


def _exchange_sides(rows: LinearRows, layout: ObservableLayout, slot: int) -> LinearRows:
    """Return the rows after the sides of a slot have changed places: positive becomes reached - positive."""
    reached, positive = layout.reached[:, slot], layout.positive[:, slot]
    same = np.arange(layout.size)
    entries = np.ones(layout.size + positive.size)
    entries[positive] = -1.0
    places = (np.concatenate([same, positive]), np.concatenate([same, reached]))
    change = csr_array((entries, places), shape=(layout.size, layout.size))
    return replace(rows, matrix=rows.matrix @ change)


def _exchange_slots(layout: ObservableLayout, slot: int) -> IntArray:
    """Return the places of all observables after a slot and the next have changed places."""
    places = np.arange(layout.size)
    for kind in (layout.reached, layout.positive, layout.used[None]):
        places[kind[:, [slot, slot + 1]]] = kind[:, [slot + 1, slot]]
    return places


def _count_rows(rows: LinearRows, places: IntArray) -> Counter[tuple[Any, ...]]:
    """Return the rows as a multiset, with the observables moved to the given places."""
    matrix = rows.matrix.copy()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    counts: Counter[tuple[Any, ...]] = Counter()
    for row in range(len(rows)):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        moved, values = places[matrix.indices[entries]], matrix.data[entries]
        order = np.argsort(moved)
        limits = (float(rows.lower[row]), float(rows.upper[row]), float(rows.penalty[row]))
        counts[(moved[order].tobytes(), values[order].tobytes(), limits)] += 1
    return counts
