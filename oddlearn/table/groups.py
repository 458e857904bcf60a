"""Sensitive features: who belongs to which group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats, read_only_integers
from oddlearn.errors import InvalidInputError
from oddlearn.table.value_kinds import find_missing

UNNAMED = "group"  # the name of a column that has none

# with more groups than this a column is a number, not a group, and every pair would be compared
MAX_GROUPS = 25


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """The group of every sample by one criterion."""

    name: str
    levels: tuple[Any, ...]  # names of the groups, each with a sample at least
    codes: IntArray  # (n,): place of each sample's group among the levels

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "codes", read_only_integers(self.codes))

    def take(self, samples: IntArray) -> SensitiveColumn:
        """Return the column of some samples only; groups that none of them is in stay named."""
        return SensitiveColumn(self.name, self.levels, self.codes[samples])


@dataclass(frozen=True, eq=False)
class SampleGroups:
    """The samples as constraints count them."""

    codes: IntArray  # (n,): class of each sample
    weight: FloatArray  # (n,): sample weights; class weights change what an error costs, not who is there
    labels: tuple[Any, ...]  # names of the classes
    columns: tuple[SensitiveColumn, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", read_only_integers(self.codes))
        if self.weight.strides != (0,):  # weights that are all the same are one number: see broadcast_to
            object.__setattr__(self, "weight", read_only_floats(self.weight))
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "columns", tuple(self.columns))


def cross_columns(columns: tuple[SensitiveColumn, ...]) -> SensitiveColumn:
    """Return one column whose groups are the combinations of groups that occur."""
    codes = np.zeros_like(columns[0].codes)
    for column in columns:
        codes = codes * len(column.levels) + column.codes
    present, codes = np.unique(codes, return_inverse=True)
    sizes = [len(column.levels) for column in columns]
    places = np.column_stack(np.unravel_index(present, sizes))
    levels = [
        " and ".join(str(column.levels[place]) for column, place in zip(columns, row, strict=True))
        for row in places.tolist()
    ]
    return SensitiveColumn(" and ".join(column.name for column in columns), tuple(levels), codes)


def read_sensitive_features(given: Any, n_rows: int) -> tuple[SensitiveColumn, ...]:  # noqa: ANN401
    """Return the sensitive columns, none when None is given."""
    if given is None:
        return ()
    columns = [_column(name, values, n_rows) for name, values in _named_columns(given)]
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise InvalidInputError(f"sensitive_features has the columns {names}: give each a name of its own.")
    return tuple(columns)


def _named_columns(given: Any) -> list[tuple[str, Any]]:  # noqa: ANN401
    """Return the columns of whatever was given, with their names."""
    if isinstance(given, Mapping):
        columns = [(str(name), values) for name, values in given.items()]
    elif hasattr(given, "iloc") and hasattr(given, "columns"):
        columns = [(str(name), given.iloc[:, place]) for place, name in enumerate(given.columns)]
    elif hasattr(given, "get_columns"):  # polars
        columns = [(str(column.name), column) for column in given.get_columns()]
    elif hasattr(given, "iloc"):
        columns = [(UNNAMED if given.name is None else str(given.name), given)]
    else:
        columns = _array_columns(given)
    if not columns:
        raise InvalidInputError("sensitive_features has no column: give one value per row of X, or None.")
    return columns


def _array_columns(given: Any) -> list[tuple[str, Any]]:  # noqa: ANN401
    values = _as_array(given)
    if values.ndim == 2:
        if values.shape[1] == 1:
            return [(UNNAMED, values[:, 0])]
        return [(f"{UNNAMED} {place}", values[:, place]) for place in range(values.shape[1])]
    return [(UNNAMED, values)]


def _as_array(values: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return values as an array; numbers and None in a list of text stay what they are."""
    if isinstance(values, np.ma.MaskedArray):
        plain = np.array(values.data, dtype=object)
        plain[np.ma.getmaskarray(values)] = None
        return plain
    array = np.asarray(values)
    if array.dtype.kind in "US" and isinstance(values, (list, tuple)):
        return np.asarray(values, dtype=object)
    return array


def _column(name: str, values: Any, n_rows: int) -> SensitiveColumn:  # noqa: ANN401
    array = _as_array(values)
    if array.shape != (n_rows,):
        raise InvalidInputError(
            f"The sensitive column {name!r} has shape {array.shape}: give one value per row of X, here "
            f"{(n_rows,)}."
        )
    missing = np.flatnonzero(find_missing(array))
    if missing.size:
        raise InvalidInputError(
            f"The sensitive column {name!r} has {missing.size} missing values, the first in row "
            f'{missing[0]}: fill them in, for example with "unknown", or leave the rows out.'
        )
    _check_levels_in_use(name, values, array)
    levels, codes = _levels(name, array)
    if len(levels) > MAX_GROUPS:
        raise InvalidInputError(
            f"The sensitive column {name!r} has {len(levels)} different values: give groups, at most "
            f"{MAX_GROUPS}, for example age >= 25 in place of the age."
        )
    return SensitiveColumn(name, levels, codes)


def _check_levels_in_use(name: str, values: Any, array: NDArray[Any]) -> None:  # noqa: ANN401
    """Refuse groups that pandas knows of and nobody is in."""
    categories = getattr(getattr(values, "dtype", None), "categories", None)
    if categories is None:
        return
    present = set(array.tolist())
    empty = [level for level in categories.tolist() if level not in present]
    if empty:
        raise InvalidInputError(
            f"The group {empty[0]!r} of the sensitive column {name!r} has no sample: drop it from the "
            "categories with .cat.remove_unused_categories()."
        )


def _levels(name: str, array: NDArray[Any]) -> tuple[tuple[Any, ...], NDArray[np.intp]]:
    advice = "give groups that are all text, all numbers or all booleans"
    try:
        levels, codes = np.unique(array, return_inverse=True)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in array})
        raise InvalidInputError(
            f"The sensitive column {name!r} holds values of type {', '.join(kinds)}: {advice}."
        ) from None
    # the list of dates in nanoseconds, as pandas 2 has them, is one of integers
    for level in levels if levels.dtype.kind in "mM" else levels.tolist():
        if not isinstance(level, (str, int, float, bool)):
            raise InvalidInputError(f"The sensitive column {name!r} holds {level!r}: {advice}.")
    return tuple(levels.tolist()), codes
