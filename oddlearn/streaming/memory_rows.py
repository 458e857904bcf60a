"""Rows of a large table in arrays, and parts in the memory of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, cast

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.streaming import row_source
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


@dataclass(eq=False)
class LocalParts(Generic[Piece]):
    """Parts in the memory of this process."""

    parts: list[Piece]
    is_shared: bool = False

    def reduce(self, work: PartWork[Piece, Result], stop: Stop = never, n_jobs: int = 1) -> Result | None:
        """Return the result of some work on all parts, in threads that have a range of parts each."""
        n_jobs = max(1, min(n_jobs, len(self.parts)))
        bounds = np.linspace(0, len(self.parts), n_jobs + 1).astype(int)

        def run(first: int, last: int) -> Result | None:
            total: Result | None = None
            for part in self.parts[first:last]:
                if stop():
                    return None
                total = work.add(part, total)
            return total

        if n_jobs == 1:
            return run(0, len(self.parts))
        with ThreadPoolExecutor(n_jobs) as pool:
            results = list(pool.map(run, bounds[:-1].tolist(), bounds[1:].tolist()))
        return merge_results(work, results)

    def update(self, change: Callable[[Piece], Piece]) -> None:
        """Replace each part."""
        for place, part in enumerate(self.parts):
            self.parts[place] = change(part)

    def join(self, found: Iterable[Extra], function: Callable[[Piece, Extra], Piece]) -> None:
        """Replace each part by what a function makes of it and of what was found in its rows."""
        for place, own in enumerate(found):
            self.parts[place] = function(self.parts[place], own)


def merge_results(work: PartWork[Any, Result], results: list[Result | None]) -> Result | None:
    """Return all results together; None if one is missing."""
    total = results[0]
    for other in results[1:]:
        if total is None or other is None:
            return None
        total = work.merge(total, other)
    return total


@dataclass(frozen=True, eq=False)
class MemoryRows:
    """Rows in arrays of the user, none of which is copied; the attributes are those of ``RowBlock``."""

    X: NDArray[np.floating]
    codes: NDArray[np.integer]
    weight: FloatArray | None = None
    cost: FloatArray | None = None
    flow: FloatArray | None = None

    @classmethod
    def from_arrays(
        cls, X: NDArray[np.floating], codes: NDArray[np.integer], weight: FloatArray | None
    ) -> MemoryRows:
        """Take arrays as they are; weights that are all 1 are left out."""
        rows = X.view()
        rows.setflags(write=False)
        is_one = weight is None or bool((weight == 1).all())
        return cls(rows, codes, None if is_one else weight)

    @classmethod
    def from_block(cls, block: RowBlock) -> MemoryRows:
        """Take the rows of a block that has all features."""
        return cls(block.X, block.codes, block.weight, block.cost, block.flow)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @cached_property
    def weights(self) -> WeightSummary:
        """The largest weight and the kind of all weights."""
        return WeightSummary.of(self.weight)

    @property
    def pass_seconds(self) -> float:
        """0: the values are at hand."""
        return 0.0

    def prepare_samples(self, samples: Sequence[IntArray]) -> None:
        """Do nothing: rows in memory are at hand."""

    def take(self, rows: IntArray | slice) -> RowBlock:
        """Return the rows of these numbers; those of a slice are not copied."""
        codes = self.codes[rows] if self.codes.size else self.codes
        others = (None if values is None else values[rows] for values in (self.cost, self.flow))
        weight = None if self.weight is None else self.weight[rows]
        return RowBlock(self.X[rows], codes, weight, None, *others)

    def take_columns(self, rows: IntArray, features: IntArray) -> RowBlock:
        """Return the rows of these numbers with some features alone."""
        block = replace(self, X=self.X[:, :0]).take(rows)
        return replace(block, X=self.X[np.ix_(rows, features)], features=features)

    def blocks(self) -> Iterator[RowBlock]:
        """Yield the rows in parts."""
        for first in range(0, self.n_rows, row_source.PART_ROWS):
            yield self.take(slice(first, first + row_source.PART_ROWS))

    def reduce(
        self, work: PartWork[RowBlock, Result], features: IntArray | None = None, stop: Stop = never
    ) -> Result | None:
        """Return the result of some work on all rows."""
        total: Result | None = None
        for block in self.blocks():
            if stop():
                return None
            total = work.add(block, total)
        return total

    def build(
        self, function: Callable[[RowBlock], Piece], features: IntArray | None = None, stop: Stop = never
    ) -> LocalParts[Piece] | None:
        """Return what a function makes of each part of the rows."""
        parts: list[Piece] = []
        for block in self.blocks():
            if stop():
                return None
            parts.append(function(block))
        return LocalParts(parts)

    def extend(
        self,
        parts: Parts[Piece],
        find: Callable[[RowBlock], Extra],
        join: Callable[[Piece, Extra], Piece],
        features: IntArray,
    ) -> None:
        """Join to each part what a function finds in its rows."""
        cast("LocalParts[Piece]", parts).join(map(find, self.blocks()), join)
