"""Predictions of files: whole or not there, and refused before anything is written."""

import numpy as np
import pandas as pd
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.errors import InvalidInputError
from oddlearn.model import batch_predictions
from oddlearn.model.batch_predictions import feature_columns, predict_parts, write_predictions
from oddlearn.streaming.file_batches import open_batches

FRAME = pd.DataFrame({"a": np.arange(40.0), "b": [1.0, 2.0] * 20})
LABELS = np.where(FRAME.a < 20, "no", "yes")


@pytest.fixture(scope="module")
def model():
    return OptimalDecisionDiagramClassifier("1", max_iter=5, exact=None).fit(FRAME, LABELS)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    FRAME[:30].assign(more=1).to_parquet(tmp_path / "in" / "0.parquet", index=False)
    FRAME[30:].assign(more=1).to_parquet(tmp_path / "in" / "1.parquet", index=False)
    return tmp_path / "in"


@pytest.mark.parametrize("error", [InvalidInputError("A bad batch."), KeyboardInterrupt()])
def test_nothing_is_left_of_a_file_that_could_not_be_finished(model, folder, tmp_path, error):
    def stop(n_rows):
        raise error

    with pytest.raises(type(error)):
        write_predictions(model, folder, tmp_path / "new" / "out.csv", report=stop)
    assert list((tmp_path / "new").iterdir()) == []


def test_rows_are_reported_as_they_are_written(model, folder, tmp_path):
    reported = []
    assert write_predictions(model, folder, tmp_path / "out.csv", report=reported.append) == 40
    assert reported == [30, 10]
    written = pd.read_csv(tmp_path / "out.csv")
    assert written.columns.tolist() == ["prediction"]
    assert written.prediction.tolist() == LABELS.tolist()


@pytest.mark.parametrize("name", ["out.csv", "out.PARQUET"])
def test_a_file_is_overwritten_only_if_that_is_asked_for(model, folder, tmp_path, name):
    (tmp_path / name).write_text("precious")
    with pytest.raises(InvalidInputError, match="is there already"):
        write_predictions(model, folder, tmp_path / name)
    assert (tmp_path / name).read_text() == "precious"
    assert write_predictions(model, folder, tmp_path / name, proba=True, overwrite=True) == 40
    read = pd.read_csv if name.endswith("csv") else pd.read_parquet
    written = read(tmp_path / name)
    assert written.columns.tolist() == ["prediction", "probability_no", "probability_yes"]
    np.testing.assert_allclose(written.iloc[:, 1:], model.predict_proba(FRAME))


def test_other_endings_are_refused(model, folder, tmp_path):
    with pytest.raises(InvalidInputError, match=r"out\.txt is no \.parquet or \.csv file"):
        write_predictions(model, folder, tmp_path / "out.txt")


def test_files_without_rows_have_no_predictions(model, tmp_path):
    FRAME[:0].to_parquet(tmp_path / "0.parquet", index=False)
    with pytest.raises(InvalidInputError, match="has no rows: give at least one"):
        write_predictions(model, tmp_path / "0.parquet", tmp_path / "out.csv")
    assert predict_parts(model, tmp_path / "0.parquet", "predict").shape == (0,)
    assert predict_parts(model, tmp_path / "0.parquet", "predict_proba").shape == (0, 2)
    assert not (tmp_path / "out.csv").exists()


def test_columns_are_those_of_the_model_in_its_order(model, folder):
    batches = open_batches(folder, None)
    assert feature_columns(model, batches) == ["a", "b"]
    assert feature_columns(object(), batches) == ["a", "b", "more"]
    assert predict_parts(model, folder, "predict").tolist() == LABELS.tolist()


@pytest.fixture
def dask_in_this_process():
    """Dask without the client of another test, whose workers would keep warnings to themselves."""
    with pytest.importorskip("dask").config.set(scheduler="synchronous"):
        yield


@pytest.mark.usefixtures("dask_in_this_process")
def test_collections_of_dask_are_predicted_by_partition(model):
    array, frames = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    X = array.from_array(FRAME.to_numpy(), chunks=(25, 1))
    with pytest.warns(UserWarning, match="feature names"):
        labels, shares = predict_parts(model, X, "predict"), predict_parts(model, X, "predict_proba")
        assert labels.compute().tolist() == LABELS.tolist()
        np.testing.assert_array_equal(shares.compute(), model.predict_proba(FRAME))
    assert shares.chunks == ((25, 15), (2,)) and labels.chunks == ((25, 15),)
    parts = frames.from_pandas(FRAME, npartitions=2)
    assert predict_parts(model, parts, "predict").compute().tolist() == LABELS.tolist()
    table = predict_parts(model, parts, "predict_proba").compute()
    assert table.columns.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(table, model.predict_proba(FRAME))


def test_what_is_in_parts():
    assert not batch_predictions.is_in_parts(FRAME)
    assert not batch_predictions.is_in_parts(FRAME.to_numpy())
