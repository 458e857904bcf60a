"""How a classifier treats groups of samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.errors import InvalidInputError

# more groups make no table
MOST_GROUPS = 25


@dataclass(frozen=True)
class GroupRates:
    """What happens to the samples of a group, for one class.

    Attributes
    ----------
    group : str
    size : float
        Number of its samples, or their weight.
    error : float
        Share of its samples that are predicted wrong.
    selected : float
        Share that is given the class.
    missed : float
        Of those of the class, the share that is not given it (false negatives); nan if there are none.
    mistaken : float
        Of those of other classes, the share that is given it (false positives); nan if there are none.
    """

    group: str
    size: float
    error: float
    selected: float
    missed: float
    mistaken: float


def group_rates(
    codes: IntArray,
    predicted: IntArray,
    groups: list[str],
    class_code: int,
    weights: FloatArray | None = None,
) -> list[GroupRates]:
    """Return the rates of each group, in the order of their names; ``weights`` are what samples count."""
    counts = np.ones(len(codes)) if weights is None else weights
    names = np.array(groups, dtype=object)
    rates = []
    for group in sorted(set(groups)):
        member = names == group
        truth, given = codes[member] == class_code, predicted[member] == class_code
        wrong, count = codes[member] != predicted[member], counts[member]
        rates.append(
            GroupRates(
                group=group,
                size=float(count.sum()),
                error=_share(wrong, count),
                selected=_share(given, count),
                missed=_share(~given[truth], count[truth]),
                mistaken=_share(given[~truth], count[~truth]),
            )
        )
    return rates


def _share(flags: BoolArray, counts: FloatArray) -> float:
    return float(counts[flags].sum() / counts.sum()) if counts.any() else float("nan")


def named_groups(sensitive_features: Any, n_rows: int) -> dict[str, list[str]]:  # noqa: ANN401
    """Return the group of each row per sensitive feature: a column, a frame of columns or a dict of them."""
    if hasattr(sensitive_features, "columns"):
        columns = {str(name): sensitive_features[name] for name in sensitive_features.columns}
    elif isinstance(sensitive_features, dict):
        columns = {str(name): column for name, column in sensitive_features.items()}
    else:
        columns = {str(getattr(sensitive_features, "name", None) or "group"): sensitive_features}
    return {name: _checked(name, column, n_rows) for name, column in columns.items()}


def _checked(name: str, column: ArrayLike, n_rows: int) -> list[str]:
    values = np.asarray(column)
    if values.shape != (n_rows,):
        raise InvalidInputError(
            f"The sensitive feature {name!r} has shape {values.shape}: give one group per row of X, {n_rows}."
        )
    groups = [str(value) for value in values.tolist()]
    if len(set(groups)) > MOST_GROUPS:
        raise InvalidInputError(
            f"The sensitive feature {name!r} has {len(set(groups))} groups: give at most {MOST_GROUPS}, for "
            "example ranges of a number."
        )
    return groups
