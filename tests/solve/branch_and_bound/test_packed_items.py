"""Items as bits: what the bits stand for, one item at a time."""

from functools import reduce

import numpy as np

from oddlearn.solve.branch_and_bound.packed_items import BITS_PER_WORD, PackedItems
from oddlearn.solve.branch_and_bound.price_items import PriceItems
from tests.kernels.test_price_trees import draw_problem, has_splits


def draw_packed(seed, n_rows):
    random, problem = draw_problem([seed, 40], n_rows, (1, 5), (2, 6))
    items = PriceItems.from_problem(problem) if has_splits(problem) else None
    packed = None if items is None else PackedItems.from_items(items, problem.data.n_classes, np.inf)
    return random, problem, items, packed


def has_bit(words, item):
    return words[..., item // BITS_PER_WORD] >> np.uint64(item % BITS_PER_WORD) & np.uint64(1) == 1


def test_bits_say_what_items_gain_and_which_thresholds_they_are_below():
    drawn = [draw_packed(seed, (2, 100)) for seed in range(24)]
    drawn = [(problem, items, packed) for _, problem, items, packed in drawn if packed is not None]
    assert len(drawn) > 6
    for problem, items, packed in drawn:
        check_bits(problem, items, packed)


def check_bits(problem, items, packed):
    for item in range(items.label.size):
        total = np.zeros(problem.data.n_classes + 1, dtype=int)
        np.add.at(total, packed.plane_class, packed.plane_weight * has_bit(packed.plane, item))
        gains = np.zeros(problem.data.n_classes, dtype=int)
        gains[items.label[item]] = items.gain[item]
        assert (total[:-1] * packed.unit == gains).all()
        assert (total[-1] if packed.has_base_planes else total.sum()) * packed.unit == items.base[item]
        feature = np.repeat(np.arange(items.features.size), np.diff(packed.first_threshold))
        is_below = items.rank[feature, item] <= packed.threshold_rank
        assert (has_bit(packed.below, item) == is_below).all()
        assert (has_bit(packed.column.T[: feature.size], item) == is_below).all()
    assert not packed.column[:, packed.below.shape[0] :].any()


def test_hashes_of_four_items_are_those_of_each():
    random, _, items, packed = next(
        drawn for drawn in (draw_packed(seed, (70, 90)) for seed in range(20)) if drawn[3] is not None
    )
    words = random.integers(0, 2**64, (2, items.label.size), dtype=np.uint64)
    table = packed.hash_table(words)
    for group in (0, 7, (items.label.size - 1) // 4):
        for subset in range(16):
            inside = [4 * group + bit for bit in range(4) if subset >> bit & 1]
            for hash_ in range(2):
                each = [words[hash_, item] for item in inside if item < items.label.size]
                assert table[group, subset, hash_] == reduce(np.bitwise_xor, each, np.uint64(0))


def test_columns_of_many_values_stay_lists():
    for seed in range(30):
        _, problem, items, packed = draw_packed(seed, (30, 60))
        if packed is not None:
            words = packed.plane.shape[0] * packed.below.size
            limit = words / items.rank.size
            n_classes = problem.data.n_classes
            assert PackedItems.from_items(items, n_classes, 0.999 * limit) is None
            assert PackedItems.from_items(items, n_classes, 1.001 * limit) is not None
