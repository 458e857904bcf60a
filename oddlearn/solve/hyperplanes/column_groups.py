"""The columns of a table as a weighted sum sees them: a number, levels with offsets of their own, or both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.problem.training_problem import TrainingProblem


@dataclass(frozen=True, eq=False)
class ColumnGroup:
    """One column of the user: its features, and what a weighted sum of them can tell apart.

    The term of a column of categories can take any value for each of its levels, its indicators have weights
    of their own. So can the term of a number where it is missing, or any two values of a column with two.
    """

    features: IntArray
    values: FloatArray | None  # (m,): the number; None for a column of levels alone
    level: IntArray  # (m,): level of each row; of a number, 0 where it is known and 1 where it is missing

    @property
    def is_missing(self) -> BoolArray:
        """True for rows whose number is missing, shape (m,)."""
        return np.asarray(self.level > 0) if self.values is not None else np.zeros(self.level.size, bool)

    @property
    def n_levels(self) -> int:
        """Number of levels."""
        return int(self.level.max(initial=0)) + 1

    def take(self, rows: BoolArray) -> ColumnGroup:
        """Return the group for some of the rows."""
        values = None if self.values is None else self.values[rows]
        return ColumnGroup(self.features, values, self.level[rows])


def list_groups(problem: TrainingProblem) -> list[ColumnGroup] | None:
    """Return the columns that vary; None if one has two features with more than two values each."""
    limit = problem.term_limit
    groups = []
    for column in range(0 if limit is None else limit.n_columns):
        features = limit.features_of(np.array([column])) if limit is not None else np.empty(0, dtype=np.intp)
        varying = features[np.ptp(problem.data.X[:, features], axis=0) > 0]
        if not varying.size:
            continue
        group = _build_group(problem.data.X, varying)
        if group is None:
            return None
        groups.append(group)
    return groups


def _build_group(X: FloatArray, features: IntArray) -> ColumnGroup | None:
    """Return the group of some features that vary."""
    n_values = np.array([np.unique(X[:, feature]).size for feature in features])
    numbers, binary = features[n_values > 2], features[n_values == 2]
    level = np.zeros(len(X), dtype=np.intp)
    if binary.size:
        level = np.unique(X[:, binary], axis=0, return_inverse=True)[1].reshape(-1)
    if not numbers.size:
        return ColumnGroup(features, None, level)
    values = np.ascontiguousarray(X[:, numbers[0]])
    # where a number is missing its feature holds one value, which the indicator moves anywhere
    if numbers.size > 1 or binary.size > 1 or (binary.size and np.ptp(values[level == 1]) > 0):
        return None
    return ColumnGroup(features, values, level)
