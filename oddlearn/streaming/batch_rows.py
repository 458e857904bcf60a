"""Batches of a large table as rows of numbers: encoded, with class codes and weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.errors import InvalidInputError
from oddlearn.streaming.row_source import RowBlock
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.encoding import Encoding
from oddlearn.table.samples import LabelledSamples


@dataclass(frozen=True, eq=False)
class BatchEncoder:
    """A function from batches to rows of numbers; the first pass over the table has learned it."""

    names: tuple[str, ...]  # of the columns
    encoding: Encoding | None  # None for numbers, none of them missing
    classes: NDArray[Any]
    factors: FloatArray | None  # weight of each class, None for 1
    is_weighted: bool  # False if all rows weigh 1

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.names) if self.encoding is None else len(self.encoding.features)

    @property
    def owners(self) -> list[int]:
        """The column behind each feature."""
        if self.encoding is None:
            return list(range(len(self.names)))
        return [place for place, column in enumerate(self.encoding.columns) for _ in column.features]

    def columns_of(self, features: IntArray | None) -> list[int]:
        """Return the places of the columns that some features need, ascending; None for all."""
        owners = self.owners
        return sorted(set(owners if features is None else (owners[feature] for feature in features)))

    def __call__(self, batch: LabelledSamples, features: IntArray | None = None) -> RowBlock:
        """Return the rows of positive weight; ``batch`` has the columns of the features at least."""
        table, weight = cast(ColumnTable, batch.X), batch.sample_weight
        codes = self._codes(batch.y)
        if weight is not None and not (weight > 0).all():
            taken = np.flatnonzero(weight > 0)
            table, codes, weight = table.rows(taken), codes[taken], weight[taken]
        X = self._numbers(table, features, codes.size)
        if not self.is_weighted:
            return RowBlock(X, codes, None, features)
        weight = np.ones(codes.size) if weight is None else np.asarray(weight, dtype=np.float64)
        own = weight if self.factors is None else weight * self.factors[codes]
        return RowBlock(X, codes, own, features)

    def _codes(self, labels: NDArray[Any]) -> NDArray[np.uint8]:
        if self.classes.dtype.kind in "OUS":
            place = {label: code for code, label in enumerate(self.classes.tolist())}
            codes = np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.intp)
            is_known = bool((codes >= 0).all())
        else:
            codes = np.searchsorted(self.classes, labels).clip(max=self.classes.size - 1)
            is_known = bool((self.classes[codes] == labels).all())
        if not is_known:
            raise InvalidInputError(CHANGED)
        return codes.astype(np.uint8)

    def _numbers(self, table: ColumnTable, features: IntArray | None, n_rows: int) -> FloatArray:
        own = {column.name: column for column in table.columns}
        places = self.columns_of(features)
        if self.encoding is None or (self._keeps_numbers and self._is_plain(table)):
            X = np.empty((n_rows, len(places)))
            for new, place in enumerate(places):
                X[:, new] = own[self.names[place]].values
            if np.isinf(X).any():
                raise InvalidInputError(_infinity_text([self.names[p] for p in places], X))
            return X
        encoded = [self.encoding.columns[place].encode(own[self.names[place]]) for place in places]
        X = np.hstack([np.empty((n_rows, 0)), *encoded])
        if features is None:
            return X
        owners = self.owners
        given = [feature for feature, place in enumerate(owners) if place in set(places)]
        return X[:, np.searchsorted(given, features)]

    @property
    def _keeps_numbers(self) -> bool:
        """True if all columns are numbers, and missing ones stay missing."""
        return self.encoding is not None and all(
            column.kind in ("number", "empty") and not (column.has_missing and column.fill is not None)
            for column in self.encoding.columns
        )

    def _is_plain(self, table: ColumnTable) -> bool:
        return all(column.values.dtype.kind in "iuf" and not column.is_category for column in table.columns)


CHANGED = "The table has changed since the fit began: its rows are not those of the first pass."


def _infinity_text(names: list[str], X: FloatArray) -> str:
    place = int(np.flatnonzero(np.isinf(X).any(axis=0))[0])
    return (
        f"X contains infinity in the column {names[place]}. Give finite numbers: replace infinity by a "
        "number beyond all others, or leave the rows out."
    )


def regroup(blocks: Iterable[RowBlock], n_rows: int) -> Iterator[RowBlock]:
    """Yield the same rows in blocks of so many, the last one with what is left."""
    waiting: list[RowBlock] = []
    count = 0
    for block in blocks:
        first = 0
        while first < block.n_rows:
            last = min(block.n_rows, first + n_rows - count)
            waiting.append(slice_block(block, slice(first, last)))
            count += last - first
            first = last
            if count == n_rows:
                yield join_blocks(waiting)
                waiting, count = [], 0
    if waiting:
        yield join_blocks(waiting)


def slice_block(block: RowBlock, rows: slice | IntArray) -> RowBlock:
    """Return some rows of a block."""
    codes = block.codes[rows] if block.codes.size else block.codes
    given = (block.weight, block.cost, block.flow)
    weight, cost, flow = (None if values is None else values[rows] for values in given)
    return replace(block, X=block.X[rows], codes=codes, weight=weight, cost=cost, flow=flow)


def join_blocks(blocks: list[RowBlock]) -> RowBlock:
    """Return the rows of blocks with the same features in one."""
    if len(blocks) == 1:
        return blocks[0]
    weights = [block.weight for block in blocks if block.weight is not None]
    return replace(
        blocks[0],
        X=np.concatenate([block.X for block in blocks]),
        codes=np.concatenate([block.codes for block in blocks]),
        weight=np.concatenate(weights) if weights else None,
    )
