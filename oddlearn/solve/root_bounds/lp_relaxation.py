"""A linear program over the observables that proves constraints infeasible for every diagram."""

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

# the program is infeasible if a row, scaled to coefficients of at most 1, is violated by more than this
MIN_VIOLATION = 1e-5

# size and time of the program: this is only a first test
MAX_OBSERVABLES = 200_000
MAX_SECONDS = 2.0


@dataclass(frozen=True)
class LpRelaxation:
    """A proof that no diagram satisfies the constraints, whatever its splits."""

    name: ClassVar[str] = "lp_relaxation"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return no reason: every problem has this relaxation."""
        return []

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Make all bounds infinite if the relaxation is infeasible."""
        if not lp_infeasible(state.problem, budget.remaining()):
            return state
        return state.tighten(NodeCountBounds(np.full(state.bounds.cost.size, np.inf)))


def lp_infeasible(problem: TrainingProblem, seconds: float = MAX_SECONDS) -> bool:
    """Return True if no observables satisfy the hard rows, so that no diagram does.

    Observables may lie between 0 and 1: every sample takes one class, reaches the root, and leaves a node on
    its positive side only if it reaches it. False means that nothing was proved in time.
    """
    size = problem.layout.size
    if size > MAX_OBSERVABLES or problem.rows.n_hard == 0:
        return False
    matrix, limit = _hard_rows(problem)
    # the last variable is the largest violation of a row
    violation = csr_array(-np.ones((matrix.shape[0], 1)))
    paths = _path_rows(problem)
    upper = vstack([hstack([matrix, violation]), hstack([paths, csr_array((paths.shape[0], 1))])])
    equal = hstack([_class_rows(problem), csr_array((problem.data.n_rows, 1))])
    lowest = np.zeros(size + 1)
    lowest[problem.layout.used[0]] = 1.0
    lowest[problem.layout.reached[:, 0]] = 1.0
    highest = np.append(np.ones(size), np.inf)
    solution = linprog(
        np.append(np.zeros(size), 1.0),
        A_ub=upper,
        b_ub=np.concatenate([limit, np.zeros(paths.shape[0])]),
        A_eq=equal,
        b_eq=np.ones(problem.data.n_rows),
        bounds=np.column_stack([lowest, highest]),
        method="highs",
        options={"time_limit": min(seconds, MAX_SECONDS)},
    )
    return bool(solution.status == 0 and solution.fun > MIN_VIOLATION)


def _hard_rows(problem: TrainingProblem) -> tuple[csr_array, FloatArray]:
    """Return the hard rows as ``matrix @ observables <= limit``, scaled."""
    rows = problem.rows
    hard = np.flatnonzero(~rows.is_soft)
    both = vstack([rows.matrix[hard], -rows.matrix[hard]])
    limit = np.concatenate([rows.upper[hard], -rows.lower[hard]])
    finite = np.flatnonzero(np.isfinite(limit))
    largest = np.maximum(np.abs(both).max(axis=1).toarray().ravel()[finite], 1e-300)
    return csr_array(diags_array(1 / largest) @ csr_array(both)[finite]), limit[finite] / largest


def _class_rows(problem: TrainingProblem) -> csr_array:
    """Return the rows that add up the classes of each sample."""
    assigned = problem.layout.assigned
    sample = np.repeat(np.arange(assigned.shape[0]), assigned.shape[1])
    shape = (assigned.shape[0], problem.layout.size)
    return csr_array(coo_array((np.ones(assigned.size), (sample, assigned.ravel())), shape=shape))


def _path_rows(problem: TrainingProblem) -> csr_array:
    """Return the rows ``positive - reached <= 0`` and ``reached - used <= 0``; none if no row needs them."""
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
