"""Checks of the rows of X: numbers as scikit-learn reads them, columns of several kinds as we do."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_X_y
from sklearn.utils.validation import validate_data

from oddlearn.errors import InvalidInputError
from oddlearn.table.checks import list_names
from oddlearn.table.column_table import (
    ColumnTable,
    check_columns_differ,
    is_frame,
    is_table,
    read_columns,
    to_dense,
    to_plain_labels,
)
from oddlearn.table.encoded_rows import add_unneeded_columns, check_column_names, encode_columns
from oddlearn.table.encoding import Encoding
from oddlearn.table.value_kinds import find_missing

REAL_TYPES = (np.float64, np.float32)


def training_rows(
    estimator: BaseEstimator, X: ArrayLike, y: ArrayLike, as_columns: bool = False
) -> tuple[NDArray[np.floating] | ColumnTable, NDArray[Any]]:
    """Return the rows, as numbers or as columns of several kinds, and the labels of a training table.

    Sets ``n_features_in_`` and ``feature_names_in_`` of the estimator.
    """
    X, y = to_dense(X), to_plain_labels(y)
    _check_kind(X)
    if not as_columns and not is_table(X):
        rows, labels = _validate(estimator, X, y=y, ensure_min_samples=2)
        return rows, labels
    _take_names(estimator, X)
    table = read_columns(X)
    stand_in = np.broadcast_to(0.0, table.shape)
    try:
        return table, check_X_y(stand_in, y, ensure_min_samples=2, estimator=estimator)[1]
    except ValueError as problem:
        raise _explain(problem) from None


def check_rows(estimator: BaseEstimator, X: ArrayLike) -> NDArray[np.floating]:
    """Check rows to be classified against the table the estimator was fitted on; return them as numbers.

    A column that the diagram does not ask about may be left out of a frame.
    """
    encoding: Encoding | None = getattr(estimator, "encoding_", None)
    given: Any = to_dense(X)
    _check_kind(given)
    given = add_unneeded_columns(estimator, given)
    if (encoding is None or encoding.is_numeric) and not is_table(given):
        rows: NDArray[np.floating] = _validate(estimator, given, reset=False)
        return rows if encoding is None else encoding.encode_numbers(rows)
    if isinstance(given, ColumnTable):
        check_column_names(estimator, given)
    else:
        validate_data(estimator, given, reset=False, skip_check_array=True)
    return encode_columns(estimator, read_columns(given))


def _check_kind(X: object) -> None:
    """Refuse a dict, a path, a lazy frame, and a frame without columns or with two of one name."""
    if isinstance(X, (str, PathLike)):
        raise InvalidInputError(
            f"X is the path {str(X)!r}: read the file into a frame; only fit, predict, predict_proba, score "
            "and verify take files."
        )
    if isinstance(X, Mapping):
        raise InvalidInputError("X is a dict: give a frame, such as pandas.DataFrame(X).")
    if type(X).__name__ == "LazyFrame":  # of polars; its columns are not known before it is computed
        raise InvalidInputError("X is a LazyFrame: give X.collect().")
    if is_frame(X):
        if len(X.columns) == 0:  # type: ignore[attr-defined]
            raise InvalidInputError("X is a frame without columns: give at least one.")
        check_columns_differ(X)


def _explain(problem: ValueError) -> ValueError:
    """Return an error of scikit-learn with what to do about missing labels; others as they are."""
    if "Input y contains NaN" not in str(problem):
        return problem
    return InvalidInputError("Input y contains NaN, missing labels: leave these rows out of X and y.")


def _validate(estimator: BaseEstimator, X: ArrayLike, **options: Any) -> Any:  # noqa: ANN401
    """Validate X by scikit-learn, with clearer messages about text and infinity; NaN are missing values."""
    if getattr(getattr(X, "dtype", None), "kind", "") == "O" and np.ndim(X) == 2:
        X = _without_na(np.asarray(X))
    try:
        return validate_data(estimator, X, dtype=list(REAL_TYPES), ensure_all_finite="allow-nan", **options)
    except ValueError as problem:
        if "contains infinity" in str(problem):
            raise InvalidInputError(
                f"{problem}{_name_infinite(X)} Give finite numbers: replace infinity by a number beyond all "
                "others, or leave the rows out."
            ) from None
        if "could not convert string" not in str(problem):
            raise _explain(problem) from None
        raise InvalidInputError(
            "X holds text: all features of an array must be numbers. Give a pandas DataFrame, whose columns "
            f"of text are read as categories, or encode text first ({problem})."
        ) from None


def _name_infinite(X: Any) -> str:  # noqa: ANN401
    """Return a sentence on the columns of X that hold infinity; empty if it is elsewhere."""
    try:
        places = np.flatnonzero(np.isinf(np.asarray(X, dtype=np.float64)).any(axis=0)).tolist()
    except OverflowError:  # an integer beyond 1e308
        return ""
    named = [str(X.columns[place]) if is_frame(X) else str(place) for place in places]
    return f" It is in the column{'s' * (len(named) > 1)} {list_names(named)}." if named else ""


def _without_na(rows: NDArray[Any]) -> NDArray[Any]:
    """Return rows of objects with NaN in place of NA, which is no number."""
    missing = find_missing(rows.ravel()).reshape(rows.shape)
    return np.where(missing, np.nan, rows) if missing.any() else rows


def _take_names(estimator: BaseEstimator, X: ArrayLike | ColumnTable) -> None:
    """Set the names and the number of columns of an estimator."""
    if not isinstance(X, ColumnTable):
        validate_data(estimator, X, skip_check_array=True)
        return
    estimator.n_features_in_ = X.shape[1]
    vars(estimator).pop("feature_names_in_", None)
    if X.has_names:
        estimator.feature_names_in_ = np.array(X.names, dtype=object)
