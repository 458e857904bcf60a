"""Steps of the search of large tables that have no time, no use or no rows: they leave what there was."""

from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.problem import TrainingData
from oddlearn.problem.scaling import centre_thresholds
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram import large_bounds
from oddlearn.solve.histogram.best_large_stump import find_large_stump
from oddlearn.solve.histogram.candidates import CandidateSearch
from oddlearn.solve.histogram.hyperplane_search import HyperplaneSearch
from oddlearn.solve.histogram.large_bounds import LargeBounds, bound_by_groups, bound_group
from oddlearn.solve.histogram.node_regressions import _join_bits, _newton_step, _split_bits, to_raw_weights
from oddlearn.solve.histogram.projected_rows import problem_rows, sample_weight
from oddlearn.solve.histogram.sample_search import UnitSample
from oddlearn.solve.histogram.solver import HistogramSearch
from oddlearn.solve.histogram.stump_columns import _split_at
from oddlearn.solve.local_search.solver import SearchResult
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from tests.solve.histogram.raw_tables import FOREVER, bin_all, raw_problem, start_polish

LATE = Budget.of(0.0)


def small_problem(split="univariate"):
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    data = TrainingData.collect(X, np.array([0, 0, 1, 1]), 2)
    return build_problem(data, Skeleton((1, 2)), 0.1, split)


@pytest.mark.parametrize("missing_positive", [False, True])
def test_a_split_before_the_first_or_after_the_last_bin_divides_missing_values_alone(missing_positive):
    edges, values = np.array([1.0, 2.0]), np.array([[-5.0], [1.5], [9.0], [np.nan]])
    for edge, n_below in ((0, 0), (1, 1), (2, 2), (3, 3)):
        split = _split_at(0, edges, edge, missing_positive)
        wanted = [place >= n_below for place in range(3)] + [missing_positive]
        assert split.side(values).tolist() == wanted


def test_bounds_have_nothing_to_say_of_other_problems():
    for problem in (small_problem(), small_problem("multivariate")):
        state = SolveState.initial(problem)
        assert LargeBounds().unsupported_reasons(problem)
        assert LargeBounds().run(state, FOREVER, ignore) is state
    assert LargeBounds().unsupported_reasons(raw_problem(0)) == []


def test_without_time_for_a_pass_there_is_no_best_split():
    problem = raw_problem(1)
    edges = tuple(np.array([1.0]) for _ in range(3))
    assert find_large_stump(problem.data, edges, LATE) is None
    assert find_large_stump(problem.data, edges, FOREVER) is not None


def test_a_pass_that_ends_early_leaves_the_bounds_as_they_were(monkeypatch):
    state = SolveState.initial(raw_problem(1))
    monkeypatch.setattr(large_bounds, "find_large_stump", lambda *given: None)
    after = LargeBounds(uses_groups=False).run(state, Budget.of(60.0), ignore)
    assert after is state


def test_the_best_split_is_offered_and_its_cost_bounds_one_node():
    for seed in range(6):
        problem = raw_problem(seed)
        state = SolveState.initial(problem)
        after = LargeBounds(uses_groups=False).run(state, Budget.of(60.0), ignore)
        stump = find_large_stump(problem.data, tuple(np.arange(0.5, 4) for _ in range(3)), FOREVER)
        assert after.bounds.cost[0] == pytest.approx(stump.cost)
        assert after.evaluation.cost == pytest.approx(min(stump.cost, state.evaluation.cost))
        assert len(after.evidence) == len(state.evidence) + 1


