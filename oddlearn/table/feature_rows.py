"""Checks of the rows of X: numbers as scikit-learn reads them, columns of several kinds as we do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_X_y
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
)
from oddlearn.table.encoded_column import EncodedColumn
from oddlearn.table.encoding import Encoding, needed_columns
from oddlearn.table.value_kinds import find_missing

REAL_TYPES = (np.float64, np.float32)


def training_rows(
    estimator: BaseEstimator, X: ArrayLike, y: ArrayLike, as_columns: bool = False
) -> tuple[NDArray[np.floating] | ColumnTable, NDArray[Any]]:
    """Return the rows, as numbers or as columns of several kinds, and the labels of a training table.

    Sets ``n_features_in_`` and ``feature_names_in_`` of the estimator.
    """
    X = to_dense(X)
    if is_frame(X):
        check_columns_differ(X)
    if not as_columns and not is_table(X):
        rows, labels = _validate(estimator, X, y=y, ensure_min_samples=2)
        return rows, labels
    _take_names(estimator, X)
    table = read_columns(X)
    stand_in = np.broadcast_to(0.0, table.shape)
    return table, check_X_y(stand_in, y, ensure_min_samples=2, estimator=estimator)[1]


def check_rows(estimator: BaseEstimator, X: ArrayLike) -> NDArray[np.floating]:
    """Check rows to be classified against the table the estimator was fitted on; return them as numbers.

    A column that the diagram does not ask about may be left out of a frame.
    """
    encoding: Encoding | None = getattr(estimator, "encoding_", None)
    X = to_dense(X)
    if is_frame(X):
        check_columns_differ(X)
    X = _add_unneeded_columns(estimator, X)
    if (encoding is None or encoding.is_numeric) and not is_table(X):
        rows: NDArray[np.floating] = _validate(estimator, X, reset=False)
        return rows if encoding is None else encoding.encode_numbers(rows)
    _check_names(estimator, X)
    table = read_columns(X)
    numbers = (encoding or _numeric_encoding(table)).encode(table, needed_columns(estimator))
    checked = check_array(numbers, input_name="X", estimator=estimator, ensure_all_finite="allow-nan")
    return np.asarray(checked)


def _add_unneeded_columns(estimator: BaseEstimator, X: Any) -> Any:  # noqa: ANN401
    """Return a frame with all columns of the training table: those that no split uses may be absent.

    If it lacks others, or has others, it is returned as it is, to be refused.
    """
    if not (is_frame(X) or isinstance(X, ColumnTable)) or not hasattr(estimator, "feature_names_in_"):
        return X
    given = list(X.names if isinstance(X, ColumnTable) else X.columns)
    wanted = estimator.feature_names_in_.tolist()
    lacking = set(wanted) - set(given)
    needed = {wanted[place] for place in needed_columns(estimator)}
    if not lacking or lacking & needed or given != [name for name in wanted if name not in lacking]:
        return X
    return read_columns(X).with_columns(wanted)


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
            raise
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


def _check_names(estimator: BaseEstimator, X: ArrayLike | ColumnTable) -> None:
    """Refuse other columns than those an estimator was fitted on."""
    if not isinstance(X, ColumnTable):
        validate_data(estimator, X, reset=False, skip_check_array=True)
        return
    wanted = tuple(getattr(estimator, "feature_names_in_", X.names))
    if X.shape[1] != estimator.n_features_in_ or (X.has_names and X.names != wanted):
        raise InvalidInputError(
            f"The table has the columns {list_names(X.names)}: give the {estimator.n_features_in_} of the "
            f"training data in their order{': ' + list_names(wanted) if wanted != X.names else ''}."
        )


def _numeric_encoding(table: ColumnTable) -> Encoding:
    """Return the encoding of a model that was trained on numbers."""
    return Encoding(tuple(EncodedColumn(name, "number") for name in table.names), table.has_names)
