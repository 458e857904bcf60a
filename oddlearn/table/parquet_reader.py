"""Columns of a Parquet file."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.errors import InvalidInputError
from oddlearn.table.column_table import Column

MAGIC = b"PAR1"


def parquet_columns(content: bytes, source: str) -> list[Column]:
    """Return the columns of a Parquet file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InvalidInputError(
            f'{source} is a Parquet file, and pyarrow is not installed: pip install "oddlearn[tables]", or '
            "give the table as CSV."
        ) from None
    try:
        table = pyarrow.parquet.read_table(io.BytesIO(content))
    except (pyarrow.ArrowException, OSError) as problem:
        reason = str(problem).splitlines()[0]
        raise InvalidInputError(f"{source} is not a whole Parquet file: {reason}") from None
    pairs = zip(table.column_names, table.columns, strict=True)
    return [arrow_column(str(name), values) for name, values in pairs]


def arrow_column(name: str, values: Any) -> Column:  # noqa: ANN401
    """Return a pyarrow column in plain arrays; what is no number, boolean or date becomes text, as in CSV."""
    import pyarrow

    kinds = pyarrow.types
    if kinds.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    missing = values.is_null(nan_is_null=kinds.is_floating(values.type)).to_numpy()
    plain: NDArray[Any]
    if kinds.is_boolean(values.type):
        plain = values.fill_null(False).to_numpy().astype(bool)
    elif kinds.is_integer(values.type):
        plain = values.fill_null(0).to_numpy()
        plain = plain.astype(np.float64 if plain.dtype == np.uint64 else np.int64)
    elif kinds.is_floating(values.type) or kinds.is_decimal(values.type):
        plain = values.cast(pyarrow.float64()).to_numpy().astype(np.float64)
    elif kinds.is_date(values.type) or kinds.is_timestamp(values.type):
        plain = values.cast(pyarrow.timestamp("us", getattr(values.type, "tz", None)), safe=False).to_numpy()
        return Column(name, plain, missing, is_utc=getattr(values.type, "tz", None) is not None)
    elif kinds.is_duration(values.type):
        plain = values.cast(pyarrow.duration("us"), safe=False).to_numpy()
    else:
        plain = np.array(["" if given is None else str(given) for given in values.to_pylist()], dtype=object)
    return Column(name, plain, missing)
