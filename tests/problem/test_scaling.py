import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.problem.scaling import UnitScaling, lift_on
from tests.diagram.drawings import random_diagram


def test_training_rows_fill_the_unit_box():
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1.0, 1e6, 1e-9]
    unit = UnitScaling.fit(X).apply(X)
    assert unit.min(axis=0).tolist() == [0, 0, 0]
    assert unit.max(axis=0).tolist() == [1, 1, 1]


def test_constant_features_become_zero():
    X = np.array([[3.0, 1e308], [3.0, 1e308]])
    assert UnitScaling.fit(X).apply(X).tolist() == [[0, 0], [0, 0]]


def test_the_widest_ranges_do_not_overflow():
    X = np.array([[-1.7e308, 5e-324], [1.7e308, 0.0], [0.0, 5e-324]])
    with np.errstate(all="raise", under="ignore"):
        unit = UnitScaling.fit(X).apply(X)
    assert unit[:, 0].tolist() == [0.0, 1.0, 0.5]
    assert np.isfinite(unit).all()


@pytest.mark.parametrize("kind", ["univariate", "multivariate"])
def test_a_lifted_diagram_routes_raw_rows_alike(kind):
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = random.normal(size=(60, 4)) * [1e-3, 1.0, 1e5, 7.0] + [5.0, -1e4, 0.0, 1e3]
        scaling = UnitScaling.fit(X)
        unit = scaling.apply(X)
        diagram = random_diagram(random, kind=kind)
        raw = lift_on(scaling, diagram, unit, X)
        assert np.array_equal(raw.route(X).final_arc, diagram.route(unit).final_arc)


def test_thresholds_are_lifted_even_where_floats_are_sparse():
    X = 1e16 + np.array([[0.0], [2.0], [4.0]])
    scaling = UnitScaling.fit(X)
    diagram = DecisionDiagram((UnivariateSplit(0, 0.25),), [1], [2], [0], 2, 1)
    assert lift_on(scaling, diagram, scaling.apply(X), X).predict(X).tolist() == [0, 1, 1]


def test_huge_raw_ranges_are_lifted():
    X = np.array([[-1.7e308], [-1e308], [1.7e308]])
    scaling = UnitScaling.fit(X)
    for split in (UnivariateSplit(0, 0.5), MultivariateSplit([1.0], 0.5)):
        diagram = DecisionDiagram((split,), [1], [2], [0], 2, 1)
        assert lift_on(scaling, diagram, scaling.apply(X), X).predict(X).tolist() == [0, 0, 1]


def test_thresholds_move_to_the_middle_of_their_gap():
    diagram = DecisionDiagram((UnivariateSplit(0, 0.9),), [1], [2], [0], 2, 1)
    X = np.array([[0.2], [1.0]])
    scaling = UnitScaling.fit(X)
    raw = lift_on(scaling, diagram, scaling.apply(X), X)
    assert raw.splits[0].threshold == pytest.approx(0.6)


@pytest.mark.parametrize("kind", ["univariate", "multivariate"])
def test_a_node_with_all_rows_on_one_side_keeps_them_there(kind):
    """In the unit box the threshold is at the first row or just after the last: rounding must not pass it."""
    for seed in range(60):
        random = np.random.default_rng(seed)
        X = random.normal(size=(9, 3)) * [1e-3, 1.0, 1e5] + [5.0, -1e4, 1e9]
        scaling = UnitScaling.fit(X)
        unit = scaling.apply(X)
        split = UnivariateSplit(seed % 3, 0.5)
        if kind == "multivariate":
            split = MultivariateSplit(random.normal(size=3), 0.5)
        key = split.key(unit)
        for threshold, code in ((key.min(), 1), (np.nextafter(key.max(), np.inf), 0)):
            diagram = DecisionDiagram((split.with_threshold(float(threshold)),), [1], [2], [0], 2, 3)
            raw = lift_on(scaling, diagram, unit, X)
            assert raw.predict(X).tolist() == [code] * 9


def test_a_threshold_above_all_rows_moves_only_if_rounding_put_it_on_one():
    X = 1e16 + np.array([[0.0], [2.0], [4.0]])
    scaling = UnitScaling.fit(X)
    for threshold, expected in ((np.nextafter(1.0, 2.0), 1e16 + 6.0), (2.0, 1e16 + 8.0)):
        diagram = DecisionDiagram((UnivariateSplit(0, float(threshold)),), [1], [2], [0], 2, 1)
        raw = lift_on(scaling, diagram, scaling.apply(X), X)
        assert (raw.predict(X).tolist(), raw.splits[0].threshold) == ([0, 0, 0], expected)
