"""Logistic regressions as an incumbent: with two classes, no fit has more training errors than one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray, IntArray
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.evaluate import solver_margin
from oddlearn.problem.term_limit import TermLimit, expand_weights
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.best_threshold import find_best_stump
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.diagram_builder import DiagramBuilder
from oddlearn.solve.solver import Emit, univariate_unsupported
from oddlearn.solve.state import SolveState
from oddlearn.table.column_medians import column_blocks

# allowed for one regression, per row and feature: 100,000 x 20 took 0.3 s on a busy core, in one thread
SECONDS_PER_CELL = 2.5e-7

MIN_ROWS = 1000  # a regression on fewer rows of a large table is not worth its time
MIN_SAVING = 1e-9  # a split that saves a smaller share of all weight is rounding


@dataclass(frozen=True)
class LogisticStart:
    """A tree of logistic regressions of two classes each, and the first of them alone.

    The regressions are scikit-learn's with its defaults, on standardised features. Each threshold is then
    chosen anew, as the one that costs least.
    """

    seed: int = 0  # of the sample of rows if the time is too short for all

    name: ClassVar[str] = "logistic_regression"

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        return univariate_unsupported(self.name, problem)

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Offer the tree and its root alone; a table that is too large for the budget is sampled."""
        from threadpoolctl import threadpool_limits

        problem = state.problem
        sampled = self._sample_rows(problem, budget)
        if self.unsupported_reasons(problem) or sampled is None:
            return state
        builder = DiagramBuilder.empty(problem)
        flows = [ArcRows(np.arange(problem.data.n_rows), ())]
        # threads of the linear algebra wait for each other: on a busy machine one is 50 times as fast
        with threadpool_limits(1):
            for layer, width in enumerate(problem.skeleton.widths):
                flows = _add_layer(builder, layer, width, flows, sampled, budget)
                if layer == 0 and flows:
                    state = state.offer(builder.prune().build(), trusted=False)
                if max(state.unresolved_node_counts, default=0) <= layer + 1:
                    break  # no diagram with more nodes is better
        return state.offer(builder.prune().build(), trusted=False)

    def _sample_rows(self, problem: TrainingProblem, budget: Budget) -> BoolArray | None:
        """Mark as many distinct rows as there is time for at one node, None if they are too few."""
        n_rows = problem.data.n_rows
        affordable = budget.remaining() / (SECONDS_PER_CELL * problem.data.n_features)
        if affordable >= n_rows:
            return np.ones(n_rows, dtype=bool)
        if affordable < MIN_ROWS:
            return None
        sampled = np.zeros(n_rows, dtype=bool)
        sampled[np.random.default_rng(self.seed).choice(n_rows, int(affordable), replace=False)] = True
        return sampled


@dataclass(frozen=True, eq=False)
class ArcRows:
    """Rows (k,) that may be split at a new node, and the arcs on which they arrive there."""

    rows: IntArray
    arcs: tuple[int, ...]


def _add_layer(
    builder: DiagramBuilder, layer: int, width: int, flows: list[ArcRows], sampled: BoolArray, budget: Budget
) -> list[ArcRows]:
    """Add up to ``width`` nodes where they save most; return the flows out of them."""
    problem = builder.problem
    found = []
    for flow in flows:
        cost, split = find_logistic_split(problem, flow.rows, sampled, budget)
        saving = float(problem.cost[flow.rows].sum(axis=0).min()) - cost
        if split is not None and saving > MIN_SAVING * problem.total_weight:
            found.append((saving, flow, split))
    below = []
    for _, flow, split in sorted(found, key=lambda one: -one[0])[:width]:
        side = split.side(problem.data.X[flow.rows])
        parts = [flow.rows[~side], flow.rows[side]]
        node = builder.add(layer, split, flow.arcs, [problem.cost[part].sum(axis=0) for part in parts])
        below += [ArcRows(part, (2 * node + positive,)) for positive, part in enumerate(parts)]
    return below


