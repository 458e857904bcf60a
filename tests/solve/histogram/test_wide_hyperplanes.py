"""Wide tables with hyperplanes: regressions against slow twins, groups of classes, the search."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info, threadpool_limits

from oddlearn import MaxNodes, OptimalDecisionDiagramClassifier, verify
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.row_passes import used_features
from oddlearn.problem.term_limit import TermLimit
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve import budget as budget_module
from oddlearn.solve import large_tables
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram import wide_hyperplanes, wide_regressions
from oddlearn.solve.histogram.node_regressions import Standardisation
from oddlearn.solve.histogram.wide_hyperplanes import WideHyperplaneSearch
from oddlearn.solve.histogram.wide_regressions import (
    RidgeLoss,
    fit_hyperplanes,
    group_classes,
    grow_regressions,
    standardise_columns,
)
from oddlearn.solve.solver import ignore
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.table.groups import SampleGroups

FOREVER = Budget.of(None)
KINDS = list(product(["f4", "f8"], ["C", "F"]))


def pose(X, codes, skeleton=(1, 2, 3), weight=None, limit=None, price=None):
    n_classes = int(codes.max()) + 1
    groups = SampleGroups(codes, np.ones(len(X)), tuple(range(n_classes)))
    data = LargeData(MemoryRows.from_arrays(X, codes, weight), 1 - np.eye(n_classes), groups)
    alpha = 0.01 if price is None else None
    return build_problem(
        data, Skeleton(skeleton), alpha, "multivariate", 0.0, node_price=price, term_limit=limit
    )


def draw(seed=0, n_rows=80, n_features=130, n_classes=2, noise=0.0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_features)) * 10.0 ** random.integers(-2, 3, n_features)
    X[:, 5:6] = 7.0
    scores = X / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0) @ random.normal(size=(n_features, n_classes))
    codes = scores.argmax(axis=1)
    is_noise = random.random(n_rows) < noise
    return X, np.where(is_noise, random.integers(0, n_classes, n_rows), codes)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cells", [1, 300, 10**6])
def test_loss_and_gradient_are_those_of_all_rows_at_once(kind, cells, monkeypatch):
    monkeypatch.setattr(wide_regressions, "BLOCK_CELLS", cells)
    random = np.random.default_rng(0)
    X = np.array(random.normal(size=(40, 6)) + 3, dtype=kind[0], order=kind[1])
    saving = random.normal(size=40) * (random.random(40) < 0.8)
    standard = Standardisation(random.normal(size=6), np.array([1.0, 2.0, np.inf, 0.5, 1.0, 3.0]))
    loss, point = RidgeLoss(X, standard, saving, 0.7), random.normal(size=7)

    def slow(point):
        rows = (X.astype(float) - standard.offset) / standard.scale
        distance = np.sign(saving) * (rows @ point[:-1] + point[-1])
        ridge = 0.35 * point[:-1] @ point[:-1] + 0.5e-9 * point[-1] ** 2
        return ridge + np.abs(saving) @ np.log1p(np.exp(-distance))

    value, gradient = loss(point)
    assert value == pytest.approx(slow(point))
    steps = 1e-5 * np.eye(7)
    slopes = [(slow(point + step) - slow(point - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)


def test_a_regression_of_more_rows_than_columns_is_that_of_scikit_learn():
    X, y = draw(n_rows=400, n_features=10, noise=0.3)
    weights = list(fit_hyperplanes(X, np.where(y == 1, 1.0, -1.0), None, FOREVER))
    rows = X / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    expected = LogisticRegression(tol=1e-8).fit(rows, y).coef_[0] / np.where(
        X.std(axis=0) > 0, X.std(axis=0), 1
    )
    assert len(weights) == 1
    moves = (weights[0] * X.std(axis=0), expected * X.std(axis=0))
    np.testing.assert_allclose(*(move / np.abs(move).max() for move in moves), atol=0.02)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_random_classes_of_fewer_rows_than_columns_are_separated(seed, kind):
    random = np.random.default_rng(seed)
    X = np.array(random.normal(size=(60, 70)), dtype=kind[0], order=kind[1])
    problem = pose(X, np.append(random.integers(0, 2, 58), [0, 1]))
    diagram = grow_regressions(problem, problem.data, FOREVER)
    assert evaluate(problem, diagram).objective == 0 and diagram.n_nodes == 1


@pytest.mark.parametrize("seed", range(4))
def test_each_of_several_classes_is_told_apart_once(seed):
    random = np.random.default_rng(seed)
    X, codes = random.normal(size=(60, 90)), np.arange(60) % 4
    problem = pose(X, codes)
    diagram = grow_regressions(problem, problem.data, FOREVER)
    assert evaluate(problem, diagram).cost == 0 and diagram.n_nodes == 3
    two_layers = pose(X, codes, (1, 1))
    assert grow_regressions(two_layers, two_layers.data, FOREVER).n_nodes <= 2
    dear = pose(X, codes, price=0.9)
    assert grow_regressions(dear, dear.data, FOREVER).n_nodes == 1


def test_weights_and_costs_move_the_hyperplane():
    X, codes = draw(n_rows=300, n_features=4, noise=0.4)
    weight = np.where(codes == 1, 3.0, 1.0)
    plain, heavy = pose(X, codes), pose(X, codes, weight=weight)
    shares = [(grow_regressions(one, one.data, FOREVER).predict(X) == 1).mean() for one in (plain, heavy)]
    assert shares[1] > shares[0]


def test_groups_are_those_whose_means_differ_most():
    random = np.random.default_rng(1)
    codes = np.arange(200) % 4
    X = random.normal(size=(200, 6))
    X[:, 2] += 5 * np.isin(codes, [0, 3])
    X[:, 3] += np.isin(codes, [0, 1])
    data = pose(X, codes).data
    groups = group_classes(data, np.arange(200), np.arange(4))
    assert {tuple(group.tolist()) for group in groups} == {(0, 3), (1, 2)}
    some = np.flatnonzero(codes < 2)
    assert [group.tolist() for group in group_classes(data, some, np.arange(4))] == [[0], [1]]
    assert group_classes(data, some, np.array([0, 2])) is None


def test_a_table_of_constants_has_no_hyperplane():
    problem = pose(np.ones((6, 3)), np.arange(6) % 3)
    assert grow_regressions(problem, problem.data, FOREVER).n_nodes == 0


def test_columns_beyond_floating_point_and_constants_have_no_weight():
    X, codes = draw(n_rows=60)
    X[:, 9] = np.where(codes == 1, 1e308, -1e308)
    standard = standardise_columns(X, np.where(codes == 1, 1.0, -1.0))
    assert np.isinf(standard.scale[[5, 9]]).all() and np.isfinite(standard.offset).all()
    problem = pose(X, codes)
    diagram = grow_regressions(problem, problem.data, FOREVER)
    assert diagram.splits[0].weights[5] == diagram.splits[0].weights[9] == 0


def test_columns_that_tell_the_sides_apart_have_smaller_scales_where_columns_are_many():
    random = np.random.default_rng(0)
    X, saving = random.normal(size=(50, 60)), np.where(np.arange(50) < 25, 1.0, -1.0)
    X[:25, 4] += 3
    scale = standardise_columns(X, saving).scale / X.std(axis=0)
    assert scale.argmin() == 4
    few = standardise_columns(X[:, :40], saving).scale
    np.testing.assert_allclose(few, X[:, :40].std(axis=0))


@pytest.mark.parametrize("seed", range(3))
def test_regressions_keep_the_limit_on_terms(seed):
    X, codes = draw(seed)
    problem = pose(X, codes, limit=TermLimit.build(3, range(130)))
    diagram = grow_regressions(problem, problem.data, FOREVER)
    assert 1 <= used_features(diagram).size <= 3
    assert evaluate(problem, diagram).objective < 0.5


def test_without_time_the_constant_is_returned():
    X, codes = draw()
    problem = pose(X, codes)
    assert grow_regressions(problem, problem.data, Budget.of(0.0)).n_nodes == 0


def test_regressions_that_use_all_of_their_time_leave_some_for_every_class(monkeypatch):
    clock, minimise = [0.0], wide_regressions._minimise

    def use_all_time(loss, start, budget):
        clock[0] = budget.deadline
        return minimise(loss, start, FOREVER)

    X, codes = draw(n_rows=60, n_features=120, n_classes=4)
    problem = pose(X, codes, price=0.0)
    monkeypatch.setattr(wide_regressions, "_minimise", use_all_time)
    monkeypatch.setattr(budget_module.time, "perf_counter", lambda: clock[0])
    diagram = grow_regressions(problem, problem.data, Budget.of(100.0))
    assert diagram.n_nodes == 3 and clock[0] == pytest.approx(100.0)
    assert set(diagram.arc_class[list(diagram.final_arcs)]) == {0, 1, 2, 3}


@pytest.mark.parametrize(("seconds", "expected"), [(4.0, 2.0), (1.5, 1.5), (10.0, 3.0)])
def test_regressions_use_more_of_the_time_where_it_is_short(seconds, expected, monkeypatch):
    problem, given = pose(*draw()), []

    def grow(problem, data, budget):
        given.append(budget.remaining())
        return best_constant(problem)

    monkeypatch.setattr(wide_hyperplanes, "grow_regressions", grow)
    monkeypatch.setattr(wide_hyperplanes, "regression_seconds", lambda problem, data: 2.0)
    monkeypatch.setattr(wide_hyperplanes.WideHyperplaneSearch, "_search_columns", lambda *given: None)
    WideHyperplaneSearch(problem, problem.data, 0, 1).run(None, Budget.of(seconds), ignore)
    assert given[0] == pytest.approx(expected, abs=0.3)


def test_a_search_has_one_thread_for_matrix_products(monkeypatch):
    """Several wait for each other: means of classes took 3 s instead of 0.03 on a busy machine."""
    problem, threads = pose(*draw()), []

    def grow(problem, data, budget):
        threads.extend(library["num_threads"] for library in threadpool_info())
        return best_constant(problem)

    monkeypatch.setattr(wide_hyperplanes, "grow_regressions", grow)
    monkeypatch.setattr(wide_hyperplanes.WideHyperplaneSearch, "_search_columns", lambda *given: None)
    with threadpool_limits(2):
        WideHyperplaneSearch(problem, problem.data, 0, 1).run(None, FOREVER, ignore)
    assert threads and set(threads) == {1}


@pytest.mark.parametrize(("n_classes", "limit"), [(2, None), (3, None), (2, 4)])
def test_a_search_ends_no_worse_than_its_regressions_and_its_columns(n_classes, limit):
    X, codes = draw(n_rows=300, n_features=120, n_classes=n_classes, noise=0.2)
    problem = pose(X, codes, limit=TermLimit.build(limit, range(120)))
    events = []
    search = WideHyperplaneSearch(problem, problem.data, 0, 1)
    found = search.run(None, Budget.of(None, 30), events.append)
    regressed = evaluate(problem, grow_regressions(problem, problem.data, FOREVER)).objective
    value = evaluate(problem, found.diagram)
    assert value.objective == search.objective <= regressed
    assert all(isinstance(split, MultivariateSplit) for split in found.diagram.splits)
    assert problem.term_limit is None or problem.term_limit.allows(found.diagram)
    assert found.iterations > 0 and min(event.objective for event in events) == search.objective


def test_a_search_of_separable_rows_ends_with_the_regression(monkeypatch):
    monkeypatch.setattr(wide_hyperplanes, "WideSearch", None)
    problem = pose(*draw())
    found = WideHyperplaneSearch(problem, problem.data, 0, 1).run(None, FOREVER, ignore)
    assert evaluate(problem, found.diagram).objective == 0


def test_a_search_ends_with_a_regression_that_has_the_lower_bound(monkeypatch):
    monkeypatch.setattr(wide_hyperplanes, "WideSearch", None)
    problem = pose(*draw(n_rows=60, n_classes=3), price=0.01)
    search = WideHyperplaneSearch(problem, problem.data, 0, 1, lower_bound=0.01)
    assert evaluate(problem, search.run(None, FOREVER, ignore).diagram).objective == pytest.approx(0.01)
    with pytest.raises(TypeError):
        WideHyperplaneSearch(problem, problem.data, 0, 1).run(None, FOREVER, ignore)


def test_a_search_keeps_limits_on_nodes_and_a_better_start():
    X, codes = draw(n_rows=300, n_features=120, noise=0.2)
    problem = pose(X, codes)
    start = grow_regressions(problem, problem.data, FOREVER)
    search = WideHyperplaneSearch(replace(problem, skeleton=Skeleton((1,))), problem.data, 0, 1)
    found = search.run(start, Budget.of(None, 5), ignore)
    assert found.diagram.n_nodes <= 1 and search.objective <= evaluate(problem, start).objective


def test_ctrl_c_keeps_the_start(monkeypatch):
    def stop(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(wide_hyperplanes, "grow_regressions", stop)
    problem = pose(*draw())
    start = DecisionDiagram(
        (MultivariateSplit(np.eye(130)[3], 0.0),), np.array([1]), np.array([2]), np.array([0]), 2, 130
    )
    found = WideHyperplaneSearch(problem, problem.data, 0, 1).run(start, FOREVER, ignore)
    assert found.interrupted and found.diagram == start


@pytest.mark.filterwarnings("ignore:The diagram never predicts")
@pytest.mark.parametrize("options", [{}, {"max_terms": 5}, {"constraints": [MaxNodes(1)]}])
def test_a_fit_of_a_wide_table_is_verified(options, monkeypatch):
    monkeypatch.setattr(large_tables, "WIDE_SUM_CELLS", 10_000)
    X, y = draw(n_rows=200, n_features=120, n_classes=3, noise=0.1)
    model = OptimalDecisionDiagramClassifier(
        "1-2-3", alpha=0.01, split="multivariate", max_iter=20, random_state=0, **options
    ).fit(X, y)
    assert verify(model, X, y).objective == pytest.approx(model.certificate_.objective)
    assert model.score(X, y) > 0.5
    assert model.diagram_.n_nodes <= 1 or "constraints" not in options


def test_a_table_that_a_hyperplane_separates_is_proved_optimal(monkeypatch):
    monkeypatch.setattr(large_tables, "WIDE_SUM_CELLS", 10_000)
    X, y = draw()
    model = OptimalDecisionDiagramClassifier("1-2", alpha=0.01, split="multivariate", random_state=0).fit(
        X, y
    )
    assert model.score(X, y) == 1.0 and model.is_optimal_ and model.diagram_.n_nodes == 1
    assert verify(model, X, y).objective == 0
