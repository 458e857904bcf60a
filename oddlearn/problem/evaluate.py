"""Objective and violation of a diagram by plain code; the best constant."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import RoutingTrace, route_reference, row_blocks
from oddlearn.diagram.slot_diagram import assign_slots
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.constraint_block import ConstraintStatus, compute_statuses
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import ObservableLayout, compute_observables
from oddlearn.problem.tolerances import MARGIN_TOLERANCE, VIOLATION_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem

# of one row at one node of a large table, and of one term of its weighted sum: 10 million x 20 took 0.72 to
# 0.74 s of the processor with univariate splits in 5 layers, 2 million x 20 with sums of all columns in 4
# layers 0.6 s
SECONDS_PER_STEP = 1.6e-8
SECONDS_PER_TERM = 3e-9

SMALLEST_FLOAT = float(np.finfo(np.float64).smallest_subnormal)


@dataclass(frozen=True)
class Evaluation:
    """Objective, cost and violation of a diagram on a problem."""

    # ``cost / total_weight + node_price * (n_active - 1) + penalty``; the constant diagram pays for no node
    objective: float
    cost: float  # total cost over the samples, not divided
    n_nodes: int
    raw_violation: float  # largest distance of a hard row to its limits; 0 when all are satisfied
    # smallest gap between the sides of a hyperplane per unit of its weights' absolute sum; inf when no node
    # has rows on both sides, and with univariate splits
    smallest_margin: float
    penalty: float = 0.0  # penalty of the soft rows that are violated

    @property
    def violation(self) -> float:
        """The raw violation, 0 within the tolerance."""
        return self.raw_violation if self.raw_violation > VIOLATION_TOLERANCE else 0.0


def evaluate(problem: TrainingProblem, diagram: DecisionDiagram, X: FloatArray | None = None) -> Evaluation:
    """Evaluate a diagram, checking that it is a solution of the problem but for the constraint rows.

    ``diagram``: in the units of X.
    ``X`` (m, n_features) float: the distinct rows in other units: raw ones, NaN where a value is missing, for
    a diagram in raw units. The margin of hyperplanes belongs to the unit box and is only checked there, when
    X is left out.
    Raises DiagramMisfitError when the diagram does not fit the skeleton, the kind of split, or the margin.
    """
    if isinstance(problem.data, LargeData):
        return _evaluate_large(problem, problem.data, diagram)
    rows = problem.data.X if X is None else X
    check_fit(problem, diagram, rows.shape[1])
    if problem.split == "univariate" and not _counts_rows(problem):
        return _evaluate_blocks(problem, diagram, rows)
    trace = route_reference(diagram, rows)
    gap = math.inf
    if problem.split == "multivariate":
        gap = smallest_margin(diagram, trace, rows)
    if X is None and gap < problem.margin - MARGIN_TOLERANCE:
        raise DiagramMisfitError(f"A split keeps a margin of {gap}, the problem asks for {problem.margin}.")
    predicted = diagram.arc_class[trace.final_arc]
    cost = float(problem.cost[np.arange(problem.data.n_rows), predicted].sum())
    return _add_constraints(problem, diagram, cost, trace, gap)


def pass_seconds(problem: TrainingProblem) -> float:
    """Return about how long the evaluation of a diagram on all rows of a large table takes."""
    per_layer = SECONDS_PER_STEP
    if problem.split == "multivariate":
        per_layer += problem.data.n_features * SECONDS_PER_TERM
    read = problem.data.source.pass_seconds if isinstance(problem.data, LargeData) else 0.0
    return read + problem.data.n_rows * problem.skeleton.depth * per_layer


def _evaluate_large(problem: TrainingProblem, data: LargeData, diagram: DecisionDiagram) -> Evaluation:
    """Evaluate a diagram of univariate splits on a large table in one pass."""
    check_fit(problem, diagram, data.n_features)
    weights, final = data.arc_weights(diagram), list(diagram.final_arcs)
    cost = float((weights[final] * data.cost_matrix[:, diagram.arc_class[final]].T).sum())
    trace = route_reference(diagram, data.X) if _counts_rows(problem) else None
    return _add_constraints(problem, diagram, cost, trace)


def _evaluate_blocks(problem: TrainingProblem, diagram: DecisionDiagram, rows: FloatArray) -> Evaluation:
    """Evaluate a diagram of univariate splits block by block of rows."""
    cost = 0.0
    for block in row_blocks(problem.data.n_rows):
        predicted = diagram.arc_class[route_reference(diagram, rows[block]).final_arc]
        cost += float(problem.cost[block][np.arange(predicted.size), predicted].sum())
    return _add_constraints(problem, diagram, cost, None)


def _add_constraints(
    problem: TrainingProblem,
    diagram: DecisionDiagram,
    cost: float,
    trace: RoutingTrace | None,
    gap: float = math.inf,
) -> Evaluation:
    """Return the evaluation of a diagram of this cost; without a trace, constraints look at no row."""
    violation = penalty = 0.0
    if len(problem.rows):
        rows, _, observables = _observe(problem, diagram, trace)
        violation, penalty = rows.max_violation(observables), rows.total_penalty(observables)
    objective = objective_value(problem, cost, diagram.n_nodes) + penalty
    return Evaluation(objective, cost, diagram.n_nodes, violation, gap, penalty)


def _observe(
    problem: TrainingProblem, diagram: DecisionDiagram, trace: RoutingTrace | None
) -> tuple[LinearRows, ObservableLayout, FloatArray]:
    """Return constraint rows, layout and observables; without a trace those of the nodes in use alone."""
    rows, layout = problem.rows, problem.layout
    if trace is None:
        layout = ObservableLayout(0, problem.data.n_classes, problem.skeleton)
        rows = replace(rows, matrix=rows.matrix[:, rows.matrix.shape[1] - layout.size :])
        trace = route_reference(diagram, np.empty((0, diagram.n_features)))
    return rows, layout, compute_observables(layout, problem.skeleton, diagram, trace)


def _counts_rows(problem: TrainingProblem) -> bool:
    """Return True if a constraint row is about more than the nodes in use."""
    if len(problem.rows) == 0:
        return False
    places, layout = problem.rows.matrix.indices, problem.layout
    first = layout.root_splits - layout.n_slots
    return bool(((places < first) | (places == layout.root_splits)).any())


def constraint_statuses(
    problem: TrainingProblem, diagram: DecisionDiagram, X: FloatArray | None = None
) -> tuple[ConstraintStatus, ...]:
    """Return the status of each constraint on a diagram; X as in ``evaluate``."""
    if not problem.constraint_blocks:
        return ()
    is_of_nodes = isinstance(problem.data, LargeData) and not _counts_rows(problem)
    trace = None if is_of_nodes else route_reference(diagram, problem.data.X if X is None else X)
    rows, layout, observables = _observe(problem, diagram, trace)
    return compute_statuses(problem.constraint_blocks, rows, problem.data, layout, observables)


def objective_value(problem: TrainingProblem, cost: float, n_nodes: int) -> float:
    """Return the objective of a diagram with this total cost and number of nodes, penalties apart."""
    return cost / problem.total_weight + problem.node_price * (max(1, n_nodes) - 1)


def check_fit(problem: TrainingProblem, diagram: DecisionDiagram, n_features: int) -> None:
    """Raise DiagramMisfitError unless the diagram is one of the problem's skeleton and split kind."""
    if (diagram.n_classes, diagram.n_features) != (problem.data.n_classes, n_features):
        raise DiagramMisfitError("The diagram and the data differ in their number of classes or features.")
    assign_slots(diagram, problem.skeleton)
    if problem.skeleton.tree_only and not diagram.is_tree:
        raise DiagramMisfitError("The skeleton allows trees only; a node has two incoming arcs.")
    if problem.split == "univariate" and not all(isinstance(s, UnivariateSplit) for s in diagram.splits):
        raise DiagramMisfitError("The problem asks for univariate splits; the diagram has another kind.")
    if problem.term_limit is not None and not problem.term_limit.allows(diagram):
        raise DiagramMisfitError(f"A split has more than {problem.term_limit.max_terms} terms.")


