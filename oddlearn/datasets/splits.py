"""The authors' split of a data set into three parts, and their scaling."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats, read_only_integers
from oddlearn.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows for training, for the choice of settings, and for the final test.

    Attributes
    ----------
    training, validation, test : ndarray of int
        Row numbers, in the order of the shuffle: a half, a quarter and a quarter of them.
    """

    training: IntArray
    validation: IntArray
    test: IntArray


def parts(n: int, seed: int | str) -> Parts:
    """Return the authors' split of n samples.

    Parameters
    ----------
    n : int
        Number of samples, at least 1.
    seed : int or str
        The paper's are 1 to 5. The authors seed with text, so 1 and "1" are the same split.
    """
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise InvalidInputError(f"n is {n!r}: give the number of samples, 1 or more.")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer, str)):
        raise InvalidInputError(f"seed is {seed!r}: give a whole number or text, such as 1 or '1'.")
    indices = list(range(n))
    random.Random(str(seed)).shuffle(indices)
    first, second = round(0.5 * n), round(0.75 * n)
    return Parts(
        read_only_integers(indices[:first]),
        read_only_integers(indices[first:second]),
        read_only_integers(indices[second:]),
    )


def scaled_over_all(X: ArrayLike) -> FloatArray:
    """Return the features scaled to the unit box over all rows, as the authors do before they split.

    This lets the training see the range of the test rows. It is for comparison with the paper only: leave it
    out, and the estimator scales by the training rows alone.

    Parameters
    ----------
    X : array-like of shape (n, d)

    Returns
    -------
    ndarray of float64, shape (n, d)
        Each column from 0 to 1; a constant column is 0.
    """
    values = np.asarray(X, dtype=np.float64)
    span = np.ptp(values, axis=0)
    return read_only_floats((values - values.min(axis=0)) / np.where(span > 0, span, 1.0))