def find_logistic_split(
    problem: TrainingProblem, rows: IntArray, sampled: BoolArray, budget: Budget
) -> tuple[float, MultivariateSplit | None]:
    """Return the least cost of a split of the rows along a regression of two classes, and the split.

    Pairs of classes are tried in the order of what they cost at least, until none can be better; the cost is
    inf and there is no split if none keeps the margin, or when out of time.
    """
    cost, X = problem.cost[rows], _select(problem.data.X, rows)
    pairs = combinations(np.flatnonzero(problem.data.class_weight[rows].any(axis=0)).tolist(), 2)
    bounds = sorted((float(np.minimum(cost[:, a], cost[:, b]).sum()), a, b) for a, b in pairs)
    least, best = float(np.inf), None
    # find_best_stump allows for the tolerance itself
    margin = solver_margin(problem) + MARGIN_TOLERANCE
    for bound, *pair in bounds:
        if bound >= least or budget.expired:
            break
        for weights in fit_regressions(problem, rows[sampled[rows]], pair):
            split = MultivariateSplit(weights, 0.0)
            key = split.key(X)
            value, threshold = find_best_stump(key, np.argsort(key), cost, margin)
            if value < least:
                least, best = value, split.with_threshold(threshold)
    return least, best


def fit_regressions(problem: TrainingProblem, rows: IntArray, pair: list[int]) -> Iterator[FloatArray]:
    """Yield weights (d,) of the regressions of two classes by weight and, if they differ, by cost.

    By weight, every sample of the two classes counts, as for users of scikit-learn. By cost, every row
    belongs to the class that costs less there, and counts as much as the other one costs more.
    """
    weight, limit = problem.data.class_weight[rows][:, pair], problem.term_limit
    X = _select(problem.data.X, rows)
    yield from fit_terms(X, weight, limit)
    saving = problem.cost[rows][:, pair] @ [[-1.0, 1.0], [1.0, -1.0]]
    if not np.array_equal(saving[:, 0], weight[:, 0] - weight[:, 1]):
        yield from fit_terms(X, np.maximum(saving, 0.0), limit)


def _select(X: FloatArray, rows: IntArray) -> FloatArray:
    """Return some rows, ascending; all of them without a copy."""
    return X if rows.size == len(X) else X[rows]


def fit_terms(
    X: FloatArray, weight: FloatArray, limit: TermLimit | None, inverse_penalty: float = 1.0
) -> Iterator[FloatArray]:
    """Yield the weights of the regression of two classes with weights (m, 2).

    With a limit, they are of a regression on the columns that matter most to the first one.
    """
    for weights in _fit_regression(X, weight, inverse_penalty):
        if limit is None:
            yield weights
            continue
        features = limit.select_features(weights, X.std(axis=0))
        for own in _fit_regression(X[:, features], weight, inverse_penalty):
            yield expand_weights(own, features, X.shape[1])


def _fit_regression(X: FloatArray, weight: FloatArray, inverse_penalty: float = 1.0) -> Iterator[FloatArray]:
    """Yield the weights, of absolute sum 1, of the regression of two classes with weights (m, 2)."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    place, label = np.nonzero(weight)
    if np.unique(label).size < 2:
        return
    standard, scale = np.empty(X.shape), np.empty(X.shape[1])
    for block in column_blocks(*X.shape):  # the scaler makes copies
        scaler = StandardScaler()
        standard[:, block] = scaler.fit_transform(X[:, block], sample_weight=weight.sum(axis=1))
        scale[block] = scaler.scale_
    if not np.array_equal(place, np.arange(len(X))):  # rows of both classes, or of neither
        standard = standard[place]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=inverse_penalty).fit(standard, label, sample_weight=weight[place, label])
    weights = model.coef_[0] / scale
    norm = float(np.abs(weights).sum())
    if 0 < norm < np.inf:
        yield weights / norm
