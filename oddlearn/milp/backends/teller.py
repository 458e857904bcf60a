"""What a solver says while it works and at its end, brought into one form for all solvers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.milp.backends.contract import Ending, News, Solution, SolveOptions
from oddlearn.milp.model import LinearModel

# seconds between two bounds that are told; a better point is told at once
PAUSE = 0.1


class Teller:
    """Passes on news of one solve: objectives with the model's offset, points below the cutoff only.

    Solvers prune what is not below the cutoff, so that no bound they have can be larger. Some claim one that
    is: HiGHS 1.15 with an objective bound reports the worse point it happened to see as its dual bound.
    """

    def __init__(self, model: LinearModel, options: SolveOptions, send: Callable[[News], None]) -> None:
        self.cutoff = options.cutoff - model.offset
        self._offset, self._send = model.offset, send
        self._bound, self._objective = -math.inf, self.cutoff
        self._values: FloatArray | None = None
        self._told_at = -math.inf

    def bound(self, bound: float) -> None:
        """Hear of a lower bound, in the solver's terms: without the offset."""
        self._bound = max(self._bound, min(bound, self.cutoff))
        now = time.perf_counter()
        if math.isfinite(self._bound) and now - self._told_at >= PAUSE:
            self._tell(now, None)

    def point(self, objective: float, values: FloatArray) -> None:
        """Hear of a point, shape (n_columns,)."""
        if objective < self._objective:
            self._objective, self._values = objective, np.array(values, dtype=np.float64)
            self._tell(time.perf_counter(), self._values)

    def finished(self, bound: float, nodes: int) -> Solution:
        """Return the solution of a solver that has looked at everything below the cutoff.

        A bound below the cutoff without a point: the solver's point was not a solution within its tolerances.
        """
        bound = min(bound, self._objective)
        if self._values is not None or bound < self.cutoff:
            return self._solution(bound, "optimal", nodes)
        return self._solution(bound, "infeasible" if math.isinf(self.cutoff) else "cutoff", nodes)

    def stopped(self, bound: float, ending: Ending, nodes: int) -> Solution:
        """Return the solution of a solver that came to an end before its work did."""
        return self._solution(min(bound, self.cutoff), ending, nodes)

    def _tell(self, now: float, values: FloatArray | None) -> None:
        self._told_at = now
        self._send(News(self._bound + self._offset, self._objective + self._offset, values))

    def _solution(self, bound: float, ending: Ending, nodes: int) -> Solution:
        return Solution(self._values, bound + self._offset, ending, nodes)
