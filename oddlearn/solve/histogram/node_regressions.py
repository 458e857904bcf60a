"""Logistic regressions of all nodes of a diagram, by Newton's method in passes over the rows.

At a node every row is to take the side that costs less, given the nodes below, and counts as much as the
other side costs more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.solve.budget import Budget
from oddlearn.table.row_source import RowBlock, RowSource

# ridge penalty on standardised features, scikit-learn's default
RIDGE = 1.0

# Newton steps from nothing: the change of a direction is then below rounding to DIGITS on most tables
MAX_STEPS = 7

# weights are rounded to so many digits of the largest, so that they do not depend on how rows are added up
DIGITS = 6

# a step ends the regressions if it changes no coefficient by more
MIN_CHANGE = 1e-5


@dataclass(frozen=True, eq=False)
class Standardisation:
    """Means and standard deviations (d,) of the features, 1 for constant ones."""

    offset: FloatArray
    scale: FloatArray

    @classmethod
    def from_rows(cls, X: NDArray[np.floating]) -> Standardisation:
        """Take those of a sample (n, d)."""
        scale = X.std(axis=0, dtype=np.float64)
        return cls(X.mean(axis=0, dtype=np.float64), np.where(scale > 0, scale, 1.0))

    def apply(self, X: NDArray[np.floating]) -> FloatArray:
        """Return standardised rows with a column of ones, shape (n, d + 1)."""
        rows = np.ones((X.shape[0], X.shape[1] + 1))
        rows[:, :-1] = (X - self.offset) / self.scale
        return rows


@dataclass(frozen=True, eq=False)
class Slopes:
    """Gradients (n_nodes, d + 1) and Hessians (n_nodes, d + 1, d + 1) of the regressions."""

    gradient: FloatArray
    hessian: FloatArray


@dataclass(frozen=True, eq=False)
class AddSlopes:
    """The work of adding up gradients and Hessians of the regressions of all nodes.

    Attributes
    ----------
    diagram : DecisionDiagram
        Of univariate splits on the columns of the rows.
    n_features : int
        The first columns, of which sums are made.
    standard : Standardisation
    coefficients : (n_nodes, d + 1) float
    cost_matrix : (n_classes, n_classes) float
    """

    diagram: DecisionDiagram
    n_features: int
    standard: Standardisation
    coefficients: FloatArray
    cost_matrix: FloatArray

    def add(self, part: RowBlock, total: Slopes | None) -> Slopes:
        """Return the slopes of a block, added to those of others."""
        reached, ends = self._route(part)
        rows = self.standard.apply(part.X[:, : self.n_features])
        gradient, hessian = np.zeros(self.coefficients.shape), []
        for node in range(self.diagram.n_nodes):
            at, saving = self._savings(part, ends, node, np.flatnonzero(reached[node]))
            own, weight = rows[at], np.abs(saving)
            share = 1.0 / (1.0 + np.exp(-np.clip(own @ self.coefficients[node], -30, 30)))
            gradient[node] = own.T @ (weight * (share - (saving > 0)))
            hessian.append(own.T @ (own * (weight * share * (1 - share))[:, None]))
        slopes = Slopes(gradient, np.array(hessian))
        return slopes if total is None else self.merge(slopes, total)

    def merge(self, one: Slopes, other: Slopes) -> Slopes:
        """Return the slopes of the rows of both."""
        return Slopes(one.gradient + other.gradient, one.hessian + other.hessian)

    def _route(self, block: RowBlock) -> tuple[BoolArray, NDArray[np.int16]]:
        """Return the rows that reach each node, and the class that each row ends in from each node on."""
        diagram, n_nodes = self.diagram, self.diagram.n_nodes
        reached = np.zeros((n_nodes + diagram.n_classes, block.n_rows), dtype=bool)
        ends = np.zeros((n_nodes + diagram.n_classes, block.n_rows), dtype=np.int16)
        ends[n_nodes:] = np.arange(diagram.n_classes)[:, None]
        reached[0] = True
        sides = []
        for node, split in enumerate(diagram.splits):
            sides.append(split.side(block.X))
            reached[diagram.positive[node]] |= reached[node] & sides[node]
            reached[diagram.negative[node]] |= reached[node] & ~sides[node]
        for node in reversed(range(n_nodes)):
            ends[node] = np.where(sides[node], ends[diagram.positive[node]], ends[diagram.negative[node]])
        return reached, ends

    def _savings(
        self, block: RowBlock, ends: NDArray[np.int16], node: int, at: IntArray
    ) -> tuple[IntArray, FloatArray]:
        """Return the rows at a node that do not cost the same on both sides, and what the positive saves."""
        negative, positive = (int(arcs[node]) for arcs in (self.diagram.negative, self.diagram.positive))
        codes = block.codes[at]
        saving = self.cost_matrix[codes, ends[negative, at]] - self.cost_matrix[codes, ends[positive, at]]
        if block.weight is not None:
            saving = saving * block.weight[at]
        differs = saving != 0
        return at[differs], saving[differs]


def fit_regressions(
    source: RowSource, work: AddSlopes, budget: Budget, n_steps: int = MAX_STEPS
) -> FloatArray | None:
    """Return coefficients (n_nodes, d + 1) after some steps from those of the work; None without time.

    Each step is one pass over the rows. A step of a node that would not be finite is left out.
    """
    coefficients = work.coefficients
    ridge = RIDGE * np.diag(np.append(np.ones(work.n_features), 1e-9))
    for _ in range(n_steps):
        current = AddSlopes(work.diagram, work.n_features, work.standard, coefficients, work.cost_matrix)
        slopes = source.reduce(current, None, lambda: budget.expired)
        if slopes is None:
            return None if coefficients is work.coefficients else coefficients
        steps = [
            _newton_step(gradient + ridge @ own, hessian + ridge)
            for own, gradient, hessian in zip(coefficients, slopes.gradient, slopes.hessian, strict=True)
        ]
        coefficients = coefficients - np.array(steps)
        if np.abs(steps).max(initial=0.0) < MIN_CHANGE:
            break
    return coefficients


def _newton_step(gradient: FloatArray, hessian: FloatArray) -> FloatArray:
    step = np.linalg.lstsq(hessian, gradient, rcond=1e-12)[0]
    # a long step leaves the region where the quadratic model holds
    size = float(np.abs(step).max(initial=0.0))
    if not np.isfinite(size):
        return np.zeros(step.size)
    return np.asarray(step if size <= 5.0 else step * (5.0 / size))


def to_raw_weights(coefficients: FloatArray, standard: Standardisation) -> FloatArray:
    """Return the weights (n_nodes, d) of raw features, rounded; nodes without any are left out."""
    own = coefficients[:, :-1]
    largest = np.abs(own).max(axis=1, initial=0.0)
    kept = np.isfinite(own).all(axis=1) & (largest > 0)
    weights = np.round(own[kept] / largest[kept, None], DIGITS) / standard.scale
    return np.asarray(weights[np.isfinite(weights).all(axis=1)])
