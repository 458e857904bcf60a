"""The model that an exporter reads: a fitted classifier, a search over parameters, or a bare diagram."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Label
from oddlearn.diagram.metadata import Notes
from oddlearn.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class ModelView:
    """A diagram with everything that is known about it.

    Attributes
    ----------
    diagram : DecisionDiagram
    metadata : Notes
        Names, labels and training weights; numbered names and no weights for a bare diagram.
    certificate : Certificate or None
    categories : mapping from column to categories
        Categories of the training table, as far as the model knows them.
    encode : callable or None
        Turns rows of the user's table into the numbers that the diagram reads; None for a bare diagram.
    """

    diagram: DecisionDiagram
    metadata: Notes
    certificate: Any = None
    categories: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    encode: Callable[[Any], ArrayLike] | None = None

    def rows(self, X: ArrayLike | None) -> NDArray[np.floating] | None:
        """Return X as the diagram's splits read it: checked, with categories as numbers; None for None."""
        if X is None:
            return None
        if self.encode is not None:
            return np.asarray(self.encode(X))
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.diagram.n_features:
            n_features = self.diagram.n_features
            raise InvalidInputError(
                f"X has the shape {rows.shape}: give one row per sample and {n_features} columns."
            )
        return rows


def model_view(model: Any, notes: Notes | None = None) -> ModelView:  # noqa: ANN401
    """Return the view of a fitted classifier, of a search over parameters, or of a diagram.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    notes : Notes, optional
        Used instead of the classifier's own.
    """
    # a search over parameters keeps the model it selected
    fitted = getattr(model, "best_estimator_", model)
    if isinstance(fitted, DecisionDiagram):
        return ModelView(fitted, _metadata(fitted, notes))
    diagram = getattr(fitted, "diagram_", None)
    if not isinstance(diagram, DecisionDiagram):
        raise InvalidInputError(
            f"Got a {type(model).__name__}: give a classifier of oddlearn after its fit, or a "
            "DecisionDiagram with its Notes."
        )
    metadata = _metadata(diagram, getattr(fitted, "notes_", None) if notes is None else notes)
    encoding = getattr(fitted, "encoding_", None)
    categories = {} if encoding is None else {column.name: column.categories for column in encoding.columns}
    return ModelView(diagram, metadata, getattr(fitted, "certificate_", None), categories, fitted.encoded)


def _metadata(diagram: DecisionDiagram, notes: Notes | None) -> Notes:
    """Return checked metadata, or numbered names without weights."""
    if notes is None:
        labels = tuple(range(diagram.n_classes))
        return Notes(None, labels, np.zeros((diagram.n_arcs, diagram.n_classes)))
    if notes.arc_weights.shape != (diagram.n_arcs, diagram.n_classes):
        raise InvalidInputError(
            f"The notes are of {notes.arc_weights.shape[0]} arcs and {notes.arc_weights.shape[1]} classes, "
            f"the diagram has {diagram.n_arcs} and {diagram.n_classes}: give the notes of this diagram."
        )
    if notes.features and len(notes.features) != diagram.n_features:
        raise InvalidInputError(
            f"The notes name {len(notes.features)} features, the diagram has {diagram.n_features}: give as "
            "many names."
        )
    return notes


def check_count(name: str, value: int | None) -> None:
    """Raise InvalidInputError unless a number of digits or terms is an integer of at least 1, or None."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise InvalidInputError(f"{name} is {value!r}: give a whole number of at least 1, or None.")
