"""Sets of rows in the kernel against plain sums over their items; every number of words and of features."""

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.kernels.branch_and_bound.row_sets import gather_sets
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems


def draw_items(random, n_rows, n_features):
    """Return items of a random table: ties, three classes, costs that differ by row."""
    X = random.integers(0, 6, (n_rows, n_features)).astype(float)
    X[:, 0] = random.permutation(n_rows)
    codes = random.integers(0, 3, n_rows)
    data = TrainingData.collect(X, codes, 3, random.integers(1, 4, n_rows).astype(float))
    costs = None if n_rows % 2 else np.array([[0.0, 1.0, 3.0], [2.0, 0.0, 1.0], [5.0, 4.0, 0.0]])
    return WeightedItems.from_problem(
        build_problem(data, Skeleton.parse("1"), 0.1, "univariate", cost_matrix=costs)
    )


def sum_up(items, words, members):
    """Return the words of the bits, the base and the hashes of some items."""
    bits = sum(1 << int(i) for i in members)
    n_words = -(-items.row.size // 64)
    hashes = [int(np.bitwise_xor.reduce(row[members])) for row in words]
    return [bits >> 64 * w & (2**64 - 1) for w in range(n_words)], items.base[members].sum(), *hashes


def describe_column(items, feature, is_member):
    """Return the items of a set in the order of a feature, the candidates and the first largest tie."""
    item = items.order[feature][is_member[items.order[feature]]]
    rank = items.rank[feature][item]
    groups = [np.flatnonzero(rank == value) for value in np.unique(rank)]
    classes = [set(items.label[item[group]].tolist()) for group in groups]
    candidates = [0] * item.size
    for k, group in enumerate(groups[:-1]):
        # between values that have one class, the same, no split is better than those around
        candidates[group[-1]] = int(len(classes[k] | classes[k + 1]) > 1)
    largest = max(groups, key=len)
    return item.tolist(), candidates, (largest[0], largest[-1] + 1)


def check_set(items, words, is_member, filled):
    members = np.flatnonzero(is_member)
    sums, totals, columns = filled
    assert sums == sum_up(items, words, members)
    assert totals == np.bincount(items.label[members], items.gain[members], 3).tolist()
    assert list(columns) == [f for f, ranks in enumerate(items.rank) if len(set(ranks[members])) > 1]
    for feature, column in columns.items():
        assert column == describe_column(items, feature, is_member)


@pytest.mark.parametrize("n_features", [1, 2, 7, 8, 9, 15, 16, 17, 33])
@pytest.mark.parametrize("n_rows", [2, 31, 63, 64, 65, 128, 129, 200])
def test_filled_and_marked_sets_have_the_sums_of_their_items(n_rows, n_features):
    random = np.random.default_rng([n_rows, n_features])
    items = draw_items(random, n_rows, n_features)
    n = items.row.size
    words = random.integers(0, 2**64, (2, n), dtype=np.uint64)
    # rows move together; node -1 is a leaf
    node_of = random.integers(-1, 2, n_rows)[items.row].astype(np.int32)
    for node in range(2):
        is_member = node_of == node
        feature = int(random.integers(items.rank.shape[0]))
        if not is_member.any() or np.ptp(items.rank[feature][is_member]) == 0:
            continue
        rank = int(random.choice(items.rank[feature][is_member]))
        filled, marked = gather_sets(items, words, 3, node_of, node, feature, rank)
        check_set(items, words, is_member, filled[0])
        assert marked[0] == filled[0][0]
        for side in range(2):
            is_side = is_member & ((items.rank[feature] > rank) == side)
            if is_side.any():
                check_set(items, words, is_side, filled[1 + side])
            # only the bits are marked
            assert marked[1 + side][0] == sum_up(items, words, np.flatnonzero(is_side))[0]