def test_groups_end_when_interrupted_out_of_time_or_without_a_bound(monkeypatch):
    monkeypatch.setattr(large_bounds, "GROUP_ROWS", 25)
    monkeypatch.setattr(large_bounds, "MAX_GROUP_NODES", 99)
    state = SolveState.initial(raw_problem(1, n_rows=90))
    budgets = []

    def bounds_of(*costs):
        left = list(costs)

        def bound(state, rows, seed, budget):
            budgets.append((rows.tolist(), budget.remaining()))
            return left.pop(0)

        return bound

    n_nodes = state.problem.skeleton.n_nodes
    good = np.full(n_nodes, 2.0)
    monkeypatch.setattr(large_bounds, "bound_group", bounds_of(good, good, good, good))
    after = bound_by_groups(state, 90, 0, Budget.of(60.0))
    assert after.bounds.cost[1] == 8.0 and "4 of 4" in after.evidence[-1].text
    assert sorted(row for rows, _ in budgets for row in rows) == list(range(90))
    assert budgets[0][0] == list(range(0, 90, 4))
    assert [round(60 / seconds) for _, seconds in budgets] == [4, 3, 2, 1]  # an equal share of what is left

    monkeypatch.setattr(large_bounds, "bound_group", bounds_of(good, None))
    assert bound_by_groups(state, 90, 0, Budget.of(60.0)).interrupted

    monkeypatch.setattr(large_bounds, "bound_group", bounds_of(np.append(2.0, np.zeros(n_nodes - 1)), good))
    after = bound_by_groups(state, 90, 0, Budget.of(60.0))
    assert "1 of 4" in after.evidence[-1].text
    monkeypatch.setattr(large_bounds, "MIN_GROUP_SECONDS", 0.0)
    monkeypatch.setattr(large_bounds, "bound_group", bounds_of())
    after = bound_by_groups(state, 90, 0, Budget.of(0.0))
    assert "0 of 4" in after.evidence[-1].text and not after.bounds.cost.any()


def test_a_group_that_the_branch_and_bound_refuses_has_no_bound(monkeypatch):
    state = SolveState.initial(raw_problem(1))
    monkeypatch.setattr(
        large_bounds.BranchAndBound, "unsupported_reasons", lambda self, problem: ["It is too large."]
    )
    found = bound_group(state, np.arange(20), 0, FOREVER)
    assert found.tolist() == [0.0] * state.problem.skeleton.n_nodes


def test_a_layer_without_time_is_left_as_it_is():
    problem = raw_problem(1)
    polish = start_polish(problem, bin_all(problem), 1)
    before = polish.diagram.copy()
    assert polish.improve_layer(0, LATE) is None
    assert polish.run(LATE) is False
    assert np.array_equal(before.child, polish.diagram.child)
    assert polish.run(FOREVER) is True


@pytest.mark.parametrize(
    ("gradient", "expected"),
    [([0.5, -0.5], [0.5, -0.5]), ([10.0, 5.0], [5.0, 2.5]), ([-5.0, 0.0], [-5.0, 0.0])],
)
def test_a_long_step_is_shortened(gradient, expected):
    assert _newton_step(np.array(gradient), np.eye(2), np.ones(2, dtype=bool)) == pytest.approx(expected)


def test_a_step_that_is_not_finite_is_left_out(monkeypatch):
    monkeypatch.setattr(np.linalg, "lstsq", lambda *given, **options: (np.array([np.inf, 1.0]),))
    assert _newton_step(np.ones(2), np.eye(2), np.ones(2, dtype=bool)).tolist() == [0.0, 0.0]


def test_integers_in_two_parts_are_put_together_again():
    values = np.array([0.0, 1.0, -1.0, 2.0**40 + 3, -(2.0**50) + 7])
    assert _join_bits(_split_bits(values)).tolist() == values.tolist()
    both = _split_bits(values) + _split_bits(values[::-1])
    assert _join_bits(both).tolist() == (values + values[::-1]).tolist()


def test_nodes_without_a_direction_have_no_weights():
    standard = type("Standard", (), {"scale": np.array([2.0, 4.0])})()
    coefficients = np.array([[0.0, 0.0, 3.0], [np.nan, 1.0, 0.0], [0.5, -1.0, 9.0], [1.0, 0.25, 0.0]])
    # per unit of the raw feature, and the heaviest term weighs 1
    assert to_raw_weights(coefficients, standard).tolist() == [[1.0, -1.0], [1.0, 0.125]]


