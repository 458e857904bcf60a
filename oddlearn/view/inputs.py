"""The model that an exporter reads: a fitted classifier, a search over parameters, or a bare diagram."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Label
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.errors import InvalidInputError
from oddlearn.view.palette import class_colours
from oddlearn.view.pipeline_view import trace_pipeline


@dataclass(frozen=True, eq=False)
class ModelView:
    """A diagram with everything that is known about it."""

    diagram: DecisionDiagram
    metadata: ModelMetadata  # of a bare diagram: default names and no weights
    certificate: Any = None
    # categories of the training table, as far as the model knows them
    categories: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    # turns rows of the user's table into the numbers that the diagram reads; None for a bare diagram
    encode: Callable[[Any], ArrayLike] | None = None
    notes: tuple[str, ...] = ()  # sentences on names that are not those of the user's table

    @property
    def colours(self) -> tuple[str, ...]:
        """Colour of each class."""
        return class_colours(self.diagram.n_classes, self.metadata.favourable_class)

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


def model_view(model: Any, metadata: ModelMetadata | None = None) -> ModelView:  # noqa: ANN401
    """Return the view of a fitted classifier, of a search over parameters, of a pipeline, or of a diagram.

    The view of a pipeline has the columns and units of the pipeline's own table, as far as its transformers
    can be traced back.

    ``metadata``: used instead of the classifier's own.
    """
    selected = getattr(model, "best_estimator_", model)
    fitted = final_model(model)
    if fitted is not selected and hasattr(selected, "steps"):
        return _pipeline_view(selected, model_view(fitted, metadata))
    if isinstance(fitted, DecisionDiagram):
        return ModelView(fitted, _metadata(fitted, metadata))
    diagram = getattr(fitted, "diagram_", None)
    if not isinstance(diagram, DecisionDiagram):
        raise InvalidInputError(
            f"Got a {type(model).__name__}: give a classifier of oddlearn after its fit, or a "
            "DecisionDiagram with its ModelMetadata."
        )
    metadata = _metadata(diagram, getattr(fitted, "metadata_", None) if metadata is None else metadata)
    encoding = getattr(fitted, "encoding_", None)
    categories = {} if encoding is None else {column.name: column.categories for column in encoding.columns}
    return ModelView(diagram, metadata, getattr(fitted, "certificate_", None), categories, fitted.encode)


def _pipeline_view(pipeline: Any, last: ModelView) -> ModelView:  # noqa: ANN401
    """Return the view of the last step of a pipeline in the units of the pipeline's own table."""
    units = trace_pipeline(last.diagram, last.metadata, pipeline)

    def encode(X: Any) -> ArrayLike:  # noqa: ANN401
        rows = last.rows(pipeline[:-1].transform(X) if len(pipeline.steps) > 1 else X)
        assert rows is not None
        return units.from_transformed(rows)

    return ModelView(
        units.diagram,
        units.metadata,
        last.certificate,
        {**last.categories, **units.categories},
        encode,
        units.notes,
    )


def final_model(model: Any) -> Any:  # noqa: ANN401
    """Return the model that a search over parameters selected, or that a pipeline ends in; else the model."""
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif getattr(model, "steps", None):
            model = model.steps[-1][1]
        else:
            return model


def _metadata(diagram: DecisionDiagram, metadata: ModelMetadata | None) -> ModelMetadata:
    """Return checked metadata, or default names without weights."""
    if metadata is None:
        labels = tuple(range(diagram.n_classes))
        return ModelMetadata(None, labels, np.zeros((diagram.n_arcs, diagram.n_classes)))
    if not isinstance(metadata, ModelMetadata):
        raise InvalidInputError(
            f"metadata is a {type(metadata).__name__}: give ModelMetadata, and rows by their name, X=..."
        )
    if metadata.arc_weights.shape != (diagram.n_arcs, diagram.n_classes):
        raise InvalidInputError(
            f"The metadata are of {metadata.arc_weights.shape[0]} arcs and {metadata.arc_weights.shape[1]} "
            f"classes, the diagram has {diagram.n_arcs} and {diagram.n_classes}: give the metadata of this "
            "diagram."
        )
    if metadata.features and len(metadata.features) != diagram.n_features:
        raise InvalidInputError(
            f"The metadata name {len(metadata.features)} features, the diagram has {diagram.n_features}: "
            "give as many names."
        )
    return metadata


def check_count(name: str, value: int | None) -> None:
    """Raise InvalidInputError unless a number of digits or terms is an integer of at least 1, or None."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise InvalidInputError(f"{name} is {value!r}: give a whole number of at least 1, or None.")
