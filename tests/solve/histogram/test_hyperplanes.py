"""Hyperplanes of large tables: sums as columns, regressions of nodes in passes, and fits that choose them."""

import tracemalloc

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from oddlearn import MaxNodes, OptimalDecisionDiagramClassifier, verify
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.kernels.histogram.projections import project_rows
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram import solver as histogram_solver
from oddlearn.solve.histogram.hyperplane_search import HyperplaneSearch
from oddlearn.solve.histogram.node_regressions import (
    AddSlopes,
    Standardisation,
    SumUnits,
    fit_regressions,
    to_raw_weights,
)
from oddlearn.solve.histogram.projected_rows import Directions, ProjectedRows, collect_directions
from oddlearn.streaming import row_source
from oddlearn.streaming.memory_rows import MemoryRows
from tests.diagram.drawings import random_diagram
from tests.solve.histogram.test_histogram_search import small_is_large  # noqa: F401

FOREVER = Budget.of(None)
SETTINGS = {"split": "multivariate", "alpha": 0.01, "random_state": 0}


def oblique_table(seed=0, n_rows=400):
    """Return rows whose class depends on two weighted sums, one label in twenty turned."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    y = (X @ [1, 1, 0, 0] > 0) ^ (X @ [0, 1, -1, 2] > 1) ^ (random.random(n_rows) < 0.05)
    return X, y.astype(int)


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("seed", range(4))
def test_sums_of_many_rows_are_the_keys_of_splits_to_the_last_bit(kind, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(700, 5)).astype(kind)
    weights = random.normal(size=(3, 5)) * (random.random((3, 5)) < 0.7)
    sums = np.empty((3, 700))
    project_rows(X, weights, sums)
    for own, expected in zip(sums, weights, strict=True):
        assert np.array_equal(own, MultivariateSplit(expected, 0.0).key(X))


@pytest.mark.parametrize("seed", range(10))
def test_thresholds_on_columns_route_rows_as_the_hyperplanes_do(seed):
    random = np.random.default_rng(seed)
    plain = random_diagram(random, n_features=4)
    weights = [random.choice([np.eye(4)[1], random.normal(size=4)]) for _ in plain.splits]
    diagram = plain.with_splits(tuple(MultivariateSplit(own, random.normal()) for own in weights))
    directions = collect_directions([diagram, diagram], 4)
    X = random.normal(size=(50, 4))
    rows = ProjectedRows(MemoryRows(X, np.zeros(50, dtype=int)), directions)
    columns = directions.to_columns(diagram)
    assert all(isinstance(split, UnivariateSplit) for split in columns.splits)
    extended = rows.take(np.arange(50)).X
    assert np.array_equal(columns.route(np.ascontiguousarray(extended)).final_arc, diagram.route(X).final_arc)
    assert directions.to_hyperplanes(columns) == diagram


def stump(n_features, n_classes=2):
    return DecisionDiagram(
        (UnivariateSplit(0, 0.0),), np.array([1]), np.array([2]), [0], n_classes, n_features
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_regressions_of_a_root_are_those_of_scikit_learn(weighted, monkeypatch):
    monkeypatch.setattr(row_source, "PART_ROWS", 64)
    random = np.random.default_rng(1)
    X = random.normal(size=(500, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 2.0]
    y = (X @ [1.0, 0.1, 5.0] + random.normal(size=500) > 10).astype(int)
    weight = random.random(500) if weighted else None
    standard = Standardisation.from_rows(X)
    units = SumUnits.choose(standard.apply(X), 1.0)
    work = AddSlopes(stump(3), 3, standard, np.zeros((1, 4)), 1.0 - np.eye(2), units)
    found = fit_regressions(MemoryRows(X, y, weight), work, FOREVER, 20)
    model = LogisticRegression(tol=1e-10).fit(standard.apply(X)[:, :-1], y, sample_weight=weight)
    np.testing.assert_allclose(found[0], np.append(model.coef_, model.intercept_), atol=1e-4)
    raw = to_raw_weights(found, standard)[0]
    np.testing.assert_allclose(
        raw / raw[0], (model.coef_[0] / standard.scale) / (model.coef_[0, 0] / standard.scale[0]), rtol=1e-3
    )


def slow_slopes(diagram, X, codes, costs, standard, coefficients):
    """Return gradients and Hessians row by row: each row is sent down from both targets of a node."""

    def end(node, row):
        while node < diagram.n_nodes:
            side = diagram.splits[node].side(row[None])[0]
            node = (diagram.positive if side else diagram.negative)[node]
        return node - diagram.n_nodes

    reached = route_reference(diagram, X).reached
    n_features = X.shape[1]
    gradient, hessian = (
        np.zeros((diagram.n_nodes, n_features + 1)),
        np.zeros((diagram.n_nodes, n_features + 1, n_features + 1)),
    )
    for node in range(diagram.n_nodes):
        for row, code in zip(X[reached[:, node]], codes[reached[:, node]], strict=True):
            saving = (
                costs[code, end(diagram.negative[node], row)] - costs[code, end(diagram.positive[node], row)]
            )
            own = standard.apply(row[None])[0]
            share = 1 / (1 + np.exp(-own @ coefficients[node]))
            gradient[node] += abs(saving) * (share - (saving > 0)) * own * (saving != 0)
            hessian[node] += abs(saving) * share * (1 - share) * np.outer(own, own)
    return gradient, hessian


@pytest.mark.parametrize("seed", range(6))
def test_slopes_of_all_nodes_are_those_of_a_slow_sum(seed):
    random = np.random.default_rng(seed)
    diagram = random_diagram(random, n_features=3)
    splits = [UnivariateSplit(random.integers(3), random.normal()) for _ in diagram.splits]
    diagram = diagram.with_splits(tuple(splits))
    X, codes = random.normal(size=(60, 3)), random.integers(0, diagram.n_classes, 60)
    costs = random.random((diagram.n_classes, diagram.n_classes))
    standard, start = Standardisation.from_rows(X), random.normal(size=(diagram.n_nodes, 4))
    block = MemoryRows(X, codes).take(slice(None))
    work = AddSlopes(diagram, 3, standard, start, costs, SumUnits.choose(standard.apply(X), costs.max()))
    found = [np.array(part) for part in zip(*work.to_numbers(work.add(block, None)), strict=True)]
    gradient, hessian = slow_slopes(diagram, X, codes, costs, standard, start)
    np.testing.assert_allclose(found[0], gradient, atol=1e-9)
    np.testing.assert_allclose(found[1], hessian, atol=1e-3)  # rows times their weights have 20 bits


@pytest.mark.parametrize("seed", range(5))
def test_slopes_have_the_same_bits_in_any_order_and_any_parts(seed, monkeypatch):
    random = np.random.default_rng(seed)
    X = random.normal(size=(9000, 3)) * 10.0 ** random.integers(-6, 6, 3)
    X[0] *= 1e6  # an outlier beyond all rows of the sample
    codes, weight = random.integers(0, 2, 9000), random.random(9000) ** 5
    standard = Standardisation.from_rows(X[1:500])
    units = SumUnits.choose(standard.apply(X[1:500]), 1.0)
    work = AddSlopes(stump(3), 3, standard, random.normal(size=(1, 4)), 1.0 - np.eye(2), units)
    expected = MemoryRows(X, codes, weight).reduce(work)
    for part_rows in (1, 700, 4097):
        monkeypatch.setattr(row_source, "PART_ROWS", part_rows)
        order = random.permutation(9000)
        rows = MemoryRows(np.asfortranarray(X[order]), codes[order], weight[order])
        found = rows.reduce(work)
        for one, other in zip(work.to_numbers(found), work.to_numbers(expected), strict=True):
            np.testing.assert_array_equal(one[0], other[0])
            np.testing.assert_array_equal(one[1], other[1])


def test_a_large_fit_is_no_worse_than_logistic_regression_and_finds_two_sums(small_is_large):  # noqa: F811
    X, y = oblique_table()
    model = OptimalDecisionDiagramClassifier("1-2", time_limit=2.0, **SETTINGS).fit(X, y)
    assert not model.certificate_.margin
    assert model.objective_ == pytest.approx(1 - model.score(X, y) + 0.005 * (model.diagram_.n_nodes - 1))
    assert model.score(X, y) >= LogisticRegression().fit(X, y).score(X, y)
    assert model.score(X, y) > 0.85
    assert verify(model, X, y).objective == pytest.approx(model.objective_)


@pytest.mark.parametrize("target", ["linear", "three classes"])
def test_other_targets(target, small_is_large):  # noqa: F811
    X, _ = oblique_table(3)
    y = (X @ [1, 2, 3, 4] > 0).astype(int) + (target == "three classes") * (X[:, 0] + X[:, 1] > 1)
    model = OptimalDecisionDiagramClassifier("1-2", time_limit=2.0, **SETTINGS).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.objective_ <= 1 - LogisticRegression().fit(X, y).score(X, y) + 1e-12 or target != "linear"


def test_any_division_of_the_rows_gives_the_same_diagram(small_is_large, monkeypatch):  # noqa: F811
    X, y = oblique_table(1)
    models = []
    for n_rows in (400, 37):
        monkeypatch.setattr(row_source, "PART_ROWS", n_rows)
        model = OptimalDecisionDiagramClassifier("1-2", max_iter=40, time_limit=None, **SETTINGS)
        models.append(model.fit(X, y))
    assert models[0].diagram_ == models[1].diagram_


def test_limits_on_nodes_hold(small_is_large):  # noqa: F811
    X, y = oblique_table(2)
    options = {**SETTINGS, "constraints": [MaxNodes(2)]}
    model = OptimalDecisionDiagramClassifier("1-2-2", time_limit=1.0, **options).fit(X, y)
    assert 1 <= model.diagram_.n_nodes <= 2


def test_it_can_be_asked_for_on_a_small_table():
    X, y = oblique_table(4, n_rows=120)
    model = OptimalDecisionDiagramClassifier("1-2", search="histogram", time_limit=1.0, **SETTINGS).fit(X, y)
    assert model.score(X, y) > 0.75


def test_directions_without_any_hyperplane_are_none():
    assert Directions(np.empty((0, 3))).n_columns == 3
    assert collect_directions([], 3).weights.shape == (0, 3)


@pytest.fixture
def spied_searches(monkeypatch, small_is_large):  # noqa: F811
    """Record the searches of fits with hyperplanes."""
    found = []
    run = HyperplaneSearch.run
    monkeypatch.setattr(HyperplaneSearch, "run", lambda own, *rest: (found.append(own), run(own, *rest)))
    return found


def test_the_search_begins_with_the_logistic_regression_of_two_classes(spied_searches):
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 4))
    y = (X @ [1, 2, 0, -1] + random.normal(size=400) / 4 > 0.5).astype(int)
    X = X * [1.0, 20.0, 0.1, 1.0] + [0.0, 7.0, 0.0, -3.0]
    OptimalDecisionDiagramClassifier("1-2", max_iter=1, exact=None, **SETTINGS).fit(X, y)
    (search,) = spied_searches
    sample = search._candidates.raw_sample  # the rows of comparison: 80 of the 400
    standard = Standardisation.from_rows(sample.X[:, :4])
    model = LogisticRegression(tol=1e-10).fit(standard.apply(sample.X[:, :4])[:, :-1], sample.codes)
    assert 50 <= sample.n_rows < 400
    assert np.array_equal(search.logistic.predict(X), model.predict(standard.apply(X)[:, :-1]))


@pytest.mark.filterwarnings("ignore:The diagram never predicts")
def test_without_time_to_offer_its_result_no_search_begins(spied_searches, monkeypatch):
    monkeypatch.setattr(histogram_solver, "offer_seconds", lambda problem: 1e9)
    X, y = oblique_table()
    model = OptimalDecisionDiagramClassifier("1-2", time_limit=1.0, exact=None, **SETTINGS).fit(X, y)
    assert not spied_searches
    assert model.score(X, y) >= 0.5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_standardised_in_one_copy(dtype):
    X = np.random.default_rng(0).normal(3, 2, (5_000, 40)).astype(dtype)
    standard = Standardisation.from_rows(X)
    tracemalloc.start()
    rows = standard.apply(X)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1.2 * rows.nbytes
    assert np.array_equal(rows[:, :-1], (X - standard.offset) / standard.scale)
    assert (rows[:, -1] == 1).all()
