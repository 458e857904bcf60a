"""A trial is named by all that its outcome depends on, and by nothing else."""

from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.study.trial import Trial

TRIAL = Trial("iris", 1, "1-2-4-8", False, 0.1, "univariate", "auto", 1.0)

# another value for every field
OTHERS = {
    "dataset": "wine",
    "seed": 2,
    "skeleton": "1-2-4-4-4",
    "is_tree": True,
    "alpha": 0.2,
    "split": "multivariate",
    "method": "construct",
    "seconds": 2.0,
    "stability": 0.05,
    "scaling": "all",
    "target": "corrected",
}


def test_the_key_is_the_same_in_every_process_and_version():
    # a store that was begun elsewhere is gone on with only if it is
    assert TRIAL.key == "5accb3aeeee300d642131f07"


def test_the_key_changes_with_every_field():
    assert set(OTHERS) == {field.name for field in fields(Trial)}
    keys = {replace(TRIAL, **{name: value}).key for name, value in OTHERS.items()}
    assert len(keys | {TRIAL.key}) == len(OTHERS) + 1


def test_equal_trials_have_one_key_however_their_numbers_are_written():
    given = (np.int64(1), " 1-2-4-8", np.False_, np.float64(0.1), "univariate", "auto", 1, 0)
    written = Trial("iris", *given)
    assert written == TRIAL
    assert written.key == TRIAL.key


def test_a_trial_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        TRIAL.alpha = 0.5


def test_trees_and_diagrams_are_told_apart():
    assert TRIAL.model == "ODD"
    assert replace(TRIAL, is_tree=True).model == "ODT"


def test_a_trial_is_told_in_words():
    assert str(TRIAL) == "iris, seed 1, univariate ODD 1-2-4-8, alpha 0.1"
    told = str(replace(TRIAL, is_tree=True, stability=0.05))
    assert told == "iris, seed 1, univariate ODT 1-2-4-8, alpha 0.1, 5 % in every node"


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("split", "oblique", "split is 'oblique': give one of univariate, multivariate."),
        ("method", "milp", "method is 'milp': give one of construct, local_search, auto."),
        ("scaling", "none", "scaling is 'none': give one of training, all."),
        ("target", "true", "target is 'true': give one of published, corrected."),
        ("seed", -1, "seed is -1: give a whole number from 0 to 4294967295."),
        ("seed", 1.5, "seed is 1.5: give a whole number from 0 to 4294967295."),
        ("seed", True, "seed is True: give a whole number from 0 to 4294967295."),
        ("alpha", -0.1, "alpha is -0.1: give a number from 0 on."),
        ("alpha", float("nan"), "alpha is nan: give a number from 0 on."),
        ("alpha", float("inf"), "alpha is inf: give a number from 0 on."),
        ("alpha", "0.1", "alpha is '0.1': give a number from 0 on."),
        ("seconds", 0, "seconds is 0: give seconds above 0."),
        ("seconds", None, "seconds is None: give seconds above 0."),
        ("stability", 1.0, "stability is 1.0: give a share from 0 to below 1."),
    ],
)
def test_a_field_that_makes_no_sense_is_refused_in_a_sentence(name, value, sentence):
    with pytest.raises(InvalidInputError) as refused:
        replace(TRIAL, **{name: value})
    assert str(refused.value) == sentence


def test_a_data_set_that_is_none_is_refused():
    with pytest.raises(InvalidInputError, match=r"There is no data set 'irises' \(did you mean 'iris'\?\)"):
        replace(TRIAL, dataset="irises")


@pytest.mark.parametrize("skeleton", ["1-3", "1-2-x", ""])
def test_a_skeleton_that_is_none_is_refused(skeleton):
    with pytest.raises(InvalidInputError, match="skeleton"):
        replace(TRIAL, skeleton=skeleton)


def test_the_skeleton_of_a_tree_is_full():
    with pytest.raises(InvalidInputError, match=r"1-2-4-4-4 of a tree is not full: give 1-2-4-8 or another"):
        replace(TRIAL, skeleton="1-2-4-4-4", is_tree=True)
