"""Soft diagrams: their shares and gradients against slow ones, and what a fit ends with."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import expit

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct import soft_diagram
from oddlearn.solve.construct.random_graph import TERMINAL, Graph, draw_graph
from oddlearn.solve.construct.soft_diagram import OutOfTimeError, SoftFit, SoftRoutes, SoftTable
from oddlearn.solve.construct.soft_to_hard import build_hard_diagram, choose_thresholds

CHAIN = Graph(((TERMINAL, 1), (TERMINAL, TERMINAL)), (0, 1))


def wedge(n_rows=200, seed=0):
    """Return the problem of rows that two hyperplanes part without errors, and one does not."""
    random = np.random.default_rng(seed)
    X = random.random((n_rows, 3))
    y = ((X[:, 0] + X[:, 1] > 0.9) & (X[:, 0] - X[:, 1] < 0.2)).astype(int)
    return build_problem(TrainingData.collect(X, y, 2), Skeleton.parse("1-2-4"), 0.1, "multivariate")


def noise(seed, n_classes=3, n_rows=40, costs=None, skeleton="1-2-2"):
    """Return a problem without structure, with rows that have several classes and weights."""
    random = np.random.default_rng(seed)
    X, y = random.integers(4, size=(n_rows, 2)) / 3, random.integers(n_classes, size=n_rows)
    data = TrainingData.collect(X, y, n_classes, random.choice([1.0, 0.5, 3.0], n_rows))
    return build_problem(data, Skeleton.parse(skeleton), 0.1, "multivariate", None, costs)


def route_slowly(graph, weights, row, values):
    """Return the expected value of a row by all of its ways, one after the other."""
    total, ways = 0.0, [(0, 1.0)]
    while ways:
        node, share = ways.pop()
        positive = expit(weights[node] @ row)
        for side, target in enumerate(graph.targets[node]):
            part = share * (positive if side else 1 - positive)
            if target == TERMINAL:
                total += part * values[2 * node + side]
            else:
                ways.append((target, part))
    return total


@pytest.mark.parametrize("seed", range(10))
def test_expected_values_are_those_of_all_ways(seed):
    random = np.random.default_rng(seed)
    graph = draw_graph(Skeleton.parse("1-2-2-2"), 1 + seed % 7, random)
    weights, columns = random.normal(size=(graph.n_nodes, 4)), random.normal(size=(4, 5))
    ends = random.normal(size=(2 * graph.n_nodes, 5))
    expected = SoftRoutes.compute(graph, weights, columns).expect(ends)
    slow = [route_slowly(graph, weights, columns[:, row], ends[:, row]) for row in range(5)]
    np.testing.assert_allclose(expected, slow)


@pytest.mark.parametrize("learns_classes", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_gradients_are_those_of_small_differences(seed, learns_classes, monkeypatch):
    problem, random = noise(seed), np.random.default_rng(seed)
    table = SoftTable.from_problem(problem)
    graph = draw_graph(problem.skeleton, 1 + seed % 5, random)
    values = (
        random.normal(size=(2 * graph.n_nodes, 3))
        if learns_classes
        else np.eye(3)[random.integers(3, size=2 * graph.n_nodes)]
    )
    weights = random.normal(size=(graph.n_nodes, 3))
    if not learns_classes:  # a class without a way has no likelihood, nor a gradient
        values = np.full_like(values, 0.1) + 0.7 * values
    errors = []

    def compare(loss, start, *options):
        errors.append(check_grad(lambda x: loss(x)[0], lambda x: loss(x)[1], start))
        return start

    monkeypatch.setattr(soft_diagram, "minimise", compare)
    SoftFit(graph, weights, values).fit(table, Budget.of(None), learns_classes=learns_classes)
    assert len(errors) == 2
    assert max(errors) < 1e-5


def test_a_sample_of_several_classes_counts_by_what_each_saves():
    data = TrainingData.collect(np.zeros((5, 1)), np.array([0, 0, 0, 1, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1"), 0.0, "multivariate")
    table = SoftTable.from_problem(problem)
    assert table.place.tolist() == [0]  # class 1 saves nothing: the row costs more in it
    assert table.weight.tolist() == [1.0]


def test_rows_of_one_class_each_are_not_copied():
    table = SoftTable.from_problem(wedge())
    assert table.sample_columns is table.columns


@pytest.mark.parametrize("seed", range(4))
def test_two_hyperplanes_are_found_at_once(seed):
    problem = wedge(seed=seed)
    random = np.random.default_rng(seed)
    table = SoftTable.from_problem(problem)
    least = 100.0
    for _ in range(5):
        start = SoftFit(CHAIN, 0.5 * random.normal(size=(2, 4)), np.eye(2)[[0, 1, 0, 1]])
        soft = start.fit(table, Budget.of(None), learns_classes=False)
        diagram = choose_thresholds(problem, build_hard_diagram(problem, table, soft))
        least = min(least, evaluate(problem, diagram).cost)
    assert least == 0


@pytest.mark.parametrize("costs", [None, [[0, 1, 4], [2, 0, 1], [1, 1, 0]]])
@pytest.mark.parametrize("seed", range(8))
def test_hard_diagrams_fit_the_problem_whatever_the_weights(seed, costs):
    problem, random = noise(seed, costs=costs), np.random.default_rng(seed)
    graph = draw_graph(problem.skeleton, 5, random)
    weights = random.normal(size=(5, 3)) * random.choice([0.0, 1.0, 1e6], (5, 1))
    soft = SoftFit(graph, weights, random.normal(size=(10, 3)))
    diagram = build_hard_diagram(problem, SoftTable.from_problem(problem), soft)
    before = evaluate(problem, diagram)  # raises where it does not fit
    after = evaluate(problem, choose_thresholds(problem, diagram))
    assert after.objective <= before.objective + 1e-9


def test_a_fit_counts_its_work_and_ends_when_it_is_late():
    problem = wedge()
    table, budget = SoftTable.from_problem(problem), Budget.of(None)
    start = SoftFit(CHAIN, np.ones((2, 4)), np.eye(2)[[0, 1, 0, 1]])
    start.fit(table, budget, learns_classes=False)
    assert budget.meter.seconds >= table.seconds(2)
    with pytest.raises(OutOfTimeError):
        start.fit(table, Budget.of(0.0), learns_classes=False)
