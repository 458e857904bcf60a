"""What an exporter is given: a fitted classifier, or a diagram with its notes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.errors import InvalidInputError


def subject_of(model: Any, notes: Notes | None = None) -> tuple[DecisionDiagram, Notes]:  # noqa: ANN401
    """Return the diagram and the notes of a fitted classifier or of a diagram.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    notes : Notes, optional
        Used instead of the classifier's own. A diagram without notes gets numbered names and no counts.
    """
    fitted = _chosen(model)
    diagram = fitted if isinstance(fitted, DecisionDiagram) else getattr(fitted, "diagram_", None)
    if not isinstance(diagram, DecisionDiagram):
        raise InvalidInputError(
            f"Got a {type(model).__name__}: give a classifier of oddlearn after its fit, or a "
            "DecisionDiagram with its Notes."
        )
    found = getattr(fitted, "notes_", None) if notes is None else notes
    if found is None:
        labels = tuple(range(diagram.n_classes))
        return diagram, Notes(None, labels, np.zeros((diagram.n_arcs, diagram.n_classes)))
    _check_fit(diagram, found)
    return diagram, found


def rows_of(model: Any, X: ArrayLike | None) -> NDArray[np.floating] | None:  # noqa: ANN401
    """Return X as the diagram's splits see it: checked, and categories as numbers; None for None."""
    if X is None:
        return None
    if not isinstance(model, DecisionDiagram):
        return np.asarray(_chosen(model).encoded(X))
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != model.n_features:
        raise InvalidInputError(
            f"X has the shape {rows.shape}: give one row per sample and {model.n_features} columns."
        )
    return rows


def check_count(name: str, value: int | None) -> None:
    """Refuse a number of digits or terms that is none."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise InvalidInputError(f"{name} is {value!r}: give a whole number of at least 1, or None.")


def _chosen(model: Any) -> Any:  # noqa: ANN401
    """Return the model itself, or the one that a search over parameters has chosen."""
    return getattr(model, "best_estimator_", model)


def _check_fit(diagram: DecisionDiagram, notes: Notes) -> None:
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
