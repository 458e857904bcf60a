"""Rates by group as rows on the observables, and the groups that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import coo_array, csr_array

from oddlearn.diagram.arrays import FloatArray
from oddlearn.errors import InvalidInputError
from oddlearn.problem.observables import Layout
from oddlearn.problem.training_data import TrainingData
from oddlearn.table.groups import SensitiveColumn, crossed

RateKind = Literal[
    "selection rate",
    "number selected (as a share of all)",
    "true positive rate",
    "false positive rate",
    "accuracy",
]


@dataclass(frozen=True, eq=False)
class GroupRates:
    """One rate of every group.

    Attributes
    ----------
    kind : str
    column : str
        What the groups are by.
    levels : tuple
        Names of the groups.
    matrix : sparse (n_levels, layout.size)
        Turns observables into the rates, each from 0 to 1.
    """

    kind: RateKind
    column: str
    levels: tuple[Any, ...]
    matrix: csr_array

    def of(self, observables: FloatArray) -> FloatArray:
        """Return the rate of each group, shape (n_levels,)."""
        return np.asarray(self.matrix @ observables)


def group_rates(
    kind: RateKind, data: TrainingData, layout: Layout, column: SensitiveColumn, favourable: int
) -> GroupRates:
    """Return a rate of the groups of a column.

    Parameters
    ----------
    kind : str
        "selection rate": who is given the favourable class; "number selected (as a share of all)": the same
        divided by all samples, not by those of the group; "true positive rate" and "false positive rate": the
        same among those whose class is, or is not, the favourable one; "accuracy": who is given its own.
    data, layout
    column : SensitiveColumn
    favourable : int
        Code of the favourable class; without meaning for the accuracy.
    """
    counted = data.counted(column)
    among = _among(kind, counted, favourable)
    size = among.sum(axis=(0, 1))
    _check_sizes(kind, column, size, data, favourable)
    given = among if kind == "accuracy" else among.sum(axis=1, keepdims=True)
    places = layout.assigned if kind == "accuracy" else layout.assigned[:, [favourable]]
    scale = np.full(size.size, counted.sum()) if kind == "number selected (as a share of all)" else size
    row, code, level = np.nonzero(given)
    values = given[row, code, level] / scale[level]
    matrix = coo_array((values, (level, places[row, code])), shape=(size.size, layout.size)).tocsr()
    return GroupRates(kind, column.name, column.levels, matrix)


def _among(kind: RateKind, counted: FloatArray, favourable: int) -> FloatArray:
    """Return the weight of those a rate is about, by row, class and group."""
    if kind not in ("true positive rate", "false positive rate"):
        return counted
    is_favourable = np.arange(counted.shape[1]) == favourable
    chosen = is_favourable if kind == "true positive rate" else ~is_favourable
    return np.asarray(counted * chosen[:, None])


def _check_sizes(
    kind: RateKind, column: SensitiveColumn, size: FloatArray, data: TrainingData, favourable: int
) -> None:
    empty = [level for level, weight in zip(column.levels, size.tolist(), strict=True) if weight == 0]
    if not empty:
        return
    labels = data.people.labels if data.people is not None else ()
    missing = {
        "true positive rate": f" of class {labels[favourable]!r}",
        "false positive rate": f" of another class than {labels[favourable]!r}",
    }.get(kind, "")
    raise InvalidInputError(
        f"The group {empty[0]!r} of {column.name!r} has no training sample{missing}, so that its {kind} does "
        "not exist: leave the group out with groups=..., or put it together with another."
    )


def chosen_columns(
    name: str,
    data: TrainingData,
    columns: str | Sequence[str] | None,
    groups: Sequence[Any] | None,
    intersection: bool,
) -> list[SensitiveColumn]:
    """Return the columns whose groups are compared; samples outside all groups have code -1."""
    given = data.people.columns if data.people is not None else ()
    if not given:
        raise InvalidInputError(
            f"{name} compares groups: give fit the argument sensitive_features, one value per row of X (in "
            "pipelines by scikit-learn's metadata routing, set_fit_request(sensitive_features=True))."
        )
    chosen = list(given) if columns is None else [_named(column, given) for column in columns]
    if intersection and len(chosen) > 1:
        chosen = [crossed(tuple(chosen))]
    if groups is not None:
        chosen = [_restricted(chosen, groups)]
    for column in chosen:
        if len(column.levels) < 2:
            raise InvalidInputError(
                f"The sensitive column {column.name!r} has one group only, {column.levels[0]!r}: {name} "
                "compares two or more."
            )
    return chosen


def _named(name: str, given: tuple[SensitiveColumn, ...]) -> SensitiveColumn:
    for column in given:
        if column.name == name:
            return column
    names = [column.name for column in given]
    raise InvalidInputError(f"There is no sensitive column {name!r}: give one of {names}.")


def _restricted(columns: list[SensitiveColumn], groups: Sequence[Any]) -> SensitiveColumn:
    """Return the only column with the groups named; others are left out of all comparisons."""
    if len(columns) > 1:
        names = [column.name for column in columns]
        raise InvalidInputError(
            f"groups={groups!r} is about one column, not {names}: choose it with columns=..."
        )
    column = columns[0]
    if len(set(groups)) < len(groups):
        raise InvalidInputError(f"groups={groups!r} names a group twice: name each once.")
    for group in groups:
        if group not in column.levels:
            raise InvalidInputError(
                f"The group {group!r} of {column.name!r} has no training sample: give groups among "
                f"{list(column.levels)[:10]}."
            )
    new_code = np.full(len(column.levels), -1)
    new_code[[column.levels.index(group) for group in groups]] = np.arange(len(groups))
    return SensitiveColumn(column.name, tuple(groups), new_code[column.codes])
