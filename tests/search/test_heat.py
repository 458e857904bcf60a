"""How much worse a diagram may be to be taken is learnt from the problem."""

import math

import numpy as np
import pytest

from oddlearn.diagram import Skeleton
from oddlearn.problem import TrainingData, pose
from oddlearn.search.chains import Chains
from oddlearn.search.table import SearchTable

ITERATIONS = 600


def heat(n_rows, weight=1.0, alpha=0.1, split="univariate", iterations=ITERATIONS, seed=0):
    """Heat of a chain after some iterations on rows whose classes are mostly noise."""
    random = np.random.default_rng(0)
    X = random.random((n_rows, 4))
    codes = (3 * X[:, 0] * X[:, 1] + random.random(n_rows)).astype(int).clip(0, 2)
    data = TrainingData.collect(X, codes, 3, np.full(n_rows, weight))
    problem = pose(data, Skeleton.parse("1-2-3-3"), alpha, split, 1e-4)
    chain = Chains.of(problem, SearchTable.of(problem), seed, 1).chains[0]
    chain.run(math.inf, math.inf, iterations, ITERATIONS, -math.inf)
    assert chain.iterations == iterations
    return chain.heat


@pytest.mark.parametrize("weight", [0.125, 8.0])
def test_it_has_the_unit_of_the_weights(weight):
    assert heat(60, weight, iterations=0) == weight
    # other numbers take other ways through the search: equal on average
    means = [np.mean([heat(60, one, seed=seed) for seed in range(8)]) for one in (weight, 1.0)]
    assert means[0] == pytest.approx(weight * means[1], rel=0.3)


def test_more_rows_make_rises_larger_and_the_heat_with_them():
    assert heat(60) < heat(240) < heat(960)


def test_with_hyperplanes_it_stays_what_a_row_may_cost():
    assert heat(60, split="multivariate", iterations=20) == 1.0
