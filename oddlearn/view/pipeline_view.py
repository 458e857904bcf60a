"""A pipeline that ends in a classifier, as a diagram on the columns of the user's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature, Label, default_features
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit
from oddlearn.table.checks import list_names
from oddlearn.view.column_tracing import TracedFeature, Tracer, find_fill

DIGITS = 12  # significant digits of a threshold in the units of the table: the rest is rounding
MIN_SHORTENED, MAX_SHORTENED = 1e-10, 1e15  # sizes of numbers that are shortened
MAX_NAMES = 5  # features named in a note, the others are counted


@dataclass(frozen=True, eq=False)
class TableUnits:
    """A diagram in the units and names of a pipeline's own table."""

    diagram: DecisionDiagram
    metadata: ModelMetadata
    categories: Mapping[str, Sequence[Label]]  # of the columns that the pipeline encodes
    traced: tuple[TracedFeature, ...]  # what stands behind each feature
    notes: tuple[str, ...]  # sentences on features that keep the names of the pipeline's outputs

    def from_transformed(self, rows: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return rows of the classifier's features in the units of the table.

        Numbers have no noise of the transformers and back, unless a row would take another way by that.
        """
        scales = np.array([one.scale for one in self.traced])
        offsets = np.array([one.offset for one in self.traced])
        exact = np.asarray(rows * scales + offsets)
        is_changed = (scales != 1) | (offsets != 0)
        short = np.where(is_changed, _shorten(exact), exact)
        is_same = self.diagram.route(short).final_arc == self.diagram.route(exact).final_arc
        return np.where(is_same[:, None], short, exact)


def trace_pipeline(diagram: DecisionDiagram, metadata: ModelMetadata, pipeline: Any) -> TableUnits:  # noqa: ANN401
    """Return the diagram of the last step of a pipeline in the units of the pipeline's own table.

    What a transformer mixes, such as the components of PCA, keeps the name of the output, and ``notes`` say
    why.
    """
    tracer = Tracer(has_sums=any(isinstance(split, MultivariateSplit) for split in diagram.splits))
    columns = [TracedFeature(Feature(name)) for name in _input_names(pipeline)]
    for _, step in pipeline.steps[:-1]:
        columns = tracer.trace(step, columns)
    traced = tuple(_classifier_features(metadata, pipeline.steps[-1][1], columns))
    own = replace(
        metadata,
        feature_names=tuple(one.feature.name for one in traced),
        features=tuple(one.feature for one in traced),
        column_importances=_table_importances(diagram, metadata, pipeline.steps[-1][1], traced),
    )
    splits = tuple(_to_table_split(split, traced) for split in diagram.splits)
    notes = _notes(traced, diagram.used_features)
    return TableUnits(diagram.with_splits(splits), own, tracer.categories, traced, notes)


def _input_names(pipeline: Any) -> list[str]:  # noqa: ANN401
    """Return the columns of the pipeline's table; a step that passes everything on does not know them."""
    fitted = [step for _, step in pipeline.steps if hasattr(step, "n_features_in_")]
    first = getattr(fitted[0], "best_estimator_", fitted[0])
    names = getattr(first, "feature_names_in_", None)
    return [f"x{place}" for place in range(first.n_features_in_)] if names is None else list(map(str, names))


def _classifier_features(
    metadata: ModelMetadata, fitted: object, columns: Sequence[TracedFeature]
) -> list[TracedFeature]:
    """Return what stands behind each feature of the classifier, whose own encoding comes last."""
    encoding = getattr(getattr(fitted, "best_estimator_", fitted), "encoding_", None)
    if encoding is None:
        features = metadata.features or default_features(len(columns))
        return [_combine(feature, column) for feature, column in zip(features, columns, strict=True)]
    traced = []
    for own, column in zip(encoding.columns, columns, strict=True):
        named = [feature.category for feature in own.features if feature.kind == "category"]
        for feature in own.features:
            is_filled = column.filled == (True if feature.kind == "boolean" else feature.category)
            is_other = feature.kind == "other" and column.filled not in named
            traced.append(_combine(feature, column, bool(is_filled or is_other)))
    return traced


def _table_importances(
    diagram: DecisionDiagram,
    metadata: ModelMetadata,
    fitted: Any,  # noqa: ANN401
    traced: Sequence[TracedFeature],
) -> tuple[float, ...]:
    """Return the importance of each column of the table; empty if it is not known.

    That of a column is known if the diagram asks about one output of the transformers made from it: without
    several outputs at once, the cost is another than without one after the other.
    """
    encoding = getattr(getattr(fitted, "best_estimator_", fitted), "encoding_", None)
    outputs = list(range(len(traced)))
    if encoding is not None:
        outputs = [place for place, column in enumerate(encoding.columns) for _ in column.features]
    if not metadata.column_importances:
        return ()
    importances = {one.feature.column: 0.0 for one in traced}
    pairs_used = {(traced[place].feature.column, outputs[place]) for place in diagram.used_features}
    for column, output in pairs_used:
        importances[column] = metadata.column_importances[output]
    is_known = len(pairs_used) == len({column for column, _ in pairs_used})
    return tuple(importances.values()) if is_known else ()


def _combine(feature: Feature, column: TracedFeature, is_filled: bool = False) -> TracedFeature:
    """Return a feature of the classifier in the table; ``is_filled`` if it is 1 where an imputer fills in."""
    if feature.kind == "number":
        has_missing = feature.has_missing or column.feature.has_missing
        fill = column.feature.fill
        if fill is None and feature.fill is not None:  # a sum takes the median, in the classifier's units
            fill = column.scale * feature.fill + column.offset
        return replace(column, feature=replace(column.feature, has_missing=has_missing, fill=fill))
    if column.is_plain or feature.kind == "missing":
        is_told = feature.kind in ("category", "other", "boolean")
        fill = find_fill(column, is_filled) if is_told else feature.fill
        return TracedFeature(replace(feature, column=column.feature.column, fill=fill))
    return TracedFeature(feature, reason="made by the classifier from an output of the pipeline")


def _to_table_split(split: Split, traced: Sequence[TracedFeature]) -> Split:
    if isinstance(split, UnivariateSplit):
        one = traced[split.feature]
        if split.asks_missing:
            return split
        threshold = _short(one.scale * split.threshold + one.offset)
        fill = one.feature.fill
        is_positive = split.missing_positive if fill is None else fill >= threshold
        return UnivariateSplit(split.feature, threshold, is_positive)
    scales = np.array([one.scale for one in traced])
    weights = split.weights / scales
    shift = float((weights * np.array([one.offset for one in traced])).sum())
    return MultivariateSplit(weights, split.threshold + shift)


def _shorten(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return numbers with DIGITS significant digits; those too small or too large for that as they are."""
    size = np.abs(values)
    is_usual = (size > MIN_SHORTENED) & (size < MAX_SHORTENED)
    places = DIGITS - 1 - np.floor(np.log10(np.where(is_usual, size, 1.0)))
    # powers of ten up to 1e22 are exact, so that the quotient is the nearest double
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    return np.where(is_usual, np.round(values * up / down) / up * down, values)


def _short(threshold: float) -> float:
    return float(f"{threshold:.{DIGITS}g}")


def _notes(traced: Sequence[TracedFeature], used: Sequence[int]) -> tuple[str, ...]:
    """Return a sentence for each reason why features in use keep the names of the pipeline."""
    reasons: dict[str, list[str]] = {}
    for place in used:
        if traced[place].reason:
            reasons.setdefault(traced[place].reason, []).append(traced[place].feature.name)
    return tuple(f"{list_names(names, MAX_NAMES)}: {reason}." for reason, names in reasons.items())
