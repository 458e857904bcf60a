"""Soft diagrams: every node sends a share of each row to both of its sides, by a logistic function.

The shares are smooth in the weights, so that all hyperplanes of a graph are fitted at once by a gradient
method: first to the likelihood of the classes, a mixture of experts, then to the expected cost. The second is
the cost of a decision diagram as soon as every share is near 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.random_graph import Graph

# of the squared weights beside the mean loss; with less a fit takes longer, with more it has more errors
PENALTY = 1e-6
COST_PENALTY = 1e-7

MAX_LIKELIHOOD_STEPS = 200
MAX_COST_STEPS = 100

# the weights are multiplied so that half of the rows at a node have at least this distance, before the
# expected cost is minimised
MIN_MEDIAN = 4.0

MIN_SHARE = 1e-12  # of the right class: its logarithm stays finite

# usual time of a gradient: in all, and per row and node, and for each feature too
SECONDS_PER_STEP = 8e-5
SECONDS_PER_ENTRY = 2e-8
SECONDS_PER_PRODUCT = 5e-10


class OutOfTimeError(Exception):
    """The deadline has passed in the middle of a fit."""


@dataclass(frozen=True, eq=False)
class SoftTable:
    """The rows of a problem in standard units, with a column of ones, and the samples among them.

    Attributes
    ----------
    columns : (d + 1, m) float
    mean, scale : (d,) float
        Of the features: ``columns`` are ``(x - mean) / scale``.
    cost : (C, m) float
        Of the rows in the classes, divided by the total weight.
    place, code : (n,) int
        Row and class of each sample. A row is a sample of every class that costs less than the worst.
    weight : (n,) float
        What the class saves, divided by the sum of all.
    """

    columns: FloatArray
    mean: FloatArray
    scale: FloatArray
    cost: FloatArray
    place: IntArray
    code: IntArray
    weight: FloatArray

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> SoftTable:
        """Return the table of a problem with rows in memory."""
        X, cost = problem.data.X, problem.cost
        mean, scale = X.mean(axis=0), X.std(axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        columns = np.ascontiguousarray(np.column_stack([(X - mean) / scale, np.ones(len(X))]).T)
        saving = cost.max(axis=1, keepdims=True) - cost
        place, code = np.nonzero(saving > 0)
        weight = saving[place, code]
        shares = np.ascontiguousarray(cost.T) / problem.total_weight
        return cls(columns, mean, scale, shares, place, code, weight / max(weight.sum(), MIN_SHARE))

    @property
    def sample_columns(self) -> FloatArray:
        """The columns of the samples, (d + 1, n); not copied if every row is one sample."""
        is_whole = np.array_equal(self.place, np.arange(self.columns.shape[1]))
        return self.columns if is_whole else self.columns[:, self.place]

    def seconds(self, n_nodes: int) -> float:
        """Return the usual time of one gradient for a graph with so many nodes."""
        n_features, n_rows = self.columns.shape
        per_row = SECONDS_PER_ENTRY + SECONDS_PER_PRODUCT * n_features
        return float(SECONDS_PER_STEP + per_row * n_nodes * max(n_rows, self.place.size))


@dataclass(frozen=True, eq=False)
class SoftFit:
    """A soft diagram: weights (k, d + 1) in standard units, and values (2 k, C) of classes at its arcs."""

    graph: Graph
    weights: FloatArray
    values: FloatArray

    def fit(self, table: SoftTable, budget: Budget, *, learns_classes: bool) -> SoftFit:
        """Return the diagram of the largest likelihood near this one, then of the least expected cost."""
        likely = self._maximise_likelihood(table, budget, learns_classes=learns_classes)
        return likely.minimise_cost(table, budget)

    def _maximise_likelihood(self, table: SoftTable, budget: Budget, *, learns_classes: bool) -> SoftFit:
        columns, k = table.sample_columns, self.graph.n_nodes
        n_weights = self.weights.size

        def loss(theta: FloatArray) -> tuple[float, FloatArray]:
            weights = theta[:n_weights].reshape(k, -1)
            shares = _softmax(theta[n_weights:].reshape(2 * k, -1)) if learns_classes else self.values
            routes = SoftRoutes.compute(self.graph, weights, columns)
            ends = shares[:, table.code]
            right = np.maximum(routes.expect(ends), MIN_SHARE)
            arrivals, slopes = routes.differentiate(-table.weight / right)
            value = -float(table.weight @ np.log(right)) + PENALTY * float((weights[:, :-1] ** 2).sum())
            parts = [_add_penalty(slopes @ columns.T, weights, PENALTY).ravel()]
            if learns_classes:
                parts.append(_softmax_gradient(shares, _sum_by_class(arrivals, table.code, shares.shape[1])))
            return value, np.concatenate(parts)

        start = np.concatenate([self.weights.ravel(), self.values.ravel() if learns_classes else np.empty(0)])
        theta = minimise(loss, start, MAX_LIKELIHOOD_STEPS, table.seconds(k), budget)
        values = theta[n_weights:].reshape(2 * k, -1) if learns_classes else self.values
        return SoftFit(self.graph, theta[:n_weights].reshape(k, -1), values)

    def minimise_cost(self, table: SoftTable, budget: Budget) -> SoftFit:
        """Return the diagram of the least expected cost near this one, with one class at each arc."""
        k = self.graph.n_nodes
        ends = table.cost[self.values.argmax(axis=1)]

        def loss(theta: FloatArray) -> tuple[float, FloatArray]:
            weights = theta.reshape(k, -1)
            routes = SoftRoutes.compute(self.graph, weights, table.columns)
            value = float(routes.expect(ends).sum()) + COST_PENALTY * float((weights[:, :-1] ** 2).sum())
            _, slopes = routes.differentiate(np.ones(table.columns.shape[1]))
            return value, _add_penalty(slopes @ table.columns.T, weights, COST_PENALTY).ravel()

        middle = float(np.median(np.abs(self.weights @ table.columns)))
        start = self.weights * max(1.0, MIN_MEDIAN / max(middle, MIN_SHARE))
        theta = minimise(loss, start.ravel(), MAX_COST_STEPS, table.seconds(k), budget)
        return SoftFit(self.graph, theta.reshape(k, -1), self.values)


@dataclass(frozen=True, eq=False)
class SoftRoutes:
    """The shares of the rows at the nodes of a graph, and what is computed from them backwards."""

    graph: Graph
    shares: tuple[FloatArray, FloatArray]  # (k, n): of the negative and the positive side
    _expected: list[tuple[FloatArray, FloatArray]]  # of each node, from its last to its first: both sides

    @classmethod
    def compute(cls, graph: Graph, weights: FloatArray, columns: FloatArray) -> SoftRoutes:
        """Return the shares of rows with columns (d + 1, n)."""
        from scipy.special import expit

        key = weights @ columns
        return cls(graph, (expit(-key), expit(key)), [])

    def expect(self, ends: FloatArray) -> FloatArray:
        """Return the mean (n,) of the values (2 k, n) of the arcs to terminals."""
        own: dict[int, FloatArray] = {}
        for node in range(self.graph.n_nodes - 1, -1, -1):
            targets = self.graph.targets[node]
            negative, positive = (
                own[target] if target >= 0 else ends[2 * node + side] for side, target in enumerate(targets)
            )
            own[node] = self.shares[0][node] * negative + self.shares[1][node] * positive
            self._expected.append((negative, positive))
        return own[0]

    def differentiate(self, slope: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gradient by the values at the arcs (2 k, n), and by the keys of the nodes (k, n).

        ``slope`` (n,): gradient by the mean that ``expect`` returned.
        """
        arriving = np.zeros_like(self.shares[0])
        arriving[0] = slope
        leaving = np.empty((2 * len(arriving), slope.size))
        keys = np.empty_like(arriving)
        for node, targets in enumerate(self.graph.targets):
            negative, positive = self._expected[-1 - node]
            for side in (0, 1):
                leaving[2 * node + side] = arriving[node] * self.shares[side][node]
            keys[node] = leaving[2 * node] * self.shares[1][node] * (positive - negative)
            for side, target in enumerate(targets):
                if target >= 0:  # its value is not at this arc
                    arriving[target] += leaving[2 * node + side]
                    leaving[2 * node + side] = 0.0
        return leaving, keys


