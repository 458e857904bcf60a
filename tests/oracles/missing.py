"""The optimum over all diagrams whose splits learn a side for missing values or ask for them.

Written on the raw table, NaN where a value is missing: no ranks, no second columns, no distinct rows.
"""

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from tests.oracles.brute_force import _Enumeration, _mask, _members


@dataclass(frozen=True)
class RawTable:
    """A tiny training table and the parameters of a fit on it."""

    X: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    cost_matrix: np.ndarray
    skeleton: Skeleton
    alpha: float
    split = "univariate"

    @property
    def cost(self):
        return self.weight[:, None] * self.cost_matrix[self.codes]

    @property
    def total_weight(self):
        return self.weight.sum()

    @property
    def node_price(self):
        return self.alpha / max(1, self.skeleton.n_nodes - 1)

    def objective(self, predicted, n_nodes):
        """Objective of a diagram with these predictions, one class code per row."""
        cost = self.cost[np.arange(len(self.codes)), predicted].sum()
        return cost / self.total_weight + self.node_price * (max(1, n_nodes) - 1)


def optimal_objective_on_raw_rows(table):
    """Return the smallest objective over all diagrams of the table's skeleton."""
    return _RawEnumeration(table).run()


class _RawEnumeration(_Enumeration):
    def _by_thresholds(self, mask):
        rows = _members(mask)
        found = {(mask, 0)}
        for feature in range(self.problem.X.shape[1]):
            for positive in self._questions(feature, rows):
                part = _mask([row for row in rows if positive(self.problem.X[row, feature])])
                if part not in (0, mask):
                    found.add((mask & ~part, part))
        return sorted(found)

    def _questions(self, feature, rows):
        """Yield tests of one value: by every threshold with either side for missing ones, and for missing."""
        yield np.isnan
        for threshold in {self.problem.X[row, feature] for row in rows}:
            yield lambda value, threshold=threshold: value >= threshold
            yield lambda value, threshold=threshold: np.isnan(value) or value >= threshold


SKELETONS = ("1", "1-1", "1-2", "1-2-1", "1-2-2")


def tiny_table(seed, most_rows=7):
    """Return a random tiny table: ties, duplicate rows, weights, costs, missing values in several ways."""
    random = np.random.default_rng(seed)
    n, d, n_classes = random.integers(4, most_rows + 1), random.integers(1, 4), random.integers(2, 5)
    codes = random.permutation(np.concatenate([[0, 1], random.integers(0, n_classes, n - 2)]))
    codes = np.unique(codes, return_inverse=True)[1]
    n_classes = int(codes.max()) + 1
    X = random.integers(0, 4, (n, d)) * random.choice([1.0, 1e-12, 1e9])
    _remove_values(random, X, codes)
    if random.random() < 0.4:
        X[random.integers(n)] = X[random.integers(n)]
    weights = [np.ones(n), random.integers(1, 4, n).astype(float), random.random(n) + 0.1]
    costs = 1.0 - np.eye(n_classes)
    if random.random() < 0.3:
        costs *= random.integers(1, 4, (n_classes, n_classes))
    skeleton = Skeleton(Skeleton.parse(str(random.choice(SKELETONS))).widths, tree_only=random.random() < 0.3)
    alpha = float(random.choice([0.0, 0.05, 0.1, 0.3, 1.0]))
    return RawTable(X, codes, weights[random.integers(3)], costs, skeleton, alpha)


def _remove_values(random, X, codes):
    """Replace values by NaN: at random, and in all rows of a class, in all but one, or in a whole column."""
    X[random.random(X.shape) < random.choice([0.1, 0.3, 0.5])] = np.nan
    column = random.integers(X.shape[1])
    pattern = random.integers(6)
    if pattern == 0:
        X[codes == 0, column] = np.nan
    elif pattern == 1:
        X[:, column] = np.nan
        X[random.integers(X.shape[0]), column] = 1.0
    elif pattern == 2 and X.shape[1] > 1:
        X[:, column] = np.nan
    elif pattern == 3:
        X[codes == 0] = np.nan
