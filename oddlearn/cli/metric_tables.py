"""Metrics of a fit on its training and test rows: computed, stored in the model file, and printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.errors import ModelFileError
from oddlearn.model.predictor import DiagramPredictor
from oddlearn.table.samples import LabelledSamples
from oddlearn.view.inputs import model_view
from oddlearn.view.metrics import (
    Metrics,
    measure_constant,
    measure_predictions,
    metric_names,
    metric_texts,
    metrics_from_dict,
)
from oddlearn.view.number_text import one_line, percentage_text, plural
from oddlearn.view.predictions import predict_rows

if TYPE_CHECKING:
    from oddlearn.estimators.base import DiagramClassifier

# with more classes, precision and recall of each are left to JSON and the report
MAX_LISTED_CLASSES = 6


@dataclass(frozen=True)
class MeasuredRows:
    """Metrics of a model on some rows, and those of the constant; ``is_weighted`` by sample weights."""

    n_rows: int
    is_weighted: bool
    model: Metrics
    constant: Metrics

    def to_dict(self, labels: Sequence[object]) -> dict[str, Any]:
        """Return JSON-able content."""
        return {
            "rows": self.n_rows,
            "weighted": self.is_weighted,
            "model": self.model.to_dict(labels),
            "constant": self.constant.to_dict(labels),
        }


@dataclass(frozen=True)
class TrainingMetrics:
    """Metrics on training and test rows; ``test`` is None without any.

    ``class_shares`` are those of the training rows, by their sample weights but not by class weights: the
    constant that is measured beside the model predicts the largest, and has these probabilities.
    """

    labels: tuple[Any, ...]
    class_shares: tuple[float, ...]
    train: MeasuredRows
    test: MeasuredRows | None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-able content."""
        return {
            "class_shares": list(self.class_shares),
            "train": self.train.to_dict(self.labels),
            "test": None if self.test is None else self.test.to_dict(self.labels),
        }

    def summary(self) -> str:
        """Return the accuracies in a line, and the table of all metrics."""
        parts = [(self.train, "in training")] + ([(self.test, "held out")] if self.test else [])
        shown = [
            f"{percentage_text(one.model.accuracy)} on the {plural(one.n_rows, 'row')} {where}"
            for one, where in parts
        ]
        largest = int(np.argmax(self.class_shares))
        always = f"always {self.labels[largest]!s}"
        name = "Weighted accuracy" if self.train.is_weighted else "Accuracy"
        constant = " and ".join(percentage_text(one.constant.accuracy) for one, _ in parts)
        line = f"{name}: {', '.join(shown)} ({always}: {constant})"
        columns = [("training", self.train)] + ([("held out", self.test)] if self.test else [])
        return f"{line}\n\n{metrics_table(columns, self.labels, always)}"


def measure_fit(model: DiagramClassifier, train: LabelledSamples, test: LabelledSamples) -> TrainingMetrics:
    """Return the metrics of a fitted model on its training rows and, if there are any, its test rows."""
    labels = tuple(model.classes_.tolist())
    shares = _training_shares(train, labels)
    tested = measure_rows(model, test, shares) if test.n_rows else None
    return TrainingMetrics(labels, tuple(shares.tolist()), measure_rows(model, train, shares), tested)


def measure_rows(model: DiagramPredictor, samples: LabelledSamples, shares: FloatArray) -> MeasuredRows:
    """Return the metrics of a model on rows, beside those of the constant with these class shares.

    Labels that the model does not know count as errors.
    """
    view = model_view(model)
    unknown = sorted(set(samples.y.tolist()) - set(view.metadata.class_labels), key=str)
    labels = (*view.metadata.class_labels, *unknown)
    rows = view.rows(samples.X)
    assert rows is not None
    found = predict_rows(view.diagram, labels, rows, samples.y, samples.sample_weight)
    is_weighted = samples.sample_weight is not None
    measured = (measure_predictions(view, found), measure_constant(shares, found))
    return MeasuredRows(samples.n_rows, is_weighted, *measured)


def _training_shares(train: LabelledSamples, labels: tuple[Any, ...]) -> FloatArray:
    codes = np.searchsorted(np.array(labels), train.y)
    totals = np.bincount(codes, weights=train.sample_weight, minlength=len(labels))
    return np.asarray(totals / totals.sum())


def metrics_table(
    columns: Sequence[tuple[str, MeasuredRows]], labels: Sequence[object], constant: str
) -> str:
    """Return the metrics of each set of rows, beside those of a constant of this name, as text."""
    names = [one_line(str(label)) for label in labels]
    is_long = len(names) > MAX_LISTED_CLASSES
    head = "weighted metrics" if columns[0][1].is_weighted else "metrics (rows)"
    lines = [[head, *metric_names(() if is_long else names)]]
    for heading, measured in columns:
        for title, metrics in ((heading, measured.model), (constant, measured.constant)):
            lines.append([title, *metric_texts(metrics)[: len(lines[0]) - 1]])
    widths = [max(map(len, column)) for column in lines]
    rows = zip(*lines, strict=True)
    text = "\n".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows
    )
    note = f"\n(precision and recall of {len(names)} classes: see --json or the report)"
    return text + note if is_long else text


def training_metrics_from_dict(content: Any, labels: tuple[Any, ...]) -> TrainingMetrics:  # noqa: ANN401
    """Read metrics written by ``TrainingMetrics.to_dict``; anything else raises ModelFileError."""
    try:
        shares = tuple(float(share) for share in content["class_shares"])
        parts = [_read_measured_rows(content[name], labels) for name in ("train", "test")]
        if parts[0] is None or len(shares) != len(labels):
            raise ValueError
    except (TypeError, KeyError, ValueError):
        raise ModelFileError("The model file is damaged: its training metrics cannot be read.") from None
    return TrainingMetrics(labels, shares, parts[0], parts[1])


def _read_measured_rows(content: Any, labels: tuple[Any, ...]) -> MeasuredRows | None:  # noqa: ANN401
    if content is None:
        return None
    if not isinstance(content, Mapping):
        raise TypeError
    found = [metrics_from_dict(content[name], labels) for name in ("model", "constant")]
    return MeasuredRows(int(content["rows"]), content["weighted"] is True, *found)
