"""Rows of a table to be classified: their columns checked against those of training, then encoded.

Numpy is all that is needed here; rows that are plain arrays go through scikit-learn's checks in
``feature_rows``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.errors import InvalidInputError
from oddlearn.table.checks import list_names
from oddlearn.table.column_table import ColumnTable, is_frame, read_columns
from oddlearn.table.encoded_column import EncodedColumn
from oddlearn.table.encoding import Encoding, needed_columns


def encode_table(model: Any, table: ColumnTable) -> FloatArray:  # noqa: ANN401
    """Check a table against the one a classifier was fitted on; return its rows as numbers.

    A column that the diagram does not ask about may be left out.
    """
    completed = add_unneeded_columns(model, table)
    check_column_names(model, completed)
    return encode_columns(model, completed)


def encode_columns(model: Any, table: ColumnTable) -> FloatArray:  # noqa: ANN401
    """Return the rows of a table with the columns of training as finite numbers, NaN where one is missing."""
    encoding = model.encoding_ or _numeric_encoding(table)
    rows: FloatArray = encoding.encode(table, needed_columns(model))
    if not len(rows):
        raise InvalidInputError("X has 0 sample(s), no rows at all: give at least one.")
    if np.isinf(rows).any():
        raise InvalidInputError(
            "X contains infinity. Give finite numbers: replace infinity by a number beyond all others, or "
            "leave the rows out."
        )
    return rows


def add_unneeded_columns(model: Any, X: Any) -> Any:  # noqa: ANN401
    """Return a frame or table with all columns of training: those that no split uses may be absent.

    If it lacks others, or has others, it is returned as it is, to be refused.
    """
    if not (is_frame(X) or isinstance(X, ColumnTable)) or not hasattr(model, "feature_names_in_"):
        return X
    given = list(X.names if isinstance(X, ColumnTable) else X.columns)
    wanted = model.feature_names_in_.tolist()
    lacking = set(wanted) - set(given)
    needed = {wanted[place] for place in needed_columns(model)}
    if not lacking or lacking & needed or given != [name for name in wanted if name not in lacking]:
        return X
    return read_columns(X).with_columns(wanted)


def check_column_names(model: Any, table: ColumnTable) -> None:  # noqa: ANN401
    """Refuse other columns than those a classifier was fitted on."""
    wanted = tuple(getattr(model, "feature_names_in_", table.names))
    if table.shape[1] != model.n_features_in_ or (table.has_names and table.names != wanted):
        raise InvalidInputError(
            f"The table has the columns {list_names(table.names)}: give the {model.n_features_in_} of the "
            f"training data in their order{': ' + list_names(wanted) if wanted != table.names else ''}."
        )


def _numeric_encoding(table: ColumnTable) -> Encoding:
    """Return the encoding of a model that was trained on numbers."""
    return Encoding(tuple(EncodedColumn(name, "number") for name in table.names), table.has_names)
