"""Limits of size and time that were measured, from both sides: what is beyond is left out or sampled."""

from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve import large_tables, single_node_check
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.greedy_tree import GreedyTree
from oddlearn.solve.construct.logistic_start import LogisticStart
from oddlearn.solve.feasibility import minimal_infeasible_subset
from oddlearn.solve.local_search.solver import _divide_budget, _is_large
from oddlearn.solve.root_bounds import solver as root_bounds
from oddlearn.solve.schedule import AutoSchedule, RuleCondition, SolverRule, build_schedule, has_time
from oddlearn.solve.state import SolveState
from oddlearn.solve.step import LoopStatus, SearchShare, TimeShare
from tests.fakes import FixedExact, FixedSearch

FOREVER = Budget.of(None)


def make_problem(n_rows=10, n_features=2, split="univariate", skeleton="1-2"):
    X = np.column_stack([np.linspace(0, 1, n_rows)] * n_features)
    data = TrainingData.collect(X, np.arange(n_rows) % 2, 2)
    return build_problem(data, Skeleton.parse(skeleton), 0.1, split)


def sized(n_rows, n_features, split="univariate", **more):
    """Return what has a size, and no rows."""
    X = SimpleNamespace(size=n_rows * n_features)
    data = SimpleNamespace(n_rows=n_rows, n_features=n_features, X=X, is_merged=True, n_classes=2)
    return SimpleNamespace(data=data, split=split, rows=(), skeleton=Skeleton.parse("1-2"), **more)


@pytest.mark.parametrize(("seconds", "is_begun"), [(0.24, False), (0.26, True)])
def test_an_exact_solver_begins_with_a_quarter_of_a_second_left(clock, seconds, is_begun):
    status = LoopStatus(SolveState.initial(make_problem()), Budget.of(seconds))
    assert (has_time(status) is None) == is_begun
    rule = SolverRule("any", "univariate", max_cells=10**9, cells_per_second=10**9)
    assert (RuleCondition(rule, FixedExact())(status) is None) == is_begun


def due_steps(problem, work=0.0, split="multivariate", bound=None, diagram=None):
    """Return the names of the steps of "auto" that are due after so much work, with an incumbent."""
    budget = Budget.of(10.0)
    budget.spend(work)
    schedule = build_schedule(split, replace(FixedSearch(), name="local_search"), AutoSchedule(), budget)
    state = replace(SolveState.initial(problem, diagram), resumable={"local_search": "goes on"})
    if bound is not None:
        state = state.tighten(state.bounds.tightened_by_objective(problem, 1, bound))
    status = LoopStatus(state, budget)
    return {step.solver.name for step in schedule.all_steps if step.condition(status) is None}


def test_the_best_single_hyperplane_takes_turns_early_or_while_its_bound_is_the_least(clock):
    problem = make_problem(split="multivariate")
    assert "single_hyperplane" in due_steps(problem, 0.59, bound=0.3)
    assert "single_hyperplane" not in due_steps(problem, 0.61, bound=0.3)
    assert "single_hyperplane" in due_steps(problem, 0.61)


def test_the_best_single_hyperplane_takes_no_early_turns_beside_an_incumbent_of_two_nodes(clock):
    problem = make_problem(split="multivariate")
    low, high = (MultivariateSplit(np.array([1.0, 0.0]), place) for place in (0.05, 0.5))
    one = DecisionDiagram((low,), np.array([1]), np.array([2]), np.array([0]), 2, 2)
    two = DecisionDiagram((low, high), np.array([2, 2]), np.array([1, 3]), np.array([0, 1]), 2, 2)
    assert "single_hyperplane" in due_steps(problem, 0.1, bound=0.3, diagram=one)
    assert "single_hyperplane" not in due_steps(problem, 0.1, bound=0.3, diagram=two)


@pytest.mark.parametrize(
    ("n_rows", "n_classes", "work", "is_due"),
    [(100, 2, 5.0, False), (100, 3, 0.019, False), (100, 3, 0.021, True), (5556, 3, 0.0, True)],
)
def test_the_tree_of_classes_begins_late_or_where_a_turn_of_the_search_takes_long(
    clock, n_rows, n_classes, work, is_due
):
    X = np.column_stack([np.linspace(0, 1, n_rows)] * 30)
    data = TrainingData.collect(X, np.arange(n_rows) % n_classes, n_classes)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.1, "multivariate")
    assert ("class_tree" in due_steps(problem, work)) == is_due
    assert ("separated_classes" in due_steps(problem, work)) == is_due


def test_soft_diagrams_begin_after_twenty_milliseconds_of_work_on_small_tables(clock):
    problem = make_problem(split="multivariate")
    assert "soft_diagrams" not in due_steps(problem, 0.0199)
    assert "soft_diagrams" in due_steps(problem, 0.0201)
    X = np.zeros((34_000, 30))
    X[:, 0] = np.arange(len(X))
    data = TrainingData.collect(X, np.arange(len(X)) % 2, 2)
    large = build_problem(data, Skeleton.parse("1-2"), 0.1, "multivariate")
    assert "soft_diagrams" not in due_steps(large, 0.0201)


