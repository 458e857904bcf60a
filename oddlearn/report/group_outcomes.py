"""Outcomes by group: error rate, selection rate, false negatives and false positives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.constraints.group_rates import RateKind, rate_of_predictions
from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.errors import InvalidInputError

# with more groups a column is a number, and its table cannot be read
MAX_GROUPS = 25

# rates of the page, by the attribute of GroupOutcomes
RATES: dict[str, RateKind] = {
    "error_rate": "error rate",
    "selection_rate": "selection rate",
    "false_negative_rate": "false negative rate",
    "false_positive_rate": "false positive rate",
}


@dataclass(frozen=True)
class GroupOutcomes:
    """Rates of the samples of a group, for one class.

    Attributes
    ----------
    group : str
    size : float
        Number of its samples, or their weight.
    error_rate : float
        Share of its samples with a wrong prediction.
    selection_rate : float
        Share predicted as the class.
    false_negative_rate : float
        Share of the samples of the class that are predicted as another one; nan if there are none.
    false_positive_rate : float
        Share of the samples of other classes that are predicted as the class; nan if there are none.
    """

    group: str
    size: float
    error_rate: float
    selection_rate: float
    false_negative_rate: float
    false_positive_rate: float


def group_outcomes(
    codes: IntArray,
    predicted: IntArray,
    groups: list[str],
    class_code: int,
    weights: FloatArray | None = None,
) -> list[GroupOutcomes]:
    """Return the rates of each group, in the order of their names, weighted if there are weights."""
    counts = np.ones(len(codes)) if weights is None else weights
    names = np.array(groups, dtype=object)
    outcomes = []
    for group in sorted(set(groups)):
        member = names == group
        samples = (codes[member], predicted[member], counts[member], class_code)
        rates = {name: rate_of_predictions(kind, *samples) for name, kind in RATES.items()}
        outcomes.append(GroupOutcomes(group=group, size=float(counts[member].sum()), **rates))
    return outcomes


def read_groups(sensitive_features: Any, n_rows: int) -> dict[str, list[str]]:  # noqa: ANN401
    """Return the group of each row per sensitive feature: a column, a frame of columns or a dict of them."""
    if hasattr(sensitive_features, "columns"):
        columns = {str(name): sensitive_features[name] for name in sensitive_features.columns}
    elif isinstance(sensitive_features, dict):
        columns = {str(name): column for name, column in sensitive_features.items()}
    else:
        columns = {str(getattr(sensitive_features, "name", None) or "group"): sensitive_features}
    return {name: _check_groups(name, column, n_rows) for name, column in columns.items()}


def _check_groups(name: str, column: ArrayLike, n_rows: int) -> list[str]:
    values = np.asarray(column)
    if values.shape != (n_rows,):
        raise InvalidInputError(
            f"The sensitive feature {name!r} has shape {values.shape}: give one group per row of X, {n_rows}."
        )
    groups = [str(value) for value in values.tolist()]
    if len(set(groups)) > MAX_GROUPS:
        raise InvalidInputError(
            f"The sensitive feature {name!r} has {len(set(groups))} groups: give at most {MAX_GROUPS}, for "
            "example ranges of a number."
        )
    return groups
