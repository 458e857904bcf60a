"""The study's trials: how many, which, and in what order."""

import hashlib
from collections import Counter
from dataclasses import replace
from itertools import groupby

import pytest

from oddlearn.datasets import CATALOGUE
from oddlearn.errors import InvalidInputError
from oddlearn.study.calibration import calibrate
from oddlearn.study.paper_results import MIN_FLOW_SHARES
from oddlearn.study.trial import Trial
from oddlearn.study.trial_plan import (
    Scope,
    plan_grid,
    plan_long_sample,
    plan_monks,
    plan_stability,
    plan_step_one,
)
from tests.study.examples import chance_grid, result

SMALL = Scope(datasets=("iris", "monks1"), seeds=(3, 1), splits=("univariate",), seconds=0.5)


@pytest.fixture(scope="module")
def whole():
    return list(plan_grid(Scope()))


def test_the_grid_has_13500_different_trials(whole):
    assert len(whole) == len({trial.key for trial in whole}) == 13_500
    assert {trial.dataset for trial in whole} == {entry.name for entry in CATALOGUE}
    for name, times in (("seed", 5), ("alpha", 5), ("split", 2), ("model", 2), ("dataset", 54)):
        assert len(Counter(getattr(trial, name) for trial in whole)) == times
    assert Counter(trial.model for trial in whole) == {"ODD": 10_800, "ODT": 2_700}


def test_every_seed_is_run_on_all_data_sets_before_the_next(whole):
    assert [seed for seed, _ in groupby(trial.seed for trial in whole)] == [1, 2, 3, 4, 5]
    assert [seed for seed, _ in groupby(trial.seed for trial in plan_grid(SMALL))] == [3, 1]


def test_a_scope_limits_the_grid():
    trials = list(plan_grid(SMALL))
    assert len(trials) == 2 * 2 * 5 * 5
    assert {(trial.dataset, trial.split, trial.seconds) for trial in trials} == {
        ("iris", "univariate", 0.5),
        ("monks1", "univariate", 0.5),
    }
    assert {(trial.method, trial.scaling, trial.target) for trial in trials} == {
        ("auto", "training", "published")
    }


def test_step_one_has_a_partner_for_every_run_of_the_grid():
    pairs = list(zip(plan_grid(SMALL), plan_step_one(SMALL), strict=True))
    for trial, alone in pairs:
        assert alone.method == "construct"
        assert alone.seconds < trial.seconds
        assert replace(alone, method="auto", seconds=trial.seconds) == trial


def test_the_monks_are_run_with_their_true_classes():
    trials = list(plan_monks(SMALL))
    assert {(trial.dataset, trial.target) for trial in trials} == {("monks1", "corrected")}
    assert [replace(trial, target="published") for trial in trials] == [
        trial for trial in plan_grid(SMALL) if trial.dataset == "monks1"
    ]


def test_the_long_sample_is_the_same_hundred_on_every_machine(whole):
    trials = list(plan_long_sample(Scope()))
    assert len({trial.key for trial in trials}) == 100
    digest = hashlib.sha256("".join(trial.key for trial in trials).encode()).hexdigest()
    assert digest[:16] == "a3351bb7f43d92ee"
    assert {replace(trial, seconds=1.0) for trial in trials} <= set(whole)
    assert {trial.seconds for trial in trials} == {60.0}


def test_a_small_study_has_its_part_of_the_long_sample():
    scope = Scope(datasets=("iris", "wine", "seeds"), seeds=(1, 2, 5), splits=("multivariate",))
    wanted = [
        trial
        for trial in plan_long_sample(Scope())
        if trial.dataset in scope.datasets and trial.seed in scope.seeds and trial.split == "multivariate"
    ]
    assert list(plan_long_sample(scope)) == wanted
    assert wanted


def test_seeds_that_the_paper_does_not_have_are_refused():
    with pytest.raises(InvalidInputError, match=r"no seed 7, 0: give some of 1, 2, 3, 4, 5"):
        Scope(seeds=(1, 7, 0))


def test_stability_trials_are_those_of_a_slow_choice():
    scope = Scope(datasets=("parkinsons", "iris"), seeds=(1, 2))
    results = chance_grid(scope.datasets, scope.seeds)
    expected = set()
    for choice in calibrate(results):
        if choice.dataset == "parkinsons" and choice.model == "ODD":
            for share in MIN_FLOW_SHARES:
                for seed in scope.seeds:
                    shape = (choice.skeleton, False, choice.alpha, choice.split, "auto", 1.0, share)
                    expected.add(Trial("parkinsons", seed, *shape))
    trials = list(plan_stability(scope, results))
    assert len(trials) == len(expected) == 2 * 4 * 2
    assert set(trials) == expected


def test_without_results_of_the_same_seconds_there_are_no_stability_trials():
    assert list(plan_stability(Scope(), [])) == []
    assert list(plan_stability(Scope(seconds=2.0), [result("parkinsons")])) == []
    assert list(plan_stability(Scope(seconds=1.0), [result("parkinsons")])) != []
    assert list(plan_stability(Scope(splits=("multivariate",)), [result("parkinsons")])) == []
