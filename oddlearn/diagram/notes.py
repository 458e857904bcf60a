"""What a user wants to know beside the diagram: names, labels and training frequencies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats
from oddlearn.diagram.fields import field_of, listed, numbers, text
from oddlearn.errors import InvalidInputError, ModelFileError

Label = str | int | float | bool

# share of an arc's weight added to the class the arc predicts, so that it wins ties
TIE_SHARE = 1e-6


@dataclass(frozen=True, eq=False)
class Notes:
    """Names of features and classes, and the training weight that took each final arc.

    Parameters
    ----------
    feature_names : tuple of str or None
    class_labels : tuple of str, int, float or bool
        Label of each class code.
    arc_weights : (n_arcs, n_classes) float
        Total training weight per final arc and true class.
    """

    feature_names: tuple[str, ...] | None
    class_labels: tuple[Label, ...]
    arc_weights: FloatArray

    def __post_init__(self) -> None:
        if self.feature_names is not None:
            object.__setattr__(self, "feature_names", tuple(str(name) for name in self.feature_names))
        object.__setattr__(self, "class_labels", tuple(_plain(label) for label in self.class_labels))
        object.__setattr__(self, "arc_weights", read_only_floats(self.arc_weights))
        _check_weights(self.arc_weights, len(self.class_labels))

    def probabilities(self, arc_class: IntArray) -> FloatArray:
        """Return smoothed class frequencies per final arc, shape (n_arcs, n_classes).

        One pseudo-sample is spread evenly over the classes, so that an arc without training samples is
        even. ``arc_class`` is ``DecisionDiagram.arc_class``; the class an arc predicts wins ties.
        """
        total = self.arc_weights.sum(axis=1, keepdims=True) + 1.0
        counts = self.arc_weights + 1.0 / len(self.class_labels)
        final = np.flatnonzero(arc_class >= 0)
        counts[final, arc_class[final]] += TIE_SHARE * total[final, 0]
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content."""
        names = None if self.feature_names is None else list(self.feature_names)
        labels, weights = list(self.class_labels), self.arc_weights.tolist()
        return {"feature_names": names, "class_labels": labels, "arc_weights": weights}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Notes) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.feature_names, self.class_labels, self.arc_weights.tobytes()))


def notes_from_dict(document: object, where: str = "notes") -> Notes:
    """Read notes written by ``to_dict``; damaged ones raise ModelFileError."""
    names = field_of(document, "feature_names", where)
    labels = listed(field_of(document, "class_labels", where), f"{where}.class_labels")
    rows = listed(field_of(document, "arc_weights", where), f"{where}.arc_weights")
    weights = [numbers(row, f"{where}.arc_weights[{arc}]") for arc, row in enumerate(rows)]
    if any(len(row) != len(labels) for row in weights):
        raise ModelFileError(f"The model file is damaged: {where}.arc_weights needs one number per class.")
    if names is not None:
        named = listed(names, f"{where}.feature_names")
        names = tuple(text(name, f"{where}.feature_names") for name in named)
    known = tuple(_label(label, where) for label in labels)
    try:
        return Notes(names, known, np.array(weights).reshape(len(rows), len(labels)))
    except InvalidInputError as problem:
        raise ModelFileError(f"The model file does not hold valid notes. {problem}") from None


def _label(value: object, where: str) -> Label:
    if not isinstance(value, (str, int, float, bool)):
        raise ModelFileError(f"The model file is damaged: {where}.class_labels holds {value!r}, not a label.")
    return value


def _plain(label: object) -> Label:
    plain = label.item() if isinstance(label, np.generic) else label
    if not isinstance(plain, (str, int, float, bool)):
        raise InvalidInputError(f"A class label is text, a number or a boolean; got {label!r}.")
    return plain


def _check_weights(weights: FloatArray, n_classes: int) -> None:
    if weights.ndim != 2 or weights.shape[1] != n_classes:
        raise InvalidInputError(f"Arc weights have one row per arc and {n_classes} columns, one per class.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InvalidInputError("Arc weights are finite and not negative.")
