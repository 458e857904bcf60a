"""What it costs to give a sample of one class another class."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray
from oddlearn.errors import InvalidInputError

# the largest cost must be of a size that rounding and the tolerances of proofs leave alone
SMALLEST_SCALE = 1e-3
LARGEST_SCALE = 1e6


def zero_one(n_classes: int) -> FloatArray:
    """Return the cost matrix that counts errors: 0 on the diagonal, 1 elsewhere."""
    return 1.0 - np.eye(n_classes)


def checked_costs(cost_matrix: ArrayLike | None, n_classes: int) -> FloatArray:
    """Return the matrix [true, predicted] of costs, errors counted when none is given."""
    if cost_matrix is None:
        return zero_one(n_classes)
    matrix = np.asarray(cost_matrix, dtype=np.float64)
    if matrix.shape != (n_classes, n_classes):
        raise InvalidInputError(
            f"The cost matrix has shape {matrix.shape}: give one row per true class and one column per "
            f"predicted class, here {(n_classes, n_classes)}."
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise InvalidInputError("The cost matrix holds a negative or non-finite number: costs are 0 or more.")
    largest = float(matrix.max(initial=0.0))
    if largest > 0 and not SMALLEST_SCALE <= largest <= LARGEST_SCALE:
        raise InvalidInputError(
            f"The largest cost is {largest:g}: give a matrix whose largest cost lies between "
            f"{SMALLEST_SCALE:g} and {LARGEST_SCALE:g}, multiplying it and alpha by one number if need be."
        )
    return matrix


def row_costs(class_weight: FloatArray, cost_matrix: FloatArray) -> FloatArray:
    """Return the cost of giving each distinct row each class, shape (m, n_classes)."""
    # summed class by class, so that a row's cost does not depend on the other rows
    total = np.zeros_like(class_weight)
    for true_class in range(class_weight.shape[1]):
        total += class_weight[:, [true_class]] * cost_matrix[true_class]
    return total
