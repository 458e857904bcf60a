"""Incumbent and bounds of a solver that runs in a worker."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import Evaluation, evaluate
from oddlearn.problem.node_count_bounds import Floors
from oddlearn.problem.tolerances import VIOLATION_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem


@dataclass(frozen=True, eq=False)
class WorkerState:
    """The state of a solve, in the parent or in the child; every change returns a new one.

    Attributes
    ----------
    problem : TrainingProblem
    diagram : DecisionDiagram
        The incumbent.
    objective : float
        Of the incumbent; inf when it violates a constraint.
    bounds : Floors
        Lower bound on the cost with each number of nodes.
    evidence : tuple of Evidence
    interrupted : bool
        True when the user stopped the solve from the keyboard.
    """

    problem: TrainingProblem
    diagram: DecisionDiagram
    objective: float
    bounds: Floors
    evidence: tuple[Evidence, ...] = ()
    interrupted: bool = False

    @classmethod
    def initial(cls, problem: TrainingProblem, diagram: DecisionDiagram, bounds: Floors) -> WorkerState:
        """Return the state at the start of a solve."""
        return cls(problem, diagram, _feasible_objective(evaluate(problem, diagram)), bounds)

    @property
    def lower_bound(self) -> float:
        """The largest lower bound proved on the objective."""
        return self.bounds.lower_bound(self.problem)

    @property
    def unresolved_node_counts(self) -> tuple[int, ...]:
        """The numbers of nodes, ascending, with which the incumbent might still be improved."""
        return self.bounds.open_counts(self.problem, self.objective)

    @property
    def is_optimal(self) -> bool:
        """True when no diagram can be better than the incumbent."""
        return not self.unresolved_node_counts

    def offer(self, diagram: DecisionDiagram) -> WorkerState:
        """Take over a diagram if plain evaluation says that it is better and satisfies the constraints."""
        try:
            objective = _feasible_objective(evaluate(self.problem, diagram))
        except DiagramMisfitError:  # a solver's rounding; no bound rests on this diagram
            return self
        return replace(self, diagram=diagram, objective=objective) if objective < self.objective else self

    def tighten(self, bounds: Floors) -> WorkerState:
        """Merge bounds."""
        return replace(self, bounds=self.bounds.merged(bounds))


def _feasible_objective(evaluation: Evaluation) -> float:
    return evaluation.objective if evaluation.violation <= VIOLATION_TOLERANCE else math.inf
