"""Parts of the search that an ablation turns off: the diagram still has the objective that it says."""

import math

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.kernels.local_search import search_table
from oddlearn.kernels.local_search.search import SearchThread
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.local_search.search_arrays import SearchTable

SWITCHES = {
    "NO_IMPROVEMENT_CACHE": 1,
    "SPLIT_CACHE": 2,
    "CACHED_NODE_PROBLEMS": 4,
    "INT16_BOUNDS": 8,
    "TRIED_HYPERPLANES": 16,
    "LABEL_SUMS": 32,
    "RARE_BINS": 64,
    "TARGET_ELIMINATION": 128,
    "COST_NOISE": 256,
}


def draw_problem(split):
    """Return a problem with a column of many values, one of few, and one mostly of one value."""
    random = np.random.default_rng(0)
    X = random.random((90, 3))
    X[:, 1] = np.round(5 * X[:, 1]) / 5
    X[:, 2] = random.random(90) < 0.1
    y = (2 * X[:, 0] + X[:, 1] + random.random(90)).astype(int).clip(0, 2)
    return build_problem(TrainingData.collect(X, y, 3), Skeleton.parse("1-2-3"), 0.02, split)


def run_thread(split, disabled, iterations):
    problem = draw_problem(split)
    oblique = split == "multivariate"
    thread = SearchThread(
        SearchTable.of(problem),
        node_price=problem.node_price * problem.total_weight,
        margin=problem.margin or math.ulp(0.0),
        tree_only=False,
        oblique=oblique,
        seed=1,
        disabled=disabled,
    )
    thread.run(math.inf, math.inf, iterations, iterations, -math.inf)
    return problem, thread


def plain_objective(problem, thread):
    """Return the objective of the thread's best diagram, sample by sample."""
    child, feature, threshold, weights, active = thread.diagram()
    node = np.zeros(problem.data.n_rows, dtype=int)
    X = problem.data.X
    while (node < len(child)).any():
        inside = np.flatnonzero(node < len(child))
        v = node[inside]
        single, weighted = X[inside, np.maximum(feature[v], 0)], (weights[v] * X[inside]).sum(axis=1)
        values = np.where(feature[v] >= 0, single, weighted)
        node[inside] = child[v, ((values >= threshold[v]) | (feature[v] == -1)).astype(int)]
    cost = problem.cost[np.arange(len(node)), node - len(child)].sum()
    return cost + problem.node_price * problem.total_weight * (active.sum() - 1)


def test_the_switches_are_those_of_the_kernel():
    assert {name: getattr(search_table, name) for name in SWITCHES} == SWITCHES


@pytest.mark.parametrize("disabled", [0, *SWITCHES.values(), sum(SWITCHES.values())])
@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_the_objective_is_that_of_the_diagram(split, disabled):
    problem, thread = run_thread(split, disabled, 500 if split == "univariate" else 20)
    assert thread.objective == pytest.approx(plain_objective(problem, thread))
    assert thread.objective < run_thread(split, disabled, 1)[1].objective
