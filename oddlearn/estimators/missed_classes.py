"""Classes that a trained diagram never or hardly ever predicts, and the warning of them."""

from __future__ import annotations

import warnings

import numpy as np

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.errors import UnpredictedClassWarning
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.training_data import TrainingData

# a class of which less than this share of the training rows is predicted is warned of: on the 54 data sets,
# trained with default options, 9 have one; in 7 of them it is never predicted
MIN_RECALL = 0.05


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
