"""One problem at work: what was proved of it stays, so that a proof can be taken up again."""

from __future__ import annotations

import time

import numpy as np

from oddlearn.branch.diagrams import DiagramProof
from oddlearn.branch.progress import Standing
from oddlearn.branch.trees import prove_trees
from oddlearn.branch.workshop import Workshop
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.engine import Budget, Proof, Report
from oddlearn.kernels.branch_and_bound.diagram_solver import MAX_LEVELS
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.constant import best_constant
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.floors import Floors
from oddlearn.problem.problem import TrainingProblem


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
        floors: Floors,
        budget: Budget,
        report: Report,
    ) -> Proof:
        """Raise the floors until they meet the best diagram, or until the budget is spent."""
        if self.objections(problem):
            raise ValueError("a session is for one problem")
        self._problem = problem
        started = time.perf_counter()
        standing = Standing(problem, incumbent, floors, budget, report)
        interrupted, text = False, "nothing was left to prove"
        if not np.ptp(problem.data.X, axis=0).any():
            standing.raise_objective(problem.skeleton.n_nodes, _constant_objective(problem))
            text = "no feature varies, so that nothing can be split"
        elif standing.open_counts:
            try:
                text = self._worked(standing, budget)
            except KeyboardInterrupt:
                interrupted, text = True, "it was interrupted"
        unfinished = "time" if budget.expired else "unfinished"
        ending = "interrupted" if interrupted else unfinished if standing.open_counts else "optimal"
        bound = min(standing.floors.lower_bound(problem), standing.objective)
        sweeps = 0 if self._workshop is None else self._workshop.kernel.sweeps
        seconds = time.perf_counter() - started
        evidence = Evidence(self.name, bound, text, seconds, nodes=sweeps, ending=ending)
        goes_on = self if ending == "time" else None
        return Proof(standing.floors, standing.diagram, (evidence,), interrupted, goes_on)

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
