"""Diagrams of two levels by counts of pairs of columns, against brute force over all of them."""

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.kernels.histogram.pair_counts import count_pairs
from oddlearn.problem.evaluate import evaluate
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram import large_bounds, two_level
from oddlearn.solve.histogram.large_bounds import LargeBounds
from oddlearn.solve.histogram.two_level import TwoLevelSearch, bound_two_levels, build_columns
from oddlearn.solve.state import SolveState
from tests.solve.histogram.raw_tables import raw_problem
from tests.solve.histogram.test_histogram_search import noisy_table, small_is_large  # noqa: F401
from tests.solve.histogram.test_large_bounds import coarse_edges

FOREVER = Budget.of(None)


def posed(seed, values=5, n_rows=50):
    return raw_problem(seed, n_rows=n_rows, widths=(1, 2), values=values)


def list_sides(problem, edges=None):
    """Return the positive rows of every split, at edges if they are given; missing values on either side."""
    sides = []
    for feature, column in enumerate(problem.data.X.T):
        missing = np.isnan(column)
        values = np.unique(column[~missing])
        thresholds = (values[:-1] / 2 + values[1:] / 2) if edges is None else edges[feature]
        for threshold in [*thresholds, -1e9, 1e9]:
            sides += [column >= threshold, (column >= threshold) | missing]
    return np.unique(np.array(sides), axis=0)


def least_costs(problem, edges=None):
    """Return the least cost of all diagrams with at most one, and with at most two nodes below the root."""
    sides = list_sides(problem, edges)
    weight = problem.data.class_weight

    def leaf(rows):
        return float((weight[rows].sum(axis=0) @ problem.cost_matrix).min())

    def best_split(rows):
        return min(leaf(rows & side) + leaf(rows & ~side) for side in sides)

    roots = [(leaf(~side), best_split(~side), leaf(side), best_split(side)) for side in sides]
    one = min(min(a + d, b + c) for a, b, c, d in roots)
    return one, min(b + d for _, b, _, d in roots)


def search_all(problem, edges):
    pairs = TwoLevelSearch.build(problem.data, problem.data.source, edges)
    return pairs, pairs.sum_sides(FOREVER)


@pytest.mark.parametrize("n_edges", [1, 3])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_diagram_at_edges_is_that_of_brute_force(seed, n_edges):
    problem = posed(seed)
    edges = coarse_edges(problem, n_edges)
    pairs, sides = search_all(problem, edges)
    one, two = least_costs(problem, edges)
    for max_children, expected in ((1, one), (2, two)):
        cost, diagram = pairs.build_diagram(sides, 0.0, max_children, np.inf)
        assert cost == pytest.approx(expected, rel=1e-9)
        assert evaluate(problem, diagram).cost == pytest.approx(cost, rel=1e-9)


@pytest.mark.parametrize("n_edges", [1, 3])
@pytest.mark.parametrize("values", [3, 5, 1000])
@pytest.mark.parametrize("seed", range(6))
def test_bounds_are_not_above_any_diagram_between_raw_values(seed, values, n_edges):
    problem = posed(seed, values, n_rows=30)
    pairs, sides = search_all(problem, coarse_edges(problem, n_edges))
    bounds = bound_two_levels(pairs.columns, sides)
    for bound, least in zip(bounds, least_costs(problem), strict=True):
        assert bound <= least * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_are_exact_where_every_value_has_its_bin(seed):
    problem = posed(seed)
    edges = tuple(np.arange(0.5, 4.5) for _ in range(3))
    pairs, sides = search_all(problem, edges)
    assert not any(column.is_divisible.any() for column in pairs.columns)
    assert bound_two_levels(pairs.columns, sides) == pytest.approx(least_costs(problem), rel=1e-9)


def test_a_price_and_a_limit_decide_which_diagram_is_built():
    problem = posed(1)
    pairs, sides = search_all(problem, coarse_edges(problem, 3))
    free = pairs.build_diagram(sides, 0.0, 2, np.inf)
    assert free[1].n_nodes == 3
    assert pairs.build_diagram(sides, problem.total_weight, 2, np.inf)[1].n_nodes == 1
    assert pairs.build_diagram(sides, 0.0, 2, free[0])[1] is None


def test_bins_with_several_values_are_divisible_and_of_many_edges_some_are_taken(monkeypatch):
    problem = posed(0, values=1000)
    rows = problem.data.source
    (column,) = build_columns(rows, 0, np.array([np.sort(rows.X[:, 0])[0] + 0.5]))
    assert column.is_divisible.tolist() == [False, True]
    assert len(list(build_columns(rows, 1, np.array([100.0])))) == 2  # values are missing
    monkeypatch.setattr(two_level, "MAX_PAIR_EDGES", 4)
    pairs = TwoLevelSearch.build(problem.data, rows, coarse_edges(problem, 11))
    assert max(column.n_bins for column in pairs.columns) <= 6


@pytest.mark.parametrize("has_weight", [False, True])
def test_counts_of_pairs_are_those_of_plain_numpy(has_weight):
    random = np.random.default_rng(0)
    one, other, codes = (random.integers(0, most, 200).astype(np.uint8) for most in (4, 7, 3))
    weight = random.integers(1, 9, 200) if has_weight else np.empty(0, dtype=np.int64)
    expected = np.zeros((4, 7, 3), dtype=np.int64)
    np.add.at(expected, (one, other, codes), weight if has_weight else 1)
    counts = np.zeros_like(expected)
    count_pairs(one, other, codes, weight, counts)
    assert np.array_equal(counts, expected)


@pytest.mark.parametrize("seed", range(3))
def test_a_large_fit_of_two_levels_has_the_bound_and_says_so(seed, small_is_large):  # noqa: F811
    X, y = noisy_table(seed, n_rows=180)
    options = {"alpha": 0.02, "random_state": 0, "time_limit": 20.0}
    model = OptimalDecisionDiagramClassifier("1-2", **options).fit(X, y)
    (entry,) = (entry for entry in model.certificate_.evidence if entry.solver == "column_pairs")
    assert "two-level diagram" in entry.text
    assert 0 < entry.bound <= model.objective_
    deep = OptimalDecisionDiagramClassifier("1-2-2", **options).fit(X, y)
    (entry,) = (entry for entry in deep.certificate_.evidence if entry.solver == "column_pairs")
    assert "for two levels" in entry.text


def test_the_best_diagram_at_edges_is_offered():
    problem = posed(1, n_rows=200)
    before = SolveState.initial(problem)
    after = LargeBounds()._bound_two_levels(before, problem.data, FOREVER)
    assert after.objective < before.objective


@pytest.mark.parametrize(
    ("name", "value", "budget", "reason"),
    [
        ("MAX_PAIR_CLASSES", 1, FOREVER, "at most 1 classes"),
        ("SECONDS_PER_COUNT", 1e9, Budget.of(9.0), "takes about"),
    ],
)
def test_pairs_are_skipped_with_a_reason(name, value, budget, reason, monkeypatch):
    monkeypatch.setattr(large_bounds, name, value)
    problem = posed(0)
    after = LargeBounds()._bound_two_levels(SolveState.initial(problem), problem.data, budget)
    assert after.evidence[-1].status == "skipped"
    assert reason in after.evidence[-1].text
