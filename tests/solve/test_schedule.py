"""Which provers "auto" chooses, and what it says of the others."""

import importlib.util

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve import schedule as planning
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.large_bounds import LargeBounds
from oddlearn.solve.large_tables import add_histogram_step
from oddlearn.solve.schedule import (
    EXACT_SOLVERS,
    AutoSchedule,
    SolverRule,
    build_schedule,
    smallest_cells,
)
from oddlearn.solve.state import SolveState
from oddlearn.solve.step import LoopStatus
from tests.fakes import FixedExact, FixedSearch

MANY = 10**9
UNIVARIATE = SolverRule("first", "univariate", 100, MANY), SolverRule("second", "univariate", 1000, MANY)
SPARE = SolverRule("spare", "univariate", 10_000, MANY, is_spare=True)
ABSENT = SolverRule("absent", "univariate", 10_000, MANY, package="no_such_package", extra="some")


def posed(n_rows=10, split="univariate", skeleton="1-2-4"):
    """Ten rows, two features of which one varies."""
    X = np.column_stack([np.linspace(0, 1, n_rows), np.zeros(n_rows)])
    data = TrainingData.collect(X, np.arange(n_rows) % 2, 2)
    return build_problem(data, Skeleton.parse(skeleton), 0.6, split)


class Selection:
    """The exact solvers that are due, one after the other, and the reasons of the others."""

    def __init__(self, problem, exact, budget=None):
        budget = Budget.of(10.0) if budget is None else budget
        schedule = build_schedule(problem.split, FixedSearch(), exact, budget)
        self.solvers, self.reasons, spent = [], list(schedule.skipped), {}
        names = {rule.name for rule in planning.RULES} | {getattr(exact, "name", "")}
        for step in schedule.all_steps:
            if not step.is_exact or step.solver.name not in names:
                continue
            reason = step.condition(LoopStatus(SolveState.initial(problem), budget, spent))
            if reason is None:
                self.solvers.append(step.solver)
                spent[step.solver.name] = budget
            elif reason:
                self.reasons.append((step.solver.name, reason))


def planned(problem, exact, budget=None):
    return Selection(problem, exact, budget)


@pytest.fixture
def choices(monkeypatch):
    """Let a test say what there is to choose from; every prover is a fake of its name."""

    def fake(name):
        objection = "It is Sunday." if name == "pious" else ""
        return lambda: FixedExact(name=name, objection=objection)

    monkeypatch.setattr(planning, "solver_class", fake)
    everything = {name: name for name in ("first", "second", "spare", "absent", "other", "steady", "pious")}
    monkeypatch.setattr(planning, "EXACT_SOLVERS", everything)
    return lambda *given: monkeypatch.setattr(planning, "RULES", given)


def names(made):
    return [solver.name for solver in made.solvers]


def test_nothing_is_planned_when_nothing_is_asked_for():
    made = planned(posed(), None)
    assert (made.solvers, made.reasons) == ([], [])


def test_a_prover_that_was_asked_for_is_taken_whatever_the_size(choices):
    choices()
    prover = FixedExact()
    assert planned(posed(100_000), prover).solvers == [prover]


def test_provers_are_tried_in_the_order_of_the_table_with_seed_and_threads(choices):
    choices(*UNIVARIATE, SolverRule("other", "multivariate", 100, MANY))
    made = planned(posed(), AutoSchedule(seed=5, n_jobs=2))
    assert names(made) == ["first", "second"]
    assert {(prover.seed, prover.n_jobs) for prover in made.solvers} == {(5, 2)}
    assert names(planned(posed(split="multivariate"), AutoSchedule())) == ["other"]


def test_a_problem_too_large_for_a_prover_is_left_to_the_next(choices):
    choices(*UNIVARIATE)
    made = planned(posed(200), AutoSchedule())
    assert names(made) == ["second"]
    ((name, reason),) = made.reasons
    assert name == "first"
    assert "has 200 rows x features x nodes, and more than 100 are beyond it" in reason


def test_more_time_is_worth_larger_problems(choices):
    choices(SolverRule("steady", "univariate", 10_000, 50))
    assert names(planned(posed(200), AutoSchedule(), budget=Budget.of(3.0))) == []
    assert names(planned(posed(200), AutoSchedule(), budget=Budget.of(5.0))) == ["steady"]
    assert names(planned(posed(200), AutoSchedule(), budget=Budget.of(None))) == ["steady"]
    assert names(planned(posed(20_000), AutoSchedule(), budget=Budget.of(None))) == []


def test_what_is_not_installed_is_named_with_its_extra(choices):
    choices(ABSENT)
    ((_, reason),) = planned(posed(), AutoSchedule()).reasons
    assert 'pip install "oddlearn[some]"' in reason


def test_a_spare_prover_is_tried_only_when_no_other_is(choices):
    choices(UNIVARIATE[0], SPARE)
    assert names(planned(posed(), AutoSchedule())) == ["first"]
    assert names(planned(posed(200), AutoSchedule())) == ["spare"]


def test_a_prover_that_objects_is_passed_over_in_its_own_words(choices):
    choices(SolverRule("pious", "univariate", 1000, MANY), SPARE)
    made = planned(posed(), AutoSchedule())
    assert names(made) == ["spare"]
    assert made.reasons == [("pious", "because: It is Sunday.")]


def test_a_proof_without_time_is_not_begun(choices):
    choices(*UNIVARIATE)
    made = planned(posed(), AutoSchedule(), budget=Budget.of(0.01))
    assert (made.solvers, made.reasons[0][1]) == ([], "because too little time was left to begin")
    assert planned(posed(), FixedExact(), budget=Budget.of(0.01)).solvers == []


def test_the_size_is_that_of_the_least_number_of_nodes_that_is_open():
    problem = posed()  # a node costs 0.1
    state = SolveState.initial(problem)  # the constant has an objective of 0.5
    assert smallest_cells(state) == 10 * 1 * 1
    # with three nodes the skeleton is cut to 1-2-1
    bounds = NodeCountBounds(np.array([5.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    assert smallest_cells(state.tighten(bounds)) == 10 * 1 * 4
    assert smallest_cells(state.tighten(NodeCountBounds(np.full(7, 5.0)))) == 0


def test_every_rule_of_the_table_is_of_a_known_solver():
    assert {choice.name for choice in planning.RULES} <= set(EXACT_SOLVERS)
    assert {choice.split for choice in planning.RULES} == {"univariate", "multivariate"}


def test_looking_for_a_package_does_not_import_it(monkeypatch, choices):
    looked_for = []
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: looked_for.append(name))
    choices(SolverRule("first", "univariate", 100, MANY, package="ortools", extra="cpsat"))
    assert planned(posed(), AutoSchedule()).solvers == []
    assert looked_for == ["ortools"]


@pytest.mark.parametrize("has_proofs", [False, True])
def test_groups_of_rows_are_for_fits_with_proofs(has_proofs):
    usual = build_schedule("univariate", FixedSearch(), None, Budget.of(10.0))
    schedule = add_histogram_step(usual, FixedSearch(), has_proofs=has_proofs)
    assert schedule.steps[3].solver == LargeBounds(0, uses_groups=has_proofs)
