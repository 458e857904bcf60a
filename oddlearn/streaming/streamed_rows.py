"""Rows of a large table that are read again at every pass, a batch at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.errors import InvalidInputError
from oddlearn.streaming import row_source
from oddlearn.streaming.available_memory import available_bytes
from oddlearn.streaming.batch_rows import CHANGED, BatchEncoder, join_blocks, regroup, slice_block
from oddlearn.streaming.mapped_file import MappedFile
from oddlearn.streaming.memory_rows import LocalParts
from oddlearn.streaming.row_source import (
    Extra,
    Parts,
    PartWork,
    Piece,
    Result,
    RowBlock,
    Stop,
    WeightSummary,
    never,
)
from oddlearn.table.samples import LabelledSamples

# the share of the memory at hand that the bytes of a table may take; others are in a temporary file
MEMORY_SHARE = 0.4


@runtime_checkable
class Movable(Protocol):
    """A part whose arrays can be put into a file."""

    @property
    def file_bytes(self) -> int:
        """Bytes that its arrays take there."""
        ...

    def move_to(self, file: MappedFile) -> Any:  # noqa: ANN401
        """Return the part with its arrays in the file."""
        ...


class Batches(Protocol):
    """A table that is read in batches, always in the same order."""

    def read(self, columns: Sequence[str] | None = None) -> Iterator[LabelledSamples]:
        """Yield batches with these columns of X, all of them if none are named, labels and weights."""
        ...


ReadRows = Callable[[IntArray], RowBlock]


@dataclass(eq=False)
class SampleCache:
    """Rows that were read beforehand, by their numbers."""

    rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    block: RowBlock | None = None

    def fill(self, samples: Sequence[IntArray], read: ReadRows) -> None:
        """Read the rows of all samples, in one call, unless they are here."""
        rows = np.unique(np.concatenate(samples))
        if self._find(rows) is None:
            self.rows, self.block = rows, read(rows)

    def take(self, rows: IntArray, read: ReadRows) -> RowBlock:
        """Return rows, ascending; they are read if not all of them are here."""
        found = self._find(rows)
        return read(rows) if found is None else found

    def _find(self, rows: IntArray) -> RowBlock | None:
        if self.block is None:
            return None
        places = np.searchsorted(self.rows, rows)
        if rows.size and (places[-1] >= self.rows.size or not np.array_equal(self.rows[places], rows)):
            return None
        return slice_block(self.block, places)


@dataclass(eq=False)
class StreamedRows:
    """The rows of a table that is read in batches."""

    batches: Batches
    encoder: BatchEncoder
    n_rows: int
    weights: WeightSummary
    pass_seconds: float = 0.0  # of the last pass
    _cache: SampleCache = field(default_factory=SampleCache)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.encoder.n_features

    def blocks(self, features: IntArray | None = None, stop: Stop = never) -> Iterator[RowBlock]:
        """Yield all rows in blocks of the same sizes at every pass; fewer if it is stopped."""
        names = [self.encoder.names[place] for place in self.encoder.columns_of(features)]
        encoded = (self.encoder(batch, features) for batch in self.batches.read(names))
        count, started = 0, time.perf_counter()
        for block in regroup(encoded, row_source.PART_ROWS):
            if stop():
                return
            count += block.n_rows
            yield block
        if count != self.n_rows:
            raise InvalidInputError(CHANGED)
        self.pass_seconds = time.perf_counter() - started

    def prepare_samples(self, samples: Sequence[IntArray]) -> None:
        """Read the rows of all samples in one pass."""
        self._cache.fill(samples, self._read_rows)

    def take(self, rows: IntArray) -> RowBlock:
        """Return the rows of these numbers, ascending."""
        return self._cache.take(rows, self._read_rows)

    def _read_rows(self, rows: IntArray) -> RowBlock:
        found, first = [], 0
        for block in self.blocks():
            last = first + block.n_rows
            own = rows[np.searchsorted(rows, first) : np.searchsorted(rows, last)] - first
            found.append(slice_block(block, own))
            first = last
        return join_blocks(found)

    def reduce(
        self, work: PartWork[RowBlock, Result], features: IntArray | None = None, stop: Stop = never
    ) -> Result | None:
        """Return the result of some work on all rows; None if it was stopped."""
        total: Result | None = None
        count = 0
        for block in self.blocks(features, stop):
            total = work.add(block, total)
            count += block.n_rows
        return total if count == self.n_rows else None

    def build(
        self, function: Callable[[RowBlock], Piece], features: IntArray | None = None, stop: Stop = never
    ) -> LocalParts[Piece] | None:
        """Return what a function makes of each block; None if it was stopped.

        Parts that can be moved to a file are, if all of them would take too much memory.
        """
        parts: list[Piece] = []
        count, file = 0, None
        for block in self.blocks(features, stop):
            part = function(block)
            if isinstance(part, Movable):
                file = file if parts else self._open_file(part.file_bytes)
                part = part if file is None else part.move_to(file)
            parts.append(part)
            count += block.n_rows
        return LocalParts(parts) if count == self.n_rows else None

    def _open_file(self, part_bytes: int) -> MappedFile | None:
        """Return a file for the bytes of all parts, None if they fit into a share of the memory at hand.

        ``part_bytes``: of the first, no other has more rows.
        """
        n_bytes = part_bytes * (self.n_rows // row_source.PART_ROWS + 1)
        return None if n_bytes <= MEMORY_SHARE * available_bytes() else MappedFile(n_bytes)

    def extend(
        self,
        parts: Parts[Piece],
        find: Callable[[RowBlock], Extra],
        join: Callable[[Piece, Extra], Piece],
        features: IntArray,
    ) -> None:
        """Join to each part what a function finds in its rows."""
        cast("LocalParts[Piece]", parts).join(map(find, self.blocks(features)), join)
