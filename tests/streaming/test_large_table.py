"""Large tables after their first pass: what is refused, and batches that are collected in memory."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.estimators import table_inputs
from oddlearn.streaming import dask_batches, large_table
from oddlearn.streaming.batch_profile import TableProfile
from oddlearn.streaming.dask_batches import DaskBatches, make_batch, open_dask
from oddlearn.streaming.large_table import LearnedTable, collect_samples
from oddlearn.table.column_table import ColumnTable, RawColumn
from oddlearn.table.samples import LabelledSamples


def batch(values, labels=None, weight=None, **options):
    columns = (RawColumn("a", np.asarray(values), **options),)
    labels = np.zeros(len(values)) if labels is None else np.asarray(labels)
    return LabelledSamples(ColumnTable(columns), labels, weight)


def learn(labels, weight=None, **options):
    rows = batch(np.arange(float(len(labels))), labels, weight)
    return LearnedTable.from_profile(OptimalDecisionDiagramClassifier(**options), TableProfile.of(rows))


def test_tables_that_teach_nothing_are_refused(monkeypatch):
    with pytest.raises(InvalidInputError, match="All weights are zero"):
        learn([0, 1], np.zeros(2))
    with pytest.raises(InvalidInputError, match="one class only, 1"):
        learn([0, 1], np.array([0.0, 2.0]))
    with pytest.raises(InvalidInputError, match="class_weight is 0 for a class"):
        learn([0, 1], class_weight={0: 0.0})
    monkeypatch.setattr(large_table, "MAX_CLASSES", 2)
    with pytest.raises(InvalidInputError, match="y holds 3 classes: at most 2"):
        learn([0, 1, 2])
    assert learn([0, 1]).n_rows == 2


@pytest.mark.parametrize(
    ("weight", "class_weight", "largest", "is_integer", "has_weights"),
    [
        (None, None, 1.0, True, False),
        ([1.0, 3.0], None, 3.0, True, True),
        ([1.0, 3.0], {0: 2.0}, 6.0, True, True),
        ([1.0, 3.0], {0: 1.5}, 4.5, False, True),
        ([0.5, 1.0], {0: 2.0}, 2.0, False, True),
        (None, {1: 4.0}, 4.0, True, False),
    ],
)
def test_weights_are_the_largest_that_a_row_can_have(weight, class_weight, largest, is_integer, has_weights):
    found = learn([0, 1], None if weight is None else np.array(weight), class_weight=class_weight)
    assert (found.weights.largest, found.weights.is_integer) == (largest, is_integer)
    assert found.has_weights == has_weights
    assert found.encoder.is_weighted == (has_weights or class_weight is not None)


def test_collected_batches_of_numbers_are_one_frame():
    found = collect_samples([batch([1, 2], [0, 1], np.ones(2)), batch([3.5], [1], np.full(1, 2.0))])
    assert isinstance(found.X, pd.DataFrame)
    assert found.X["a"].tolist() == [1.0, 2.0, 3.5]
    assert (found.y.tolist(), found.sample_weight.tolist()) == ([0, 1, 1], [1.0, 1.0, 2.0])
    assert collect_samples([batch([1.0])]).sample_weight is None


def test_collected_batches_without_names_are_one_array():
    table = ColumnTable((RawColumn("x0", np.arange(2.0)), RawColumn("x1", np.ones(2))), has_names=False)
    found = collect_samples([LabelledSamples(table, np.zeros(2), None)] * 2)
    assert found.X.tolist() == [[0, 1], [1, 1], [0, 1], [1, 1]]


def test_collected_batches_of_text_keep_what_is_missing_in_one_of_them():
    flags, gaps = np.array([True, False]), np.array([True, None], dtype=object)
    found = collect_samples([batch(flags), batch(gaps)]).X.columns[0]
    assert found.values.tolist() == [True, False, True, None]
    categories = collect_samples([batch([1, 2], is_category=True)] * 2).X
    assert isinstance(categories, ColumnTable) and categories.columns[0].is_category


def test_no_batches_at_all_are_refused():
    with pytest.raises(InvalidInputError, match="no rows: give at least two"):
        collect_samples([])
    with pytest.raises(InvalidInputError, match="nothing has no rows: give at least two"):
        table_inputs.profile_files(SimpleNamespace(source="nothing", read=lambda: iter(())))


def test_a_table_too_large_for_the_memory_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(table_inputs, "available_bytes", lambda: 1000)
    profile = SimpleNamespace(n_rows=2_000_000_000, columns=range(3))
    with pytest.raises(UnsupportedError, match=r"2,000,000,000 rows, 48\.0 GB as numbers.*in memory\.$"):
        table_inputs._check_memory(profile, None)
    with pytest.raises(UnsupportedError, match=r"at once\. Because\.$"):
        table_inputs._check_memory(profile, "Because.")
    limit = int(table_inputs.MEMORY_SHARE * 1000 / 8)
    table_inputs._check_memory(SimpleNamespace(n_rows=limit, columns=range(1)), None)
    with pytest.raises(UnsupportedError):
        table_inputs._check_memory(SimpleNamespace(n_rows=limit + 1, columns=range(1)), None)


def test_dask_collections_are_checked_before_anything_is_computed(monkeypatch):
    array = pytest.importorskip("dask.array")
    X, y = array.zeros((6, 4), chunks=(2, 2)), array.arange(6, chunks=3)
    found = open_dask(X, y, None)
    assert (found.n_partitions, found.names, found.weights) == (3, None, None)
    assert [part.compute().shape for part in found.X.to_delayed().ravel()] == [(2, 4)] * 3
    assert [part.compute().tolist() for part in found.y] == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(InvalidInputError, match="y is a ndarray: give y as a Dask collection"):
        open_dask(X, np.arange(6), None)
    with pytest.raises(InvalidInputError, match="sample_weight is a list"):
        open_dask(X, y, [1.0] * 6)
    with pytest.raises(InvalidInputError, match="Expected 2D array, got 1D"):
        open_dask(y, y, None)
    with pytest.raises(InvalidInputError, match="X has 3 partitions and y has 1: give y the partitions"):
        open_dask(X, array.arange(7, chunks=7), None)


def test_one_partition_is_one_batch():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    made = make_batch(frame, pd.Series([0, 1]), None)
    assert [column.name for column in made.X.columns] == ["a", "b"] and made.sample_weight is None
    made = make_batch(frame.to_numpy(), [[0], [1]], pd.Series([1.0, 2.0]))
    assert [column.name for column in made.X.columns] == ["x0", "x1"] and not made.X.has_names
    assert (made.y.tolist(), made.sample_weight.tolist()) == ([0, 1], [1.0, 2.0])


def test_the_columns_named_are_those_that_are_read():
    frames = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"], "c": [3, 4]})
    X = frames.from_pandas(frame, npartitions=1)
    batches = DaskBatches(X, tuple(X["c"].to_delayed()), None)
    assert dask_batches.is_dask(X) and not dask_batches.is_dask(frame)
    names = [[column.name for column in part.compute().X.columns] for part in batches.batches(["c", "a"])]
    assert names == [["a", "c"]] and batches.names == ["a", "b", "c"]
