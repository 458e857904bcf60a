"""Rows of a large table wherever they are: the one interface through which a large fit sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.routing import BLOCK_ROWS

# rows of a part: those that plain numpy routes at once
PART_ROWS = BLOCK_ROWS

Piece = TypeVar("Piece")
Input = TypeVar("Input", contravariant=True)
Result = TypeVar("Result")
Stop = Callable[[], bool]


def never() -> bool:
    """Return False: no time limit."""
    return False


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Rows of a table.

    Attributes
    ----------
    X : (n, n_features) float32 or float64
        In raw units, NaN where a value is missing.
    codes : (n,) int
        Class of each row; empty if the rows have costs of their own.
    weight : (n,) float or None
        Sample weight times class weight; None if all rows weigh 1.
    features : (n_features,) int or None
        Those in X where only some were asked for.
    cost : (n, n_classes) float or None
        Cost of each row and class, of rows that were put together.
    flow : (n,) float or None
        Weight of each row in minimum flows.
    """

    X: NDArray[np.floating]
    codes: NDArray[np.integer]
    weight: FloatArray | None = None
    features: IntArray | None = None
    cost: FloatArray | None = None
    flow: FloatArray | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    def column(self, feature: int) -> NDArray[np.floating]:
        """Return the values of a feature."""
        place = feature if self.features is None else int(np.searchsorted(self.features, feature))
        return self.X[:, place]

    def class_weight(self, n_classes: int) -> FloatArray:
        """Return the weight of each row in each class, shape (n, n_classes)."""
        weights = np.zeros((self.n_rows, n_classes))
        weights[np.arange(self.n_rows), self.codes] = 1.0 if self.weight is None else self.weight
        return weights


@dataclass(frozen=True)
class WeightSummary:
    """The weights of all rows: the largest, and True if all are integers."""

    largest: float = 1.0
    is_integer: bool = True

    @classmethod
    def of(cls, weight: FloatArray | None) -> WeightSummary:
        """Summarise weights; None are ones."""
        if weight is None or weight.size == 0:
            return cls()
        return cls(float(weight.max()), bool((weight == np.floor(weight)).all()))

    def merge(self, other: WeightSummary) -> WeightSummary:
        """Return the summary of both."""
        return WeightSummary(max(self.largest, other.largest), self.is_integer and other.is_integer)


class PartWork(Protocol[Input, Result]):
    """Work on what a table holds, a part at a time; merged in any order it has the same bits."""

    def add(self, part: Input, total: Result | None) -> Result:
        """Return the result of a part, added to the total of others if there is one."""
        ...

    def merge(self, one: Result, other: Result) -> Result:
        """Return the result of the rows of both."""
        ...


class Parts(Protocol[Piece]):
    """Results of a function of each part of the rows, kept where these are.

    Attributes
    ----------
    is_shared : bool
        True if a part must not be changed in place: it may be built again, or be elsewhere, too.
    """

    is_shared: bool

    def reduce(self, work: PartWork[Piece, Result], stop: Stop = never, n_jobs: int = 1) -> Result | None:
        """Return the result of some work on all parts; None if it was stopped."""
        ...

    def update(self, change: Callable[[Piece], Piece]) -> None:
        """Replace each part."""
        ...


class RowSource(Protocol):
    """The rows of a large table, numbered in a fixed order that does not depend on its division into parts.

    Where a pass needs some features only, a source may leave the others out of its blocks.
    """

    @property
    def n_rows(self) -> int:
        """Number of rows, all of positive weight."""
        ...

    @property
    def n_features(self) -> int:
        """Number of features."""
        ...

    @property
    def weights(self) -> WeightSummary:
        """The largest weight and the kind of all weights."""
        ...

    def prepare_samples(self, samples: Sequence[IntArray]) -> None:
        """Read rows that will be taken, in one pass where passes cost time."""
        ...

    def take(self, rows: IntArray) -> RowBlock:
        """Return the rows of these numbers, ascending."""
        ...

    def reduce(
        self, work: PartWork[RowBlock, Result], features: IntArray | None = None, stop: Stop = never
    ) -> Result | None:
        """Return the result of some work on all rows; None if it was stopped."""
        ...

    def build(
        self, function: Callable[[RowBlock], Piece], features: IntArray | None = None, stop: Stop = never
    ) -> Parts[Piece] | None:
        """Return what a function makes of each part of the rows; None if it was stopped."""
        ...

    def extend(
        self, parts: Parts[Piece], function: Callable[[RowBlock, Piece], Piece], features: IntArray
    ) -> None:
        """Replace each part by what a function makes of its rows and of itself."""
        ...


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
        self.parts = [change(part) for part in self.parts]


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

    def prepare_samples(self, samples: Sequence[IntArray]) -> None:
        """Do nothing: rows in memory are at hand."""

    def take(self, rows: IntArray | slice) -> RowBlock:
        """Return the rows of these numbers; those of a slice are not copied."""
        codes = self.codes[rows] if self.codes.size else self.codes
        others = (None if values is None else values[rows] for values in (self.cost, self.flow))
        weight = None if self.weight is None else self.weight[rows]
        return RowBlock(self.X[rows], codes, weight, None, *others)

    def blocks(self) -> Iterator[RowBlock]:
        """Yield the rows in parts."""
        for first in range(0, self.n_rows, PART_ROWS):
            yield self.take(slice(first, first + PART_ROWS))

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
        self, parts: Parts[Piece], function: Callable[[RowBlock, Piece], Piece], features: IntArray
    ) -> None:
        """Replace each part by what a function makes of its rows and of itself."""
        local = cast("LocalParts[Piece]", parts)
        local.parts = [function(block, part) for block, part in zip(self.blocks(), local.parts, strict=True)]
