"""Thresholds of a large table, against the rows that reach each node."""

import numpy as np
import pytest

from oddlearn.diagram.routing import route_reference
from oddlearn.diagram.splits import UnivariateSplit, short_threshold_between
from oddlearn.problem.large_data import LargeData
from oddlearn.problem.scaling import centre_thresholds
from oddlearn.streaming import row_source
from oddlearn.streaming.memory_rows import MemoryRows
from tests.diagram.drawings import random_diagram


def random_case(seed):
    """Return a diagram, rows some of whose columns have missing values, and their weights."""
    random = np.random.default_rng(seed)
    X = random.random((40, 4)).round(2)
    X[:, 1:3][random.random((40, 2)) < 0.2] = np.nan
    diagram = random_diagram(random)
    splits = [
        UnivariateSplit(split.feature, split.threshold, bool(random.integers(2))) for split in diagram.splits
    ]
    splits[0] = UnivariateSplit.is_missing(1, positive=bool(seed % 2))
    return diagram.with_splits(tuple(splits)), X, random.random(40)


@pytest.mark.parametrize("block_rows", [7, 1000])
@pytest.mark.parametrize("seed", range(15))
def test_thresholds_are_in_the_middle_of_the_gap_of_their_rows(seed, block_rows, monkeypatch):
    monkeypatch.setattr(row_source, "PART_ROWS", block_rows)
    diagram, X, weight = random_case(seed)
    rows = MemoryRows.from_arrays(X, np.arange(40) % 3, weight)
    centred = centre_thresholds(diagram, LargeData(rows, 1 - np.eye(3)))
    trace, again = route_reference(diagram, X), route_reference(centred, X)
    assert np.array_equal(trace.final_arc, again.final_arc)
    for node, (old, new) in enumerate(zip(diagram.splits, centred.splits, strict=True)):
        if old.asks_missing:
            assert new == old
            continue
        at, side = trace.reached[:, node], trace.sides[:, node]
        key = X[:, old.feature]
        below, above = key[at & ~side & ~np.isnan(key)], key[at & side & ~np.isnan(key)]
        expected = old.threshold
        if below.size and above.size:
            expected = short_threshold_between(below.max(), above.min())
        assert new.threshold == expected
        heavier = weight[at & side].sum() > weight[at & ~side].sum()
        assert new.missing_positive == (old.missing_positive if np.isnan(key[at]).any() else heavier)
