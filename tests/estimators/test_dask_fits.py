"""Fits of Dask collections: the model of the frame, to the bit; the last three on two worker processes."""

import os
import signal
import time
import warnings

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from oddlearn import OptimalDecisionDiagramClassifier, export_text, verify
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.streaming.dask_rows import DaskParts, DaskRows
from oddlearn.streaming.dask_tasks import TaskRunner
from tests.estimators.test_streamed_fits import OPTIONS, content, mixed_frame
from tests.solve.histogram.test_histogram_search import small_is_large  # noqa: F401

pytestmark = pytest.mark.usefixtures("small_is_large")


@pytest.fixture(scope="module", autouse=True)
def scheduler_of_other_tests():
    """Leave Dask without a client's scheduler: a client closed in the middle may leave its own behind."""
    yield
    dask.config.set(scheduler=None)


@pytest.fixture(scope="module")
def client():
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 3}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def partition(values, n_parts=3):
    return dd.from_pandas(values, npartitions=n_parts)


def test_small_tables_and_empty_partitions_are_taken_without_a_client():
    frame, y, _ = mixed_frame(90)
    small = OptimalDecisionDiagramClassifier(**OPTIONS).fit(partition(frame), partition(y))
    assert content(small) == content(OptimalDecisionDiagramClassifier(**OPTIONS).fit(frame, y))
    frame, y, _ = mixed_frame()
    parts, labels = partition(frame), partition(y)
    model = OptimalDecisionDiagramClassifier(**OPTIONS)
    is_late, frame, y = parts.index >= 250, frame.iloc[250:], y.iloc[250:]  # no rows in the first partition
    model.fit(parts.loc[is_late], labels.loc[is_late])
    assert content(model) == content(OptimalDecisionDiagramClassifier(**OPTIONS).fit(frame, y))


def spoil(frame):
    return frame.assign(a0=frame.a0.astype(str)) if (frame.index == 0).any() else frame


def lose_column(frame):
    return frame.drop(columns="a0")


def lose_file(frame):
    raise FileNotFoundError("part7")


def test_bad_partitions_are_refused_in_a_sentence():
    frame, y, _ = mixed_frame()
    parts, labels = partition(frame), partition(y)
    model = OptimalDecisionDiagramClassifier(**OPTIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mixed = parts.map_partitions(spoil, meta=frame.iloc[:0])
    with pytest.raises(InvalidInputError, match="a0 holds text in one part"):
        model.fit(mixed, labels)
    with pytest.raises(InvalidInputError, match="missing labels"):
        model.fit(parts, labels.where(labels != "yes", None))
    with pytest.raises(UnsupportedError, match="A partition lacks a column"):
        lacking = parts.map_partitions(lose_column, meta=frame.iloc[:0], enforce_metadata=False)
        model.fit(lacking[["a0"]], labels)
    with pytest.raises(UnsupportedError, match="could not finish a pass over the rows: part7"):
        model.fit(parts.map_partitions(lose_file, meta=frame.iloc[:0]), labels)
    with pytest.raises(InvalidInputError, match="give y as a Dask collection"):
        model.fit(parts, y)
    with pytest.raises(InvalidInputError, match="3 partitions and y has 2"):
        model.fit(parts, partition(y, 2))
    assert not hasattr(model, "diagram_")


def test_texts_and_rows_in_memory_are_made_of_frames_of_dask_and_masks_are_kept():
    frame, y, _ = mixed_frame(90)
    model = OptimalDecisionDiagramClassifier(**OPTIONS).fit(frame, y)
    assert export_text(model, X=partition(frame)) == export_text(model, X=frame)
    assert np.array_equal(model.apply(partition(frame)), model.apply(frame))
    X = np.ma.masked_greater(np.random.default_rng(0).normal(size=(90, 3)), 0.5)
    large = OptimalDecisionDiagramClassifier(**OPTIONS).fit(
        da.from_array(X, chunks=(30, 3)), da.from_array(y.to_numpy(), chunks=30)
    )
    assert large.diagram_ == OptimalDecisionDiagramClassifier(**OPTIONS).fit(X, y).diagram_


def test_labels_may_be_a_column_of_an_array():
    frame, y, _ = mixed_frame(90)
    X = da.from_array(frame[["a0", "a2"]].to_numpy(), chunks=(30, 2))
    labels = (y == "yes").to_numpy().astype(int)
    model = OptimalDecisionDiagramClassifier(**OPTIONS).fit(X, da.from_array(labels[:, None], chunks=(45, 1)))
    assert content(model) == content(OptimalDecisionDiagramClassifier(**OPTIONS).fit(X.compute(), labels))


def test_a_client_that_is_closed_ends_the_fit_in_a_sentence(monkeypatch):
    frame, y, _ = mixed_frame()
    original = DaskRows.build

    def close_and_build(self, *given, **options):
        self.runner.client.close()
        return original(self, *given, **options)

    monkeypatch.setattr(DaskRows, "build", close_and_build)
    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None):
        model = OptimalDecisionDiagramClassifier(**OPTIONS)
        with pytest.raises(UnsupportedError, match="client was closed"):
            model.fit(partition(frame), partition(y))
    assert not hasattr(model, "diagram_")


