"""The formula of the routes of rows in one topology.

A row that is no error takes all steps of one way to one of its cheapest classes (``Topology.ways``): the
sides that it needs at some of the nodes. Nothing is said of its sides at other nodes, nor of rows that are
errors. Each node separates the rows that need its two sides; so of the rows of a conflict set one does not
need its side there. Without a solution there is no diagram: the formula asks for less than a diagram gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.kernels.hyperplanes.sat_solver import SatSolver
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.conflict_sets import ConflictSet, SideArray
from oddlearn.solve.hyperplanes.topologies import Step, Topology

IMPOSSIBLE = -1  # in place of a literal: no row of the class needs this side

# usual time of a call of the solver of formulas, and of a clause that it looks at
SECONDS_PER_CALL = 5e-5
SECONDS_PER_CLAUSE = 1.5e-8


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Rows with the same ways, and the variables that say which one is taken, (rows, ways or 0)."""

    rows: IntArray
    ways: list[list[Step]]
    choice: IntArray


class RoutingFormula:
    """Clauses of the ways of rows, and of conflict sets; variable r is true if row r is an error."""

    def __init__(self, topology: Topology, is_cheapest: BoolArray) -> None:
        """Take the cheapest classes of each row, (n, classes of the topology)."""
        self._n, self._k = len(is_cheapest), topology.n_nodes
        self._n_variables = self._n
        # literal that a row does not need a side of a node
        self._denial = np.full((self._n, self._k, 2), IMPOSSIBLE, dtype=np.int32)
        self.is_fixed = np.zeros((self._n, self._k), dtype=bool)  # needed on all ways of the row
        self._groups, clauses = list[RowGroup](), list[IntArray]()
        kinds, kind_of = np.unique(is_cheapest, axis=0, return_inverse=True)
        for place, kind in enumerate(kinds):
            codes = [code for code, is_in in zip(topology.codes, kind.tolist(), strict=True) if is_in]
            clauses += self._write_ways(np.flatnonzero(kind_of.ravel() == place), topology.ways(codes))
        self._solver = SatSolver(self._n_variables)
        for clause in clauses:
            self._solver.add_clauses(np.ascontiguousarray(clause, dtype=np.int32))

    def _add_variables(self, *shape: int) -> IntArray:
        first, count = self._n_variables, int(np.prod(shape))
        self._n_variables += count
        return np.arange(first, first + count).reshape(shape)

    def _write_ways(self, rows: IntArray, ways: list[list[Step]]) -> list[IntArray]:
        """Return the clauses of rows with the same ways, arrays with a clause in each row."""
        clauses, choice = list[IntArray](), np.zeros((rows.size, 0), dtype=np.intp)
        if len(ways) > 1:
            choice = self._add_variables(rows.size, len(ways))
            clauses.append(np.column_stack([2 * rows, 2 * choice]))
        self._groups.append(RowGroup(rows, ways, choice))
        for node, side in {step for way in ways for step in way}:
            places = [place for place, way in enumerate(ways) if (node, side) in way]
            if len(places) == len(ways):
                self._denial[rows, node, side] = 2 * rows
                self.is_fixed[rows, node] = True
            elif len(places) == 1:
                self._denial[rows, node, side] = 2 * choice[:, places[0]] + 1
            else:
                needed = self._add_variables(rows.size)
                self._denial[rows, node, side] = 2 * needed + 1
                for place in places:
                    clauses.append(np.column_stack([2 * choice[:, place] + 1, 2 * needed]))
        return clauses

    @property
    def is_large(self) -> bool:
        """True once the clauses take so much memory that no more should be learnt."""
        return self._solver.is_large

    def add(self, conflict: ConflictSet) -> None:
        """Add the clauses of a conflict set: its rows do not all need these sides, nor the opposite ones."""
        sides = (conflict.sides > 0).astype(np.intp)
        for node in range(self._k):
            for taken in (sides, 1 - sides):
                literals = self._denial[conflict.rows, node, taken]
                if literals.min() != IMPOSSIBLE:
                    self._solver.add_clause(literals)

    def solve(self, kept: IntArray, max_conflicts: int, budget: Budget) -> bool | None:
        """Return True if the given rows may all be no errors, False if not, None if that took too long."""
        before = self._solver.n_steps
        answer = self._solver.solve((2 * kept + 1).astype(np.int32), max_conflicts)
        budget.spend(SECONDS_PER_CALL + SECONDS_PER_CLAUSE * (self._solver.n_steps - before))
        return answer

    def core_rows(self) -> IntArray:
        """Return rows of which one is an error, after ``solve`` returned False."""
        return np.asarray(self._solver.core() // 2, dtype=np.intp)

    def needed_sides(self, kept: BoolArray) -> SideArray:
        """Return the sides that the kept rows need at each node in the last solution, (n, k): 1, -1 or 0."""
        model, sides = self._solver.model(), np.zeros((self._n, self._k), dtype=np.int8)
        for group in self._groups:
            rows, chosen = group.rows, np.zeros(group.rows.size, dtype=np.intp)
            if group.choice.size:
                chosen = model[group.choice].argmax(axis=1)
            for place, way in enumerate(group.ways):
                taking = rows[(chosen == place) & kept[rows]]
                for node, side in way:
                    sides[taking, node] = 1 if side else -1
        return sides

    def prefer(self, distances: FloatArray) -> None:
        """Let rows take the way on which their least distance to the hyperplanes of its nodes is largest.

        ``distances`` (n, k): positive on the positive side.
        """
        for group in self._groups:
            if not group.choice.size:
                continue
            values = np.column_stack(
                [
                    np.min([distances[group.rows, node] * (1 if side else -1) for node, side in way], axis=0)
                    for way in group.ways
                ]
            )
            literals = 2 * group.choice + 1
            literals[np.arange(group.rows.size), values.argmax(axis=1)] -= 1
            self._solver.set_phases(literals.ravel().astype(np.int32))
