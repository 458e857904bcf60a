"""Wide tables: columns scanned against brute force, columns chosen, the best single split, and the search."""

import itertools

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier, verify
from oddlearn.diagram.routing import costs_to_go, route_reference
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.row_passes import project_diagram, restore_features, used_features
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram import column_choice, wide_search, wide_stump
from oddlearn.solve.histogram.column_choice import (
    ColumnChoice,
    count_columns,
    rank_by_turns,
)
from oddlearn.solve.histogram.column_scan import RowGroup, find_best_split, scan_columns
from oddlearn.solve.histogram.solver import HistogramSearch
from oddlearn.solve.histogram.wide_search import WideSearch, is_wide
from oddlearn.solve.histogram.wide_stump import WideStump, find_wide_stump
from oddlearn.solve.large_tables import is_large_or_wide
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.table.column_medians import column_blocks
from oddlearn.table.groups import SampleGroups
from tests.solve.histogram.raw_tables import bin_all, random_diagram, raw_problem
from tests.solve.histogram.test_large_bounds import least_stump

ITERATIONS = 30


def wide_problem(seed=0, n_rows=80, n_features=130, missing=0.02):
    """Return a wide problem whose classes two of its columns decide."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_features))
    codes = ((X[:, 7] > 0.1) ^ (X[:, 90] > 0)).astype(int)
    X[random.random(X.shape) < missing] = np.nan
    groups = SampleGroups(codes, np.ones(n_rows), (0, 1))
    data = LargeData(MemoryRows.from_arrays(X, codes, None), 1 - np.eye(2), groups)
    return build_problem(data, Skeleton((1, 2, 3)), 0.01, "univariate")


def slow_costs(X, group):
    """Return the least cost of a split of a group along each column, by trying every one of them."""
    least = []
    for column in X.T:
        key, cost = column[group.is_member], group.cost[group.is_member]
        found = [np.inf]
        for fill in (-np.inf, np.inf):
            values = np.where(np.isnan(key), fill, key)
            for value in np.unique(values)[1:]:
                side = values >= value
                found.append(cost[side].sum(axis=0).min() + cost[~side].sum(axis=0).min())
        least.append(min(found))
    return np.array(least)


@pytest.mark.parametrize("seed", range(12))
def test_scanned_columns_cost_what_every_threshold_costs(seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (40, 9)).astype([np.float64, np.float32][seed % 2])
    X[random.random(X.shape) < 0.15 * (seed % 3)] = np.nan
    X[:, 3] = 1.0
    rows = np.sort(random.choice(40, 25 + 15 * (seed % 2), replace=False))
    groups = [RowGroup(random.random(rows.size) < share, random.random((rows.size, 3))) for share in (0.5, 2)]
    found = scan_columns(X, rows, groups)
    for own, group in zip(found, groups, strict=True):
        assert own == pytest.approx(slow_costs(X[rows], group))


def test_a_scan_that_is_stopped_returns_nothing():
    everybody = RowGroup(np.ones(5, dtype=bool), np.ones((5, 2)))
    assert scan_columns(np.zeros((5, 2)), np.arange(5), [everybody], lambda: True) is None


@pytest.mark.parametrize("seed", range(12))
def test_the_best_threshold_costs_what_the_scan_says(seed):
    problem = raw_problem(seed)
    data, cost = problem.data, problem.data.class_weight @ problem.cost_matrix
    everybody = RowGroup(np.ones(data.n_rows, dtype=bool), cost)
    costs = scan_columns(data.X, np.arange(data.n_rows), [everybody])[0]
    for feature in range(3):
        split, classes, value = find_best_split(data.X, feature, cost)
        side = split.side(data.X)
        routed = cost[side, classes[1]].sum() + cost[~side, classes[0]].sum()
        assert value == pytest.approx(costs[feature]) and routed == pytest.approx(value)
    assert find_best_split(np.ones((4, 1)), 0, np.ones((4, 2))) is None


@pytest.mark.parametrize("seed", range(8))
def test_the_best_single_split_of_a_wide_table_is_that_of_brute_force(seed):
    problem = raw_problem(seed)
    stump = find_wide_stump(problem.data, Budget.of(None))
    assert stump.is_complete and stump.cost == pytest.approx(least_stump(problem))


def test_the_best_single_split_is_a_bound_and_an_incumbent_and_said_to_be_skipped_without_time():
    problem = wide_problem()
    after = WideStump().run(SolveState.initial(problem), Budget.of(None), ignore)
    assert after.bounds.cost[0] == pytest.approx(after.evaluation.cost) and after.diagram.n_nodes == 1
    assert [entry.solver for entry in after.evidence] == ["best_stump"]
    late = WideStump().run(SolveState.initial(problem), Budget.of(0.0), ignore)
    assert [entry.status for entry in late.evidence] == ["skipped"] and late.bounds.cost[0] == 0
    assert WideStump().unsupported_reasons(problem) == []
    assert "wide tables and univariate splits only" in WideStump().unsupported_reasons(raw_problem(0))[0]


@pytest.mark.parametrize("seed", range(6))
def test_costs_from_the_root_are_those_of_the_diagram(seed):
    problem = raw_problem(seed)
    diagram = random_diagram(problem, bin_all(problem), seed).to_diagram(problem, bin_all(problem))
    cost = problem.data.class_weight @ problem.cost_matrix
    costs = costs_to_go(diagram, np.asarray(problem.data.X, dtype=np.float64), cost)
    assert costs[0].sum() == pytest.approx(evaluate(problem, diagram).cost)
    assert np.array_equal(np.column_stack(costs[diagram.n_nodes :]), cost)


@pytest.mark.parametrize("seed", range(6))
def test_groups_are_the_rows_at_nodes_and_on_arcs_that_may_lead_to_new_nodes(seed):
    problem = raw_problem(seed)
    diagram = random_diagram(problem, bin_all(problem), seed).to_diagram(problem, bin_all(problem))
    block = problem.data.source.take(slice(None))
    choice = ColumnChoice.of_block(problem, block, seed)
    groups = choice._list_groups(diagram)
    reached = route_reference(diagram, np.asarray(block.X, dtype=np.float64)).reached
    members = [group.is_member.tolist() for group in groups]
    assert all(column.tolist() in members for column in reached.T)
    assert len(choice._list_groups(best_constant(problem))) == 1


def test_each_group_chooses_in_turn():
    costs = np.array([[1.0, 2.0, 3.0, 4.0], [9.0, 8.0, 7.0, 6.0]])
    assert set(rank_by_turns(costs)[:2].tolist()) == {0, 3}


def test_the_columns_of_the_diagram_are_chosen_and_some_at_random():
    problem = wide_problem()
    choice = ColumnChoice.of_block(problem, problem.data.source.take(slice(None)), 0)
    start = WideStump().run(SolveState.initial(problem), Budget.of(None), ignore).diagram
    first, later = (choice.choose(start, 20, number) for number in (0, 1))
    assert len(first) == len(later) == len(set(later.tolist())) == 20
    assert set(used_features(start).tolist()) <= set(first.tolist()) & set(later.tolist())
    assert len(set(later.tolist()) & set(first.tolist())) >= 15
    assert choice.choose(start, 500, 1).tolist() == list(range(130))
    assert choice.choose(start.with_splits(start.splits), 5, 1, lambda: True) is not None  # ranked already
    anew = ColumnChoice.of_block(problem, problem.data.source.take(slice(None)), 0)
    assert anew.choose(start, 5, 1, lambda: True) is None


def test_fewer_columns_are_searched_the_more_rows_there_are_and_the_less_time_is_left():
    assert count_columns(2_000, np.inf) == 150
    assert count_columns(2_000, 0.4) == 100
    assert count_columns(1_000_000, 10.0) == column_choice.MIN_SEARCHED_COLUMNS


def test_a_diagram_on_some_features_is_restored_on_all():
    problem = wide_problem()
    diagram = WideStump().run(SolveState.initial(problem), Budget.of(None), ignore).diagram
    features = np.array([3, *used_features(diagram).tolist(), 129])
    own = project_diagram(diagram, features)
    assert restore_features(own, features, 130) == diagram
    assert restore_features(own, None, 3) == own


def test_the_search_finds_the_columns_that_decide_and_emits_what_it_finds():
    problem, heard = wide_problem(missing=0.0), []
    found = WideSearch(problem, problem.data, 0, 1).run(None, Budget.of(None), heard.append)
    assert evaluate(problem, found.diagram).cost == 0
    assert {7, 90} <= set(used_features(found.diagram).tolist())
    objectives = [event.objective for event in heard]
    assert objectives == sorted(objectives, reverse=True)
    assert found.iterations > 0 and not found.interrupted


def test_the_search_is_repeated_with_the_same_seed_and_ends_with_its_iterations_or_its_time():
    problem = wide_problem(3)
    one, two = (
        WideSearch(problem, problem.data, 5, 1).run(None, Budget.of(None, ITERATIONS), ignore) for _ in "12"
    )
    assert one.diagram == two.diagram and one.iterations == two.iterations <= ITERATIONS
    assert WideSearch(problem, problem.data, 5, 1).run(None, Budget.of(0.0), ignore).diagram is None


def test_a_start_is_kept_unless_something_better_is_found():
    problem = wide_problem(1)
    start = WideStump().run(SolveState.initial(problem), Budget.of(None), ignore).diagram
    found = WideSearch(problem, problem.data, 0, 1).run(start, Budget.of(None, 3), ignore)
    assert evaluate(problem, found.diagram).objective <= evaluate(problem, start).objective


def test_a_search_that_is_interrupted_returns_what_it_has(monkeypatch):
    problem = wide_problem(1)
    start = WideStump().run(SolveState.initial(problem), Budget.of(None), ignore).diagram

    def interrupt(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(wide_search, "search_sample", interrupt)
    found = WideSearch(problem, problem.data, 0, 1).run(start, Budget.of(None), ignore)
    assert found.interrupted and found.diagram == start


@pytest.mark.parametrize(
    ("split", "n_rows", "n_features", "expected"),
    [
        ("univariate", 2_000, 2_500, True),
        ("univariate", 2_000, 2_499, False),
        ("multivariate", 2_000, 1_000, True),
        ("multivariate", 2_000, 999, False),
        ("multivariate", 20_000, 100, True),
        ("multivariate", 30_000, 99, False),
        ("multivariate", 50_000, 40, True),
        ("univariate", 50_000, 40, True),
        ("univariate", 50_000, 39, False),
    ],
)
def test_large_and_wide_tables_stay_as_they_are(split, n_rows, n_features, expected):
    assert is_large_or_wide(split, n_rows, n_features, 2) == expected


def test_tables_are_wide_by_their_columns():
    assert is_wide(wide_problem()) and not is_wide(wide_problem(n_features=99))
    result = HistogramSearch().run(SolveState.initial(wide_problem()), Budget.of(None, ITERATIONS), ignore)
    assert result.evaluation.cost < SolveState.initial(wide_problem()).evaluation.cost


@pytest.mark.parametrize("has_missing", [False, True])
def test_a_fit_of_a_wide_table_is_verified_and_names_the_single_split(has_missing, monkeypatch):
    monkeypatch.setattr("oddlearn.solve.large_tables.WIDE_CELLS", 10_000)
    problem = wide_problem(2, missing=0.05 * has_missing)
    X, y = problem.data.X, problem.data.source.codes
    model = OptimalDecisionDiagramClassifier("1-2-3", alpha=0.01, max_iter=ITERATIONS, random_state=0)
    model.fit(X, y)
    assert verify(model, X, y).objective == pytest.approx(model.certificate_.objective)
    assert model.score(X, y) > 0.7
    assert wide_stump.FOUND in [entry.text for entry in model.certificate_.evidence]


def test_blocks_of_columns_bound_the_values_that_are_sorted_at_once():
    widths = [block.stop - block.start for block in column_blocks(2_000, 5_000)]
    assert max(widths) * 2_000 <= 200_000
    assert list(itertools.accumulate(widths))[-1] == 5_000
