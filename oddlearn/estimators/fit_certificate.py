"""The certificate of a fitted diagram, re-evaluated on the raw rows, and the classes that it misses."""

from __future__ import annotations

import warnings

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.errors import UnpredictedClassWarning
from oddlearn.estimators.scaled_problem import ScaledProblem
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.evaluate import constraint_statuses, evaluate
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_data import TrainingData
from oddlearn.solve.loop import SolveResult
from oddlearn.table.training_table import TrainingTable

# a class of which less than this share of the training rows is predicted is warned of: on the 54 data sets,
# trained with default options, 9 have one; in 7 of them it is never predicted
MIN_RECALL = 0.05


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
        max_terms=None if problem.term_limit is None else problem.term_limit.max_terms,
    )


def find_unpredicted(data: TrainingData, diagram: DecisionDiagram) -> list[int]:
    """Return the codes of the classes that have weight in training and that the diagram never predicts."""
    totals = data.class_totals if isinstance(data, LargeData) else data.class_weight.sum(axis=0)
    has_weight = totals > 0
    has_weight[diagram.arc_class[list(diagram.final_arcs)]] = False
    return [int(code) for code in np.flatnonzero(has_weight)]


def describe_missed_classes(
    diagram: DecisionDiagram, metadata: ModelMetadata, certificate: Certificate
) -> str:
    """Return "never predicts class fraud" or "finds only 2.1 % of class fraud"; empty if neither holds."""
    if certificate.unpredicted_classes:
        return f"never predicts {certificate.unpredicted_text}"
    final = list(diagram.final_arcs)
    weights, codes = metadata.arc_weights[final], diagram.arc_class[final]
    total, found = weights.sum(axis=0), np.zeros(weights.shape[1])
    np.add.at(found, codes, weights[np.arange(codes.size), codes])
    recall = np.divide(found, total, out=np.ones(total.size), where=total > 0)
    code = int(recall.argmin())
    if recall[code] >= MIN_RECALL:
        return ""
    return f"finds only {recall[code]:.1%} of class {metadata.class_labels[code]}".replace("%", " %")


def warn_of_missed_classes(metadata: ModelMetadata, certificate: Certificate, has_class_weight: bool) -> None:
    """Warn if the diagram never predicts some class, or finds hardly any of its training rows."""
    missed = certificate.missed_text
    if not missed:
        return
    n_classes, skeleton = len(metadata.class_labels), certificate.skeleton
    if n_classes > skeleton.n_nodes + 1:
        most = skeleton.n_nodes + 1
        advice = f"a larger skeleton: {skeleton} predicts at most {most} of {n_classes} classes"
    else:
        balanced = "" if has_class_weight else 'class_weight="balanced", '
        advice = f"{balanced}a cost_matrix with a higher cost of missing it, or a smaller node_price or alpha"
    warnings.warn(f"The diagram {missed}. Try {advice}.", UnpredictedClassWarning, stacklevel=4)
