"""The search under constraints: what it hands back keeps them, and on tiny problems nothing is better."""

import math
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.constraints import DemographicParity, MaxDepth, MaxNodes, MinFlow, MinFlowPerArc
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.events import Improved
from oddlearn.problem.observables import compute_observables
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search import solver
from oddlearn.solve.local_search.search_arrays import SearchTable
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.local_search.subsample import subsample
from oddlearn.solve.solver import SearchResult, ignore
from oddlearn.table.groups import SampleGroups, SensitiveColumn
from tests.oracles.constrained import feasible_optimum
from tests.oracles.tiny_constrained import constrained_problem

KINDS = ("univariate", "multivariate")

# problems that one test solves
BATCH = 20


def run(problem, max_iter, start=None, seed=0, report=ignore, n_jobs=1):
    return LocalSearch(seed=seed, n_jobs=n_jobs).search(problem, start, Budget.of(None, max_iter), report)


def objective_of(problem, outcome):
    """Return the objective of a diagram that must keep the constraints, inf when there is none."""
    if outcome.diagram is None:
        return math.inf
    value = evaluate(problem, outcome.diagram)
    assert value.violation <= 1e-9
    return value.objective


def noisy(constraints, split="univariate", n=150, tree_only=False, weighted=False, skeleton="1-2-4-4"):
    """Return a problem of two classes that are hard to tell apart, and of a group that goes with them."""
    random = np.random.default_rng(n)
    X = random.random((n, 4)).round(3)
    codes = (X[:, 0] + 0.5 * X[:, 1] + 0.6 * random.random(n) > 1).astype(int)
    group = (X[:, 1] + 0.3 * random.random(n) > 0.6).astype(int)
    weight = random.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    sample_groups = SampleGroups(codes, weight, (0, 1), (SensitiveColumn("group", ("a", "b"), group),))
    data = TrainingData.collect(X, codes, 2, weight, sample_groups)
    widths = Skeleton.parse(skeleton).widths
    return build_problem(data, Skeleton(widths, tree_only), 0.02, split, 1e-4, constraints=constraints)


def exactly(problem, code, count):
    """Return the problem with the demand that so much weight is given one class."""
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.assigned[:, code]] = problem.data.class_weight.sum(axis=1)
    return replace(problem, rows=LinearRows(matrix, [count], [count], (f"exactly {count} of class {code}",)))


@pytest.mark.parametrize("first", range(0, 40, BATCH))
def test_univariate_search_finds_the_optimum_of_tiny_problems(first):
    for seed in range(first, first + BATCH):
        problem = constrained_problem(seed)
        assert objective_of(problem, run(problem, 400, seed=seed)) == pytest.approx(feasible_optimum(problem))


@pytest.mark.parametrize("first", range(0, 20, BATCH))
def test_multivariate_search_finds_the_optimum_of_tiny_problems(first):
    for seed in range(first, first + BATCH):
        problem = constrained_problem(seed, "multivariate")
        assert objective_of(problem, run(problem, 200, seed=seed)) == pytest.approx(feasible_optimum(problem))


@pytest.mark.parametrize("count", range(7))
def test_a_number_of_predictions_is_met_where_a_diagram_can(count):
    X = np.array([[0.0], [0.5], [1.0]]).repeat(2, axis=0)
    data = TrainingData.collect(X, np.array([0, 1, 0, 1, 1, 0]), 2)
    problem = exactly(build_problem(data, Skeleton.parse("1"), 0.1, "univariate"), 0, float(count))
    outcome = run(problem, 300)
    assert objective_of(problem, outcome) == pytest.approx(feasible_optimum(problem))
    assert (outcome.diagram is None) == (count % 2 == 1)  # samples come in pairs that no cut parts


