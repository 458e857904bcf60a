import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem import scaling as scaling_module
from oddlearn.problem.scaling import RankScaling, UnitScaling, to_raw_units
from oddlearn.problem.training_data import TrainingData
from tests.diagram.drawings import random_diagram


def test_training_rows_fill_the_unit_box():
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1.0, 1e6, 1e-9]
    unit = UnitScaling.fit(X).apply(X)
    assert unit.min(axis=0).tolist() == [0, 0, 0]
    assert unit.max(axis=0).tolist() == [1, 1, 1]


def test_constant_features_become_zero():
    X = np.array([[3.0, 1e308], [3.0, 1e308]])
    assert UnitScaling.fit(X).apply(X).tolist() == [[0, 0], [0, 0]]
    assert UnitScaling.fit(X).apply(X + 1).tolist() == [[1, 0], [1, 0]]  # a box as wide as its unit


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
        raw = to_raw_units(scaling, diagram, unit, X)
        assert np.array_equal(raw.route(X).final_arc, diagram.route(unit).final_arc)


def test_thresholds_are_lifted_even_where_floats_are_sparse():
    X = 1e16 + np.array([[0.0], [2.0], [4.0]])
    scaling = UnitScaling.fit(X)
    diagram = DecisionDiagram((UnivariateSplit(0, 0.25),), [1], [2], [0], 2, 1)
    assert to_raw_units(scaling, diagram, scaling.apply(X), X).predict(X).tolist() == [0, 1, 1]


def test_huge_raw_ranges_are_lifted():
    X = np.array([[-1.7e308], [-1e308], [1.7e308]])
    scaling = UnitScaling.fit(X)
    for split in (UnivariateSplit(0, 0.5), MultivariateSplit([1.0], 0.5)):
        diagram = DecisionDiagram((split,), [1], [2], [0], 2, 1)
        assert to_raw_units(scaling, diagram, scaling.apply(X), X).predict(X).tolist() == [0, 0, 1]


def test_thresholds_move_to_the_middle_of_their_gap():
    diagram = DecisionDiagram((UnivariateSplit(0, 0.9),), [1], [2], [0], 2, 1)
    X = np.array([[0.2], [1.0]])
    scaling = UnitScaling.fit(X)
    raw = to_raw_units(scaling, diagram, scaling.apply(X), X)
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
            raw = to_raw_units(scaling, diagram, unit, X)
            assert raw.predict(X).tolist() == [code] * 9


def test_a_threshold_above_all_rows_moves_only_if_rounding_put_it_on_one():
    X = 1e16 + np.array([[0.0], [2.0], [4.0]])
    scaling = UnitScaling.fit(X)
    for threshold, expected in ((np.nextafter(1.0, 2.0), 1e16 + 6.0), (2.0, 1e16 + 8.0)):
        diagram = DecisionDiagram((UnivariateSplit(0, float(threshold)),), [1], [2], [0], 2, 1)
        raw = to_raw_units(scaling, diagram, scaling.apply(X), X)
        assert (raw.predict(X).tolist(), raw.splits[0].threshold) == ([0, 0, 0], expected)


NAN = np.nan


def table_with_holes(random):
    X = random.integers(0, 5, (30, 4)) * [1e-12, 1.0, 7.0, 1e9]
    X[random.random(X.shape) < [0.0, 0.2, 0.6, 1.0]] = NAN
    return X


def rank_slowly(column):
    """Return the values of a column, and ranks with missing ones lowest and with missing ones highest."""
    values = np.unique(column[~np.isnan(column)]) + 0.0
    places, missing = np.searchsorted(values, column), np.isnan(column)
    return values, np.where(missing, 0, places + missing.any()), np.where(missing, values.size, places)


def stump(feature, threshold, n_columns):
    return DecisionDiagram((UnivariateSplit(feature, threshold),), [1], [2], [0], 2, n_columns)


