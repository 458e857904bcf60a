"""Hyperplanes of maximal margin by linear programming, and sets of rows that no hyperplane separates.

The widest gap over all weights of absolute sum at most 1 equals the Chebyshev distance of the two convex
hulls. The program starts with a few rows and grows by those that its hyperplane misplaces. No result relies
on the solver: a hyperplane is checked on all rows, and a proof that no wide gap exists is a pair of close
points of the two hulls, computed from the multipliers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.solve.budget import Budget

FIRST_ROWS = 200
ROWS_PER_ROUND = 400

# usual time of a program: a constant, and for each pivot and each of its rows and columns
SECONDS_PER_PROGRAM = 5e-4
SECONDS_PER_PIVOT = 3e-7

# rows less than this on the wrong side are within the tolerance of the solver
SIDE_TOLERANCE = 1e-9

MIN_MULTIPLIER_SHARE = 1e-7  # a multiplier below this share of the largest is rounding


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
        if not program.solve(budget):
            break
        largest = min(largest, program.hull_distance())
        if largest < wanted:
            break
        weights = program.weights()
        plane = _measure_gap(X, positive, weights)
        best = max((one for one in (best, plane) if one is not None), key=lambda one: one.gap, default=None)
        rows = program.misplaced_rows(weights)
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


class MaxMarginLP:
    """Maximise high - low with a.x >= high on positive rows, a.x <= low on the others, |a|_1 <= 1.

    Columns: the positive parts of a, the negative parts of a, low, high.
    """

    def __init__(self, X: FloatArray, positive: BoolArray) -> None:
        import highspy  # loaded here: importing oddlearn must not load a solver

        self._X, self._sign = X, np.where(positive, 1.0, -1.0)
        self._rows: list[int] = []
        self._place: dict[int, int] = {}
        self._released: frozenset[int] = frozenset()
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._solver = self._create_program(highspy)

    def _create_program(self, highspy: Any) -> Any:  # noqa: ANN401
        d = self._X.shape[1]
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        limit = 1.0 + float(np.abs(self._X).max(initial=1.0))
        lower = np.concatenate([np.zeros(2 * d), [-limit, -limit]])
        upper = np.concatenate([np.ones(2 * d), [limit, limit]])
        solver.addVars(2 * d + 2, lower, upper)
        ends = np.array([2 * d, 2 * d + 1], dtype=np.int32)
        solver.changeColsCost(2, ends, np.array([1.0, -1.0]))
        solver.addRow(-np.inf, 1.0, 2 * d, np.arange(2 * d, dtype=np.int32), np.ones(2 * d))
        return solver

    def add(self, rows: IntArray) -> None:
        """Add the constraints that these rows lie on their sides."""
        d = self._X.shape[1]
        sign = self._sign[rows, None]
        signed = sign * self._X[rows]
        end = np.where(sign > 0, 2 * d + 1, 2 * d)
        columns = np.hstack([np.tile(np.arange(2 * d), (rows.size, 1)), end]).astype(np.int32)
        values = np.hstack([signed, -signed, -sign])
        starts = np.arange(rows.size, dtype=np.int32) * (2 * d + 1)
        limits = (np.zeros(rows.size), np.full(rows.size, np.inf))
        self._solver.addRows(rows.size, *limits, values.size, starts, columns.ravel(), values.ravel())
        self._place.update((row, len(self._rows) + place) for place, row in enumerate(rows.tolist()))
        self._rows.extend(rows.tolist())

    def release(self, rows: frozenset[int]) -> None:
        """Drop the constraints of these rows, and restore those of rows released before."""
        for row in self._released ^ rows:
            if row in self._place:
                lower = -np.inf if row in rows else 0.0
                # the first row of the program is the limit on the weights
                self._solver.changeRowBounds(1 + self._place[row], lower, np.inf)
        self._released = rows

    def solve(self, budget: Budget) -> bool:
        """Solve the program; True when the solver reports an optimum in time."""
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + budget.remaining())
        self._solver.run()
        pivots = max(0, self._solver.getInfo().simplex_iteration_count)
        size = len(self._rows) + 2 * self._X.shape[1]
        budget.spend(SECONDS_PER_PROGRAM + SECONDS_PER_PIVOT * pivots * size)
        return bool(self._solver.getModelStatus() == self._optimal)

    def weights(self) -> FloatArray:
        """Return the weights of the hyperplane, shape (d,)."""
        d = self._X.shape[1]
        values = np.array(self._solver.getSolution().col_value)
        return np.asarray(values[:d] - values[d : 2 * d])

    def hull_distance(self) -> float:
        """Return the distance of the two hull points given by the multipliers; no gap is larger."""
        return self._distance(self._multipliers())

    def conflict_set(self, wanted: float) -> IntArray | None:
        """Return rows that no hyperplane separates by ``wanted``; None if the multipliers give none."""
        multipliers = self._multipliers()
        # rounding must not make the set larger
        multipliers[multipliers < MIN_MULTIPLIER_SHARE * multipliers.max(initial=0.0)] = 0.0
        if self._distance(multipliers) >= wanted:
            return None
        return np.array(self._rows)[multipliers > 0]

    def _multipliers(self) -> FloatArray:
        """Return the multipliers of the rows in the program, 0 for those released."""
        multipliers: FloatArray = np.abs(np.array(self._solver.getSolution().row_dual)[1:])
        multipliers[[self._place[row] for row in self._released if row in self._place]] = 0.0
        return multipliers

    def _distance(self, multipliers: FloatArray) -> float:
        """Return the distance of the two hull points, with what rounding may have taken from it."""
        used = np.flatnonzero(multipliers)
        rows = np.array(self._rows)[used]
        points = []
        for sign in (1.0, -1.0):
            share = np.where(self._sign[rows] == sign, multipliers[used], 0.0)
            if share.sum() <= 0:
                return float(np.inf)
            points.append((share / share.sum()) @ self._X[rows])
        rounding = 4 * rows.size * np.finfo(np.float64).eps * np.abs(self._X[rows]).max(initial=0.0)
        return float(np.abs(points[0] - points[1]).max(initial=0.0) + rounding)

    def misplaced_rows(self, weights: FloatArray) -> IntArray:
        """Return the rows outside the program that lie furthest on the wrong side of their limit."""
        low, high = np.array(self._solver.getSolution().col_value)[-2:]
        key = self._X @ weights
        violation = np.where(self._sign > 0, high - key, key - low)
        violation[self._rows] = 0.0
        violation[list(self._released)] = 0.0
        worst = np.argsort(-violation)[:ROWS_PER_ROUND]
        return np.asarray(worst[violation[worst] > SIDE_TOLERANCE])


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
