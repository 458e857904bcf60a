"""Branch and bound for univariate splits, which can be resumed."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.kernels.branch_and_bound.diagram_solver import MAX_CLASSES, MAX_LEVELS
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.row_structure import NodeLimits
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.diagram_proof import DiagramProof
from oddlearn.solve.branch_and_bound.kernel_runner import Workshop
from oddlearn.solve.branch_and_bound.optimal_trees import prove_trees
from oddlearn.solve.branch_and_bound.proof_progress import Standing
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Proof, Report
from oddlearn.table.checks import check_int

# items x features that are sorted for every level: 5 bytes each
MOST_CELLS = 5_000_000


@dataclass(frozen=True)
class Branch:
    """Branch and bound over trees and diagrams with univariate splits.

    Parameters
    ----------
    n_jobs : int
        Has no effect: one thread works.
    seed : int
        Of the prints that tell sets of samples apart.
    """

    n_jobs: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        check_int("n_jobs", self.n_jobs, 1)
        check_int("seed", self.seed, 0)

    @property
    def name(self) -> str:
        """Its key in the table of provers."""
        return "branch"

    def objections(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, why it cannot take the problem."""
        found = _objections_to_rows(self.name, problem)
        if problem.split != "univariate":
            found.append(f'The prover "{self.name}" takes univariate splits only, not {problem.split} ones.')
        if problem.data.n_classes > MAX_CLASSES:
            found.append(
                f'The prover "{self.name}" takes up to {MAX_CLASSES} classes, not {problem.data.n_classes}.'
            )
        cells = problem.data.n_rows * problem.data.n_features
        if cells > MOST_CELLS:
            found.append(
                f'The prover "{self.name}" takes up to {MOST_CELLS:,} rows x features, not {cells:,}.'
            )
        return found

    def prove(
        self,
        problem: TrainingProblem,
        incumbent: DecisionDiagram,
        bounds: NodeCountBounds,
        budget: Budget,
        report: Report,
    ) -> Proof:
        """Raise the bounds until they meet the best diagram, or until the budget is spent."""
        return Session(self.name, self.seed).prove(problem, incumbent, bounds, budget, report)


def _objections_to_rows(name: str, problem: TrainingProblem) -> list[str]:
    """Object to constraints other than limits on numbers of nodes, and to limits below one node."""
    limits = NodeLimits.from_problem(problem)
    others = len(problem.rows) - len(limits.numbers)
    if others:
        return [
            f'The prover "{name}" keeps limits on numbers of nodes only; the problem has {others} rows of '
            "other constraints."
        ]
    if not limits.allows((1,)):
        return [f'The prover "{name}" needs room for one node; the constraints leave none.']
    return []


class Session:
    """The branch and bound on one problem, in one call of ``prove`` or several."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self._seed = seed
        self._problem: TrainingProblem | None = None
        self._workshop: Workshop | None = None
        self._diagrams: DiagramProof | None = None

    def objections(self, problem: TrainingProblem) -> list[str]:
        """Object to any problem but the one that was begun."""
        return [] if self._problem in (None, problem) else ["Another problem was begun."]

    def prove(
        self,
        problem: TrainingProblem,
        incumbent: DecisionDiagram,
        bounds: NodeCountBounds,
        budget: Budget,
        report: Report,
    ) -> Proof:
        """Raise the bounds until they meet the best diagram, or until the budget is spent."""
        if self.objections(problem):
            raise ValueError("a session is for one problem")
        self._problem = problem
        started = time.perf_counter()
        standing = Standing(problem, incumbent, bounds, budget, report)
        interrupted, text = False, "nothing was left to prove"
        if not np.ptp(problem.data.X, axis=0).any():
            standing.raise_objective(problem.skeleton.n_nodes, _constant_objective(problem))
            text = "no feature varies, so that nothing can be split"
        elif standing.unresolved_node_counts:
            try:
                text = self._worked(standing, budget)
            except KeyboardInterrupt:
                interrupted, text = True, "it was interrupted"
        unfinished = "time" if budget.expired else "unfinished"
        ending = (
            "interrupted" if interrupted else unfinished if standing.unresolved_node_counts else "optimal"
        )
        bound = min(standing.bounds.lower_bound(problem), standing.objective)
        sweeps = 0 if self._workshop is None else self._workshop.kernel.sweeps
        seconds = time.perf_counter() - started
        evidence = Evidence(self.name, bound, text, seconds, nodes=sweeps, ending=ending)
        goes_on = self if ending == "time" else None
        return Proof(standing.bounds, standing.diagram, (evidence,), interrupted, goes_on)

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
