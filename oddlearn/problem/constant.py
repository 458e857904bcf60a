"""The constant classifier of a problem: what every engine must beat."""

from __future__ import annotations

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.problem import TrainingProblem


def best_constant(problem: TrainingProblem) -> DecisionDiagram:
    """Return the diagram without nodes that gives every row the class of least total cost."""
    code = int(problem.cost.sum(axis=0).argmin())
    return DecisionDiagram.constant(code, problem.data.n_classes, problem.data.n_features)
