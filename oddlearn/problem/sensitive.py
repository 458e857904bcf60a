"""Who belongs to which group: sensitive columns beside the data, never among the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats, read_only_integers


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """The group of every sample by one criterion.

    Attributes
    ----------
    name : str
    levels : tuple
        Names of the groups, each with a sample at least.
    codes : (n,) int
        Place of each sample's group among the levels.
    """

    name: str
    levels: tuple[Any, ...]
    codes: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "codes", read_only_integers(self.codes))

    def kept(self, samples: IntArray) -> SensitiveColumn:
        """Return the column of some samples only; groups that none of them is in stay named."""
        return SensitiveColumn(self.name, self.levels, self.codes[samples])


@dataclass(frozen=True, eq=False)
class People:
    """The samples as constraints count them.

    Attributes
    ----------
    codes : (n,) int
        Class of each sample.
    weight : (n,) float
        Sample weight of each, without class weights: these change what an error costs, not who is there.
    labels : tuple
        Names of the classes.
    columns : tuple of SensitiveColumn
    """

    codes: IntArray
    weight: FloatArray
    labels: tuple[Any, ...]
    columns: tuple[SensitiveColumn, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", read_only_integers(self.codes))
        object.__setattr__(self, "weight", read_only_floats(self.weight))
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "columns", tuple(self.columns))


def crossed(columns: tuple[SensitiveColumn, ...]) -> SensitiveColumn:
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
