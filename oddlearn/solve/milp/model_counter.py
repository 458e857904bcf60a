"""A builder that counts the columns and rows of a model without building it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from oddlearn.diagram.arrays import IntArray
from oddlearn.solve.milp.model_builder import ModelBuilder, Term, broadcast, count_rows

# bytes of a coefficient with its column, of a row with its limits, of a column with bounds, cost and kind
NONZERO_BYTES, ROW_BYTES, COLUMN_BYTES = 12, 24, 25


@dataclass(frozen=True)
class ModelSize:
    """The size of a model; indicators count as rows.

    Attributes
    ----------
    columns, rows, nonzeros : int
    """

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
