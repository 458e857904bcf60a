"""A set of rows that hits all cores at the least cost, by branch and bound; a good one, by its relaxation.

The bound does not rest on the solver of the relaxations: that of each part is computed from multipliers, see
``hitting_set_program``, and the bound of all sets is the least of those of the parts that are left.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.hitting_set_program import Cut, HittingSetProgram

INTEGRAL = 1e-6  # values that are nearer to 0 or 1 are integers
TOLERANCE = 1e-9  # a set whose cost exceeds the bound by this share of it is the least


@dataclass(frozen=True, eq=False)
class HittingSet:
    """Rows that hit all cores, True in (n,), and a bound on the cost of all such sets."""

    is_hit: BoolArray
    bound: float


class HittingSetSearch:
    """Cores that grow in number, and their least hitting sets."""

    def __init__(self, cost: FloatArray, round_up: Callable[[float], float]) -> None:
        """Take the cost of each row, at least 0; ``round_up`` gives the least possible cost from one on."""
        self._cost, self._round_up = cost, round_up
        self._program = HittingSetProgram(cost)
        self._members = np.zeros((16, cost.size), dtype=bool)  # of a core in each row, and room for more
        self._n_cores = 0
        self._restart()

    def _restart(self) -> None:
        """Begin the branch and bound anew."""
        n = self._cost.size
        self._ids = count()
        self._parts = [(0.0, next(self._ids), np.zeros(n, dtype=bool), np.ones(n, dtype=bool))]
        self._best, self._least = np.ones(n, dtype=bool), float(self._cost.sum())
        self._closed = np.inf  # least bound of the parts that are done

    @property
    def _is_member(self) -> BoolArray:
        return self._members[: self._n_cores]

    def add(self, core: IntArray) -> None:
        """Add a core: one of its rows is in each set."""
        if self._n_cores == len(self._members):
            self._members = np.concatenate([self._members, np.zeros_like(self._members)])
        self._members[self._n_cores, core] = True
        self._n_cores += 1
        self._program.add([Cut(core, np.zeros(core.size, dtype=bool))])
        self._restart()

    def relax(self, budget: Budget) -> HittingSet | None:
        """Return a good set and the bound of the relaxation; None without time."""
        n = self._cost.size
        self._program.limit(np.zeros(n, dtype=bool), np.ones(n, dtype=bool))
        relaxed = self._program.solve(budget)
        return None if relaxed is None else HittingSet(self._complete(relaxed.values), relaxed.bound)

    def run(self, budget: Budget) -> HittingSet | None:
        """Return a set of least cost and the bound that proves it; None if the budget is spent before.

        Until a core is added the next call goes on where this one stopped.
        """
        while self._parts and not self._is_least(self._least, min(self._parts[0][0], self._closed)):
            if budget.expired:
                return None
            bound, number, lower, upper = heapq.heappop(self._parts)
            self._program.limit(lower, upper)
            relaxed = self._program.solve(budget)
            if relaxed is None:
                heapq.heappush(self._parts, (bound, number, lower, upper))
                return None
            bound = max(bound, relaxed.bound)
            found = self._complete(relaxed.values)
            if float(self._cost[found].sum()) < self._least:
                self._best, self._least = found, float(self._cost[found].sum())
            doubt = np.where(upper & ~lower, np.minimum(relaxed.values, 1 - relaxed.values), 0.0)
            if self._is_least(self._least, bound) or doubt.max(initial=0.0) < INTEGRAL:
                self._closed = min(self._closed, bound)
                continue
            row = int((doubt * np.sqrt(self._cost)).argmax())
            for is_hit in (False, True):
                limits = lower.copy(), upper.copy()
                limits[not is_hit][row] = is_hit
                if self._can_hit(limits[1]):
                    heapq.heappush(self._parts, (bound, next(self._ids), *limits))
        return HittingSet(self._best, min([self._closed, *(part[0] for part in self._parts)]))

    def _is_least(self, cost: float, bound: float) -> bool:
        return cost <= self._round_up(bound) * (1 + TOLERANCE)

    def _can_hit(self, is_allowed: BoolArray) -> bool:
        """Return False if a core has none of the rows that are allowed."""
        return bool((self._is_member & is_allowed).any(axis=1).all())

    def _complete(self, values: FloatArray) -> BoolArray:
        """Return rows that hit all cores, those of great values first, without any that is not needed."""
        is_hit = values > 1 - INTEGRAL
        n_hits = (self._is_member & is_hit).sum(axis=1)
        while not n_hits.all():
            core = np.flatnonzero(self._is_member[n_hits.argmin()])
            row = core[values[core].argmax()]
            is_hit[row] = True
            n_hits += self._is_member[:, row]
        rows = np.flatnonzero(is_hit)
        for row in rows[np.argsort(values[rows], kind="stable")]:
            if (n_hits[self._is_member[:, row]] > 1).all():
                is_hit[row] = False
                n_hits -= self._is_member[:, row]
        return is_hit
