"""Which provers "auto" chooses, and what it says of the others."""

import importlib.util

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.node_count_bounds import Floors
from oddlearn.problem.training_problem import pose
from oddlearn.solve import schedule as planning
from oddlearn.solve.budget import Budget
from oddlearn.solve.schedule import Auto, Choice, plan, smallest_cells
from oddlearn.solve.solver import PROVERS
from tests.fakes import FixedProver

MANY = 10**9
UNIVARIATE = Choice("first", "univariate", 100, MANY), Choice("second", "univariate", 1000, MANY)
SPARE = Choice("spare", "univariate", 10_000, MANY, is_spare=True)
ABSENT = Choice("absent", "univariate", 10_000, MANY, package="no_such_package", extra="some")


def posed(n_rows=10, split="univariate", skeleton="1-2-4"):
    """Ten rows, two features of which one varies."""
    X = np.column_stack([np.linspace(0, 1, n_rows), np.zeros(n_rows)])
    data = TrainingData.collect(X, np.arange(n_rows) % 2, 2)
    return pose(data, Skeleton.parse(skeleton), 0.6, split)


def planned(problem, exact, objective=0.5, budget=None, floors=None):
    floors = Floors(np.zeros(problem.skeleton.n_nodes)) if floors is None else floors
    return plan(problem, exact, floors, objective, Budget.of(10.0) if budget is None else budget)


@pytest.fixture
def choices(monkeypatch):
    """Let a test say what there is to choose from; every prover is a fake of its name."""

    def fake(name):
        objection = "It is Sunday." if name == "pious" else ""
        return lambda seed, n_jobs: FixedProver(name=name, seed=seed, n_jobs=n_jobs, objection=objection)

    monkeypatch.setattr(planning, "prover_class", fake)
    return lambda *given: monkeypatch.setattr(planning, "CHOICES", given)


def names(made):
    return [prover.name for prover in made.provers]


def test_nothing_is_planned_when_nothing_is_asked_for():
    made = planned(posed(), None)
    assert (made.provers, made.evidence(0.1)) == ((), ())


def test_a_prover_that_was_asked_for_is_taken_whatever_the_size(choices):
    choices()
    prover = FixedProver()
    assert planned(posed(100_000), prover).provers == (prover,)


def test_provers_are_tried_in_the_order_of_the_table_with_seed_and_threads(choices):
    choices(*UNIVARIATE, Choice("other", "multivariate", 100, MANY))
    made = planned(posed(), Auto(seed=5, n_jobs=2))
    assert names(made) == ["first", "second"]
    assert {(prover.seed, prover.n_jobs) for prover in made.provers} == {(5, 2)}
    assert names(planned(posed(split="multivariate"), Auto())) == ["other"]


def test_a_problem_too_large_for_a_prover_is_left_to_the_next(choices):
    choices(*UNIVARIATE)
    made = planned(posed(200), Auto())
    assert names(made) == ["second"]
    (said,) = made.evidence(0.25)
    assert (said.engine, said.bound, said.ending) == ("first", 0.25, "not tried")
    assert "has 200 rows x features x nodes, and more than 100 are beyond it" in said.text


def test_more_time_is_worth_larger_problems(choices):
    choices(Choice("steady", "univariate", 10_000, 50))
    assert names(planned(posed(200), Auto(), budget=Budget.of(3.0))) == []
    assert names(planned(posed(200), Auto(), budget=Budget.of(5.0))) == ["steady"]
    assert names(planned(posed(200), Auto(), budget=Budget.of(None))) == ["steady"]
    assert names(planned(posed(20_000), Auto(), budget=Budget.of(None))) == []


def test_what_is_not_installed_is_named_with_its_extra(choices):
    choices(ABSENT)
    (said,) = planned(posed(), Auto()).evidence(0.0)
    assert 'pip install "oddlearn[some]"' in said.text


def test_a_spare_prover_is_tried_only_when_no_other_is(choices):
    choices(UNIVARIATE[0], SPARE)
    assert names(planned(posed(), Auto())) == ["first"]
    assert names(planned(posed(200), Auto())) == ["spare"]


def test_a_prover_that_objects_is_passed_over_in_its_own_words(choices):
    choices(Choice("pious", "univariate", 1000, MANY), SPARE)
    made = planned(posed(), Auto())
    assert names(made) == ["spare"]
    assert made.evidence(0.0)[0].text == "because: It is Sunday."


def test_a_proof_without_time_is_not_begun(choices):
    choices(*UNIVARIATE)
    made = planned(posed(), Auto(), budget=Budget.of(0.01))
    assert (made.provers, made.evidence(0.0)[0].text) == ((), "because too little time was left to begin")
    assert planned(posed(), FixedProver(), budget=Budget.of(0.01)).provers == ()


def test_the_size_is_that_of_the_least_number_of_nodes_that_is_open():
    problem = posed()  # a node costs 0.1
    floors = Floors(np.array([5.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    assert smallest_cells(problem, Floors(np.zeros(7)), 0.5) == 10 * 1 * 1
    # with three nodes the skeleton is cut to 1-2-1
    assert smallest_cells(problem, floors, 0.5) == 10 * 1 * 4
    assert smallest_cells(problem, floors, 0.2) == 0


def test_every_choice_of_the_table_is_a_known_prover():
    assert {choice.name for choice in planning.CHOICES} <= set(PROVERS)
    assert {choice.split for choice in planning.CHOICES} == {"univariate", "multivariate"}


def test_looking_for_a_package_does_not_import_it(monkeypatch, choices):
    looked_for = []
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: looked_for.append(name))
    choices(Choice("first", "univariate", 100, MANY, package="ortools", extra="cpsat"))
    assert planned(posed(), Auto()).provers == ()
    assert looked_for == ["ortools"]
