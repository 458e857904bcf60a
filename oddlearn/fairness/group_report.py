"""Rates by group of a fitted model, as text and as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.constraints.group_rates import RateKind, rate_of_predictions
from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.errors import InvalidInputError
from oddlearn.table.column_table import rows_to_frame
from oddlearn.table.groups import read_sensitive_features
from oddlearn.table.labels_and_weights import check_sample_weight

# rates of the report, in order, by the name of their column
RATES: dict[str, RateKind] = {
    "selection_rate": "selection rate",
    "true_positive_rate": "true positive rate",
    "false_positive_rate": "false positive rate",
    "false_negative_rate": "false negative rate",
    "accuracy": "accuracy",
}


@dataclass(frozen=True)
class FairnessReport:
    """Rates by group and their comparisons; ``print`` shows both.

    Attributes
    ----------
    favourable : label
        The favourable class.
    groups : tuple of dict
        One for each group of each sensitive column: column, group, size (the weight of its samples), share,
        selection_rate, true_positive_rate, false_positive_rate, false_negative_rate, accuracy. A rate of
        no samples is nan.
    comparisons : tuple of dict
        One for each column and rate: column, rate, smallest, largest, ratio (smallest / largest, nan when
        both are 0), difference (largest - smallest).
    """

    favourable: Any
    groups: tuple[dict[str, Any], ...]
    comparisons: tuple[dict[str, Any], ...]

    def __str__(self) -> str:
        head = f"favourable class: {self.favourable!r}"
        return "\n\n".join([head, format_rows(self.groups), format_rows(self.comparisons)])

    def to_frame(self) -> Any:  # noqa: ANN401
        """Return the groups as a pandas DataFrame, indexed by column and group."""
        return rows_to_frame(self.groups).set_index(["column", "group"])

    def comparisons_frame(self) -> Any:  # noqa: ANN401
        """Return the comparisons as a pandas DataFrame, indexed by column and rate."""
        return rows_to_frame(self.comparisons).set_index(["column", "rate"])

    def comparison(self, rate: str, column: str | None = None) -> dict[str, Any]:
        """Return the comparison of a rate; ``column`` may be omitted if there is one."""
        found = [row for row in self.comparisons if row["rate"] == rate and column in (None, row["column"])]
        if len(found) != 1:
            available = [(row["column"], row["rate"]) for row in self.comparisons]
            raise InvalidInputError(
                f"There are {len(found)} comparisons of {rate!r}: give one of {available}."
            )
        return found[0]


def fairness_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    sensitive_features: Any,  # noqa: ANN401
    *,
    favourable: Any = None,  # noqa: ANN401
    sample_weight: ArrayLike | None = None,
) -> FairnessReport:
    """Return sizes, selection rates and error rates of groups, with their ratios and differences.

    Parameters
    ----------
    y_true, y_pred : array-like (n,)
        True and predicted labels.
    sensitive_features : array, Series, DataFrame or dict of columns
        The group of every sample, by one or more columns.
    favourable : label, optional
        Favourable class; the second of two by default, required if there are more.
    sample_weight : array-like (n,), optional

    Examples
    --------
    >>> from oddlearn import fairness_report
    >>> report = fairness_report([1, 0, 1, 1], [1, 0, 0, 1], ["a", "a", "b", "b"])
    >>> report.comparison("accuracy")["difference"]
    0.5
    """
    true, predicted = _check_labels("y_true", y_true), _check_labels("y_pred", y_pred)
    if true.shape != predicted.shape:
        raise InvalidInputError(
            f"y_true has {true.size} labels and y_pred {predicted.size}: give equally many."
        )
    columns = read_sensitive_features(sensitive_features, true.size)
    if not columns:
        raise InvalidInputError("sensitive_features is None: give the group of every sample.")
    weight = check_sample_weight(sample_weight, true.size)
    labels, codes = np.unique(np.concatenate([true, predicted]), return_inverse=True)
    favourable_code = _find_favourable(labels.tolist(), favourable)
    outcomes = _Outcomes(codes[: true.size], codes[true.size :], weight, favourable_code)
    groups = [
        {"column": column.name, "group": level, **outcomes.rates(column.codes == code)}
        for column in columns
        for code, level in enumerate(column.levels)
    ]
    comparisons = [_comparison(column.name, rate, groups) for column in columns for rate in RATES]
    return FairnessReport(labels.tolist()[favourable_code], tuple(groups), tuple(comparisons))


@dataclass(frozen=True, eq=False)
class _Outcomes:
    """True and predicted class codes with the weights of the samples."""

    true: IntArray
    predicted: IntArray
    weight: FloatArray
    favourable: int

    def rates(self, is_member: NDArray[np.bool_]) -> dict[str, float]:
        """Return size, share and rates of a group."""
        own = self.weight[is_member]
        samples = (self.true[is_member], self.predicted[is_member], own, self.favourable)
        rates = {name: rate_of_predictions(kind, *samples) for name, kind in RATES.items()}
        return {"size": float(own.sum()), "share": float(own.sum() / self.weight.sum()), **rates}


def _comparison(column: str, rate: str, groups: list[dict[str, Any]]) -> dict[str, Any]:
    values = np.array([group[rate] for group in groups if group["column"] == column])
    defined = values[~np.isnan(values)]
    low, high = (float(defined.min()), float(defined.max())) if defined.size else (float("nan"),) * 2
    return {
        "column": column,
        "rate": rate,
        "smallest": low,
        "largest": high,
        "ratio": low / high if high > 0 else float("nan"),
        "difference": high - low,
    }


def _check_labels(name: str, given: ArrayLike) -> NDArray[Any]:
    labels = np.asarray(given)
    if labels.ndim != 1 or labels.size == 0:
        raise InvalidInputError(f"{name} has shape {labels.shape}: give one label per sample.")
    return labels


def _find_favourable(labels: list[Any], favourable: Any) -> int:  # noqa: ANN401
    """Return the code of the favourable class."""
    if favourable is None and len(labels) > 2:
        raise InvalidInputError(
            f"The labels are {labels[:10]}: name the favourable class with favourable=..."
        )
    if favourable is not None and favourable not in labels:
        raise InvalidInputError(
            f"The favourable class {favourable!r} is no label: give one of {labels[:10]}."
        )
    return len(labels) - 1 if favourable is None else labels.index(favourable)


def format_rows(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows with the same keys as a table of plain text."""
    head = [name.replace("_", " ") for name in rows[0]]
    cells = [[_cell(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    table = [head, *cells]
    return "\n".join("  ".join(map(str.rjust, line, widths)).rstrip() for line in table)


def _cell(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return "-"
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
