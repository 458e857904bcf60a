"""The certificate of a fitted diagram, re-evaluated on the raw rows."""

from __future__ import annotations

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.estimators.missed_classes import find_unpredicted
from oddlearn.estimators.scaled_problem import ScaledProblem
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.evaluate import constraint_statuses, evaluate
from oddlearn.solve.loop import SolveResult
from oddlearn.table.training_table import TrainingTable


def build_certificate(
    prepared: ScaledProblem,
    result: SolveResult,
    diagram: DecisionDiagram,
    raw_X: FloatArray,
    table: TrainingTable,
    is_single_node_optimal: bool,
) -> Certificate:
    """Return the certificate of a diagram in raw units, re-evaluated on the raw rows."""
    problem = prepared.problem
    value = evaluate(problem, diagram, raw_X)
    labels, predicted = table.classes, set(diagram.arc_class[list(diagram.final_arcs)].tolist())
    return Certificate(
        digest=problem.digest,
        objective=value.objective,
        violation=value.raw_violation,
        n_nodes=value.n_nodes,
        objective_bounds=tuple(result.state.bounds.objectives(problem).tolist()),
        margin=problem.margin,
        split=problem.split,
        skeleton=problem.skeleton,
        node_price=problem.node_price,
        measure=table.cost_measure,
        evidence=result.state.evidence,
        events=result.events,
        ignored_features=prepared.ignored_features,
        constraints=constraint_statuses(problem, diagram, raw_X),
        unpredicted_classes=tuple(str(labels[code]) for code in find_unpredicted(problem.data, diagram)),
        only_class=str(labels[predicted.pop()]) if len(predicted) == 1 else None,
        is_single_node_optimal=is_single_node_optimal,
        ending=result.ending,
    )
