"""Splits for a given routing: the solver's own where it is right, another where rounding made it wrong."""

from __future__ import annotations

import numpy as np

from oddlearn.diagram.arrays import BoolArray, FloatArray
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit, threshold_between
from oddlearn.problem.term_limit import expand_weights, select_own_features
from oddlearn.problem.tolerances import MARGIN_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.max_margin import max_margin_hyperplane

# distance to all rows of the threshold of a split that sends them all one way
OUTSIDE_DISTANCE = 0.5


def repair_split(
    problem: TrainingProblem, at: BoolArray, side: BoolArray, weights: FloatArray, budget: Budget
) -> tuple[Split, bool] | None:
    """Return a split for the rows at a node (a hyperplane: with margin), and True if its sides are exchanged.

    ``at``, ``side`` (m,): rows that pass the node, and rows that are to take its positive side.
    ``weights`` (n_features,): of the solver's hyperplane, which is tried first.
    A univariate split has no sign: where the negative rows have the larger values, its positive side is the
    node's negative one. None when no split does it, or none was found in time.
    """
    X, sides = problem.data.X[at], side[at]
    if problem.split == "univariate":
        return _fit_feature(X, sides, weights)
    split = _fit_hyperplane(problem, X, sides, weights, budget)
    return None if split is None else (split, False)


def _fit_feature(X: FloatArray, side: BoolArray, weights: FloatArray) -> tuple[Split, bool] | None:
    if X.shape[1] == 0:
        return None
    chosen = int(np.abs(weights).argmax())
    if side.all() or not side.any():
        return _put_outside(UnivariateSplit(chosen, 0.0), X, side), False
    upward = X[side].min(axis=0) - X[~side].max(axis=0)
    downward = X[~side].min(axis=0) - X[side].max(axis=0)
    gap = np.maximum(upward, downward)
    feature = chosen if gap[chosen] > 0 else int(gap.argmax())
    if gap[feature] <= 0:
        return None
    exchanged = bool(downward[feature] > upward[feature])
    return _centre(UnivariateSplit(feature, 0.0), X, side ^ exchanged), exchanged


def _fit_hyperplane(
    problem: TrainingProblem, X: FloatArray, side: BoolArray, weights: FloatArray, budget: Budget
) -> Split | None:
    margin, features = problem.margin, select_own_features(problem.term_limit, weights)
    norm = float(np.abs(weights).sum())
    split = MultivariateSplit(weights / norm if norm > 0 else np.eye(1, weights.size)[0], 0.0)
    if side.all() or not side.any():
        return _put_outside(split, X, side)
    key = split.key(X)
    gap = float(key[side].min() - key[~side].max())
    if norm > 0 and gap > 0 and gap >= margin - MARGIN_TOLERANCE:
        return _centre(split, X, side)
    if features is not None and features.size == 0:
        return None
    part = X if features is None else X[:, features]
    plane = max_margin_hyperplane(part, side, margin - MARGIN_TOLERANCE, budget).hyperplane
    if plane is None:
        return None
    return _centre(MultivariateSplit(expand_weights(plane.weights, features, weights.size), 0.0), X, side)


def _centre(split: Split, X: FloatArray, side: BoolArray) -> Split:
    key = split.key(X)
    return split.with_threshold(threshold_between(float(key[~side].max()), float(key[side].min())))


def _put_outside(split: Split, X: FloatArray, side: BoolArray) -> Split:
    key = split.key(X)
    if side.size and not side[0]:
        return split.with_threshold(float(key.max()) + OUTSIDE_DISTANCE)
    return split.with_threshold(float(key.min(initial=0.0)) - OUTSIDE_DISTANCE)
