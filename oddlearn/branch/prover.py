"""The prover for univariate splits: our own branch and bound."""

from __future__ import annotations

from dataclasses import dataclass

from oddlearn.branch.session import Session
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.engine import Budget, Proof, Report, check_whole
from oddlearn.kernels.branch_and_bound.diagram_solver import MAX_CLASSES
from oddlearn.problem.floors import Floors
from oddlearn.problem.node_limits import NodeLimits
from oddlearn.problem.problem import TrainingProblem

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
        floors: Floors,
        budget: Budget,
        report: Report,
    ) -> Proof:
        """Raise the floors until they meet the best diagram, or until the budget is spent."""
        return Session(self.name, self.seed).prove(problem, incumbent, floors, budget, report)


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
