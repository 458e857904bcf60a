"""Logistic regressions of all nodes of a diagram, by Newton's method in passes over the rows.

At a node every row is to take the side that costs less, given the nodes below, and counts as much as the
other side costs more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import round_to_digits
from oddlearn.kernels.histogram.projections import project_rows
from oddlearn.problem.term_limit import TermLimit
from oddlearn.solve.budget import Budget
from oddlearn.streaming.row_source import RowBlock, RowSource
from oddlearn.table.column_medians import column_blocks

# ridge penalty on standardised features, scikit-learn's default
RIDGE = 1.0

# Newton steps from nothing: the change of a direction is then below rounding to DIGITS on most tables
MAX_STEPS = 7

# weights are rounded to so many digits of the largest, and to as many of their own
DIGITS = 4

# rows whose terms of 40 bits are added up in floating point: 2 ** 12 of them stay below 2 ** 53
EXACT_ROWS = 4096
TERM_BITS = 40

# and values that are copied at once
EXACT_CELLS = 600_000

# bits of the lower part of an exact sum
LOW_BITS = 26

# terms may be so many times as large as the largest of the sample
SAMPLE_REACH = 4.0

# a step ends the regressions if it changes no coefficient by more
MIN_CHANGE = 1e-5


@dataclass(frozen=True, eq=False)
class Standardisation:
    """Means and standard deviations (d,) of the features, 1 for constant ones."""

    offset: FloatArray
    scale: FloatArray

    @classmethod
    def from_rows(cls, X: NDArray[np.floating]) -> Standardisation:
        """Take those of a sample (n, d), some columns at a time: numpy makes a copy."""
        blocks = column_blocks(*X.shape)
        scale = np.concatenate([X[:, block].std(axis=0, dtype=np.float64) for block in blocks])
        return cls(X.mean(axis=0, dtype=np.float64), np.where(scale > 0, scale, 1.0))

    def apply(self, X: NDArray[np.floating]) -> FloatArray:
        """Return standardised rows with a column of ones, shape (n, d + 1)."""
        rows = np.ones((X.shape[0], X.shape[1] + 1))
        np.subtract(X, self.offset, out=rows[:, :-1])
        rows[:, :-1] /= self.scale
        return rows


@dataclass(frozen=True, eq=False)
class Slopes:
    """Gradients and Hessians of the regressions, as integers: sums that do not depend on any order.

    Attributes
    ----------
    gradient : (2, n_nodes, d + 1) int
        High and low bits.
    hessian : (2, n_nodes, d + 1, d + 1) int
    """

    gradient: NDArray[np.int64]
    hessian: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SumUnits:
    """Units of the terms of gradients and Hessians, in which these are integers.

    Attributes
    ----------
    gradient, hessian : (d + 1,) float
        Largest absolute term of each column, divided by 2 ** TERM_BITS; of a Hessian the term is that of a
        row, of which squares are added up, divided by 2 ** (TERM_BITS / 2).
    """

    gradient: FloatArray
    hessian: FloatArray

    @classmethod
    def choose(cls, rows: FloatArray, largest: float) -> SumUnits:
        """Choose units from standardised rows (n, d + 1) of a sample and the largest weight of a row."""
        reach = SAMPLE_REACH * np.abs(rows).max(axis=0, initial=1.0)
        return cls(reach * largest / 2**TERM_BITS, reach * math.sqrt(largest) / 2 ** (TERM_BITS // 2 + 1))


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
    units : SumUnits
    """

    diagram: DecisionDiagram
    n_features: int
    standard: Standardisation
    coefficients: FloatArray
    cost_matrix: FloatArray
    units: SumUnits

    def add(self, part: RowBlock, total: Slopes | None) -> Slopes:
        """Return the slopes of others, to which those of a block are added in place."""
        n_nodes, n_terms = self.coefficients.shape
        if total is None:
            gradient = np.zeros((2, n_nodes, n_terms), dtype=np.int64)
            total = Slopes(gradient, np.zeros((2, n_nodes, n_terms, n_terms), dtype=np.int64))
        reached, ends = self._route(part)
        step = min(EXACT_ROWS, max(1, EXACT_CELLS // n_terms))
        for node in range(n_nodes):
            at, saving = self._savings(part, ends, node, np.flatnonzero(reached[node]))
            for first in range(0, at.size, step):
                some = slice(first, first + step)
                rows = self.standard.apply(part.X[at[some], : self.n_features])
                own = self._sum_rows(node, rows, saving[some])
                total.gradient[:, node] += _split_bits(own[0])
                total.hessian[:, node] += _split_bits(own[1])
        return total

    def _sum_rows(self, node: int, rows: FloatArray, saving: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the slopes of at most EXACT_ROWS rows at a node, in units: sums of integers below 2 ** 53.

        Every term is rounded to an integer, alone, so that a matrix product is exact in any order.
        """
        score, weight = np.empty((1, saving.size)), np.abs(saving)
        project_rows(rows, np.ascontiguousarray(self.coefficients[node : node + 1]), score)
        share = 1.0 / (1.0 + np.exp(-np.clip(score[0], -30, 30)))
        terms = rows * (weight * (share - (saving > 0)))[:, None]
        gradient = _round_terms(terms, self.units.gradient, TERM_BITS).sum(axis=0)
        factors = np.multiply(rows, np.sqrt(weight * share * (1 - share))[:, None], out=terms)
        factors = _round_terms(factors, self.units.hessian, TERM_BITS // 2)
        return gradient, factors.T @ factors

    def to_numbers(self, slopes: Slopes) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the gradient (d + 1,) and the Hessian (d + 1, d + 1) of each node."""
        unit = self.units.hessian
        for node in range(slopes.gradient.shape[1]):
            gradient = _join_bits(slopes.gradient[:, node]) * self.units.gradient
            yield gradient, _join_bits(slopes.hessian[:, node]) * unit[:, None] * unit

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


def _round_terms(values: FloatArray, unit: FloatArray, n_bits: int) -> FloatArray:
    """Make values integers of so many bits, in place; rows far beyond the sample count as less."""
    np.divide(values, unit, out=values)
    np.rint(values, out=values)
    return np.clip(values, -(2.0**n_bits), 2.0**n_bits, out=values)


def _split_bits(sums: FloatArray) -> NDArray[np.int64]:
    """Return exact integers as high and low bits, of which 2 ** 36 can be added up."""
    integers = sums.astype(np.int64)
    return np.array([integers >> LOW_BITS, integers & (2**LOW_BITS - 1)])


def _join_bits(parts: NDArray[np.int64]) -> FloatArray:
    return np.asarray(parts[0] * 2.0**LOW_BITS + parts[1])


def fit_regressions(
    source: RowSource,
    work: AddSlopes,
    budget: Budget,
    n_steps: int = MAX_STEPS,
    allowed: BoolArray | None = None,
) -> FloatArray | None:
    """Return coefficients (n_nodes, d + 1) after some steps from those of the work; None without time.

    Each step is one pass over the rows. A step of a node that would not be finite is left out. ``allowed``
    (n_nodes, d + 1): coefficients that may change, all by default.
    """
    coefficients = work.coefficients
    free = np.ones(coefficients.shape, dtype=bool) if allowed is None else allowed
    ridge = RIDGE * np.diag(np.append(np.ones(work.n_features), 1e-9))
    for _ in range(n_steps):
        current = replace(work, coefficients=coefficients)
        slopes = source.reduce(current, None, lambda: budget.expired)
        if slopes is None:
            return None if coefficients is work.coefficients else coefficients
        steps = [
            _newton_step(gradient + ridge @ own, hessian + ridge, free[node])
            for node, (gradient, hessian) in enumerate(current.to_numbers(slopes))
            for own in (coefficients[node],)
        ]
        coefficients = coefficients - np.array(steps)
        if np.abs(steps).max(initial=0.0) < MIN_CHANGE:
            break
    return coefficients


def _newton_step(gradient: FloatArray, hessian: FloatArray, free: BoolArray) -> FloatArray:
    step = np.zeros(gradient.size)
    step[free] = np.linalg.lstsq(hessian[np.ix_(free, free)], gradient[free], rcond=1e-12)[0]
    # a long step leaves the region where the quadratic model holds
    size = float(np.abs(step).max(initial=0.0))
    if not np.isfinite(size):
        return np.zeros(step.size)
    return np.asarray(step if size <= 5.0 else step * (5.0 / size))


def select_terms(limit: TermLimit, coefficients: FloatArray) -> BoolArray:
    """Mark the coefficients (n_nodes, d + 1) of the columns that matter most, and the constants."""
    allowed = np.zeros(coefficients.shape, dtype=bool)
    allowed[:, -1] = True
    for node, own in enumerate(coefficients[:, :-1]):
        allowed[node, limit.select_features(own, np.ones(own.size))] = True
    return allowed


def to_raw_weights(coefficients: FloatArray, standard: Standardisation) -> FloatArray:
    """Return the weights (n_nodes, d) of raw features in few digits; nodes without any are left out.

    The term that matters most, on standardised features, has the weight 1 or -1.
    """
    own = coefficients[:, :-1]
    own = own[np.isfinite(own).all(axis=1) & (np.abs(own).max(axis=1, initial=0.0) > 0)]
    heaviest = np.abs(own).argmax(axis=1)
    shares = np.round(own / np.abs(np.take_along_axis(own, heaviest[:, None], axis=1)), DIGITS)
    weights = shares * (standard.scale[heaviest][:, None] / standard.scale)
    kept = weights[np.isfinite(weights).all(axis=1)]
    short = [round_to_digits(weight, DIGITS) for weight in kept.ravel().tolist()]
    return np.asarray(np.array(short, dtype=np.float64).reshape(kept.shape))
