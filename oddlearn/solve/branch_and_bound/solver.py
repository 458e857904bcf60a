"""Branch and bound for univariate splits, which can be resumed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.kernels.branch_and_bound.diagram_solver import MAX_CLASSES, MAX_LEVELS
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.row_structure import NodeLimits
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.diagram_proof import DiagramProof
from oddlearn.solve.branch_and_bound.kernel_runner import Workshop
from oddlearn.solve.branch_and_bound.optimal_trees import prove_trees
from oddlearn.solve.branch_and_bound.proof_progress import Standing
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import SolveState
from oddlearn.table.checks import check_int

# items x features that are sorted for every level: 5 bytes each
MOST_CELLS = 5_000_000


@dataclass(frozen=True)
class BranchAndBound:
    """Branch and bound over trees and diagrams with univariate splits.

    Parameters
    ----------
    seed : int
        Of the prints that tell sets of samples apart.
    """

    seed: int = 0

    name: ClassVar[str] = "branch_and_bound"

    def __post_init__(self) -> None:
        check_int("seed", self.seed, 0)

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        found = _unsupported_constraints(self.name, problem)
        if problem.split != "univariate":
            found.append(f'The solver "{self.name}" takes univariate splits only, not {problem.split} ones.')
        if problem.data.n_classes > MAX_CLASSES:
            found.append(
                f'The solver "{self.name}" takes up to {MAX_CLASSES} classes, not {problem.data.n_classes}.'
            )
        cells = problem.data.n_rows * problem.data.n_features
        if cells > MOST_CELLS:
            found.append(
                f'The solver "{self.name}" takes up to {MOST_CELLS:,} rows x features, not {cells:,}.'
            )
        return found

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bounds until they meet the incumbent's objective or the budget is spent."""
        session = state.resumable.get(self.name)
        if not isinstance(session, ResumableSolve) or session.problem is not state.problem:
            session = ResumableSolve(self.name, self.seed, state.problem)
        return session.run(state, budget, emit)


def _unsupported_constraints(name: str, problem: TrainingProblem) -> list[str]:
    """Return the reasons why the constraints cannot be satisfied: only limits on numbers of nodes can."""
    limits = NodeLimits.from_problem(problem)
    others = len(problem.rows) - len(limits.numbers)
    if others:
        return [
            f'The solver "{name}" keeps limits on numbers of nodes only; the problem has {others} rows of '
            "other constraints."
        ]
    if not limits.allows((1,)):
        return [f'The solver "{name}" needs room for one node; the constraints leave none.']
    return []


class ResumableSolve:
    """The branch and bound on one problem, in one call of ``run`` or several."""

    def __init__(self, name: str, seed: int, problem: TrainingProblem) -> None:
        self.name, self.problem = name, problem
        self._seed = seed
        self._seconds = 0.0
        self._workshop: Workshop | None = None
        self._diagrams: DiagramProof | None = None

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bounds until they meet the incumbent's objective or the budget is spent."""
        problem, started = self.problem, time.perf_counter()
        standing = Standing(problem, state.diagram, state.bounds, budget, emit)
        interrupted, text = False, "nothing was left to prove"
        if not np.ptp(problem.data.X, axis=0).any():
            standing.raise_objective(problem.skeleton.n_nodes, _constant_objective(problem))
            text = "no feature varies, so that nothing can be split"
        elif standing.unresolved_node_counts:
            try:
                text = self._worked(standing, budget)
            except KeyboardInterrupt:
                interrupted, text = True, "it was interrupted"
        self._seconds += time.perf_counter() - started
        unfinished = "time" if budget.expired else "unfinished"
        ending = (
            "interrupted" if interrupted else unfinished if standing.unresolved_node_counts else "optimal"
        )
        bound = min(standing.bounds.lower_bound(problem), standing.objective)
        sweeps = 0 if self._workshop is None else self._workshop.kernel.sweeps
        evidence = Evidence(self.name, bound, text, self._seconds, nodes=sweeps, ending=ending)
        others = {name: left for name, left in state.resumable.items() if name != self.name}
        resumable = {**others, self.name: self} if ending == "time" else others
        state = replace(state, resumable=resumable, interrupted=state.interrupted or interrupted)
        return state.tighten(standing.bounds, evidence).offer(standing.diagram, trusted=False)

    def _worked(self, standing: Standing, budget: Budget) -> str:
        """Prove what there is time for, and say what it rests on."""
        problem = standing.problem
        skeleton = problem.skeleton
        if self._workshop is None:
            self._workshop = Workshop(problem, min(skeleton.depth, MAX_LEVELS), self._seed)
        is_free = not standing.limits.numbers
        if is_free and skeleton.tree_only and skeleton.widths == Skeleton.tree(skeleton.depth).widths:
            is_done = prove_trees(standing, self._workshop, budget)
            return "branch and bound over trees" + ("" if is_done else ", not finished")
        if self._diagrams is None:
            self._diagrams = DiagramProof(standing, self._workshop, self._seed)
        tally = self._diagrams.run(standing, budget)
        closed, shapes = tally.shapes - tally.open, "shape" if tally.shapes == 1 else "shapes"
        return (
            f"branch and bound over diagrams: {closed} of {tally.shapes} {shapes}, that is numbers of nodes "
            "per layer, cannot do better"
        )


def _constant_objective(problem: TrainingProblem) -> float:
    return evaluate(problem, best_constant(problem)).objective
