"""The box of hyperplanes: outliers do not move it, and what lies outside is harmless."""

import numpy as np
import pytest

from oddlearn.problem.evaluate import key_rounding
from oddlearn.problem.robust_scaling import choose_margin, find_fences, fit_robust_scaling
from oddlearn.problem.scaling import UnitScaling

RANDOM = np.random.default_rng(0)
NORMAL = RANDOM.normal(size=1000)


def box(column, margin=1e-6):
    scaling = fit_robust_scaling(np.asarray(column, dtype=float)[:, None], margin)
    return float(scaling.low[0]), float(scaling.high[0])


def test_without_outliers_the_box_is_that_of_the_smallest_and_largest_value():
    X = np.column_stack([NORMAL, RANDOM.random(1000) * 1e9, RANDOM.integers(0, 5, 1000), np.arange(1000) % 2])
    robust, plain = fit_robust_scaling(X, 1e-6), UnitScaling.fit(X)
    assert np.array_equal(robust.low, plain.low)
    assert np.array_equal(robust.high, plain.high)


@pytest.mark.parametrize("outlier", [1e4, -1e4, 1e6])
def test_an_outlier_lies_outside_and_leaves_the_box_as_it_was(outlier):
    low, high = box(np.append(NORMAL, outlier))
    assert NORMAL.min() >= low - 1
    assert NORMAL.max() <= high + 1
    assert high - low < 12


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
def test_a_code_for_missing_values_leaves_the_others_their_resolution(share):
    column = np.where(RANDOM.random(1000) < share, -999.0, NORMAL)
    low, high = box(column)
    assert high - low < 12


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0] * 95 + [1] * 5, (0, 1)),
        ([0] * 95 + [1] * 4 + [1000], (0, 1)),
        ([7] * 10, (7, 7)),
        ([0, 1], (0, 1)),
        ([0] * 60 + [1, 2, 3, 4, 5] * 8, (0, 5)),
    ],
)
def test_columns_of_few_values(values, expected):
    assert box(values) == expected


def test_a_column_and_its_negative_have_mirrored_fences():
    values = np.sort(RANDOM.lognormal(8, 2, 501))
    (low,), (high,) = find_fences(values[None])
    assert find_fences(np.sort(-values)[None]).tolist() == [[-high], [-low]]


@pytest.mark.parametrize("n_features", [1, 20, 500])
@pytest.mark.parametrize("far", [1e3, 1e9, 1e300])
def test_rounding_of_a_key_in_the_box_stays_below_a_quarter_of_the_margin(n_features, far):
    X = RANDOM.normal(size=(200, n_features))
    X[0, 0], X[1, 0] = far, -far
    unit = fit_robust_scaling(X, 1e-5).apply(X)
    assert np.isfinite(unit).all()
    assert key_rounding(unit) <= 1e-5 / 4
    assert np.ptp(unit[2:, 1:], axis=0).min(initial=1.0) > 0.5


@pytest.mark.parametrize("offset", [0.0, 5.0, 1.6e9, -1e12])
@pytest.mark.parametrize("margin", [1e-4, 1e-7])
def test_sums_in_raw_units_are_off_by_less_than_a_quarter_of_the_margin(offset, margin):
    X = offset + RANDOM.normal(size=(300, 4)) * [1.0, 1e-3, 1e-2, 1e6]
    half_span = fit_robust_scaling(X, margin).half_span
    assert (4 * np.finfo(float).eps * np.abs(X).max(axis=0) / half_span <= margin / 4).all()


def test_extreme_ranges_do_not_overflow():
    X = np.array([[-1.7e308, 5e-324], [1.7e308, 0.0], [0.0, 5e-324]])
    with np.errstate(over="ignore"):
        assert np.isfinite(fit_robust_scaling(X, 1e-4).apply(X)).all()


def test_the_margin_shrinks_with_the_number_of_rows_between_two_limits():
    counts = [1, 100, 101, 1000, 10_000, 100_000, 10_000_000]
    assert [choose_margin(count) for count in counts] == [1e-4, 1e-4, 1e-5, 1e-5, 1e-6, 1e-7, 1e-7]


