"""The linear relaxation of a weighted hitting set over conflict sets, as a program that is kept and grows.

The value of a row is 1 if it is on its costly side, else 0. Of a conflict set, with some rows on their
cheaper and some on their costly side, at least one row is not there: the values x of the first and 1 - x of
the others have a sum of at least 1.

The bound does not rest on the solver: it is computed from its multipliers, which need not be exact. For any
y >= 0 and x within its limits, cost.x >= y.b + (cost - A^T y).x, and the last term is least at the limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.solve.budget import Budget

# a cut that was slack in so many programs one after the other is dropped; if it is needed it is found again
MAX_SLACK_ROUNDS = 8
MIN_DROPPED = 50  # fewer are not worth the work
SLACK_TOLERANCE = 1e-6

# usual time of a program: a constant, and for each pivot and each of its rows and columns
SECONDS_PER_PROGRAM = 7e-4
SECONDS_PER_PIVOT = 3e-8

ROUNDING = 1e-12  # rounding of sums, as a share of their terms
MIN_INFEASIBILITY = 1e-6  # a multiplier of infeasible cuts proves it if the sum is above this


@dataclass(frozen=True, eq=False)
class Cut:
    """Rows of a conflict set; True for those on their costly side."""

    rows: IntArray
    is_flipped: BoolArray

    @property
    def limit(self) -> float:
        """Least value of the sum of x over rows that are not flipped minus that over the flipped ones."""
        return 1.0 - float(self.is_flipped.sum())


@dataclass(frozen=True, eq=False)
class Relaxation:
    """A lower bound on the cost, the values of an optimum, and the reduced costs behind the bound, (n,)."""

    bound: float
    values: FloatArray
    reduced_cost: FloatArray


class HittingSetProgram:
    """Minimise cost.x over 0 <= x <= 1 and the cuts found so far."""

    def __init__(self, cost: FloatArray) -> None:
        import highspy  # loaded here: importing oddlearn must not load a solver

        self._status = highspy.HighsModelStatus
        self._cost, self._cuts = cost, list[Cut]()
        self._slack_rounds, self._limits = np.zeros(0, dtype=np.intp), np.zeros(0)
        self._columns = np.arange(cost.size, dtype=np.int32)
        self._lower, self._upper = np.zeros(cost.size), np.ones(cost.size)
        self._solver = self._create_program(highspy)

    def _create_program(self, highspy: Any) -> Any:  # noqa: ANN401
        solver = highspy.Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("presolve", "off")):
            solver.setOptionValue(option, value)
        solver.addVars(self._cost.size, self._lower, self._upper)
        solver.changeColsCost(self._cost.size, self._columns, self._cost)
        return solver

    def add(self, cuts: list[Cut]) -> None:
        """Add cuts."""
        sizes = [cut.rows.size for cut in cuts]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        places = np.concatenate([cut.rows for cut in cuts]).astype(np.int32)
        values = np.where(np.concatenate([cut.is_flipped for cut in cuts]), -1.0, 1.0)
        lower, upper = np.array([cut.limit for cut in cuts]), np.full(len(cuts), np.inf)
        self._solver.addRows(len(cuts), lower, upper, places.size, starts, places, values)
        self._cuts += cuts
        self._slack_rounds = np.concatenate([self._slack_rounds, np.zeros(len(cuts), dtype=np.intp)])
        self._limits = np.concatenate([self._limits, lower])

    def limit(self, lower: BoolArray, upper: BoolArray) -> None:
        """Set the least and the greatest value of each variable, False for 0 and True for 1."""
        self._lower, self._upper = lower.astype(np.float64), upper.astype(np.float64)
        self._solver.changeColsBounds(self._columns.size, self._columns, self._lower, self._upper)

    def solve(self, budget: Budget) -> Relaxation | None:
        """Solve the program; None when out of time."""
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + budget.remaining())
        self._solver.run()
        pivots = max(0, self._solver.getInfo().simplex_iteration_count)
        size = len(self._cuts) + self._cost.size
        budget.spend(SECONDS_PER_PROGRAM + SECONDS_PER_PIVOT * pivots * size)
        status = self._solver.getModelStatus()
        if status == self._status.kInfeasible:
            return self._infeasible()
        if status != self._status.kOptimal:
            return None
        solution = self._solver.getSolution()
        bound, reduced = self._bound(self._cost, np.array(solution.row_dual))
        values = np.clip(np.array(solution.col_value), self._lower, self._upper)
        is_slack = np.array(solution.row_value) - self._limits > SLACK_TOLERANCE
        self._slack_rounds = np.where(is_slack, self._slack_rounds + 1, 0)
        return Relaxation(bound, values, reduced)

    def _infeasible(self) -> Relaxation:
        """Return an infinite bound if the solver's multipliers prove it, else none."""
        ray = self._solver.getDualRay()[2]
        is_proved = ray is not None and len(ray) == len(self._cuts)
        if is_proved:
            is_proved = self._bound(np.zeros(self._cost.size), np.array(ray))[0] > MIN_INFEASIBILITY
        middle = (self._lower + self._upper) / 2
        return Relaxation(np.inf if is_proved else 0.0, middle, np.zeros(self._cost.size))

    def _bound(self, cost: FloatArray, multipliers: FloatArray) -> tuple[float, FloatArray]:
        """Return the bound that multipliers of the cuts give for a cost, and the reduced costs."""
        used = np.flatnonzero(multipliers > 0)
        reduced, total, terms = cost.copy(), 0.0, 0.0
        for place in used.tolist():
            cut, multiplier = self._cuts[place], float(multipliers[place])
            reduced[cut.rows] -= np.where(cut.is_flipped, -multiplier, multiplier)
            total += multiplier * cut.limit
            terms += multiplier * (cut.rows.size + abs(cut.limit))
        total += float(np.where(reduced > 0, self._lower, self._upper) @ reduced)
        return total - ROUNDING * (terms + float(np.abs(cost).sum())), reduced

    def drop_slack_cuts(self) -> None:
        """Drop cuts that were slack for long; to be called when the bound has risen, or it may never end."""
        dropped = np.flatnonzero(self._slack_rounds > MAX_SLACK_ROUNDS)
        if dropped.size < MIN_DROPPED:
            return
        self._solver.deleteRows(dropped.size, dropped.astype(np.int32))
        kept = np.flatnonzero(self._slack_rounds <= MAX_SLACK_ROUNDS)
        self._cuts = [self._cuts[place] for place in kept.tolist()]
        self._slack_rounds, self._limits = self._slack_rounds[kept], self._limits[kept]
