"""Paths of a rule: merged paths hold for exactly the rows of both."""

import math
from itertools import product

import numpy as np
import pytest

from oddlearn.errors import UnsupportedError
from oddlearn.export import rule_paths
from oddlearn.export.rule_paths import FeatureRange, Path, _merge, simplify
from oddlearn.view.rounding import RoundedSplit

SUMS = [RoundedSplit((0, 1), (1.0, weight), 1.0, False, True) for weight in (1.0, -1.0)]
ENDS = [-math.inf, 0.0, 1.0, 2.0, math.inf]
ROWS = np.array(list(product([-0.5, 0.5, 1.5, 2.5, np.nan], repeat=2)))


def holds(path, row):
    for feature, (low, high, missing) in path.intervals.items():
        value = row[feature]
        if not (missing if np.isnan(value) else low <= value < high):
            return False
    return all(split.side(np.nan_to_num(row)[None])[0] == bool(side) for split, side in path.sums.items())


def rows_of(*paths):
    return [any(holds(path, row) for path in paths) for row in ROWS]


def random_path(random):
    intervals = {}
    for feature in range(2):
        if random.random() < 0.7:
            low, high = sorted(random.choice(len(ENDS), 2, replace=False))
            found = FeatureRange(ENDS[low], ENDS[high], bool(random.integers(2)))
            if random.random() < 0.1:
                found = FeatureRange(math.inf, -math.inf, True)
            if found != FeatureRange(-math.inf, math.inf, True):
                intervals[feature] = found
    sums = {split: int(random.integers(2)) for split in SUMS if random.random() < 0.3}
    return Path(intervals, sums)


@pytest.mark.parametrize("seed", range(4))
def test_merged_paths_hold_for_the_rows_of_both(seed):
    random = np.random.default_rng(seed)
    kinds = set()
    for _ in range(300):
        one, other = random_path(random), random_path(random)
        joint = _merge(one, other)
        if joint is not None:
            assert rows_of(joint) == rows_of(one, other), (one, other)
            kinds.add("same" if joint in (one, other) else "new")
        if one.implies(other):
            assert all(
                not first or second for first, second in zip(rows_of(one), rows_of(other), strict=True)
            )
            assert joint == other
        paths = [one, other, random_path(random)]
        assert rows_of(*simplify(paths)) == rows_of(*paths)
    assert kinds == {"same", "new"}


def test_a_path_implies_a_weaker_one_and_not_a_stronger_one():
    narrow, wide = Path({0: FeatureRange(0.0, 1.0, False)}), Path({0: FeatureRange(0.0, 2.0, True)})
    assert narrow.implies(wide) and not wide.implies(narrow)
    assert narrow.implies(Path()) and not Path().implies(narrow)
    assert not Path({0: FeatureRange(0.0, 1.0, True)}).implies(Path({0: FeatureRange(0.0, 2.0, False)}))
    with_sum = Path(narrow.intervals, {SUMS[0]: 1})
    assert with_sum.implies(narrow) and not narrow.implies(with_sum)
    assert simplify([wide, narrow]) == simplify([narrow, wide]) == (wide,)


def test_neighbours_are_joined_and_sides_of_a_sum_dropped():
    low, middle, far = (
        Path({0: FeatureRange(*ends, False)}) for ends in ((0.0, 1.0), (1.0, 2.0), (3.0, 4.0))
    )
    assert simplify([low, middle]) == (Path({0: FeatureRange(0.0, 2.0, False)}),)
    assert simplify([low, far]) == (low, far)
    negative, positive = Path({}, {SUMS[0]: 0}), Path({}, {SUMS[0]: 1})
    assert simplify([negative, positive]) == (Path(),)
    assert simplify([negative, Path({}, {SUMS[1]: 1})]) == (negative, Path({}, {SUMS[1]: 1}))
    both = [Path({}, {SUMS[0]: a, SUMS[1]: b}) for a, b in ((0, 0), (1, 1))]
    assert simplify(both) == tuple(both)


def test_too_many_paths_are_refused(monkeypatch):
    monkeypatch.setattr(rule_paths, "MAX_PATHS", 3)
    paths = [Path({0: FeatureRange(2.0 * place, 2.0 * place + 1, False)}) for place in range(4)]
    assert simplify(paths[:3]) == tuple(paths[:3])
    with pytest.raises(UnsupportedError, match="More than 3 paths"):
        simplify(paths)
