"""Short weighted sums keep every row on its side, and a fitted model has them."""

from pathlib import Path

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier, verify
from oddlearn.diagram.splits import MultivariateSplit, round_to_digits
from oddlearn.problem import short_sums
from oddlearn.problem.short_sums import MIN_GAP_SHARE, Terms, count_digits, measure_gap, shorten_sum
from tests.stored_texts import compare_text


def shortened(weights, threshold, rows):
    split = MultivariateSplit(np.array(weights, dtype=float), threshold)
    short = shorten_sum(split, rows, split.side(rows))
    assert np.array_equal(short.side(rows), split.side(rows))
    return short


@pytest.mark.parametrize("n_features", [1, 2, 3, 8, 9, 20])
@pytest.mark.parametrize("seed", range(8))
def test_every_row_stays_and_a_part_of_the_gap_is_left(seed, n_features):
    random = np.random.default_rng(seed)
    scale = 10.0 ** random.integers(-3, 4, n_features)
    rows = random.normal(size=(60, n_features)) * scale
    weights = random.normal(size=n_features) / scale
    split = MultivariateSplit(weights, float(np.median(rows @ weights)))
    side = split.side(rows)
    short = shorten_sum(split, rows, side)
    assert np.array_equal(short.side(rows), side)
    before, after = (measure_gap(rows, one.weights, side) for one in (split, short))
    heaviest = np.argmax(np.abs(weights) * np.ptp(rows, axis=0))
    first, last = (abs(one.weights[heaviest]) for one in (split, short))
    # terms left out and weights rounded may each take a half
    assert (after[1] - after[0]) / last >= 0.5 * 0.5 * (before[1] - before[0]) / first * (1 - 1e-9)
    used = short.weights[short.weights != 0]
    assert all(round_to_digits(number, 14) == number for number in [*used, short.threshold])
    assert count_digits(used) < count_digits(weights) or n_features == 1


def describe_short(seed):
    """Return a random weighted sum and the short one of it, as text; the rows have a gap of random width."""
    random = np.random.default_rng(seed)
    n_features = int(random.choice([1, 2, 3, 5, 8, 9, 14]))
    scale = 10.0 ** random.integers(-2, 3, n_features)
    weights = random.normal(size=n_features) * 4.0 ** -random.integers(0, 6, n_features) / scale
    rows = np.round(random.normal(size=(80, n_features)), 3) * scale
    key = rows @ weights
    kept = np.abs(key) > random.choice([0.0, 0.05, 0.3]) * key.std()
    short = shortened(weights, 0.0, rows[kept])
    return f"{short.weights.tolist()} >= {short.threshold!r}"


def test_sums_are_shortened_as_they_were():
    compare_text(Path(__file__).with_name("short_sums.txt"), "\n".join(map(describe_short, range(80))))


@pytest.mark.parametrize(("third", "is_kept"), [(0.0199, False), (0.0205, True)])
def test_terms_that_move_the_sum_by_a_hundredth_at_most_are_left_out(third, is_kept):
    rows = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]])
    assert (shortened([1.0, 1.0, third], 0.7, rows).weights[2] != 0) == is_kept


def test_wide_gaps_give_small_integers():
    random = np.random.default_rng(1)
    rows = random.random((100, 2)) * [30, 40]
    rows = rows[np.abs(rows @ [3, -2] - 5) > 6]
    short = shortened([0.2999876, -0.2000123], 0.5, rows)
    assert short.weights.tolist() in ([3.0, -2.0], [2.0, -1.0], [1.0, -1.0])
    assert short.threshold == round(short.threshold)


def test_a_narrow_gap_keeps_the_digits_it_needs():
    # the two rows next to the plane have sums of 0.987 and 1; with 0.33 they would have 0.987 and 0.99
    rows = np.array([[-5.0, 0.0], [0.987, 0.0], [0.0, 3.0]])
    short = shortened([1.0, 1 / 3], 0.9935, rows)
    assert short.weights.tolist() == [3.0, 1.0]


