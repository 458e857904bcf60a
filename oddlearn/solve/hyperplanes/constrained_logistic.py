"""Ridge logistic regression under the condition that correctly placed rows stay on their side.

This is a convex problem with linear inequalities. It is solved by Newton's method with a logarithmic barrier
on the distance of the hyperplane to the rows that must stay; the coefficient of the barrier decreases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.solve.budget import Budget

# weight of the log loss against the squared weights of the regression; 1 and 10 gained less
STRENGTH = 5.0
INTERCEPT_RIDGE = 1e-6  # ridge on the intercept, which makes every Newton system solvable

# coefficients of the barrier, and Newton steps for each
BARRIER_COEFFICIENTS = (1.0, 0.1)
MAX_NEWTON_STEPS = 8
# a step whose predicted decrease is a smaller share of the value is not taken
MIN_RELATIVE_DECREASE = 1e-6
# line search: share of the way to the barrier, share of the predicted decrease (Armijo), shortest step
MAX_STEP_TO_BARRIER, ARMIJO_SHARE, MIN_STEP_LENGTH = 0.95, 1e-4, 1e-6

# eigenvalues of products of rows, as shares of the largest: smaller ones are rounding
MIN_EIGENVALUE = 1e-12

SECONDS_PER_PRODUCT = 1e-9  # seconds of a Newton step for m rows and k weights, divided by m k k
SECONDS_PER_SPACE = 3e-10  # of the space of m rows of d features, divided by m m (m + d)


def constrained_regressions(
    X: FloatArray, wanted: BoolArray, weight: FloatArray, start: tuple[FloatArray, float], budget: Budget
) -> Iterator[FloatArray]:
    """Yield the weights (d,) of hyperplanes, each nearer to the optimum of the regression.

    ``X`` (m, d) float.
    ``wanted`` (m,) bool: True for rows that belong on the positive side.
    ``weight`` (m,) float.
    ``start`` (d,) float, float: weights and threshold of the first hyperplane. Rows it has on their wanted
    side stay there.
    ``budget``: nothing more is yielded once there is no time for another step.
    """
    weights, threshold = start
    n_rows, n_features = X.shape
    if n_rows < n_features and budget.remaining() <= SECONDS_PER_SPACE * n_rows**2 * (n_rows + n_features):
        return
    space = RowSpace.of(X) if n_rows < n_features else None
    table = X
    if space is not None:
        X, weights = space.rows, space.project(table @ weights)
    sign = np.where(wanted, 1.0, -1.0)
    signed = np.column_stack([X, np.ones(len(X))]) * sign[:, None]
    point = np.append(weights, -threshold)
    distance = signed @ point
    if not distance.any():
        return
    method = BarrierNewton(signed, distance > 0, STRENGTH * weight)
    point = point / np.abs(distance).mean()
    for coefficient in BARRIER_COEFFICIENTS:
        minimiser = method.minimise(point, coefficient, budget)
        if minimiser is None:
            return
        point = minimiser
        yield point[:-1] if space is None else space.combine(point[:-1]) @ table


@dataclass(frozen=True, eq=False)
class RowSpace:
    """The space of m rows of d > m features, where the optimum lies: r coordinates by products of the rows.

    An orthonormal basis would be another table of d columns, and its computation a third one.
    """

    vectors: FloatArray  # (m, r): eigenvectors of the products
    roots: FloatArray  # (r,): square roots of their eigenvalues

    @classmethod
    def of(cls, X: FloatArray) -> RowSpace:
        """Find the space of rows (m, d), without directions that rounding has made."""
        values, vectors = np.linalg.eigh(X @ X.T)
        kept = values > MIN_EIGENVALUE * values.max(initial=0.0)
        return cls(vectors[:, kept], np.sqrt(values[kept]))

    @property
    def rows(self) -> FloatArray:
        """The rows in coordinates, (m, r)."""
        return self.vectors * self.roots

    def project(self, keys: FloatArray) -> FloatArray:
        """Return the coordinates (r,) of weights whose sums over the rows are the keys (m,)."""
        return np.asarray((self.vectors.T @ keys) / self.roots)

    def combine(self, coordinates: FloatArray) -> FloatArray:
        """Return the factors (m,) of the rows whose sum has these coordinates."""
        return np.asarray(self.vectors @ (coordinates / self.roots))


@dataclass(frozen=True)
class BarrierNewton:
    """Newton's method on log loss, ridge and barrier, as a function of weights and intercept."""

    # (m, k): rows with a one appended, times -1 where the negative side is wanted: the signed distance
    # ``signed @ point`` of correctly placed rows is positive
    signed: FloatArray
    must_stay: BoolArray  # (m,): True for rows whose signed distance must stay positive
    weight: FloatArray  # (m,)

    @property
    def ridge(self) -> FloatArray:
        """Coefficients of the squares of weights and intercept, shape (k,)."""
        return np.append(np.ones(self.signed.shape[1] - 1), INTERCEPT_RIDGE)

    def value(self, point: FloatArray, coefficient: float) -> float:
        """Return loss, ridge and barrier at a point; inf where a row that must stay does not."""
        distance = self.signed @ point
        inside = distance[self.must_stay]
        if (inside <= 0).any():
            return float(np.inf)
        loss = self.weight @ np.logaddexp(0.0, -distance) + 0.5 * (self.ridge * point) @ point
        return float(loss - coefficient * np.log(inside).sum())

    def derivatives(self, point: FloatArray, coefficient: float) -> tuple[FloatArray, FloatArray]:
        """Return the gradient (k,) and the Hessian (k, k) of the value."""
        distance = self.signed @ point
        wrong = expit(-distance)
        barrier = np.divide(coefficient, distance, out=np.zeros(distance.size), where=self.must_stay)
        gradient = self.ridge * point - self.signed.T @ (self.weight * wrong + barrier)
        curvature = self.weight * wrong * (1 - wrong) + barrier**2 / coefficient
        return gradient, (self.signed.T * curvature) @ self.signed + np.diag(self.ridge)

    def minimise(self, point: FloatArray, coefficient: float, budget: Budget) -> FloatArray | None:
        """Return an approximate minimiser from a start inside the barrier; None without time for a step."""
        value = self.value(point, coefficient)
        seconds = SECONDS_PER_PRODUCT * self.signed.size * self.signed.shape[1]
        if budget.remaining() <= seconds:
            return None
        for _ in range(MAX_NEWTON_STEPS):
            gradient, hessian = self.derivatives(point, coefficient)
            try:
                step = np.asarray(np.linalg.solve(hessian, -gradient), dtype=np.float64)
            except np.linalg.LinAlgError:
                break  # too near the barrier for floating point
            decrease = float(-gradient @ step)
            if not decrease > MIN_RELATIVE_DECREASE * max(1.0, abs(value)) or budget.remaining() <= seconds:
                break
            point, new = self._line_search(point, step, coefficient, value, decrease)
            if new >= value:
                break
            value = new
        return point

    def _line_search(
        self, point: FloatArray, step: FloatArray, coefficient: float, value: float, decrease: float
    ) -> tuple[FloatArray, float]:
        """Halve the step until the value decreases enough; return the new point and its value."""
        inside, change = self.signed[self.must_stay] @ point, self.signed[self.must_stay] @ step
        falls = change < 0
        to_barrier = float(np.min(-inside[falls] / change[falls], initial=np.inf))
        length = min(1.0, MAX_STEP_TO_BARRIER * to_barrier)
        while length > MIN_STEP_LENGTH:
            new = self.value(point + length * step, coefficient)
            if new <= value - ARMIJO_SHARE * length * decrease:
                return point + length * step, new
            length /= 2
        return point, value
