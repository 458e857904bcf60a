"""Provers in training: what they share, when they run, and what becomes of what they find."""

import math

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.errors import BrokenProofError, UnsupportedError
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.events import Bounded, Improved
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.schedule import AutoSchedule
from tests.fakes import FixedExact, FixedSearch, train

SECONDS = 5.0


def stripes(split="univariate", skeleton="1-1", alpha=0.1):
    """Classes 0 1 0 1 0 along one feature: 2 errors with one node, 1 with two; the free bounds say 0."""
    data = TrainingData.collect(np.linspace(0, 1, 5)[:, None], np.array([0, 1, 0, 1, 0]), 2)
    return build_problem(data, Skeleton.parse(skeleton), alpha, split, 1e-4)


def two_splits(first=0.125, second=0.875):
    """Class 0 at both ends, 1 between: an objective of 1 / 5 and the price of a node."""
    splits = (UnivariateSplit(0, first), UnivariateSplit(0, second))
    return DecisionDiagram(splits, [2, 3], [1, 2], [0, 1], 2, 1)


def test_a_prover_closes_the_gap_that_the_free_bounds_left():
    heard = []
    engine, prover = FixedSearch(two_splits()), FixedExact(bound=0.3)
    trained = train(stripes(), engine, Budget.of(SECONDS), heard.append, prover)
    assert trained.lower_bound == evaluate(stripes(), trained.diagram).objective == pytest.approx(0.3)
    assert [proof.solver for proof in trained.evidence] == ["class_count", "best_stump", "fixed solver"]
    assert trained.evidence[-1].bound == trained.lower_bound
    assert list(trained.events) == heard
    assert [event.lower_bound for event in heard if isinstance(event, Bounded)][-1] == trained.lower_bound


def test_a_better_diagram_of_a_prover_is_kept_and_told():
    heard = []
    prover = FixedExact(bound=0.3, diagram=two_splits())
    trained = train(stripes(), FixedSearch(), Budget.of(SECONDS), heard.append, prover)
    assert trained.diagram == two_splits()
    assert trained.lower_bound == pytest.approx(0.3)
    assert [event.objective for event in heard if isinstance(event, Improved)][-1] == pytest.approx(0.3)


def test_a_worse_diagram_of_a_prover_is_not_kept():
    prover = FixedExact(diagram=two_splits(first=0.375))
    trained = train(stripes(), FixedSearch(two_splits()), Budget.of(SECONDS), exact=prover)
    assert trained.diagram == two_splits()


def test_a_prover_begins_with_the_diagram_of_the_search():
    prover = FixedExact()
    train(stripes(), FixedSearch(two_splits()), Budget.of(SECONDS), exact=prover)
    assert prover.incumbents == [two_splits()]


@pytest.mark.parametrize("found", [(None, two_splits()), (two_splits(), None)])
def test_a_bound_above_the_objective_is_an_error_of_ours(found):
    prover = FixedExact(bound=0.31, diagram=found[1])
    with pytest.raises(BrokenProofError, match="one is wrong"):
        train(stripes(), FixedSearch(found[0]), Budget.of(SECONDS), exact=prover)


def test_a_floor_above_the_objective_with_that_many_nodes_is_an_error_of_ours():
    class Mistaken(FixedExact):
        """Forbids what was found with two nodes, and leaves three open: the least floor looks fine."""

        def bounds(self, state):
            problem, first = state.problem, state.bounds.tightened_by_objective(state.problem, 1, 0.4)
            return first.tightened_by_objective(problem, 2, 0.35)

    problem = stripes(skeleton="1-1-1", alpha=0.2)
    with pytest.raises(BrokenProofError, match="one is wrong"):
        train(problem, FixedSearch(two_splits()), Budget.of(SECONDS), exact=Mistaken())