def test_missing_values_rank_lowest_in_one_column_and_highest_in_another():
    X = np.array([[5.0, NAN, 2.0], [NAN, NAN, 2.0], [7.0, NAN, 2.0], [5.0, NAN, NAN]])
    scaling, ranks = RankScaling.rank(X)
    assert scaling.varies.tolist() == [True, False, True]
    lowest, highest = [[1, 0, 2, 1], [0, 0, 0, 0], [1, 1, 1, 0]], [[0, 2, 1, 0], [0, 0, 0, 1]]
    assert ranks.T.tolist() == [*lowest, *highest]


@pytest.mark.parametrize("seed", range(40))
def test_ranks_by_one_sort_are_those_of_a_fit_that_is_applied(seed, monkeypatch):
    monkeypatch.setattr("oddlearn.table.column_medians.SORTED_CELLS", 40)
    random = np.random.default_rng(seed)
    X = random.integers(-2, 3, (random.integers(1, 15), random.integers(1, 9))).astype(
        random.choice(["f4", "f8"])
    )
    X[random.random(X.shape) < 0.2 * (seed % 3)] = NAN
    X[X == 0] *= -1
    scaling, ranks = RankScaling.rank(X)
    values, lowest, highest = zip(*map(rank_slowly, X.T), strict=True)
    has_missing = np.isnan(X).any(axis=0)
    varies = np.array([column.size for column in values]) + has_missing > 1
    doubled = np.array(highest)[has_missing & varies]
    assert np.array_equal(ranks, np.vstack([np.array(lowest), doubled]).T)
    assert np.array_equal(scaling.varies, varies)
    assert np.array_equal(scaling.has_missing, has_missing)
    assert [column.tolist() for column in scaling.values] == [column.tolist() for column in values]


@pytest.mark.parametrize("seed", range(40))
def test_ranked_diagrams_route_raw_rows_with_missing_values_alike(seed):
    random = np.random.default_rng(seed)
    X = table_with_holes(random)
    scaling, ranks = RankScaling.rank(X)
    diagram = random_diagram(random, n_features=ranks.shape[1])
    splits = [UnivariateSplit(split.feature, random.integers(-1, 8)) for split in diagram.splits]
    diagram = diagram.with_splits(tuple(splits))
    raw = to_raw_units(scaling, diagram, ranks, X)
    assert raw.n_features == X.shape[1]
    assert np.array_equal(raw.route(X).final_arc, diagram.route(ranks).final_arc)


@pytest.mark.parametrize(
    ("column", "threshold", "expected"),
    [
        (0, 2, UnivariateSplit(0, 6.0)),
        (1, 1, UnivariateSplit(0, 6.0, missing_positive=True)),
        (0, 1, UnivariateSplit.is_missing(0, positive=False)),
        (1, 2, UnivariateSplit.is_missing(0)),
        (0, 0, UnivariateSplit(0, 3.0, missing_positive=True)),
        (1, 3, UnivariateSplit(0, np.nextafter(7.0, 8.0))),
    ],
)
def test_a_cut_between_ranks_may_become_a_question_about_missing_values(column, threshold, expected):
    X = np.array([[5.0], [NAN], [7.0]])
    scaling, ranks = RankScaling.rank(X)
    raw = to_raw_units(scaling, stump(column, threshold, 2), ranks, X)
    assert raw.splits == (expected,)


@pytest.mark.parametrize(
    ("weight", "side"), [((3.0, 1.0, 1.0), False), ((1.0, 1.0, 1.0), True), ((2.0, 1.0, 1.0), False)]
)
def test_without_missing_values_at_a_node_later_ones_take_the_heavier_side(weight, side):
    X = np.array([[5.0], [7.0], [8.0]])
    scaling, ranks = RankScaling.rank(X)
    raw = to_raw_units(scaling, stump(0, 1, 1), ranks, X, np.array(weight))
    assert raw.splits == (UnivariateSplit(0, 6.0, missing_positive=side),)


