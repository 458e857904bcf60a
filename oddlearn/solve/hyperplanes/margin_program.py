"""The linear program of the hyperplane of maximal margin, written row by row and, if it is wide, by columns.

A wide table has more features than a hyperplane of maximal margin needs: one of n rows needs at most n + 1.
The program then starts with the features in which the means of the two sides differ most. Its multipliers are
two points, one in the hull of each side. A feature in which they differ by more than the gap widens it: those
are added until none is left, and the program is as good as that of all features.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.solve.budget import Budget

ROWS_PER_ROUND = 400

# a program of up to so many features is written at once; a wider one begins with some, and grows
MAX_WHOLE_FEATURES = 1000
FIRST_FEATURES = 400
FEATURES_PER_ROUND = 200

# usual time of a program: a constant, and for each pivot and each of its rows and columns
SECONDS_PER_PROGRAM = 5e-4
SECONDS_PER_PIVOT = 3e-7

# rows less than this on the wrong side are within the tolerance of the solver; as are features that would
# widen the gap by less
SIDE_TOLERANCE = 1e-9

MIN_MULTIPLIER_SHARE = 1e-7  # a multiplier below this share of the largest is rounding


class MaxMarginLP:
    """Maximise high - low with a.x >= high on positive rows, a.x <= low on the others, |a|_1 <= 1.

    Columns: the positive parts of a, the negative parts of a, low, high; then both parts of features that
    were added later, batch by batch.
    """

    def __init__(self, X: FloatArray, positive: BoolArray) -> None:
        import highspy  # loaded here: importing oddlearn must not load a solver

        self._X, self._sign = X, np.where(positive, 1.0, -1.0)
        self._rows: list[int] = []
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._batches = [first_features(X, positive)]
        self._solution: FloatArray | None = None  # of the last program solved with the present rows
        self._solver = self._create_program(highspy)

    @property
    def has_solution(self) -> bool:
        """True once a program with the present rows was solved, even if more features would widen its gap."""
        return self._solution is not None

    @property
    def n_written(self) -> int:
        """Number of features in the program."""
        return sum(batch.size for batch in self._batches)

    def _create_program(self, highspy: Any) -> Any:  # noqa: ANN401
        d = self._batches[0].size
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        limit = 1.0 + max(1.0, float(self._X.max(initial=1.0)), -float(self._X.min(initial=-1.0)))
        lower = np.concatenate([np.zeros(2 * d), [-limit, -limit]])
        upper = np.concatenate([np.ones(2 * d), [limit, limit]])
        solver.addVars(2 * d + 2, lower, upper)
        ends = np.array([2 * d, 2 * d + 1], dtype=np.int32)
        solver.changeColsCost(2, ends, np.array([1.0, -1.0]))
        solver.addRow(-np.inf, 1.0, 2 * d, np.arange(2 * d, dtype=np.int32), np.ones(2 * d))
        return solver

    def add(self, rows: IntArray) -> None:
        """Add the constraints that these rows lie on their sides."""
        d = self._batches[0].size
        sign = self._sign[rows, None]
        end = np.where(sign > 0, 2 * d + 1, 2 * d)
        parts: list[FloatArray] = []
        columns = [np.tile(np.arange(2 * d), (rows.size, 1)), end]
        for place, batch in enumerate(self._batches):
            signed = sign * self._X[np.ix_(rows, batch)]
            parts += [signed, -signed] if place else [signed, -signed, -sign]
        if len(self._batches) > 1:
            added = np.arange(2 * d + 2, 2 * self.n_written + 2)
            columns.append(np.tile(added, (rows.size, 1)))
        values, places = np.hstack(parts), np.hstack(columns).astype(np.int32)
        starts = np.arange(rows.size, dtype=np.int32) * values.shape[1]
        limits = (np.zeros(rows.size), np.full(rows.size, np.inf))
        self._solver.addRows(rows.size, *limits, values.size, starts, places.ravel(), values.ravel())
        self._rows.extend(rows.tolist())
        self._solution = None

    def _add_features(self, features: IntArray) -> None:
        """Add both parts of the weights of some features to all rows of the program."""
        rows = np.array(self._rows)
        signed = (self._sign[rows, None] * self._X[np.ix_(rows, features)]).T
        ones = np.ones((2 * features.size, 1))
        values = np.hstack([ones, np.vstack([signed, -signed])])
        starts = np.arange(len(values), dtype=np.int32) * values.shape[1]
        places = np.tile(np.arange(values.shape[1], dtype=np.int32), len(values))
        limits = (np.zeros(len(values)), np.zeros(len(values)), np.ones(len(values)))
        self._solver.addCols(len(values), *limits, values.size, starts, places, values.ravel())
        self._batches.append(features)

    def solve(self, budget: Budget) -> bool:
        """Solve the program; True when the solver reports an optimum over all features in time."""
        while True:
            self._solver.setOptionValue("time_limit", self._solver.getRunTime() + budget.remaining())
            self._solver.run()
            pivots = max(0, self._solver.getInfo().simplex_iteration_count)
            size = len(self._rows) + 2 * self.n_written
            budget.spend(SECONDS_PER_PROGRAM + SECONDS_PER_PIVOT * pivots * size)
            if self._solver.getModelStatus() != self._optimal:
                return False
            self._solution = np.array(self._solver.getSolution().col_value)
            features = self._missing_features()
            if not features.size:
                return True
            if budget.expired:
                return False
            self._add_features(features)

    def _missing_features(self) -> IntArray:
        """Return the features outside the program that would widen the gap most."""
        if self.n_written == self._X.shape[1]:
            return np.empty(0, dtype=np.intp)
        points = self._hull_points(self._multipliers())
        if points is None:
            return np.empty(0, dtype=np.intp)
        low, high = self._ends()
        widening = np.abs(points[0] - points[1]) - (high - low)
        widening[np.concatenate(self._batches)] = 0.0
        n_taken = min(FEATURES_PER_ROUND, widening.size - 1)
        largest = np.argpartition(-widening, n_taken)[:n_taken]
        return np.sort(largest[widening[largest] > SIDE_TOLERANCE])

    def _ends(self) -> tuple[float, float]:
        d = self._batches[0].size
        low, high = self._values()[2 * d : 2 * d + 2]
        return float(low), float(high)

    def _values(self) -> FloatArray:
        if self._solution is None:
            raise ValueError("The program was not solved.")
        return self._solution

    def weights(self) -> FloatArray:
        """Return the weights of the hyperplane, shape (d,)."""
        values, weights, first = self._values(), np.zeros(self._X.shape[1]), 0
        for place, batch in enumerate(self._batches):
            size = batch.size
            if first >= values.size:  # added after the last solution
                break
            weights[batch] = values[first : first + size] - values[first + size : first + 2 * size]
            first += 2 * size + (0 if place else 2)
        return weights

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
        """Return the multipliers of the rows in the program."""
        multipliers: FloatArray = np.abs(np.array(self._solver.getSolution().row_dual)[1:])
        return multipliers

    def _hull_points(self, multipliers: FloatArray) -> list[FloatArray] | None:
        """Return a point of the hull of each side, in all features; None if a side has no multiplier."""
        used = np.flatnonzero(multipliers)
        rows = np.array(self._rows)[used]
        points = []
        for sign in (1.0, -1.0):
            share = np.where(self._sign[rows] == sign, multipliers[used], 0.0)
            if share.sum() <= 0:
                return None
            points.append((share / share.sum()) @ self._X[rows])
        return points

    def _distance(self, multipliers: FloatArray) -> float:
        """Return the distance of the two hull points, with what rounding may have taken from it."""
        points = self._hull_points(multipliers)
        if points is None:
            return float(np.inf)
        rows = np.array(self._rows)[np.flatnonzero(multipliers)]
        rounding = 4 * rows.size * np.finfo(np.float64).eps * np.abs(self._X[rows]).max(initial=0.0)
        return float(np.abs(points[0] - points[1]).max(initial=0.0) + rounding)

    def misplaced_rows(self, weights: FloatArray) -> IntArray:
        """Return the rows outside the program that lie furthest on the wrong side of their limit."""
        low, high = self._ends()
        key = self._X @ weights
        violation = np.where(self._sign > 0, high - key, key - low)
        violation[self._rows] = 0.0
        worst = np.argsort(-violation)[:ROWS_PER_ROUND]
        return np.asarray(worst[violation[worst] > SIDE_TOLERANCE])


def first_features(X: FloatArray, positive: BoolArray) -> IntArray:
    """Return the features that a program begins with, ascending: all, or those whose means differ most."""
    if X.shape[1] <= MAX_WHOLE_FEATURES or positive.all() or not positive.any():
        return np.arange(X.shape[1])
    share = np.where(positive, 1.0 / positive.sum(), -1.0 / (~positive).sum())
    return np.sort(np.argsort(-np.abs(share @ X), kind="stable")[:FIRST_FEATURES])