def test_terms_that_hardly_move_the_sum_are_left_out_unless_they_decide_over_a_row():
    rows = np.random.default_rng(0).random((200, 3))
    rows = rows[np.abs(rows[:, 0] + rows[:, 1] - 1) > 0.05]
    assert shortened([1.0, 1.0, 0.001], 1.0, rows).weights.tolist() == [1.0, 1.0, 0.0]
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.0], [0.5, 1.0]])
    assert np.count_nonzero(shortened([1.0, 0.01], 0.505, rows).weights) == 2


def test_long_sums_keep_half_of_a_gap_that_is_narrow():
    n_long = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        rows, weights = random.random((30, 12)), random.normal(size=12)
        # two rows far from each other, nearly at one height on both sides of the hyperplane
        height = np.sort(rows @ weights)[15]
        gap = 10.0 ** -random.uniform(3.5, 6) * np.abs(weights).max()
        other = random.random(12)
        other += (height + gap - other @ weights) * weights / (weights @ weights)
        rows = np.vstack([rows, other])
        split = MultivariateSplit(weights, float(height + gap / 2))
        terms = Terms.collect(split, rows, split.side(rows))
        (short,) = terms.list_short()
        kept = measure_gap(terms.columns, short, terms.side)
        assert kept is not None and kept[1] - kept[0] >= MIN_GAP_SHARE * terms.gap
        n_long += any(round_to_digits(number, 4) != number for number in short)
    assert n_long > 2  # and more digits than the fewest are needed for that


def test_what_cannot_be_shortened_stays():
    split = MultivariateSplit(np.array([1.23456789, 1.0]), 7.0)
    rows = np.array([[1.0, 2.0], [0.0, 1.0]])
    assert shorten_sum(split, rows, np.array([False, False])) is split
    assert shorten_sum(split, rows[[0, 0]], np.array([False, True])) is split
    with np.errstate(over="ignore"):
        assert shorten_sum(split, rows * 1e308, np.array([False, True])) is split


@pytest.mark.parametrize("seed", range(4))
def test_the_numbers_of_a_fitted_model_are_short_and_those_it_shows(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(80, 3)) * [1, 1000, 0.01]
    y = (X @ [1, 0.001, -100] + random.normal(size=80) / 5 > 0).astype(int)
    model = OptimalDecisionDiagramClassifier("1-2", split="multivariate", max_iter=20, random_state=0)
    model.fit(X, y)
    assert verify(model, X, y).objective == pytest.approx(model.objective_)
    for split in model.diagram_.splits:
        numbers = [*split.weights[split.weights != 0].tolist(), split.threshold]
        assert all(round_to_digits(number, 6) == number for number in numbers)


@pytest.mark.parametrize(("limit", "is_short"), [(6, True), (5, False)])
def test_large_tables_keep_their_sums(limit, is_short, monkeypatch):
    monkeypatch.setattr(short_sums, "MAX_VALUES", limit)
    split = MultivariateSplit(np.array([1.23456789, 0.98765432]), 0.7)
    rows = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    short = shorten_sum(split, rows, split.side(rows))
    assert (short is not split) == is_short


def test_a_sum_of_many_terms_that_no_digits_keep_apart_stays(monkeypatch):
    random = np.random.default_rng(0)
    split = MultivariateSplit(random.normal(size=30), 0.0)
    rows = random.normal(size=(40, 30))
    side = split.side(rows)
    assert shorten_sum(split, rows, side) is not split
    monkeypatch.setattr(short_sums, "SAFE_DIGITS", short_sums.MIN_DIGITS)  # no number of digits is tried
    assert shorten_sum(split, rows, side) is split


def test_the_threshold_lies_in_the_middle_quarter_of_the_gap():
    # numbers of one digit, 0.4 and 0.5, lie in the middle half only
    rows = np.array([[0.31], [0.59]])
    split = MultivariateSplit(np.array([1.0]), 0.5)
    assert 0.415 <= shorten_sum(split, rows, split.side(rows)).threshold <= 0.485
