"""Rows in memory: every pass is that over the arrays, whatever the size of its parts."""

import numpy as np
import pytest

from oddlearn.streaming import row_source
from oddlearn.streaming.memory_rows import LocalParts, MemoryRows, merge_results
from oddlearn.streaming.row_source import RowBlock

N = 50


class Count:
    """The rows and the sum of the first column."""

    def add(self, part, total):
        own = (part.n_rows, float(part.X[:, 0].sum()))
        return own if total is None else self.merge(own, total)

    def merge(self, one, other):
        return one[0] + other[0], one[1] + other[1]


class Total:
    """The sum of numbers."""

    def add(self, part, total):
        return part + (total or 0)

    def merge(self, one, other):
        return one + other


def rows(weight=None):
    X = np.column_stack([np.arange(N), np.arange(N) % 7]).astype(float)
    return MemoryRows.from_arrays(X, np.arange(N) % 3, weight)


@pytest.mark.parametrize("part_rows", [1, 7, 50, 1000])
def test_passes_see_every_row_once_in_order(part_rows, monkeypatch):
    monkeypatch.setattr(row_source, "PART_ROWS", part_rows)
    source = rows(np.arange(N) + 1.0)
    blocks = list(source.blocks())
    assert [block.n_rows for block in blocks[:-1]] == [part_rows] * (len(blocks) - 1)
    for name in ("X", "codes", "weight"):
        assert np.array_equal(np.concatenate([getattr(one, name) for one in blocks]), getattr(source, name))
    assert source.reduce(Count()) == (N, N * (N - 1) / 2)
    built = source.build(lambda block: block.n_rows)
    assert built.reduce(Total()) == N


def test_a_pass_that_is_stopped_has_no_result():
    assert rows().reduce(Count(), stop=lambda: True) is None
    assert rows().build(lambda block: 1, stop=lambda: True) is None


def test_rows_are_taken_by_number():
    source = rows(np.arange(N) + 1.0)
    taken = source.take(np.array([3, 10, 49]))
    assert (taken.X[:, 0].tolist(), taken.weight.tolist()) == ([3, 10, 49], [4, 11, 50])
    assert taken.codes.tolist() == [0, 1, 1]
    assert rows().take(slice(2, 5)).weight is None
    assert (source.weights.largest, source.weights.is_integer) == (N, True)
    assert (source.n_rows, source.n_features, source.pass_seconds) == (N, 2, 0.0)


def test_a_block_is_rows_too():
    block = RowBlock(np.ones((2, 3)), np.array([0, 1]), np.array([0.5, 1.0]))
    source = MemoryRows.from_block(block)
    assert (source.n_rows, source.n_features) == (2, 3)
    assert not source.weights.is_integer and source.weights.largest == 1.0


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 20])
def test_parts_are_merged_to_the_same_result_by_any_number_of_threads(n_jobs):
    parts = LocalParts(list(range(1, 12)), False)
    assert parts.reduce(Total(), n_jobs=n_jobs) == 66
    assert parts.reduce(Total(), stop=lambda: True, n_jobs=n_jobs) is None
    parts.update(lambda part: 2 * part)
    assert parts.reduce(Total(), n_jobs=n_jobs) == 132


def test_parts_are_extended_by_what_is_found_in_their_rows(monkeypatch):
    monkeypatch.setattr(row_source, "PART_ROWS", 20)
    source = rows()
    parts = source.build(lambda block: [block.n_rows])
    source.extend(parts, lambda block: block.X[0, 0], lambda part, found: [*part, found], np.array([0]))
    assert parts.reduce(Gather()) == [20, 0.0, 20, 20.0, 10, 40.0]


class Gather:
    """All parts in a row."""

    def add(self, part, total):
        return part if total is None else [*total, *part]

    def merge(self, one, other):
        return [*one, *other]


def test_one_result_that_was_stopped_stops_all():
    assert merge_results(Total(), [1, 2, 3]) == 6
    assert merge_results(Total(), [1, None, 3]) is None
    assert merge_results(Total(), [4]) == 4
