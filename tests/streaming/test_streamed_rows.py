"""Rows that are read at every pass: stopped passes, tables that change, samples kept, parts in files."""

from dataclasses import dataclass, replace
from operator import add

import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.streaming import row_source, streamed_rows
from oddlearn.streaming.batch_rows import BatchEncoder
from oddlearn.streaming.dask_rows import DaskRows
from oddlearn.streaming.mapped_file import MappedFile
from oddlearn.streaming.row_source import RowBlock, WeightSummary
from oddlearn.streaming.streamed_rows import MEMORY_SHARE, SampleCache, StreamedRows
from oddlearn.table.column_table import ColumnTable, RawColumn
from oddlearn.table.samples import LabelledSamples

N_ROWS = 10
ENCODER = BatchEncoder(("a", "b"), None, np.array([0, 1]), None, False)


class Batches:
    """Ten rows in batches of four, or another number of rows at later passes."""

    def __init__(self, *n_rows):
        self.n_rows, self.n_passes, self.asked = n_rows or (N_ROWS,), 0, []

    def read(self, columns=None):
        n_rows = self.n_rows[min(self.n_passes, len(self.n_rows) - 1)]
        self.n_passes += 1
        self.asked.append(columns)
        for first in range(0, n_rows, 4):
            numbers = np.arange(first, min(n_rows, first + 4), dtype=float)
            values = {"a": numbers, "b": -numbers}
            table = ColumnTable(tuple(RawColumn(name, values[name]) for name in columns))
            yield LabelledSamples(table, numbers % 2)


@dataclass
class Sums:
    """Work that adds up a column."""

    def add(self, block, total):
        return (total or 0.0) + block.X[:, 0].sum()

    def merge(self, one, other):
        return add(one, other)


@pytest.fixture(autouse=True)
def parts_of_three(monkeypatch):
    monkeypatch.setattr(row_source, "PART_ROWS", 3)


def open_rows(*n_rows):
    return StreamedRows(Batches(*n_rows), ENCODER, N_ROWS, WeightSummary())


def test_blocks_have_the_same_sizes_whatever_the_batches():
    rows = open_rows()
    assert [block.n_rows for block in rows.blocks()] == [3, 3, 3, 1]
    assert rows.batches.asked == [["a", "b"]]
    assert [block.X[:, 0].tolist() for block in rows.blocks(np.array([1]))][-1] == [-9.0]
    assert rows.batches.asked[-1] == ["b"]
    assert rows.n_features == 2


@pytest.mark.parametrize("n_rows", [9, 11])
def test_a_table_that_has_changed_is_told(n_rows):
    rows = open_rows(N_ROWS, n_rows)
    assert rows.reduce(Sums()) == 45
    for call in (
        lambda: rows.reduce(Sums()),
        lambda: rows.build(lambda block: block),
        lambda: rows.take(np.array([1])),
    ):
        with pytest.raises(InvalidInputError) as told:
            call()
        start = "The table has changed since the fit began: "
        assert str(told.value) == f"{start}its rows are not those of the first pass."


def test_a_stopped_pass_has_no_result_and_no_time():
    answers = iter([False, True])
    rows = replace(open_rows(), pass_seconds=7.0)
    assert rows.reduce(Sums(), stop=lambda: next(answers)) is None
    answers = iter([False, True])
    assert rows.build(lambda block: block, stop=lambda: next(answers)) is None
    assert rows.pass_seconds == 7.0


def test_before_the_first_pass_its_time_is_not_known():
    assert open_rows().pass_seconds == 0.0
    assert DaskRows(None, None, ENCODER, [3, 4], WeightSummary()).pass_seconds == 0.0


def test_the_time_of_a_pass_is_that_of_the_last_one(monkeypatch):
    rows, now = open_rows(), iter([10.0, 12.5])
    monkeypatch.setattr(streamed_rows.time, "perf_counter", lambda: next(now))
    rows.reduce(Sums())
    assert rows.pass_seconds == 2.5


def test_rows_are_read_once_if_they_were_prepared():
    rows = open_rows()
    rows.prepare_samples([np.array([1, 5]), np.array([5, 9])])
    assert rows.batches.n_passes == 1
    for wanted in ([1], [5, 9], [1, 5, 9], []):
        assert rows.take(np.array(wanted, dtype=int)).X[:, 0].tolist() == wanted
    rows.prepare_samples([np.array([9]), np.array([1])])
    assert rows.batches.n_passes == 1
    for wanted in ([0], [1, 6], [2, 9]):
        assert rows.take(np.array(wanted)).X[:, 0].tolist() == wanted
    assert rows.batches.n_passes == 4
    rows.prepare_samples([np.array([0])])
    assert rows.batches.n_passes == 5


def test_an_empty_cache_reads():
    block = RowBlock(np.zeros((1, 1)), np.zeros(1, dtype=np.uint8), None, None)
    assert SampleCache().take(np.array([3]), lambda rows: block) is block


@dataclass
class Part:
    """A part of eight bytes a row."""

    values: np.ndarray
    is_in_file: bool = False

    @property
    def file_bytes(self):
        return self.values.nbytes

    def move_to(self, file):
        return Part(file.store(self.values), True)


@pytest.mark.parametrize(("spare", "is_moved"), [(1, False), (-1, True)])
def test_parts_that_take_too_much_memory_are_in_a_file(monkeypatch, spare, is_moved):
    n_bytes = 4 * 3 * 8  # four parts of at most three rows
    monkeypatch.setattr(streamed_rows, "available_bytes", lambda: n_bytes / MEMORY_SHARE + spare)
    sizes = []
    monkeypatch.setattr(streamed_rows, "MappedFile", lambda size: (sizes.append(size), MappedFile(size))[1])
    rows = open_rows()
    parts = rows.build(lambda block: Part(block.X[:, 0].copy())).parts
    assert [part.is_in_file for part in parts] == [is_moved] * 4
    assert sizes == [n_bytes] * is_moved
    assert np.concatenate([part.values for part in parts]).tolist() == list(range(N_ROWS))


def test_parts_without_arrays_stay_as_they_are_and_are_extended():
    rows = open_rows()
    parts = rows.build(lambda block: float(block.X[:, 0].sum()))
    assert parts.parts == [3.0, 12.0, 21.0, 9.0]
    rows.extend(parts, lambda block: block.n_rows, lambda part, found: (part, found), np.array([0]))
    assert parts.parts == [(3.0, 3), (12.0, 3), (21.0, 3), (9.0, 1)]
    assert rows.batches.asked[-1] == ["a"]
