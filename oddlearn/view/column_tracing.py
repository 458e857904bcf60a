"""Features behind the transformers of a pipeline, traced back to the columns of the user's table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from oddlearn.diagram.features import Feature, Label


@dataclass(frozen=True)
class TracedFeature:
    """A feature of a transformed table and what it is in the user's: ``raw = scale * value + offset``."""

    feature: Feature  # in the user's table
    scale: float = 1.0  # the scale is above 0, so that the order stays
    offset: float = 0.0
    reason: str = ""  # empty, or why it cannot be traced back any further
    filled: Any = None  # what an imputer puts where the column has no value, None without one

    def affine(self, scale: float, offset: float) -> TracedFeature:
        """Return the feature behind one more transformer, before which it was ``scale * value + offset``."""
        return replace(self, scale=self.scale * scale, offset=self.scale * offset + self.offset)

    @property
    def is_plain(self) -> bool:
        """True if values are those of a column of the table."""
        return not self.reason and (self.scale, self.offset) == (1.0, 0.0) and self.feature.kind == "number"


@dataclass
class Tracer:
    """Follows columns through transformers; ``categories`` gathers those of encoded columns."""

    categories: dict[str, Sequence[Label]] = field(default_factory=dict)
    has_sums: bool = False  # True if values matter, not only their order: clipping changes sums

    def trace(self, transformer: Any, columns: list[TracedFeature]) -> list[TracedFeature]:  # noqa: ANN401
        """Return the features that a fitted transformer makes of these columns."""
        if transformer is None or isinstance(transformer, str):
            return [] if transformer == "drop" else columns
        if hasattr(transformer, "steps"):
            for _, step in transformer.steps:
                columns = self.trace(step, columns)
            return columns
        for base in type(transformer).__mro__:  # a subclass is traced as what it extends
            rule = RULES.get(base.__name__) if base.__module__.startswith("sklearn.") else None
            if rule is not None:
                return rule(self, transformer, columns)
        if hasattr(transformer, "get_support"):
            return [columns[place] for place in transformer.get_support(indices=True)]
        return keep_outputs(transformer, columns)

    def _column_transformer(self, transformer: Any, columns: list[TracedFeature]) -> list[TracedFeature]:  # noqa: ANN401
        names = [column.feature.column for column in columns]
        traced: dict[str, list[TracedFeature]] = {}
        for name, part, chosen in transformer.transformers_:
            own = [columns[place] for place in _places(chosen, names)]
            traced[name] = self.trace(part, own) if own else []  # a part without columns is not fitted
        result: list[TracedFeature | None] = [None] * max(
            (span.stop for span in transformer.output_indices_.values()), default=0
        )
        for name, span in transformer.output_indices_.items():
            if span.stop > span.start:
                result[span] = traced.get(name) or keep_outputs(transformer, columns, span.stop - span.start)
        return [one for one in result if one is not None]

    def _standard_scaler(self, scaler: Any, columns: list[TracedFeature]) -> list[TracedFeature]:  # noqa: ANN401
        offsets = scaler.mean_ if scaler.with_mean else np.zeros(len(columns))
        scales = scaler.scale_ if scaler.with_std else np.ones(len(columns))
        return _affine(columns, scales, offsets)

    def _min_max_scaler(self, scaler: Any, columns: list[TracedFeature]) -> list[TracedFeature]:  # noqa: ANN401
        if scaler.clip and self.has_sums:
            return keep_outputs(scaler, columns)
        return _affine(columns, 1 / scaler.scale_, -scaler.min_ / scaler.scale_)

    def _max_abs_scaler(self, scaler: Any, columns: list[TracedFeature]) -> list[TracedFeature]:  # noqa: ANN401
        if getattr(scaler, "clip", False) and self.has_sums:  # since scikit-learn 1.8
            return keep_outputs(scaler, columns)
        return _affine(columns, scaler.scale_, np.zeros(len(columns)))

    def _robust_scaler(self, scaler: Any, columns: list[TracedFeature]) -> list[TracedFeature]:  # noqa: ANN401
        scales = scaler.scale_ if scaler.with_scaling else np.ones(len(columns))
        return _affine(columns, scales, scaler.center_ if scaler.with_centering else np.zeros(len(columns)))

    def _simple_imputer(self, imputer: Any, columns: list[TracedFeature]) -> list[TracedFeature]:  # noqa: ANN401
        if not _is_missing(imputer.missing_values) and str(imputer.missing_values) != "<NA>":
            return keep_outputs(imputer, columns)  # a value that stands for a missing one
        kept, statistics = [], list(imputer.statistics_)
        for column, fill in zip(columns, statistics, strict=True):
            is_number = isinstance(fill, (int, float, np.number))
            if is_number and np.isnan(fill) and not imputer.keep_empty_features:
                continue  # a column without any value is dropped
            # values that are filled in take the side of the number that stands for them
            raw = column.scale * float(fill) + column.offset if is_number else None
            if column.filled is None and column.feature.kind == "number":  # others have no gaps any more
                feature = replace(column.feature, has_missing=True, fill=raw)
                column = replace(column, feature=feature, filled=fill)
            kept.append(column)
        if imputer.indicator_ is not None:
            marked = [columns[place] for place in imputer.indicator_.features_]
            kept += [TracedFeature(Feature(one.feature.column, kind="missing")) for one in marked]
        return kept

    def _one_hot_encoder(self, encoder: Any, columns: list[TracedFeature]) -> list[TracedFeature]:  # noqa: ANN401
        rare = getattr(encoder, "infrequent_categories_", [None] * len(columns))
        dropped = encoder.drop_idx_ if encoder.drop_idx_ is not None else [None] * len(columns)
        features = []
        for column, levels, pooled, drop in zip(columns, encoder.categories_, rare, dropped, strict=True):
            if not column.is_plain or (drop is not None and pooled is not None):
                return keep_outputs(encoder, columns)
            self.categories[column.feature.column] = [one for one in levels.tolist() if not _is_missing(one)]
            hidden = set() if pooled is None else set(pooled.tolist())
            own = [
                _category(column, level)
                for place, level in enumerate(levels.tolist())
                if place != drop and level not in hidden
            ]
            is_other = column.filled in hidden or column.filled not in levels
            other = Feature(column.feature.column, kind="other", fill=find_fill(column, is_other))
            features += [*own, TracedFeature(other)] if hidden else own
        return features

    def _ordinal_encoder(self, encoder: Any, columns: list[TracedFeature]) -> list[TracedFeature]:  # noqa: ANN401
        features = []
        for column, levels in zip(columns, encoder.categories_, strict=True):
            codes = ", ".join(f"{level} = {code}" for code, level in enumerate(levels.tolist()))
            features.append(TracedFeature(Feature(f"{column.feature.column} ({codes})")))
        return features

    def _function_transformer(self, transformer: Any, columns: list[TracedFeature]) -> list[TracedFeature]:  # noqa: ANN401
        return columns if transformer.func is None else keep_outputs(transformer, columns)


