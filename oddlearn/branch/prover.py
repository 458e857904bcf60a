"""The prover for univariate splits: our own branch and bound."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from oddlearn.branch.diagrams import DiagramProof
from oddlearn.branch.progress import Standing
from oddlearn.branch.trees import prove_trees
from oddlearn.branch.workshop import Workshop
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.engine import Budget, Proof, Report, check_whole
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.constant import best_constant
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.floors import Floors
from oddlearn.problem.node_limits import NodeLimits
from oddlearn.problem.problem import TrainingProblem

# limits of the kernels: kernels/forest.pxd
MOST_CLASSES = 64
MOST_LEVELS = 20

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
        check_whole("n_jobs", self.n_jobs, 1)
        check_whole("seed", self.seed, 0)

    @property
    def name(self) -> str:
        """Its key in the table of provers."""
        return "branch"

    def objections(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, why it cannot take the problem."""
        found = _objections_to_rows(self.name, problem)
        if problem.split != "univariate":
            found.append(f'The prover "{self.name}" takes univariate splits only, not {problem.split} ones.')
        if problem.data.n_classes > MOST_CLASSES:
            found.append(
                f'The prover "{self.name}" takes up to {MOST_CLASSES} classes, not {problem.data.n_classes}.'
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
        floors: Floors,
        budget: Budget,
        report: Report,
    ) -> Proof:
        """Raise the floors until they meet the best diagram, or until the budget is spent."""
        started = time.perf_counter()
        standing = Standing(problem, incumbent, floors, budget, report)
        interrupted, text = False, "nothing was left to prove"
        sweeps = 0
        if not np.ptp(problem.data.X, axis=0).any():
            standing.raise_objective(problem.skeleton.n_nodes, _constant_objective(problem))
            text = "no feature varies, so that nothing can be split"
        elif standing.open_counts:
            workshop = Workshop(problem, min(problem.skeleton.depth, MOST_LEVELS), self.seed)
            try:
                text = _worked(standing, workshop, budget)
            except KeyboardInterrupt:
                interrupted, text = True, "it was interrupted"
            sweeps = workshop.kernel.sweeps
        unfinished = "time" if budget.expired else "unfinished"
        ending = "interrupted" if interrupted else unfinished if standing.open_counts else "optimal"
        bound = min(standing.floors.lower_bound(problem), standing.objective)
        evidence = Evidence(
            self.name, bound, text, time.perf_counter() - started, nodes=sweeps, ending=ending
        )
        return Proof(standing.floors, standing.diagram, (evidence,), interrupted)


def _objections_to_rows(name: str, problem: TrainingProblem) -> list[str]:
    """Object to constraints other than limits on numbers of nodes, and to limits below one node."""
    limits = NodeLimits.of(problem)
    others = len(problem.rows) - len(limits.numbers)
    if others:
        return [
            f'The prover "{name}" keeps limits on numbers of nodes only; the problem has {others} rows of '
            "other constraints."
        ]
    if not limits.allow((1,)):
        return [f'The prover "{name}" needs room for one node; the constraints leave none.']
    return []


def _constant_objective(problem: TrainingProblem) -> float:
    return evaluate(problem, best_constant(problem)).objective


def _worked(standing: Standing, workshop: Workshop, budget: Budget) -> str:
    """Prove what there is time for, and say what it rests on."""
    skeleton = standing.problem.skeleton
    is_free = not standing.limits.numbers
    if is_free and skeleton.tree_only and skeleton.widths == Skeleton.tree(skeleton.depth).widths:
        is_done = prove_trees(standing, workshop, budget)
        return "branch and bound over trees" + ("" if is_done else ", not finished")
    tally = DiagramProof(standing, workshop, budget).run()
    shapes = "shape" if tally.shapes == 1 else "shapes"
    return (
        f"branch and bound over diagrams: {tally.shapes - tally.open} of {tally.shapes} {shapes}, that is "
        "numbers of nodes per layer, cannot do better"
    )
