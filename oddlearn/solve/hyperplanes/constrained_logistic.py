"""A ridge logistic regression under the condition that rows on their wanted side stay there.

The condition makes it a convex problem with linear inequalities. It is solved by Newton's method with a
barrier: a hyperplane that comes near a row which must stay pays the logarithm of the distance, at a price
that falls from one level to the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.solve.budget import Budget

# weight of the rows against the squared weights of the regression; 1 and 10 gained less
STRENGTH = 5.0
# a trace of the same for the intercept, which makes every system of equations solvable
INTERCEPT = 1e-6

# prices of the barrier, and Newton's steps for each
PRICES = (1.0, 0.1)
MOST_STEPS = 8
# a step that promises less than this share of the value is not taken
SMALL = 1e-6
# of the way to the barrier that a step may go, of the gain it promises that it must make, and when to give up
LONGEST, LEAST_GAIN, SHORTEST = 0.95, 1e-4, 1e-6

# seconds of a step for m rows and k weights, over m k k
SECONDS_PER_PRODUCT = 1e-9


def kept_regressions(
    X: FloatArray, wanted: BoolArray, weight: FloatArray, start: tuple[FloatArray, float], budget: Budget
) -> Iterator[FloatArray]:
    """Yield the weights (d,) of hyperplanes, each nearer to the regression than the one before.

    Parameters
    ----------
    X : (m, d) float
    wanted : (m,) bool
        Whether a row belongs on the positive side.
    weight : (m,) float
    start : (d,) float, float
        Weights and threshold of the hyperplane to start from. Rows it has on their wanted side stay there.
    budget : Budget
        Nothing more is yielded once it does not allow another step.
    """
    weights, threshold = start
    basis = _basis(X)
    if basis is not None:
        X, weights = X @ basis, basis.T @ weights
    sign = np.where(wanted, 1.0, -1.0)
    signed = np.column_stack([X, np.ones(len(X))]) * sign[:, None]
    point = np.append(weights, -threshold)
    key = signed @ point
    if not key.any():
        return
    barrier = Barrier(signed, key > 0, STRENGTH * weight)
    point = point / np.abs(key).mean()
    for price in PRICES:
        found = barrier.least(point, price, budget)
        if found is None:
            return
        point = found
        yield point[:-1] if basis is None else basis @ point[:-1]


def _basis(X: FloatArray) -> FloatArray | None:
    """Return an orthonormal basis (d, m) of the rows, where the optimum lies, if it is smaller than d."""
    return np.asarray(np.linalg.qr(X.T)[0]) if X.shape[0] < X.shape[1] else None


@dataclass(frozen=True)
class Barrier:
    """The regression's loss with a barrier around the rows that stay, as a function of weights and intercept.

    Attributes
    ----------
    signed : (m, k) float
        Rows with a one behind, times -1 where the negative side is wanted: right rows have positive keys.
    stays : (m,) bool
    weight : (m,) float
    """

    signed: FloatArray
    stays: BoolArray
    weight: FloatArray

    @property
    def ridge(self) -> FloatArray:
        """What a weight and the intercept pay for their squares, shape (k,)."""
        return np.append(np.ones(self.signed.shape[1] - 1), INTERCEPT)

    def value(self, point: FloatArray, price: float) -> float:
        """Return loss, ridge and barrier at a point; inf where a row has left its side."""
        key = self.signed @ point
        kept = key[self.stays]
        if (kept <= 0).any():
            return float(np.inf)
        loss = self.weight @ np.logaddexp(0.0, -key) + 0.5 * (self.ridge * point) @ point
        return float(loss - price * np.log(kept).sum())

    def slopes(self, point: FloatArray, price: float) -> tuple[FloatArray, FloatArray]:
        """Return the first (k,) and the second (k, k) derivatives of the value."""
        key = self.signed @ point
        wrong = expit(-key)
        near = np.divide(price, key, out=np.zeros(key.size), where=self.stays)
        first = self.ridge * point - self.signed.T @ (self.weight * wrong + near)
        bend = self.weight * wrong * (1 - wrong) + near**2 / price
        return first, (self.signed.T * bend) @ self.signed + np.diag(self.ridge)

    def least(self, point: FloatArray, price: float, budget: Budget) -> FloatArray | None:
        """Return about the least point from a start inside the barrier; None without time for a step."""
        value = self.value(point, price)
        seconds = SECONDS_PER_PRODUCT * self.signed.size * self.signed.shape[1]
        if budget.remaining() <= seconds:
            return None
        for _ in range(MOST_STEPS):
            first, second = self.slopes(point, price)
            try:
                step = np.asarray(np.linalg.solve(second, -first), dtype=np.float64)
            except np.linalg.LinAlgError:
                break  # too near the barrier for the numbers: this is as far as it goes
            promised = float(-first @ step)
            if not promised > SMALL * max(1.0, abs(value)) or budget.remaining() <= seconds:
                break
            point, new = self._along(point, step, price, value, promised)
            if new >= value:
                break
            value = new
        return point

    def _along(
        self, point: FloatArray, step: FloatArray, price: float, value: float, promised: float
    ) -> tuple[FloatArray, float]:
        """Go the step as far as it keeps its promise, half as far each time; not at all if it never does."""
        inside, change = self.signed[self.stays] @ point, self.signed[self.stays] @ step
        falls = change < 0
        length = min(1.0, LONGEST * float(np.min(-inside[falls] / change[falls], initial=np.inf)))
        while length > SHORTEST:
            new = self.value(point + length * step, price)
            if new <= value - LEAST_GAIN * length * promised:
                return point + length * step, new
            length /= 2
        return point, value
