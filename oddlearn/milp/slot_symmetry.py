"""Whether a problem's constraints tell the slots of a layer apart.

Ordering the nodes of a layer keeps an optimal diagram only if exchanging two of its slots turns the
constraints into themselves. The constraints of the paper do so; one written by a user may not.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.problem.observables import Layout
from oddlearn.problem.problem import TrainingProblem
from oddlearn.problem.rows import LinearRows


def slots_are_alike(problem: TrainingProblem) -> bool:
    """Return whether every exchange of slots within a layer turns the constraint rows into themselves."""
    rows, layout = problem.rows, problem.layout
    # observables of slots come after those of classes
    if not (rows.matrix.indices >= layout.n_rows * layout.n_classes).any():
        return True
    layers = problem.skeleton.layer_of
    neighbours = np.flatnonzero(layers[:-1] == layers[1:])
    same = np.arange(layout.size)
    known = _content(rows, same)
    return all(_content(rows, _exchange(layout, int(slot))) == known for slot in neighbours)


def _exchange(layout: Layout, slot: int) -> IntArray:
    """Return the places of all observables after a slot and the next have changed places."""
    places = np.arange(layout.size)
    for kind in (layout.reached, layout.used[None]):
        places[kind[:, [slot, slot + 1]]] = kind[:, [slot + 1, slot]]
    return places


def _content(rows: LinearRows, places: IntArray) -> Counter[tuple[Any, ...]]:
    """Return the rows as a bag, with the observables moved to the given places."""
    matrix = rows.matrix
    bag: Counter[tuple[Any, ...]] = Counter()
    for row in range(len(rows)):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        moved, values = places[matrix.indices[entries]], matrix.data[entries]
        order = np.argsort(moved)
        limits = (float(rows.lower[row]), float(rows.upper[row]))
        bag[(moved[order].tobytes(), values[order].tobytes(), limits)] += 1
    return bag
