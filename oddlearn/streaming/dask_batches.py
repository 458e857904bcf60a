"""Dask collections as batches: partitions of X, y and weights, one task each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.table.column_table import ColumnTable, RawColumn, is_frame, read_columns, to_dense
from oddlearn.table.samples import LabelledSamples


def is_dask(X: object) -> bool:
    """Return True for a Dask array or frame; Dask is not imported for that."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def import_dask() -> Any:  # noqa: ANN401
    """Return the module dask."""
    try:
        import dask
    except ImportError:
        raise UnsupportedError(
            'Dask is not installed: pip install "oddlearn[dask]", or give arrays or a frame.'
        ) from None
    return dask


@dataclass(frozen=True, eq=False)
class DaskBatches:
    """Partitions of X, y and weights as delayed values, as many of each."""

    X: Any  # dask array or frame
    y: tuple[Any, ...]  # delayed labels of each partition
    weights: tuple[Any, ...] | None

    @property
    def n_partitions(self) -> int:
        """Number of partitions."""
        return len(self.y)

    @property
    def names(self) -> list[str] | None:
        """Names of the columns of a frame; None of an array."""
        return [str(name) for name in self.X.columns] if is_frame(self.X) else None

    def batches(self, columns: Sequence[str] | None = None) -> list[Any]:
        """Return the partitions as delayed ``LabelledSamples``, with these columns only if they are named."""
        dask = import_dask()
        make = dask.delayed(make_batch, pure=True)
        if is_frame(self.X):
            keys = list(self.X.columns)
            chosen = keys if columns is None else [key for key in keys if str(key) in set(columns)]
            parts = _delayed_parts(self.X[chosen])
        else:
            parts = _delayed_parts(self.X)
        weights = [None] * len(parts) if self.weights is None else list(self.weights)
        return [make(*given) for given in zip(parts, self.y, weights, strict=True)]


def open_dask(X: Any, y: Any, sample_weight: Any) -> DaskBatches:  # noqa: ANN401
    """Check Dask collections: as many partitions of X, of y and of the weights."""
    import_dask()
    if not is_dask(y):
        raise InvalidInputError(
            f"X is a Dask collection and y is a {type(y).__name__}: give y as a Dask collection, too, with "
            "the partitions of X."
        )
    if not is_frame(X) and X.ndim != 2:
        raise InvalidInputError(f"Expected 2D array, got {X.ndim}D array instead: give rows of columns.")
    if not is_frame(X) and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    n_parts = len(_delayed_parts(X))
    labels = _matching_parts("y", y, X, n_parts)
    if sample_weight is None:
        return DaskBatches(X, labels, None)
    if not is_dask(sample_weight):
        raise InvalidInputError(
            f"X is a Dask collection and sample_weight is a {type(sample_weight).__name__}: give a Dask "
            "collection, too."
        )
    return DaskBatches(X, labels, _matching_parts("sample_weight", sample_weight, X, n_parts))


def _matching_parts(name: str, values: Any, X: Any, n_parts: int) -> tuple[Any, ...]:  # noqa: ANN401
    are_arrays = hasattr(values, "rechunk") and hasattr(X, "rechunk")
    if are_arrays and values.shape[0] == X.shape[0] and values.chunks[0] != X.chunks[0]:
        values = values.rechunk({0: X.chunks[0]})
    parts = tuple(_delayed_parts(values))
    if len(parts) != n_parts:
        raise InvalidInputError(
            f"X has {n_parts} partitions and {name} has {len(parts)}: give {name} the partitions of X."
        )
    return parts


def _delayed_parts(values: Any) -> list[Any]:  # noqa: ANN401
    delayed = values.to_delayed()
    return list(delayed.ravel()) if isinstance(delayed, np.ndarray) else list(delayed)


def make_batch(X: Any, y: Any, weight: Any) -> LabelledSamples:  # noqa: ANN401
    """Return one partition as labelled samples."""
    table = read_columns(X) if is_frame(X) else _array_columns(np.asarray(to_dense(X)))
    labels = np.asarray(y).reshape(-1)
    return LabelledSamples(table, labels, None if weight is None else np.asarray(weight).reshape(-1))


def _array_columns(X: np.ndarray) -> ColumnTable:
    columns = (RawColumn(f"x{place}", X[:, place]) for place in range(X.shape[1]))
    return ColumnTable(tuple(columns), has_names=False)
