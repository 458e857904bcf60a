"""Blocks of rows that may be close to each other: a quick sieve before neighbours are searched."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray


def chained_blocks(X: FloatArray, radius: float) -> IntArray:
    """Return a block id per row of X (n, d); rows within the radius in every feature share a block.

    Along each feature a block is cut wherever no row follows within the radius. Smaller blocks have more
    such places, so this is repeated until a sweep over the features cuts nothing.
    """
    block = np.zeros(X.shape[0], dtype=np.intp)
    count = 0
    while count < block.max(initial=0) + 1:
        count = int(block.max(initial=0)) + 1
        for column in X.T:
            crowded = np.flatnonzero(np.bincount(block)[block] > 1)
            if crowded.size == 0:
                break
            block[crowded] = block.max() + 1 + _cut(block[crowded], column[crowded], radius)
        block = np.unique(block, return_inverse=True)[1].reshape(-1)
    return block


def _cut(block: IntArray, values: FloatArray, radius: float) -> IntArray:
    order = np.lexsort((values, block))
    starts = (np.diff(block[order]) != 0) | (np.diff(values[order]) > radius)
    cut = np.empty(block.size, dtype=np.intp)
    cut[order] = np.concatenate([[0], np.cumsum(starts)])
    return cut
