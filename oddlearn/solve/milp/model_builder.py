"""A builder that gathers columns and rows into a LinearModel, and one that only counts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.solve.milp.linear_model import Indicators, LinearModel

# column ids of shape (n, k) or (1, k), and their coefficients; both are broadcast to (n, k)
Term = tuple[IntArray, ArrayLike]

# bytes of a coefficient with its column, of a row with its limits, of a column with bounds, cost and kind
NONZERO_BYTES, ROW_BYTES, COLUMN_BYTES = 12, 24, 25


class ModelBuilder:
    """A builder of a LinearModel."""

    def __init__(self) -> None:
        self._n_columns = 0
        self._lower: list[FloatArray] = []
        self._upper: list[FloatArray] = []
        self._integer: list[NDArray[np.bool_]] = []
        self._cost: list[tuple[IntArray, FloatArray]] = []
        self._rows = _RowBlocks()
        self._row_lower: list[FloatArray] = []
        self._triggered = _RowBlocks()
        self._trigger: list[IntArray] = []
        self._big_m: list[FloatArray] = []

    @property
    def n_columns(self) -> int:
        """Number of columns so far."""
        return self._n_columns

    def columns(
        self, shape: tuple[int, ...], lower: ArrayLike = 0.0, upper: ArrayLike = 1.0, integer: bool = False
    ) -> IntArray:
        """Return new column ids of this shape; bounds are broadcast to it."""
        ids = self._n_columns + np.arange(int(np.prod(shape)), dtype=np.intp).reshape(shape)
        self._n_columns += ids.size
        self._lower.append(broadcast(lower, shape).ravel())
        self._upper.append(broadcast(upper, shape).ravel())
        self._integer.append(np.full(ids.size, integer))
        return ids

    def cost(self, ids: IntArray, cost: ArrayLike) -> None:
        """Set the cost of columns in the objective."""
        self._cost.append((ids.ravel(), broadcast(cost, ids.shape).ravel()))

    def rows(self, terms: Sequence[Term], lower: ArrayLike, upper: ArrayLike) -> None:
        """Add rows ``lower <= sum of terms <= upper``, one for each row of the terms."""
        count = self._rows.add(terms, upper)
        self._row_lower.append(broadcast(lower, (count,)))

    def sparse_rows(self, matrix: csr_array, lower: ArrayLike, upper: ArrayLike) -> None:
        """Add rows ``lower <= matrix @ x <= upper`` over the columns so far."""
        count = self._rows.add_sparse(matrix, upper)
        self._row_lower.append(broadcast(lower, (count,)))

    def indicators(
        self, trigger: IntArray, terms: Sequence[Term], upper: ArrayLike, big_m: ArrayLike
    ) -> None:
        """Add rows ``sum of terms <= upper`` that hold when their trigger, shape (n,), is 1."""
        count = self._triggered.add(terms, upper)
        self._trigger.append(np.broadcast_to(trigger, (count,)))
        self._big_m.append(broadcast(big_m, (count,)))

    def objective_row(self, lower: float) -> None:
        """Add the row ``objective >= lower``, unless no column has a cost."""
        cost = self._objective()
        ids = np.flatnonzero(cost)
        if ids.size:
            self.rows([(ids[None], cost[ids][None])], lower, np.inf)

    def build(self) -> LinearModel:
        """Return the model."""
        matrix, upper = self._rows.build(self._n_columns)
        triggered, triggered_upper = self._triggered.build(self._n_columns)
        trigger = np.concatenate([np.empty(0, dtype=np.intp), *self._trigger])
        big_m = np.concatenate([np.empty(0), *self._big_m])
        return LinearModel(
            cost=self._objective(),
            offset=0.0,
            matrix=matrix,
            lower=np.concatenate([np.empty(0), *self._row_lower]),
            upper=upper,
            column_lower=np.concatenate(self._lower),
            column_upper=np.concatenate(self._upper),
            integer=np.concatenate(self._integer),
            indicators=Indicators(trigger, triggered, triggered_upper, big_m),
        )

    def _objective(self) -> FloatArray:
        """Return the cost of every column so far, shape (n_columns,)."""
        cost = np.zeros(self._n_columns)
        for ids, values in self._cost:
            cost[ids] += values
        return cost


class _RowBlocks:
    """Blocks of sparse rows with their upper limits."""

    def __init__(self) -> None:
        self._indices: list[NDArray[np.int32]] = [np.empty(0, dtype=np.int32)]
        self._values: list[FloatArray] = [np.empty(0)]
        self._lengths: list[NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)]
        self._upper: list[FloatArray] = [np.empty(0)]

    def add(self, terms: Sequence[Term], upper: ArrayLike) -> int:
        """Add a block and return its number of rows."""
        count = count_rows(terms)
        width = sum(ids.shape[1] for ids, _ in terms)
        spread = [np.broadcast_to(ids, (count, ids.shape[1])) for ids, _ in terms]
        values = [broadcast(value, ids.shape) for ids, (_, value) in zip(spread, terms, strict=True)]
        lengths = np.full(count, width)
        return self._append(np.hstack(spread).ravel(), np.hstack(values).ravel(), lengths, upper)

    def add_sparse(self, matrix: csr_array, upper: ArrayLike) -> int:
        """Add the rows of a sparse matrix and return their number."""
        return self._append(matrix.indices, matrix.data, np.diff(matrix.indptr), upper)

    def build(self, n_columns: int) -> tuple[csr_array, FloatArray]:
        """Return the matrix of all rows and their upper limits."""
        starts = np.cumsum(np.concatenate(self._lengths))
        # four bytes an index as long as they suffice: half of the memory of large models
        starts = starts.astype(np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64)
        content = (np.concatenate(self._values), np.concatenate(self._indices), starts)
        matrix = csr_array(content, shape=(starts.size - 1, n_columns))
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return matrix, np.concatenate(self._upper)

    def _append(self, ids: IntArray, values: FloatArray, lengths: IntArray, upper: ArrayLike) -> int:
        self._indices.append(ids.astype(np.int32))
        self._values.append(values)
        self._lengths.append(lengths.astype(np.int64))
        self._upper.append(broadcast(upper, (lengths.size,)))
        return int(lengths.size)


@dataclass(frozen=True)
class ModelSize:
    """The size of a model; indicators count as rows."""

    columns: int
    rows: int
    nonzeros: int

    @property
    def bytes(self) -> int:
        """Memory of the model's own arrays; a solver needs several times as much."""
        return NONZERO_BYTES * self.nonzeros + ROW_BYTES * self.rows + COLUMN_BYTES * self.columns

    def __str__(self) -> str:
        return f"{self.columns:,} columns, {self.rows:,} rows, {self.nonzeros:,} coefficients"