Rule = Callable[[Tracer, Any, list[TracedFeature]], list[TracedFeature]]

# transformers of scikit-learn by the name of their class
RULES: Mapping[str, Rule] = {
    "ColumnTransformer": Tracer._column_transformer,
    "FunctionTransformer": Tracer._function_transformer,
    "MaxAbsScaler": Tracer._max_abs_scaler,
    "MinMaxScaler": Tracer._min_max_scaler,
    "OneHotEncoder": Tracer._one_hot_encoder,
    "OrdinalEncoder": Tracer._ordinal_encoder,
    "RobustScaler": Tracer._robust_scaler,
    "SimpleImputer": Tracer._simple_imputer,
    "StandardScaler": Tracer._standard_scaler,
}


def keep_outputs(
    transformer: object, columns: Sequence[TracedFeature], count: int | None = None
) -> list[TracedFeature]:
    """Return the outputs of a transformer under its own names, with the reason why they stay."""
    kind = type(transformer).__name__
    names = _output_names(transformer, columns) if count is None else None
    names = names or [f"{kind.lower()}{place}" for place in range(count or len(columns))]
    taken = {column.feature.column for column in columns}
    names = [f"{kind}({name})" if name in taken else name for name in names]  # no value of that column
    reason = f"outputs of {kind}, which cannot be traced back to single columns"
    return [TracedFeature(Feature(name), reason=reason) for name in names]


def _output_names(transformer: Any, columns: Sequence[TracedFeature]) -> list[str] | None:  # noqa: ANN401
    if not hasattr(transformer, "get_feature_names_out"):
        return None
    try:
        names = transformer.get_feature_names_out([column.feature.column for column in columns])
    except (ValueError, TypeError, AttributeError):  # it knows its input by other names
        names = transformer.get_feature_names_out()
    return [str(name) for name in names]


def _affine(columns: list[TracedFeature], scales: Any, offsets: Any) -> list[TracedFeature]:  # noqa: ANN401
    numbers = zip(columns, scales, offsets, strict=True)
    return [column.affine(float(scale), float(offset)) for column, scale, offset in numbers]


def _places(chosen: Any, names: list[str]) -> list[int]:  # noqa: ANN401
    """Return the places of the columns that a part of a ColumnTransformer was given."""
    if isinstance(chosen, str):
        return [names.index(chosen)]
    if not isinstance(chosen, slice):
        chosen = list(chosen)
        if chosen and isinstance(chosen[0], str):
            return [names.index(name) for name in chosen]
        chosen = np.array(chosen, dtype=bool if chosen and isinstance(chosen[0], (bool, np.bool_)) else int)
    return [int(place) for place in np.atleast_1d(np.arange(len(names))[chosen])]


def _category(column: TracedFeature, level: Any) -> TracedFeature:  # noqa: ANN401
    if _is_missing(level):
        return TracedFeature(Feature(column.feature.column, kind="missing"))
    fill = find_fill(column, bool(level == column.filled))
    return TracedFeature(Feature(column.feature.column, level, "category", fill=fill))


def find_fill(column: TracedFeature, is_filled: bool) -> float | None:
    """Return what a 0 or 1 of a column of categories is where an imputer fills it in, None without one."""
    return None if column.filled is None else float(is_filled)


def _is_missing(level: Any) -> bool:  # noqa: ANN401
    return level is None or (isinstance(level, float) and np.isnan(level))
