"""A limit on the terms of weighted sums, counted on the columns of the user's table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_integers
from oddlearn.diagram.diagram import DecisionDiagram


@dataclass(frozen=True, eq=False)
class TermLimit:
    """At most so many terms in every weighted sum.

    All features of one column are one term: the indicators of its categories, or its value and the indicator
    that it is missing.
    """

    max_terms: int
    column_of: IntArray  # (n_features,): the column that each feature comes from, 0 .. n_columns - 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "column_of", read_only_integers(self.column_of))

    @classmethod
    def build(cls, max_terms: int | None, column_of: Sequence[int]) -> TermLimit | None:
        """Return the limit; None if there is none, or if the table has no more columns than it allows."""
        columns = np.unique(np.asarray(column_of, dtype=np.intp), return_inverse=True)[1].reshape(-1)
        if max_terms is None or columns.max(initial=-1) + 1 <= max_terms:
            return None
        return cls(max_terms, columns)

    @property
    def n_columns(self) -> int:
        """Number of columns of the table."""
        return int(self.column_of.max()) + 1

    def used_columns(self, weights: FloatArray) -> IntArray:
        """Return the columns that a weighted sum uses, ascending."""
        return np.unique(self.column_of[np.flatnonzero(weights)])

    def features_of(self, columns: IntArray) -> IntArray:
        """Return the features of some columns, ascending."""
        return np.flatnonzero(np.isin(self.column_of, columns))

    def allows(self, diagram: DecisionDiagram) -> bool:
        """Return whether every split of a diagram keeps the limit."""
        n_features = self.column_of.size
        weights = (split.dense_weights(n_features) for split in diagram.splits)
        return all(self.used_columns(one).size <= self.max_terms for one in weights)

    def select_features(self, weights: FloatArray, spread: FloatArray) -> IntArray:
        """Return the features, ascending, of the columns that move a weighted sum most.

        ``spread`` (n_features,): how far a unit of weight on each feature moves the sum.
        """
        moves = np.zeros(self.n_columns)
        np.add.at(moves, self.column_of, np.abs(weights) * spread)
        heaviest = np.argsort(-moves, kind="stable")[: self.max_terms]
        return self.features_of(heaviest[moves[heaviest] > 0])


def select_own_features(limit: TermLimit | None, weights: FloatArray) -> IntArray | None:
    """Return the features that other weights may have in place of these: their columns'; None for all."""
    return None if limit is None else limit.features_of(limit.used_columns(weights))


def expand_weights(weights: FloatArray, features: IntArray | None, n_features: int) -> FloatArray:
    """Return weights of some features, None for all, as weights of all, shape (n_features,)."""
    if features is None:
        return weights
    dense = np.zeros(n_features)
    dense[features] = weights
    return dense