def test_frames_give_the_model_in_memory_and_predict_lazily(client):
    frame, y, w = mixed_frame()
    options = {**OPTIONS, "class_weight": "balanced"}
    memory = OptimalDecisionDiagramClassifier(**options).fit(frame, y, w)
    parts = [partition(values) for values in (frame, y, w)]
    model = OptimalDecisionDiagramClassifier(**options).fit(*parts)
    assert content(model) == content(memory)
    labels = model.predict(parts[0])
    assert isinstance(labels, dd.Series)
    pd.testing.assert_series_equal(
        labels.compute(), pd.Series(memory.predict(frame), name="prediction"), check_dtype=False
    )
    np.testing.assert_array_equal(model.predict_proba(parts[0]).compute(), memory.predict_proba(frame))
    assert verify(memory, *parts).objective == memory.objective_


def test_hyperplanes_of_frames_and_arrays_are_those_in_memory(client):
    frame, y, w = mixed_frame()
    options = {**OPTIONS, "split": "multivariate", "max_iter": 5}
    memory = OptimalDecisionDiagramClassifier(**options).fit(frame, y, w)
    parts = [partition(values, 4) for values in (frame, y, w)]
    assert content(OptimalDecisionDiagramClassifier(**options).fit(*parts)) == content(memory)
    X, codes = frame[["a0", "a2", "a3"]].to_numpy(), (y == "yes").to_numpy().astype(int)
    memory = OptimalDecisionDiagramClassifier(**options).fit(X, codes)
    chunked = da.from_array(X, chunks=(250, 2)), da.from_array(codes, chunks=400)
    assert content(OptimalDecisionDiagramClassifier(**options).fit(*chunked)) == content(memory)


def test_arrays_give_the_model_in_memory_and_predict_lazily(client):
    frame, y, _ = mixed_frame()
    X, codes = frame[["a0", "a1", "a2", "a3"]].to_numpy(), (y == "yes").to_numpy().astype(int)
    memory = OptimalDecisionDiagramClassifier(**OPTIONS).fit(X, codes)
    rows = da.from_array(X, chunks=(250, 2))
    model = OptimalDecisionDiagramClassifier(**OPTIONS).fit(rows, da.from_array(codes, chunks=400))
    assert content(model) == content(memory)
    assert model.predict(rows).compute().tolist() == memory.predict(X).tolist()
    np.testing.assert_array_equal(model.predict_proba(rows).compute(), memory.predict_proba(X))


def test_a_worker_killed_in_the_middle_costs_a_pass_and_not_the_fit(client, monkeypatch):
    frame, y, _ = mixed_frame()
    memory = OptimalDecisionDiagramClassifier(**OPTIONS).fit(frame, y)
    original, calls = DaskParts.reduce, []

    def kill_and_reduce(self, *given, **options):
        calls.append(given)
        if len(calls) == 3:
            worker = next(iter(client.run(os.getpid).values()))
            os.kill(worker, signal.SIGKILL)
        return original(self, *given, **options)

    monkeypatch.setattr(DaskParts, "reduce", kill_and_reduce)
    model = OptimalDecisionDiagramClassifier(**OPTIONS).fit(partition(frame), partition(y))
    assert len(calls) > 3 and content(model) == content(memory)
    client.wait_for_workers(2, timeout=30)


def test_tasks_that_stay_on_the_workers_are_waited_for_until_the_time_is_over(client):
    began = time.perf_counter()
    looks = iter([False, True])
    slow = dask.delayed(time.sleep)(20)
    assert TaskRunner(client).persist([slow], stop=lambda: next(looks)) is None
    assert time.perf_counter() - began < 10
    assert TaskRunner(client).persist([dask.delayed(sum)([1, 2])], stop=lambda: False)[0].compute() == 3