def minimise(
    loss: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    max_steps: int,
    seconds: float,
    budget: Budget,
) -> FloatArray:
    """Return a local minimum by L-BFGS; ``seconds``: work of one gradient."""
    from scipy.optimize import minimize

    def evaluate_loss(theta: FloatArray) -> tuple[float, FloatArray]:
        budget.spend(seconds)
        if budget.is_late:
            raise OutOfTimeError
        return loss(theta)

    options = {"maxiter": max_steps, "maxfun": 2 * max_steps}
    return np.asarray(minimize(evaluate_loss, start, jac=True, method="L-BFGS-B", options=options).x)


def _add_penalty(gradient: FloatArray, weights: FloatArray, penalty: float) -> FloatArray:
    gradient[:, :-1] += 2 * penalty * weights[:, :-1]
    return gradient


def _softmax(values: FloatArray) -> FloatArray:
    shares = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _softmax_gradient(shares: FloatArray, gradient: FloatArray) -> FloatArray:
    inner = (shares * gradient).sum(axis=1, keepdims=True)
    return np.asarray((shares * (gradient - inner)).ravel())


def _sum_by_class(arrivals: FloatArray, code: IntArray, n_classes: int) -> FloatArray:
    sums = [np.bincount(code, weights=row, minlength=n_classes) for row in arrivals]
    return np.asarray(sums)
