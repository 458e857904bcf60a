"""Metrics of predictions on labelled rows, and those of a constant beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.view.inputs import ModelView
from oddlearn.view.number_text import percentage_text
from oddlearn.view.predictions import Predictions

# of the JSON form, in the order of the tables
SINGLE = ("accuracy", "balanced_accuracy", "roc_auc", "brier_score")


@dataclass(frozen=True)
class Metrics:
    """Fit of predicted classes and probabilities to the labels of rows; nan where not defined.

    The definitions are those of ``sklearn.metrics``.
    """

    accuracy: float  # share of the rows, or of their weight, that is predicted correctly
    balanced_accuracy: float  # mean recall of the classes that occur
    # area under the ROC curve: of the second class if there are two, else the mean of each class against the
    # others, over the classes that occur
    roc_auc: float
    # mean squared error of the probabilities: of the second class if there are two, else summed over the
    # classes
    brier_score: float
    precision: tuple[float, ...]  # of each class; not defined if it is never predicted
    recall: tuple[float, ...]

    def to_dict(self, labels: Sequence[object]) -> dict[str, Any]:
        """Return JSON-able content; null where a metric is not defined."""
        content: dict[str, Any] = {name: _number(getattr(self, name)) for name in SINGLE}
        for name in ("precision", "recall"):
            values = getattr(self, name)
            content[name] = {str(label): _number(value) for label, value in zip(labels, values, strict=True)}
        return content


def metrics_from_dict(content: Any, labels: Sequence[object]) -> Metrics:  # noqa: ANN401
    """Read metrics written by ``to_dict``; anything else raises TypeError, KeyError or ValueError."""
    single = {name: _read(content[name]) for name in SINGLE}
    precision, recall = (
        tuple(_read(content[name][str(label)]) for label in labels) for name in ("precision", "recall")
    )
    return Metrics(**single, precision=precision, recall=recall)


def _read(value: Any) -> float:  # noqa: ANN401
    return math.nan if value is None else float(value)


def compute_metrics(counts: FloatArray, predicted: IntArray, probabilities: FloatArray) -> Metrics:
    """Return the metrics of rows that fall into k cells, such as the final arcs of a diagram.

    ``counts`` (k, n_classes) float: number or weight of the rows of each true class in each cell.
    ``predicted`` (k,) int: class that is predicted in each cell.
    ``probabilities`` (k, n_classes) float: probability of each class in each cell.
    """
    n_classes = counts.shape[1]
    confusion = np.zeros((n_classes, n_classes))
    np.add.at(confusion.T, predicted, counts)
    correct, occurs = np.diag(confusion), counts.sum(axis=0) > 0
    recall = _ratio(correct, confusion.sum(axis=1))
    return Metrics(
        accuracy=float(_ratio(correct.sum(), confusion.sum())),
        balanced_accuracy=float(recall[occurs].mean()) if occurs.any() else math.nan,
        roc_auc=_roc_auc(counts, probabilities),
        brier_score=_brier_score(counts, probabilities),
        precision=tuple(_ratio(correct, confusion.sum(axis=0)).tolist()),
        recall=tuple(recall.tolist()),
    )


def measure_predictions(view: ModelView, samples: Predictions) -> Metrics:
    """Return the metrics of a model on labelled rows.

    Class codes from ``n_classes`` on stand for labels that the model does not know: their probability is 0,
    and they have no precision and recall of their own.
    """
    diagram, final = view.diagram, list(view.diagram.final_arcs)
    totals = samples.arc_totals(diagram.n_arcs, count_classes(diagram.n_classes, samples))[final]
    probabilities = np.zeros(totals.shape)
    probabilities[:, : diagram.n_classes] = view.metadata.probabilities(diagram)[final]
    return _of_classes(compute_metrics(totals, diagram.arc_class[final], probabilities), diagram.n_classes)


def measure_constant(shares: FloatArray, samples: Predictions) -> Metrics:
    """Return the metrics on labelled rows of the constant with these class shares of the training rows."""
    totals = samples.arc_totals(int(samples.final_arc.max()) + 1, count_classes(shares.size, samples))
    padded = np.zeros(totals.shape[1])
    padded[: shares.size] = shares
    return _of_classes(constant_metrics(totals.sum(axis=0), padded), shares.size)


def _of_classes(metrics: Metrics, n_classes: int) -> Metrics:
    return replace(metrics, precision=metrics.precision[:n_classes], recall=metrics.recall[:n_classes])


def count_classes(n_classes: int, samples: Predictions) -> int:
    """Return the number of classes, those among the samples that the model does not know included."""
    return n_classes if samples.codes is None else max(n_classes, int(samples.codes.max()) + 1)


def class_shares(n_classes: int, samples: Predictions) -> FloatArray:
    """Return the share of each class in the weight of labelled rows, shape (n_classes,)."""
    totals = samples.confusion(n_classes).sum(axis=1)
    return np.asarray(totals / totals.sum()) if totals.any() else np.full(n_classes, 1 / n_classes)


def constant_metrics(totals: FloatArray, shares: FloatArray) -> Metrics:
    """Return the metrics of a constant on rows with these totals per class, shape (n_classes,).

    It predicts the class with the largest of the training ``shares``, which are also its probabilities.
    """
    return compute_metrics(totals[None], np.array([shares.argmax()]), shares[None])


def _roc_auc(counts: FloatArray, probabilities: FloatArray) -> float:
    classes = [1] if counts.shape[1] == 2 else range(counts.shape[1])
    total = counts.sum(axis=1)
    areas = [_area(counts[:, code], total - counts[:, code], probabilities[:, code]) for code in classes]
    defined = [area for area in areas if not math.isnan(area)]
    return float(np.mean(defined)) if defined else math.nan


def _area(positive: FloatArray, negative: FloatArray, score: FloatArray) -> float:
    """Return the share of pairs of a positive and a negative row that the score puts in order, ties half."""
    _, place = np.unique(score, return_inverse=True)
    above, below = (np.bincount(place, weights=weights) for weights in (positive, negative))
    ordered = above @ (below.cumsum() - below / 2)
    return float(_ratio(ordered, positive.sum() * negative.sum()))


def _brier_score(counts: FloatArray, probabilities: FloatArray) -> float:
    n_classes = counts.shape[1]
    squares = (probabilities**2).sum(axis=1, keepdims=True) - 2 * probabilities + 1
    scale = 2 if n_classes == 2 else 1
    return float(_ratio((counts * squares).sum() / scale, counts.sum()))


def _ratio(part: Any, total: Any) -> Any:  # noqa: ANN401
    """Return part / total, nan where total is 0."""
    total = np.asarray(total, dtype=np.float64)
    return np.divide(part, total, out=np.full(total.shape, np.nan), where=total > 0)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def metric_names(names: Sequence[str]) -> list[str]:
    """Return the names of all metrics in the order of ``metric_texts``, with the names of the classes."""
    each = [f"{kind} of {name}" for name in names for kind in ("precision", "recall")]
    return ["accuracy", "balanced accuracy", "ROC AUC", "Brier score", *each]


def metric_texts(metrics: Metrics) -> list[str]:
    """Return all metrics for readers: shares in percent, ROC AUC and Brier score as they are."""
    each = [value for pair in zip(metrics.precision, metrics.recall, strict=True) for value in pair]
    return [
        percentage_text(metrics.accuracy),
        percentage_text(metrics.balanced_accuracy),
        _decimals(metrics.roc_auc, 3),
        _decimals(metrics.brier_score, 4),
        *(percentage_text(value) for value in each),
    ]


def _decimals(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"
