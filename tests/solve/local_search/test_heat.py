"""How much worse a diagram may be to be taken is learnt from the problem."""

import math

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.local_search.search_threads import MultiStart

ITERATIONS = 600

# the heat of one chain is a random walk: the mean of several differs little from seed to seed
SEEDS = range(8)


def heat(n_rows, weight=1.0, alpha=0.1, split="univariate", iterations=ITERATIONS, seed=0):
    """Heat of a chain after some iterations on rows whose classes are mostly noise."""
    random = np.random.default_rng(0)
    X = random.random((n_rows, 4))
    codes = (3 * X[:, 0] * X[:, 1] + random.random(n_rows)).astype(int).clip(0, 2)
    data = TrainingData.collect(X, codes, 3, np.full(n_rows, weight))
    problem = build_problem(data, Skeleton.parse("1-2-3-3"), alpha, split, 1e-4)
    chain = MultiStart.create(problem, SearchTable.from_problem(problem), seed, 1).threads[0]
    chain.run(math.inf, math.inf, iterations, ITERATIONS, -math.inf)
    assert chain.iterations == iterations
    return chain.probe()["temperature"]


def mean_heat(n_rows, weight=1.0):
    """Geometric mean of the heats of several chains."""
    return math.exp(np.log([heat(n_rows, weight, seed=seed) for seed in SEEDS]).mean())


@pytest.mark.parametrize("weight", [0.125, 8.0])
def test_it_has_the_unit_of_the_weights(weight):
    assert heat(60, weight, iterations=0) == weight
    assert mean_heat(60, weight) == pytest.approx(weight * mean_heat(60), rel=0.5)


def test_more_rows_make_rises_larger_and_the_heat_with_them():
    assert mean_heat(60) < mean_heat(480)


def test_a_chain_repeats_exactly():
    assert heat(60, seed=1) == heat(60, seed=1)


def test_with_hyperplanes_it_stays_what_a_row_may_cost():
    assert heat(60, split="multivariate", iterations=20) == 1.0