def test_a_value_that_a_few_rows_share_is_as_good_as_any():
    values = np.sort(np.append(np.arange(100.0), [99.0, 99.0]))
    assert find_fences(values[None]).tolist() == [[25.0 - 3 * 51.0], [76.0 + 3 * 51.0]]


def fences_of_one_column(values):
    """Return the fences of sorted values by their definition."""
    found, counts = np.unique(values, return_counts=True)
    common, count = found[counts.argmax()], counts.max()
    others = values[values != common] if count > max(1, values.size / 4) else values
    if others.size == 0:
        return common, common
    quarter = (others.size - 1) // 4
    first, third = others[quarter], others[-1 - quarter]
    if first == third:
        return min(common, first), max(common, first)
    return first - 3 * (third - first), third + 3 * (third - first)


@pytest.mark.parametrize("seed", range(20))
def test_fences_of_many_columns_are_those_of_each(seed):
    random = np.random.default_rng(seed)
    columns = np.sort(random.integers(0, random.integers(1, 20), (30, random.integers(1, 15))), axis=1)
    expected = [fences_of_one_column(column) for column in columns.astype(float)]
    assert find_fences(columns.astype(float)).T.tolist() == [list(pair) for pair in expected]


def fences(values):
    """Return the fences of one column."""
    return tuple(find_fences(values[None])[:, 0].tolist())


@pytest.mark.parametrize("n_features", [1, 7])
@pytest.mark.parametrize("margin", [1e-4, 1e-7])
def test_a_box_is_widened_no_more_than_rounding_needs(n_features, margin):
    """An outlier far below, one far above, a column far from 0, an outlier across 0: just wide enough."""
    X = np.tile(RANDOM.normal(size=300)[:, None], (1, n_features))
    limit = margin / (8 * n_features * np.finfo(float).eps)
    for shift in ("below", "above", "offset", "across"):
        rows = X.copy()
        if shift == "offset":
            rows[:, 0] += 1e16
        elif shift == "across":
            rows[:, 0] = np.append(1e17, np.arange(299.0) * 16 - 1e17)  # the box is at the other end
        else:
            rows[0, 0] = -1e17 if shift == "below" else 1e17
        scaling = fit_robust_scaling(rows, margin)
        unit = scaling.apply(rows)
        # the largest coordinate and the largest value by the span: the larger one meets its limit
        by_span = np.abs(rows[:, 0]).max() / (2 * scaling.half_span[0])
        assert max(np.abs(unit[:, 0]).max(), by_span) == pytest.approx(limit, rel=2e-3)
        assert scaling.low[0] >= rows[:, 0].min()
        # other columns stay as they are
        assert np.array_equal(scaling.high[1:], UnitScaling.fit(X).high[1:])


def test_a_constant_column_is_not_widened():
    assert box([1e17] * 5) == (1e17, 1e17)
    assert box([0.0, 5e-324]) == (0.0, 5e-324)


def test_of_many_rows_the_quartiles_are_those_of_an_even_sample(monkeypatch):
    from oddlearn.problem import robust_scaling

    values = np.arange(1001.0)
    values[500] = 1e6
    everything = box(values)
    monkeypatch.setattr(robust_scaling, "MAX_QUARTILE_ROWS", 101)
    low, high = box(values)
    # rows 0, 10, ..., 1000: quartiles 250 and 750 (row 500 is the outlier), smallest and largest of all rows
    assert (low, high) == (0.0, 760.0 + 3 * (760.0 - 250.0))
    assert everything == (0.0, 751.0 + 3 * (751.0 - 250.0))


def test_quartiles_are_without_the_common_value_from_a_quarter_of_the_rows_on():
    few = np.sort(np.append(np.arange(75.0), [100.0] * 25))  # 25 of 100: not too common
    assert fences(few) == (24.0 - 3 * 76.0, 100.0 + 3 * 76.0)
    many = np.sort(np.append(np.arange(75.0), [100.0] * 26))
    assert fences(many) == (18.0 - 3 * 38.0, 56.0 + 3 * 38.0)
    assert fences(np.array([3.0])) == (3.0, 3.0)
    # others without spread: the two values, in either order
    assert fences(np.array([1.0] * 5 + [2.0] * 90)) == (1.0, 2.0)
    assert fences(np.array([1.0] * 90 + [2.0] * 5)) == (1.0, 2.0)
