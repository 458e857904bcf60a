"""The certificate of a fitted diagram, and the warning about classes that it never predicts."""

from __future__ import annotations

import warnings

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import UnpredictedClassWarning
from oddlearn.estimators.scaled_problem import ScaledProblem
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.evaluate import constraint_statuses, evaluate
from oddlearn.problem.training_data import TrainingData
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


def find_unpredicted(data: TrainingData, diagram: DecisionDiagram) -> list[int]:
    """Return the codes of the classes that have weight in training and that the diagram never predicts."""
    has_weight = data.class_weight.sum(axis=0) > 0
    has_weight[diagram.arc_class[list(diagram.final_arcs)]] = False
    return [int(code) for code in np.flatnonzero(has_weight)]


def warn_of_unpredicted(prepared: ScaledProblem, certificate: Certificate, has_class_weight: bool) -> None:
    """Warn if the diagram never predicts some class though there are features to tell classes apart."""
    if not certificate.unpredicted_classes or not prepared.is_usable.any():
        return
    n_classes, skeleton = prepared.problem.data.n_classes, certificate.skeleton
    if n_classes > skeleton.n_nodes + 1:
        most = skeleton.n_nodes + 1
        advice = f"a larger skeleton: {skeleton} predicts at most {most} of {n_classes} classes"
    else:
        balanced = "" if has_class_weight else 'class_weight="balanced", '
        advice = f"{balanced}a cost_matrix with a higher cost of missing it, or a smaller node_price or alpha"
    warnings.warn(
        f"The diagram never predicts {certificate.unpredicted_text}. Try {advice}.",
        UnpredictedClassWarning,
        stacklevel=4,
    )