def test_of_a_start_with_a_node_too_many_the_one_that_gains_least_is_left_out():
    # opposite corners have one class, and no single split gains: the start is not found again from nothing
    random = np.random.default_rng(0)
    X = random.random((400, 6))
    codes = ((X[:, 0] >= 0.5) ^ (X[:, 1] >= 0.5)).astype(int)
    is_rare = (X[:, :2] >= 0.5).all(axis=1) & (X[:, 2] >= 0.9)
    codes[is_rare] = 1
    data, skeleton = TrainingData.collect(X, codes, 2), Skeleton.parse("1-2-1")
    problem = build_problem(data, skeleton, 0.01, "univariate", constraints=[MaxNodes(3)])
    splits = tuple(UnivariateSplit(*pair) for pair in ((0, 0.5), (1, 0.5), (1, 0.5), (2, 0.9)))
    start = DecisionDiagram(splits, [1, 4, 5, 4], [2, 5, 3, 5], [0, 1, 1, 2], 2, 6)
    free = build_problem(data, skeleton, 0.01, "univariate")
    assert evaluate(free, start).cost == 0 and evaluate(problem, start).violation > 0
    for seed in range(5):
        found = run(problem, 1, start, seed).diagram
        assert found.n_nodes == 3 and evaluate(problem, found).cost <= is_rare.sum()


