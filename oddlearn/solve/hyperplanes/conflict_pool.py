"""The conflict sets found so far, for all topologies, as arrays that are compared with the sides of rows."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.conflict_sets import ConflictSet, SideArray

# usual time of a call, and to compare a row of a conflict set
SECONDS_PER_CALL = 4e-5
SECONDS_PER_MEMBER = 4e-9


class ConflictPool:
    """Conflict sets one after the other."""

    def __init__(self) -> None:
        self._sets = list[ConflictSet]()
        self._starts = np.zeros(64, dtype=np.intp)
        self._rows, self._sides = np.zeros(1024, dtype=np.int32), np.zeros(1024, dtype=np.int8)
        self._n_members = 0

    def __len__(self) -> int:
        return len(self._sets)

    def add(self, conflict: ConflictSet) -> None:
        """Add a conflict set."""
        end = self._n_members + conflict.rows.size
        if len(self._sets) == self._starts.size:
            self._starts = np.concatenate([self._starts, np.zeros_like(self._starts)])
        while end > self._rows.size:
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._sides = np.concatenate([self._sides, np.zeros_like(self._sides)])
        self._starts[len(self._sets)] = self._n_members
        self._rows[self._n_members : end] = conflict.rows
        self._sides[self._n_members : end] = conflict.sides
        self._n_members = end
        self._sets.append(conflict)

    def find_violated(self, sides: SideArray, budget: Budget) -> list[ConflictSet]:
        """Return the conflict sets whose rows all have these sides (n,), or all the opposite ones."""
        budget.spend(SECONDS_PER_CALL + SECONDS_PER_MEMBER * self._n_members)
        if not self._sets:
            return []
        starts = self._starts[: len(self._sets)]
        agreeing = sides[self._rows[: self._n_members]] * self._sides[: self._n_members]
        sums = np.add.reduceat(agreeing, starts, dtype=np.intp)
        sizes: IntArray = np.diff(starts, append=self._n_members)
        return [self._sets[place] for place in np.flatnonzero(np.abs(sums) == sizes).tolist()]
