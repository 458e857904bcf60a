"""Named columns of any kind, from frames, plain arrays or files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.diagram.arrays import BoolArray
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.table.checks import list_names
from oddlearn.table.value_kinds import ValueKind, value_kind

NUMBERS = "iuf"  # kinds of numpy arrays that are numbers
TIMESTAMPS = ("M", "m")  # kinds of numpy arrays that are dates, times or durations
MAX_DENSE_VALUES = 2**28  # numbers of a sparse X, as a dense table of 8 bytes each: 2 GB


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column as it comes."""

    name: str
    values: NDArray[Any]  # (n,) of any type: None, NaN, NaT and NA are missing values
    is_category: bool = False  # True when the frame says so, whatever the values are
    is_utc: bool = False  # True for datetime64 in UTC that had a time zone

    def kind(self, present: NDArray[Any]) -> ValueKind:
        """Return the kind of values; ``present`` are those that are not missing."""
        kind = value_kind(present)
        return "datetime_utc" if kind == "datetime" and self.is_utc else kind


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Columns of equal length; an estimator takes it in place of a pandas frame."""

    columns: tuple[RawColumn, ...]
    has_names: bool = True  # False when the names are not the user's but x0, x1, ...

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

    def with_columns(self, names: Sequence[str]) -> ColumnTable:
        """Return the columns of these names; one that the table does not have is all missing."""
        own = {column.name: column for column in self.columns}
        nothing = np.full(len(self), None, dtype=object)
        return ColumnTable(tuple(own.get(name, RawColumn(name, nothing)) for name in names), self.has_names)


def is_table(X: object) -> bool:
    """Return whether X is a frame or a table with columns that numpy alone would not read as numbers."""
    if isinstance(X, ColumnTable):
        return True
    if not is_frame(X):
        return getattr(getattr(X, "dtype", None), "kind", "") in TIMESTAMPS
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
        return _read_array(X)
    check_columns_differ(X)
    if hasattr(X, "dask"):
        X = X.compute()
    has_names = all(isinstance(name, str) for name in X.columns)
    names = X.columns if has_names else [f"x{place}" for place in range(len(X.columns))]
    columns = (
        _read_series(name, X[key], kind) for name, key, kind in zip(names, X.columns, X.dtypes, strict=True)
    )
    return ColumnTable(tuple(columns), has_names)


def _read_series(name: str, series: Any, kind: Any) -> RawColumn:  # noqa: ANN401
    """Return a column of a pandas or polars frame of this type."""
    if str(kind) == "category":
        # numpy would turn categories that are whole numbers into floats where some are missing
        levels = np.array([*series.cat.categories, None], dtype=object)
        return RawColumn(name, levels[series.cat.codes.to_numpy()], is_category=True)
    if getattr(kind, "tz", None) is not None:  # pandas; as an array it would be of objects
        return RawColumn(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), is_utc=True)
    is_nullable = not isinstance(kind, np.dtype) and hasattr(kind, "na_value")
    if is_nullable and getattr(kind, "kind", "O") in NUMBERS:
        return RawColumn(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    # polars counts times with a zone in UTC
    return RawColumn(name, np.asarray(series), is_utc=getattr(kind, "time_zone", None) is not None)


def to_dense(X: Any) -> Any:  # noqa: ANN401
    """Return a sparse matrix of scipy as a dense array, masked values as missing, others as they are."""
    if isinstance(X, np.ma.MaskedArray):
        return fill_masked(X)
    if not (hasattr(X, "toarray") and hasattr(X, "nnz")):
        return X
    n_values = X.shape[0] * X.shape[1] if len(X.shape) == 2 else 0
    if n_values > MAX_DENSE_VALUES:
        raise InvalidInputError(
            f"The sparse X has {X.shape[0]:,} rows and {X.shape[1]:,} columns, {8e-9 * n_values:.1f} GB as a "
            f"dense table, and at most {8e-9 * MAX_DENSE_VALUES:.1f} GB are taken: select columns first, for "
            "example with sklearn.feature_selection.SelectKBest, or train on fewer rows."
        )
    return X.toarray()


def fill_masked(values: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """Return a plain array with NaN, NaT or None where values are masked."""
    is_masked = np.ma.getmaskarray(values)
    plain = np.asarray(values.data)
    if not is_masked.any():
        return plain
    if plain.dtype.kind in NUMBERS:
        plain = plain.astype(np.result_type(plain.dtype, np.float32))
    elif plain.dtype.kind not in TIMESTAMPS:
        plain = plain.astype(object)
    else:
        plain = plain.copy()
    plain[is_masked] = {"f": np.nan, "O": None}.get(plain.dtype.kind, "NaT")
    return plain


def to_plain_labels(y: Any) -> Any:  # noqa: ANN401
    """Return masked labels and whole numbers and booleans of pandas' nullable types as arrays of their type.

    scikit-learn makes floats of the nullable ones. Labels with missing values are returned as they are, for
    the checks to refuse.
    """
    if isinstance(y, np.ma.MaskedArray):
        return fill_masked(y)
    dtype: Any = getattr(y, "dtype", None)
    is_nullable = hasattr(dtype, "na_value") and hasattr(y, "to_numpy") and not isinstance(dtype, np.dtype)
    if is_nullable and getattr(dtype, "kind", "O") in "iub" and not y.isna().any():
        return y.to_numpy(dtype=dtype.numpy_dtype)
    return y


def check_columns_differ(X: Any) -> None:  # noqa: ANN401
    """Refuse a frame with two columns of one name."""
    _check_different([str(name) for name in X.columns])


def _read_array(X: ArrayLike) -> ColumnTable:
    # as objects, dates would be numbers of nanoseconds
    is_timestamp = getattr(getattr(X, "dtype", None), "kind", "") in TIMESTAMPS
    rows = np.asarray(X) if is_timestamp else np.asarray(X, dtype=object)
    if rows.ndim != 2:
        raise InvalidInputError(f"Expected 2D array, got {rows.ndim}D array instead: give rows of columns.")
    columns = (RawColumn(f"x{place}", rows[:, place]) for place in range(rows.shape[1]))
    return ColumnTable(tuple(columns), has_names=False)


def _flat(name: str, values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind == "U" and isinstance(values, (list, tuple)):
        array = np.array(values, dtype=object)  # else a NaN among text would be the text "nan"
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
    """One column of a file."""

    name: str
    # (n,) int64, float64, bool, datetime64, timedelta64 or object: text is of type object; where a value is
    # missing, what stands there means nothing
    values: NDArray[Any]
    missing: BoolArray  # (n,)
    texts: NDArray[Any] | None = None  # (n,) object: dates as they stand in the file, if it has them as text
    is_utc: bool = False  # True for dates and times in UTC that had a time zone

    @property
    def kind(self) -> Literal["number", "boolean", "text", "date", "duration"]:
        """Kind of the values."""
        kinds: dict[str, Literal["boolean", "text", "date", "duration"]]
        kinds = {"O": "text", "b": "boolean", "M": "date", "m": "duration"}
        return kinds.get(self.values.dtype.kind, "number")

    @property
    def n_missing(self) -> int:
        """Number of missing values."""
        return int(self.missing.sum())

    @property
    def plain_values(self) -> NDArray[Any]:
        """Values of a column without missing ones: numbers, booleans, or numpy strings."""
        return self.values if self.kind in ("number", "boolean") else self.as_text().values.astype(str)

    def as_text(self) -> Column:
        """Return the column with its values written as text."""
        if self.texts is not None:
            return replace(self, values=self.texts, texts=None)
        given = self.values.astype(str) if self.kind in ("date", "duration") else self.values
        return replace(self, values=np.array([str(value) for value in given.tolist()], dtype=object))

    def rows(self, places: NDArray[Any]) -> Column:
        """Return the column with these rows only."""
        texts = None if self.texts is None else self.texts[places]
        return replace(self, values=self.values[places], missing=self.missing[places], texts=texts)

    def to_raw(self) -> RawColumn:
        """Return the column as an estimator takes it: missing values are NaN, NaT or None."""
        values = self.values
        if self.missing.any():
            kinds = {"number": np.float64, "boolean": object}
            values = values.astype(kinds.get(self.kind, values.dtype))
            values[self.missing] = {"number": np.nan, "date": "NaT", "duration": "NaT"}.get(self.kind)
        return RawColumn(self.name, values, is_utc=self.is_utc)


def rows_to_frame(rows: Iterable[Mapping[str, Any]]) -> Any:  # noqa: ANN401
    """Return rows with the same keys as a pandas DataFrame; raise UnsupportedError without pandas."""
    try:
        import pandas
    except ImportError:
        raise UnsupportedError(
            'A data frame needs pandas, which is not installed: pip install "oddlearn[tables]".'
        ) from None
    return pandas.DataFrame(list(rows))