def test_rows_of_a_problem_carry_their_flows():
    large, flow = raw_problem(1), np.arange(60.0)
    assert problem_rows(large, np.empty(0)) is large.data.source
    assert problem_rows(large, flow).flow is flow
    merged = small_problem()
    rows = problem_rows(merged, np.empty(0))
    assert (rows.weight.tolist(), rows.flow, rows.cost.tolist()) == ([1] * 4, None, merged.cost.tolist())
    assert problem_rows(merged, np.arange(4.0)).flow.tolist() == [0, 1, 2, 3]
    assert sample_weight(rows) == 4.0
    assert sample_weight(type("Rows", (), {"n_rows": 7})()) == 7.0


def test_a_search_without_time_returns_nothing():
    assert HistogramSearch().search(raw_problem(1), None, LATE, ignore) == SearchResult(None)


def test_the_search_refuses_what_it_cannot_take():
    reasons = HistogramSearch().unsupported_reasons
    assert reasons(raw_problem(0)) == [] == reasons(small_problem())
    (sentence,) = reasons(small_problem("multivariate"))
    assert sentence.startswith('The search "histogram" takes multivariate splits without a given epsilon')


def test_without_time_a_hyperplane_is_not_searched():
    large = replace(raw_problem(1), split="multivariate")
    search = HyperplaneSearch(large, large.data, 0, 1)
    search.keep_candidate()  # before there is one
    assert search.best is None
    state = SolveState.initial(large)
    assert HistogramSearch().run(state, LATE, ignore) is state


def test_a_diagram_without_nodes_is_no_hyperplane():
    problem = raw_problem(1, values=50)
    problem = replace(problem, data=type(problem.data)(filled(problem.data.source), problem.data.cost_matrix))
    sample = UnitSample.take(replace(problem, split="multivariate"), np.arange(0, 60, 2))
    assert sample.weight.sum() == pytest.approx(problem.data.source.weight[::2].sum())
    constant = DecisionDiagram.constant(0, problem.data.n_classes, 3)
    assert sample.list_raw([constant]) == []


def filled(source):
    return replace(source, X=np.nan_to_num(source.X, nan=0.0))


def test_thresholds_at_an_end_of_the_values_stay():
    problem = raw_problem(1)
    arcs = (np.array([1]), np.array([2]), np.array([0]))
    n_classes = problem.data.n_classes
    beyond = DecisionDiagram((UnivariateSplit(0, 99.0, True),), *arcs, n_classes, 3)
    assert centre_thresholds(beyond, problem.data).splits[0].threshold == 99.0
    inside = DecisionDiagram((UnivariateSplit(0, 1.01, True),), *arcs, n_classes, 3)
    assert 1.25 <= centre_thresholds(inside, problem.data).splits[0].threshold <= 1.75
    constant = DecisionDiagram.constant(0, n_classes, 3)
    assert centre_thresholds(constant, problem.data) is constant


def test_a_candidate_that_there_was_no_time_to_compare_is_last():
    problem = raw_problem(1)
    search = CandidateSearch(problem, 0, 1)
    diagram = DecisionDiagram.constant(0, problem.data.n_classes, 3)
    search.add(diagram, LATE)
    assert [one.objective for one in search.found] == [np.inf]
    search.add(diagram, FOREVER)
    assert np.isfinite(search.found[0].objective) and search.found[1].objective == np.inf


def test_classes_are_bytes():
    limit = 250
    for n_classes in (limit, limit + 1):
        data = TrainingData.collect(np.arange(float(n_classes))[:, None], np.arange(n_classes), n_classes)
        problem = build_problem(data, Skeleton((1,)), 0.1, "univariate")
        reasons = HistogramSearch().unsupported_reasons(problem)
        assert [f"at most {limit} classes" in reason for reason in reasons] == [True] * (n_classes > limit)