@pytest.mark.parametrize("X", [[0.0, 0.5, 1.0], [0.0, 0.0, 1.0]], ids=["three rows", "two rows"])
@pytest.mark.parametrize("least", range(1, 6))
def test_nodes_that_a_row_asks_for_are_there_even_if_nobody_reaches_them(least, X):
    data = TrainingData.collect(np.array(X)[:, None], np.array([0, 1, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-2-2"), 0.1, "univariate")
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.used] = 1.0
    asked = replace(problem, rows=LinearRows(matrix, [least], [np.inf], ("many nodes",)))
    errors = 1 / 3 if X[1] == 0 else 0.0
    assert objective_of(asked, run(asked, 500)) == pytest.approx(errors + 0.025 * (least - 1))


@pytest.mark.parametrize("large_rows", [100, 1000])
def test_nothing_is_handed_back_or_told_when_nothing_keeps_the_constraints(monkeypatch, large_rows):
    monkeypatch.setattr(solver, "LARGE_ROWS", large_rows)  # with 150 rows a sample comes first, or not
    heard = []
    problem = exactly(noisy([]), 0, 0.5)
    outcome = run(problem, 50, report=heard.append)
    assert outcome.diagram is None
    assert outcome.iterations == 50
    assert heard == []


@pytest.mark.parametrize("split", KINDS)
@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "constraints",
    [
        [MaxNodes(3)],
        [MaxDepth(2)],
        [MinFlow(0.25)],
        [MinFlowPerArc(0.1)],
        [DemographicParity(ratio=0.9)],
        [DemographicParity(difference=0.05), MinFlow(0.2), MaxNodes(5)],
    ],
    ids=str,
)
def test_constraints_are_kept_and_worth_more_than_the_constant(split, tree_only, weighted, constraints):
    problem = noisy(constraints, split, tree_only=tree_only, weighted=weighted)
    outcome = run(problem, 60 if split == "univariate" else 15)
    assert objective_of(problem, outcome) < problem.cost.sum(axis=0).min() / problem.total_weight


def test_what_is_reported_keeps_the_constraints():
    heard = []
    problem = noisy([DemographicParity(ratio=0.95), MaxNodes(5)])
    outcome = run(problem, 100, report=heard.append)
    assert all(isinstance(event, Improved) and event.n_nodes <= 5 for event in heard)
    assert heard[-1].objective == pytest.approx(objective_of(problem, outcome))


def test_the_same_seed_gives_the_same_diagram():
    problem = noisy([DemographicParity(ratio=0.9), MinFlow(0.1)])
    first, second = (run(problem, 60, seed=3).diagram for _ in range(2))
    assert first == second


@pytest.mark.parametrize("constraint", [MaxNodes(2), MaxDepth(1), MinFlow(0.4), MinFlowPerArc(0.2)])
def test_a_start_that_breaks_a_constraint_is_repaired(constraint):
    start = run(noisy([]), 200).diagram
    problem = noisy([constraint])
    assert evaluate(problem, start).violation > 0
    outcome = run(problem, 1, start)
    assert objective_of(problem, outcome) < evaluate(problem, DecisionDiagram.constant(0, 2, 4)).objective


def test_a_start_that_keeps_the_constraints_is_never_lost():
    problem = noisy([MinFlow(0.3)])
    start = DecisionDiagram((UnivariateSplit(0, 0.5),), [1], [2], [0], 2, 4)
    objective = evaluate(problem, start).objective
    assert objective_of(problem, run(problem, 1, start)) <= objective + 1e-9


def test_a_dear_soft_row_is_kept_like_a_hard_one():
    problem = noisy([DemographicParity(difference=0.02, weight=1000.0)])
    value = evaluate(problem, run(problem, 100).diagram)
    assert value.penalty == 0.0
    assert value.n_nodes >= 1


def test_the_rows_of_a_sample_count_for_all():
    problem = noisy([MinFlow(0.2), DemographicParity(ratio=0.9), MaxNodes(3)])
    same = subsample(problem, problem.data.n_rows, 0)
    assert (same.rows.matrix != problem.rows.matrix).nnz == 0
    half = subsample(problem, problem.data.n_rows // 2, 0)
    diagram = run(noisy([]), 20).diagram
    values = [
        part.rows.matrix
        @ compute_observables(part.layout, part.skeleton, diagram, route_reference(diagram, part.data.X))
        for part in (half, problem)
    ]
    assert values[0][-1] == values[1][-1] == diagram.n_nodes
    assert half.rows.matrix[0, half.layout.reached[:, 1]].sum() == pytest.approx(problem.total_weight)


def test_large_tables_are_searched_on_a_sample_first(monkeypatch):
    monkeypatch.setattr(solver, "LARGE_ROWS", 100)
    problem = noisy([MinFlow(0.2), DemographicParity(ratio=0.9)])
    sizes = []

    def noted(problem, n_rows, seed):
        sizes.append(n_rows)
        return subsample(problem, n_rows, seed)

    monkeypatch.setattr(solver, "subsample", noted)
    outcome = run(problem, 60)
    assert sizes == [problem.data.n_rows // 3]
    assert outcome.iterations == 60  # the sample's and those of all rows
    assert objective_of(problem, outcome) < problem.cost.sum(axis=0).min() / problem.total_weight


@pytest.mark.parametrize("threshold", [0.5, 0.15])
def test_a_sample_s_diagram_is_told_and_handed_back_if_it_keeps_the_constraints_on_all_rows(
    monkeypatch, threshold
):
    problem, heard = noisy([MinFlowPerArc(0.2)]), []
    found = DecisionDiagram((UnivariateSplit(0, threshold),), [1], [2], [0], 2, 4)
    monkeypatch.setattr(solver, "LARGE_ROWS", 100)
    result = SearchResult(found, iterations=3)
    monkeypatch.setattr(solver.ResumableSearch, "_search_sample", lambda self, budget: result)
    # no time for all rows
    monkeypatch.setattr(SearchTable, "seconds", lambda problem: math.inf)
    outcome = LocalSearch().search(problem, None, Budget.of(5.0), heard.append)
    constant = evaluate(problem, DecisionDiagram.constant(0, 2, 4)).objective
    value = evaluate(problem, found)
    expected = value.objective if threshold == 0.5 else constant
    assert (value.violation == 0, value.objective < constant) == (threshold == 0.5, True)
    assert [(event.objective, event.n_nodes) for event in heard] == [(expected, int(threshold == 0.5))]
    assert objective_of(problem, outcome) == expected


def test_several_chains_keep_constraints_too():
    problem = noisy([DemographicParity(ratio=0.9), MaxNodes(4)])
    assert math.isfinite(objective_of(problem, run(problem, 40, n_jobs=2)))
