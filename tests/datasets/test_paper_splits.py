"""The three parts are the authors', and their scaling is a plain min-max over all rows."""

import random

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler

from oddlearn.datasets import load, scale_over_all_rows, split_indices
from oddlearn.errors import InvalidInputError


def slow_split(n, seed):
    """Deal the shuffled rows out one by one."""
    order = list(range(n))
    random.Random(seed).shuffle(order)
    training, validation, test = [], [], []
    for place, row in enumerate(order):
        if place < round(n * 0.5):
            training.append(row)
        elif place < round(n * 0.75):
            validation.append(row)
        else:
            test.append(row)
    return training, validation, test


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 47, 150, 601])
@pytest.mark.parametrize("seed", ["1", "5", "spring"])
def test_parts_are_dealt_out_in_the_shuffled_order(n, seed):
    dealt = split_indices(n, seed)
    found = tuple(part.tolist() for part in (dealt.training, dealt.validation, dealt.test))
    assert found == slow_split(n, seed)


def test_the_first_rows_of_iris_with_seed_1_are_known():
    assert split_indices(150, 1).training[:5].tolist() == [123, 66, 117, 65, 42]


@pytest.mark.parametrize("seed", [1, 3, np.int64(4)])
def test_a_number_and_its_text_are_the_same_seed(seed):
    assert split_indices(90, seed).test.tolist() == split_indices(90, str(seed)).test.tolist()


def test_halves_are_rounded_to_even_as_python_does():
    assert [len(split_indices(n, 1).training) for n in (5, 7)] == [2, 4]
    assert [len(split_indices(n, 1).test) for n in (6, 10)] == [2, 2]


def test_parts_cannot_be_changed():
    dealt = split_indices(20, 1)
    assert not any(part.flags.writeable for part in (dealt.training, dealt.validation, dealt.test))


@pytest.mark.parametrize("n", [0, -3, 2.5, "10", None])
def test_the_number_of_samples_is_a_whole_number(n):
    with pytest.raises(InvalidInputError, match=r"n is .*: give the number of samples"):
        split_indices(n, 1)


@pytest.mark.parametrize("seed", [1.0, None, True, b"1"])
def test_a_seed_that_would_be_another_text_is_refused(seed):
    with pytest.raises(InvalidInputError, match=r"seed is .*: give a whole number or text"):
        split_indices(10, seed)


def test_scaling_is_the_min_max_scaling_of_scikit_learn():
    X = load("wine").X
    np.testing.assert_allclose(scale_over_all_rows(X), MinMaxScaler().fit_transform(X), rtol=0, atol=1e-15)


def test_a_constant_column_is_scaled_to_zero():
    scaled = scale_over_all_rows([[7, 1], [7, 3], [7, 2]])
    assert scaled.tolist() == [[0, 0], [0, 1], [0, 0.5]]
    assert not scaled.flags.writeable