def test_a_split_is_centred_between_the_values_that_reach_its_node():
    """The second node asks x1 of rows without a missing value in x0; of these none lacks x1."""
    X = np.array([[NAN, NAN], [0.0, 1.0], [0.0, 2.0], [0.0, 9.0], [NAN, 5.0]])
    scaling, ranks = RankScaling.rank(X)
    splits = (UnivariateSplit(0, 1.0), UnivariateSplit(1, 4.0))
    diagram = DecisionDiagram(splits, [2, 2], [1, 3], [0, 1], 2, ranks.shape[1])
    raw = to_raw_units(scaling, diagram, ranks, X)
    assert raw.splits == (UnivariateSplit.is_missing(0, positive=False), UnivariateSplit(1, 6.0))


def test_rows_are_distinct_by_their_missing_values_too():
    X = np.array([[NAN, 1.0], [0.0, 1.0], [NAN, 1.0], [NAN, NAN]])
    ranks = RankScaling.rank(X)[1]
    data = TrainingData.collect(ranks, np.zeros(4, dtype=int), 1)
    assert data.n_rows == 3
    assert np.array_equal(data.raw_representatives(X)[data.distinct_row_of], X, equal_nan=True)


@pytest.mark.parametrize(
    ("values", "n_below", "expected"),
    [
        ([], 1, 0.0),
        ([2.0, 5.0, 6.0], -1, -2.0),
        ([2.0, 5.0, 6.0], 0, -2.0),  # as far below the lowest as the highest is above it
        ([2.0, 5.0, 6.0], 1, 3.5),
        ([2.0, 5.0, 6.0], 2, 5.5),
        ([2.0, 5.0, 6.0], 3, np.nextafter(6.0, 7.0)),
        ([2.0, 5.0, 6.0], 4, np.nextafter(6.0, 7.0)),
        ([4.0], 0, 3.0),
        ([4.0], 1, np.nextafter(4.0, 5.0)),
        ([-1.7e308, 1.7e308], 0, -1.7e308),
    ],
)
def test_a_threshold_lies_above_so_many_values(values, n_below, expected):
    scaling = RankScaling((np.array(values),), np.array([False]))
    with np.errstate(over="ignore"):
        assert scaling._threshold(0, n_below) == pytest.approx(expected, rel=0.1)
    threshold = scaling._threshold(0, n_below) if abs(expected) < 1e300 else expected
    assert (np.array(values) < threshold).sum() == min(max(n_below, 0), len(values))


def test_a_column_varies_if_any_two_rows_differ_however_late(monkeypatch):
    from oddlearn.problem import scaling

    assert not RankScaling.rank(np.array([[1.0, NAN], [1.0, NAN]]))[0].varies.any()
    late = np.zeros((50, 4))
    late[49, 0], late[49, 1], late[:, 2] = 1.0, NAN, NAN
    assert RankScaling.rank(late)[0].varies.tolist() == [True, True, False, False]
    assert scaling.UnitScaling.fit(late[:, [0, 3]]).half_span.tolist() == [0.5, 0.5]


def test_rows_that_are_not_the_same_samples_are_refused():
    X = np.array([[0.0], [1.0], [2.0]])
    scaling, ranks = RankScaling.rank(X)
    with pytest.raises(DiagramMisfitError, match="route"):
        to_raw_units(scaling, stump(0, 1.0, 1), ranks, X[::-1])


def test_many_rows_in_unit_coordinates_are_stored_by_columns_with_the_same_numbers(monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    scaling = UnitScaling.fit(X)
    by_rows = scaling.apply(X)
    monkeypatch.setattr(scaling_module, "MAX_CELLS_BY_ROWS", 119)
    by_columns = scaling.apply(X)
    assert by_rows.flags.c_contiguous
    assert by_columns.flags.f_contiguous
    assert np.array_equal(by_rows, by_columns)
    assert by_rows.dtype == by_columns.dtype == np.float64
