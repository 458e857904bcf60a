"""Conflict sets: rows and sides that no hyperplane with the margin gives them.

They are found by a kernel, or by the exact linear program where that is undecided. No result rests on either:
two points are computed from the multipliers, one in the hull of the rows of each side. If they are closer
together than the margin in the largest of their differences, no hyperplane whose weights have absolute sum 1
keeps the margin between the two sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.kernels.hyperplanes.conflict_finder import ConflictFinder
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.max_margin import max_margin_hyperplane

SideArray = NDArray[np.int8]  # of rows: 1 positive, -1 negative, 0 either

# usual time of a call of the kernel and of each of its multiplications
SECONDS_PER_CALL = 3e-5
SECONDS_PER_PRODUCT = 5e-10


@dataclass(frozen=True, eq=False)
class ConflictSet:
    """Rows (k,) with sides (k,), 1 or -1, that no hyperplane with the margin gives to all of them."""

    rows: IntArray
    sides: SideArray


@dataclass(frozen=True, eq=False)
class Direction:
    """Weights (d,) of a hyperplane that separates the rows, as far as is known."""

    weights: FloatArray


class ConflictOracle:
    """Rows of a table, and a kernel that is kept from query to query."""

    def __init__(self, X: FloatArray, margin: float) -> None:
        """Take rows (n, d)."""
        self._X = X
        # twice the tolerance: evaluate accepts a margin that is too small by one
        self._wanted = margin - 2 * MARGIN_TOLERANCE
        # in the centre of the rows, where products lose least; no conflict depends on it
        self._finder = ConflictFinder(np.column_stack([X - X.mean(axis=0), np.ones(len(X))]))
        # the largest gap for weights of absolute sum 1 that the norm of the weights guarantees
        self._min_gap = 0.5 * margin * np.sqrt(X.shape[1])
        self._even = np.ones(len(X))

    def find(
        self, sides: SideArray, budget: Budget, scale: FloatArray | None = None
    ) -> ConflictSet | Direction:
        """Return a conflict set or a direction; a direction may be none that separates the rows.

        ``sides`` (n,).
        ``scale`` (n,), positive: rows of large scale are preferred in a conflict set.
        """
        before = self._finder.operations
        found = self._finder.find(sides, self._even if scale is None else scale, self._min_gap)
        budget.spend(SECONDS_PER_CALL + SECONDS_PER_PRODUCT * (self._finder.operations - before))
        rows, multipliers, direction = found
        if self._hull_distance(rows, sides[rows], multipliers) < self._wanted:
            return ConflictSet(rows.astype(np.intp), sides[rows])
        return Direction(direction[:-1])

    def decide(self, sides: SideArray, budget: Budget) -> ConflictSet | Direction | None:
        """Return a conflict set if there is one, else a direction; None when out of time."""
        found = self.find(sides, budget)
        if isinstance(found, ConflictSet) or self._gap(found.weights, sides) >= self._wanted:
            return found
        rows = np.flatnonzero(sides)
        margin = max_margin_hyperplane(self._X[rows], sides[rows] > 0, self._wanted, budget)
        if margin.conflict is not None:
            chosen = rows[margin.conflict]
            return ConflictSet(chosen, sides[chosen])
        if margin.hyperplane is not None:
            return Direction(margin.hyperplane.weights)
        return None if budget.expired else found

    def _gap(self, weights: FloatArray, sides: SideArray) -> float:
        """Return the gap between the two sides along a direction; inf if one side has no rows."""
        below, above, norm = sides < 0, sides > 0, float(np.abs(weights).sum())
        if not below.any() or not above.any():
            return np.inf
        key = self._X @ weights
        return float(key[above].min() - key[below].max()) / norm if norm > 0 else -np.inf

    def _hull_distance(self, rows: NDArray[np.integer], sides: SideArray, multipliers: FloatArray) -> float:
        """Return the distance of two points of the hulls, with what rounding may have taken from it."""
        X = self._X[rows]
        shares = [np.where(sides == side, multipliers, 0.0) for side in (1, -1)]
        sums = [float(share.sum()) for share in shares]
        if min(sums) <= 0:
            return float(np.inf)
        apart = (shares[0] / sums[0] - shares[1] / sums[1]) @ X
        rounding = 4 * rows.size * np.finfo(np.float64).eps * np.abs(X).max(initial=0.0)
        return float(np.abs(apart).max(initial=0.0) + rounding)
