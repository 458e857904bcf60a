"""What a page is about: a diagram, its notes, and what else a fitted model tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.labels import Label
from oddlearn.diagram.notes import Notes
from oddlearn.export.subject import subject_of


@dataclass(frozen=True)
class Subject:
    """The model of a page.

    Attributes
    ----------
    diagram : DecisionDiagram
    notes : Notes
    certificate : Certificate or None
        Anything that can ``explain`` itself, and knows whether it ``is_optimal`` and ``is_feasible``.
    requirements : tuple of str
        The constraints it was trained under, a sentence each.
    categories : mapping from column to categories
        Those of the training table, as far as the model knows them.
    """

    diagram: DecisionDiagram
    notes: Notes
    certificate: Any
    requirements: tuple[str, ...]
    categories: Mapping[str, Sequence[Label]]


def reported(model: Any, notes: Notes | None = None) -> Subject:  # noqa: ANN401
    """Return what is known of a fitted classifier, or of a diagram with its notes."""
    if hasattr(model, "fit"):
        check_is_fitted(model)
    diagram, found = subject_of(model, notes)
    required = tuple(_sentence(constraint) for constraint in getattr(model, "constraints", None) or ())
    encoding = getattr(model, "encoding_", None)
    categories = {} if encoding is None else {column.name: column.categories for column in encoding.columns}
    return Subject(diagram, found, getattr(model, "certificate_", None), required, categories)


def _sentence(constraint: object) -> str:
    describe = getattr(constraint, "describe", None)
    return str(describe()) if callable(describe) else str(constraint)
