"""Constraints that contradict each other whatever the diagram: a linear program over the observables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, diags_array, hstack, vstack

from oddlearn.diagram.arrays import FloatArray
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState

# the rows of the program are scaled to coefficients of at most 1; a solver is trusted up to this distance
CLEARLY = 1e-5

# observables that are looked at, and seconds that the program may take: this is only a first question
MOST_OBSERVABLES = 200_000
MOST_SECONDS = 2.0


@dataclass(frozen=True)
class LpRelaxation:
    """A proof that no diagram satisfies the constraints, whatever its splits."""

    name: ClassVar[str] = "lp_relaxation"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return no reason: every problem has this relaxation."""
        return []

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Make all bounds infinite if the relaxation is infeasible."""
        if not contradicts(state.problem, budget.remaining()):
            return state
        return state.tighten(NodeCountBounds(np.full(state.bounds.cost.size, np.inf)))


def contradicts(problem: TrainingProblem, seconds: float = MOST_SECONDS) -> bool:
    """Return True when no observables at all keep the hard rows, so that no diagram does.

    Observables between 0 and 1 are allowed: every sample takes one class, passes the root, and leaves a node
    on its positive side only if it arrives there. False means that nothing was proved in time.
    """
    size = problem.layout.size
    if size > MOST_OBSERVABLES or problem.rows.n_hard == 0:
        return False
    matrix, limit = _rows(problem)
    # the last variable is the largest distance of a row to its limit
    distance = csr_array(-np.ones((matrix.shape[0], 1)))
    paths = _paths(problem)
    upper = vstack([hstack([matrix, distance]), hstack([paths, csr_array((paths.shape[0], 1))])])
    equal = hstack([_classes(problem), csr_array((problem.data.n_rows, 1))])
    lowest = np.zeros(size + 1)
    lowest[problem.layout.used[0]] = 1.0
    lowest[problem.layout.reached[:, 0]] = 1.0
    highest = np.append(np.ones(size), np.inf)
    found = linprog(
        np.append(np.zeros(size), 1.0),
        A_ub=upper,
        b_ub=np.concatenate([limit, np.zeros(paths.shape[0])]),
        A_eq=equal,
        b_eq=np.ones(problem.data.n_rows),
        bounds=np.column_stack([lowest, highest]),
        method="highs",
        options={"time_limit": min(seconds, MOST_SECONDS)},
    )
    return bool(found.status == 0 and found.fun > CLEARLY)


def _rows(problem: TrainingProblem) -> tuple[csr_array, FloatArray]:
    """Return the hard rows as ``matrix @ observables <= limit``, scaled."""
    rows = problem.rows
    hard = np.flatnonzero(~rows.is_soft)
    both = vstack([rows.matrix[hard], -rows.matrix[hard]])
    limit = np.concatenate([rows.upper[hard], -rows.lower[hard]])
    kept = np.flatnonzero(np.isfinite(limit))
    largest = np.maximum(np.abs(both).max(axis=1).toarray().ravel()[kept], 1e-300)
    return csr_array(diags_array(1 / largest) @ csr_array(both)[kept]), limit[kept] / largest


def _classes(problem: TrainingProblem) -> csr_array:
    """Return the rows that add up the classes of each sample."""
    assigned = problem.layout.assigned
    sample = np.repeat(np.arange(assigned.shape[0]), assigned.shape[1])
    shape = (assigned.shape[0], problem.layout.size)
    return csr_array(coo_array((np.ones(assigned.size), (sample, assigned.ravel())), shape=shape))


def _paths(problem: TrainingProblem) -> csr_array:
    """Return the rows ``positive - reached <= 0`` and ``reached - used <= 0``, none where nothing asks."""
    layout = problem.layout
    if not (problem.rows.matrix.indices >= layout.n_rows * layout.n_classes).any():
        return csr_array((0, layout.size))
    reached, positive = layout.reached.ravel(), layout.positive.ravel()
    used = np.tile(layout.used, layout.n_rows)
    more, less = np.concatenate([positive, reached]), np.concatenate([reached, used])
    number = np.arange(more.size)
    values = np.concatenate([np.ones(more.size), -np.ones(more.size)])
    places = (np.concatenate([number, number]), np.concatenate([more, less]))
    return csr_array(coo_array((values, places), shape=(more.size, layout.size)))
