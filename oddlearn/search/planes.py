"""Hyperplanes of a finished diagram, by linear programming: found where they separate, and widened.

The search finds hyperplanes by descent. Here, for every node in turn: if one hyperplane gives every sample
that cares its better side, take it; and if the routing stays as it is, take the hyperplane with the widest
gap, for a diagram that will meet new samples. A change is kept only when plain evaluation finds the diagram
no worse.
"""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.diagram.trace import walk
from oddlearn.engine import Budget
from oddlearn.errors import DiagramMisfitError
from oddlearn.hulls import widest_gap
from oddlearn.problem.evaluate import Evaluation, evaluate
from oddlearn.problem.problem import TrainingProblem

# an objective that differs by less than this is the same one
SAME = 1e-12


def separated(problem: TrainingProblem, diagram: DecisionDiagram, budget: Budget) -> DecisionDiagram:
    """Return the diagram with the nodes separated that a hyperplane can separate without loss.

    Parameters
    ----------
    problem : TrainingProblem
        With multivariate splits.
    diagram : DecisionDiagram
        In the unit box.
    budget : Budget
    """
    value = evaluate(problem, diagram)
    costs = continuing_costs(problem, diagram)
    steps = walk(diagram, problem.data.X)
    for node in range(diagram.n_nodes - 1, -1, -1):
        if budget.expired:
            break
        negative, positive = costs[diagram.negative[node]], costs[diagram.positive[node]]
        cares = steps.reached[:, node] & (negative != positive)
        paid = np.where(steps.sides[:, node], positive, negative)
        if (paid - np.minimum(negative, positive))[cares].sum() <= SAME:
            continue
        split = _gap(problem, cares, positive < negative, problem.margin, budget)
        if split is None:
            continue
        changed, value = tried(problem, diagram, value, node, split)
        if changed is not diagram:
            diagram = changed
            costs = continuing_costs(problem, diagram)
            steps = walk(diagram, problem.data.X)
    return diagram


def widened(problem: TrainingProblem, diagram: DecisionDiagram, budget: Budget) -> DecisionDiagram:
    """Return the diagram with the widest gap at every node that the present routing allows."""
    value = evaluate(problem, diagram)
    steps = walk(diagram, problem.data.X)
    for node in range(diagram.n_nodes):
        if budget.expired:
            break
        at, side = steps.reached[:, node], steps.sides[:, node]
        if (at & side).any() and (at & ~side).any():
            split = _gap(problem, at, side, problem.margin, budget)
            if split is not None:
                diagram, value = tried(problem, diagram, value, node, split)
    return diagram


def continuing_costs(problem: TrainingProblem, diagram: DecisionDiagram) -> list[FloatArray]:
    """Return the cost of every row if it started at each node or terminal, an (m,) array for each."""
    costs: list[FloatArray] = [np.empty(0)] * diagram.n_nodes + list(problem.cost.T)
    for node in range(diagram.n_nodes - 1, -1, -1):
        side = diagram.splits[node].side(problem.data.X)
        costs[node] = np.where(side, costs[diagram.positive[node]], costs[diagram.negative[node]])
    return costs


def _gap(
    problem: TrainingProblem, rows: BoolArray, side: BoolArray, wanted: float, budget: Budget
) -> MultivariateSplit | None:
    if not (rows & side).any() or not (rows & ~side).any():
        return None
    plane = widest_gap(problem.data.X[rows], side[rows], wanted, budget).hyperplane
    return None if plane is None else MultivariateSplit(plane.weights, plane.threshold)


def tried(
    problem: TrainingProblem, diagram: DecisionDiagram, value: Evaluation, node: int, split: MultivariateSplit
) -> tuple[DecisionDiagram, Evaluation]:
    """Return the diagram with the node's new hyperplane if that is no worse, else as it was."""
    splits = list(diagram.splits)
    splits[node] = split
    changed = diagram.with_splits(tuple(splits))
    try:
        new = evaluate(problem, changed)
    except DiagramMisfitError:
        return diagram, value
    is_kept = new.excess <= value.excess and new.objective <= value.objective + SAME
    return (changed, new) if is_kept else (diagram, value)
