"""What a file was found to hold: named columns of numbers, booleans or text."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from oddlearn.errors import InvalidInputError
from oddlearn.tables.habit import NO_HABIT, Habit

BoolArray = NDArray[np.bool_]

# columns named in a message, the others are counted
MOST_NAMED = 8


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a file.

    Attributes
    ----------
    name : str
    values : (n,) int64, float64, bool or object
        Text is of type object; where a value is missing, what stands there means nothing.
    missing : (n,) bool
    """

    name: str
    values: NDArray[Any]
    missing: BoolArray

    @property
    def kind(self) -> Literal["number", "boolean", "text"]:
        """What the values are."""
        if self.values.dtype.kind == "O":
            return "text"
        return "boolean" if self.values.dtype.kind == "b" else "number"

    @property
    def n_missing(self) -> int:
        """Number of missing values."""
        return int(self.missing.sum())

    def as_text(self) -> Column:
        """Return the column with its values written as text."""
        return replace(self, values=np.array([str(value) for value in self.values.tolist()], dtype=object))

    def rows(self, places: NDArray[Any]) -> Column:
        """Return the column with these rows only."""
        return replace(self, values=self.values[places], missing=self.missing[places])


@dataclass(frozen=True, eq=False)
class FileTable:
    """A table read from a file.

    Attributes
    ----------
    source : str
        Name of the file, for messages.
    columns : tuple of Column
        Of equal length, with different names.
    remarks : tuple of str
        What the reader decided and the user should know, in sentences.
    habit : Habit
        How the file was read.
    """

    source: str
    columns: tuple[Column, ...]
    remarks: tuple[str, ...] = ()
    habit: Habit = NO_HABIT

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.columns[0].values.size

    def column(self, name: str, wanted_by: str = "") -> Column:
        """Return a column by its name, or say which name comes closest.

        Parameters
        ----------
        name : str
        wanted_by : str
            What asks for it, such as ``--target``, for the message.
        """
        for column in self.columns:
            if column.name == name:
                return column
        asking = f" ({wanted_by})" if wanted_by else ""
        raise InvalidInputError(f"{self.source} has no column {name!r}{asking}: {_nearest(name, self.names)}")

    def without(self, names: Collection[str]) -> FileTable:
        """Return the table without these columns."""
        return replace(self, columns=tuple(column for column in self.columns if column.name not in names))

    def rows(self, places: NDArray[Any]) -> FileTable:
        """Return the table with these rows only, given by place or by a mask."""
        return replace(self, columns=tuple(column.rows(places) for column in self.columns))

    def incomplete_rows(self) -> BoolArray:
        """Return which rows miss a value, shape (n_rows,)."""
        lacking = np.zeros(self.n_rows, dtype=bool)
        for column in self.columns:
            lacking |= column.missing
        return lacking


def listed(names: Collection[str]) -> str:
    """Return names for a message; of many, the first few and how many more."""
    shown = [repr(name) for name in names][:MOST_NAMED]
    others = len(names) - len(shown)
    return ", ".join(shown) + (f" and {others} more" if others else "")


def _nearest(name: str, names: tuple[str, ...]) -> str:
    folded = {known.casefold().strip(): known for known in names}
    close = difflib.get_close_matches(name.casefold().strip(), list(folded), n=1)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"it has {listed(names)}."
