"""Splits that send the rows of a node to the sides that a solver chose."""

from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.solve.budget import Budget
from oddlearn.solve.milp.split_repair import repair_split


def repaired(X, at, side, weights, split, margin=0.1):
    problem = SimpleNamespace(data=SimpleNamespace(X=X), split=split, margin=margin, term_limit=None)
    return repair_split(problem, at, side, weights, Budget.of(10.0))


def goes_positive(split, X):
    return split.key(X) >= split.threshold


def test_a_feature_parts_the_rows_at_the_node_or_there_is_none():
    n_none = n_exchanged = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        X, at, side = random.integers(0, 4, (5, 2)) / 3, random.random(5) < 0.8, random.random(5) < 0.5
        weights = random.normal(size=2) * (random.random(2) < 0.7)
        columns, own = X[at].T, side[at]
        parts = [
            own.all() or not own.any() or max(c[own]) < min(c[~own]) or max(c[~own]) < min(c[own])
            for c in columns
        ]
        found = repaired(X, at, side, weights, "univariate")
        assert (found is not None) == any(parts)
        n_none += found is None
        if found is not None:
            split, exchanged = found
            n_exchanged += exchanged
            assert (goes_positive(split, X[at]) == own ^ exchanged).all()
            chosen = int(np.abs(weights).argmax())
            assert split.feature == chosen or not parts[chosen]
    assert n_none and n_exchanged


@pytest.mark.parametrize("n_features", [1, 2])
def test_a_hyperplane_parts_the_rows_at_the_node_with_the_margin(n_features):
    for seed in range(60):
        random = np.random.default_rng(seed)
        X, at, side = random.random((5, n_features)), random.random(5) < 0.8, random.random(5) < 0.5
        # a solver's weights may be right, wrong or 0
        weights = random.normal(size=n_features) * (seed % 3 > 0)
        found = repaired(X, at, side, weights, "multivariate", margin=0.05)
        if found is not None:
            split, exchanged = found
            key, own = split.key(X[at]), side[at]
            assert not exchanged and (goes_positive(split, X[at]) == own).all()
            if own.any() and not own.all():
                assert min(key[own]) - max(key[~own]) >= 0.05 - 1e-6
        elif n_features == 1:
            low, high = X[at & ~side].max(), X[at & side].min()
            assert high - low < 0.05 and X[at & ~side].min() - X[at & side].max() < 0.05


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
@pytest.mark.parametrize("side", [False, True])
@pytest.mark.parametrize("n_features", [1, 3])
def test_rows_that_all_take_one_side_are_sent_there_by_weights_of_zero_too(split, side, n_features):
    X = np.random.default_rng(0).random((4, n_features))
    at, sides = np.ones(4, dtype=bool), np.full(4, side)
    found, _ = repaired(X, at, sides, np.zeros(n_features), split)
    assert (goes_positive(found, X) == sides).all()
    # of weights that say nothing, the first feature
    assert found.dense_weights(n_features).tolist() == [1.0] + [0.0] * (n_features - 1)
