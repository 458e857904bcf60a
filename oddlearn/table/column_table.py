"""Named columns of any kind, from frames, plain arrays or files."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.diagram.arrays import BoolArray
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.table.checks import list_names, quote_names
from oddlearn.table.csv_dialect import UNKNOWN_DIALECT, CsvDialect
from oddlearn.table.value_kinds import count_missing

# kinds of numpy arrays that are numbers
NUMBERS = "iuf"


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column as it comes.

    Attributes
    ----------
    name : str
    values : (n,) of any type
    is_category : bool
        True when the frame says so, whatever the values are.
    """

    name: str
    values: NDArray[Any]
    is_category: bool = False

    @property
    def n_missing(self) -> int:
        """Number of missing values: None, NaN, NaT or NA."""
        return count_missing(self.values)


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Columns of equal length; an estimator takes it in place of a pandas frame.

    Attributes
    ----------
    columns : tuple of RawColumn
    has_names : bool
        False when the names are not the user's but x0, x1, ...
    """

    columns: tuple[RawColumn, ...]
    has_names: bool = True

    def __post_init__(self) -> None:
        if len({column.values.shape for column in self.columns}) > 1:
            raise InvalidInputError("The columns of a table must be of equal length.")
        _check_different(self.names)

    @classmethod
    def from_mapping(cls, columns: Mapping[str, ArrayLike]) -> ColumnTable:
        """Return a table of these named columns."""
        return cls(tuple(RawColumn(name, _flat(name, values)) for name, values in columns.items()))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return (self.columns[0].values.shape[0] if self.columns else 0), len(self.columns)

    def __len__(self) -> int:
        return self.shape[0]

    def rows(self, places: NDArray[Any]) -> ColumnTable:
        """Return the table with these rows only, given by place or by a mask."""
        taken = tuple(replace(column, values=column.values[places]) for column in self.columns)
        return replace(self, columns=taken)

    def check_complete(self) -> None:
        """Refuse missing values, and name the columns they are in."""
        lacking = [(column.name, column.n_missing) for column in self.columns]
        check_no_missing([(name, count) for name, count in lacking if count], len(self))


def check_no_missing(lacking: Sequence[tuple[str, int]], n_rows: int) -> None:
    """Raise InvalidInputError if there are columns with missing values; ``lacking`` counts them."""
    if lacking:
        counts = [f"{name} ({count} of {n_rows} rows)" for name, count in lacking]
        raise InvalidInputError(
            f"X contains NaN or other missing values in {list_names(counts)}: fill them in, for example with "
            "sklearn.impute.SimpleImputer, give them a category of their own, or leave out these rows or "
            "columns."
        )


def is_table(X: object) -> bool:
    """Return whether X is a frame or a table with columns that numpy alone would not read as numbers."""
    if isinstance(X, ColumnTable):
        return True
    if not is_frame(X):
        return False
    frame: Any = X
    return not all(getattr(kind, "kind", "O") in NUMBERS for kind in frame.dtypes)


def is_frame(X: object) -> bool:
    """Return whether X is a pandas or polars frame."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def read_columns(X: Any) -> ColumnTable:  # noqa: ANN401
    """Return the columns of a frame, or of a two-dimensional array-like whose columns have no names."""
    if isinstance(X, ColumnTable):
        return X
    if not is_frame(X):
        return _unnamed(X)
    check_columns_differ(X)
    has_names = all(isinstance(name, str) for name in X.columns)
    names = X.columns if has_names else [f"x{place}" for place in range(len(X.columns))]
    columns = (
        RawColumn(name, np.asarray(X[key]), str(kind) == "category")
        for name, key, kind in zip(names, X.columns, X.dtypes, strict=True)
    )
    return ColumnTable(tuple(columns), has_names)


def check_columns_differ(X: Any) -> None:  # noqa: ANN401
    """Refuse a frame with two columns of one name."""
    _check_different([str(name) for name in X.columns])


def _unnamed(X: ArrayLike) -> ColumnTable:
    rows = np.asarray(X, dtype=object)
    if rows.ndim != 2:
        raise InvalidInputError(f"Expected 2D array, got {rows.ndim}D array instead: give rows of columns.")
    columns = (RawColumn(f"x{place}", rows[:, place]) for place in range(rows.shape[1]))
    return ColumnTable(tuple(columns), has_names=False)


def _flat(name: str, values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InvalidInputError(f"The column {name} has {array.ndim} dimensions: give one value per row.")
    return array


def _check_different(names: Sequence[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise InvalidInputError(
            f"X has more than one column called {list_names(twice)}: rename or leave out the others, so that "
            "every column has a name of its own."
        )


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
        """Kind of the values."""
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
    messages : tuple of str
        What the reader decided and the user should know, in sentences.
    dialect : CsvDialect
        How the file was read.
    """

    source: str
    columns: tuple[Column, ...]
    messages: tuple[str, ...] = ()
    dialect: CsvDialect = UNKNOWN_DIALECT

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


def _nearest(name: str, names: tuple[str, ...]) -> str:
    folded = {known.casefold().strip(): known for known in names}
    close = difflib.get_close_matches(name.casefold().strip(), list(folded), n=1)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"it has {quote_names(names)}."


def rows_to_frame(rows: Iterable[Mapping[str, Any]]) -> Any:  # noqa: ANN401
    """Return rows with the same keys as a pandas DataFrame; raise UnsupportedError without pandas."""
    try:
        import pandas
    except ImportError:
        raise UnsupportedError(
            "A data frame needs pandas, which is not installed: pip install pandas."
        ) from None
    return pandas.DataFrame(list(rows))
