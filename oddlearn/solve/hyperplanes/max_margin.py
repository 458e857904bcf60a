"""Hyperplanes of maximal margin by linear programming, and rows that no hyperplane separates.

The widest gap over all weights of absolute sum at most 1 equals the Chebyshev distance of the two convex
hulls. The program (``margin_program``) starts with a few rows and grows by those that its hyperplane
misplaces. No result relies on the solver: a hyperplane is checked on all rows, and a proof that no wide gap
exists is a pair of close points of the two hulls, computed from the multipliers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.margin_program import MaxMarginLP

FIRST_ROWS = 200


@dataclass(frozen=True)
class Hyperplane:
    """Weights with absolute sum 1, the threshold in the middle of the gap, and the gap."""

    weights: FloatArray
    threshold: float
    gap: float


@dataclass(frozen=True)
class MarginBound:
    """A hyperplane with the wanted gap, if one was found, and an upper bound on all gaps."""

    hyperplane: Hyperplane | None
    largest_gap: float
    conflict: IntArray | None = (
        None  # rows that no hyperplane with the wanted gap separates, if they are known
    )


def max_margin_hyperplane(X: FloatArray, positive: BoolArray, wanted: float, budget: Budget) -> MarginBound:
    """Find the hyperplane of maximal margin between the positive and the other rows of X (n, d).

    Stops when the gap is the widest, when all gaps are proved to be below ``wanted``, or when out of time.
    """
    program = MaxMarginLP(X, positive)
    rows = initial_rows(positive)
    best: Hyperplane | None = None
    conflict: IntArray | None = None
    largest = np.inf
    while rows.size and not budget.expired:
        program.add(rows)
        is_solved = program.solve(budget)
        if is_solved:
            largest = min(largest, program.hull_distance())
            conflict = program.conflict_set(wanted)
        if not program.has_solution or largest < wanted:
            break
        weights = program.weights()
        plane = _measure_gap(X, positive, weights)
        best = max((one for one in (best, plane) if one is not None), key=lambda one: one.gap, default=None)
        rows = program.misplaced_rows(weights) if is_solved else rows[:0]
    wide = best if best is not None and best.gap >= wanted else None
    return MarginBound(wide, float(largest), conflict)


def initial_rows(positive: BoolArray) -> IntArray:
    """Return the rows of both sides that a program starts with."""
    sides = (np.flatnonzero(positive), np.flatnonzero(~positive))
    return np.concatenate([_take_evenly(side, FIRST_ROWS) for side in sides])


def _take_evenly(values: IntArray, count: int) -> IntArray:
    """Return up to ``count`` of the values, evenly spaced."""
    places = np.linspace(0, values.size - 1, min(values.size, count)).astype(np.intp)
    return np.asarray(values[places])


def _measure_gap(X: FloatArray, positive: BoolArray, weights: FloatArray) -> Hyperplane | None:
    """Return the hyperplane with these weights in the middle of its gap; None without weights."""
    norm = float(np.abs(weights).sum())
    if norm == 0:
        return None
    weights = weights / norm
    key = X @ weights
    low, high = float(key[~positive].max()), float(key[positive].min())
    return Hyperplane(weights, (low + high) / 2, high - low)