def test_greedy_starts_begin_after_twenty_milliseconds_of_work(clock):
    problem = make_problem(split="multivariate")
    greedy = {"greedy_tree", "logistic_regression"}
    assert not greedy & due_steps(problem, 0.0199)
    assert greedy <= due_steps(problem, 0.0201)


@pytest.mark.parametrize(
    ("n_rows", "n_features", "split", "is_searched_on_a_sample"),
    [
        (10_000, 10, "univariate", False),
        (10_001, 10, "univariate", True),
        (20_000, 10, "multivariate", False),
        (20_001, 1, "multivariate", True),
        (20_001, 1, "univariate", True),
    ],
)
def test_large_problems_are_first_searched_on_a_sample(n_rows, n_features, split, is_searched_on_a_sample):
    assert _is_large(sized(n_rows, n_features, split)) == is_searched_on_a_sample


def test_a_sample_has_three_tenths_of_time_and_iterations(clock):
    sample, rest = _divide_budget(Budget.of(10.0, 100))
    assert (sample.max_iter, rest.max_iter) == (30, 70)
    assert sample.remaining() == pytest.approx(3.0) and rest.remaining() == 10.0


@pytest.mark.parametrize(("n_rows", "expected"), [(20_000, ""), (20_001, None)])
def test_tables_of_more_than_twenty_thousand_rows_are_of_medium_size(n_rows, expected):
    problem = sized(n_rows, 2)
    status = SimpleNamespace(state=SimpleNamespace(problem=problem), budget=FOREVER)
    assert large_tables.is_medium_table(status) == expected


@pytest.mark.parametrize(("n_rows", "is_checked"), [(1_000_000, True), (1_000_001, False)])
def test_single_nodes_are_checked_on_two_million_cells(monkeypatch, n_rows, is_checked):
    reached = []
    monkeypatch.setattr(single_node_check, "slots_from_diagram", lambda *given: reached.append(1) or 1 / 0)
    diagram = SimpleNamespace(n_nodes=1)
    with suppress(ZeroDivisionError):
        single_node_check.improve_single_nodes(sized(n_rows, 2), diagram, FOREVER)
    assert bool(reached) == is_checked


def test_the_single_split_has_seven_tenths_of_the_time_of_bounds(clock, monkeypatch):
    given = []

    def bound(problem, budget):
        given.append(budget.remaining())
        return 0.0, None, None

    monkeypatch.setattr(root_bounds, "_bound_single_split", bound)
    root_bounds.compute_root_bounds(make_problem(), 10.0)
    assert given == [pytest.approx(7.0)]


@pytest.mark.parametrize(("seconds", "expected"), [(4.0, 2.0), (10.0, 5.0), (100.0, 5.0)])
def test_each_test_of_constraints_has_half_of_the_time_and_at_most_five_seconds(
    clock, monkeypatch, seconds, expected
):
    given = []
    monkeypatch.setattr(
        "oddlearn.solve.feasibility.is_possible",
        lambda problem, schedule, budget: given.append(budget.remaining()),
    )
    monkeypatch.setattr("oddlearn.solve.feasibility.select_constraints", lambda problem, blocks: problem)
    problem = SimpleNamespace(constraint_blocks=("one",))
    assert minimal_infeasible_subset(problem, None, Budget.of(seconds)) == (("one",), False)
    assert given == [pytest.approx(expected)]


def test_a_greedy_tree_is_trained_on_as_many_rows_as_there_is_time_for(clock):
    problem, tree = sized(10_000, 10), GreedyTree()
    per_row = 1.5e-7 * 10 * 2
    assert tree._select_rows(problem, Budget.of(10_000 * per_row)).size == 10_000
    late = Budget.of(9_000 * per_row)
    clock.now += 4_000.5 * per_row
    assert tree._select_rows(problem, late).size in (4_999, 5_000)
    clock.now += 4_000 * per_row
    assert tree._select_rows(problem, late) is None


@pytest.mark.parametrize(("n_affordable", "n_rows"), [(10_001, 10_000), (5_000.5, 5_000), (999, None)])
def test_a_logistic_start_is_trained_on_as_many_rows_as_there_is_time_for(clock, n_affordable, n_rows):
    budget = Budget.of(n_affordable * 2.5e-7 * 10)
    sampled = LogisticStart()._sample_rows(sized(10_000, 10, "multivariate"), budget)
    assert (sampled is None) if n_rows is None else abs(sampled.sum() - n_rows) <= 1


@pytest.mark.parametrize(
    ("seconds", "objective", "share"),
    [(10.0, 0.5, 0.3), (2.0, 0.5, 0.5), (1.0, 0.5, 0.8), (0.1, 0.5, 0.8), (2.0, 0.2, 0.3), (2.0, 0.201, 0.5)],
)
def test_a_search_far_from_its_bound_has_a_second(clock, seconds, objective, share):
    state = SimpleNamespace(is_feasible=True, objective=objective, lower_bound=0.1)
    status = SimpleNamespace(state=state, budget=Budget.of(seconds))
    assert SearchShare(0.3).fraction_of(status) == pytest.approx(share)


def test_a_share_of_no_end_is_none_of_it():
    assert TimeShare(0.0).seconds(FOREVER) == 0.0
    assert TimeShare(0.5, max_seconds=2.0).seconds(FOREVER) == 2.0
