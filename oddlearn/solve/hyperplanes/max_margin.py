"""Hyperplanes of maximal margin, and which rows they can separate.

The widest gap a hyperplane can leave between two sets of rows, by linear programming.

The gap over all weights of absolute sum at most 1 equals the Chebyshev distance of the convex hulls. The
program is solved on a few rows and grows by the rows its hyperplane gets wrong. What is handed back does not
rest on the solver: a hyperplane is checked on all rows, and a pair of points of the two hulls that are close
together, rebuilt from the multipliers, proves that no wide gap exists.
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

# rows this little on the wrong side are left to the solver's own tolerance
SIDE_TOLERANCE = 1e-9

# a multiplier below this share of the largest is rounding
NO_MULTIPLIER = 1e-7


@dataclass(frozen=True)
class Hyperplane:
    """Weights with absolute sum 1, the threshold in the middle of the gap, and the gap."""

    weights: FloatArray
    threshold: float
    gap: float


@dataclass(frozen=True)
class HullGap:
    """What is known: a hyperplane with the wanted gap, or a proved limit on all gaps, or neither."""

    hyperplane: Hyperplane | None
    largest_gap: float


def widest_gap(X: FloatArray, positive: BoolArray, wanted: float, budget: Budget) -> HullGap:
    """Look for a hyperplane that parts positive from other rows of X (n, d) by ``wanted`` or more.

    Stops when the gap is the widest, when all gaps are proved to be below ``wanted``, or when out of time.
    """
    program = GapProgram(X, positive)
    chosen = first_rows(positive)
    best: Hyperplane | None = None
    largest = np.inf
    while chosen.size and not budget.expired:
        program.add(chosen)
        if not program.solve(budget.remaining()):
            break
        largest = min(largest, program.hull_distance())
        if largest < wanted:
            break
        weights = program.weights()
        best = _wider(best, _measured(X, positive, weights))
        chosen = program.rows_inside_gap(weights)
    reached = best is not None and best.gap >= wanted
    return HullGap(best if reached else None, float(largest))


def first_rows(positive: BoolArray) -> IntArray:
    """Return some rows of both sides to begin a program with."""
    sides = (np.flatnonzero(positive), np.flatnonzero(~positive))
    return np.concatenate([_spread(side, FIRST_ROWS) for side in sides])


def _spread(values: IntArray, count: int) -> IntArray:
    """Return up to ``count`` of the values, evenly spaced."""
    places = np.linspace(0, values.size - 1, min(values.size, count)).astype(np.intp)
    return np.asarray(values[places])


def _measured(X: FloatArray, positive: BoolArray, weights: FloatArray) -> Hyperplane | None:
    norm = float(np.abs(weights).sum())
    if norm == 0:
        return None
    weights = weights / norm
    key = X @ weights
    low, high = float(key[~positive].max()), float(key[positive].min())
    return Hyperplane(weights, (low + high) / 2, high - low)


def _wider(first: Hyperplane | None, second: Hyperplane | None) -> Hyperplane | None:
    known = [plane for plane in (first, second) if plane is not None]
    return max(known, key=lambda plane: plane.gap, default=None)


class GapProgram:
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
        self._solver = self._empty_program(highspy)

    def _empty_program(self, highspy: Any) -> Any:  # noqa: ANN401
        d = self._X.shape[1]
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        lower = np.concatenate([np.zeros(2 * d), [-2.0, -2.0]])
        upper = np.concatenate([np.ones(2 * d), [2.0, 2.0]])
        solver.addVars(2 * d + 2, lower, upper)
        ends = np.array([2 * d, 2 * d + 1], dtype=np.int32)
        solver.changeColsCost(2, ends, np.array([1.0, -1.0]))
        solver.addRow(-np.inf, 1.0, 2 * d, np.arange(2 * d, dtype=np.int32), np.ones(2 * d))
        return solver

    def add(self, rows: IntArray) -> None:
        """Demand that these rows lie on their side."""
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
        """Demand nothing of these rows, and again what was demanded of those released before."""
        for row in self._released ^ rows:
            if row in self._place:
                lower = -np.inf if row in rows else 0.0
                # the first row of the program is the limit on the weights
                self._solver.changeRowBounds(1 + self._place[row], lower, np.inf)
        self._released = rows

    def solve(self, seconds: float) -> bool:
        """Solve; True when the solver reports an optimum in time."""
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + seconds)
        self._solver.run()
        return bool(self._solver.getModelStatus() == self._optimal)

    def weights(self) -> FloatArray:
        """Return the weights of the hyperplane, shape (d,)."""
        d = self._X.shape[1]
        values = np.array(self._solver.getSolution().col_value)
        return np.asarray(values[:d] - values[d : 2 * d])

    def hull_distance(self) -> float:
        """Return the distance of the two hull points the multipliers stand for; no gap is larger."""
        return self._distance(self._multipliers())

    def clash(self, wanted: float) -> IntArray | None:
        """Return rows whose sides no hyperplane can part by ``wanted``, None if the multipliers name none."""
        multipliers = self._multipliers()
        # what is left of rounding must not make the clash larger
        multipliers[multipliers < NO_MULTIPLIER * multipliers.max(initial=0.0)] = 0.0
        if self._distance(multipliers) >= wanted:
            return None
        return np.array(self._rows)[multipliers > 0]

    def _multipliers(self) -> FloatArray:
        """Return the multiplier of every row that was added, 0 for those released."""
        multipliers: FloatArray = np.abs(np.array(self._solver.getSolution().row_dual)[1:])
        multipliers[[self._place[row] for row in self._released if row in self._place]] = 0.0
        return multipliers

    def _distance(self, multipliers: FloatArray) -> float:
        rows = np.array(self._rows)
        points = []
        for sign in (1.0, -1.0):
            share = np.where(self._sign[rows] == sign, multipliers, 0.0)
            if share.sum() <= 0:
                return float(np.inf)
            points.append((share / share.sum()) @ self._X[rows])
        return float(np.abs(points[0] - points[1]).max(initial=0.0))

    def rows_inside_gap(self, weights: FloatArray) -> IntArray:
        """Return the rows not yet demanded that lie furthest on the wrong side of their limit."""
        low, high = np.array(self._solver.getSolution().col_value)[-2:]
        key = self._X @ weights
        excess = np.where(self._sign > 0, high - key, key - low)
        excess[self._rows] = 0.0
        excess[list(self._released)] = 0.0
        worst = np.argsort(-excess)[:ROWS_PER_ROUND]
        return np.asarray(worst[excess[worst] > SIDE_TOLERANCE])


@dataclass(frozen=True)
class Clash:
    """Rows that no hyperplane keeps all on their own sides with the margin."""

    rows: IntArray


@dataclass(frozen=True)
class Direction:
    """Weights of a hyperplane that, as far as the solver knows, keeps the rows on their sides."""

    weights: FloatArray


class Sides:
    """Rows with the side each should take, and a linear program that goes on from question to question.

    A clash does not rest on the solver: two points, one in the hull of each side's rows, are rebuilt from its
    multipliers, and lie closer together than the margin allows.
    """

    def __init__(self, X: FloatArray, positive: BoolArray, margin: float) -> None:
        self._program = GapProgram(X, positive)
        self._begins_with = first_rows(positive)
        self._is_begun = False
        # twice the tolerance: evaluate forgives a shortfall of one
        self._wanted = margin - 2 * MARGIN_TOLERANCE
        self.programs = 0

    def ask(self, released: frozenset[int], budget: Budget) -> Clash | Direction | None:
        """Look at all rows but those released; None when out of time."""
        if not self._is_begun:
            self._program.add(self._begins_with)
            self._is_begun = True
        self._program.release(released)
        while not budget.expired:
            self.programs += 1
            if not self._program.solve(budget.remaining()):
                return None
            rows = self._program.clash(self._wanted)
            if rows is not None:
                return Clash(rows)
            weights = self._program.weights()
            missed = self._program.rows_inside_gap(weights)
            if not missed.size:
                return Direction(weights)
            self._program.add(missed)
        return None