class ModelCounter(ModelBuilder):
    """A builder that adds up the size of a model and stores none of it.

    All column ids are 0, in arrays that take no memory whatever their shape.
    """

    def __init__(self) -> None:
        super().__init__()
        self._n_rows = self._n_nonzeros = self._n_costs = 0

    @property
    def size(self) -> ModelSize:
        """Size so far."""
        return ModelSize(self._n_columns, self._n_rows, self._n_nonzeros)

    def columns(
        self, shape: tuple[int, ...], lower: ArrayLike = 0.0, upper: ArrayLike = 1.0, integer: bool = False
    ) -> IntArray:
        """Count columns."""
        self._n_columns += int(np.prod(shape))
        return np.broadcast_to(np.intp(0), shape)

    def cost(self, ids: IntArray, cost: ArrayLike) -> None:
        """Count columns with a cost."""
        self._n_costs += int(np.count_nonzero(broadcast(cost, ids.shape)))

    def rows(self, terms: Sequence[Term], lower: ArrayLike, upper: ArrayLike) -> None:
        """Count rows and their coefficients other than 0."""
        count = count_rows(terms)
        self._n_rows += count
        for ids, value in terms:
            given = broadcast(value, np.broadcast_shapes(np.shape(value), (1, ids.shape[1])))
            self._n_nonzeros += int(np.count_nonzero(given)) * (count // given.shape[0])

    def sparse_rows(self, matrix: csr_array, lower: ArrayLike, upper: ArrayLike) -> None:
        """Count rows and their coefficients other than 0."""
        self._n_rows += matrix.shape[0]
        self._n_nonzeros += int(matrix.count_nonzero())

    def indicators(
        self, trigger: IntArray, terms: Sequence[Term], upper: ArrayLike, big_m: ArrayLike
    ) -> None:
        """Count rows and their coefficients other than 0."""
        self.rows(terms, upper, upper)

    def objective_row(self, lower: float) -> None:
        """Count the row on the objective."""
        self._n_rows += self._n_costs > 0
        self._n_nonzeros += self._n_costs


def count_rows(terms: Sequence[Term]) -> int:
    """Return the number of rows of a block."""
    return max(int(np.broadcast_shapes(ids.shape, np.shape(value))[0]) for ids, value in terms)


def broadcast(values: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Return the values as floats of this shape, without a copy."""
    return np.broadcast_to(np.asarray(values, dtype=np.float64), shape)
