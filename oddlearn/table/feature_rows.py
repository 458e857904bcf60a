"""Checks of the rows of X: numbers as scikit-learn reads them, columns of several kinds as we do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_X_y
from sklearn.utils.validation import validate_data

from oddlearn.errors import InvalidInputError
from oddlearn.table.checks import shortened
from oddlearn.table.column_table import ColumnTable, check_columns_differ, is_frame, is_table, read_columns
from oddlearn.table.encoding import EncodedColumn, Encoding

REAL_TYPES = (np.float64, np.float32)


def training_rows(
    estimator: BaseEstimator, X: ArrayLike, y: ArrayLike, as_columns: bool = False
) -> tuple[NDArray[np.floating] | ColumnTable, NDArray[Any]]:
    """Return the rows, as numbers or as columns of several kinds, and the labels of a training table.

    Sets ``n_features_in_`` and ``feature_names_in_`` of the estimator.
    """
    if is_frame(X):
        check_columns_differ(X)
    if not as_columns and not is_table(X):
        rows, labels = _validated(estimator, X, y=y, ensure_min_samples=2)
        return rows, labels
    _take_names(estimator, X)
    table = read_columns(X)
    stand_in = np.broadcast_to(0.0, table.shape)
    return table, check_X_y(stand_in, y, ensure_min_samples=2, estimator=estimator)[1]


def checked_rows(estimator: BaseEstimator, X: ArrayLike) -> NDArray[np.floating]:
    """Check rows to be classified against the table the estimator was fitted on; return them as numbers."""
    encoding: Encoding | None = getattr(estimator, "encoding_", None)
    if encoding is None and not is_table(X):
        rows: NDArray[np.floating] = _validated(estimator, X, reset=False)
        return rows
    if is_frame(X):
        check_columns_differ(X)
    _check_names(estimator, X)
    table = read_columns(X)
    encoded = (_plain(table) if encoding is None else encoding).encoded(table)
    return np.asarray(check_array(encoded, input_name="X", estimator=estimator))


def _validated(estimator: BaseEstimator, X: ArrayLike, **options: Any) -> Any:  # noqa: ANN401
    """Return what scikit-learn makes of X, with a clearer word on text, dates, NaN and infinity."""
    if getattr(getattr(X, "dtype", None), "kind", "") in ("M", "m"):
        raise InvalidInputError(
            "X holds dates or times: all features must be numbers, turn dates into numbers first, for "
            "example into days since the first."
        )
    try:
        return validate_data(estimator, X, dtype=list(REAL_TYPES), **options)
    except ValueError as problem:
        if "X contains NaN" in str(problem):
            read_columns(X).check_complete()
        if "contains infinity" in str(problem):
            raise InvalidInputError(
                f"{problem} Give finite numbers: replace infinity by a number beyond all others, or leave "
                "the rows out."
            ) from None
        if "could not convert string" not in str(problem):
            raise
        raise InvalidInputError(
            "X holds text: all features of an array must be numbers. Give a pandas DataFrame, whose columns "
            f"of text are read as categories, or encode text first ({problem})."
        ) from None


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
            f"The table has the columns {shortened(X.names)}: give the {estimator.n_features_in_} of the "
            f"training data in their order{': ' + shortened(wanted) if wanted != X.names else ''}."
        )


def _plain(table: ColumnTable) -> Encoding:
    """Return the encoding of a model that was trained on numbers."""
    return Encoding(tuple(EncodedColumn(name, "number") for name in table.names), table.has_names)
