"""Hyperplanes of maximal margin by linear programming, and sets of rows that no hyperplane separates.

The widest gap over all weights of absolute sum at most 1 equals the Chebyshev distance of the two convex
hulls. The program (``margin_program``) starts with a few rows and grows by those that its hyperplane
misplaces. No result relies on the solver: a hyperplane is checked on all rows, and a proof that no wide gap
exists is a pair of close points of the two hulls, computed from the multipliers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
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


def max_margin_hyperplane(X: FloatArray, positive: BoolArray, wanted: float, budget: Budget) -> MarginBound:
    """Find the hyperplane of maximal margin between the positive and the other rows of X (n, d).

    Stops when the gap is the widest, when all gaps are proved to be below ``wanted``, or when out of time.
    """
    program = MaxMarginLP(X, positive)
    rows = initial_rows(positive)
    best: Hyperplane | None = None
    largest = np.inf
    while rows.size and not budget.expired:
        program.add(rows)
        is_solved = program.solve(budget)
        if is_solved:
            largest = min(largest, program.hull_distance())
        if not program.has_solution or largest < wanted:
            break
        weights = program.weights()
        plane = _measure_gap(X, positive, weights)
        best = max((one for one in (best, plane) if one is not None), key=lambda one: one.gap, default=None)
        rows = program.misplaced_rows(weights) if is_solved else rows[:0]
    return MarginBound(best if best is not None and best.gap >= wanted else None, float(largest))


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


@dataclass(frozen=True)
class ConflictSet:
    """Rows that no hyperplane with the margin has all on their own sides."""

    rows: IntArray


@dataclass(frozen=True)
class Direction:
    """Weights of a hyperplane that, within the solver's tolerance, has the rows on their sides."""

    weights: FloatArray


class SeparabilityOracle:
    """Rows with their wanted sides, and a linear program that is kept from query to query.

    A conflict set does not rely on the solver: two points, one in the hull of the rows of each side, are
    computed from its multipliers, and are closer together than the margin.
    """

    def __init__(self, X: FloatArray, positive: BoolArray, margin: float) -> None:
        self._program = MaxMarginLP(X, positive)
        self._initial_rows: IntArray | None = initial_rows(positive)
        # twice the tolerance: evaluate accepts a margin that is too small by one
        self._wanted = margin - 2 * MARGIN_TOLERANCE
        self.n_programs = 0

    def query(self, released: frozenset[int], budget: Budget) -> ConflictSet | Direction | None:
        """Separate all rows but those released; return None when out of time."""
        if self._initial_rows is not None:
            self._program.add(self._initial_rows)
            self._initial_rows = None
        self._program.release(released)
        while not budget.expired:
            self.n_programs += 1
            if not self._program.solve(budget):
                return None
            rows = self._program.conflict_set(self._wanted)
            if rows is not None:
                return ConflictSet(rows)
            weights = self._program.weights()
            misplaced = self._program.misplaced_rows(weights)
            if not misplaced.size:
                return Direction(weights)
            self._program.add(misplaced)
        return None
