"""Rows of a large table wherever they are: the one interface through which a large fit sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.routing import BLOCK_ROWS

# rows of a part: those that plain numpy routes at once
PART_ROWS = BLOCK_ROWS

Piece = TypeVar("Piece")
Input = TypeVar("Input", contravariant=True)
Extra = TypeVar("Extra")
Result = TypeVar("Result")
Stop = Callable[[], bool]


def never() -> bool:
    """Return False: no time limit."""
    return False


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Rows of a table."""

    X: NDArray[np.floating]  # (n, n_features): in raw units, NaN where a value is missing
    codes: NDArray[np.integer]  # (n,): class of each row; empty if the rows have costs of their own
    weight: FloatArray | None = None  # (n,): sample weight times class weight; None if all rows weigh 1
    features: IntArray | None = None  # (n_features,): those in X where only some were asked for
    # (n, n_classes): cost of each row and class, of rows that were put together
    cost: FloatArray | None = None
    flow: FloatArray | None = None  # (n,): weight of each row in minimum flows

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
    """Results of a function of each part of the rows, kept where these are."""

    # True if a part must not be changed in place: it may be built again, or be elsewhere, too
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

    @property
    def pass_seconds(self) -> float:
        """Seconds that the last pass over raw values took, beyond those of rows in memory."""
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
        self,
        parts: Parts[Piece],
        find: Callable[[RowBlock], Extra],
        join: Callable[[Piece, Extra], Piece],
        features: IntArray,
    ) -> None:
        """Join to each part what a function finds in its rows."""
        ...
