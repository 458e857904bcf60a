import time

import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.problem import TrainingData
from oddlearn.table.checks import check_costs
from oddlearn.table.groups import SampleGroups, SensitiveColumn


def same(first, second):
    return np.array_equal(first.X, second.X) and np.array_equal(first.class_weight, second.class_weight)


def grid(random, n, d, values=3):
    return random.integers(0, values, (n, d)) / values


def test_equal_rows_are_gathered_in_lexicographic_order():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.5]])
    data = TrainingData.collect(X, np.array([0, 1, 1, 1]), 2)
    assert data.X.tolist() == [[0.0, 0.5], [0.0, 1.0], [1.0, 0.0]]
    assert data.class_weight.tolist() == [[0, 1], [0, 1], [1, 1]]
    assert data.distinct_row_of.tolist() == [2, 1, 2, 0]
    assert data.total_weight == 4


def test_distinct_rows_are_those_of_numpy():
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = grid(random, 60, 4)
        data = TrainingData.collect(X, np.zeros(60, dtype=int), 1)
        rows, group = np.unique(X, axis=0, return_inverse=True)
        assert np.array_equal(data.X, rows)
        assert np.array_equal(data.distinct_row_of, group.ravel())


def test_repeating_a_row_equals_a_whole_weight():
    random = np.random.default_rng(1)
    X, codes, weight = grid(random, 20, 2), random.integers(0, 3, 20), random.integers(0, 4, 20)
    repeated = TrainingData.collect(np.repeat(X, weight, axis=0), np.repeat(codes, weight), 3)
    assert same(TrainingData.collect(X, codes, 3, weight.astype(float)), repeated)


def test_row_order_does_not_matter_to_the_last_bit():
    random = np.random.default_rng(2)
    X, codes, weight = grid(random, 200, 1), random.integers(0, 2, 200), random.random(200)
    order = random.permutation(200)
    shuffled = TrainingData.collect(X[order], codes[order], 2, weight[order])
    assert same(TrainingData.collect(X, codes, 2, weight), shuffled)


def test_rows_of_no_weight_are_dropped():
    data = TrainingData.collect(np.array([[0.0], [1.0]]), np.array([0, 1]), 2, np.array([0.0, 2.0]))
    assert data.X.tolist() == [[1.0]]
    assert data.distinct_row_of.tolist() == [-1, 0]
    with pytest.raises(InvalidInputError, match="weights are zero"):
        TrainingData.collect(np.zeros((1, 1)), np.array([0]), 2, np.array([0.0]))


def test_both_zeros_are_one():
    data = TrainingData.collect(np.array([[0.0], [-0.0]]), np.array([0, 1]), 2)
    assert data.n_rows == 1


def test_raw_rows_belong_to_their_distinct_rows():
    X = np.array([[2.0], [1.0], [2.0]])
    data = TrainingData.collect(X / 2, np.zeros(3, dtype=int), 1)
    assert data.raw_representatives(X).tolist() == [[1.0], [2.0]]


def test_data_without_features_is_one_row():
    assert TrainingData.collect(np.empty((3, 0)), np.array([0, 1, 1]), 2).class_weight.tolist() == [[1, 2]]


def test_many_rows_are_gathered_quickly():
    random = np.random.default_rng(0)
    X = random.random((200_000, 20))
    started = time.thread_time()
    assert TrainingData.collect(X, np.zeros(len(X), dtype=int), 2).n_rows == len(X)
    assert time.thread_time() - started < 3


@pytest.mark.parametrize("scale", [1e-10, 1e9])
def test_costs_of_a_size_that_drowns_in_rounding_are_refused(scale):
    with pytest.raises(InvalidInputError, match="multiplying it and the penalty"):
        check_costs(scale * (1 - np.eye(2)), 2)


def test_samples_are_counted_by_row_class_and_group_without_class_weights():
    random = np.random.default_rng(0)
    X, codes = random.integers(0, 2, (30, 2)).astype(float), random.integers(0, 3, 30)
    groups, weight = random.integers(-1, 2, 30), random.random(30)
    column = SensitiveColumn("kind", ("a", "b"), groups)
    sample_groups = SampleGroups(codes, weight, (0, 1, 2), (column,))
    data = TrainingData.collect(X, codes, 3, weight * 7.0, sample_groups)
    slow = np.zeros((data.n_rows, 3, 2))
    for sample in range(30):
        if groups[sample] >= 0:
            slow[data.distinct_row_of[sample], codes[sample], groups[sample]] += weight[sample]
    np.testing.assert_allclose(data.weight_by_class_and_group(column), slow)
    np.testing.assert_allclose(7.0 * data.weight_by_class_and_group()[:, :, 0], data.class_weight)
    order = random.permutation(30)
    turned = SensitiveColumn("kind", ("a", "b"), groups[order])
    again = TrainingData.collect(
        X[order], codes[order], 3, None, SampleGroups(codes[order], weight[order], (0, 1, 2), (turned,))
    )
    np.testing.assert_array_equal(
        again.weight_by_class_and_group(turned), data.weight_by_class_and_group(column)
    )


def test_data_without_samples_cannot_be_counted():
    with pytest.raises(InvalidInputError, match="no samples to count"):
        TrainingData(np.zeros((1, 1)), np.ones((1, 2)), np.zeros(1, dtype=int)).weight_by_class_and_group()
