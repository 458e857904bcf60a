"""The best single split of a wide table: every threshold along every column, a block of columns at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from oddlearn.problem.certificate import SKIPPED, Evidence
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_data import row_costs
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.column_scan import RowGroup, find_best_split, scan_columns
from oddlearn.solve.histogram.large_bounds import build_stump
from oddlearn.solve.histogram.stump_columns import LargeStump
from oddlearn.solve.histogram.wide_search import is_wide
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState

FOUND = "the best single split was found by trying all of them"
NO_TIME = "because the time did not suffice to try every single split"


@dataclass(frozen=True)
class WideStump:
    """The best single split of a wide table, and the bound that it is."""

    name: ClassVar[str] = "wide_stump"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        is_taken = is_wide(problem) and problem.split == "univariate"
        return [] if is_taken else [f'The solver "{self.name}" takes wide tables and univariate splits only.']

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bound of one node, and offer the best single split."""
        data, started = state.problem.data, budget.elapsed()
        if not isinstance(data, LargeData):
            return state
        stump = find_wide_stump(data, budget)
        if stump is None:
            return state.tighten(state.bounds, Evidence("best_stump", 0.0, NO_TIME, 0.0, status=SKIPPED))
        bounds = state.bounds.tightened(1, stump.cost)
        lower_bound = bounds.lower_bound(state.problem)
        state = state.tighten(bounds, Evidence("best_stump", lower_bound, FOUND, budget.elapsed() - started))
        return state.offer(build_stump(stump, data))


def find_wide_stump(data: LargeData, budget: Budget) -> LargeStump | None:
    """Return the best single split, or constant; None if the time was over."""
    cost = row_costs(data.class_weight, data.cost_matrix)
    everybody = RowGroup(np.ones(data.n_rows, dtype=bool), cost)
    costs = scan_columns(data.X, np.arange(data.n_rows), [everybody], lambda: budget.expired)
    if costs is None:
        return None
    constant = LargeStump(float(cost.sum(axis=0).min()), is_complete=True)
    feature = int(costs[0].argmin())
    found = find_best_split(data.X, feature, cost) if costs[0, feature] < constant.cost else None
    if found is None:
        return constant
    split, classes, _ = found
    return LargeStump(float(costs[0, feature]), split, classes, is_complete=True)
