"""Parts of the kernels that an ablation turns off: objectives belong to diagrams, proofs end the same."""

import math
from functools import partial

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.kernels.branch_and_bound import row_sets
from oddlearn.kernels.branch_and_bound.diagram_solver import DiagramSolver
from oddlearn.kernels.local_search import search_table
from oddlearn.kernels.local_search.search import SearchThread
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound import kernel_runner
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.solve.branch_and_bound.drawn import drawn_problem

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
    "FEW_MEMBERS": 512,
    "FOUR_LANES": 1024,
    "NARROW_LAYERS": 2048,
    "DESCENT_TARGET": 4096,
}

# without these the search takes the same path
PURE = ("RARE_BINS", "FEW_MEMBERS", "FOUR_LANES", "NARROW_LAYERS")

PROOF_SWITCHES = {
    "TRANSPOSITION_TABLE": 1,
    "SIMILARITY_CACHE": 2,
    "DOMINATED_SPLITS": 4,
    "SHARED_BATCHES": 8,
    "PAIRED_STUMPS": 16,
    "CANDIDATES": 32,
    "LARGEST_TIE": 64,
    "NEIGHBOUR_BOUNDS": 128,
    "RANGE_BOUNDS": 256,
    "WHOLE_TWO_LEVELS": 512,
    "CLASS_BOUNDS": 1024,
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
        SearchTable.from_problem(problem),
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
    assert {name: getattr(row_sets, name) for name in PROOF_SWITCHES} == PROOF_SWITCHES


@pytest.mark.parametrize("disabled", [0, *SWITCHES.values(), sum(SWITCHES.values())])
@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_the_objective_is_that_of_the_diagram(split, disabled):
    problem, thread = run_thread(split, disabled, 500 if split == "univariate" else 20)
    assert thread.objective == pytest.approx(plain_objective(problem, thread))
    assert thread.objective < run_thread(split, disabled, 1)[1].objective


@pytest.mark.parametrize("name", PURE)
def test_what_only_saves_time_leaves_the_path_as_it_is(name):
    _, full = run_thread("univariate", 0, 300)
    _, reduced = run_thread("univariate", SWITCHES[name], 300)
    assert reduced.objective == full.objective
    assert reduced.probe()["temperature"] == full.probe()["temperature"]
    for one, other in zip(reduced.diagram(), full.diagram(), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("disabled", [*PROOF_SWITCHES.values(), sum(PROOF_SWITCHES.values())])
@pytest.mark.parametrize(("skeleton", "tree_only"), [("1-2-2-2", False), ("1-2-1-2", False), ("1-2-4", True)])
def test_the_same_optimum_is_proved(skeleton, tree_only, disabled, monkeypatch):
    problems = [drawn_problem(seed, 14, skeleton, 0.05, tree_only) for seed in range(4)]
    proved = [prove_optimum(problem) for problem in problems]
    monkeypatch.setattr(kernel_runner, "DiagramSolver", partial(DiagramSolver, disabled=disabled))
    assert [prove_optimum(problem) for problem in problems] == pytest.approx(proved)


def prove_optimum(problem):
    state = BranchAndBound().run(SolveState.initial(problem), Budget.of(60.0), ignore)
    assert state.lower_bound == pytest.approx(state.objective)
    return state.objective