def smallest_margin(diagram: DecisionDiagram, trace: RoutingTrace, X: FloatArray) -> float:
    """Return the smallest gap between the two sides of a node, over the rows that arrive there.

    What rounding may have added to a gap is subtracted.
    """
    smallest = math.inf
    for node, split in enumerate(diagram.splits):
        at, side = trace.reached[:, node], trace.sides[:, node]
        positive, negative = np.flatnonzero(at & side), np.flatnonzero(at & ~side)
        if positive.size and negative.size:
            key = split.key(X)
            lowest, highest = positive[key[positive].argmin()], negative[key[negative].argmax()]
            gap = float(key[lowest] - key[highest]) / split.norm
            smallest = min(smallest, gap - 2 * key_rounding(X[[lowest, highest]]))
    return smallest


def key_rounding(X: FloatArray) -> float:
    """Return how far the key of a row may be off, for weights of absolute sum 1."""
    n_terms = X.shape[1] + 1
    largest = max(X.max(initial=0.0), -X.min(initial=0.0))  # without a copy for absolute values
    return float(n_terms * np.finfo(np.float64).eps * largest)


def solver_margin(problem: TrainingProblem) -> float:
    """Return a margin that ``evaluate`` finds kept, whichever way a solver adds up: just above its limit.

    It is positive even without a margin: equal values are never separated.
    """
    if problem.split == "univariate":
        return SMALLEST_FLOAT
    return problem.margin - 0.9 * MARGIN_TOLERANCE + 4 * key_rounding(problem.data.X)


def best_constant(problem: TrainingProblem) -> DecisionDiagram:
    """Return the diagram without nodes that gives every row the class of least total cost.

    With constraints: of least objective, among those that satisfy them or else violate them least.
    """
    if len(problem.rows) == 0:
        totals = problem.cost.sum(axis=0)
        if isinstance(problem.data, LargeData):
            totals = problem.data.class_totals @ problem.data.cost_matrix
        return _constant(problem, int(totals.argmin()))
    constants = [_constant(problem, code) for code in range(problem.data.n_classes)]
    values = [evaluate(problem, constant) for constant in constants]
    best = min(range(len(values)), key=lambda code: (values[code].violation, values[code].objective))
    return constants[best]


def _constant(problem: TrainingProblem, code: int) -> DecisionDiagram:
    return DecisionDiagram.constant(code, problem.data.n_classes, problem.data.n_features)
