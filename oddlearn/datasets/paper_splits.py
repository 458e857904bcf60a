"""The authors' split of a data set into training, validation and test rows, and their scaling."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from oddlearn.diagram.arrays import FloatArray, IntArray, read_only_floats, read_only_integers
from oddlearn.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class SplitIndices:
    """Row numbers of the training, validation and test sets."""

    training: IntArray  # row numbers in shuffled order: a half, a quarter and a quarter of the rows
    validation: IntArray
    test: IntArray


def split_indices(n: int, seed: int | str) -> SplitIndices:
    """Return the authors' split of n samples.

    Parameters
    ----------
    n : int
        Number of samples, at least 1.
    seed : int or str
        The paper uses 1 to 5. The authors seed with text, so 1 and "1" give the same split.
    """
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise InvalidInputError(f"n is {n!r}: give the number of samples, 1 or more.")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer, str)):
        raise InvalidInputError(f"seed is {seed!r}: give a whole number or text, such as 1 or '1'.")
    indices = list(range(n))
    random.Random(str(seed)).shuffle(indices)
    first, second = round(0.5 * n), round(0.75 * n)
    return SplitIndices(
        read_only_integers(indices[:first]),
        read_only_integers(indices[first:second]),
        read_only_integers(indices[second:]),
    )


def scale_over_all_rows(X: ArrayLike) -> FloatArray:
    """Scale each feature to [0, 1] over all rows, as the authors do before they split.

    This leaks the range of the test rows into training. Use it only to compare with the paper: without it,
    the estimator scales by the training rows alone.

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
