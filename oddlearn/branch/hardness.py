"""Which rows are hard to classify: random trees vote, each on the rows it has not seen."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.engine import Budget

# trees that vote: fewer on many rows
MOST_TREES, LEAST_TREES = 60, 10
TREES_TIMES_ROWS = 100_000

# splits drawn for each node, of which the one with the purest sides is kept
DRAWN = 6

# rows in a leaf, about, and the share of rows that a tree sees
LEAF_ROWS = 8
SEEN = 0.63

TINY = 1e-12


def hardest_first(X: FloatArray, gain: FloatArray, seed: int, budget: Budget) -> IntArray:
    """Order rows by the share of votes for what they gain most from, the smallest first.

    Parameters
    ----------
    X : (n, d) float
    gain : (n, C) float
        What each row gains from each class.
    seed : int
    budget : Budget
        When it is spent, the trees so far have the say.
    """
    random = np.random.default_rng(seed)
    votes = np.zeros_like(gain)
    for _ in range(int(np.clip(TREES_TIMES_ROWS // len(X), LEAST_TREES, MOST_TREES))):
        if budget.expired:
            break
        is_seen = random.random(len(X)) < SEEN
        votes[~is_seen] += _shares(X, gain * is_seen[:, None], random)[~is_seen]
    total = votes.sum(axis=1) * gain.max(axis=1)
    return np.argsort((votes * gain).sum(axis=1) / (total + TINY), kind="stable")


def _shares(X: FloatArray, gain: FloatArray, random: np.random.Generator) -> FloatArray:
    """Return the share of each class in the gain of every row's leaf, in a random tree."""
    depth = max(1, int(np.log2(max(2.0, len(X) / LEAF_ROWS))))
    node = np.zeros(len(X), dtype=np.intp)
    for level in range(depth):
        node = _split(X, gain, node, 2**level, random)
    sums = _sums(gain, node, 2**depth)
    shares: FloatArray = (sums / (sums.sum(axis=0) + TINY)).T[node]
    return shares


def _split(
    X: FloatArray, gain: FloatArray, node: IntArray, n_nodes: int, random: np.random.Generator
) -> IntArray:
    """Return the child of each row by a split of its node, the purest of several random ones."""
    best = np.full(n_nodes, -np.inf)
    child = node
    for _ in range(DRAWN):
        value = X[np.arange(len(X)), random.integers(X.shape[1], size=n_nodes)[node]]
        threshold = np.zeros(n_nodes)
        order = random.permutation(len(X))
        # the last row that is written stays: a random one of each node
        threshold[node[order]] = value[order]
        drawn = 2 * node + (value > threshold[node])
        sums = _sums(gain, drawn, 2 * n_nodes)
        purity = (np.square(sums).sum(axis=0) / (sums.sum(axis=0) + TINY)).reshape(-1, 2).sum(axis=1)
        child = np.where((purity > best)[node], drawn, child)
        best = np.maximum(best, purity)
    return child


def _sums(gain: FloatArray, place: IntArray, n_places: int) -> FloatArray:
    """Return the (C, places) sums of the gains of the rows at each place."""
    return np.stack([np.bincount(place, column, n_places) for column in gain.T])
