"""Can one hyperplane keep rows on their own sides? If not, which few of them clash?"""

from __future__ import annotations

from dataclasses import dataclass

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.engine import Budget
from oddlearn.hulls import GapProgram, first_rows
from oddlearn.problem.evaluate import MARGIN_TOLERANCE


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
