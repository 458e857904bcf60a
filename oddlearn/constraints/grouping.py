"""Which columns and groups a fairness constraint is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oddlearn.errors import InvalidInputError
from oddlearn.problem.data import TrainingData
from oddlearn.problem.sensitive import SensitiveColumn, crossed


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
