"""Logistic regressions on all columns of a wide table: its rows are read in blocks, and never copied.

Beside the table a regression needs some arrays of a number per column. A quasi-Newton method takes ten to a
hundred products with the table: 0.1 s for 2,000 x 5,000.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.term_limit import TermLimit, expand_weights
from oddlearn.problem.training_data import row_costs
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_best_threshold
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.diagram_builder import DiagramBuilder
from oddlearn.solve.histogram.node_regressions import Standardisation, to_raw_weights
from oddlearn.table.column_medians import column_blocks

# values that are read at once: those of a table of other numbers are copied
BLOCK_CELLS = 500_000

# of a block with a smaller share of rows that do not cost the same on both sides, these are copied
MAX_COPIED_SHARE = 0.5

# ridge penalties, each from the weights of the last, until no row is on its costlier side: up to twice as
# many rows as columns can be separated even if their classes are random (Cover 1965). For more rows there is
# the first alone
RIDGES = (1.0, 1e-2, 1e-4)
INTERCEPT_RIDGE = 1e-9

# rows at most by which columns are standardised
MAX_STANDARD_ROWS = 5_000

# of a regression, for each value of the table: at least (40,000 x 2,000 took 0.5 s), usually (500 x 10,000
# with 5 classes took 0.4 s)
SECONDS_PER_VALUE = 6e-9
USUAL_SECONDS_PER_VALUE = 3e-8

# steps of the quasi-Newton method, earlier ones that it remembers, and the largest slope at its end
MAX_STEPS = 100
N_REMEMBERED = 5
MAX_SLOPE = 1e-2


@dataclass(frozen=True, eq=False)
class RidgeLoss:
    """Log loss of the rows, and ridge, as a function of d weights on standardised columns and a constant.

    Attributes
    ----------
    X : (n, d) float
    standard : Standardisation
    saving : (n,) float
        What the positive side saves for each row; negative where it costs more.
    ridge : float
    """

    X: NDArray[np.floating]
    standard: Standardisation
    saving: FloatArray
    ridge: float

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and its gradient, (d + 1,)."""
        unit = point[:-1] / self.standard.scale
        constant = point[-1] - self.standard.offset @ unit
        value = 0.5 * (self.ridge * point[:-1] @ point[:-1] + INTERCEPT_RIDGE * point[-1] ** 2)
        slopes, total = np.zeros(unit.size), 0.0
        for block in _row_blocks(self.X):
            rows, saving = self.X[block], self.saving[block]
            n_used = np.count_nonzero(saving)
            if n_used == 0:
                continue
            if n_used < MAX_COPIED_SHARE * saving.size:
                rows, saving = rows[saving != 0], saving[saving != 0]
            rows = np.asarray(rows, dtype=np.float64)
            distance = np.sign(saving) * (rows @ unit + constant)
            value += float(np.abs(saving) @ np.logaddexp(0.0, -distance))
            residual = -saving * expit(-distance)
            slopes += residual @ rows
            total += float(residual.sum())
        slopes = (slopes - total * self.standard.offset) / self.standard.scale
        slopes[np.isinf(self.standard.scale)] = 0.0  # columns that are left out, beyond floating point maybe
        return value, np.append(slopes + self.ridge * point[:-1], total + INTERCEPT_RIDGE * point[-1])


