"""The constant classifier of a problem: what every engine must beat."""

from __future__ import annotations

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.problem import TrainingProblem


def best_constant(problem: TrainingProblem) -> DecisionDiagram:
    """Return the diagram without nodes that gives every row the class of least total cost.

    With constraints: of least objective, among those that keep them or else break them least.
    """
    if len(problem.rows) == 0:
        return _constant(problem, int(problem.cost.sum(axis=0).argmin()))
    constants = [_constant(problem, code) for code in range(problem.data.n_classes)]
    values = [evaluate(problem, constant) for constant in constants]
    best = min(range(len(values)), key=lambda code: (values[code].excess, values[code].objective))
    return constants[best]


def _constant(problem: TrainingProblem, code: int) -> DecisionDiagram:
    return DecisionDiagram.constant(code, problem.data.n_classes, problem.data.n_features)
