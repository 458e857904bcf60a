"""The solver of the best single hyperplane: an incumbent, and the bound of one node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from oddlearn.problem.certificate import Evidence
from oddlearn.problem.node_count_bounds import ObjectiveGrid
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.branch_and_cut import SingleHyperplaneSearch
from oddlearn.solve.solver import Emit, univariate_unsupported
from oddlearn.solve.state import SolveState


@dataclass(frozen=True)
class SingleHyperplaneSolver:
    """The best diagram with one hyperplane, and a bound on all of them; resumes where it stopped."""

    name: ClassVar[str] = "single_hyperplane"
    is_resumable: ClassVar[bool] = True

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        return univariate_unsupported(self.name, problem)

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bound of one node until it meets the incumbent's objective or the budget is spent."""
        problem, started = state.problem, budget.elapsed()
        search = state.resumable.get(self.name)
        if not isinstance(search, SingleHyperplaneSearch):
            search = SingleHyperplaneSearch(problem)
        target = (state.objective - OPTIMALITY_TOLERANCE / 2) * problem.total_weight
        try:
            search.run(ObjectiveGrid.from_problem(problem).round_up_cost(target), budget)
        except KeyboardInterrupt:
            return replace(state.offer(search.diagram, trusted=False), interrupted=True)
        search.seconds += budget.elapsed() - started
        bounds = state.bounds.tightened(1, search.lower_bound)
        text = f"branch and cut, {search.n_cuts:,} sets of rows that no single hyperplane separates"
        bound = min(bounds.lower_bound(problem), state.objective)
        state = state.tighten(bounds, Evidence(self.name, bound, text, search.seconds))
        state = state.store_resumable(self.name, search if budget.expired else None)
        return state.offer(search.diagram, trusted=False)