def _row_blocks(X: NDArray[np.floating]) -> Iterator[slice]:
    step = max(1, BLOCK_CELLS // max(1, X.shape[1]))
    for first in range(0, len(X), step):
        yield slice(first, first + step)


def standardise_columns(X: NDArray[np.floating], saving: FloatArray) -> Standardisation:
    """Return offsets and scales of the columns over rows that do not cost the same on both sides.

    Where there are more columns than such rows, columns that correlate with the cheaper side have smaller
    scales: of all hyperplanes that separate the rows, one with large weights on these is found.
    """
    at = np.flatnonzero(saving)
    at = at[:: -(-at.size // MAX_STANDARD_ROWS)]
    offset, scale, slope = np.zeros(X.shape[1]), np.ones(X.shape[1]), np.zeros(X.shape[1])
    centred = saving[at] - saving[at].mean()
    with np.errstate(all="ignore"):  # columns beyond floating point are left out below
        for block in column_blocks(*X.shape):
            columns = np.asarray(X[:, block][at], dtype=np.float64)
            offset[block], scale[block] = columns.mean(axis=0), columns.std(axis=0)
            slope[block] = np.abs(centred @ (columns - offset[block])) / scale[block]
        if X.shape[1] > at.size:
            scale /= np.nan_to_num(slope / np.sqrt(np.nanmean(slope**2)), posinf=0.0)
    is_usable = np.isfinite(offset) & np.isfinite(scale) & (scale > 0)
    return Standardisation(np.where(is_usable, offset, 0.0), np.where(is_usable, scale, np.inf))


def fit_hyperplanes(
    X: NDArray[np.floating], saving: FloatArray, limit: TermLimit | None, budget: Budget
) -> Iterator[FloatArray]:
    """Yield the weights (d,) of regressions of the cheaper side, with less and less ridge.

    With a limit, they are of regressions on the columns that matter most to the first one.
    """
    standard = standardise_columns(X, saving)
    for weights in _fit_path(X, standard, saving, budget):
        if limit is None:
            yield weights
            continue
        features = limit.select_features(weights, np.nan_to_num(standard.scale, posinf=0.0))
        part = X[:, features]
        for own in _fit_path(part, standardise_columns(part, saving), saving, budget):
            yield expand_weights(own, features, X.shape[1])
        return


def _fit_path(
    X: NDArray[np.floating], standard: Standardisation, saving: FloatArray, budget: Budget
) -> Iterator[FloatArray]:
    """Yield the weights (d,) of regressions, each from those of the last one."""
    mean_one = saving * (np.count_nonzero(saving) / np.abs(saving).sum())
    point = np.zeros(X.shape[1] + 1)
    for ridge in RIDGES:
        point = _minimise(RidgeLoss(X, standard, mean_one, ridge), point, budget)
        yield from to_raw_weights(point[None], standard)
        if 2 * X.shape[1] < np.count_nonzero(saving) or budget.expired:
            return


def _minimise(loss: RidgeLoss, start: FloatArray, budget: Budget) -> FloatArray:
    """Return a minimiser of the loss, or the best point when the time is over."""

    def stop_in_time(_: FloatArray) -> None:
        if budget.expired:
            raise StopIteration

    options = {"maxiter": MAX_STEPS, "maxcor": N_REMEMBERED, "gtol": MAX_SLOPE}
    with np.errstate(over="ignore", invalid="ignore"):
        found = minimize(loss, start, jac=True, method="L-BFGS-B", callback=stop_in_time, options=options)
    return np.asarray(found.x, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class ClassFlow:
    """Rows (k,) that arrive at the end of some arcs, and the classes that are told apart there."""

    rows: IntArray
    arcs: tuple[int, ...]
    classes: IntArray


def regression_seconds(problem: TrainingProblem, data: LargeData) -> float:
    """Return about how long the regressions of all nodes take that part the classes."""
    n_nodes = min(data.n_classes - 1, problem.skeleton.n_nodes)
    return n_nodes * USUAL_SECONDS_PER_VALUE * data.X.size


def grow_regressions(problem: TrainingProblem, data: LargeData, budget: Budget) -> DecisionDiagram:
    """Return a tree of hyperplanes, each of which parts the classes at its node into two groups.

    Two classes are parted once. Further hyperplanes on all columns would part their last rows by chance: on
    a teacher of three classes, 10,000 x 800, they had a test accuracy of 0.59, and without them the search
    ended at 0.92. Layer by layer, nodes are added where the cheapest class costs most; those that save less
    than their price are left out in the end. Every node has an equal share of the time left for all that are
    needed.
    """
    cost = row_costs(data.class_weight, data.cost_matrix)
    builder = DiagramBuilder(problem, cost.sum(axis=0))
    flows = [ClassFlow(np.arange(data.n_rows), (), np.arange(data.n_classes))]
    for layer, width in enumerate(problem.skeleton.widths):
        flows.sort(key=lambda flow: -float(cost[flow.rows].sum(axis=0).min()))
        below: list[ClassFlow] = []
        for number, flow in enumerate(flows[:width]):
            n_needed = sum(later.classes.size - 1 for later in [*flows[number:width], *below])
            own = budget.share(1 / max(1, min(n_needed, problem.skeleton.n_nodes - builder.n_nodes)))
            is_late = budget.expired or budget.remaining() < SECONDS_PER_VALUE * data.X.size
            groups = None if is_late else group_classes(data, flow.rows, flow.classes)
            found = None if groups is None else _part_groups(problem, data, cost, flow.rows, groups, own)
            if found is None or groups is None:
                continue
            split, side = found
            parts = [flow.rows[~side], flow.rows[side]]
            node = builder.add(layer, split, flow.arcs, [cost[part].sum(axis=0) for part in parts])
            below += [ClassFlow(parts[side], (2 * node + side,), groups[side]) for side in (0, 1)]
        flows = below
    return builder.prune().build()


def _part_groups(
    problem: TrainingProblem,
    data: LargeData,
    cost: FloatArray,
    rows: IntArray,
    groups: tuple[IntArray, IntArray],
    budget: Budget,
) -> tuple[MultivariateSplit, BoolArray] | None:
    """Return the cheapest split of some rows along a regression of two groups of classes; None if none saves.

    With the split comes the side of each of the rows. ``cost`` (n, n_classes): a group costs what its
    cheapest class does.
    """
    negative, positive = (cost[np.ix_(rows, group)].min(axis=1) for group in groups)
    saving = np.zeros(data.n_rows)
    saving[rows] = negative - positive
    least, best = min(float(negative.sum()), float(positive.sum())), None
    for weights in fit_hyperplanes(data.X, saving, problem.term_limit, budget) if saving.any() else ():
        split = MultivariateSplit(weights, 0.0)
        key = split.key(data.X)[rows]
        value, threshold = find_best_threshold(key, negative, positive, 0.0)
        if value < least:
            split = split.with_threshold(threshold)
            least, best = value, (split, split.compare(key))
        if least <= np.minimum(negative, positive).sum():
            break
    return best


def group_classes(data: LargeData, rows: IntArray, classes: IntArray) -> tuple[IntArray, IntArray] | None:
    """Return some classes in two groups, along the direction in which their means over some rows differ most.

    Classes that no row has are left out; None if fewer than two are left.
    """
    weight = data.class_weight[np.ix_(rows, classes)]
    has_rows = weight.any(axis=0)
    classes, weight = classes[has_rows], weight[:, has_rows]
    if classes.size < 3:
        return (classes[:1], classes[1:]) if classes.size == 2 else None
    total = weight.sum(axis=0)
    products = np.zeros((classes.size, classes.size))
    with np.errstate(all="ignore"):  # columns beyond floating point do not count
        for block in column_blocks(*data.X.shape):
            columns = np.asarray(data.X[:, block][rows], dtype=np.float64)
            means = (weight / total).T @ ((columns - columns.mean(axis=0)) / columns.std(axis=0))
            means = means[:, np.isfinite(means).all(axis=0)]
            products += means @ means.T
    size = np.sqrt(total)
    place = np.linalg.eigh(size[:, None] * products * size)[1][:, -1] / size
    is_positive = place > place @ total / total.sum()
    return (classes[~is_positive], classes[is_positive]) if is_positive.any() else None