def test_a_diagram_that_is_no_solution_is_dropped_and_the_floors_stay():
    hyperplanes = tuple(MultivariateSplit(np.array([1.0]), threshold) for threshold in (0.125, 0.875))
    prover = FixedExact(0.3, two_splits().with_splits(hyperplanes))
    trained = train(stripes(), FixedSearch(), Budget.of(SECONDS), exact=prover)
    assert trained.diagram.n_nodes == 0
    assert trained.lower_bound == pytest.approx(0.3)


def test_a_prover_that_objects_is_refused_before_the_work():
    engine = FixedSearch(two_splits())
    with pytest.raises(UnsupportedError, match="Not today"):
        train(stripes(), engine, Budget.of(SECONDS), exact=FixedExact(objection="Not today."))
    assert engine.starts == []


def test_a_prover_is_not_asked_once_the_bound_is_met():
    prover = FixedExact()
    train(stripes(skeleton="1"), FixedSearch(), Budget.of(SECONDS), exact=prover)
    train(stripes(), FixedSearch(two_splits(), lower_bound=0.3), Budget.of(SECONDS), exact=prover)
    assert prover.incumbents == []


def test_what_ended_badly_is_in_the_evidence_and_the_diagram_is_kept():
    prover = FixedExact(bound=-math.inf, status="crashed")
    trained = train(stripes(), FixedSearch(two_splits()), Budget.of(SECONDS), exact=prover)
    assert trained.diagram == two_splits()
    assert (trained.evidence[-1].status, math.isfinite(trained.evidence[-1].bound)) == ("crashed", True)


@pytest.mark.parametrize("prover", [FixedExact(interrupted=True), FixedExact(raises=KeyboardInterrupt())])
def test_an_interrupt_during_the_proof_keeps_everything(prover):
    trained = train(stripes(), FixedSearch(two_splits()), Budget.of(SECONDS), exact=prover)
    assert trained.interrupted
    assert trained.diagram == two_splits()
    assert trained.lower_bound > 0


def test_an_interrupted_search_is_not_followed_by_a_proof():
    prover = FixedExact()
    engine = FixedSearch(two_splits(), interrupted=True)
    assert train(stripes(), engine, Budget.of(SECONDS), exact=prover).interrupted
    assert prover.incumbents == []


def test_a_hyperplane_found_by_a_prover_is_widened():
    problem = stripes("multivariate")
    narrow = tuple(MultivariateSplit(np.array([1.0]), threshold) for threshold in (0.0001, 0.7501))
    found = two_splits().with_splits(narrow)
    trained = train(problem, FixedSearch(), Budget.of(SECONDS), exact=FixedExact(0.3, found))
    assert [split.threshold / split.norm for split in trained.diagram.splits] == pytest.approx([0.125, 0.875])


def test_the_search_gets_part_of_the_time_when_a_proof_follows():
    alone, followed = FixedSearch(), FixedSearch()
    train(stripes(), alone, Budget.of(100.0))
    train(stripes(), followed, Budget.of(100.0), exact=FixedExact())
    assert 90 < alone.limits[0] <= 100
    assert 25 < followed.limits[0] <= 30


def test_what_the_search_leaves_goes_to_the_proof():
    prover = FixedExact()
    train(stripes(), FixedSearch(), Budget.of(100.0), exact=prover)
    assert 95 < prover.limits[0] <= 100


def test_a_search_that_has_stalled_does_not_go_on():
    engine = FixedSearch(two_splits())
    train(stripes(), engine, Budget.of(SECONDS), exact=FixedExact())
    assert engine.starts == [None]


def test_no_prover_is_chosen_for_runs_that_repeat_exactly():
    trained = train(stripes(), FixedSearch(), Budget.of(SECONDS, max_iter=3), exact=AutoSchedule())
    assert [proof.status for proof in trained.evidence] == ["", "", "skipped"]
    assert "max_iter" in trained.evidence[-1].text
    assert trained.evidence[-1].bound == trained.lower_bound


def test_a_prover_that_was_asked_for_runs_under_max_iter():
    prover = FixedExact()
    train(stripes(), FixedSearch(), Budget.of(SECONDS, max_iter=3), exact=prover)
    assert len(prover.incumbents) == 1
