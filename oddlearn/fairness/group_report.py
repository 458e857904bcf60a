"""Rates by group of a fitted model, as text and as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.errors import InvalidInputError
from oddlearn.table.groups import SensitiveColumn, checked_sensitive

# the rates of the table, in its order
RATES = (
    "selection_rate",
    "true_positive_rate",
    "false_positive_rate",
    "false_negative_rate",
    "accuracy",
)


@dataclass(frozen=True)
class FairnessReport:
    """Rates by group, and how far they lie apart; ``print`` shows both.

    Attributes
    ----------
    favourable : label
        The class that is good to be given.
    groups : tuple of dict
        One for each group of each sensitive column: column, group, size (the weight of its samples), share,
        selection_rate, true_positive_rate, false_positive_rate, false_negative_rate, accuracy. A rate among
        nobody is nan.
    comparisons : tuple of dict
        One for each column and rate: column, rate, smallest, largest, ratio (smallest / largest, nan when
        both are 0), difference (largest - smallest).
    """

    favourable: Any
    groups: tuple[dict[str, Any], ...]
    comparisons: tuple[dict[str, Any], ...]

    def __str__(self) -> str:
        head = f"favourable class: {self.favourable!r}"
        return "\n\n".join([head, as_text(self.groups), as_text(self.comparisons)])

    def to_frame(self) -> Any:  # noqa: ANN401
        """Return the groups as a pandas DataFrame, indexed by column and group."""
        return pandas_frame(self.groups).set_index(["column", "group"])

    def comparisons_frame(self) -> Any:  # noqa: ANN401
        """Return the comparisons as a pandas DataFrame, indexed by column and rate."""
        return pandas_frame(self.comparisons).set_index(["column", "rate"])

    def comparison(self, rate: str, column: str | None = None) -> dict[str, Any]:
        """Return how far a rate of the groups lies apart; the column may be left out when there is one."""
        found = [row for row in self.comparisons if row["rate"] == rate and column in (None, row["column"])]
        if len(found) != 1:
            known = [(row["column"], row["rate"]) for row in self.comparisons]
            raise InvalidInputError(f"There are {len(found)} comparisons of {rate!r}: give one of {known}.")
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
        The group of every sample, by one or more criteria.
    favourable : label, optional
        The class that is good to be given; the second of two by default, to be named when there are more.
    sample_weight : array-like (n,), optional

    Examples
    --------
    >>> from oddlearn import fairness_report
    >>> report = fairness_report([1, 0, 1, 1], [1, 0, 0, 1], ["a", "a", "b", "b"])
    >>> report.comparison("accuracy")["difference"]
    0.5
    """
    truth, guess = _labels("y_true", y_true), _labels("y_pred", y_pred)
    if truth.shape != guess.shape:
        raise InvalidInputError(f"y_true has {truth.size} labels and y_pred {guess.size}: give as many.")
    columns = checked_sensitive(sensitive_features, truth.size)
    if not columns:
        raise InvalidInputError("sensitive_features is None: give the group of every sample.")
    weight = _weights(sample_weight, truth.size)
    good = _favourable(truth, guess, favourable)
    groups = [
        _group(column, code, truth, guess, weight, good)
        for column in columns
        for code in range(len(column.levels))
    ]
    comparisons = [_comparison(column.name, rate, groups) for column in columns for rate in RATES]
    return FairnessReport(good, tuple(groups), tuple(comparisons))


def _group(
    column: SensitiveColumn,
    code: int,
    truth: NDArray[Any],
    guess: NDArray[Any],
    weight: FloatArray,
    favourable: Any,  # noqa: ANN401
) -> dict[str, Any]:
    inside = column.codes == code
    truth, guess, own = truth[inside], guess[inside], weight[inside]
    deserving, selected = truth == favourable, guess == favourable
    return {
        "column": column.name,
        "group": column.levels[code],
        "size": float(own.sum()),
        "share": float(own.sum() / weight.sum()),
        "selection_rate": _rate(selected, np.ones_like(selected), own),
        "true_positive_rate": _rate(selected, deserving, own),
        "false_positive_rate": _rate(selected, ~deserving, own),
        "false_negative_rate": _rate(~selected, deserving, own),
        "accuracy": _rate(truth == guess, np.ones_like(selected), own),
    }


def _rate(happens: BoolArray, among: BoolArray, weight: FloatArray) -> float:
    """Return the weight of those it happens to, per weight of those it could happen to; nan among nobody."""
    possible = float(weight[among].sum())
    return float(weight[among & happens].sum()) / possible if possible > 0 else float("nan")


def _comparison(column: str, rate: str, groups: list[dict[str, Any]]) -> dict[str, Any]:
    values = np.array([group[rate] for group in groups if group["column"] == column])
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (float("nan"),) * 2
    return {
        "column": column,
        "rate": rate,
        "smallest": low,
        "largest": high,
        "ratio": low / high if high > 0 else float("nan"),
        "difference": high - low,
    }


def _labels(name: str, given: ArrayLike) -> NDArray[Any]:
    labels = np.asarray(given)
    if labels.ndim != 1 or labels.size == 0:
        raise InvalidInputError(f"{name} has shape {labels.shape}: give one label per sample.")
    return labels


def _weights(given: ArrayLike | None, count: int) -> FloatArray:
    if given is None:
        return np.ones(count)
    weight = np.asarray(given, dtype=np.float64)
    if weight.shape != (count,) or not np.isfinite(weight).all() or (weight < 0).any() or not weight.any():
        raise InvalidInputError(f"sample_weight must hold {count} finite numbers of 0 or more, not all 0.")
    return weight


def _favourable(truth: NDArray[Any], guess: NDArray[Any], given: Any) -> Any:  # noqa: ANN401
    labels = np.unique(np.concatenate([truth, guess])).tolist()
    if given is None and len(labels) > 2:
        raise InvalidInputError(
            f"The labels are {labels[:10]}: name the class that is good to be given with favourable=..."
        )
    if given is not None and given not in labels:
        raise InvalidInputError(f"The favourable class {given!r} is no label: give one of {labels[:10]}.")
    return labels[-1] if given is None else given


def as_text(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows with the same keys as a table of plain text."""
    head = [name.replace("_", " ") for name in rows[0]]
    cells = [[_cell(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    table = [head, *cells]
    return "\n".join("  ".join(map(str.rjust, line, widths)).rstrip() for line in table)


def pandas_frame(rows: Sequence[dict[str, Any]]) -> Any:  # noqa: ANN401
    """Return rows as a pandas DataFrame."""
    try:
        import pandas
    except ImportError:
        raise ImportError("A data frame needs pandas, which is not installed: pip install pandas.") from None
    return pandas.DataFrame(list(rows))


def _cell(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return "-"
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
