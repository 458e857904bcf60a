"""Metadata of a fitted diagram: names, labels and training frequencies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, read_only_floats
from oddlearn.diagram.class_probabilities import class_probabilities
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature, Label, to_plain_label
from oddlearn.diagram.json_checks import read_items, read_record, require_numbers
from oddlearn.errors import InvalidInputError, ModelFileError

# a sum of class weights divided by the weight of the class is a whole number up to rounding
COUNT_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class ModelMetadata:
    """Names of features and classes, and the training weight that took each arc.

    Parameters
    ----------
    feature_names : tuple of str or None
        Names of what the splits look at, None when the table had none. A category of a column has a name
        such as ``colour = red``.
    class_labels : tuple of str, int, float or bool
        Label of each class code.
    arc_weights : (n_arcs, n_classes) float
        Total training weight per arc and true class.
    features : tuple of Feature, optional
        The column behind each feature. Left out, or with other names than ``feature_names``, they are
        numbers of these names. The metadata of a fitted or loaded model always have them.
    is_weighted : bool
        True when samples had weights: ``arc_counts`` are then no numbers of samples. It is set when they are
        not whole.
    column_importances : tuple of float, optional
        Rise of the mean training cost without the splits on each column of the table; empty if not known.
    class_weights : tuple of float, optional
        Weight of each class in training; empty if all are 1.
    favourable_class : int or None
        Code of the class that is good to get, where a fairness constraint names one: it decides the colours.
    """

    feature_names: tuple[str, ...] | None
    class_labels: tuple[Label, ...]
    arc_weights: FloatArray
    features: tuple[Feature, ...] = ()
    is_weighted: bool = False
    column_importances: tuple[float, ...] = ()
    class_weights: tuple[float, ...] = ()
    favourable_class: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        if self.feature_names is not None:
            names = tuple(str(name) for name in self.feature_names)
            object.__setattr__(self, "feature_names", names)
            if names != tuple(feature.name for feature in self.features):
                object.__setattr__(self, "features", tuple(Feature(name) for name in names))
        object.__setattr__(self, "class_labels", tuple(to_plain_label(label) for label in self.class_labels))
        object.__setattr__(self, "arc_weights", read_only_floats(self.arc_weights))
        object.__setattr__(self, "class_weights", tuple(float(weight) for weight in self.class_weights))
        _check_weights(self.arc_weights, len(self.class_labels), self.class_weights)
        if self.favourable_class is not None and not 0 <= self.favourable_class < len(self.class_labels):
            raise InvalidInputError(f"The favourable class is one of {len(self.class_labels)}, from 0 on.")
        counts = self.arc_counts
        if (counts != np.round(counts)).any():
            object.__setattr__(self, "is_weighted", True)

    @property
    def arc_counts(self) -> FloatArray:
        """Number of training samples per arc and true class, shape (n_arcs, n_classes), for readers.

        Samples with weights count by them, as repeated samples would; weights of classes do not count.
        """
        if not self.class_weights:
            return self.arc_weights
        factors = np.array(self.class_weights)
        shape = self.arc_weights.shape
        counts = np.divide(self.arc_weights, factors, out=np.zeros(shape), where=factors > 0)
        nearest = np.round(counts)
        is_count = np.abs(counts - nearest) <= COUNT_TOLERANCE * np.maximum(1.0, nearest)
        return np.asarray(np.where(is_count, nearest, counts))

    @property
    def row_weight(self) -> float:
        """Largest class weight, for probabilities: that of a row whose sample weight is 1."""
        return max(self.class_weights, default=1.0)

    def feature(self, place: int) -> Feature:
        """Return the feature at this index; a number called ``x3`` if nothing is known of it."""
        return self.features[place] if self.features else Feature(f"x{place}")

    def probabilities(self, diagram: DecisionDiagram) -> FloatArray:
        """Return class probabilities per arc, shape (n_arcs, n_classes); see ``class_probabilities``.

        The class a final arc predicts is the most probable one, unless costs or constraints chose another
        than the most frequent.
        """
        return class_probabilities(diagram, self.arc_weights, self.row_weight)

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content."""
        return {
            **vars(self),
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "class_labels": list(self.class_labels),
            "arc_weights": self.arc_weights.tolist(),
            "features": [feature.to_dict() for feature in self.features],
            "column_importances": list(self.column_importances),
            "class_weights": list(self.class_weights),
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModelMetadata) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.feature_names, self.class_labels, self.arc_weights.tobytes(), self.features))


def metadata_from_dict(document: object, where: str = "metadata") -> ModelMetadata:
    """Read metadata written by ``to_dict``; damaged ones raise ModelFileError."""
    return read_record(ModelMetadata, document, where, arc_weights=_read_weights)


def _read_weights(value: object, where: str) -> FloatArray:
    rows = read_items(require_numbers, value, where)
    if len({len(row) for row in rows}) > 1:
        raise ModelFileError(f"The model file is damaged: {where} needs one number per class.")
    return np.array(rows)


def _check_weights(weights: FloatArray, n_classes: int, class_weights: tuple[float, ...]) -> None:
    if weights.ndim != 2 or weights.shape[1] != n_classes:
        raise InvalidInputError(f"Arc weights have one row per arc and {n_classes} columns, one per class.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InvalidInputError("Arc weights are finite and not negative.")
    if not class_weights:
        return
    if len(class_weights) != n_classes:
        raise InvalidInputError(f"Class weights are {n_classes} numbers, one per class.")
    if not 0 < max(class_weights) < np.inf or min(class_weights) < 0:
        raise InvalidInputError("Class weights are finite, not negative and not all 0.")
